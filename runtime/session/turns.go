package session

import (
	"slices"
	"sync"
	"time"
)

// turns are the operations of a session, in the order of their submission: those
// that wait and those that run. An operation gets its turn, and says that it is
// over, on its caller's goroutine; the owner's is woken only where it has something
// to do. A chain of calls so costs no switch between the two.
type turns struct {
	s       *Session
	changed chan struct{} // holds one when the last operation is over and the session is to end

	mu        sync.Mutex
	client    *Client // nil: there is no session yet
	queue     []*operation
	running   map[*operation]struct{}
	exclusive bool // the one that runs wants no other
	draining  bool
	closing   error       // why operations fail now; nil while it is open
	lost      bool        // the server ended by itself: what ran fails before what is queued
	idle      *time.Timer // fires when nothing has run for a while; nil before there is a session
	quiet     time.Time   // when the last operation was over
}

func newTurns(s *Session) *turns {
	return &turns{s: s, changed: make(chan struct{}, 1), running: map[*operation]struct{}{}}
}

// submit takes an operation, and hands it out if its turn is now. One that comes
// after the end is for another session, also if the owner has not seen the end
// yet; the error says so.
func (t *turns) submit(op *operation) error {
	t.mu.Lock()
	if t.closing != nil || t.draining || t.client != nil && isClosed(t.client.channel.Done()) {
		defer t.mu.Unlock()
		return t.s.tooLate(op)
	}
	t.queue = append(t.queue, op)
	waiting := len(t.queue)
	t.dispatch()
	t.mu.Unlock()
	if t.s.cfg.queued != nil {
		t.s.cfg.queued(waiting)
	}
	return nil
}

// finish takes note that an operation is over.
func (t *turns) finish(op *operation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, op)
	t.exclusive = false
	if t.lost && len(t.running) == 0 {
		t.failQueue(t.closing)
	}
	t.dispatch()
	if !t.isQuiet() {
		return
	}
	t.quiet = time.Now()
	t.idle.Reset(t.s.cfg.Connection.Timeouts.IdleTimeout())
	if t.draining || t.closing != nil {
		select {
		case t.changed <- struct{}{}:
		default:
		}
	}
}

// isQuiet reports whether nothing runs or waits. mu is held.
func (t *turns) isQuiet() bool { return len(t.queue)+len(t.running) == 0 }

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// dispatch starts what may start now, in the order of submission. mu is held.
func (t *turns) dispatch() {
	for len(t.queue) > 0 && t.client != nil && t.closing == nil && !isClosed(t.client.channel.Done()) {
		op := t.queue[0]
		if len(t.running) > 0 && (t.exclusive || !op.readOnly || len(t.running) >= t.s.cfg.Connection.InFlight()) {
			return
		}
		t.queue[0] = nil
		if t.queue = t.queue[1:]; len(t.queue) == 0 {
			t.queue = nil
		}
		if give(op, turn{client: t.client}) {
			t.running[op] = struct{}{}
			t.exclusive = !op.readOnly
		}
	}
}

// give gives op its turn, unless its caller gave up.
func give(op *operation, t turn) bool {
	if !op.given.CompareAndSwap(false, true) {
		return false
	}
	op.turn <- t
	return true
}

// tidy drops the queued operations whose callers gave up.
func (t *turns) tidy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = slices.DeleteFunc(t.queue, func(op *operation) bool { return op.given.Load() })
	t.dispatch()
}

// begin lets operations run. A session that was given up while its handshake came to
// an end all the same begins to close.
func (t *turns) begin(c *Client) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.client = c
	if t.closing != nil {
		c.channel.Close()
	}
	t.quiet = time.Now()
	t.idle = time.NewTimer(t.s.cfg.Connection.Timeouts.IdleTimeout())
	t.dispatch()
}

// drain takes no more operations; over reports that none is left.
func (t *turns) drain() (over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draining = true
	return t.isQuiet()
}

// rest drains a session that was of no use for so long as it may be.
func (t *turns) rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isQuiet() && t.closing == nil && time.Since(t.quiet) >= t.s.cfg.Connection.Timeouts.IdleTimeout() {
		t.draining = true
		t.s.drained.Store(true)
	}
}

// settle ends a session that drains and has nothing left to do. over reports that
// nothing runs.
func (t *turns) settle() (over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isQuiet() && t.draining && t.closing == nil {
		t.closing = errEnded
		t.client.channel.Close()
	}
	return len(t.running) == 0
}

// fail fails what is queued, and all that comes, with err, and cancels what runs.
// why, which may be nil, is what the session ended of.
func (t *turns) fail(err, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing != nil {
		return
	}
	t.closing = err
	if why != nil {
		t.s.err = why
	}
	t.failQueue(err)
	for op := range t.running {
		op.cancel(err)
	}
}

// lose is fail for a server that ended by itself. The operations that it had,
// one of which may be to blame, fail first, and then those that wait behind.
// They do at once: nothing that they could wait for is left.
func (t *turns) lose(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing != nil {
		return
	}
	t.s.err, t.closing, t.lost = err, err, true
	for op := range t.running {
		op.cancel(err)
	}
	if len(t.running) == 0 {
		t.failQueue(err)
	}
}

// failQueue fails what waits. mu is held.
func (t *turns) failQueue(err error) {
	for _, op := range t.queue {
		give(op, turn{err: named(op, err)})
	}
	t.queue = nil
}
