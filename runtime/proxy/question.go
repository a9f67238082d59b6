package proxy

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// question is a request of a server that the client has not answered yet.
type question struct {
	up     *upstream
	id     []byte // the server's id for it, raw JSON
	number int64  // ours for it, which the client has
	token  []byte // the server's progress token, nil if it wants no progress
	out    sink
	method string
	params []byte
	reply  chan raw.Message // of a question that the proxy puts: where the answer goes
}

// question takes a request of the server. What cannot be told to be of one client is
// refused: nobody is asked what somebody else's call has brought about.
func (u *upstream) question(m raw.Message, of int64) {
	id := bytes.Clone(m.ID.Of(m.Data))
	if m.Method == "ping" {
		u.notify(result(id, "{}"))
		return
	}
	call := u.belongs(of)
	if u.client.modern {
		u.hold(call, m, id)
		return
	}
	out := u.to(call)
	if out == nil {
		u.notify(refuse(codeNoMethod, "wfc cannot tell whose request this belongs to.").reply(id))
		return
	}
	q := &question{up: u, id: id, token: bytes.Clone(m.Param("_meta", "progressToken").Of(m.Data)), out: out, method: m.Method}
	u.client.ask(q)
	u.mu.Lock()
	u.questions[string(id)] = q
	u.mu.Unlock()
	number := fmt.Append(nil, q.number)
	edits := []raw.Edit{{At: m.ID, Text: number}}
	if q.token != nil {
		edits = append(edits, raw.Edit{At: m.Param("_meta", "progressToken"), Text: number})
	}
	u.client.emit(out, raw.Apply(m.Data, edits...), false)
}

// ask gives q its number.
func (c *client) ask(q *question) {
	c.mu.Lock()
	c.lastAsked++
	q.number = c.lastAsked
	c.asked[q.number] = q
	c.mu.Unlock()
}

// reply takes the client's answer to a question. One to no question is dropped.
func (c *client) reply(m raw.Message) {
	n, err := strconv.ParseInt(string(m.ID.Of(m.Data)), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	q := c.asked[n]
	delete(c.asked, n)
	c.mu.Unlock()
	switch {
	case q == nil:
	case q.reply != nil:
		m.Data = bytes.Clone(m.Data)
		q.reply <- m
	default:
		q.up.mu.Lock()
		delete(q.up.questions, string(q.id))
		q.up.mu.Unlock()
		q.up.notify(raw.Apply(m.Data, raw.Edit{At: m.ID, Text: q.id}))
	}
}

// answerProgress sends a client's progress message to the server that asked.
func (c *client) answerProgress(m raw.Message) {
	token := m.Param("progressToken")
	n, err := strconv.ParseInt(string(token.Of(m.Data)), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	q := c.asked[n]
	c.mu.Unlock()
	if q != nil && q.token != nil {
		q.up.notify(raw.Apply(m.Data, raw.Edit{At: token, Text: q.token}))
	}
}

// withdraw takes a server's notice that it does not want an answer any more.
func (u *upstream) withdraw(m raw.Message) {
	at := m.Param("requestId")
	u.mu.Lock()
	id := string(at.Of(m.Data))
	q := u.questions[id]
	delete(u.questions, id)
	u.mu.Unlock()
	if q == nil {
		return
	}
	u.client.mu.Lock()
	delete(u.client.asked, q.number)
	u.client.mu.Unlock()
	u.client.emit(q.out, raw.Apply(m.Data, raw.Edit{At: at, Text: fmt.Append(nil, q.number)}), false)
}

// put asks the client something that a server of 2026-07-28 wants to know, and waits
// for the message that answers it. Params is raw JSON or nil.
func (c *client) put(ctx context.Context, r *request, method string, params []byte) (raw.Message, bool) {
	q := &question{out: r.out, method: method, reply: make(chan raw.Message, 1)}
	c.ask(q)
	data := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s`, q.number, raw.Quote(method))
	if params != nil {
		data = append(append(data, `,"params":`...), params...)
	}
	c.emit(r.out, append(data, '}'), false)
	select {
	case m := <-q.reply:
		return m, true
	case <-r.gone:
	case <-ctx.Done():
	}
	c.mu.Lock()
	delete(c.asked, q.number)
	c.mu.Unlock()
	return raw.Message{}, false
}
