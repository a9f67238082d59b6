package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// newCall prepares an attempt. mu is held.
func (d *driver) newCall(c StartCall) *liveCall {
	live := &liveCall{StartCall: c, before: d.queues[c.Session], place: newPlace()}
	live.ctx, live.cancel = context.WithCancelCause(d.base)
	d.queues[c.Session] = live.place
	if d.fatal != nil {
		live.cancel(errStopped)
	}
	d.calls[c.At] = live
	if d.watch != nil {
		d.watch.push(StepStarted{Step: d.core.Instance(c.At), Elements: -1, Attempt: c.Attempt, Effect: c.Effect, Time: d.clock()}, d.appended)
	}
	return live
}

// start makes the calls from live on in a goroutine of their own.
func (d *driver) start(live *liveCall) {
	d.callers.Go(func() {
		for live != nil {
			live = d.call(live)
		}
	})
}

// place is a call's place in the queue of its session. Calls that may have an
// effect run in the order of the plan and of a fan-out's elements, so they are
// queued in it, though they are made by goroutines side by side.
type place struct {
	once  sync.Once
	taken chan struct{}
	over  chan struct{} // closed when the core knows what came of the call
}

func newPlace() *place { return &place{taken: make(chan struct{}), over: make(chan struct{})} }

// take says that the call has its place, or needs none any more.
func (p *place) take() { p.once.Do(func() { close(p.taken) }) }

// wait returns when the place is taken or ctx is done. A nil place is.
func (p *place) wait(ctx context.Context) {
	if p == nil {
		return
	}
	select {
	case <-p.taken:
	case <-ctx.Done():
	}
}

// await returns when the call is over or ctx is done. That of a nil place is.
func (p *place) await(ctx context.Context) {
	if p == nil {
		return
	}
	select {
	case <-p.over:
	case <-ctx.Done():
	}
}

// call makes the attempt and feeds what came of it. It returns the call that the
// same goroutine makes next, or nil: a chain of steps takes one goroutine, whose
// stack has grown to what a call needs, and not one a step.
func (d *driver) call(live *liveCall) (next *liveCall) {
	ctx := live.ctx
	defer live.cancel(nil)
	defer close(live.place.over)
	defer live.place.take()
	live.before.wait(ctx)
	answer, err := d.ask(ctx, live)
	live.disarm()
	var f Fact
	if err == nil {
		answer = d.redacted(answer, live.Verbatim)
		f = CallAnswered{live.At, answer}
	} else {
		failed := d.callError(ctx, live, err)
		if failed.SessionOver {
			// All calls of the session fail now, side by side. The one that the server had
			// is to blame, and not the one whose goroutine is the first to run.
			live.before.await(ctx)
		}
		f = CallFailed{live.At, failed}
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls[live.At] != live {
		return nil // given up by a cancelled run
	}
	delete(d.calls, live.At)
	switch f := f.(type) {
	case CallFailed:
		d.noteFailure(live, f.Err)
	case CallAnswered:
		if d.watch == nil || f.Answer.IsError || live.Sensitive {
			break // the failure says it, or nobody may
		}
		for _, remark := range f.Answer.Remarks {
			d.watch.push(RunWarning{d.name, fmt.Sprintf("Step %s: %s", d.core.Instance(live.At), remark)}, 0)
		}
	}
	next = d.advance(f)
	d.checkOver()
	return next
}

// ask makes the attempt.
func (d *driver) ask(ctx context.Context, live *liveCall) (*Answer, error) {
	if err := d.checkDrift(ctx, live); err != nil {
		return nil, err
	}
	return d.caller.Call(ctx, Call{
		Do: live.Do, Session: live.Session, Tool: live.Tool, Args: live.Args,
		ReadOnly: live.ReadOnly, IdempotencyKey: live.IdempotencyKey, IdleTimeout: live.IdleTimeout,
		Queued: live.place.take,
		BeforeSend: func(generation uint64) error {
			live.place.take()
			if err := d.beforeSend(ctx, live, generation); err != nil {
				return err
			}
			// An attempt's time begins when its turn has come: waiting for others in the
			// session's queue is not its doing.
			live.arm()
			return nil
		},
		Progress: func(p Progress) { d.progress(live, p) },
		Verbatim: live.Verbatim,
		Keep:     func(ctx context.Context, data []byte) (string, error) { return d.keepBlob(ctx, data, live.Sensitive) },
	})
}

// drifts remembers what came of comparing a tool with its snapshot.
type drifts struct {
	once sync.Once
	err  error
}

type driftKey struct {
	session SessionID
	tool    string
}

// checkDrift compares a tool with its snapshot before its first use in the run.
func (d *driver) checkDrift(ctx context.Context, live *liveCall) error {
	drifter, can := d.caller.(Drifter)
	policy := d.prog.policy.Drift
	if !can || live.Digest == "" || policy == "ignore" {
		return nil
	}
	d.mu.Lock()
	key := driftKey{live.Session, live.Tool}
	x := d.drifts[key]
	if x == nil {
		x = &drifts{}
		d.drifts[key] = x
	}
	d.mu.Unlock()
	x.once.Do(func() {
		drift, err := drifter.Drift(ctx, live.Session, live.Tool, live.Digest)
		switch {
		case err != nil:
			x.err = err
			d.mu.Lock()
			delete(d.drifts, key) // the next call asks anew
			d.mu.Unlock()
		case drift == nil:
		case drift.Breaking && policy == "fail":
			x.err = &CallError{Kind: KindPolicy, Sent: SentNo, Message: drift.Message}
		default:
			d.warn(drift.Message)
		}
	})
	return x.err
}

// warn tells the watcher something that stops nothing.
func (d *driver) warn(message string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watch != nil {
		d.watch.push(RunWarning{d.name, message}, 0)
	}
}

// arm starts the clock of the attempt's timeout. A Caller may be in BeforeSend
// still when Call has returned, on another goroutine.
func (l *liveCall) arm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Timeout > 0 && !l.returned {
		l.timer = time.AfterFunc(l.Timeout, func() { l.cancel(errTimedOut) })
	}
}

func (l *liveCall) disarm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.returned = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// beforeSend records that the request leaves. Where the call may have an
// effect, the record, and every result before it, is on disk when it returns.
func (d *driver) beforeSend(ctx context.Context, live *liveCall, generation uint64) error {
	d.mu.Lock()
	if d.fatal != nil || !d.core.MayLeave(live.At) {
		d.mu.Unlock()
		return errStopped
	}
	d.noteSession(live, generation)
	now := d.clock()
	f := NodeStarted{
		At: live.At, Attempt: live.Attempt, Generation: generation, Repeatable: live.Repeatable, Deadline: live.Deadline, Time: now,
		Effect: live.Effect, Connection: live.Session.Connection,
	}
	if d.digest != nil {
		f.ArgsDigest = d.digest(live.Digested)
		if live.Recorded != "" && live.Recorded != f.ArgsDigest {
			d.fail(&ChangedError{Run: d.name, Step: d.core.Instance(live.At).String()})
			d.checkOver()
			d.mu.Unlock()
			return errStopped
		}
	}
	ev := d.core.encode(f, live.IdempotencyKey)
	ev.Time = now
	d.append(ev)
	d.step(f)
	err := d.fatal
	d.mu.Unlock()
	if err != nil || live.ReadOnly {
		return err
	}

	n, err := d.barrier(ctx)
	if err != nil {
		return err
	}
	if d.watch != nil {
		d.watch.durable(n)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fatal != nil || !d.core.MayLeave(live.At) {
		return errStopped
	}
	return nil
}

// noteSession records a session that the run meets for the first time. mu is held.
func (d *driver) noteSession(live *liveCall, generation uint64) {
	id := live.Session
	connection, last := id.Connection, d.sessions[id]
	if generation == 0 || generation <= last.generation {
		return
	}
	if last.generation != 0 {
		d.append(journal.Event{Data: journal.SessionLost{Connection: connection, Generation: last.generation, Reason: last.reason, Private: id.Private}})
	}
	d.append(journal.Event{Data: journal.SessionOpened{Connection: connection, Generation: generation, Private: id.Private}})
	d.sessions[id] = session{generation: generation}
}

// noteFailure remembers why a session may be lost. mu is held.
func (d *driver) noteFailure(live *liveCall, err *CallError) {
	id := live.Session
	last := d.sessions[id]
	if (err.Kind == KindTransport || err.Kind == KindSession) && err.Generation == last.generation && last.generation != 0 {
		last.reason = err.Message
		d.sessions[id] = last
	}
}

func (d *driver) progress(live *liveCall, p Progress) {
	if d.watch == nil {
		return
	}
	if p.Message = d.redact.Text(p.Message); live.Sensitive {
		p.Message = "" // it may quote what the step was given
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls[live.At] == live {
		d.watch.push(StepProgress{d.core.Instance(live.At), p}, d.appended)
	}
}

// redacted is the answer without secrets: the one place where results enter. Of
// one that is to be kept as it is, only what people are told is without them.
func (d *driver) redacted(a *Answer, verbatim bool) *Answer {
	out := *a
	out.Remarks = nil
	for _, remark := range a.Remarks {
		out.Remarks = append(out.Remarks, d.redact.Text(remark))
	}
	if verbatim {
		return &out
	}
	out.Text = d.redact.Text(a.Text)
	if a.Structured != nil {
		v := d.redact.Value(*a.Structured)
		out.Structured = &v
	}
	if len(a.Content) > 0 {
		out.Content = d.redact.Value(value.OfList(a.Content)).AsList()
	}
	return &out
}

// callError makes of what a Caller returned the failure that the core is told.
func (d *driver) callError(ctx context.Context, live *liveCall, err error) *CallError {
	var failed CallError
	if e := (*CallError)(nil); errors.As(err, &e) {
		failed = *e
	} else {
		failed = CallError{Kind: KindTransport, Message: err.Error(), Sent: SentMaybe}
	}
	failed.Message, failed.Meanwhile = d.redact.Text(failed.Message), d.redact.Text(failed.Meanwhile)
	if failed.Answered {
		return &failed
	}
	switch cause := context.Cause(ctx); {
	case cause == errLate:
		failed.Kind = KindTimeout
		failed.Message = fmt.Sprintf("The call of %s had no answer by then and was cancelled.", live.what())
		if failed.Meanwhile != "" {
			failed.Message += " " + failed.Meanwhile
		}
	case cause == errTimedOut:
		failed.Kind = KindTimeout
		failed.Message = fmt.Sprintf("The call of %s had no answer within %s and was cancelled.", live.what(), live.Timeout)
		if failed.Meanwhile != "" {
			failed.Message += " " + failed.Meanwhile
		}
	case cause != nil:
		failed.Kind = KindCancelled
		because := theRunStops
		if s, ok := cause.(stopped); ok {
			because = string(s)
		}
		failed.Message = fmt.Sprintf("The call of %s was cancelled because %s.", live.what(), because)
	}
	return &failed
}
