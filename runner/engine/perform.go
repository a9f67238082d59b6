package engine

import (
	"context"

	"github.com/lda-wf/wfc/runner/journal"
)

// step hands a fact to the core and does what it says. mu is held.
func (d *driver) step(f Fact) {
	if live := d.advance(f); live != nil {
		d.start(live)
	}
}

// perform does what the core says. mu is held.
func (d *driver) perform(commands []Command) {
	if live := d.obey(commands); live != nil {
		d.start(live)
	}
}

// advance is step, but for the first call that is to be made now, if there is
// one: it is the caller's to make.
func (d *driver) advance(f Fact) (first *liveCall) {
	if d.fatal != nil {
		return nil
	}
	commands, err := d.core.Step(d.clock(), f)
	if err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	return d.obey(commands)
}

func (d *driver) obey(commands []Command) (first *liveCall) {
	for _, c := range commands {
		switch c := c.(type) {
		case Record:
			d.keep(c.Fact)
		case StartCall:
			if d.leaves() {
				break // who resumes the run makes it
			}
			if live := d.newCall(c); first == nil {
				first = live
			} else {
				d.start(live)
			}
		case CancelCall:
			live := d.calls[c.At]
			if live == nil {
				break
			}
			live.giveUpAt = d.clock().Add(cancelWait)
			d.giveUps = append(d.giveUps, live)
			if c.Late {
				live.cancel(errLate)
			} else {
				live.cancel(stopped(c.Because))
			}
		}
	}
	d.attend()
	d.arm()
	return first
}

// checkOver says so when no call is in flight and the run has ended, waits for
// somebody, or cannot go on.
func (d *driver) checkOver() {
	if !d.isOver() {
		return
	}
	select {
	case d.over <- struct{}{}:
	default:
	}
}

func (d *driver) isOver() bool {
	return len(d.calls) == 0 && (d.leaving || d.fatal != nil || d.core.Ended() != nil || d.core.Waiting() && len(d.attended) == 0)
}

// keep journals a fact of the core and tells the watcher. The end of the run is
// kept by finish, which waits for it.
func (d *driver) keep(f Fact) {
	if _, ended := f.(RunEnded); ended {
		return
	}
	ev := d.core.encode(f, "")
	ev.Time = d.clock()
	d.append(ev)
	if d.watch == nil {
		return
	}
	failure := func(f *Failure) *Failure { return f }
	if ev.Sensitive {
		failure = shownFailure
	}
	switch f := f.(type) {
	case NodeStarted:
		d.watch.push(StepStarted{Step: d.core.Instance(f.At), Elements: d.core.Elements(f.At), Attempt: f.Attempt, Time: ev.Time}, d.appended)
	case AttemptFailed:
		d.watch.push(StepRetrying{Step: d.core.Instance(f.At), Attempt: f.Attempt, Failure: failure(f.Failure), At: f.RetryAt, Time: ev.Time}, d.appended)
	case NodeWaiting:
		waits := StepWaiting{Step: d.core.Instance(f.At), InDoubt: f.For == WaitInDoubt, Until: f.Until, Time: ev.Time}
		if q := d.core.openAt(f.At); q != nil {
			shown := d.core.questionOf(q)
			waits.Question = &shown
		}
		d.watch.push(waits, d.appended)
	case NodeAnswered:
		d.watch.push(StepAnswered{Step: d.core.Instance(f.At), By: f.By, Declined: f.Declined, Time: ev.Time}, d.appended)
	case NodeEnded:
		d.watch.push(StepFinished{Step: d.core.Instance(f.At), Outcome: f.Outcome, Failure: failure(f.Failure), Reused: f.Reused, Time: ev.Time}, d.appended)
	}
}

// append queues an event for the journal. The first failure ends the run.
func (d *driver) append(ev journal.Event) {
	if d.fatal != nil {
		return
	}
	ev.Message, d.message = d.message, 0
	if err := d.log.Append(ev); err != nil {
		d.fail(err)
		return
	}
	d.appended++
}

// fail stops all: what cannot be recorded must not happen.
func (d *driver) fail(err error) {
	if d.fatal != nil {
		return
	}
	d.fatal = err
	for _, live := range d.calls {
		live.cancel(errStopped)
	}
}

// barrier waits until all events so far are durable and returns how many they are.
func (d *driver) barrier(ctx context.Context) (uint64, error) {
	d.mu.Lock()
	n, err := d.appended, d.fatal
	d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if err := d.log.Barrier(ctx); err != nil {
		if ctx.Err() == nil {
			d.mu.Lock()
			d.fail(err)
			d.checkOver()
			d.mu.Unlock()
		}
		return 0, err
	}
	return n, nil
}
