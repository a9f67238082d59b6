package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// busy is a run of a workflow with `concurrency` that goes on until it is let go.
func busy(t *testing.T, onConflict string) (opts Options, letGo func() *Outcome) {
	store := openJournal(t)
	p := planOf(call("a", "t", ``))
	p.Inputs = []plan.Input{{Name: "k", Type: "string"}}
	p.Concurrency = &plan.Concurrency{Key: "input.k", OnConflict: onConflict}
	p.Seal()
	left, gate, ended := make(chan struct{}), make(chan struct{}), make(chan *Outcome, 1)
	first := Options{Program: program(t, p), Journal: store, Inputs: structured2(`{"k":"x"}`), Caller: callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
		close(left)
		select {
		case <-gate:
			return structured(`{}`), nil
		case <-ctx.Done():
			return nil, &CallError{Kind: KindCancelled, Message: "It was cancelled.", Sent: SentMaybe}
		}
	})}
	go func() {
		out, err := Run(context.Background(), first)
		if err != nil {
			t.Error(err)
		}
		ended <- out
	}()
	<-left
	opts = first
	opts.Caller = tools(world{"t": give("1")})
	return opts, func() *Outcome { close(gate); return <-ended }
}

func structured2(text string) value.Value { return *structured(text).Structured }

// inLine begins a run that has to wait, and returns its id once it does, and its end.
func inLine(t *testing.T, ctx context.Context, opts Options) (id journal.RunID, ended <-chan *Outcome) {
	t.Helper()
	queued, done := make(chan string, 1), make(chan *Outcome, 1)
	watch := opts.Watch
	opts.Watch = func(e Event) {
		if watch != nil {
			watch(e)
		}
		if e, ok := e.(RunQueued); ok {
			queued <- e.Run
		}
	}
	go func() {
		out, err := Run(ctx, opts)
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	return journal.RunID(<-queued), done
}

func statusOf(t *testing.T, store *journal.Store, run journal.RunID) journal.Status {
	t.Helper()
	r, err := store.Run(context.Background(), string(run))
	if err != nil {
		t.Fatal(err)
	}
	return r.Status
}

func TestARunWaitsUntilItsTurnHasCome(t *testing.T) {
	opts, letGo := busy(t, "queue")
	var told []string
	opts.Watch = func(e Event) {
		switch e.(type) {
		case RunQueued, RunStarted, RunFinished:
			told = append(told, fmt.Sprintf("%T", e))
		}
	}
	id, done := inLine(t, t.Context(), opts)
	if got := statusOf(t, opts.Journal, id); got != journal.Queued {
		t.Errorf("while it waits it is %s", got)
	}
	letGo()
	if out := <-done; out == nil || out.Status != StatusCompleted || out.Run != string(id) {
		t.Errorf("it ends with %+v", out)
	}
	if got := strings.Join(told, " "); got != "engine.RunQueued engine.RunStarted engine.RunFinished" {
		t.Errorf("what is told is %s", got)
	}
}

func TestRunsBeginInTheOrderInWhichTheyWereQueued(t *testing.T) {
	opts, letGo := busy(t, "queue")
	var mu sync.Mutex
	var began, queued []string
	opts.Watch = func(e Event) {
		if e, ok := e.(RunStarted); ok {
			mu.Lock()
			began = append(began, e.Run)
			mu.Unlock()
		}
	}
	var ends []<-chan *Outcome
	for range 5 {
		id, end := inLine(t, t.Context(), opts)
		queued, ends = append(queued, string(id)), append(ends, end)
	}
	letGo()
	for _, end := range ends {
		if out := <-end; out.Status != StatusCompleted {
			t.Errorf("one ends with %+v", out)
		}
	}
	if !slices.Equal(began, queued) {
		t.Errorf("they begin as %v, and were queued as %v", began, queued)
	}
}

// The deadline of a workflow is the time that it may take once it has begun.
func TestADeadlineDoesNotCountTheTimeInAQueue(t *testing.T) {
	opts, letGo := busy(t, "queue")
	p := *opts.Program.plan
	p.Deadline = `"1h"`
	p.Seal()
	opts.Program = program(t, &p)
	var late atomic.Bool
	opts.Clock = func() time.Time {
		if now := time.Now().UTC(); !late.Load() {
			return now
		} else {
			return now.Add(2 * time.Hour)
		}
	}
	_, done := inLine(t, t.Context(), opts)
	late.Store(true)
	letGo()
	if out := <-done; out.Status != StatusCompleted {
		t.Errorf("it ends with %+v", out)
	}
}

func TestARunIsRejectedWhileAnotherGoesOn(t *testing.T) {
	opts, letGo := busy(t, "reject")
	_, err := Run(t.Context(), opts)
	if e := (*BusyError)(nil); !errors.As(err, &e) || err.Error() != `the run was not begun: 1 run goes on of w with the key "x" already, and its concurrency allows no more.` {
		t.Errorf("got %v", err)
	}
	opts.Inputs = structured2(`{"k":"y"}`)
	if out, err := Run(t.Context(), opts); err != nil || out.Status != StatusCompleted {
		t.Errorf("a run with another key gives %+v, %v", out, err)
	}
	letGo()
}

func TestARunTakesThePlaceOfAnother(t *testing.T) {
	opts, letGo := busy(t, "cancel")
	if out, err := Run(t.Context(), opts); err != nil || out.Status != StatusCompleted {
		t.Errorf("got %+v, %v", out, err)
	}
	if out := letGo(); out.Status != StatusCancelled {
		t.Errorf("the other one is %s", out.Status)
	}
}

func TestARunThatWaitsForItsTurnCanBeCancelled(t *testing.T) {
	for name, cancelIt := range map[string]func(*journal.Store, journal.RunID, context.CancelCauseFunc) error{
		"here": func(_ *journal.Store, _ journal.RunID, cancel context.CancelCauseFunc) error {
			cancel(errors.New("ctrl-c"))
			return nil
		},
		"from elsewhere": func(store *journal.Store, id journal.RunID, _ context.CancelCauseFunc) error {
			owner, err := store.Send(context.Background(), id, journal.Event{Data: journal.CancelRequested{By: "ctrl-c"}})
			if owner == nil {
				return fmt.Errorf("it has no owner: %v", err)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts, letGo := busy(t, "queue")
			ctx, cancel := context.WithCancelCause(t.Context())
			opts.Caller = callerFunc(func(context.Context, Call) (*Answer, error) {
				t.Error("a call was made")
				return structured(`{}`), nil
			})
			id, done := inLine(t, ctx, opts)
			if err := cancelIt(opts.Journal, id, cancel); err != nil {
				t.Fatal(err)
			}
			out := <-done
			if out == nil || out.Status != StatusCancelled || out.Err.Message != "The run was cancelled before its turn came." {
				t.Errorf("it ends with %+v", out)
			}
			var by []string
			for ev, err := range opts.Journal.Events(context.Background(), id) {
				if err != nil {
					t.Fatal(err)
				}
				if c, ok := ev.Data.(journal.CancelRequested); ok {
					by = append(by, c.By)
				}
			}
			if got := statusOf(t, opts.Journal, id); got != journal.Cancelled || !slices.Equal(by, []string{"ctrl-c"}) {
				t.Errorf("its journal says %s, by %v", got, by)
			}
			letGo()
			opts.Caller = tools(world{"t": give("1")})
			if out, err := Run(t.Context(), opts); err != nil || out.Status != StatusCompleted {
				t.Errorf("the next one gives %+v, %v", out, err)
			}
		})
	}
}

// dead is a run that waited for its turn when its process died.
func dead(t *testing.T, opts Options) journal.RunID {
	t.Helper()
	prog := opts.Program
	log, err := opts.Journal.CreateRun(t.Context(), journal.NewRun{
		Plan: prog.encoded(), PlanDigest: prog.plan.Digest, Workflow: "w", Inputs: []byte(`{"k":"x"}`), Line: journal.LineOf("w\x00x"),
	})
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return log.ID()
}

func TestAQueuedRunWhoseProcessDiedHoldsBackNoOther(t *testing.T) {
	opts, letGo := busy(t, "queue")
	id := dead(t, opts)
	if got := statusOf(t, opts.Journal, id); got != journal.Interrupted {
		t.Errorf("it is %s", got)
	}
	_, done := inLine(t, t.Context(), opts)
	letGo()
	if out := <-done; out == nil || out.Status != StatusCompleted {
		t.Errorf("another one ends with %+v", out)
	}
	if out, err := Resume(t.Context(), opts, id); err != nil || out.Status != StatusCompleted {
		t.Errorf("resumed, it ends with %+v, %v", out, err)
	}
}

func TestAQueuedRunWhoseProcessDiedIsCancelled(t *testing.T) {
	opts, letGo := busy(t, "queue")
	id := dead(t, opts)
	if owner, err := opts.Journal.Send(t.Context(), id, journal.Event{Data: journal.CancelRequested{}}); err != nil || owner != nil {
		t.Fatalf("asking for its end gives %v, %v", owner, err)
	}
	if out, err := Resume(t.Context(), opts, id); err != nil || out.Status != StatusCancelled {
		t.Errorf("it ends with %+v, %v", out, err)
	}
	letGo()
}

// A run that is resumed has its turn before those that were created after it. It was
// begun once, so that nothing rejects it: what somebody answered would be in vain.
func TestAResumedRunWaitsForItsTurnAgain(t *testing.T) {
	for _, onConflict := range []string{"queue", "reject"} {
		t.Run(onConflict, func(t *testing.T) { testResumedRunWaits(t, onConflict) })
	}
}

func testResumedRunWaits(t *testing.T, onConflict string) {
	opts, letGo := busy(t, onConflict)
	id := dead(t, opts)
	queued, done := make(chan struct{}), make(chan *Outcome, 1)
	resumed := opts
	resumed.Watch = func(e Event) {
		if _, ok := e.(RunQueued); ok {
			close(queued)
		}
	}
	go func() {
		out, err := Resume(context.Background(), resumed, id)
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	<-queued
	if got := statusOf(t, opts.Journal, id); got != journal.Queued {
		t.Errorf("it is %s", got)
	}
	letGo()
	if out := <-done; out == nil || out.Status != StatusCompleted {
		t.Errorf("it ends with %+v", out)
	}
}

// The run that is resumed is none of those whose place it takes.
func TestAResumedRunTakesThePlaceOfAnother(t *testing.T) {
	opts, letGo := busy(t, "cancel")
	prog := opts.Program
	log, err := opts.Journal.CreateRun(t.Context(), journal.NewRun{Plan: prog.encoded(), PlanDigest: prog.plan.Digest, Workflow: "w", Inputs: []byte(`{"k":"x"}`)})
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := Resume(t.Context(), opts, log.ID()); err != nil || out.Status != StatusCompleted {
		t.Errorf("got %+v, %v", out, err)
	}
	if out := letGo(); out.Status != StatusCancelled {
		t.Errorf("the other one is %s", out.Status)
	}
}

func TestNothingBeginsOnceTheProcessHasSaidThatItEnds(t *testing.T) {
	leave := make(chan struct{})
	var made []string
	caller := callerFunc(func(_ context.Context, c Call) (*Answer, error) {
		if made = append(made, c.Tool); len(made) == 1 {
			close(leave) // while this call is in flight
		}
		return structured(`{}`), nil
	})
	out, err := drive(t, t.Context(), planOf(call("a", "first", ``), call("b", "second", ``, after("a"))), &memoryLog{}, Options{Caller: caller, Leave: leave})
	if err != nil || out.Status != StatusInterrupted || !slices.Equal(made, []string{"first"}) {
		t.Errorf("it called %v and ended with %+v, %v", made, out, err)
	}
}
