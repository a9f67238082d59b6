package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lda-wf/wfc/runtime/session"
)

// ErrFull is the cause of the error of an operation for whose session there was no
// room for as long as connecting may take: so many sessions were busy, or private
// to runs.
var ErrFull = errors.New("too many sessions are open")

// errFull says that there is no room now.
var errFull = errors.New("there is no room now")

// makeRoom reports whether one more session of connection id may be opened. If not,
// it begins to close a session in its way that nobody uses, unless warm, which is
// not worth that. p.mu is held.
func (p *Pool) makeRoom(id string, warm bool) bool {
	all, own := 0, 0 // sessions that stay, and those that begin to close
	leaving, ownLeaving := 0, 0
	for s, t := range p.alive {
		all++
		own += count(t.Connection.ID == id)
		if s.Draining() {
			leaving++
			ownLeaving += count(t.Connection.ID == id)
		}
	}
	tooMany, tooManyOwn := all >= p.options.MaxSessions, own >= p.options.MaxPerConnection
	if !tooMany && !tooManyOwn {
		return true
	}
	if warm || tooManyOwn && ownLeaving > 0 || !tooManyOwn && leaving > 0 {
		return false
	}
	// The one that was used the longest ago. A private session is its run's until
	// that ends: nothing brings its state back.
	var victim *session.Session
	var since time.Time
	for s, t := range p.alive {
		if t.Scope != "" || tooManyOwn && t.Connection.ID != id {
			continue
		}
		if at, idle := s.Idle(); idle && (victim == nil || at.Before(since)) {
			victim, since = s, at
		}
	}
	if victim != nil {
		victim.Drain()
	}
	return false
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// room tells those that wait for a session to close or to be idle. The zero value is ready.
type room struct {
	waiting atomic.Int32
	mu      sync.Mutex
	change  chan struct{} // closed at the next change; nil: nobody waits
}

// changed says that there may be room.
func (r *room) changed() {
	if r.waiting.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.change != nil {
		close(r.change)
		r.change = nil
	}
}

// watch returns what is closed at the next change, or nil if it is not wanted.
func (r *room) watch(wanted bool) <-chan struct{} {
	if !wanted {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.change == nil {
		r.change = make(chan struct{})
	}
	return r.change
}

// patience is how long an operation waits for room. The zero value has not waited.
type patience struct {
	room  *room
	timer *time.Timer
}

// waits reports whether it has begun to wait.
func (w *patience) waits() bool { return w.timer != nil }

// end ends the wait.
func (w *patience) end() {
	if w.timer != nil {
		w.timer.Stop()
		w.room.waiting.Add(-1)
	}
}

// wait returns nil when there may be room. change is what [room.watch] returned
// before there was none. The first time it returns at once, so that no change is missed.
func (w *patience) wait(ctx context.Context, p *Pool, t Target, change <-chan struct{}) error {
	limit := t.Connection.Timeouts.ConnectTimeout()
	if w.timer == nil {
		w.room, w.timer = &p.room, time.NewTimer(limit)
		w.room.waiting.Add(1)
		return nil
	}
	bounds := fmt.Sprintf("%d sessions are open at most, and %d of one connection", p.options.MaxSessions, p.options.MaxPerConnection)
	select {
	case <-change:
		return nil
	case <-ctx.Done():
		return session.NotOpened(t.Connection.ID, session.Cancelled, context.Cause(ctx),
			fmt.Sprintf("It was given up while it waited for a session to be closed (%s); nothing was sent: %s.", bounds, context.Cause(ctx)))
	case <-w.timer.C:
		return session.NotOpened(t.Connection.ID, session.NotStarted, ErrFull,
			fmt.Sprintf("No session could be opened within %s: %s, and none of those in its way is idle. Let fewer runs go at once, or fewer of them with session = \"run\".", limit, bounds))
	}
}
