package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
)

// private makes a plan's source "s" one whose session is private to the run, beside
// the source "o", whose is not, and which some steps use.
func private(p *plan.Plan, others ...string) *plan.Plan {
	for _, other := range others {
		p.Node(other).Source = "o"
	}
	p.Sources[0].Session = "run"
	p.Sources = append(p.Sources, plan.Source{Name: "o", Connection: "other.main", Session: "shared"})
	return p
}

// A run whose process dies after any of its events, and that starts over the steps of
// its private session, does all of these in the new one, and others that had ended not.
func TestStepsOfALostSessionAreDoneAgain(t *testing.T) {
	child := private(sub("c", outputs(planOf(call("t", "t", `{ child = input.n }`, effect("write"), idempotent)), "n", "step.t.output.child")))
	child.Seal()
	p := private(outputs(planOf(
		call("before", "t", `{ n = 0 }`, effect("write")),
		call("open", "t", `{ n = 1 }`, effect("write"), idempotent, after("before")),
		call("fan", "t", `{ fan = each.value }`, forEach("[1, 2]"), parallel("1"), after("open")),
		runs("child", child.Digest, `{ n = 4 }`, after("fan")),
		call("loop", "t", `{ i = loop.index }`, loop("self.output.i < 2", "5"), after("child")),
		call("last", "t", `{ n = 9 }`, after("loop")),
	), "o", "[step.open.output.n, [for r in step.fan : r.outcome], step.child.output.n, length(step.loop), step.last.output.n]"), "before", "last")
	p.Children = map[string]*plan.Plan{child.Digest: child}
	p.Seal()
	prog := program(t, p)
	const want = `{"o":[1,["ok","ok"],4,3,9]}`
	for n := 1; ; n++ {
		store := openJournal(t)
		server := &effects{done: map[string]int{}}
		id, whole := runUntil(t, store, prog, server, n)
		if whole {
			break
		}
		before := server.done
		server.done = map[string]int{}
		out, err := Resume(t.Context(), Options{Program: prog, Caller: server, Journal: store, StartOver: true}, id)
		if n < 4 && err == nil && out.Status == StatusWaiting {
			continue // "before" had left
		}
		if err != nil || out.Status != StatusCompleted || out.Outputs.JSON() != want {
			t.Fatalf("after %d events: %+v, %v", n, out, err)
		}
		if all := before[`t{"n":0}`] + server.done[`t{"n":0}`]; all != 1 {
			t.Errorf("after %d events: what has no part in it was done %d times", n, all)
		}
		for _, call := range []string{`t{"n":1}`, `t{"fan":1}`, `t{"fan":2}`, `t{"child":4}`, `t{"i":0}`, `t{"i":1}`, `t{"i":2}`, `t{"n":9}`} {
			if server.done[call] != 1 {
				t.Errorf("after %d events: %s was done %d times in the new session", n, call, server.done[call])
			}
		}
		// Its history is one that others can read: a run that reuses it keeps all.
		past, err := LoadPast(t.Context(), store, id)
		if err != nil {
			t.Fatal(err)
		}
		server.done = map[string]int{}
		again, err := Run(t.Context(), Options{Program: prog, Caller: server, Journal: store, Past: past})
		if err != nil || again.Outputs.JSON() != want || len(server.done) != 0 {
			t.Errorf("after %d events: a run that reuses it does %v, and gives %+v, %v", n, server.done, again, err)
		}
		if err := store.Rebuild(t.Context()); err != nil {
			t.Error(err)
		}
		if r, err := store.Run(t.Context(), string(id)); err != nil || r.Status != "completed" {
			t.Errorf("after %d events: the journal has %+v, %v", n, r, err)
		}
	}
}

func TestWhatMayNotBeRepeatedIsNotStartedOver(t *testing.T) {
	for name, c := range map[string]struct {
		plan *plan.Plan
		step string
	}{
		"of the session": {private(planOf(call("open", "t", `{ n = 1 }`, effect("write")), call("b", "t", `{ n = 2 }`, after("open")))), "open"},
		"after it":       {private(planOf(call("open", "t", `{ n = 1 }`), call("pay", "t", `{ n = 2 }`, effect("write"), after("open")), call("b", "t", `{ n = 3 }`, after("pay")))), "pay"},
		"in a workflow":  {withChildren(private(planOf(runs("c", "c", ``), call("b", "t", `{ n = 3 }`, after("c")))), private(sub("c", planOf(call("w", "t", ``, effect("write")))))), "c/w"},
	} {
		t.Run(name, func(t *testing.T) {
			store := openJournal(t)
			c.plan.Seal()
			prog := program(t, c.plan)
			server := &effects{done: map[string]int{}}
			n := 1
			for ; ; n++ { // up to the intent of "b"
				server.done = map[string]int{}
				id, whole := runUntil(t, store, prog, server, n)
				if whole {
					t.Fatal("it never dies in b")
				}
				r, err := store.Run(t.Context(), string(id))
				if err != nil {
					t.Fatal(err)
				}
				if last := r.Steps[len(r.Steps)-1]; last.Step != "b" && !strings.HasPrefix(last.Step, "c/") || r.Steps[0].State != "ok" {
					continue
				}
				server.done = map[string]int{}
				_, err = Resume(t.Context(), Options{Program: prog, Caller: server, Journal: store, StartOver: true}, id)
				if e := (*StartOverError)(nil); errors.As(err, &e) {
					if e.Step != c.step || len(server.done) != 0 {
						t.Errorf("it says %v, and does %v", err, server.done)
					}
					if _, err := Resume(t.Context(), Options{Program: prog, Caller: server, Journal: store, NewSessions: true}, id); err != nil {
						t.Errorf("with new sessions: %v", err)
					}
					return
				}
				t.Logf("after %d events: %v", n, err)
			}
		})
	}
}
