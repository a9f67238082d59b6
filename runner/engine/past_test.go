package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// pastPlan calls, fans out, loops and runs another workflow.
func pastPlan(mends ...func(*plan.NodeSpec)) *plan.Plan {
	p := outputs(planOf(
		call("read", "t", `{ n = 0 }`),
		call("write", "t", `{ n = step.read.output.n + 1 }`, append([]func(*plan.NodeSpec){effect("write"), after("read")}, mends...)...),
		call("fan", "t", `{ fan = each.value }`, effect("write"), forEach("[1, 2, 3]"), after("write")),
		runs("child", "c", `{ n = 4 }`, after("fan")),
		call("loop", "t", `{ i = loop.index }`, loop("self.output.i < 2", "5"), after("child")),
		call("f", "t", `{ o = run.outcome }`, finally),
	), "o", "[step.write.output.n, [for r in step.fan : r.output.fan], length(step.loop)]")
	withChildren(p, sub("c", outputs(planOf(call("t", "t", `{ child = input.n }`, effect("write"))), "n", "step.t.output.child")))
	child := p.Children["c"] // a plan that is read back is held against its digests
	child.Seal()
	p.Node("child").Child, p.Children = child.Digest, map[string]*plan.Plan{child.Digest: child}
	p.Seal()
	return p
}

func TestANewRunKeepsWhatIsTheSame(t *testing.T) {
	store := openJournal(t)
	prog := program(t, pastPlan())
	server := &effects{done: map[string]int{}}
	first, err := Run(t.Context(), Options{Program: prog, Caller: server, Journal: store})
	if err != nil || first.Status != StatusCompleted {
		t.Fatal(first, err)
	}
	past, err := LoadPast(t.Context(), store, journal.RunID(first.Run))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		plan *plan.Plan
		done string
	}{
		{"of the same plan", pastPlan(), `t{"o":"ok"}`},
		{"of one whose arguments are written in another way", pastPlan(func(n *plan.NodeSpec) { n.Args = "{ n = 1 }" }), `t{"o":"ok"}`},
		{"of one with another retry", pastPlan(func(n *plan.NodeSpec) { n.Retry = &plan.Retry{Attempts: "2"} }), `t{"n":1} t{"o":"ok"}`},
		{"of one with a step more", withAnother(pastPlan()), `t{"more":1} t{"o":"ok"}`},
	} {
		server := &effects{done: map[string]int{}}
		var reused []string
		out, err := Run(t.Context(), Options{
			Program: program(t, c.plan), Caller: server, Journal: store, Past: past,
			Watch: func(ev Event) {
				if f, ok := ev.(StepFinished); ok && f.Reused {
					reused = append(reused, f.Step.String())
				}
			},
		})
		if err != nil || out.Outputs.JSON() != first.Outputs.JSON() {
			t.Errorf("%s: it gives %v, %v", c.name, out, err)
		}
		if got := strings.Join(keysOf(server.done), " "); got != c.done {
			t.Errorf("%s: %s was done, and %v was kept", c.name, got, reused)
		}
	}
}

func withAnother(p *plan.Plan) *plan.Plan {
	n := p.Nodes[0]
	n.ID, n.Args = "more", "{ more = 1 }"
	p.Nodes = append(p.Nodes, n)
	p.Seal()
	return p
}

func keysOf(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// A run that keeps results and whose process dies goes on with them.
func TestARunThatKeepsResultsGoesOnFromEveryPointOfItsJournal(t *testing.T) {
	store := openJournal(t)
	prog := program(t, pastPlan())
	server := &effects{done: map[string]int{}}
	first, err := Run(t.Context(), Options{Program: prog, Caller: server, Journal: store})
	if err != nil {
		t.Fatal(err)
	}
	past, err := LoadPast(t.Context(), store, journal.RunID(first.Run))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		server := &effects{done: map[string]int{}}
		opts := Options{Program: prog, Caller: server, Journal: store, Past: past}
		id, ended := runWithUntil(t, opts, n)
		if ended {
			if n < 10 {
				t.Errorf("it ended after %d events", n)
			}
			return
		}
		opts.Past = nil // it is the journal's to know
		out, err := Resume(t.Context(), opts, id)
		if err != nil || out.Outputs.JSON() != first.Outputs.JSON() {
			t.Fatalf("after %d events: %v, %v", n, out, err)
		}
		for call := range server.done {
			if call != `t{"o":"ok"}` {
				t.Errorf("after %d events %s was done", n, call)
			}
		}
	}
}

func TestWhySaysWhatIsDifferent(t *testing.T) {
	store := openJournal(t)
	load := func(p *plan.Plan, past *Past, inputs string) *Past {
		given, err := value.ParseJSON([]byte(inputs))
		if err != nil {
			t.Fatal(err)
		}
		p.Seal()
		out, err := Run(t.Context(), Options{Program: program(t, p), Caller: &effects{done: map[string]int{}}, Journal: store, Past: past, Inputs: given})
		if err != nil || out.Status != StatusCompleted {
			t.Fatal(out, err)
		}
		past, err = LoadPast(t.Context(), store, journal.RunID(out.Run))
		if err != nil {
			t.Fatal(err)
		}
		return past
	}
	of := func(sensitive bool) *plan.Plan {
		p := planOf(
			call("a", "t", `{ n = input.n, list = [input.n, 2], "odd key" = { x = input.n } }`),
			call("b", "t", `{ m = step.a.output.n }`, after("a")),
			call("c", "t", `{ k = 1 }`, func(n *plan.NodeSpec) { n.FailIf = "input.n > 100" }),
		)
		p.Inputs = []plan.Input{{Name: "n", Type: "integer", Sensitive: sensitive}}
		return p
	}
	first := load(of(false), nil, `{"n":10}`)
	for _, c := range []struct {
		step string
		hide bool
		want string
	}{
		{"a", false, `a: args.n changed: 10 → 20, args.list[0] changed: 10 → 20, args["odd key"].x changed: 10 → 20, input.n changed: 10 → 20`},
		{"a", true, `a: args.n changed: (sensitive) → (sensitive), args.list[0] changed: (sensitive) → (sensitive), args["odd key"].x changed: (sensitive) → (sensitive), input.n changed: (sensitive) → (sensitive)`},
		{"b", false, `b: args.m changed: 10 → 20, step a ran anew and its output changed`},
		{"c", false, `c: input.n changed: 10 → 20`},
	} {
		reasons, err := load(of(c.hide), first, `{"n":20}`).Why(first, c.step)
		if err != nil || len(reasons) != 1 || reasons[0].Reused {
			t.Fatal(reasons, err)
		}
		if got := reasons[0].Step + ": " + strings.Join(reasons[0].Because, ", "); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
