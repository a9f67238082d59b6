package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

func TestAStepStartsWhenAllItWaitsForHasEnded(t *testing.T) {
	s := newSim(t, planOf(
		call("a", "t", ``), call("b", "t", ``),
		call("c", "t", ``, after("a", "b")), call("d", "t", ``, after("a")),
	), world{"t": echo}).begin()
	s.send("a").answer("a").send("b").answer("b")
	s.finish()
	s.wantTrace("start a", "start b", "ok a", "start d", "ok b", "start c", "ok d", "ok c", "end completed")
}

func TestAtMostMaxParallelElementsAreInFlight(t *testing.T) {
	s := newSim(t, planOf(call("a", "t", `{ n = each.value }`, forEach("[1, 2, 3, 4]"), parallel("2"))), world{"t": echo}).begin()
	s.answer("a[1]").answer("a[0]")
	s.finish()
	s.wantTrace("start a[0]", "start a[1]", "ok a[1]", "start a[2]", "ok a[0]", "start a[3]", "ok a[2]", "ok a[3]", "ok a", "end completed")
}

func TestTenElementsAreInFlightByDefault(t *testing.T) {
	s := newSim(t, planOf(call("a", "t", ``, forEach("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]"))), world{"t": echo}).begin()
	if len(s.waiting) != 10 {
		t.Errorf("%d elements are in flight", len(s.waiting))
	}
}

func TestAfterAFailureReadsAreCancelledAndWritesAwaited(t *testing.T) {
	s := newSim(t, planOf(
		call("read", "t", ``), call("write", "t", ``, effect("write")), call("queued", "t", ``, effect("write")),
		call("bad", "no", ``), call("next", "t", ``, after("bad")), call("after", "t", ``, after("write")),
	), world{"t": echo, "no": refuse("no")}).begin()
	s.send("read").send("write").send("bad").answer("bad")
	if s.core.MayLeave(s.find("queued").At) {
		t.Error("a request may leave after the failure")
	}
	s.fail("read", KindCancelled, SentYes).fail("queued", KindCancelled, SentNo).answer("write")
	s.wantTrace(
		"start read", "start write", "start queued", "start bad",
		"error bad (tool)", "cancel read", "cancel queued",
		"error read (cancelled)", "skipped queued", "ok write", "end failed")
	if e := s.core.Ended().Err; e.At.Step != "bad" || e.Kind != KindTool {
		t.Errorf("the run fails with %v of %v", e, e.At)
	}
	for _, name := range []string{"next", "after"} {
		at, _ := s.core.Find(name, "")
		if got := s.core.State(at); got != StateSkipped {
			t.Errorf("%s is %s", name, got)
		}
	}
}

func TestAFailedElementStartsNoOther(t *testing.T) {
	s := newSim(t, planOf(call("a", "t", `{ n = each.value }`, forEach("[1, 2, 3, 4]"), parallel("2"), effect("write"))), world{"t": refuse("no")}).begin()
	s.send("a[0]").send("a[1]").answer("a[1]").fail("a[0]", KindTransport, SentMaybe)
	s.wantTrace("start a[0]", "start a[1]", "error a[1] (tool)", "error a[0] (transport)", "error a (tool)", "end failed")
	if got := s.core.State(Addr{Node: 0, Elem: 3}); got != StateSkipped {
		t.Errorf("an element that never started is %s", got)
	}
}

// What never left was never started (LANGUAGE 4), though it had its place in the queue.
func TestWhatIsGivenUpBeforeItsTurnIsSkipped(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(*sim)
		end  []string
	}{
		{"the run fails", func(s *sim) { s.send("bad").answer("bad") },
			[]string{"start bad", "error bad (tool)", "cancel step", "cancel part[1]", "cancel all[0]", "cancel all[1]",
				"skipped step", "skipped part[1]", "skipped all[0]", "skipped all[1]", "skipped part", "skipped all", "end failed"}},
		{"the run is cancelled", func(s *sim) { s.step(CancelRequested{}, true) },
			[]string{"start bad", "cancel step", "cancel part[1]", "cancel all[0]", "cancel all[1]", "cancel bad",
				"skipped step", "skipped part[1]", "skipped all[0]", "skipped all[1]", "skipped bad", "skipped part", "skipped all", "end cancelled"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSim(t, planOf(
				call("step", "t", ``, effect("write")),
				call("part", "t", ``, effect("write"), forEach("[1, 2]"), tolerate("*")),
				call("all", "t", ``, effect("write"), forEach("[1, 2]")),
				call("bad", "no", ``),
			), world{"t": echo, "no": refuse("no")}).begin()
			s.send("part[0]").answer("part[0]")
			s.trace = slices.DeleteFunc(s.trace, func(line string) bool { return line != "start bad" })
			c.stop(s)
			for len(s.waiting) > 0 {
				s.fail(s.core.Instance(s.waiting[0].At).String(), KindCancelled, SentNo)
			}
			got, want := slices.Sorted(slices.Values(s.trace)), slices.Sorted(slices.Values(c.end))
			if !slices.Equal(got, want) || s.trace[len(s.trace)-1] != c.end[len(c.end)-1] {
				t.Errorf("what happened is\n     %s\nwant %s", strings.Join(s.trace, "; "), strings.Join(c.end, "; "))
			}
			for _, f := range s.facts {
				if end, ok := f.(NodeEnded); ok && end.Outcome == OutcomeSkipped && end.Attempts != 0 {
					t.Errorf("%s has %d attempts", s.core.Instance(end.At), end.Attempts)
				}
			}
			// Whoever goes on from any place of the history decides the same.
			for n := range s.facts {
				again := newSim(t, s.core.prog.plan, s.tools)
				for _, f := range s.facts[:n] {
					if err := again.core.Replay(f); err != nil {
						t.Fatal(err)
					}
				}
				for _, command := range again.core.Next(testTime) {
					if r, ok := command.(Record); ok {
						if end, ok := r.Fact.(NodeEnded); ok && end.At == (Addr{Node: 2, Elem: Whole}) && end.Outcome != OutcomeSkipped {
							t.Errorf("after %d facts all ends %s", n, end.Outcome)
						}
					}
				}
			}
		})
	}
}

func TestCancellingCancelsAllCalls(t *testing.T) {
	s := newSim(t, planOf(
		call("read", "t", ``), call("write", "t", ``, effect("write"), tolerate("*")),
		call("fan", "t", ``, forEach("[1, 2]"), parallel("1"), effect("write")), call("next", "t", ``, after("read")),
	), world{"t": echo}).begin()
	s.send("read").send("write").send("fan[0]")
	s.step(CancelRequested{By: "somebody"}, true)
	s.fail("read", KindCancelled, SentYes).fail("fan[0]", KindCancelled, SentYes).answer("write")
	s.wantTrace("start read", "start write", "start fan[0]", "cancel read", "cancel write", "cancel fan[0]",
		"error read (cancelled)", "error fan[0] (cancelled)", "error fan (cancelled)", "ok write", "end cancelled")
	if e := s.core.Ended(); e.Err.Kind != KindCancelled || !e.Outputs.IsNull() {
		t.Errorf("the run ends with %v and %s", e.Err, e.Outputs.JSON())
	}
}

func TestCancellingARunThatFailsCancelsWhatItAwaits(t *testing.T) {
	s := newSim(t, planOf(call("write", "t", ``, effect("write")), call("bad", "no", ``)), world{"no": refuse("no")}).begin()
	s.send("write").answer("bad")
	s.step(CancelRequested{}, true)
	s.fail("write", KindCancelled, SentMaybe)
	s.wantTrace("start write", "start bad", "error bad (tool)", "cancel write", "error write (cancelled)", "end failed")
}

func TestARunOfNothingEnds(t *testing.T) {
	s := newSim(t, outputs(planOf(), "o", "1"), nil).begin()
	s.wantTrace("end completed")
}

func TestSecretsReachTheWireAndNotTheDigest(t *testing.T) {
	p := planOf(call("a", "t", `{ auth = "Bearer ${secret.token}" }`, result("args.auth")))
	asked := 0
	core := NewCore(program(t, outputs(p, "o", "step.a.output")), CoreOptions{Secret: func(name string) (string, error) {
		asked++
		return "value of " + name, nil
	}})
	s := &sim{t: t, core: core, tools: world{"t": say("ok")}}
	s.begin()
	c := s.waiting[0]
	if string(c.Args) != `{"auth":"Bearer value of token"}` || string(c.Digested) != `{"auth":"Bearer ${secret.token}"}` {
		t.Errorf("on the wire is %s, digested %s", c.Args, c.Digested)
	}
	if got := s.finish().Outputs.JSON(); got != `{"o":"Bearer ${secret.token}"}` {
		t.Errorf("args is %s in an expression over the answer", got)
	}
}

func TestASecretIsTakenOutOfWhatIsSaidOfArguments(t *testing.T) {
	p := planOf(call("a", "t", `{ n = toint(secret.token) }`))
	core := NewCore(program(t, p), CoreOptions{
		Secret: func(string) (string, error) { return "s3cret-token", nil },
		Redact: func(s string) string { return strings.ReplaceAll(s, "s3cret-token", "(secret token)") },
	})
	s := &sim{t: t, core: core}
	s.begin()
	if e := core.Ended().Err; e == nil || strings.Contains(e.Message, "s3cret") {
		t.Errorf("it fails with %v", e)
	}
}

func TestASecretElsewhereFails(t *testing.T) {
	core := NewCore(program(t, planOf(val("a", "secret.token"))), CoreOptions{Secret: func(string) (string, error) { return "x", nil }})
	s := &sim{t: t, core: core}
	s.begin()
	if e := core.Ended().Err; e == nil || e.Kind != KindExpression {
		t.Errorf("it gives %v", e)
	}
}

func TestAnIdempotencyKeyGoesIntoTheArgumentThatIsNamed(t *testing.T) {
	p := planOf(call("a", "t", `{ x = 1 }`, effect("write"), forEach(`["k"]`), func(n *plan.NodeSpec) { n.IdempotencyArg = "request_id" }))
	core := NewCore(program(t, p), CoreOptions{IdempotencyKey: func(in Instance) string { return "key of " + in.String() }})
	s := &sim{t: t, core: core, tools: world{"t": echo}}
	s.begin()
	c := s.waiting[0]
	if string(c.Args) != `{"x":1,"request_id":"key of a[0]"}` || c.IdempotencyKey != "key of a[0]" || !c.Repeatable || c.ReadOnly {
		t.Errorf("the call is %+v with %s", c, c.Args)
	}
}

// randomPlan draws a graph whose nodes fail, are skipped, fan out and tolerate
// at random, and the tools that answer it.
func randomPlan(t *rapid.T) (*plan.Plan, world) {
	n := rapid.IntRange(0, 12).Draw(t, "nodes")
	specs := make([]plan.NodeSpec, n)
	for i := range specs {
		id := fmt.Sprintf("n%d", i)
		args := "{ n = 1 }"
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				specs[i].After = append(specs[i].After, fmt.Sprintf("n%d", j))
				args = fmt.Sprintf("{ n = step.n%d }", j)
			}
		}
		tool := rapid.SampledFrom([]string{"ok", "ok", "ok", "no", "dies", ""}).Draw(t, "tool")
		specs[i].ID, specs[i].Tool = id, tool
		if tool == "" {
			specs[i].Value = plan.Expr(args)
		} else {
			specs[i].Args = plan.Expr(args)
			specs[i].Effect = rapid.SampledFrom([]string{"read", "write", "unknown"}).Draw(t, "effect")
		}
		specs[i].When = plan.Expr(rapid.SampledFrom([]string{"", "", "", "false"}).Draw(t, "when"))
		specs[i].ForEach = plan.Expr(rapid.SampledFrom([]string{"", "", "[]", "[1, 2, 3]", "{ a = 1, b = 2 }"}).Draw(t, "for_each"))
		if specs[i].ForEach != "" {
			specs[i].MaxParallel = plan.Expr(rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "max_parallel"))
		}
		if rapid.Bool().Draw(t, "tolerates") {
			specs[i].OnError = []string{"*"}
		}
	}
	return outputs(planOf(specs...), "done", "true"), world{"ok": echo, "no": refuse("no"), "dies": breaks(KindTransport, SentMaybe)}
}

// play runs a core to its end, answering calls in an order drawn at random.
func play(t *rapid.T, s *sim, mayCancel bool) {
	for s.core.Ended() == nil {
		if len(s.waiting) == 0 {
			t.Fatalf("the run neither ends nor waits for a call; the trace is %v", s.trace)
		}
		if mayCancel && rapid.IntRange(0, 20).Draw(t, "cancel") == 0 {
			s.step(CancelRequested{}, true)
			mayCancel = false
			continue
		}
		c := s.waiting[rapid.IntRange(0, len(s.waiting)-1).Draw(t, "which")]
		name := s.core.Instance(c.At).String()
		inst := s.core.instance(c.At)
		switch {
		case !inst.live.call.left && s.core.MayLeave(c.At) && rapid.Bool().Draw(t, "leaves"):
			s.send(name)
		case inst.live.call.cancelled:
			s.fail(name, KindCancelled, SentMaybe)
		case inst.live.call.left:
			s.answer(name)
		case !s.core.MayLeave(c.At):
			s.fail(name, KindCancelled, SentNo)
		}
	}
}

func TestEveryNodeEndsAndNoneBeforeWhatItWaitsFor(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tools := randomPlan(rt)
		s := newSim(t, p, tools).begin()
		play(rt, s, true)
		ended := map[string]int{}
		started := map[string]int{}
		for i, line := range s.trace {
			verb, rest, _ := strings.Cut(line, " ")
			name, _, _ := strings.Cut(rest, " ")
			step, _, _ := strings.Cut(name, "[")
			switch verb {
			case "start":
				if _, ok := started[step]; !ok {
					started[step] = i
				}
			case "ok", "error", "skipped":
				if step == name {
					ended[step] = i
				}
			}
		}
		for i, n := range p.Nodes {
			if !s.core.State(Addr{Node: i, Elem: Whole}).ended() {
				rt.Fatalf("%s has not ended", n.ID)
			}
			for _, before := range n.After {
				if at, began := started[n.ID]; began && ended[before] > at {
					rt.Fatalf("%s started before %s had ended: %v", n.ID, before, s.trace)
				}
			}
		}
		if len(s.waiting) > 0 || s.core.inFlight != 0 {
			rt.Fatalf("the run ended with calls in flight: %v", s.trace)
		}
		if s.core.Ended().Status == StatusCompleted {
			for step, at := range started {
				if ended[step] < at {
					rt.Fatalf("%s started and did not end", step)
				}
			}
		}
	})
}

// snapshot is the state of a core that its facts decide.
func snapshot(c *Core) string {
	var b strings.Builder
	inst := func(in *instance) {
		fmt.Fprintf(&b, " %s/%d %s %q %s", in.state, in.attempts, in.output.JSON(), in.text, value.OfList(in.content).JSON())
		if in.failure != nil {
			fmt.Fprintf(&b, " %+v", *in.failure)
		}
	}
	for i := range c.frames[0].nodes {
		n := &c.frames[0].nodes[i]
		fmt.Fprintf(&b, "%s %s", c.prog.nodes[i].spec.ID, n.state)
		inst(&n.inst)
		if n.fan != nil {
			for j := range n.fan.insts {
				inst(&n.fan.insts[j])
			}
		}
		b.WriteByte('\n')
	}
	if c.ending != nil {
		fmt.Fprintf(&b, "%s %s %+v", c.ending.Status, c.ending.Outputs.JSON(), c.ending.Err)
	}
	return b.String()
}

func TestTheHistoryAloneGivesTheSameState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tools := randomPlan(rt)
		s := newSim(t, p, tools).begin()
		play(rt, s, true)
		again := NewCore(s.core.prog, CoreOptions{})
		for _, f := range s.facts {
			if err := again.Replay(f); err != nil {
				rt.Fatalf("%T: %v", f, err)
			}
		}
		if commands := again.Next(testTime); len(commands) > 0 {
			rt.Fatalf("after the end there is something to do: %+v", commands)
		}
		if got, want := snapshot(again), snapshot(s.core); got != want {
			rt.Fatalf("replayed:\n%s\nlive:\n%s", got, want)
		}
	})
}

// A core that was replayed up to any point goes on as the one that lived.
func TestAReplayedCoreGoesOn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tools := randomPlan(rt)
		s := newSim(t, p, tools).begin()
		play(rt, s, false)
		cut := rapid.IntRange(1, len(s.facts)).Draw(rt, "cut")
		again := &sim{t: t, core: NewCore(s.core.prog, CoreOptions{}), tools: tools}
		var left []StartCall
		for _, f := range s.facts[:cut] {
			if err := again.core.Replay(f); err != nil {
				rt.Fatalf("%T: %v", f, err)
			}
			// What had left and has no end is somebody else's to judge; here it is answered.
			switch f := f.(type) {
			case NodeStarted:
				if i := f.At.Node; !again.core.isFanOut(f.At) {
					n := again.core.prog.nodes[i].spec
					left = append(left, StartCall{At: f.At, Attempt: f.Attempt, Tool: n.Tool, Args: raw(`{"n":1}`)})
				}
			case NodeEnded:
				left = slices.DeleteFunc(left, func(c StartCall) bool { return c.At == f.At })
			}
		}
		again.waiting = left
		for _, c := range again.core.Next(testTime) {
			if c, ok := c.(StartCall); ok {
				again.waiting = append(again.waiting, c)
			}
		}
		play(rt, again, false)
		if got, want := again.core.Ended().Status, s.core.Ended().Status; got != want {
			rt.Fatalf("the run that went on is %s, the one that lived %s", got, want)
		}
		if again.core.Ended().Status == StatusCompleted && !reflect.DeepEqual(states(again.core), states(s.core)) {
			rt.Fatalf("states differ: %v, %v", states(again.core), states(s.core))
		}
	})
}

func states(c *Core) []State {
	var out []State
	for i := range c.frames[0].nodes {
		out = append(out, c.frames[0].nodes[i].state)
	}
	return out
}
