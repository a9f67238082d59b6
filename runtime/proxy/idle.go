package proxy

import "time"

// enter begins a request or a stream of the client, and reports whether the session
// lives. A session without any for some time ends.
func (c *client) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != nil {
		return false
	}
	c.active++
	if c.idle != nil {
		c.idle.Stop()
	}
	return true
}

// leave ends what enter began.
func (c *client) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	if c.active > 0 || c.over != nil {
		return
	}
	if c.idle == nil {
		c.idle = time.AfterFunc(c.proxy.opts.Idle, c.expire)
		return
	}
	c.idle.Reset(c.proxy.opts.Idle)
}

// expire ends the session unless a request has come, or has no answer yet.
func (c *client) expire() {
	c.mu.Lock()
	busy := c.active > 0 || len(c.requests) > 0
	if busy && c.active == 0 {
		c.idle.Reset(c.proxy.opts.Idle)
	}
	c.mu.Unlock()
	if !busy {
		c.end(errIdle)
	}
}
