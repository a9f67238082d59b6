package session

import (
	"context"
	"errors"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
)

// dialled is what connecting came to.
type dialled struct {
	client *Client
	err    error
}

// owner is the state of the owner goroutine.
type owner struct {
	*Session
	client    *Client
	queue     []*operation
	running   map[*operation]struct{}
	exclusive bool // the one that runs wants no other
	draining  bool
	closing   error // why operations fail now; nil while it is open
	lost      bool  // the server ended by itself: what ran fails before what is queued
}

// own is the owner goroutine.
func (s *Session) own() {
	defer close(s.ended)
	o := &owner{Session: s, running: map[*operation]struct{}{}}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	connected := make(chan dialled, 1)
	go func() {
		s.cfg.wait(ctx)
		client, err := dial(ctx, &s.cfg)
		connected <- dialled{client, err}
	}()
	o.connect(connected, cancel)
	if o.client != nil {
		s.up = time.Now()
		o.serve()
		<-o.client.channel.Done()
		s.down, s.end = time.Now(), o.client.channel.End()
		_ = o.client.sdk.Close() // all of it has ended; this frees the SDK's bookkeeping
	}
}

// wait waits for cfg.Wait, or until ctx is done.
func (cfg *Config) wait(ctx context.Context) {
	if cfg.Wait <= 0 {
		return
	}
	timer := time.NewTimer(cfg.Wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connect takes operations until it is known whether there is a session.
func (o *owner) connect(connected <-chan dialled, cancel context.CancelCauseFunc) {
	stop, drain := o.stop, o.drain
	for {
		select {
		case op := <-o.submit:
			o.enqueue(op)
		case <-o.wake:
			o.tidy()
		case <-drain:
			if drain, o.draining = nil, true; len(o.queue) == 0 {
				o.fail(errEnded)
				cancel(errEnded)
			}
		case <-stop:
			stop = nil
			o.fail(o.closedError())
			cancel(errors.New("the session was closed"))
		case d := <-connected:
			o.client = d.client
			if d.err != nil {
				if o.closing == nil {
					o.err = d.err
				}
				o.fail(d.err)
			} else if o.cfg.Opened != nil {
				o.cfg.Opened()
			}
			return
		}
	}
}

// serve hands out operations until the session ends.
func (o *owner) serve() {
	idle := time.NewTimer(o.cfg.Connection.Timeouts.IdleTimeout())
	defer idle.Stop()
	stop, drain, kill, done := o.stop, o.drain, o.kill, o.client.channel.Done()
	for {
		o.dispatch()
		quiet := len(o.queue)+len(o.running) == 0
		if quiet && o.draining && o.closing == nil {
			o.closing = errEnded
			o.client.channel.Close()
		}
		if done == nil && len(o.running) == 0 {
			return
		}
		var idling <-chan time.Time
		if quiet && o.closing == nil && !o.cfg.Private {
			idling = idle.C
		}
		select {
		case op := <-o.submit:
			o.enqueue(op)
		case op := <-o.finished:
			delete(o.running, op)
			o.exclusive = false
			if o.lost && len(o.running) == 0 {
				o.failQueue(o.closing)
			}
			if len(o.queue)+len(o.running) == 0 {
				idle.Reset(o.cfg.Connection.Timeouts.IdleTimeout())
			}
		case <-o.wake:
			o.tidy()
		case <-idling:
			o.draining = true
			o.drained.Store(true)
		case <-drain:
			drain, o.draining = nil, true
		case <-stop:
			stop = nil
			o.fail(o.closedError())
			o.client.channel.Close()
		case <-kill:
			kill = nil
			o.client.channel.Kill(connection.ErrClosed)
		case <-done:
			done = nil
			if o.closing == nil {
				o.lose(o.lostBy(o.client))
			}
		}
	}
}

// enqueue takes an operation. One that comes after the end is for another
// session, also if the owner has not seen the end yet.
func (o *owner) enqueue(op *operation) {
	if o.closing != nil || o.draining || o.client != nil && isClosed(o.client.channel.Done()) {
		o.give(op, turn{err: errEnded})
		return
	}
	o.queue = append(o.queue, op)
	if o.cfg.queued != nil {
		o.cfg.queued(len(o.queue))
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// dispatch starts what may start now, in the order of submission.
func (o *owner) dispatch() {
	for len(o.queue) > 0 && o.closing == nil && !isClosed(o.client.channel.Done()) {
		op := o.queue[0]
		if len(o.running) > 0 && (o.exclusive || !op.readOnly || len(o.running) >= o.cfg.Connection.InFlight()) {
			return
		}
		o.queue[0] = nil
		o.queue = o.queue[1:]
		if o.give(op, turn{client: o.client}) {
			o.running[op] = struct{}{}
			o.exclusive = !op.readOnly
		}
	}
}

// give gives op its turn, unless its caller gave up.
func (o *owner) give(op *operation, t turn) bool {
	if !op.given.CompareAndSwap(false, true) {
		return false
	}
	op.turn <- t
	return true
}

// tidy drops the queued operations whose callers gave up.
func (o *owner) tidy() {
	kept := o.queue[:0]
	for _, op := range o.queue {
		if !op.given.Load() {
			kept = append(kept, op)
		}
	}
	clear(o.queue[len(kept):])
	o.queue = kept
}

// fail fails what is queued, and all that comes, with err, and cancels what runs.
func (o *owner) fail(err error) {
	if o.closing != nil {
		return
	}
	o.closing = err
	o.failQueue(err)
	for op := range o.running {
		op.cancel(err)
	}
}

// lose is fail for a server that ended by itself. The operations that it had,
// one of which may be to blame, fail first, and then those that wait behind.
// They do at once: nothing that they could wait for is left.
func (o *owner) lose(err error) {
	o.err, o.closing, o.lost = err, err, true
	for op := range o.running {
		op.cancel(err)
	}
	if len(o.running) == 0 {
		o.failQueue(err)
	}
}

func (o *owner) failQueue(err error) {
	for _, op := range o.queue {
		o.give(op, turn{err: named(op, err)})
	}
	o.queue = nil
}
