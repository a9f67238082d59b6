package journal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// doubtful makes a run with a step in doubt and one that runs.
func doubtful(t *testing.T, s *Store) *Run {
	t.Helper()
	r := newRun(t, s)
	must(t, r.Commit(t.Context(),
		Event{Node: "a", Attempt: 1, Data: NodeStarted{}},
		Event{Node: "a", Attempt: 1, Data: NodeWaiting{For: WaitInDoubt}},
		Event{Node: "b", Attempt: 1, Data: NodeStarted{}},
	))
	return r
}

func resolved(node string) Event {
	return Event{Node: node, Data: NodeResolved{As: ResolvedOK, By: "ada", Output: json.RawMessage(`{"id":7}`)}}
}

func TestAMessageWakesTheOwner(t *testing.T) {
	s := openNew(t)
	r := doubtful(t, s)
	other := open(t, s.dir, Options{})
	owner, err := other.Send(t.Context(), r.ID(), resolved("a"))
	must(t, err)
	if owner == nil || owner.PID != os.Getpid() {
		t.Errorf("the owner is %v", owner)
	}
	<-r.Mail() // the bell
	got, err := r.Receive(t.Context())
	must(t, err)
	if len(got) != 1 || got[0].Node != "a" || got[0].Message == 0 || string(got[0].Data.(NodeResolved).Output) != `{"id":7}` {
		t.Fatalf("received %+v", got)
	}
	if again, err := r.Receive(t.Context()); err != nil || len(again) > 0 {
		t.Errorf("received again %+v, %v", again, err)
	}
	if n := len(history(t, s, r.ID())); n != 4 {
		t.Errorf("the log has %d events before the owner takes the message over, want 4", n)
	}
	if parked, err := r.Park(t.Context()); parked || err != nil {
		t.Errorf("it was parked with a message that is no event yet: %v", err)
	}
	must(t, r.Commit(t.Context(), got[0]))
	last := history(t, s, r.ID())[4]
	if last.Kind() != KindNodeResolved || last.Message != 0 {
		t.Errorf("the log ends with %+v", last)
	}
	if parked, err := r.Park(t.Context()); !parked || err != nil {
		t.Errorf("it was not parked: %v", err)
	}
}

// A bell may be missing, on a file system without named pipes.
func TestAMessageIsSeenAtTheNextCommit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	s := open(t, dir, Options{alone: true})
	r := doubtful(t, s)
	_, err := open(t, dir, Options{}).Send(t.Context(), r.ID(), Event{Data: CancelRequested{By: "ada"}})
	must(t, err)
	select {
	case <-r.Mail():
		t.Fatal("it was rung")
	default:
	}
	must(t, r.Commit(t.Context(), Event{Node: "b", Attempt: 1, Data: NodeCompleted{}}))
	<-r.Mail()
}

func TestAMessageWaitsForTheNextOwner(t *testing.T) {
	s := openNew(t)
	c := startChild(t, "hold", s.dir) // its step a was running and may not be repeated
	id := RunID(c.line())
	if _, err := s.Send(t.Context(), id, resolved("a")); !errors.Is(err, ErrNoWait) {
		t.Errorf("resolving a step that runs: %v", err)
	}
	c.kill()
	owner, err := s.Send(t.Context(), id, resolved("a"))
	must(t, err)
	if owner != nil {
		t.Errorf("a dead owner is named: %v", owner)
	}
	must(t, s.Close())

	s = open(t, s.dir, Options{})
	r, err := s.Adopt(t.Context(), id)
	must(t, err)
	<-r.Mail()
	got, err := r.Receive(t.Context())
	must(t, err)
	if len(got) != 1 || got[0].Kind() != KindNodeResolved {
		t.Fatalf("received %+v", got)
	}
	must(t, r.Commit(t.Context(), got[0], Event{Data: RunFinished{Status: Failed}}))
}

func TestWhatCannotBeSent(t *testing.T) {
	s := openNew(t)
	r := doubtful(t, s)
	finished := newRun(t, s)
	must(t, finished.Commit(t.Context(), Event{Data: RunFinished{Status: Completed}}))
	cancel := Event{Data: CancelRequested{By: "ada"}}
	for _, c := range []struct {
		name   string
		run    RunID
		ev     Event
		reason error
		want   string
	}{
		{"to no run", "06d3k7mx-x2f9", cancel, ErrNotFound, "There is no run"},
		{"to a finished one", finished.ID(), cancel, ErrFinished, "is finished: it is completed"},
		{"of a step that runs", r.ID(), resolved("b"), ErrNoWait, "The step b is not in doubt: its state is running."},
		{"of a step that has not begun", r.ID(), resolved("c"), ErrNoWait, "The step c has not begun"},
		{"of an element that is not there", r.ID(), Event{Node: "a", Instance: `"de"`, Data: NodeResolved{As: ResolvedOK}}, ErrNoWait, `The step a["de"] has not begun`},
	} {
		if _, err := s.Send(t.Context(), c.run, c.ev); !errors.Is(err, c.reason) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for range 2 { // to cancel twice is to cancel
		_, err := s.Send(t.Context(), r.ID(), cancel)
		must(t, err)
	}
	_, err := s.Send(t.Context(), r.ID(), resolved("a"))
	must(t, err)
	if _, err := s.Send(t.Context(), r.ID(), resolved("a")); !errors.Is(err, ErrAnswered) {
		t.Errorf("resolving twice: %v", err)
	}
	got, err := r.Receive(t.Context())
	must(t, err)
	if len(got) != 2 || got[0].Kind() != KindCancelRequested || got[1].Kind() != KindNodeResolved {
		t.Errorf("received %+v", got)
	}
}

// What was sent and not taken up before the end concerns nobody any more.
func TestTheInboxOfAFinishedRunIsEmpty(t *testing.T) {
	s := openNew(t)
	r := doubtful(t, s)
	_, err := s.Send(t.Context(), r.ID(), Event{Data: CancelRequested{}})
	must(t, err)
	must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Completed}}))
	must(t, s.do(context.Background(), func(c *conn) error {
		row, err := c.row(`SELECT count(*) FROM inbox`)
		if err == nil && row[0].(int64) != 0 {
			t.Errorf("%d messages are left", row[0])
		}
		return err
	}))
}
