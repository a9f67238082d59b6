package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func largeBody() json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", MaxInline) + `"`)
}

// durable returns how many events of the run another connection sees.
func durable(t *testing.T, dir string, run RunID) int {
	t.Helper()
	s := open(t, dir, Options{ReadOnly: true})
	defer func() { must(t, s.Close()) }()
	return len(history(t, s, run))
}

func TestCreatedRunIsDurable(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	if got := durable(t, s.dir, r.ID()); got != 1 {
		t.Errorf("%d events, want run.created", got)
	}
	body, err := s.Plan(t.Context(), "digest of the plan")
	must(t, err)
	if string(body) != string(testPlan) {
		t.Errorf("the plan is %s", body)
	}
}

func TestCommitCarriesWhatWasAppendedBefore(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	const appended = 2000 // several transactions
	for n := range appended {
		must(t, r.Append(numbered(n)))
	}
	must(t, r.Commit(t.Context(), numbered(appended)))
	all := history(t, s, r.ID())[1:]
	if len(all) != appended+1 {
		t.Fatalf("%d events, want %d", len(all), appended+1)
	}
	for n, ev := range all {
		if want := numbered(n); string(ev.Data.body()) != string(want.Data.body()) {
			t.Fatalf("event %d is %s", n, ev.Data.body())
		}
	}
}

func TestBarrierWaitsForWhatWasAppended(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	must(t, r.Append(numbered(1)))
	must(t, r.Barrier(t.Context()))
	if got := durable(t, s.dir, r.ID()); got != 2 {
		t.Errorf("%d events are durable, want 2", got)
	}
	must(t, r.Barrier(t.Context())) // of nothing
}

func TestAppendsGatherForAWhile(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(root, ".wfc"), Options{alone: true})
		r := newRun(t, s)
		must(t, r.Append(numbered(1)))
		<-time.After(3 * time.Millisecond)
		must(t, r.Append(numbered(2)))
		<-time.After(gatherFor - 3*time.Millisecond - time.Nanosecond)
		synctest.Wait()
		if got := durable(t, s.dir, r.ID()); got != 1 {
			t.Errorf("%d events before the time is over, want 1", got)
		}
		<-time.After(time.Nanosecond)
		synctest.Wait()
		if got := durable(t, s.dir, r.ID()); got != 3 {
			t.Errorf("%d events after that time, want 3", got)
		}
	})
}

func TestAppendWaitsWhereTheQueueIsFull(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	const events = 3 * maxQueued
	var appending sync.WaitGroup
	must(t, s.locks.gate(turnName, func() error { // the turn is another process's
		appending.Go(func() {
			for range events {
				if err := r.Append(Event{Node: "a", Data: NodeSkipped{}}); err != nil {
					t.Error(err)
					return
				}
			}
		})
		must(t, r.Append(Event{Node: "b", Data: NodeSkipped{}}))
		return nil
	}))
	appending.Wait()
	s.writer.mu.Lock()
	if queued := s.writer.records; queued > maxQueued+2 {
		t.Errorf("%d events are queued", queued)
	}
	s.writer.mu.Unlock()
	must(t, r.Barrier(t.Context()))
	if got := durable(t, s.dir, r.ID()); got != events+2 {
		t.Errorf("%d events, want %d", got, events+2)
	}
}

func TestEventsHaveTheStoresTime(t *testing.T) {
	now := time.Date(2031, 2, 3, 4, 5, 6, 789, time.UTC)
	s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{Clock: func() time.Time { return now }})
	r := newRun(t, s)
	own := now.Add(time.Hour)
	must(t, r.Commit(t.Context(), Event{Node: "a", Data: NodeSkipped{}}, Event{Node: "b", Time: own, Data: NodeSkipped{}}))
	all := history(t, s, r.ID())
	for i, want := range []time.Time{now, now, own} {
		if !all[i].Time.Equal(want) {
			t.Errorf("event %d is of %v, want %v", i, all[i].Time, want)
		}
	}
}

func TestCommitReturnsWhenItsContextEnds(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, s.locks.gate(turnName, func() error { // the turn is another process's
		if err := r.Commit(ended, numbered(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		return nil
	}))
	must(t, r.Barrier(t.Context()))
	if got := durable(t, s.dir, r.ID()); got != 2 {
		t.Errorf("%d events, want 2: what is queued is written", got)
	}
}

func TestManyGoroutinesAppendAndCommit(t *testing.T) {
	s := openNew(t)
	r, other := newRun(t, s), newRun(t, s)
	var all sync.WaitGroup
	const writers, events = 16, 25
	for w := range writers {
		all.Go(func() {
			run := r
			if w%2 == 1 {
				run = other
			}
			for n := range events {
				ev := Event{Node: "a", Instance: fmt.Sprint(w), Attempt: n + 1, Data: NodeStarted{}}
				var err error
				if n%3 == 0 {
					err = run.Commit(t.Context(), ev)
				} else {
					err = run.Append(ev)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	must(t, r.Close())
	must(t, other.Close())
	for _, run := range []*Run{r, other} {
		last := map[string]int{}
		for _, ev := range history(t, s, run.ID())[1:] {
			if ev.Attempt != last[ev.Instance]+1 {
				t.Fatalf("writer %s: %d follows %d", ev.Instance, ev.Attempt, last[ev.Instance])
			}
			last[ev.Instance] = ev.Attempt
		}
		for w, n := range last {
			if n != events {
				t.Errorf("writer %s: %d events", w, n)
			}
		}
	}
	checkProjection(t, s)
}

func TestLargeResultsAreBlobs(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	inline := largeBody()[:MaxInline]
	must(t, r.Commit(t.Context(),
		Event{Node: "a", Data: NodeCompleted{Result: largeBody()}},
		Event{Node: "b", Data: NodeCompleted{Result: inline}},
		Event{Data: RunFinished{Status: Completed, Outputs: largeBody()}}))
	all := history(t, s, r.ID())
	for i, want := range []json.RawMessage{1: largeBody(), 2: inline, 3: largeBody()} {
		if got := all[i].Data.body(); i > 0 && string(got) != string(want) {
			t.Errorf("event %d has %d bytes, want %d", i, len(got), len(want))
		}
	}
	files, err := os.ReadDir(s.blobs.dir)
	must(t, err)
	if len(files) != 1 || files[0].Name() != digestOf(largeBody()) {
		t.Errorf("the blobs are %v", files)
	}
	must(t, os.WriteFile(filepath.Join(s.blobs.dir, files[0].Name()), []byte("other bytes"), 0o600))
	if _, err := s.Run(t.Context(), string(r.ID())); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed blob: %v", err)
	}
	must(t, os.Remove(filepath.Join(s.blobs.dir, files[0].Name())))
	if _, err := s.Run(t.Context(), string(r.ID())); !errors.Is(err, ErrNotFound) {
		t.Errorf("a missing blob: %v", err)
	}
}

func TestLargeInputsAndPlans(t *testing.T) {
	s := openNew(t)
	big := []byte(strings.Replace(string(testPlan), `"triage"`, `"`+strings.Repeat("w", 1<<20)+`"`, 1))
	r, err := s.CreateRun(t.Context(), NewRun{Plan: big, PlanDigest: "big", Inputs: largeBody()})
	must(t, err)
	rec, err := s.Run(t.Context(), string(r.ID()))
	must(t, err)
	if string(rec.Inputs) != string(largeBody()) {
		t.Errorf("%d bytes of inputs", len(rec.Inputs))
	}
	if got, err := s.Plan(t.Context(), "big"); err != nil || string(got) != string(big) {
		t.Errorf("%d bytes of plan, %v", len(got), err)
	}
}

func TestBlobs(t *testing.T) {
	s := openNew(t)
	for _, data := range [][]byte{{}, []byte("\x00\xff binary"), largeBody()} {
		for range 2 { // the second time it is there
			sum, err := s.PutBlob(t.Context(), data)
			must(t, err)
			got, err := s.Blob(t.Context(), sum)
			must(t, err)
			if sum != digestOf(data) || string(got) != string(data) {
				t.Errorf("%s has %d bytes, want %d", sum, len(got), len(data))
			}
		}
	}
	for _, sum := range []string{"", "../journal.db", digestOf([]byte("nobody's"))} {
		if _, err := s.Blob(t.Context(), sum); !errors.Is(err, ErrNotFound) {
			t.Errorf("the blob %q: %v", sum, err)
		}
	}
}

func TestSecondOwnerIsRefused(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	second := open(t, s.dir, Options{})
	if _, err := second.Adopt(t.Context(), r.ID()); !errors.Is(err, ErrOwned) {
		t.Errorf("while its owner lives: %v", err)
	}
	must(t, r.Close())
	taken, err := second.Adopt(t.Context(), r.ID())
	must(t, err)
	must(t, taken.Commit(t.Context(), Event{Data: RunFinished{Status: Completed}}))
	must(t, taken.Close())
	if _, err := second.Adopt(t.Context(), r.ID()); !errors.Is(err, ErrFinished) {
		t.Errorf("a finished run: %v", err)
	}
	for _, id := range []RunID{"00000000-0000", "../../etc", ""} {
		if _, err := second.Adopt(t.Context(), id); !errors.Is(err, ErrNotFound) {
			t.Errorf("the run %q: %v", id, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, locksName, "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("locks are left: %v, %v", left, err)
	}
}

func TestOwnershipEndsWithItsProcess(t *testing.T) {
	s := openNew(t)
	c := startChild(t, "hold", s.dir)
	id := RunID(c.line())
	if _, err := s.Adopt(t.Context(), id); !errors.Is(err, ErrOwned) {
		t.Errorf("while the process lives: %v", err)
	}
	rec, err := s.Run(t.Context(), string(id))
	must(t, err)
	if rec.Status != Running || rec.Steps[0].State != StateRunning {
		t.Errorf("while the process lives: %s, %s", rec.Status, rec.Steps[0].State)
	}
	c.kill()
	rec, err = s.Run(t.Context(), string(id))
	must(t, err)
	if rec.Status != Interrupted || rec.Steps[0].State != StateInDoubt || rec.Steps[1].State != StatePending {
		t.Errorf("after its death: %s, %s, %s", rec.Status, rec.Steps[0].State, rec.Steps[1].State)
	}
	r, err := s.Adopt(t.Context(), id)
	must(t, err)
	must(t, r.Close())
}

func TestJournalOfADeadProcessCanBeReadFirst(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), ".wfc")
		c := startChild(t, "hold", dir)
		id := c.line()
		c.kill()
		if !indexed { // as after a loss of power, which the index of the log does not survive
			must(t, os.Remove(filepath.Join(dir, fileName+"-shm")))
		}
		rec, err := open(t, dir, Options{ReadOnly: true}).Run(t.Context(), id)
		must(t, err)
		if rec.Status != Interrupted || rec.Steps[0].State != StateInDoubt {
			t.Errorf("got %s, %s", rec.Status, rec.Steps[0].State)
		}
	}
}

// An owner whose lock is lost (here somebody removed the file) cannot write any
// more once there is another one, and does no harm to the runs beside it.
func TestOldOwnerIsFenced(t *testing.T) {
	s := openNew(t)
	r, beside := newRun(t, s), newRun(t, s)
	must(t, os.Remove(s.locks.run(r.ID())))
	next, err := open(t, s.dir, Options{}).Adopt(t.Context(), r.ID())
	must(t, err)
	must(t, beside.Append(numbered(1)))
	if err := r.Commit(t.Context(), numbered(1)); !errors.Is(err, ErrFenced) || !strings.Contains(err.Error(), "taken over") {
		t.Errorf("the old owner's commit: %v", err)
	}
	if err := r.Append(numbered(2)); !errors.Is(err, ErrFenced) {
		t.Errorf("its next append: %v", err)
	}
	must(t, next.Commit(t.Context(), numbered(1)))
	must(t, beside.Commit(t.Context(), numbered(2)))
	if got := len(history(t, s, r.ID())); got != 3 { // created, adopted, the new owner's
		t.Errorf("%d events, want 3", got)
	}
	if err := r.Close(); !errors.Is(err, ErrFenced) {
		t.Errorf("closing the old owner's run: %v", err)
	}
	if _, err := s.Adopt(t.Context(), r.ID()); !errors.Is(err, ErrOwned) {
		t.Errorf("afterwards the new owner's lock is gone: %v", err)
	}
}

func TestRunKeyIsUnique(t *testing.T) {
	s := openNew(t)
	n := NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Key: "monday"}
	r, err := s.CreateRun(t.Context(), n)
	must(t, err)
	var taken *KeyError
	if _, err := s.CreateRun(t.Context(), n); !errors.As(err, &taken) || taken.Run != r.ID() {
		t.Errorf("got %v", err)
	}
	n.Key = ""
	for range 2 {
		if _, err := s.CreateRun(t.Context(), n); err != nil {
			t.Error(err)
		}
	}
	runs, err := s.Runs(t.Context(), Filter{})
	must(t, err)
	if len(runs) != 3 {
		t.Errorf("%d runs, want 3", len(runs))
	}
}

func TestCreationThatNobodyWaitsForLeavesNoOwner(t *testing.T) {
	s := openNew(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, s.locks.gate(turnName, func() error { // the turn is another process's
		_, err := s.CreateRun(ended, NewRun{Plan: testPlan, PlanDigest: "d", Workflow: "triage"})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		return nil
	}))
	must(t, s.do(t.Context(), func(*conn) error { return nil }))
	if runs, err := s.Runs(t.Context(), Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("runs %v, %v", runs, err)
	}
	must(t, s.Close())
	if left, err := filepath.Glob(filepath.Join(s.dir, locksName, "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("locks are left: %v, %v", left, err)
	}
}

func TestRunIDsSortByTime(t *testing.T) {
	start := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	var ids []RunID
	for i := range 50 {
		ids = append(ids, newID(start.Add(time.Duration(i)*10*time.Millisecond)), newID(start.AddDate(0, 0, i+1)))
	}
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	byTime := slices.Concat(every(ids, 0), every(ids, 1))
	if !slices.Equal(sorted, byTime) {
		t.Error("they do not")
	}
	if id := newID(time.Unix(0, 0)); !isID(string(id)) || id[:8] != "00000000" {
		t.Errorf("with a clock before its epoch: %s", id)
	}
}

// every returns the elements of even or odd index.
func every(ids []RunID, rest int) (some []RunID) {
	for i, id := range ids {
		if i%2 == rest {
			some = append(some, id)
		}
	}
	return some
}
