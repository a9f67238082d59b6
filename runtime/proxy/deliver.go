package proxy

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// deliver takes what comes from the server, on a reading goroutine.
func (u *upstream) deliver(d connection.Delivery) {
	if d.Err != nil {
		u.undelivered(d)
		return
	}
	m, ok := raw.Parse(d.Data)
	if !ok {
		return // the transport saw to it that it looks like a message
	}
	switch {
	case m.Method == "":
		u.answered(m, d.Of)
	case m.Request():
		u.question(m, d.Of)
	default:
		u.notification(m, d.Of)
	}
}

// undelivered fails what has no answer, all that is in flight where it is not known what.
func (u *upstream) undelivered(d connection.Delivery) {
	u.mu.Lock()
	numbers := []int64{d.Of}
	if d.Of == 0 {
		numbers = numbers[:0]
		for n := range u.calls {
			numbers = append(numbers, n)
		}
	}
	u.mu.Unlock()
	for _, n := range numbers {
		if c, owner := u.take(n); c != nil {
			u.forget(c)
			c.then(owner, raw.Message{}, refuse(codeInternal, "The connection %s gave no answer to %s. %s", u.source.id, c.method, u.source.redact(d.Err.Error())))
		}
	}
}

// answered hands an answer to its call. One that nobody waits for any more is dropped.
func (u *upstream) answered(m raw.Message, of int64) {
	n, err := strconv.ParseInt(string(bytes.Trim(m.ID.Of(m.Data), `"`)), 10, 64)
	if err != nil {
		if !m.Error.There() {
			return
		}
		// The server could not read a request, and cannot say which.
		text := string(m.Error.Of(m.Data))
		u.undelivered(connection.Delivery{Of: of, Err: fmt.Errorf("the server could not read a request: %s", text)})
		return
	}
	c, owner := u.take(n)
	if c == nil {
		return
	}
	u.mu.Lock()
	waits := c.parked
	if waits != nil {
		waits.reply = bytes.Clone(m.Data)
	}
	u.mu.Unlock()
	if waits == nil {
		c.then(owner, m, nil)
	}
}

// answer is what becomes of the answer to a request of the client.
func (u *upstream) answer(r *request, m raw.Message, f *failure) {
	switch {
	case r == nil:
		return
	case f != nil:
		r.fail(f)
		return
	}
	edits := make([]raw.Edit, 0, 4)
	edits = append(edits, raw.Edit{At: m.ID, Text: r.id})
	if m.Result.There() {
		edits = append(edits, u.links(m, r.m.Method)...)
		edits = append(edits, u.complete(r, m)...)
	}
	r.answer(raw.Apply(m.Data, edits...))
}

// complete returns what a result lacks that a client of 2026-07-28 expects.
func (u *upstream) complete(r *request, m raw.Message) []raw.Edit {
	if u.modern || !r.client.modern || raw.Find(m.Data, m.Result, "resultType").There() {
		return nil
	}
	return []raw.Edit{raw.Insert(m.Data, m.Result, "resultType", []byte(`"complete"`))}
}

// belongs returns the call that a message of the server belongs to: that in answer to
// which it came, or the only one in flight; nil where it cannot be told.
func (u *upstream) belongs(of int64) *call {
	u.mu.Lock()
	defer u.mu.Unlock()
	if of != 0 {
		return u.calls[of]
	}
	var only *call
	for _, c := range u.calls {
		if c.owner == nil && c.parked == nil {
			continue // of the proxy's own, in whose course nobody is asked anything
		}
		if only != nil {
			return nil
		}
		only = c
	}
	return only
}

// to returns the way to the client for a message that belongs to c, which may be nil.
// Nil: there is none.
func (u *upstream) to(c *call) sink {
	if c != nil {
		u.mu.Lock()
		owner := c.owner
		u.mu.Unlock()
		if owner != nil {
			return owner.out
		}
	}
	if u.client.modern {
		return nil // it is told of nothing that it did not ask for
	}
	return u.client.standing
}

// notification sends a notification of the server on.
func (u *upstream) notification(m raw.Message, of int64) {
	switch m.Method {
	case "notifications/progress":
		u.progress(m)
	case "notifications/cancelled":
		u.withdraw(m)
	case "notifications/subscriptions/acknowledged":
		u.acknowledged(subscription(m, of))
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		u.changed(m)
	case "notifications/resources/updated":
		u.updated(m)
	default:
		c := u.belongs(of)
		if c != nil && u.client.modern && m.Method == "notifications/message" && !u.wantsLogs(c) {
			return
		}
		if out := u.to(c); out != nil {
			u.client.emit(out, bytes.Clone(m.Data), false)
		}
	}
}

// subscription returns the number of the call that a message on its stream says that it
// is of; without its word it is the one in answer to which it came.
func subscription(m raw.Message, of int64) int64 {
	at := m.Param("_meta", "io.modelcontextprotocol/subscriptionId")
	if n, err := strconv.ParseInt(string(bytes.Trim(at.Of(m.Data), `"`)), 10, 64); err == nil {
		return n
	}
	return of
}

// wantsLogs reports whether the owner of c wants log messages.
func (u *upstream) wantsLogs(c *call) bool {
	u.mu.Lock()
	owner := c.owner
	u.mu.Unlock()
	return owner != nil && owner.meta("logLevel") != nil
}

// progress sends a progress message to whose request it is.
func (u *upstream) progress(m raw.Message) {
	token := m.Param("progressToken")
	n, err := strconv.ParseInt(string(bytes.Trim(token.Of(m.Data), `"`)), 10, 64)
	if err != nil {
		return
	}
	u.mu.Lock()
	var owner *request
	if c := u.calls[n]; c != nil {
		owner = c.owner
	}
	u.mu.Unlock()
	if owner != nil && owner.token != nil {
		u.client.emit(owner.out, raw.Apply(m.Data, raw.Edit{At: token, Text: owner.token}), false)
	}
}
