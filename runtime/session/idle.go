package session

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// quiet is the cause of the end of an operation of which nothing was heard for too long.
type quiet struct{ d time.Duration }

func (q *quiet) Error() string {
	return fmt.Sprintf("no answer and no progress message for %s", q.d)
}

// idleClock ends an operation of which nothing is heard for a while. It stands
// still while the server waits for us.
type idleClock struct {
	d      time.Duration
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	paused  int
	stopped bool
}

// newIdleClock returns a clock that runs.
func newIdleClock(d time.Duration, cancel context.CancelCauseFunc) *idleClock {
	k := &idleClock{d: d, cancel: cancel}
	k.timer = time.AfterFunc(d, k.ring)
	return k
}

func (k *idleClock) ring() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.paused == 0 && !k.stopped {
		k.cancel(&quiet{k.d})
	}
}

// restart begins the time anew: something was heard.
func (k *idleClock) restart() { k.change(0) }

// change adds to the number of reasons to stand still.
func (k *idleClock) change(by int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stopped {
		return
	}
	if k.paused += by; k.paused > 0 {
		k.timer.Stop()
	} else {
		k.timer.Reset(k.d)
	}
}

func (k *idleClock) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopped = true
	k.timer.Stop()
}

// clocks are those of the operations in flight.
type clocks struct {
	mu     sync.Mutex
	all    map[*idleClock]struct{}
	paused int
}

// begin starts a clock, which end takes away.
func (c *clocks) begin(d time.Duration, cancel context.CancelCauseFunc) *idleClock {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[*idleClock]struct{}{}
	}
	k := newIdleClock(d, cancel)
	if c.paused > 0 {
		k.change(c.paused)
	}
	c.all[k] = struct{}{}
	return k
}

func (c *clocks) end(k *idleClock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.stop()
	delete(c.all, k)
}

// pause stops the clocks of all operations, since the server asked something of us
// and it cannot be told for which, until resume is called.
func (c *clocks) pause() (resume func()) {
	c.change(1)
	return sync.OnceFunc(func() { c.change(-1) })
}

func (c *clocks) change(by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused += by
	for k := range c.all {
		k.change(by)
	}
}
