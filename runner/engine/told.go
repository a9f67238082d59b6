package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// IsKept reports whether the journal has an event of its own for what an event says, so
// that the n-th one that is kept is the same for watchers and for a [Teller]. A step has
// started when its call is begun, and the journal knows when its request left.
func IsKept(ev Event) bool {
	switch ev.(type) {
	case StepProgress, StepStarted, RunWarning:
		return false
	}
	return true
}

// Teller says of a run's history what its watchers were told. That a run which was
// resumed has started again, or was queued, is told to who is there then, and no part
// of it.
type Teller struct {
	Run     journal.RunID
	created journal.RunCreated
	begun   bool
	doubts  []Instance // the steps that are in doubt
	open    []journal.Question
}

// Told returns what was told when ev was journalled; nil: nothing. Events come in
// order, and are those of [journal.Store.History], so that what is sensitive is left
// out. The number of elements of a fan-out is not known.
func (t *Teller) Told(ev journal.Event) Event {
	run := t.Run
	switch p := ev.Data.(type) {
	case journal.RunCreated:
		t.created, t.begun = p, !p.Queued
		if p.Queued {
			return RunQueued{Run: string(run), Workflow: p.Workflow, Deployment: p.Deployment, Time: ev.Time}
		}
		return RunStarted{Run: string(run), Workflow: p.Workflow, Deployment: p.Deployment, Time: ev.Time}
	case journal.RunBegun:
		if t.begun {
			return nil
		}
		t.begun = true
		return RunStarted{Run: string(run), Workflow: t.created.Workflow, Deployment: t.created.Deployment, Time: ev.Time}
	case journal.NodeResolved:
		name := instanceOf(ev).String()
		t.doubts = slices.DeleteFunc(t.doubts, func(in Instance) bool { return in.String() == name })
		return nil
	case journal.NodeAnswered:
		t.close(ev)
		return StepAnswered{Step: instanceOf(ev), By: p.By, Declined: p.Declined, Time: ev.Time}
	case journal.RunWaiting:
		return RunWaits{Run: string(run), Steps: slices.Clone(t.doubts), Questions: slices.Clone(t.open), Time: ev.Time}
	case journal.NodeStarted:
		return StepStarted{Step: instanceOf(ev), Elements: -1, Attempt: ev.Attempt, Time: ev.Time}
	case journal.NodeCompleted:
		t.close(ev)
		return StepFinished{Step: instanceOf(ev), Outcome: OutcomeOK, Reused: p.Reused, Time: ev.Time}
	case journal.NodeSkipped:
		return StepFinished{Step: instanceOf(ev), Outcome: OutcomeSkipped, Time: ev.Time}
	case journal.NodeFailed:
		t.close(ev)
		f := &Failure{Kind: Kind(p.Kind), Message: p.Message, Code: p.Code, InDoubt: p.InDoubt}
		if ev.Sensitive {
			f = shownFailure(f)
		}
		if !p.RetryAt.IsZero() {
			return StepRetrying{Step: instanceOf(ev), Attempt: ev.Attempt, Failure: f, At: p.RetryAt, Time: ev.Time}
		}
		return StepFinished{Step: instanceOf(ev), Outcome: OutcomeError, Failure: f, Time: ev.Time}
	case journal.NodeWaiting:
		switch p.For {
		case journal.WaitInDoubt:
			t.doubts = append(t.doubts, instanceOf(ev))
		case journal.WaitQuestion:
			q := t.asked(ev, p)
			t.open = append(t.open, q)
			return StepWaiting{Step: instanceOf(ev), Question: &q, Time: ev.Time}
		}
		return StepWaiting{Step: instanceOf(ev), InDoubt: p.For == journal.WaitInDoubt, Until: p.Due, Time: ev.Time}
	case journal.RunFinished:
		return finishedOf(run, p, ev.Time)
	}
	return nil
}

// asked is the question of an event.
func (t *Teller) asked(ev journal.Event, p journal.NodeWaiting) journal.Question {
	var note journal.WaitNote
	if json.Unmarshal(p.Note, &note) != nil || note.Question == nil {
		note.Question = &journal.Asked{Message: "(sensitive)", Answer: "any", Schema: json.RawMessage("true")}
	}
	return journal.NewQuestion(t.Run, ev.Node, ev.Instance, *note.Question, ev.Time, p.Due)
}

// close notes that what an event is of asks nothing any more.
func (t *Teller) close(ev journal.Event) {
	name := instanceOf(ev).String()
	t.open = slices.DeleteFunc(t.open, func(q journal.Question) bool { return q.Name == name })
}

func finishedOf(run journal.RunID, p journal.RunFinished, at time.Time) RunFinished {
	out := RunFinished{Run: string(run), Status: Status(p.Status), Time: at}
	if v, err := value.ParseStored(p.Outputs); p.Outputs != nil && err == nil {
		out.Outputs = v
	}
	if f := p.Error; f != nil {
		out.Err = &RunError{At: Instance{Step: f.Step}, Kind: Kind(f.Kind), Message: f.Message, Code: f.Code, InDoubt: f.InDoubt}
		if v, err := value.ParseJSON(f.Key); f.Key != nil && err == nil {
			out.Err.At.Key = v
		}
	}
	return out
}

// instanceOf names what an event of the journal is of.
func instanceOf(ev journal.Event) Instance {
	parts, err := journal.Parts(ev.Instance)
	if err != nil {
		parts = nil
	}
	var in *Instance
	for i, step := range strings.Split(ev.Node, "/") {
		x := Instance{Step: step, In: in}
		if i < len(parts) {
			x.Round, x.Undo = parts[i].Round, parts[i].Undo
			if v, err := value.ParseJSON([]byte(parts[i].Key)); parts[i].Key != "" && err == nil {
				x.Key = v
			}
		}
		in = &x
	}
	return *in
}
