package journal

import (
	"context"
	"errors"
	"testing"
)

func TestPlacesOfALineAreTakenOnce(t *testing.T) {
	store := openNew(t)
	take := func(line string, limit int) *Slot {
		t.Helper()
		s, err := store.TakeSlot(t.Context(), line, limit, "")
		must(t, err)
		return s
	}
	a, b := take("k", 2), take("k", 2)
	if a == nil || b == nil || take("k", 2) != nil {
		t.Fatal("not two places are taken at once")
	}
	other := take("l", 1)
	if other == nil {
		t.Error("a place of another line is taken")
	}
	other.Give()
	b.Give()
	c := take("k", 2)
	if c == nil {
		t.Error("a place that was given back is not there")
	}
	a.Give()
	c.Give()
}

func TestWhoComesLaterWaitsForThoseInTheLine(t *testing.T) {
	store := openNew(t)
	queued := func() *Run {
		t.Helper()
		r, err := store.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Line: "k"})
		must(t, err)
		return r
	}
	first, second := queued(), queued()
	if slot, err := store.TakeSlot(t.Context(), "k", 1, ""); slot != nil || err != nil {
		t.Errorf("who has not waited gets %v, %v", slot, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan *Slot, 1)
	go func() {
		slot, err := second.AwaitSlot(context.Background(), "k", 1)
		if err != nil {
			t.Error(err)
		}
		got <- slot
	}()
	slot, err := first.AwaitSlot(t.Context(), "k", 1)
	must(t, err)
	if slot == nil {
		t.Fatal("the first one has no place")
	}
	select {
	case <-got:
		t.Error("two have the only place")
	default:
	}
	third := queued()
	cancel()
	if _, err := third.AwaitSlot(ctx, "k", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("who is cancelled while it waits gets %v", err)
	}
	slot.Give()
	(<-got).Give()
	for _, r := range []*Run{first, second, third} {
		must(t, r.Close())
	}
}

func TestAQueuedRunIsOneUntilItBegins(t *testing.T) {
	store := openNew(t)
	r, err := store.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Line: "k"})
	must(t, err)
	status := func(want Status) {
		t.Helper()
		rec, err := store.Run(t.Context(), string(r.ID()))
		must(t, err)
		if rec.Status != want {
			t.Errorf("it is %s, want %s", rec.Status, want)
		}
	}
	status(Queued)
	must(t, r.Close())
	status(Interrupted)
	runs, err := store.Runs(t.Context(), Filter{Statuses: []Status{Interrupted}})
	must(t, err)
	if len(runs) != 1 {
		t.Errorf("%d runs are interrupted", len(runs))
	}
	r, err = store.Adopt(t.Context(), r.ID())
	must(t, err)
	status(Queued)
	must(t, r.Commit(t.Context(), Event{Data: RunBegun{}}))
	status(Running)
	must(t, r.Queue(t.Context(), "k"))
	status(Queued)
	must(t, store.Rebuild(t.Context()))
	status(Queued)
	must(t, r.Commit(t.Context(), Event{Data: RunBegun{}}, Event{Data: RunFinished{Status: Completed}}))
	status(Completed)
	must(t, r.Close())
}
