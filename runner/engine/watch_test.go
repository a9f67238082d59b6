package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// told renders events as JSON, with fixed times.
func told(events []Event) []string {
	var out []string
	for _, e := range events {
		switch ev := e.(type) {
		case RunStarted:
			ev.Time = time.Unix(0, 0)
			e = ev
		case StepStarted:
			ev.Time = time.Unix(0, 0)
			e = ev
		case StepFinished:
			ev.Time = time.Unix(0, 0)
			e = ev
		case RunFinished:
			ev.Time = time.Unix(0, 0)
			e = ev
		}
		out = append(out, strings.ReplaceAll(string(e.AppendJSON(nil)), `,"time":"1970-01-01T00:00:00.000Z"`, ""))
	}
	return out
}

func TestTheEventsOfRunJSON(t *testing.T) {
	var events []Event
	caller := callerFunc(func(_ context.Context, c Call) (*Answer, error) {
		c.Progress(Progress{Message: "half", Progress: 1, Total: 2})
		if c.Tool == "no" {
			return &Answer{IsError: true, Text: "no <b>"}, nil
		}
		return structured(`{}`), nil
	})
	p := outputs(planOf(
		call("a", "t", ``), val("skip", "1", when("false"), after("a")),
		call("fan", "t", ``, forEach(`{ de = 1 }`), after("skip")),
		call("list", "no", ``, forEach(`[1]`), tolerate("tool"), after("fan")), val("v", "1", after("list")),
	), "o", "step.v.output")
	if _, err := drive(t, t.Context(), p, &memoryLog{}, Options{Caller: caller, Watch: func(e Event) { events = append(events, e) }}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"event":"run.started","run":"run-1","workflow":"w"}`,
		`{"event":"step.started","step":"a","attempt":1}`,
		`{"event":"step.progress","step":"a","message":"half","progress":1,"total":2}`,
		`{"event":"step.finished","step":"a","outcome":"ok","error":null,"reused":false}`,
		`{"event":"step.finished","step":"skip","outcome":"skipped","error":null,"reused":false}`,
		`{"event":"step.started","step":"fan","elements":1}`,
		`{"event":"step.started","step":"fan","key":"de","attempt":1}`,
		`{"event":"step.progress","step":"fan","key":"de","message":"half","progress":1,"total":2}`,
		`{"event":"step.finished","step":"fan","key":"de","outcome":"ok","error":null,"reused":false}`,
		`{"event":"step.finished","step":"fan","outcome":"ok","error":null,"reused":false}`,
		`{"event":"step.started","step":"list","elements":1}`,
		`{"event":"step.started","step":"list","index":0,"attempt":1}`,
		`{"event":"step.progress","step":"list","index":0,"message":"half","progress":1,"total":2}`,
		`{"event":"step.finished","step":"list","index":0,"outcome":"error","error":{"kind":"tool","message":"The tool demo.main.no answered with an error: no <b>"},"reused":false}`,
		`{"event":"step.finished","step":"list","outcome":"ok","error":null,"reused":false}`,
		`{"event":"step.finished","step":"v","outcome":"ok","error":null,"reused":false}`,
		`{"event":"run.finished","run":"run-1","status":"completed","outputs":{"o":1},"error":null}`,
	}
	if got := told(events); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAFailedRunSaysWhichElementFailedIt(t *testing.T) {
	code := -32602
	got := told([]Event{
		RunWarning{"run-1", "careful"},
		RunFinished{Run: "run-1", Status: StatusFailed, Err: &RunError{
			At: Instance{Step: "fan", Key: value.OfString("de")}, Kind: KindProtocol, Message: "bad", Code: &code, InDoubt: true}},
	})
	want := []string{
		`{"event":"run.warning","run":"run-1","message":"careful"}`,
		`{"event":"run.finished","run":"run-1","status":"failed","outputs":null,"error":{"kind":"protocol","message":"bad","code":-32602,"in_doubt":true,"step":"fan","key":"de"}}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestEventsAreToldWhenDurableAndForceNoCommitEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memoryLog{}
		shown := 0
		watch := func(e Event) {
			if _, ok := e.(StepFinished); ok {
				shown++
				if finished := strings.Count(strings.Join(log.lines(log.durably()), " "), "node.completed"); finished < shown {
					t.Errorf("%d results are shown and %d durable", shown, finished)
				}
			}
		}
		caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
			// A millisecond of the bubble's clock: five steps a group.
			timer := time.NewTimer(time.Millisecond)
			<-timer.C
			return structured(`{}`), nil
		})
		specs := nodes{call("n0", "t", ``)}
		for i := 1; i < 100; i++ {
			specs = append(specs, call(fmt.Sprintf("n%d", i), "t", ``, after(fmt.Sprintf("n%d", i-1))))
		}
		if _, err := drive(t, t.Context(), planOf(specs...), log, Options{Caller: caller, Watch: watch}); err != nil {
			t.Fatal(err)
		}
		if shown != 100 || log.barriers > 21 {
			t.Errorf("%d results were shown with %d commits", shown, log.barriers)
		}
	})
}

func TestShortSecretsAreAWarning(t *testing.T) {
	var warned []string
	p := planOf()
	p.Secrets = append(p.Secrets, plan.Secret{Name: "token", Env: "TOKEN"})
	prog := program(t, p)
	d := newDriver(Options{Program: prog, Watch: func(e Event) {
		if w, ok := e.(RunWarning); ok {
			warned = append(warned, w.Message)
		}
	}}, &memoryLog{}, map[string]string{"token": "short"})
	if _, err := d.run(t.Context(), RunCreated{Run: "r", Inputs: value.OfObject(nil)}); err != nil {
		t.Fatal(err)
	}
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "The secret token is shorter than 8 characters") {
		t.Errorf("warned %v", warned)
	}
}

func TestTheBeginOfARunIsToldBeforeAnythingIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := false
		caller := callerFunc(func(context.Context, Call) (*Answer, error) {
			if !begun {
				t.Error("a tool was called before the run was known to go on")
			}
			return structured(`{}`), nil
		})
		watch := func(e Event) {
			if _, ok := e.(RunStarted); ok {
				time.Sleep(time.Second) // who looks on is slow
				begun = true
			}
		}
		if _, err := drive(t, t.Context(), planOf(call("a", "t", ``)), &memoryLog{}, Options{Caller: caller, Watch: watch}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTheEndOfAllCallsIsToldBeforeTheEndIsDurable(t *testing.T) {
	log := &memoryLog{}
	calls, told := 0, -1
	caller := callerFunc(func(context.Context, Call) (*Answer, error) {
		calls++
		return structured(`{}`), nil
	})
	finished := func() bool {
		return slices.ContainsFunc(log.events, func(ev journal.Event) bool { _, ok := ev.Data.(journal.RunFinished); return ok })
	}
	p := planOf(call("a", "t", ``), call("b", "t", ``, finally))
	if _, err := drive(t, t.Context(), p, log, Options{Caller: caller, Idle: func() {
		if told = calls; finished() {
			t.Error("the end was durable before")
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if told != 2 || !finished() {
		t.Errorf("told after %d calls of 2", told)
	}
}
