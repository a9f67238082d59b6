package journal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fill commits events until the journal takes no more, and returns how many it took.
func fill(t *testing.T, s *Store, r *Run) (taken int, err error) {
	t.Helper()
	for n := 1; n < 10_000; n++ {
		ev := numbered(n)
		p := ev.Data.(NodeCompleted)
		p.Result = json.RawMessage(strings.Replace(string(p.Result), "{", `{"x":"`+strings.Repeat("x", 8<<10)+`",`, 1))
		ev.Data = p
		if err = r.Commit(t.Context(), ev); err != nil {
			return n - 1, err
		}
	}
	t.Fatal("the disk is not full")
	return 0, nil
}

// checkFull checks what a full disk does to a run, and that the run goes on when
// there is space again: room makes some.
func checkFull(t *testing.T, s *Store, room func()) {
	t.Helper()
	done := newRun(t, s)
	must(t, done.Commit(t.Context(), numbered(1), Event{Data: RunFinished{Status: Completed}}))
	must(t, done.Close())
	r := newRun(t, s)
	taken, err := fill(t, s, r)
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "There is no space left for the journal "+s.path()) || !strings.Contains(err.Error(), "Free some space") {
		t.Fatalf("after %d events: %v", taken, err)
	}
	if err := r.Append(numbered(taken + 2)); !errors.Is(err, ErrFull) {
		t.Errorf("what comes after it: %v", err)
	}
	if _, err := s.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "d", Workflow: "w"}); !errors.Is(err, ErrFull) {
		t.Errorf("a new run: %v", err)
	}
	// Reading goes on while the disk is full.
	if runs, err := s.Runs(t.Context(), Filter{}); err != nil || len(runs) != 2 {
		t.Errorf("the runs are %v, %v", runs, err)
	}
	if n := len(history(t, s, r.ID())); n != taken+1 {
		t.Errorf("the log has %d events, want %d", n, taken+1)
	}
	if err := r.Close(); !errors.Is(err, ErrFull) {
		t.Errorf("closing the run: %v", err)
	}
	_ = s.Close() // it may have to say that the disk is full
	room()

	s = open(t, s.dir, Options{})
	checkIntegrity(t, s)
	checkProjection(t, s)
	r, err = s.Adopt(t.Context(), r.ID())
	must(t, err)
	must(t, r.Commit(t.Context(), numbered(taken+1), Event{Data: RunFinished{Status: Completed}}))
	if n := len(history(t, s, r.ID())); n != taken+4 { // created, adopted, finished
		t.Errorf("at the end the log has %d events, want %d", n, taken+4)
	}
}

func TestAFullDatabaseLosesNothing(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), ".wfc"), Options{})
	must(t, err)
	must(t, s.do(t.Context(), func(c *conn) error { _, err := c.row(`PRAGMA max_page_count = 100`); return err }))
	checkFull(t, s, func() {}) // the limit is the connection's
}

// A result that cannot be kept takes nothing with it that came before.
func TestABlobThatCannotBeWrittenLosesNothingBeforeIt(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), ".wfc"), Options{})
	must(t, err)
	r := newRun(t, s)
	must(t, s.do(t.Context(), func(*conn) error { // the writer takes all that is queued meanwhile at once
		blobs := filepath.Join(s.dir, blobsName)
		must(t, os.RemoveAll(blobs))
		must(t, os.WriteFile(blobs, nil, 0o600))
		must(t, r.Append(numbered(1)))
		large := numbered(2)
		large.Data = NodeCompleted{Result: json.RawMessage(`"` + strings.Repeat("x", MaxInline) + `"`)}
		must(t, r.Append(large))
		must(t, r.Append(numbered(3)))
		return nil
	}))
	if err := r.Barrier(t.Context()); err == nil {
		t.Error("all of it is durable")
	}
	if n := len(history(t, s, r.ID())); n != 2 {
		t.Errorf("the log has %d events, want the run's beginning and the one before the blob", n)
	}
	_ = r.Close()
	_ = s.Close()
}
