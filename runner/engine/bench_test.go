package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// instant answers at once: what is measured is the engine.
var instant = callerFunc(func(_ context.Context, c Call) (*Answer, error) {
	return structured(`{"greeting": "Hello, world", "n": 1}`), nil
})

func benchmarkRun(b *testing.B, p *plan.Plan, steps int) {
	store := openJournal(b)
	p.Seal()
	prog := program(b, p)
	b.ReportAllocs()
	for b.Loop() {
		out, err := Run(b.Context(), Options{Program: prog, Journal: store, Caller: instant})
		if err != nil || out.Err != nil {
			b.Fatal(out, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*steps), "µs/step")
}

// A chain of 100 reads, journal included: the engine's own part of "at most
// 1.3 times a bare client", of which a step may cost well under 50 µs.
func BenchmarkChainOf100Reads(b *testing.B) {
	benchmarkRun(b, chainOf(100), 100)
}

// Elements must cost the same each, however many there are.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list := make([]value.Value, n)
			for i := range list {
				list[i] = value.OfInt(int64(i))
			}
			p := outputs(planOf(
				call("a", "t", `{ name = each.value }`, forEach("input.list")),
				val("b", `[for r in step.a : r.output.n if r.outcome == "ok"]`, after("a")),
			), "o", "length(step.b.output)")
			p.Inputs = []plan.Input{{Name: "list", Type: "list(integer)"}}
			prog := program(b, p)
			inputs := value.NewObject(1)
			inputs.Set("list", value.OfList(list))
			b.ReportAllocs()
			for b.Loop() {
				core := NewCore(prog, CoreOptions{})
				if got := answerAll(b, core, inputs).Outputs.JSON(); got != fmt.Sprintf(`{"o":%d}`, n) {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/element")
		})
	}
}

// answerAll drives a core without a journal.
func answerAll(b *testing.B, core *Core, inputs *value.ObjectValue) *RunEnded {
	answer := structured(`{"greeting": "Hello, world", "n": 1}`)
	var queue []Addr
	step := func(f Fact) {
		commands, err := core.Step(testTime, f)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range commands {
			if c, ok := c.(StartCall); ok {
				queue = append(queue, c.At)
			}
		}
	}
	step(RunCreated{Run: "r", Inputs: value.OfObject(inputs)})
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		step(NodeStarted{At: at, Attempt: 1})
		step(CallAnswered{at, answer})
	}
	return core.Ended()
}
