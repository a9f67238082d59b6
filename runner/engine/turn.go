package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// BusyError says that a run was not begun because others of its workflow go on, and
// `concurrency` rejects one more.
type BusyError struct {
	Workflow string
	Key      string // "" where all runs are counted together
	Limit    int
}

// Error returns full sentences.
func (e *BusyError) Error() string {
	of, are := e.Workflow, "run goes on"
	if e.Key != "" {
		of += " with the key " + value.OfString(e.Key).JSON()
	}
	if e.Limit > 1 {
		are = "runs go on"
	}
	return fmt.Sprintf("the run was not begun: %d %s of %s already, and its concurrency allows no more.", e.Limit, are, of)
}

// turn is whether a run may go on now, as its workflow's `concurrency` wants it. The
// zero turn is that of a workflow without.
type turn struct {
	slot  *journal.Slot // the run's; nil: it needs none, or has to wait for one
	line  string        // where it waits; "": nowhere
	limit int
	asked <-chan struct{} // what [Turn.Ask] gave; nil: it was not asked
}

func (t *turn) waits() bool { return t.slot == nil && t.line != "" }

// turn takes the place that `concurrency` wants a run to have, if it can be had now.
// run is the one that is resumed; "" is one that is not created yet.
func (o *Options) turn(ctx context.Context, run journal.RunID, inputs, previous value.Value) (t turn, err error) {
	c := o.Program.plan.Concurrency
	if c == nil {
		return t, nil
	}
	var key string
	if key, t.limit, err = o.Program.turnOf(inputs, previous); err != nil {
		return t, err
	}
	t.line = journal.LineOf(o.Program.plan.Workflow + "\x00" + key)
	t.slot, err = o.Journal.TakeSlot(ctx, t.line, t.limit, run)
	if t.slot != nil || err != nil {
		return t, err
	}
	switch {
	case c.OnConflict == "reject" && run == "": // one that is resumed was begun when there was room
		return t, &BusyError{o.Program.plan.Workflow, key, t.limit}
	case c.OnConflict == "cancel":
		return t, o.cancelOthers(ctx, run, key)
	}
	return t, nil
}

// wait waits for the turn of a run that is in its line, and begins it. An outcome
// says that it was cancelled before anything of it began.
func (d *driver) wait(ctx context.Context, log *journal.Run, t *turn, opts *Options) (cancelled *Outcome, err error) {
	if d.tell != nil {
		d.tell(RunQueued{Run: d.name, Workflow: d.prog.plan.Workflow, Deployment: d.prog.plan.Deployment, Time: d.clock()})
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan error, 1)
	go func() {
		over <- t.await(waiting, log, opts)
	}()
	mail := d.mail
	if !d.core.began.IsZero() {
		mail = nil // what is to be undone waits for its turn too
	}
	for {
		select {
		case err := <-over:
			switch {
			case ctx.Err() == nil && err == nil:
				return nil, d.begin(ctx)
			case ctx.Err() == nil:
				return nil, err
			case isLeft(ctx):
				return d.left(), nil
			case d.core.began.IsZero():
				return d.endQueued(journal.Event{Data: journal.CancelRequested{By: cancelledBy(ctx)}})
			}
			return nil, fmt.Errorf("the run %s was cancelled while it waited for its turn, and is as it was: %w", d.name, ctx.Err())
		case <-mail:
			out, err := d.queuedMail(ctx)
			if out != nil || err != nil {
				stop()
				<-over
				return out, err
			}
		case <-d.leave:
			stop()
			<-over
			return d.left(), nil
		}
	}
}

// begin makes durable that the turn of a run has come.
func (d *driver) begin(ctx context.Context) error {
	d.begun = RunBegun{Time: d.clock()}
	ev := d.core.encode(d.begun, "")
	ev.Time = d.begun.Time
	return d.log.Commit(context.WithoutCancel(ctx), ev)
}

// queuedMail takes what others want of a run of which nothing has begun: they can
// only want its end, which is the outcome then.
func (d *driver) queuedMail(ctx context.Context) (*Outcome, error) {
	events, err := d.receive(context.WithoutCancel(ctx))
	if err != nil || len(events) == 0 {
		return nil, err
	}
	return d.endQueued(events...)
}

// endQueued ends a run of which nothing has begun.
func (d *driver) endQueued(wishes ...journal.Event) (*Outcome, error) {
	ended := RunEnded{Status: StatusCancelled, Err: &RunError{Kind: KindCancelled, Message: "The run was cancelled before its turn came."}}
	now := d.clock()
	events := append(wishes, d.core.encode(ended, ""))
	for i := range events {
		events[i].Time = now
	}
	if err := d.log.Commit(context.Background(), events...); err != nil {
		return nil, err
	}
	if d.tell != nil {
		d.tell(RunFinished{Run: d.name, Status: ended.Status, Err: ended.Err, Time: now})
	}
	return &Outcome{Run: d.name, Status: ended.Status, Err: ended.Err}, nil
}

// turnOf evaluates with which runs a run is counted, and how many may go on at once.
func (p *Program) turnOf(inputs, previous value.Value) (key string, limit int, err error) {
	c := NewCore(p, CoreOptions{})
	c.created = &RunCreated{Inputs: inputs, Previous: previous}
	c.frames[0].inputs = inputs
	s := &scope{core: c, frame: c.frames[0]}
	limit, failure := c.count("limit", p.limit, 1, s)
	if failure == nil && !p.key.IsZero() {
		var v value.Value
		if v, failure = c.eval("key", p.key, s); failure == nil {
			if key = v.JSON(); v.Kind() == value.String {
				key = v.AsString()
			}
		}
	}
	if failure != nil {
		return "", 0, fmt.Errorf("the run was not begun: in its `concurrency`: %s", failure.Message)
	}
	return key, limit, nil
}

// cancelOthers asks for the end of the runs that are counted with own, which is ""
// for a new one.
func (o *Options) cancelOthers(ctx context.Context, own journal.RunID, key string) error {
	runs, err := o.Journal.Runs(ctx, journal.Filter{Workflow: o.Program.plan.Workflow, Statuses: []journal.Status{journal.Running, journal.Queued}})
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Run == own {
			continue // it is resumed
		}
		record, err := o.Journal.Run(ctx, string(r.Run))
		if err != nil {
			return err
		}
		inputs, err := value.ParseStored(record.Inputs)
		if err != nil {
			return err
		}
		theirs, _, err := o.Program.turnOf(inputs, value.NullValue)
		if err != nil || theirs != key {
			continue // of another version of the workflow, or not counted together
		}
		_, err = o.Journal.Send(ctx, r.Run, journal.Event{Data: journal.CancelRequested{By: "a newer run"}})
		if err != nil && !errors.Is(err, journal.ErrFinished) && !errors.Is(err, journal.ErrAnswered) {
			return err
		}
	}
	return nil
}
