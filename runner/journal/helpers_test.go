package journal

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
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

// checkIntegrity asks SQLite whether the database is sound.
func checkIntegrity(t testing.TB, s *Store) {
	t.Helper()
	must(t, s.do(t.Context(), func(c *conn) error {
		row, err := c.row(`PRAGMA integrity_check`)
		if err == nil && row[0] != "ok" {
			t.Errorf("integrity check: %v", row[0])
		}
		return err
	}))
}

// projections returns all that is a projection of the events.
func projections(t testing.TB, s *Store) string {
	t.Helper()
	var all strings.Builder
	must(t, s.do(t.Context(), func(c *conn) error {
		for _, sql := range []string{
			`SELECT id, status, finished_at, finished_seq FROM runs ORDER BY num`,
			`SELECT * FROM nodes ORDER BY run, node, instance`,
			`SELECT * FROM waits ORDER BY run, node, instance`,
		} {
			fmt.Fprintln(&all, sql)
			err := c.rows(func(row []driver.Value) error {
				fmt.Fprintf(&all, "%v\n", row)
				return nil
			}, sql)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return all.String()
}

// checkProjection checks that the projections are what the events say.
func checkProjection(t testing.TB, s *Store) {
	t.Helper()
	before := projections(t, s)
	must(t, s.Rebuild(t.Context()))
	if after := projections(t, s); after != before {
		t.Errorf("the projections were\n%s\nbut the events say\n%s", before, after)
	}
}

// history returns the events of a run.
func history(t testing.TB, s *Store, run RunID) []Event {
	t.Helper()
	var all []Event
	for ev, err := range s.Events(t.Context(), run) {
		must(t, err)
		all = append(all, ev)
	}
	return all
}
