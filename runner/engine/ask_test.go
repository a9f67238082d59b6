package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
)

// asks is a step that asks; with may change it.
func asks(id, message, answer string, with ...func(*plan.NodeSpec)) plan.NodeSpec {
	n := plan.NodeSpec{ID: id, Kind: plan.AskNode, Ask: &plan.Ask{Message: plan.Expr(message), Answer: answer}}
	for _, f := range with {
		f(&n)
	}
	return n
}

func choices(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.Ask.Choices = plan.Expr(e) }
}

func approvers(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.Ask.Approvers = plan.Expr(e) }
}

func TestWhatIsAnsweredIsTheOutput(t *testing.T) {
	p := outputs(planOf(
		call("n", "t", `{ n = 3 }`),
		asks("a", `"Label ${step.n.output.n}?"`, "object({ ok = bool })", after("n")),
		call("b", "t", `{ n = step.a.output.ok }`, after("a")),
	), "o", "[step.a.output, step.b.output]")
	s := newSim(t, p, world{"t": echo}).begin().send("n").answer("n")
	if !s.core.Waiting() || len(s.core.Questions()) != 1 {
		t.Fatalf("it does not wait for a person; the trace is %v", s.trace)
	}
	q := s.core.Questions()[0]
	if q.Message != "Label 3?" || q.Name != "a" || q.Run != "run-1" || string(q.Schema) != `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}` {
		t.Errorf("the question is %+v, %s", q, q.Schema)
	}
	s.pass(240*time.Hour).restart().reply("a", `{"ok":true}`)
	if got := s.finish(); got.Err != nil || got.Outputs.JSON() != `{"o":[{"ok":true},{"n":true}]}` {
		t.Errorf("got %v %s", got.Err, got.Outputs.JSON())
	}
}

func TestADeclinedQuestionFailsItsStep(t *testing.T) {
	got := newSim(t, planOf(asks("a", `"Go on?"`, "object({})")), nil).begin().reply("a", "").core.Ended()
	if got == nil || got.Err == nil || got.Err.Kind != KindDeclined || got.Err.Message != "Step a failed: It was declined by bob." {
		t.Errorf("got %+v", got)
	}
	p := outputs(planOf(asks("a", `"Go on?"`, "object({})", tolerate("declined"))), "o", "step.a.error.kind")
	if got := newSim(t, p, nil).begin().reply("a", "").core.Ended(); got == nil || got.Outputs.JSON() != `{"o":"declined"}` {
		t.Errorf("tolerated, it is %+v", got)
	}
}

func TestAQuestionEndsWithItsDeadline(t *testing.T) {
	p := planOf(asks("a", `"Go on?"`, "object({})", deadline(`"10m"`)))
	for name, late := range map[string]func(*sim) *sim{
		"in a process that lives": func(s *sim) *sim { return s.pass(10 * time.Minute) },
		"when nobody lived":       func(s *sim) *sim { s.now = s.now.Add(time.Hour); return s.restart() },
	} {
		s := newSim(t, p, nil).begin()
		if due := s.core.Questions()[0].Deadline; due == nil || !due.Equal(testTime.Add(10*time.Minute)) {
			t.Errorf("the question waits until %v", due)
		}
		if got := late(s).core.Ended(); got == nil || got.Err == nil || got.Err.Kind != KindTimeout {
			t.Errorf("%s: %+v; the trace is %v", name, got, s.trace)
		}
	}
}

func TestElementsAskEach(t *testing.T) {
	p := outputs(planOf(asks("a", `"Take ${each.key}?"`, "bool", forEach(`{ x = 1, y = 2, z = 3 }`), whenEach(`each.key != "z"`), tolerate("declined"))),
		"o", "[for k, r in step.a : [k, r.outcome, r.output]]")
	s := newSim(t, p, nil).begin()
	var names []string
	for _, q := range s.core.Questions() {
		names = append(names, q.Name+" "+q.Message)
	}
	if got := strings.Join(names, "; "); got != `a["x"] Take x?; a["y"] Take y?` {
		t.Errorf("it asks %s", got)
	}
	s.reply(`a["y"]`, "true").restart().reply(`a["x"]`, "")
	if got := s.core.Ended(); got == nil || got.Err != nil || got.Outputs.JSON() != `{"o":[["x","error",null],["y","ok",true],["z","skipped",null]]}` {
		t.Errorf("got %+v", got)
	}
}

func TestAQuestionThatCannotBeAskedFails(t *testing.T) {
	for name, c := range map[string]struct {
		node plan.NodeSpec
		want string
	}{
		"its message is no text":     {asks("a", `1`, "bool"), "`message` must be text"},
		"nothing to choose from":     {asks("a", `"?"`, "object({ pick = string })", choices(`{ pick = [] }`)), `There is nothing to choose from for "pick"`},
		"nobody could answer":        {asks("a", `"?"`, "bool", approvers(`[]`)), "`approvers` is empty"},
		"an approver without a name": {asks("a", `"?"`, "bool", approvers(`["ada", " "]`)), "`approvers` has an empty name"},
		"an approver is no name":     {asks("a", `"?"`, "bool", approvers(`[1]`)), "`approvers` must be a list of names"},
		"choices that are no map":    {asks("a", `"?"`, "object({ pick = string })", choices(`[1]`)), "`choices` must be an object"},
	} {
		got := newSim(t, planOf(c.node), nil).begin().core.Ended()
		if got == nil || got.Err == nil || got.Err.Kind != KindExpression || !strings.Contains(got.Err.Message, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatStopsTheRunEndsItsQuestions(t *testing.T) {
	p := planOf(asks("a", `"Go on?"`, "object({})"), call("b", "no", ``), asks("f", `"And now?"`, "object({})", finally))
	s := newSim(t, p, world{"no": refuse("no")}).begin().send("b").answer("b")
	if q := s.core.Questions(); len(q) != 1 || q[0].Name != "f" {
		t.Fatalf("it asks %+v; the trace is %v", q, s.trace)
	}
	s.reply("f", "{}")
	s.wantTrace("wait a", "start b", "error b (tool)", "error a (cancelled)", "settled error", "wait f", "ok f", "end failed")

	s = newSim(t, p, world{"no": refuse("no")}).begin()
	s.step(CancelRequested{}, true)
	s.fail("b", KindCancelled, SentNo)
	if q := s.core.Questions(); len(q) != 1 || q[0].Name != "f" {
		t.Errorf("cancelled, it asks %+v; the trace is %v", q, s.trace)
	}
}

// gated is a plan whose policy wants somebody to be asked.
func gated(nodes ...plan.NodeSpec) *plan.Plan {
	p := planOf(nodes...)
	p.Policy = &plan.Policy{Destructive: "ask", Drift: "fail", InDoubt: "ask"}
	return p
}

func TestAPolicyAsksBeforeTheFirstDestructiveCall(t *testing.T) {
	p := outputs(gated(
		call("w", "t", `{ n = 0 }`, effect("write")),
		call("d", "t", `{ n = each.value, key = secret.k }`, effect("destructive"), forEach(`[1, 2, 3]`), whenEach("each.value != 2"), parallel("1"), after("w")),
		call("e", "t", `{ n = 4 }`, effect("unknown"), after("d")),
	), "o", "[for r in step.d : r.outcome]")
	p.Secrets = []plan.Secret{{Name: "k", Env: "K"}}
	s := newSim(t, p, world{"t": echo})
	s.core.opts.Secret = func(string) (string, error) { return "hidden", nil }
	s.begin().send("w").answer("w")
	if !s.core.Waiting() {
		t.Fatalf("it asks nothing; the trace is %v", s.trace)
	}
	q := s.core.Questions()[0]
	if q.Name != "d" || q.Message != "May the tool demo.main.t be called, for 2 elements? It is destructive." {
		t.Errorf("it asks %s: %s", q.Name, q.Message)
	}
	if got := fmt.Sprintf("%d %s %s %s %s", q.Approval.Count, q.Approval.Calls[0].Key, q.Approval.Calls[0].Args, q.Approval.Calls[1].Key, q.Approval.Calls[1].Args); got != `2 0 {"n":1,"key":"${secret.k}"} 2 {"n":3,"key":"${secret.k}"}` {
		t.Errorf("it shows %s", got)
	}
	s.restart().reply("d", "{}").send("d[0]").answer("d[0]").send("d[2]").answer("d[2]")
	if q := s.core.Questions(); len(q) != 1 || q[0].Name != "e" || q[0].Message != "May the tool demo.main.t be called? It does not say what effect it has, and counts as destructive." {
		t.Fatalf("then it asks %+v; the trace is %v", q, s.trace)
	}
	s.reply("e", "{}")
	if got := s.finish(); got.Err != nil || got.Outputs.JSON() != `{"o":["ok","skipped","ok"]}` {
		t.Errorf("got %v %s", got.Err, got.Outputs.JSON())
	}
}

func TestADeclinedApprovalFailsTheCalls(t *testing.T) {
	p := outputs(gated(
		call("d", "t", `{ n = each.value }`, effect("destructive"), forEach(`[1, 2]`), tolerate("declined")),
		call("e", "t", `{}`, effect("destructive"), after("d")),
	), "o", "1")
	s := newSim(t, p, world{"t": echo}).begin().reply("d", "").restart().reply("e", "")
	got := s.core.Ended()
	if got == nil || got.Err == nil || got.Err.Kind != KindDeclined || got.Err.Message != "Step e failed: The call of demo.main.t was to be approved first. It was declined by bob." {
		t.Errorf("got %+v", got)
	}
	s.wantTrace("wait d", "error d[0] (declined)", "error d[1] (declined)", "ok d", "wait e", "error e (declined)", "end failed")
}

func TestAPolicyAsksOnceForRoundsAndAttempts(t *testing.T) {
	p := outputs(gated(call("d", "t", `{ n = loop.index }`, effect("destructive"), idempotent, loop("self.output.n < 2", "5"), retry("2", on(`["tool"]`)))), "o", "length(step.d)")
	s := newSim(t, p, world{"t": script(refuse("no"), give(`{"n":0}`), give(`{"n":1}`), give(`{"n":2}`))}).begin().reply("d", "{}")
	if got := s.finish(); got.Err != nil || got.Outputs.JSON() != `{"o":3}` {
		t.Errorf("got %v %s; the trace is %v", got.Err, got.Outputs.JSON(), s.trace)
	}
}

func TestTheClockOfADeadlineStandsWhileAPolicyAsks(t *testing.T) {
	p := gated(call("d", "t", ``, effect("destructive"), deadline(`"10m"`)))
	for name, wait := range map[string]func(*sim){
		"in a process that lives": func(s *sim) { s.pass(time.Hour) },
		"over a restart":          func(s *sim) { s.now = s.now.Add(time.Hour); s.restart() },
	} {
		s := newSim(t, p, world{"t": echo}).begin()
		if !s.core.Timer().IsZero() {
			t.Errorf("%s: it fires at %s", name, s.core.Timer())
		}
		wait(s)
		s.now = s.now.Add(time.Hour)
		s.reply("d", "{}")
		if got := s.core.Timer().Sub(s.now); got != 10*time.Minute {
			t.Errorf("%s: there is %s left", name, got)
		}
		if got := s.finish(); got.Err != nil {
			t.Errorf("%s: %v", name, got.Err)
		}
	}
}

func TestAPolicyAsksBeforeWhatIsTakenBack(t *testing.T) {
	p := gated(
		call("w", "t", `{ n = each.value }`, effect("write"), forEach(`[1, 2]`), undo("u", `{ n = args.n }`)),
		call("b", "no", ``, after("w")),
	)
	p.Nodes[0].Undo[0].Effect = "destructive"
	for answer, want := range map[string]string{
		"{}": "start w[0]~1; ok w[0]~1", "": "error w[1]~1 (declined); error w[0]~1 (declined)",
	} {
		s := newSim(t, p, world{"t": echo, "u": echo, "no": refuse("no")}).begin()
		for _, name := range []string{"w[0]", "w[1]", "b"} {
			s.send(name).answer(name)
		}
		q := s.core.Questions()
		if len(q) != 1 || q[0].Name != "w~1" || q[0].Approval.Count != 2 || q[0].Message != "May the tool demo.main.u be called, to take back what the step did, for 2 elements? It is destructive." {
			t.Fatalf("it asks %+v; the trace is %v", q, s.trace)
		}
		s.restart().reply("w~1", answer)
		if got := s.finish(); got.Status != StatusFailed || got.Err.Kind != KindTool {
			t.Errorf("got %+v", got)
		}
		if got := strings.Join(s.trace, "; "); !strings.Contains(got, want) {
			t.Errorf("what happened is %s", got)
		}
	}
}

func TestACallThatIsHeldIsSkippedWhereTheRunStops(t *testing.T) {
	p := gated(call("d", "t", ``, effect("destructive"), forEach(`[1, 2]`)), call("b", "no", ``))
	s := newSim(t, p, world{"t": echo, "no": refuse("no")}).begin().send("b").answer("b")
	if got := s.core.Ended(); got == nil || got.Status != StatusFailed || len(s.core.Questions()) != 0 {
		t.Errorf("got %+v; the trace is %v", got, s.trace)
	}
	s.wantTrace("start b", "wait d", "error b (tool)", "skipped d[0]", "skipped d[1]", "skipped d", "end failed")
}
