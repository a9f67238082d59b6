package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/lda-wf/wfc/compiler/plan"
)

// chainOf is n steps, each of which takes what the one before gave.
func chainOf(n int, with ...func(*plan.NodeSpec)) *plan.Plan {
	specs := nodes{call("n0", "t", `{ name = "x" }`, with...)}
	for i := 1; i < n; i++ {
		before := fmt.Sprintf("n%d", i-1)
		specs = append(specs, call(fmt.Sprintf("n%d", i), "t", fmt.Sprintf(`{ name = step.%s.output.greeting }`, before), append(with, after(before))...))
	}
	return outputs(planOf(specs...), "o", fmt.Sprintf("step.n%d.output", n-1))
}

// A chain of reads never waits for the disk, also when somebody looks on; one of
// writes waits once a step, for its own start and all before it.
func TestWhatAChainWaitsFor(t *testing.T) {
	for _, c := range []struct {
		effect string
		want   int
	}{{"read", 0}, {"write", 100}} {
		synctest.Test(t, func(t *testing.T) { // in which no time passes
			log := &memoryLog{}
			if _, err := drive(t, t.Context(), chainOf(100, effect(c.effect)), log, Options{Caller: instant, Watch: func(Event) {}}); err != nil {
				t.Fatal(err)
			}
			if log.barriers != c.want {
				t.Errorf("100 steps with the effect %s wait for the disk %d times, want %d", c.effect, log.barriers, c.want)
			}
		})
	}
}

// A step costs what it says, however many there are before it.
func TestAStepAllocatesLittle(t *testing.T) {
	allocations := func(n int) float64 {
		prog := program(t, chainOf(n))
		return testing.AllocsPerRun(5, func() {
			d := newDriver(Options{Program: prog, Caller: instant}, &memoryLog{}, nil)
			if _, err := d.run(context.Background(), RunCreated{Run: "r"}); err != nil {
				t.Fatal(err)
			}
		})
	}
	const most = 90 // 67, and what may come to it without much thought
	if got := (allocations(300) - allocations(100)) / 200; got > most {
		t.Errorf("a step allocates %.0f times, want at most %d", got, most)
	}
}
