package engine

import (
	"context"
	"errors"
	"testing"

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

func TestARunWaitsUntilItsTurnHasCome(t *testing.T) {
	opts, letGo := busy(t, "queue")
	queued := make(chan struct{})
	opts.Watch = func(e Event) {
		if _, ok := e.(RunQueued); ok {
			close(queued)
		}
	}
	done := make(chan *Outcome, 1)
	go func() {
		out, err := Run(context.Background(), opts)
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	<-queued
	letGo()
	if out := <-done; out == nil || out.Status != StatusCompleted {
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
	opts, letGo := busy(t, "queue")
	ctx, cancel := context.WithCancel(t.Context())
	opts.Watch = func(e Event) { cancel() }
	if _, err := Run(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	letGo()
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
