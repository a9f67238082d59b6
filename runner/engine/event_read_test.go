package engine

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// An event that is read prints what it was read from.
func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anEvent(t).AppendJSON(nil)
		ev, err := ReadEvent(want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if got := ev.AppendJSON(nil); string(got) != string(want) {
			t.Fatalf("read\n%s\nwritten\n%s", want, got)
		}
	})
}

func TestTheEffectOfAStepIsReadWhereItWasAdded(t *testing.T) {
	ev, err := ReadEvent([]byte(`{"event":"step.started","step":"a","attempt":1,"effect":"write","time":"2026-01-02T03:04:05.000Z"}`))
	if started, ok := ev.(StepStarted); err != nil || !ok || started.Effect != "write" || started.Elements != -1 {
		t.Errorf("read %+v, %v", ev, err)
	}
}

func TestEventsOfLaterVersionsAreTold(t *testing.T) {
	if _, err := ReadEvent([]byte(`{"event":"run.paused"}`)); !errors.Is(err, ErrUnknownEvent) {
		t.Errorf("got %v", err)
	}
}

func anEvent(t *rapid.T) Event {
	text := rapid.SampledFrom([]string{"", "a", "Ä \"<&>\n\u2028"})
	at := rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "time")).UTC()
	})
	now := at.Draw(t, "now")
	step := anInstance(t, 2)
	failure := &Failure{Kind: KindTool, Message: text.Draw(t, "message"), InDoubt: rapid.Bool().Draw(t, "in doubt")}
	if rapid.Bool().Draw(t, "has a code") {
		code := rapid.IntRange(-40000, 600).Draw(t, "code")
		failure.Code = &code
	}
	question := journal.Question{
		Run: "r", Step: "confirm", Key: []byte(`"de"`), Name: `confirm["de"]`, AskedAt: now, Deadline: &now,
		Asked: journal.Asked{Message: "Go on?", Answer: "bool", Schema: []byte(`{"type":"boolean"}`), Approvers: []string{"ada"},
			Approval: &journal.Approval{Tool: "delete", Effect: "destructive", Count: 1, Calls: []journal.ApprovalCall{}}},
	}
	run, name := text.Draw(t, "run"), text.Draw(t, "workflow")
	return []Event{
		RunQueued{Run: run, Workflow: name, Deployment: text.Draw(t, "deployment"), Time: now},
		RunStarted{Run: run, Workflow: name, Deployment: text.Draw(t, "deployment"), Time: now},
		RunWarning{Run: run, Message: name},
		StepStarted{Step: step, Elements: rapid.IntRange(-1, 3).Draw(t, "elements"), Attempt: rapid.IntRange(0, 3).Draw(t, "attempt"), Time: now},
		StepProgress{Step: step, Progress: Progress{Message: name, Progress: 0.5, Total: rapid.Float64Range(0, 9).Draw(t, "total")}},
		StepFinished{Step: step, Outcome: OutcomeOK, Reused: true, Time: now},
		StepFinished{Step: step, Outcome: OutcomeError, Failure: failure, Time: now},
		StepRetrying{Step: step, Attempt: 2, Failure: failure, At: now.Add(time.Second), Time: now},
		StepWaiting{Step: step, InDoubt: true, Time: now},
		StepWaiting{Step: step, Until: now.Add(time.Hour), Time: now},
		RunWaits{Run: run, Steps: []Instance{step, anInstance(t, 1)}, Time: now},
		RunWaits{Run: run, Questions: []journal.Question{question, question}, Time: now},
		StepWaiting{Step: step, Question: &question, Time: now},
		StepAnswered{Step: step, By: name, Declined: rapid.Bool().Draw(t, "declined"), Time: now},
		RunFinished{Run: run, Status: StatusCompleted, Outputs: value.OfObject(nil), Time: now},
		RunFinished{Run: run, Status: StatusFailed, Err: &RunError{At: step, Kind: KindTool, Message: name, Code: failure.Code, InDoubt: failure.InDoubt}, Time: now},
		RunFinished{Run: run, Status: StatusFailed, Err: &RunError{Kind: KindExpression, Message: name}, Time: now},
	}[rapid.IntRange(0, 16).Draw(t, "event")]
}

func anInstance(t *rapid.T, depth int) Instance {
	in := Instance{
		Step:  rapid.SampledFrom([]string{"a", "label", "b_2"}).Draw(t, "step"),
		Round: rapid.IntRange(0, 2).Draw(t, "round"),
		Undo:  rapid.IntRange(0, 2).Draw(t, "undo"),
	}
	switch rapid.IntRange(0, 2).Draw(t, "key") {
	case 1:
		in.Key = value.OfInt(int64(rapid.IntRange(0, 20).Draw(t, "index")))
	case 2:
		in.Key = value.OfString(rapid.SampledFrom([]string{"", "de", "a\"]/#~1", "\n", "ä"}).Draw(t, "text"))
	}
	if depth > 0 && rapid.Bool().Draw(t, "in another") {
		outer := anInstance(t, depth-1)
		in.In = &outer
	}
	return in
}
