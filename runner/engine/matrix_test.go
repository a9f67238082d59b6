package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// matrixActions are what a step can do: each gives { n = 1 }, or nothing.
var matrixActions = map[string]plan.NodeSpec{
	"read-only call": {Kind: plan.Call, Source: "s", Tool: "t", Effect: "read", Args: `{ n = 1 }`},
	"writing call":   {Kind: plan.Call, Source: "s", Tool: "t", Effect: "write", Args: `{ n = 1 }`},
	"read":           {Kind: plan.Read, Source: "s", Effect: "read", URITemplate: "demo://{n}", Args: `{ n = "1" }`, Decode: "json"},
	"prompt":         {Kind: plan.Prompt, Source: "s", Effect: "read", Tool: "t", Args: `{ n = "1" }`},
	"run":            {Kind: plan.Run, Child: "c", Args: `{ n = 1 }`},
	"value":          {Kind: plan.ValueNode, Value: `{ n = 1 }`},
	"sleep":          {Kind: plan.Sleep, Sleep: `"1s"`},
	"family call": {
		Kind: plan.Call, Source: "f", SourceKey: `"b"`, Tool: "t", Effect: "read", Args: `{ n = 1 }`,
		Variants: map[string]plan.NodeSpec{"b": {ID: "x", Kind: plan.Call, Source: "f", SourceKey: `"b"`, Tool: "t", Effect: "write", Args: `{ n = 1 }`}},
	},
	"ask":           {Kind: plan.AskNode, Ask: &plan.Ask{Message: `"n?"`, Answer: "object({ n = integer })"}},
	"approved call": {Kind: plan.Call, Source: "s", Tool: "t", Effect: "destructive", Args: `{ n = 1 }`},
}

// modifier is one of LANGUAGE 4's: what it does to a step, and which actions it has
// no meaning with (lang/syntax has the same table).
type modifier struct {
	name   string
	do     func(*plan.NodeSpec)
	not    []string
	aspect string           // of two of one aspect a step has one only
	whole  func(*plan.Plan) // what it does to the workflow; nil: nothing
}

var matrixModifiers = []modifier{
	{"when false", when("false"), nil, "when", nil},
	{"when true", when("1 == 1"), nil, "when", nil},
	{"when each", whenEach("each.index != 1"), nil, "when", nil},
	{"for_each list", forEach("[1, 2, 3]"), nil, "for_each", nil},
	{"for_each map", forEach("{ a = 1, b = 2 }"), nil, "for_each", nil},
	{"for_each with key", func(n *plan.NodeSpec) { forEach(`["x", "y"]`)(n); key("each.value")(n) }, nil, "for_each", nil},
	{"for_each nothing", forEach("[]"), nil, "for_each", nil},
	{"loop", loop("loop.index < 2", "5"), []string{"sleep"}, "loop", nil},
	{"loop with delay", func(n *plan.NodeSpec) { loop("loop.index < 1", "5")(n); loopDelay(`"1s"`)(n) }, []string{"sleep"}, "loop", nil},
	{"loop past max", loop("true", "2"), []string{"sleep"}, "loop", nil},
	{"retry", retry("3", on(`["transport", "assert", "tool", "limit"]`)), []string{"value", "sleep", "ask"}, "retry", nil},
	{"timeout", timeout(`"1m"`), []string{"value", "sleep", "ask"}, "timeout", nil},
	{"deadline", deadline(`"1h"`), nil, "deadline", nil},
	{"short deadline", deadline(`"1ms"`), nil, "deadline", nil},
	{"on_error continue", tolerate("*"), nil, "on_error", nil},
	{"on_error list", tolerate("assert", "limit", "timeout"), nil, "on_error", nil},
	{"assert", assert("self.outcome == \"ok\"", `"no"`), []string{"sleep"}, "assert", nil},
	{"failing assert", assert("false", `"no"`), []string{"sleep"}, "assert", nil},
	{"fail_if", failIf("false"), []string{"sleep"}, "fail_if", nil},
	{"fail_if that holds", failIf("true"), []string{"sleep"}, "fail_if", nil},
	{"result", result("{ n = 1, more = self.outcome }"), []string{"sleep"}, "result", nil},
	{"returns", returns("object({ n = integer }, any)"), []string{"sleep", "ask"}, "returns", nil},
	{"returns that does not hold", returns("string"), []string{"sleep", "ask"}, "returns", nil},
	{"undo", undo("u", `{ n = self.outcome }`), nil, "undo", nil},
	{"max_parallel", parallel("1"), nil, "max_parallel", nil},
	{"finally", finally, nil, "finally", nil},
	{"workflow deadline", nothing, nil, "workflow deadline", func(p *plan.Plan) { p.Deadline = `"2h"` }},
	{"short workflow deadline", nothing, nil, "workflow deadline", func(p *plan.Plan) { p.Deadline = `"1ms"` }},
	{"concurrency", nothing, nil, "concurrency", func(p *plan.Plan) { p.Concurrency = &plan.Concurrency{OnConflict: "queue"} }},
	{"private session", nothing, nil, "session", func(p *plan.Plan) {
		p.Sources[0].Session, p.Sources[1].Members[1].Session = "run", "run"
	}},
}

func nothing(*plan.NodeSpec) {}

// matrixPlan is a plan with a step x of the action and the modifiers, between two
// others; nil where they do not go together.
func matrixPlan(action string, with ...modifier) *plan.Plan {
	n := matrixActions[action]
	n.ID = "x"
	for i, m := range with {
		if slices.Contains(m.not, action) || slices.ContainsFunc(with[:i], func(o modifier) bool { return o.aspect == m.aspect }) {
			return nil
		}
		m.do(&n)
		for key, v := range n.Variants {
			m.do(&v)
			for j := range v.Undo {
				v.Undo[j].Kind, v.Undo[j].Source, v.Undo[j].Effect = plan.Call, "s", "write"
			}
			n.Variants = map[string]plan.NodeSpec{key: v}
		}
	}
	if n.ForEach == "" && (n.WhenEach || n.MaxParallel != "") {
		return nil
	}
	before, last := val("before", "1"), call("after", "t", `{ n = 2 }`)
	if !n.Finally {
		n.After, last.After = []string{"before"}, []string{"x"}
	}
	// What is said of x where it is no finally block, which outputs cannot read.
	specs, read := nodes{before, n, last}, "step.x"
	if n.Finally {
		specs, read = nodes{before, last, n}, "1"
	}
	p := outputs(planOf(specs...), "x", read, "errors", "length(run.errors)")
	p.Sources = append(p.Sources, plan.Source{Name: "f", Session: "shared", Members: []plan.Member{
		{Key: "a", Connection: "f.a", Session: "shared"}, {Key: "b", Connection: "f.b", Session: "shared"},
	}})
	for _, m := range with {
		if m.whole != nil {
			m.whole(p)
		}
	}
	p.Policy = &plan.Policy{Destructive: "ask", Drift: "fail", InDoubt: "retry"}
	return withChildren(p, sub("c", outputs(planOf(call("t", "t", `{ n = input.n }`, undo("u", `{}`))), "n", "step.t.output.n")))
}

// matrixWorld answers by what it is asked, so that whoever asks again gets the same.
func matrixWorld() world {
	fixed := func(value.Value) (*Answer, *CallError) { return structured(`{"n":1}`), nil }
	return world{"t": fixed, "u": fixed, "demo://1": say(`{"n":1}`)}
}

// attemptsOf is what differs where something was done again.
var attemptsOf = regexp.MustCompile(`"attempts":\d+`)

// elementOf is which of the elements of x failed the run: of several in flight side by
// side it may be another one where calls were made again after a crash.
var elementOf = regexp.MustCompile(`Step x\[[^]]*\]`)

// cameTo is what a run comes to, but for how often things were tried, and in which
// order elements fail.
func cameTo(c *Core) string {
	e := c.Ended()
	out := string(e.Status) + " " + e.Outputs.JSON()
	if e.Err != nil {
		out += " " + string(e.Err.Kind) + ": " + e.Err.Message
	}
	return elementOf.ReplaceAllString(attemptsOf.ReplaceAllString(out, ""), "Step x[…]")
}

// ends drives a run to its end; late calls are cancelled.
func (s *sim) toTheEnd() string {
	s.t.Helper()
	for rounds := 0; s.core.Ended() == nil; rounds++ {
		if rounds > 1000 {
			s.t.Fatalf("it does not end; the trace is %v", s.trace)
		}
		if q := s.core.asking; len(s.waiting) == 0 && len(q) > 0 && (q[0].deadline.IsZero() || q[0].deadline.Sub(s.now) > time.Millisecond) {
			s.reply(s.core.Instance(q[0].at).String(), `{"n":1}`)
			continue
		}
		if len(s.waiting) == 0 {
			s.wait()
			continue
		}
		c := s.waiting[0]
		name := s.core.Instance(c.At).String()
		isCancelled := func() bool { return s.core.instance(c.At).live.call.cancelled }
		if !isCancelled() && c.At.Undo == 0 && !c.Deadline.IsZero() && c.Deadline.Sub(s.now) <= time.Millisecond {
			if s.core.MayLeave(c.At) {
				s.send(name)
			}
			s.wait() // a server that takes longer
		}
		if isCancelled() {
			s.fail(name, KindCancelled, SentYes)
			continue
		}
		if s.core.MayLeave(c.At) {
			s.send(name)
		}
		s.answer(name)
	}
	return cameTo(s.core)
}

// Every two modifiers on every action: the run ends, every node has ended, the
// result has the form that LANGUAGE 3 says, and whoever goes on from any place of
// the history comes to the same.
func TestEveryTwoModifiersOnEveryAction(t *testing.T) {
	combinations := 0
	for _, action := range slices.Sorted(func(yield func(string) bool) {
		for a := range matrixActions {
			if !yield(a) {
				return
			}
		}
	}) {
		for i, first := range matrixModifiers {
			for _, second := range matrixModifiers[i:] {
				with := []modifier{first, second}
				if first.name == second.name {
					with = with[:1]
				}
				p := matrixPlan(action, with...)
				if p == nil {
					continue
				}
				combinations++
				s := newSim(t, p, matrixWorld()).begin()
				want := s.toTheEnd()
				where := fmt.Sprintf("%s with %s and %s", action, first.name, second.name)
				for i := range s.core.frames[0].nodes {
					if !s.core.frames[0].nodes[i].state.ended() {
						t.Errorf("%s: %s has not ended", where, p.Nodes[i].ID)
					}
				}
				if s.core.frames[0].active != 0 || s.core.inFlight != 0 || s.core.doubts != 0 || len(s.core.asking) != 0 {
					t.Errorf("%s: something goes on after the end", where)
				}
				if problem := form(s.core); problem != "" {
					t.Errorf("%s: %s", where, problem)
				}
				places := 12
				if first.whole != nil || second.whole != nil {
					places = 4
				}
				for n := 1; n < len(s.facts); n += 1 + len(s.facts)/places {
					again := newSim(t, p, matrixWorld())
					again.facts, again.now = slices.Clone(s.facts[:n]), s.now
					if strings.Contains(first.name+second.name, "deadline") {
						again.now = testTime // or all would be overdue
					}
					if got := again.restart().toTheEnd(); got != want {
						t.Errorf("%s: after %d facts it ends\n     %s\nwant %s\nthe facts are %v", where, n, got, want, s.trace)
					}
				}
			}
		}
	}
	if combinations < 1000 {
		t.Errorf("there are %d combinations only", combinations)
	}
}

// form says in what the result of x is not as LANGUAGE 3 has it.
func form(c *Core) string {
	f := c.frames[0]
	i := f.prog.index["x"]
	n, got := &f.prog.nodes[i], c.result(f, i)
	is := func(v value.Value, k value.Kind) bool { return v.Kind() == k }
	one := func(v value.Value) string {
		if n.loops() {
			if !is(v, value.List) {
				return "a loop gives " + v.Summary(80)
			}
			return ""
		}
		if _, ok := v.AsObject().Get("outcome"); !is(v, value.Object) || !ok {
			return "the result is " + v.Summary(80)
		}
		return ""
	}
	if n.forEach.IsZero() {
		return one(got)
	}
	if f.nodes[i].fan == nil {
		return ""
	}
	if keyed := f.nodes[i].fan.keyed; keyed != is(got, value.Object) {
		return "the fan-out gives " + got.Summary(80)
	}
	var elements []value.Value
	if is(got, value.List) {
		elements = got.AsList()
	} else {
		for _, v := range got.AsObject().All() {
			elements = append(elements, v)
		}
	}
	for _, v := range elements {
		if problem := one(v); problem != "" {
			return problem
		}
	}
	return ""
}

// Any number of modifiers, any order of answers, a crash anywhere: the history
// alone gives a run that ends in the same way.
func TestAnyHistoryGoesOnToTheSameEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var with []modifier
		for _, m := range rapid.Permutation(matrixModifiers).Draw(rt, "modifiers")[:rapid.IntRange(0, 8).Draw(rt, "how many")] {
			if m.name != "short deadline" {
				with = append(with, m)
			}
		}
		action := rapid.SampledFrom(slices.Sorted(func(yield func(string) bool) {
			for a := range matrixActions {
				if !yield(a) {
					return
				}
			}
		})).Draw(rt, "action")
		var used []modifier
		for _, m := range with {
			if matrixPlan(action, append(slices.Clone(used), m)...) != nil {
				used = append(used, m)
			}
		}
		p := matrixPlan(action, used...)
		s := newSim(t, p, matrixWorld()).begin()
		want := s.toTheEnd()
		cut := rapid.IntRange(1, len(s.facts)).Draw(rt, "cut")
		again := newSim(t, p, matrixWorld())
		again.facts, again.now = slices.Clone(s.facts[:cut]), testTime
		again.core.prog = s.core.prog
		if cut == len(s.facts) {
			return
		}
		if got := again.restart().toTheEnd(); got != want {
			var names []string
			for _, m := range used {
				names = append(names, m.name)
			}
			rt.Fatalf("%s with %v: after %d facts it ends\n     %s\nwant %s", action, names, cut, got, want)
		}
	})
}
