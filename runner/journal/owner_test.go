package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a time that a test sets.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func TestTheOwnerOfALiveRunIsNamed(t *testing.T) {
	s := openNew(t)
	c := startChild(t, "hold", s.dir)
	id := RunID(c.line())
	_, err := s.Adopt(t.Context(), id)
	if !errors.Is(err, ErrOwned) {
		t.Fatalf("adopting a live run: %v", err)
	}
	_, host := thisHost()
	for _, want := range []string{string(id), "process ", "on host " + host, "since 20"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	rec, err := s.Run(t.Context(), string(id))
	must(t, err)
	if rec.Owner == nil || rec.Owner.PID != c.cmd.Process.Pid || rec.Owner.Host != host || rec.Status != Running {
		t.Errorf("the record has the status %s and the owner %+v", rec.Status, rec.Owner)
	}
	c.kill()
	rec, err = s.Run(t.Context(), string(id))
	must(t, err)
	if rec.Owner != nil || rec.Status != Interrupted {
		t.Errorf("after its death the record has the status %s and the owner %v", rec.Status, rec.Owner)
	}
	r, err := s.Adopt(t.Context(), id)
	must(t, err)
	adopted := history(t, s, id)
	last, ok := adopted[len(adopted)-1].Data.(RunAdopted)
	if !ok || last.Owner.PID != os.Getpid() {
		t.Errorf("the history ends with %+v", adopted[len(adopted)-1])
	}
	must(t, r.Close())
}

// A process on another host cannot see the lock; the lease is what it has. The
// lock's file is removed here, which is how the other host sees it.
func TestALeaseKeepsOtherHostsAway(t *testing.T) {
	time := newClock()
	dir := filepath.Join(t.TempDir(), ".wfc")
	here := open(t, dir, Options{Clock: time.read, host: &host{Machine: "a", Boot: "1"}})
	r := newRun(t, here)
	must(t, os.Remove(here.locks.run(r.ID())))
	there := open(t, dir, Options{Clock: time.read, host: &host{Machine: "b", Boot: "2"}})
	if _, err := there.Adopt(t.Context(), r.ID()); !errors.Is(err, ErrOwned) || !strings.Contains(err.Error(), "another host") {
		t.Fatalf("within the lease: %v", err)
	}
	if rec, err := there.Run(t.Context(), string(r.ID())); err != nil || rec.Status != Running || rec.Owner == nil {
		t.Errorf("within the lease the run is %v, %v", rec, err)
	}
	time.now = time.now.Add(leaseFor / 2)
	must(t, here.do(t.Context(), here.renew))
	time.now = time.now.Add(leaseFor)
	if _, err := there.Adopt(t.Context(), r.ID()); !errors.Is(err, ErrOwned) {
		t.Errorf("within the renewed lease: %v", err)
	}
	time.now = time.now.Add(1)
	if rec, err := there.Run(t.Context(), string(r.ID())); err != nil || rec.Status != Interrupted {
		t.Errorf("after the lease the run is %v, %v", rec, err)
	}
	next, err := there.Adopt(t.Context(), r.ID())
	must(t, err)
	if err := r.Commit(t.Context(), numbered(1)); !errors.Is(err, ErrFenced) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("a commit of the owner whose lease was over: %v", err)
	}
	must(t, here.do(t.Context(), here.renew)) // which is nothing for a run that is lost
	must(t, next.Commit(t.Context(), numbered(1)))
}

func TestWhichHostsSeeOnesLocks(t *testing.T) {
	here := host{Machine: "a", Boot: "1"}
	for _, c := range []struct {
		name  string
		other host
		want  bool
	}{
		{"this one", here, true},
		{"a container beside this process", host{Machine: "c", Boot: "1"}, true},
		{"this one before it was started anew", host{Machine: "a", Boot: "0"}, true},
		{"an owner that a wfc wrote that knew no hosts", host{}, true},
		{"another one", host{Machine: "b", Boot: "2"}, false},
		{"another one that has no machine id", host{Boot: "2"}, false},
		{"another one that has no boot id", host{Machine: "b"}, false},
	} {
		if got := here.sees(c.other); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if (host{Machine: "a"}).sees(host{Machine: "b"}) {
		t.Error("two machines without boot ids are taken for one")
	}
}

// A run that waits for somebody is given up by its process, and may be adopted by the next at once.
func TestAParkedRunIsFree(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	must(t, r.Commit(t.Context(), Event{Node: "a", Attempt: 1, Data: NodeWaiting{For: WaitInDoubt}}, Event{Data: RunWaiting{}}))
	parked, err := r.Park(t.Context())
	must(t, err)
	if !parked {
		t.Fatal("a run without messages was not parked")
	}
	rec, err := s.Run(t.Context(), string(r.ID()))
	must(t, err)
	if rec.Status != Waiting || rec.Owner != nil || rec.Steps[0].State != StateInDoubt {
		t.Errorf("it is %s, owned by %v, its step %s", rec.Status, rec.Owner, rec.Steps[0].State)
	}
	if err := r.Append(numbered(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("appending to a parked run: %v", err)
	}
	next, err := open(t, s.dir, Options{host: &host{Machine: "elsewhere"}}).Adopt(t.Context(), r.ID())
	must(t, err)
	rec, err = s.Run(t.Context(), string(r.ID()))
	must(t, err)
	if rec.Status != Running {
		t.Errorf("adopted, it is %s", rec.Status)
	}
	must(t, next.Commit(t.Context(), Event{Data: RunFinished{Status: Failed}}))
	checkProjection(t, s)
}

// However many want a run whose owner is dead, one gets it; the others are told who.
func TestOneOfManyAdoptsARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	c := startChild(t, "hold", dir)
	id := RunID(c.line())
	c.kill()
	var all sync.WaitGroup
	adopted := make(chan *Run, 8)
	for range cap(adopted) {
		s := open(t, dir, Options{})
		all.Go(func() {
			r, err := s.Adopt(t.Context(), id)
			switch {
			case err == nil:
				adopted <- r
			case !errors.Is(err, ErrOwned):
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(adopted)
	n := 0
	for r := range adopted {
		must(t, r.Commit(t.Context(), numbered(1)))
		n++
	}
	if n != 1 {
		t.Errorf("%d owners", n)
	}
}
