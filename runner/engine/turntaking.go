package engine

import (
	"context"
	"errors"

	"github.com/lda-wf/wfc/runner/journal"
)

// Turn is a run's place among those that may go on in this process at once. A run
// whose turn has not come is queued: it is in the journal, and nothing of it begins.
type Turn interface {
	// Ask is called once, when nothing else keeps the run from going on. What it
	// returns is closed when it is the run's turn.
	Ask() <-chan struct{}
}

// processLine is the line of the runs that wait for their turn in a process. It has no
// places: they are the process's own.
const processLine = "process"

// ErrLeft is the cause of the end of Run's context with which a run is not cancelled
// but given up where it is, for another process to resume.
var ErrLeft = errors.New("the process ends")

// come asks for the turn of a run that nothing else keeps from going on, and reports
// whether it is now.
func (t *turn) come(o *Options) bool {
	if o.Turn == nil || t.waits() {
		return !t.waits()
	}
	t.asked = o.Turn.Ask()
	select {
	case <-t.asked:
		return true
	default:
		return false
	}
}

// lineOr is where a run waits.
func (t *turn) lineOr() string {
	if t.line == "" {
		return journal.LineOf(processLine)
	}
	return t.line
}

// await waits for a place in the line of `concurrency`, and then for the turn in this process.
func (t *turn) await(ctx context.Context, log *journal.Run, o *Options) (err error) {
	if t.waits() {
		if t.slot, err = log.AwaitSlot(ctx, t.line, t.limit); err != nil {
			return err
		}
	}
	if o.Turn == nil {
		return nil
	}
	if t.asked == nil {
		t.asked = o.Turn.Ask()
	}
	select {
	case <-t.asked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// left is the outcome of a run that is given up where it is.
func (d *driver) left() *Outcome { return &Outcome{Run: d.name, Status: StatusInterrupted} }

// leaves reports whether nothing new begins any more. It looks for itself: what the
// process has said counts for the very next call, also where the driver's own goroutine
// has not heard it yet. mu is held.
func (d *driver) leaves() bool {
	select {
	case <-d.leave:
		d.leaving = true
	default:
	}
	return d.leaving
}

// isLeft reports whether the end of a context means that the process ends.
func isLeft(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrLeft)
}

// giveUp ends the calls in flight, whatever comes of them: who resumes the run decides.
// mu is held.
func (d *driver) giveUp() {
	d.leaving = true
	if d.core.Ended() == nil {
		d.fail(ErrLeft)
	}
}
