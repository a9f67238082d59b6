package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

func retry(attempts string, with ...func(*plan.Retry)) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) {
		n.Retry = &plan.Retry{Attempts: plan.Expr(attempts)}
		for _, f := range with {
			f(n.Retry)
		}
	}
}
func on(e string) func(*plan.Retry)        { return func(r *plan.Retry) { r.On = plan.Expr(e) } }
func retryWhen(e string) func(*plan.Retry) { return func(r *plan.Retry) { r.When = plan.Expr(e) } }
func every(delay, longest string) func(*plan.Retry) {
	return func(r *plan.Retry) { r.Delay, r.MaxDelay = plan.Expr(delay), plan.Expr(longest) }
}
func loop(while, most string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.Loop = &plan.Loop{While: plan.Expr(while), Max: plan.Expr(most)} }
}
func loopDelay(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.Loop.Delay = plan.Expr(e) }
}
func deadline(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.Deadline = plan.Expr(e) }
}
func assert(condition, message string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) {
		n.Asserts = append(n.Asserts, plan.Condition{Condition: plan.Expr(condition), ErrorMessage: plan.Expr(message)})
	}
}
func idempotent(n *plan.NodeSpec) { n.Idempotent = true }
func undo(tool, args string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) {
		n.Undo = append(n.Undo, plan.NodeSpec{ID: n.ID, Tool: tool, Args: plan.Expr(args)})
	}
}
func finally(n *plan.NodeSpec) { n.Finally = true }

// counter answers with how often it was called.
func counter() tool {
	n := 0
	return func(value.Value) (*Answer, *CallError) {
		n++
		return structured(fmt.Sprintf(`{"count":%d}`, n)), nil
	}
}

// script answers with one after the other, the last one again and again.
func script(tools ...tool) tool {
	return func(args value.Value) (*Answer, *CallError) {
		t := tools[0]
		if len(tools) > 1 {
			tools = tools[1:]
		}
		return t(args)
	}
}

func TestRetry(t *testing.T) {
	fails := breaks(KindTransport, SentMaybe)
	run(t, []rule{
		{"until it succeeds",
			nodes{call("a", "t", ``, retry("3"))}, []string{"o", "step.a.output", "n", "step.a.attempts"},
			world{"t": script(fails, fails, give(`1`))}, `{"o":1,"n":3}`, ""},
		{"three times where it does not say how often",
			nodes{call("a", "t", ``, retry(""))}, nil,
			world{"t": fails}, "", "transport: Step a failed: demo.main broke. It was tried 3 times."},
		{"not after failures of other kinds",
			nodes{call("a", "t", ``, retry("3"))}, nil, world{"t": refuse("no")}, "", "tool: Step a failed: The tool demo.main.t answered with an error: no"},
		{"after those in `on`",
			nodes{call("a", "t", ``, retry("2", on(`["tool"]`)))}, []string{"o", "step.a.output"},
			world{"t": script(refuse("no"), give(`1`))}, `{"o":1}`, ""},
		{"where `when` holds of the failure",
			nodes{call("a", "t", ``, retry("9", on(`["tool"]`), retryWhen(`strcontains(self.error.message, "busy")`)))}, nil,
			world{"t": script(refuse("busy"), refuse("gone"))}, "", "tool: Step a failed: The tool demo.main.t answered with an error: gone"},
		{"a failed assert is one, too",
			nodes{call("a", "t", ``, retry("5", on(`["assert"]`)), assert("self.output.count > 2", `"only ${self.output.count}"`))}, []string{"o", "step.a.output.count"},
			world{"t": counter()}, `{"o":3}`, ""},
		{"not what may have had its effect",
			nodes{call("a", "t", ``, effect("write"), retry("3"))}, nil, world{"t": fails}, "",
			"transport: Step a failed: demo.main broke. It was not tried again: it may have had its effect, and nothing says that it may be repeated. Where that is harmless, say so in the connection: tool \"t\" { idempotent = true }."},
		{"what was never sent may be sent",
			nodes{call("a", "t", ``, effect("write"), retry("3"))}, []string{"o", "step.a.output"},
			world{"t": script(breaks(KindRateLimit, SentNo), give(`1`))}, `{"o":1}`, ""},
		{"nor does harm what is idempotent",
			nodes{call("a", "t", ``, effect("write"), idempotent, retry("3"))}, []string{"o", "step.a.output"},
			world{"t": script(fails, give(`1`))}, `{"o":1}`, ""},
		{"what a server says may end without a full stop",
			nodes{call("a", "t", ``, retry("2", on(`["tool"]`)))}, nil, world{"t": refuse("there is no task 99")}, "",
			"tool: Step a failed: The tool demo.main.t answered with an error: there is no task 99. It was tried 2 times."},
		{"or with one, or in a line of its own",
			nodes{call("a", "t", ``, retry("2", on(`["tool"]`)))}, nil, world{"t": refuse("no such task!\n")}, "",
			"tool: Step a failed: The tool demo.main.t answered with an error: no such task! It was tried 2 times."},
		{"the last failure is tolerated as any",
			nodes{call("a", "t", ``, retry("2"), tolerate("transport"))}, []string{"o", "[step.a.error.kind, step.a.attempts]"},
			world{"t": fails}, `{"o":["transport",2]}`, ""},
		{"attempts that are none",
			nodes{call("a", "t", ``, retry("0"))}, nil, world{"t": fails}, "",
			"transport: Step a failed: demo.main broke. Whether to try again cannot be decided: `attempts` must be a whole number from 1; it is 0."},
	})
}

func TestDelaysBetweenAttemptsDoubleUpToTheLongestAndAreNotAlike(t *testing.T) {
	delays := func(step string) (out []time.Duration) {
		s := newSim(t, planOf(call(step, "t", ``, retry("7", every(`"1s"`, `"10s"`)))), world{"t": breaks(KindTransport, SentNo)}).begin()
		for s.core.Ended() == nil {
			if len(s.waiting) > 0 {
				s.send(step).answer(step)
				continue
			}
			before := s.now
			s.wait()
			out = append(out, s.now.Sub(before))
		}
		return out
	}
	got, other := delays("a"), delays("b")
	if len(got) != 6 {
		t.Fatalf("the delays are %v", got)
	}
	for i, most := range []time.Duration{1, 2, 4, 8, 10, 10} {
		if most *= time.Second; got[i] > most || got[i] < most/2 {
			t.Errorf("delay %d is %s, want from %s to %s", i+1, got[i], most/2, most)
		}
	}
	if got[0] == other[0] || fmt.Sprint(got) != fmt.Sprint(delays("a")) {
		t.Errorf("the delays of one step are %v, of another %v", got, other)
	}
}

func TestAServerSaysHowLongItWantsToBeLeftAlone(t *testing.T) {
	busy := func(value.Value) (*Answer, *CallError) {
		return nil, &CallError{Kind: KindRateLimit, Message: "demo.main: too many requests.", RetryAfter: time.Minute, Answered: true}
	}
	s := newSim(t, planOf(call("a", "t", ``, effect("write"), retry("2"))), world{"t": script(busy, give(`1`))}).begin()
	s.send("a").answer("a").pass(59 * time.Second)
	s.wantTrace("start a", "retry a (rate_limit)")
	s.pass(time.Second)
	s.wantTrace("start a", "retry a (rate_limit)", "start a")
}

func TestDeadline(t *testing.T) {
	t.Run("cancels the call on the wire", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``, deadline(`"10s"`), retry("5"))), nil).begin()
		s.send("a").pass(10 * time.Second)
		s.fail("a", KindCancelled, SentYes)
		s.wantTrace("start a", "cancel a", "error a (timeout)", "end failed")
		if m := s.core.Ended().Err.Message; !strings.HasPrefix(m, "Step a failed: The deadline passed.") {
			t.Error(m)
		}
	})
	t.Run("an answer that is faster counts", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``, deadline(`"10s"`))), world{"t": give("1")}).begin()
		s.send("a").pass(10 * time.Second).answer("a")
		s.wantTrace("start a", "cancel a", "ok a", "end completed")
	})
	t.Run("is of all attempts", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``, deadline(`"10s"`), retry("99", every(`"4s"`, `"4s"`)))), world{"t": breaks(KindTransport, SentNo)}).begin()
		s.finish()
		if m := s.core.Ended().Err.Message; !strings.HasSuffix(m, "It was not tried again: its deadline passes first.") || s.now.Sub(testTime) > 10*time.Second {
			t.Errorf("after %s: %s", s.now.Sub(testTime), m)
		}
	})
	t.Run("of a call is half an hour without one", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``)), nil).begin()
		if got := s.core.Timer().Sub(s.now); got != 30*time.Minute {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("is absolute", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``, deadline(`"10s"`))), nil).begin()
		s.send("a").pass(6 * time.Second).restart()
		if got := s.core.Timer().Sub(s.now); got != 4*time.Second {
			t.Errorf("there is %s left", got)
		}
	})
	t.Run("of each element", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``, deadline(`"10s"`), forEach("[1, 2]"), parallel("1"), tolerate("timeout"))), world{"t": give("1")}).begin()
		s.send("a[0]").pass(10*time.Second).fail("a[0]", KindCancelled, SentYes).pass(9 * time.Second)
		s.send("a[1]").answer("a[1]")
		s.wantTrace("start a[0]", "cancel a[0]", "error a[0] (timeout)", "start a[1]", "ok a[1]", "ok a", "end completed")
	})
	t.Run("of what waits for its next attempt", func(t *testing.T) {
		s := newSim(t, planOf(call("a", "t", ``, deadline(`"1h"`), retry("2", every(`"59m"`, `"59m"`)))), nil).begin()
		s.pass(30*time.Second).send("a").fail("a", KindTransport, SentNo)
		s.facts[len(s.facts)-1] = func() Fact {
			f := s.facts[len(s.facts)-1].(AttemptFailed)
			f.RetryAt = f.RetryAt.Add(time.Hour)
			return f
		}()
		s.restart().wait()
		s.wantTrace("start a", "retry a (transport)", "error a (timeout)", "end failed")
	})
}

func TestSleep(t *testing.T) {
	sleep := func(id, e string, with ...func(*plan.NodeSpec)) plan.NodeSpec {
		n := plan.NodeSpec{ID: id, Kind: plan.Sleep, Sleep: plan.Expr(e)}
		for _, f := range with {
			f(&n)
		}
		return n
	}
	t.Run("waits, also over a restart", func(t *testing.T) {
		s := newSim(t, outputs(planOf(sleep("a", `"10m"`)), "o", "step.a"), nil).begin()
		s.pass(4 * time.Minute).restart().pass(5 * time.Minute)
		s.wantTrace("wait a")
		s.pass(time.Minute)
		s.wantTrace("wait a", "ok a", "end completed")
		if got := s.core.Ended().Outputs.JSON(); got != `{"o":{"outcome":"ok","output":null,"text":"","content":[],"error":null,"attempts":1}}` {
			t.Error(got)
		}
	})
	t.Run("is overdue after a longer absence", func(t *testing.T) {
		s := newSim(t, planOf(sleep("a", `"10m"`)), nil).begin()
		s.now = s.now.Add(time.Hour)
		s.restart()
		s.wantTrace("wait a", "ok a", "end completed")
	})
	t.Run("for each element", func(t *testing.T) {
		s := newSim(t, outputs(planOf(sleep("a", `"${each.value}s"`, forEach("[2, 1]"))), "o", "length(step.a)"), nil).begin()
		s.finish()
		s.wantTrace("wait a[0]", "wait a[1]", "ok a[1]", "ok a[0]", "ok a", "end completed")
	})
	t.Run("ends when the run stops", func(t *testing.T) {
		s := newSim(t, planOf(sleep("a", `"1h"`), call("b", "no", ``)), world{"no": refuse("no")}).begin()
		s.send("b").answer("b")
		s.wantTrace("wait a", "start b", "error b (tool)", "error a (cancelled)", "end failed")
	})
	t.Run("within a deadline", func(t *testing.T) {
		s := newSim(t, planOf(sleep("a", `"1h"`, deadline(`"1m"`), tolerate("timeout"))), nil).begin()
		s.finish()
		s.wantTrace("wait a", "error a (timeout)", "end completed")
	})
}

func TestLoop(t *testing.T) {
	run(t, []rule{
		{"once, and again while `while` holds",
			nodes{call("a", "t", `{ i = loop.index, p = loop.previous == null ? 0 : loop.previous.output.count }`, loop("self.output.count < 3", "9"))},
			[]string{"o", "[for r in step.a : r.output.count]", "n", "step.a[2].attempts"}, world{"t": counter()}, `{"o":[1,2,3],"n":1}`, ""},
		{"loop.previous is the result of the round before",
			nodes{val("a", `loop.index == 0 ? [0] : concat(loop.previous.output, [loop.index])`, loop("length(self.output) < 4", "9"))},
			[]string{"o", "step.a[3].output"}, nil, `{"o":[0,1,2,3]}`, ""},
		{"more rounds than `max` are a failure",
			nodes{call("a", "t", ``, loop("true", "2"))}, nil, world{"t": counter()}, "",
			"limit: Step a#2 failed: Its `while` holds still after 2 rounds, which is the `max` of its loop."},
		{"which is the last round's where it is tolerated",
			nodes{call("a", "t", ``, loop("true", "2"), tolerate("limit"))}, []string{"o", "[for r in step.a : r.outcome]", "k", "step.a[1].error.kind"},
			world{"t": counter()}, `{"o":["ok","error"],"k":"limit"}`, ""},
		{"a round that fails ends it",
			nodes{call("a", "t", ``, loop("true", "9"))}, nil, world{"t": script(give("1"), refuse("no"))}, "",
			"tool: Step a#2 failed: The tool demo.main.t answered with an error: no"},
		{"and one that is tolerated does not",
			nodes{call("a", "t", ``, loop(`self.outcome == "error"`, "9"), tolerate("tool"))}, []string{"o", "[for r in step.a : r.outcome]"},
			world{"t": script(refuse("no"), refuse("no"), give("1"))}, `{"o":["error","error","ok"]}`, ""},
		{"each element in rounds of its own",
			nodes{val("a", `each.value + loop.index`, forEach("[1, 5]"), loop("self.output < 6", "9"))},
			[]string{"o", "[for e in step.a : [for r in e : r.output]]", "e", "step.a[1][0].each"}, nil, `{"o":[[1,2,3,4,5,6],[5,6]],"e":{"key":1,"value":5}}`, ""},
		{"skipped it has no rounds",
			nodes{val("a", `1`, when("false"), loop("true", "9"))}, []string{"o", "step.a"}, nil, `{"o":[]}`, ""},
		{"elements that are skipped have none",
			nodes{val("a", `1`, forEach("[1, 2]"), whenEach("each.value == 2"), loop("false", "9"))}, []string{"o", "[for e in step.a : length(e)]"}, nil, `{"o":[0,1]}`, ""},
		{"with retries in a round",
			nodes{call("a", "t", ``, retry("2"), loop("self.output.count < 2", "9"))}, []string{"o", "[for r in step.a : [r.output.count, r.attempts]]"},
			world{"t": func() tool {
				n, c := 0, counter()
				return func(v value.Value) (*Answer, *CallError) {
					if n++; n%2 == 1 {
						return breaks(KindTransport, SentYes)(v)
					}
					return c(v)
				}
			}()}, `{"o":[[1,2],[2,2]]}`, ""},
		{"`while` looks at args",
			nodes{call("a", "t", `{ n = loop.index }`, loop(`args.n < 2`, "9"))}, []string{"o", "length(step.a)"}, world{"t": echo}, `{"o":3}`, ""},
		{"max that is none",
			nodes{val("a", `1`, loop("true", "0"))}, nil, nil, "", "expression: Step a#1 failed: `max` must be a whole number from 1; it is 0."},
		{"while that is no condition",
			nodes{val("a", `1`, loop("1", "5"))}, nil, nil, "", "expression: Step a#1 failed: `while` must be true or false; it is 1."},
	})
}

func TestALoopWaitsBetweenRoundsAlsoOverARestart(t *testing.T) {
	s := newSim(t, outputs(planOf(call("a", "t", ``, loop("self.output.count < 2", "3"), loopDelay(`"10s"`))), "o", "length(step.a)"), world{"t": counter()}).begin()
	s.send("a#1").answer("a#1").pass(6 * time.Second).restart().pass(3 * time.Second)
	s.wantTrace("start a#1", "ok a#1", "wait a")
	s.pass(time.Second).send("a#2").answer("a#2")
	s.wantTrace("start a#1", "ok a#1", "wait a", "start a#2", "ok a#2", "ok a", "end completed")
}

func TestTheDeadlineOfALoopIsOfAllItsRounds(t *testing.T) {
	s := newSim(t, outputs(planOf(call("a", "t", ``, loop("true", "99"), loopDelay(`"4s"`), deadline(`"10s"`), tolerate("timeout"))), "o", "[for r in step.a : r.outcome]"), world{"t": counter()}).begin()
	s.finish()
	if got := s.core.Ended(); got.Err != nil || got.Outputs.JSON() != `{"o":["ok","ok","ok","error"]}` || s.now.Sub(testTime) != 10*time.Second {
		t.Errorf("after %s: %+v", s.now.Sub(testTime), got)
	}
}

func TestReadsAndPrompts(t *testing.T) {
	p := outputs(planOf(
		plan.NodeSpec{ID: "a", Kind: plan.Read, URI: `"demo://x"`, Decode: "json"},
		plan.NodeSpec{ID: "b", Kind: plan.Read, URITemplate: "demo://{owner}/{name}{?q}", Args: `{ owner = "a b", name = "é", q = null }`},
		plan.NodeSpec{ID: "c", Kind: plan.Prompt, Tool: "greet", Args: `{ who = "me" }`, Result: "args.who"},
	), "a", "step.a.output", "b", "step.b.output", "c", "step.c.output")
	s := newSim(t, p, world{"demo://x": say("[1]"), "demo://a%20b/%C3%A9": say("b"), "greet": give(`{"messages":[]}`)}).begin()
	for _, c := range s.waiting {
		if _, known := s.tools[c.Tool]; !c.ReadOnly || !c.Repeatable || !known {
			t.Errorf("%s may not overlap or be repeated", c.Tool)
		}
	}
	if got := s.finish(); got.Err != nil || got.Outputs.JSON() != `{"a":[1],"b":"b","c":"me"}` {
		t.Errorf("got %+v", got)
	}
}

func TestAsserts(t *testing.T) {
	run(t, []rule{
		{"all hold",
			nodes{val("a", "2", assert("self.output > 1", `"small"`), assert("self.output < 3", `"big"`))}, []string{"o", "step.a.output"}, nil, `{"o":2}`, ""},
		{"one does not, and says why",
			nodes{val("a", "2", assert("self.output > 1", `"small"`), assert("self.output > 2", `"${self.output} is small"`))}, nil, nil, "", "assert: Step a failed: 2 is small"},
		{"they look last",
			nodes{call("a", "t", `{ n = 1 }`, result("self.output.n + 1"), returns("integer"), assert("self.output == args.n", `"it is ${self.output}"`))}, nil, world{"t": echo}, "", "assert: Step a failed: it is 2"},
		{"of each element",
			nodes{val("a", "each.value", forEach("[1, 2]"), assert("each.value == 1", `"no"`), tolerate("assert"))}, []string{"o", "[for r in step.a : r.outcome]"}, nil, `{"o":["ok","error"]}`, ""},
	})
}
