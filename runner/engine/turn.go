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

// turn takes the place that `concurrency` wants a run to have, nil where it wants
// none. Until there is one, a run is not created: its turn has not come. run is the
// one that is resumed, "" where a new one is to be created. queued is
// called before it waits.
func (o *Options) turn(ctx context.Context, run journal.RunID, inputs, previous value.Value, queued func()) (*journal.Slot, error) {
	c := o.Program.plan.Concurrency
	if c == nil {
		return nil, nil
	}
	key, limit, err := o.Program.turnOf(inputs, previous)
	if err != nil {
		return nil, err
	}
	name := o.Program.plan.Workflow + "\x00" + key
	slot, err := o.Journal.TakeSlot(ctx, name, limit, false)
	if slot != nil || err != nil {
		return slot, err
	}
	switch c.OnConflict {
	case "reject":
		return nil, &BusyError{o.Program.plan.Workflow, key, limit}
	case "cancel":
		if err := o.cancelOthers(ctx, run, key); err != nil {
			return nil, err
		}
	}
	queued()
	if slot, err = o.Journal.TakeSlot(ctx, name, limit, true); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("the run was not begun: it was cancelled while it waited for its turn: %w", err)
	}
	return slot, err
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
	runs, err := o.Journal.Runs(ctx, journal.Filter{Workflow: o.Program.plan.Workflow, Statuses: []journal.Status{journal.Running}})
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
