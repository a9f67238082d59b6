package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// child adds a workflow to a plan, and gives nodes that run it.
func withChildren(p *plan.Plan, children ...*plan.Plan) *plan.Plan {
	p.Children = map[string]*plan.Plan{}
	for _, c := range children {
		p.Children[c.Workflow] = c
	}
	return p
}

func runs(id, child, args string, with ...func(*plan.NodeSpec)) plan.NodeSpec {
	n := plan.NodeSpec{ID: id, Kind: plan.Run, Child: child, Args: plan.Expr(args)}
	for _, f := range with {
		f(&n)
	}
	return n
}

// sub is a child workflow with an input n.
func sub(name string, p *plan.Plan) *plan.Plan {
	p.Workflow = name
	p.Inputs = []plan.Input{{Name: "n", Type: "integer", Default: raw("7")}}
	return p
}

func TestAChildGivesItsOutputs(t *testing.T) {
	p := outputs(planOf(
		runs("a", "c", `{ n = each.value }`, forEach(`{ x = 1, y = 2 }`)),
		runs("b", "c", ``, result("self.output.n + 1"), after("a")),
		runs("l", "c", `{ n = loop.index }`, loop("self.output.n < 20", "9"), after("b")),
	), "a", `{ for k, r in step.a : k => r.output.n }`, "b", "step.b.output", "l", "[for r in step.l : r.output.n]")
	withChildren(p, sub("c", outputs(planOf(call("t", "t", `{ n = input.n }`), val("v", "step.t.output.n * 10", after("t"))), "n", "step.v.output")))
	s := newSim(t, p, world{"t": echo}).begin()
	if got := s.finish(); got.Err != nil || got.Outputs.JSON() != `{"a":{"x":10,"y":20},"b":71,"l":[0,10,20]}` {
		t.Errorf("got %+v; the trace is %v", got, s.trace)
	}
}

func TestTheFailureOfAChildHasTheKindOfItsStep(t *testing.T) {
	p := outputs(planOf(runs("a", "c", ``, tolerate("tool"))), "o", "[step.a.error.kind, step.a.error.message, length(run.errors)]")
	withChildren(p, sub("c", planOf(call("t", "no", ``))))
	s := newSim(t, p, world{"no": refuse("no")}).begin()
	want := `{"o":["tool","In the workflow c: Step t failed: The tool demo.main.t answered with an error: no",1]}`
	if got := s.finish(); got.Err != nil || got.Outputs.JSON() != strings.ReplaceAll(want, "main.t ", "main.no ") {
		t.Errorf("got %v %s", got.Err, got.Outputs.JSON())
	}
}

func TestAChildIsTriedAgainWhereNothingInItForbids(t *testing.T) {
	for _, c := range []struct{ effect, want string }{
		{"read", "completed"},
		{"write", "failed"},
	} {
		p := planOf(runs("a", "c", ``, retry("3", on(`["tool"]`))))
		withChildren(p, sub("c", planOf(call("w", "ok", ``, effect(c.effect)), call("t", "t", ``, after("w")))))
		s := newSim(t, p, world{"ok": give("1"), "t": script(refuse("no"), give("1"))}).begin()
		if got := s.finish(); string(got.Status) != c.want || got.Err != nil && !strings.Contains(got.Err.Message, "a call in it that has left may have had its effect") {
			t.Errorf("after a %s it is %s: %v", c.effect, got.Status, got.Err)
		}
	}
}

func TestAChildThatCannotHaveItsInputsFails(t *testing.T) {
	p := planOf(runs("a", "c", `{ n = "x" }`))
	withChildren(p, sub("c", planOf(val("v", "1"))))
	got := newSim(t, p, nil).begin().finish()
	if got.Err == nil || got.Err.Kind != KindExpression || !strings.HasPrefix(got.Err.Message, "Step a failed: The workflow c cannot run with these `args`: The input \"n\" is wrong") {
		t.Errorf("got %v", got.Err)
	}
}

func TestADeadlineEndsAChild(t *testing.T) {
	child := func() *plan.Plan {
		return sub("c", planOf(call("w", "t", ``, effect("write")), call("f", "t", ``, finally)))
	}
	p := withChildren(planOf(runs("a", "c", ``, deadline(`"10s"`), tolerate("timeout"))), child())
	s := newSim(t, p, world{"t": give("1")}).begin()
	s.send("a/w").pass(10*time.Second).fail("a/w", KindCancelled, SentMaybe).send("a/f").answer("a/f")
	s.wantTrace("start a/w", "deadline", "cancel a/w", "error a/w (cancelled)", "settled error", "start a/f", "ok a/f", "error a (timeout)", "end completed")

	p = withChildren(planOf(runs("a", "c", ``, timeout(`"10s"`), retry("2", every(`"1s"`, `"1s"`)))), sub("c", planOf(call("w", "t", ``))))
	s = newSim(t, p, world{"t": give("1")}).begin()
	s.send("a/w").pass(10*time.Second).fail("a/w", KindCancelled, SentMaybe).pass(time.Second).send("a/w").answer("a/w")
	s.wantTrace("start a/w", "deadline", "cancel a/w", "error a/w (cancelled)", "retry a (timeout)", "start a/w", "ok a/w", "ok a", "end completed")
}

func TestWhatIsStoppedSaysWhy(t *testing.T) {
	sleeper := func(p *plan.Plan) *plan.Plan {
		return withChildren(p, sub("c", planOf(call("r", "t", ``), call("x", "x", ``))))
	}
	for name, c := range map[string]struct {
		plan *plan.Plan
		do   func(*sim)
		want string
	}{
		"the run is cancelled":    {sleeper(planOf(runs("a", "c", ``))), func(s *sim) { s.step(CancelRequested{}, true) }, "the run stops"},
		"a step of the run fails": {planOf(call("r", "t", ``), call("x", "x", ``)), func(s *sim) { s.send("x").fail("x", KindTool, SentYes) }, "the run stops"},
		"a step of a child fails": {sleeper(planOf(runs("a", "c", ``))), func(s *sim) { s.send("a/x").fail("a/x", KindTool, SentYes) }, "the workflow c stops"},
		"its timeout passes":      {sleeper(planOf(runs("a", "c", ``, timeout(`"10s"`)))), func(s *sim) { s.pass(10 * time.Second) }, "the workflow c did not end in time"},
		"its deadline passes":     {sleeper(planOf(runs("a", "c", ``, deadline(`"10s"`)))), func(s *sim) { s.pass(10 * time.Second) }, "the workflow c did not end in time"},
	} {
		s := newSim(t, c.plan, world{"t": give("1"), "x": refuse("no")}).begin()
		c.do(s)
		if len(s.because) == 0 || s.because[0] != c.want {
			t.Errorf("%s: it was stopped because %q, want %q", name, s.because, c.want)
		}
	}
}

func TestWhatWasDoneIsUndoneLastFirst(t *testing.T) {
	p := planOf(
		call("a", "t", `{ x = 1 }`, effect("write"), undo("u", `{ of = args.x, got = self.output.x }`), undo("u", `{ second = true }`)),
		call("b", "t", `{ x = each.value }`, effect("write"), forEach("[1, 2]"), parallel("1"), after("a"), undo("u", `{ of = each.key }`)),
		runs("c", "c", ``, after("b")),
		call("d", "t", ``, effect("write"), loop("length(step.c.output) > 5", "2"), after("c"), undo("u", `{ round = loop.index }`)),
		call("e", "no", ``, after("d"), undo("u", `{}`)),
	)
	withChildren(p, sub("c", planOf(call("t", "t", ``, effect("write"), undo("u", `{ n = input.n }`)))))
	var undone []string
	s := newSim(t, p, world{"t": echo, "no": refuse("no"), "u": func(args value.Value) (*Answer, *CallError) {
		undone = append(undone, args.JSON())
		if strings.Contains(args.JSON(), "second") {
			return refuse("cannot")(args)
		}
		return structured("{}"), nil
	}}).begin()
	s.finish()
	want := `{"round":0} {"n":7} {"of":1} {"of":0} {"of":1,"got":1} {"second":true}`
	if got := strings.Join(undone, " "); got != want {
		t.Errorf("undone is\n     %s\nwant %s", got, want)
	}
	if got := s.core.Ended(); got.Status != StatusFailed || got.Err.At.Step != "e" {
		t.Errorf("it ends with %+v", got)
	}
	// Whoever goes on from any place of the history undoes the rest, in the same order.
	facts := s.facts
	for n := 1; n < len(facts); n++ {
		again := newSim(t, p, world{"t": echo, "no": refuse("no"), "u": echo})
		again.facts = append([]Fact(nil), facts[:n]...)
		again.core.prog = s.core.prog
		again.restart()
		if again.core.Waiting() {
			continue // a call had left
		}
		again.finish()
		if got := strings.Join(ends(again.facts, again.core), " "); got != strings.Join(ends(facts, s.core), " ") && !strings.Contains(got, "in doubt") {
			t.Errorf("after %d facts it ends\n     %s\nwant %s", n, got, strings.Join(ends(facts, s.core), " "))
		}
	}
}

// The steps of a child that came to its end are done, whatever the step that ran it
// makes of its outputs.
func TestAChildIsUndoneThoughItsStepFails(t *testing.T) {
	asserts := func(n *plan.NodeSpec) {
		n.Asserts = []plan.Condition{{Condition: "self.output.v > 9", ErrorMessage: `"too small"`}}
	}
	for name, how := range map[string]func(*plan.NodeSpec){
		"assert": asserts,
		"result": result(`tonumber("x")`),
		"limit":  loop("self.output.v < 9", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(runs("a", "c", ``, how, undo("never", `{}`)))
			withChildren(p, outputs(sub("c", planOf(call("t", "t", ``, effect("write"), undo("u", `{ n = input.n }`)))), "v", "1"))
			undone := 0
			tools := world{"t": echo, "u": func(value.Value) (*Answer, *CallError) {
				undone++
				return structured("{}"), nil
			}}
			s := newSim(t, p, tools).begin()
			if got := s.finish(); got.Status != StatusFailed || undone != 1 {
				t.Errorf("it is %s and was undone %d times; the trace is %v", got.Status, undone, s.trace)
			}
			all := s.facts
			for cut := 1; cut < len(all); cut++ {
				undone = 0
				for _, f := range all[:cut] {
					if e, ok := f.(NodeEnded); ok && e.At.Undo > 0 {
						undone++
					}
				}
				s := newSim(t, p, tools)
				s.core.prog.policy.InDoubt = "retry"
				s.facts = append([]Fact(nil), all[:cut]...)
				s.restart()
				if s.core.Ended() == nil {
					s.finish()
				}
				if undone != 1 {
					t.Errorf("after %d facts of the history it was undone %d times; then came %v", cut, undone, s.trace)
				}
			}
		})
	}
}

// What an attempt to run a child did is undone once, also where another attempt
// follows and does it again.
func TestEveryAttemptOfAChildIsUndone(t *testing.T) {
	attempt := func(n *plan.NodeSpec) {
		n.Asserts = []plan.Condition{{Condition: "self.output.v > 9", ErrorMessage: `"too small"`}}
	}
	for name, c := range map[string]struct {
		breaks string // a tool
		how    []func(*plan.NodeSpec)
		want   string // calls
	}{
		"its step fails": {"ok", []func(*plan.NodeSpec){attempt, retry("2", on(`["assert"]`))}, "t ok f u t ok f u"},
		"it fails":       {"no", []func(*plan.NodeSpec){retry("2", on(`["tool"]`))}, "t no u f t no u f"},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(runs("a", "c", ``, c.how...))
			withChildren(p, outputs(sub("c", planOf(
				call("t", "t", ``, effect("write"), idempotent, undo("u", `{ n = input.n }`)),
				call("b", c.breaks, ``, after("t")),
				call("f", "f", ``, finally),
			)), "v", "1"))
			var made []string
			making := func(name string, and tool) tool {
				return func(args value.Value) (*Answer, *CallError) {
					made = append(made, name)
					return and(args)
				}
			}
			tools := world{"t": making("t", echo), "u": making("u", echo), "f": making("f", echo), "ok": making("ok", echo), "no": making("no", refuse("no"))}
			s := newSim(t, p, tools).begin()
			if got := s.finish(); got.Status != StatusFailed || strings.Join(made, " ") != c.want {
				t.Errorf("it is %s after %s, want %s; the trace is %v", got.Status, strings.Join(made, " "), c.want, s.trace)
			}
			if got := s.core.Ended().Err; strings.Contains(got.Message, "In the workflow") != (c.breaks == "no") || !strings.Contains(got.Message, "It was tried 2 times.") {
				t.Errorf("the failure is %q", got.Message)
			}
			undone := func(facts []Fact) (n int) {
				for _, f := range facts {
					if e, ok := f.(NodeEnded); ok && e.At.Undo > 0 {
						n++
					}
				}
				return n
			}
			for cut, all := 1, s.facts; cut < len(all); cut++ {
				s := newSim(t, p, tools)
				s.core.prog.policy.InDoubt = "retry"
				s.facts = append([]Fact(nil), all[:cut]...)
				s.restart()
				if s.core.Ended() == nil {
					s.finish()
				}
				if n := undone(s.facts); n != 2 {
					t.Errorf("after %d facts of the history it was undone %d times; then came %v", cut, n, s.trace)
				}
			}
		})
	}
}

// ends lists how the undo blocks ended, in order; an undo that may have been done
// before a crash, and failed for that, is said to be in doubt.
func ends(facts []Fact, c *Core) (out []string) {
	for _, f := range facts {
		if f, ok := f.(NodeEnded); ok && f.At.Undo > 0 {
			out = append(out, c.frames[0].prog.nodes[c.frames[0].nodes[0].inst.child].spec.ID+strings.Repeat("~", f.At.Undo))
			if f.Failure != nil && f.Failure.InDoubt {
				out = append(out, "in doubt")
			}
		}
	}
	return out
}

func TestWhatIsInDoubtIsNotUndone(t *testing.T) {
	p := planOf(
		call("a", "dies", ``, effect("write"), tolerate("*"), undo("u", `{}`)),
		call("b", "no", ``, after("a")),
	)
	s := newSim(t, p, world{"dies": breaks(KindTransport, SentMaybe), "no": refuse("no")}).begin()
	s.finish()
	s.wantTrace("start a", "error a (transport)", "start b", "error b (tool)", "settled error", "skipped a~1", "end failed")
}

func TestCancellingUndoesAndRunsTheFinallyBlocks(t *testing.T) {
	p := outputs(planOf(
		call("a", "t", ``, effect("write"), undo("u", `{}`)), call("b", "t", ``, after("a")),
		call("f", "t", `{ o = run.outcome, e = run.error, b = step.b.outcome }`, finally),
	), "o", "1")
	s := newSim(t, p, world{"t": echo, "u": echo}).begin()
	s.send("a").answer("a").send("b")
	s.step(CancelRequested{}, true)
	s.fail("b", KindCancelled, SentYes).send("a~1").answer("a~1")
	if args := string(s.find("f").Args); args != `{"o":"cancelled","b":"error"}` {
		t.Errorf("the finally block is called with %s", args)
	}
	s.finish()
	s.wantTrace("start a", "ok a", "start b", "cancel b", "error b (cancelled)", "settled cancelled", "start a~1", "ok a~1", "start f", "ok f", "end cancelled")
}

func TestFinallyBlocksRunWhateverHappened(t *testing.T) {
	run(t, []rule{
		{"after success, with the outputs decided",
			nodes{val("a", "1"), call("f", "t", ``, finally)}, []string{"o", "step.a.output"}, world{"t": echo}, `{"o":1}`, ""},
		{"a failing one fails the run",
			nodes{val("a", "1"), call("f", "no", ``, finally)}, []string{"o", "1"}, world{"no": refuse("no")}, "", "tool: Step f failed"},
		{"and stops no other; the first failure counts",
			nodes{call("a", "no", ``), call("f", "no", ``, finally), val("g", "1", finally, after("f"))}, nil, world{"no": refuse("no")}, "", "tool: Step a failed"},
		{"it sees steps that never ran as skipped",
			nodes{call("a", "no", ``), val("b", "1", after("a")), val("f", "step.b.outcome", finally, assert(`self.output == "skipped"`, `self.output`))}, nil, world{"no": refuse("no")}, "", "tool: Step a failed"},
		{"an output that fails is a failure before it",
			nodes{val("a", "1"), val("f", "run.outcome", finally, assert(`self.output == "error"`, `self.output`))}, []string{"o", "[1][5]"}, nil, "", "expression: In the output \"o\""},
		{"for each element, with a tolerated failure",
			nodes{val("a", "1"), call("f", "no", ``, finally, forEach("[1, 2]"), tolerate("*"))}, []string{"o", "1"}, world{"no": refuse("no")}, `{"o":1}`, ""},
	})
}

func TestRunErrorsHoldWhatWasTolerated(t *testing.T) {
	run(t, []rule{{"in outputs",
		nodes{call("a", "no", ``, forEach(`["x", "y"]`), tolerate("tool"))}, []string{"o", `[for e in run.errors : [e.step, e.key, e.kind]]`}, world{"no": refuse("no")},
		`{"o":[["a",0,"tool"],["a",1,"tool"]]}`, ""}})
}

func TestTheDeadlineOfAWorkflow(t *testing.T) {
	p := planOf(call("a", "t", ``, effect("write"), undo("u", `{}`)), call("b", "t", ``, effect("write"), after("a")))
	p.Deadline = `"10m"`
	s := newSim(t, p, world{"t": echo, "u": echo}).begin()
	s.send("a").answer("a").send("b").pass(10*time.Minute).fail("b", KindCancelled, SentMaybe).send("a~1").answer("a~1")
	s.wantTrace("start a", "ok a", "start b", "deadline", "cancel b", "error b (cancelled)", "settled error", "start a~1", "ok a~1", "end failed")
	if e := s.core.Ended().Err; e.Kind != KindTimeout || e.Message != "The workflow w did not end before its deadline." {
		t.Errorf("it fails with %v", e)
	}
}

func TestAKeyChoosesTheMember(t *testing.T) {
	p := planOf(call("a", "t", `{ n = 1 }`, forEach(`["dev", "prod"]`), func(n *plan.NodeSpec) {
		n.SourceKey = "each.value"
		n.Variants = map[string]plan.NodeSpec{"prod": {ID: "a", Kind: plan.Call, Source: "s", Tool: "t", Args: `{ n = 1 }`, ForEach: n.ForEach, SourceKey: n.SourceKey, Effect: "write", IdempotencyArg: "key"}}
	}))
	p.Sources[0] = plan.Source{Name: "s", Session: "shared", Members: []plan.Member{{Key: "dev", Connection: "c.dev", Session: "shared"}, {Key: "prod", Connection: "c.prod", Session: "run"}}}
	core := NewCore(program(t, p), CoreOptions{IdempotencyKey: func(Instance) string { return "k" }})
	s := &sim{t: t, core: core, tools: world{"t": echo}, now: testTime}
	s.begin()
	dev, prod := s.find("a[0]"), s.find("a[1]")
	if dev.Session != (SessionID{"c.dev", false}) || prod.Session != (SessionID{"c.prod", true}) || string(prod.Args) != `{"n":1,"key":"k"}` || !prod.Repeatable || prod.ReadOnly {
		t.Errorf("the calls are %+v and %+v", dev, prod)
	}
	p.Nodes[0].SourceKey = `"test"`
	if got := newSim(t, p, nil).begin().finish(); got.Err == nil || !strings.Contains(got.Err.Message, `The source s has no member "test". Its members are "dev", "prod".`) {
		t.Errorf("got %v", got.Err)
	}
}

func TestAPolicyDeniesWhatIsDestructive(t *testing.T) {
	for _, c := range []struct{ effect, policy, want string }{
		{"destructive", "deny", "policy: Step a failed: The tool demo.main.t is destructive, and the policy of the deployment denies that."},
		{"unknown", "deny", "policy: Step a failed: The tool demo.main.t does not say what effect it has, and counts as destructive, and the policy of the deployment denies that."},
		{"write", "deny", ""}, {"destructive", "allow", ""},
	} {
		p := planOf(call("a", "t", ``, effect(c.effect)))
		p.Policy = &plan.Policy{Destructive: c.policy, Drift: "fail", InDoubt: "ask"}
		got := newSim(t, p, world{"t": echo}).begin().finish()
		is := ""
		if got.Err != nil {
			is = string(got.Err.Kind) + ": " + got.Err.Message
		}
		if is != c.want {
			t.Errorf("%s, %s: %s", c.effect, c.policy, is)
		}
	}
}

// crashed is a run whose process died while a write and a read were on their way.
func crashed(t *testing.T, policy string) *sim {
	p := outputs(planOf(
		call("r", "t", `{ n = 1 }`), call("w", "t", `{ n = 2 }`, effect("write"), typed("object({ n = integer })")), val("v", "step.w.output.n", after("w")),
	), "o", "[step.r.output.n, step.v.output]")
	p.Policy = &plan.Policy{Destructive: "allow", Drift: "fail", InDoubt: policy}
	s := newSim(t, p, world{"t": echo}).begin()
	s.send("r").send("w")
	s.trace = nil
	return s.restart()
}

func TestAfterACrashWhatMayBeRepeatedIsAndTheRestIsInDoubt(t *testing.T) {
	t.Run("ask", func(t *testing.T) {
		s := crashed(t, "ask")
		s.wantTrace("start r", "wait w")
		if c := s.find("r"); c.Attempt != 2 {
			t.Errorf("it is attempt %d", c.Attempt)
		}
		if s.core.Waiting() {
			t.Error("it waits for somebody while a read goes on")
		}
		s.send("r").answer("r")
		if !s.core.Waiting() || s.core.Doubts()[0].String() != "w" {
			t.Error("it does not wait for somebody")
		}
		s.restart() // the doubt is part of the history
		if !s.core.Waiting() {
			t.Error("restarted, it does not wait for somebody")
		}
	})
	t.Run("fail", func(t *testing.T) {
		s := crashed(t, "fail")
		s.wantTrace("start r", "error w (transport)", "cancel r")
		s.fail("r", KindCancelled, SentYes)
		if e := s.core.Ended().Err; !e.InDoubt || e.At.Step != "w" {
			t.Errorf("it fails with %+v", e)
		}
	})
	t.Run("retry", func(t *testing.T) {
		s := crashed(t, "retry")
		s.wantTrace("start r", "start w")
		if got := s.finish().Outputs.JSON(); got != `{"o":[1,2]}` {
			t.Error(got)
		}
	})
}

func TestADoubtIsResolved(t *testing.T) {
	answer := func(text string) *value.Value { v := structured(text).Structured; return v }
	for _, c := range []struct {
		as     journal.Resolution
		output *value.Value
		want   string
		fails  string
	}{
		{journal.ResolvedOK, answer(`{"n":5}`), `{"o":[1,5]}`, ""},
		{journal.ResolvedRetry, nil, `{"o":[1,2]}`, ""},
		{journal.ResolvedError, nil, "", "Step w failed: The process that ran the workflow ended while the call was on its way. It was resolved by me as an error."},
		{journal.ResolvedOK, answer(`{"n":"x"}`), "", ""},
	} {
		for _, crashes := range []bool{false, true} {
			s := crashed(t, "ask")
			s.send("r").answer("r")
			word := NodeResolved{At: Addr{Node: 1, Elem: Whole}, As: c.as, Output: c.output, By: "me", Time: s.now.Add(time.Hour)}
			commands, err := s.core.Resolve(word)
			if c.want == "" && c.fails == "" {
				if err == nil || !strings.Contains(err.Error(), "must be of the type object({ n = integer })") || !s.core.Waiting() {
					t.Errorf("an output of the wrong type gives %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			s.now = word.Time
			if crashes {
				s.facts = append(s.facts, word) // and nothing of what follows
				s.restart()
			} else {
				s.obey(commands)
			}
			got := s.finish()
			if c.fails != "" && (got.Err == nil || got.Err.Message != c.fails || got.Err.InDoubt) || c.want != "" && (got.Err != nil || got.Outputs.JSON() != c.want) {
				t.Errorf("as %s (crashing: %v) it gives %s, %v", c.as, crashes, got.Outputs.JSON(), got.Err)
			}
			if _, err := s.core.Resolve(word); err == nil {
				t.Error("it is resolved twice")
			}
		}
	}
}

// A word is on the call that was in doubt then, and on none that came of it.
func TestACallThatIsMadeAgainAfterAWordIsInDoubtAnew(t *testing.T) {
	s := crashed(t, "ask")
	s.send("r").answer("r")
	word := NodeResolved{At: Addr{Node: 1, Elem: Whole}, As: journal.ResolvedRetry, Time: s.now}
	commands, err := s.core.Resolve(word)
	if err != nil {
		t.Fatal(err)
	}
	s.obey(commands)
	s.send("w").restart()
	if !s.core.Waiting() || s.core.Doubts()[0].String() != "w" {
		t.Errorf("after a second crash it is %s", s.core.State(word.At))
	}
}

func TestTheClockOfADeadlineStandsWhileSomebodyIsAsked(t *testing.T) {
	p := planOf(call("w", "t", ``, effect("write"), deadline(`"10m"`)))
	s := newSim(t, p, world{"t": echo}).begin()
	s.pass(time.Minute).send("w").restart()
	if !s.core.Timer().IsZero() {
		t.Errorf("it fires at %s", s.core.Timer())
	}
	s.now = s.now.Add(24 * time.Hour)
	commands, err := s.core.Resolve(NodeResolved{At: Addr{Elem: Whole}, As: journal.ResolvedRetry, Time: s.now})
	if err != nil {
		t.Fatal(err)
	}
	s.obey(commands)
	if got := s.core.Timer().Sub(s.now); got != 9*time.Minute {
		t.Errorf("there is %s left", got)
	}
}

func TestAPrivateSessionThatIsGoneIsTold(t *testing.T) {
	p := planOf(call("a", "t", ``), call("b", "t", ``, after("a")))
	p.Sources[0].Session = "run"
	s := newSim(t, p, world{"t": echo}).begin()
	s.send("a").answer("a")
	s.facts = append(s.facts, SessionGone{Connection: "demo.main"})
	s.restart()
	if e := s.core.Ended().Err; e == nil || e.Kind != KindSession || !strings.Contains(e.Message, "The session with demo.main, which is private to the run, ended") {
		t.Errorf("it ends with %v", e)
	}
}

func TestInstancesAreNamedAsTheyAreRead(t *testing.T) {
	for text, want := range map[string][2]string{
		"a":                     {"a", ""},
		"a[0]":                  {"a", "0"},
		`a["d/e#1]"]`:           {"a", `"d/e#1]"`},
		"poll#2":                {"poll", "#2"},
		"a[3]#2~1":              {"a", "3#2~1"},
		`deploy["x"]/build/t~1`: {"deploy/build/t", `"x"//~1`},
	} {
		path, instance, err := ParseInstance(text)
		if err != nil || path != want[0] || instance != want[1] {
			t.Errorf("%s is %q, %q, %v", text, path, instance, err)
		}
	}
	for _, text := range []string{"", "a[", "a[0", "a#", "a#0", "a/", "a]", "a~x"} {
		if _, _, err := ParseInstance(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestOnlyAWholeFanOutHasElements(t *testing.T) {
	p := withChildren(planOf(runs("a", "c", ``, forEach("[1, 2]"))), sub("c", planOf(call("t", "t", ``))))
	s := newSim(t, p, nil).begin()
	if whole, one := s.core.Elements(Addr{Elem: Whole}), s.core.Elements(Addr{Elem: 1}); whole != 2 || one != -1 {
		t.Errorf("it has %d elements, and one of them %d", whole, one)
	}
}

func TestStepsOfAWorkflowThatIsOverAreNotFound(t *testing.T) {
	p := withChildren(planOf(runs("a", "c", ``), call("b", "t", ``, after("a"))), sub("c", planOf(call("t", "t", ``))))
	s := newSim(t, p, world{"t": give("1")}).begin()
	if at, err := s.core.Find("a/t", "/"); err != nil || s.core.Instance(at).String() != "a/t" {
		t.Errorf("while it runs it is %v, %v", at, err)
	}
	s.send("a/t").answer("a/t").send("b")
	for path, instance := range map[string]string{"a/t": "/", "b/t": "/", "x": "", "a": "0", "b": "#1", "a/x": "/"} {
		if _, err := s.core.Find(path, instance); err == nil {
			t.Errorf("%s, %q is found", path, instance)
		}
	}
}
