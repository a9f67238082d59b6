package journal

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
)

// testPlan has the steps a (a tool call), b (a value) and each (a fan-out of calls).
var testPlan = func() []byte {
	body, err := json.Marshal(plan.Plan{
		Workflow: "triage",
		Sources:  []plan.Source{{Name: "tracker", Connection: "github.work"}},
		Nodes: []plan.NodeSpec{
			{ID: "a", Kind: plan.Call, Source: "tracker", Tool: "search"},
			{ID: "b", Kind: plan.ValueNode},
			{ID: "each", Kind: plan.Call, Source: "tracker", Tool: "label"},
		},
	})
	if err != nil {
		panic(err)
	}
	return body
}()

func open(t testing.TB, dir string, opts Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openNew(t testing.TB) *Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), ".wfc"), Options{})
}

func newRun(t testing.TB, s *Store) *Run {
	t.Helper()
	r, err := s.CreateRun(t.Context(), NewRun{
		Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Inputs: json.RawMessage(`{"repo": "a/b"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// finishedRun makes a run with one read-only call.
func finishedRun(t testing.TB, s *Store) {
	t.Helper()
	r := newRun(t, s)
	must(t, r.Append(Event{Node: "a", Attempt: 1, Data: NodeStarted{Generation: 1, Repeatable: true}}))
	must(t, r.Append(Event{Node: "a", Attempt: 1, Data: NodeCompleted{Result: json.RawMessage(`{"output":1}`)}}))
	must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Completed, Outputs: json.RawMessage(`{}`)}}))
	must(t, r.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
