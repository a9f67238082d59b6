package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRecordIsWhatRunsShowPrints(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{Clock: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	r := newRun(t, s)
	code := -32602
	must(t, r.Commit(t.Context(),
		Event{Data: SessionOpened{Connection: "github.work", Generation: 2}},
		Event{Node: "each", Instance: `"de"`, Attempt: 1, Data: NodeStarted{Generation: 2}},
		Event{Node: "a", Attempt: 1, Data: NodeStarted{Generation: 2, Repeatable: true}},
		Event{Node: "a", Attempt: 1, Data: NodeCompleted{Result: json.RawMessage(`{"output":1.50}`)}},
		Event{Node: "each", Instance: `"de"`, Attempt: 1, Data: NodeFailed{Kind: "protocol", Message: "No such <label>.", Code: &code, Sent: "yes"}},
		Event{Node: "each", Instance: `"fr"`, Data: NodeSkipped{}},
		Event{Data: RunFinished{Status: Failed, Error: &Failure{Kind: "protocol", Message: "No such <label>.", Code: &code, Step: "each", Key: json.RawMessage(`"de"`)}}}))
	rec, err := s.Run(t.Context(), string(r.ID()))
	must(t, err)
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	must(t, enc.Encode(rec))
	want := strings.ReplaceAll(`{
 "run": "RUN",
 "workflow": "triage",
 "status": "failed",
 "started_at": "2026-05-06T07:08:10Z",
 "finished_at": "2026-05-06T07:08:17Z",
 "plan_digest": "digest of the plan",
 "inputs": {
  "repo": "a/b"
 },
 "outputs": null,
 "error": {
  "kind": "protocol",
  "message": "No such <label>.",
  "code": -32602,
  "step": "each",
  "key": "de"
 },
 "steps": [
  {
   "step": "a",
   "state": "ok",
   "attempts": 1,
   "connection": "github.work",
   "tool": "search",
   "generation": 2,
   "started_at": "2026-05-06T07:08:13Z",
   "finished_at": "2026-05-06T07:08:14Z"
  },
  {
   "step": "b",
   "state": "skipped",
   "attempts": 0
  },
  {
   "step": "each",
   "key": "de",
   "state": "error",
   "attempts": 1,
   "connection": "github.work",
   "tool": "label",
   "generation": 2,
   "started_at": "2026-05-06T07:08:12Z",
   "finished_at": "2026-05-06T07:08:15Z",
   "error": {
    "kind": "protocol",
    "message": "No such <label>.",
    "code": -32602
   }
  },
  {
   "step": "each",
   "key": "fr",
   "state": "skipped",
   "attempts": 0,
   "connection": "github.work",
   "tool": "label",
   "finished_at": "2026-05-06T07:08:16Z"
  }
 ]
}
`, "RUN", string(r.ID()))
	if out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
	if string(rec.Steps[0].Result) != `{"output":1.50}` {
		t.Errorf("the result of a is %s", rec.Steps[0].Result)
	}
}

func TestElementsAreShownByTheirIndex(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	var events []Event
	for _, instance := range []string{"10", "2", "0", ""} {
		events = append(events, Event{Node: "each", Instance: instance, Attempt: 1, Data: NodeStarted{}})
	}
	must(t, r.Commit(t.Context(), events...))
	rec, err := s.Run(t.Context(), string(r.ID()))
	must(t, err)
	got := ""
	for _, step := range rec.Steps {
		if step.Step == "each" {
			got += "[" + string(step.Key) + "]"
		}
	}
	if got != "[][0][2][10]" {
		t.Errorf("the elements are shown as %s", got)
	}
}

func TestStepsThatHaveNotRunArePending(t *testing.T) {
	s := openNew(t)
	rec, err := s.Run(t.Context(), string(newRun(t, s).ID()))
	must(t, err)
	if len(rec.Steps) != 3 {
		t.Fatalf("%d steps", len(rec.Steps))
	}
	for _, step := range rec.Steps {
		if step.State != StatePending {
			t.Errorf("%s is %s", step.Step, step.State)
		}
	}
}

func TestOutputsAndInputsAreKeptByteByByte(t *testing.T) {
	s := openNew(t)
	exact := json.RawMessage("{\"n\": 9007199254740993.10, \"t\":\"e\u0301\\r\\n\ufeff<&>\" }")
	r, err := s.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "d", Workflow: "triage", Inputs: exact})
	must(t, err)
	must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Completed, Outputs: exact}}))
	rec, err := s.Run(t.Context(), string(r.ID()))
	must(t, err)
	if string(rec.Inputs) != string(exact) || string(rec.Outputs) != string(exact) {
		t.Errorf("got %s and %s", rec.Inputs, rec.Outputs)
	}
}

func TestRunIsFoundByABeginningOrAnEndOfItsID(t *testing.T) {
	s := openNew(t)
	ids := map[RunID]bool{}
	var id RunID
	for range 3 {
		id = newRun(t, s).ID()
		ids[id] = true
	}
	for _, part := range []string{string(id), string(id[9:]), strings.ToUpper(string(id)), " " + string(id[7:]) + " "} {
		rec, err := s.Run(t.Context(), part)
		if err != nil || rec.Run != id {
			t.Errorf("by %q: %v", part, err)
		}
	}
	_, err := s.Run(t.Context(), string(id[:3]))
	if !errors.Is(err, ErrAmbiguous) {
		t.Errorf("by what all have: %v", err)
	}
	for id := range ids {
		if err != nil && !strings.Contains(err.Error(), string(id)) {
			t.Errorf("%v does not name %s", err, id)
		}
	}
	for _, part := range []string{"", "zzzzzzzz-zzzz", "*", "%", "0*", "ööö", strings.Repeat("0", 100)} {
		if _, err := s.Run(t.Context(), part); !errors.Is(err, ErrNotFound) {
			t.Errorf("by %q: %v", part, err)
		}
	}
}

func TestRunsAreListedNewestFirst(t *testing.T) {
	s := openNew(t)
	var want []string
	var ids []RunID
	for i := range 4 {
		r, err := s.CreateRun(t.Context(), NewRun{
			Plan: testPlan, PlanDigest: "d", Workflow: fmt.Sprint("w", i%2), Deployment: []string{"", "prod"}[i/2],
		})
		must(t, err)
		ids = append(ids, r.ID())
		status := Running
		switch i {
		case 1:
			status = Completed
			must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Completed}}))
		case 2:
			status = Interrupted
			must(t, r.Close())
		}
		want = append([]string{fmt.Sprint("w", i%2, " ", status)}, want...)
	}
	cases := []struct {
		name   string
		filter Filter
		want   []string
	}{
		{"all", Filter{}, want},
		{"the newest", Filter{Limit: 2}, want[:2]},
		{"of a workflow", Filter{Workflow: "w1"}, []string{want[0], want[2]}},
		{"of a deployment", Filter{Deployment: "prod"}, want[:2]},
		{"interrupted", Filter{Statuses: []Status{Interrupted}}, want[1:2]},
		{"running", Filter{Statuses: []Status{Running}}, []string{want[0], want[3]}},
		{"the newest running or completed", Filter{Statuses: []Status{Running, Completed}, Limit: 2}, []string{want[0], want[2]}},
		{"none", Filter{Workflow: "other"}, nil},
		{"before one", Filter{Before: ids[2]}, want[2:]},
		{"the newest before one", Filter{Before: ids[2], Limit: 1}, want[2:3]},
		{"before the oldest", Filter{Before: ids[0], Limit: 1}, nil},
		{"the newest completed before one", Filter{Before: ids[3], Statuses: []Status{Completed}, Limit: 1}, want[2:3]},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, reader := range []*Store{s, open(t, s.dir, Options{ReadOnly: true})} {
				runs, err := reader.Runs(t.Context(), c.filter)
				must(t, err)
				var got []string
				for _, r := range runs {
					got = append(got, fmt.Sprint(r.Workflow, " ", r.Status))
				}
				if fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestRunsBeforeOneThatIsNotThereAreRefused(t *testing.T) {
	s := openNew(t)
	newRun(t, s)
	for _, id := range []RunID{"zzzzzzzz-zzzz", "x", RunID(strings.Repeat("ö", 10_000))} {
		_, err := s.Runs(t.Context(), Filter{Before: id, Limit: 1})
		if !errors.Is(err, ErrNotFound) || len(err.Error()) > 500 {
			t.Errorf("before %.20q: %v", id, err)
		}
	}
}

func TestHistoryMayBeLeftEarly(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	must(t, r.Commit(t.Context(), numbered(1), numbered(2)))
	for ev, err := range s.Events(t.Context(), r.ID()) {
		must(t, err)
		if ev.Kind() != KindRunCreated {
			t.Errorf("the first event is %s", ev.Kind())
		}
		break
	}
	for _, err := range s.Events(t.Context(), "00000000-0000") {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("of a run that is not there: %v", err)
		}
	}
}

func TestTheLastCompletedRunIsFound(t *testing.T) {
	s := openWithKey(t)
	end := func(workflow, deployment, outputs string, sensitive bool, status Status) RunID {
		r, err := s.CreateRun(t.Context(), NewRun{
			Plan: testPlan, PlanDigest: "d", Workflow: workflow, Deployment: deployment, Previous: json.RawMessage(`"the one before"`), Sensitive: sensitive,
		})
		must(t, err)
		must(t, r.Commit(t.Context(), Event{Sensitive: sensitive, Data: RunFinished{Status: status, Outputs: json.RawMessage(outputs)}}))
		must(t, r.Close())
		if got := history(t, s, r.ID())[0].Data.(RunCreated); string(got.Previous) != `"the one before"` {
			t.Errorf("previous is %s", got.Previous)
		}
		return r.ID()
	}
	if got, err := s.LastCompleted(t.Context(), "a", ""); err != nil || got != nil {
		t.Errorf("before any: %v, %v", got, err)
	}
	end("a", "", `1`, false, Completed)
	plain := end("a", "", `2`, false, Completed)
	deployed := end("a", "prod", `"confidential"`, true, Completed)
	end("a", "", `3`, false, Failed)
	end("a", "prod", `4`, false, Cancelled)
	end("b", "", `5`, false, Completed)
	newRun(t, s)
	for deployment, want := range map[string]Completion{"": {plain, time.Time{}, json.RawMessage(`2`), false}, "prod": {deployed, time.Time{}, json.RawMessage(`"confidential"`), true}} {
		got, err := s.LastCompleted(t.Context(), "a", deployment)
		must(t, err)
		if got == nil || got.Run != want.Run || string(got.Outputs) != string(want.Outputs) || got.Sensitive != want.Sensitive || got.StartedAt.IsZero() {
			t.Errorf("%q: %+v, want %+v", deployment, got, want)
		}
	}
}
