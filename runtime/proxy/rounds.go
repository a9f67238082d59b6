package proxy

import (
	"bytes"
	"fmt"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// maxRounds is how often a server may ask for input in the course of one request.
const maxRounds = 20

// wantsInput reports whether the result of m asks for input (SEP-2322).
func wantsInput(m raw.Message) bool {
	return m.Result.There() && raw.Text(raw.Find(m.Data, m.Result, "resultType").Of(m.Data)) == "input_required"
}

// round asks a client before 2026-07-28 what the result m of a server from then on
// wants to know, and makes the request again with the answers. m.Data is the round's.
func (u *upstream) round(c *call, r *request, m raw.Message, n int) {
	if n >= maxRounds {
		r.fail(refuse(codeInternal, "The connection %s asked for input %d times and gave no answer.", u.source.id, n))
		return
	}
	var answers []byte
	ok := true
	raw.Members(m.Data, raw.Find(m.Data, m.Result, "inputRequests"), func(name string, one raw.Span) bool {
		method := raw.Text(raw.Find(m.Data, one, "method").Of(m.Data))
		var reply raw.Message
		if reply, ok = u.client.put(u.client.ctx, r, method, raw.Find(m.Data, one, "params").Of(m.Data)); !ok {
			return false
		}
		if reply.Error.There() {
			r.answer(raw.Apply(reply.Data, raw.Edit{At: reply.ID, Text: r.id}))
			ok = false
			return false
		}
		if answers != nil {
			answers = append(answers, ',')
		}
		answers = append(append(answers, raw.Quote(name)...), ':')
		answers = append(answers, reply.Result.Of(reply.Data)...)
		return true
	})
	if !ok {
		return
	}
	again, _ := raw.Parse(c.data)
	next := &call{method: c.method, owner: r, data: c.data}
	next.then = func(r *request, m raw.Message, f *failure) { u.settle(next, r, m, f, n+1) }
	u.register(next)
	number := fmt.Append(nil, next.number)
	add := append([]byte{'{'}, answers...)
	edits := []raw.Edit{{At: again.ID, Text: number}, raw.Insert(again.Data, again.Params, "inputResponses", append(add, '}'))}
	if state := raw.Find(m.Data, m.Result, "requestState").Of(m.Data); state != nil {
		edits = append(edits, raw.Insert(again.Data, again.Params, "requestState", state))
	}
	if r.token != nil {
		edits = append(edits, raw.Edit{At: again.Param("_meta", "progressToken"), Text: number})
	}
	r.onCancel(func(reason []byte) { u.cancel(next, reason) })
	u.send(next, connection.Packet{Data: raw.Apply(again.Data, edits...), Header: u.beside(r, c.data)})
}

// settle is [upstream.answer] for a call of which the answer may ask for input.
func (u *upstream) settle(c *call, r *request, m raw.Message, f *failure, n int) {
	if r == nil || f != nil || c.data == nil || !wantsInput(m) {
		u.answer(r, m, f)
		return
	}
	m.Data = bytes.Clone(m.Data)
	go u.round(c, r, m, n) // it ends with r
}

// asking are the requests of a server that a client of 2026-07-28 answers by coming
// back, with the capability that it must have.
var asking = map[string]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}

// parked is what a call waits for while no request of the client's stands for it.
type parked struct {
	state   string
	asks    *question
	waiting []*question // further ones
	reply   []byte      // the call's answer, if it came in the meantime
	timer   *time.Timer
}

// heldFor is how long a call waits for its client to come back: a person may be asked.
const heldFor = 10 * time.Minute

// hold answers the client's request that a question of an older server belongs to with
// a result that asks for input, and keeps the server's call until the client comes back.
func (u *upstream) hold(c *call, m raw.Message, id []byte) {
	q := &question{up: u, id: id, method: m.Method, params: bytes.Clone(m.Params.Of(m.Data))}
	f := refuse(codeNoMethod, "wfc cannot tell whose request this belongs to.")
	if c != nil {
		u.mu.Lock()
		owner, waits := c.owner, c.parked
		if waits != nil {
			waits.waiting = append(waits.waiting, q)
		}
		u.mu.Unlock()
		if waits != nil {
			return
		}
		if owner != nil {
			if capability := asking[m.Method]; owner.can(capability) {
				u.park(c, owner, q)
				return
			}
			f = refuse(codeNoMethod, "The client does not offer %s.", m.Method)
		}
	}
	u.notify(f.reply(id))
}

// can reports whether the client that made r says that it has a capability.
func (r *request) can(capability string) bool {
	all := r.meta("clientCapabilities")
	return capability != "" && raw.Find(all, raw.Whole(all), capability).There()
}

// park takes the call c from its owner, who gets q as the answer.
func (u *upstream) park(c *call, owner *request, q *question) {
	p := &parked{state: "wfc:" + state(), asks: q}
	u.mu.Lock()
	c.owner, c.parked = nil, p
	p.timer = time.AfterFunc(heldFor, func() {
		u.cancel(c, nil)
		u.forget(c)
	})
	u.mu.Unlock()
	u.client.mu.Lock()
	u.client.held[p.state] = c
	u.client.mu.Unlock()
	ask := fmt.Appendf(nil, `{"resultType":"input_required","inputRequests":{"input":{"method":%q`, q.method)
	if q.params == nil {
		q.params = []byte("{}")
	}
	ask = append(append(ask, `,"params":`...), q.params...)
	owner.answer(result(owner.id, string(fmt.Appendf(ask, `}},"requestState":%q}`, p.state))))
}

// resume hands a held call to the request by which the client comes back, and reports
// whether r is one.
func (c *client) resume(r *request) bool {
	state := raw.Text(r.m.Param("requestState").Of(r.m.Data))
	if state == "" {
		return false
	}
	c.mu.Lock()
	held := c.held[state]
	delete(c.held, state)
	c.mu.Unlock()
	if held == nil {
		if len(state) > 4 && state[:4] == "wfc:" {
			r.fail(refuse(codeParams, "The request that this one goes on with is not known any more. Make it anew."))
			return true
		}
		return false // of a server that has it by itself
	}
	u := held.up
	u.mu.Lock()
	p := held.parked
	if p == nil {
		u.mu.Unlock()
		r.fail(refuse(codeParams, "The request that this one goes on with is over. Make it anew."))
		return true
	}
	held.owner, held.parked = r, nil
	p.timer.Stop()
	u.mu.Unlock()
	r.onCancel(func(reason []byte) { u.cancel(held, reason) })
	if answer := r.m.Param("inputResponses", "input").Of(r.m.Data); answer != nil {
		u.notify(result(p.asks.id, string(answer)))
	} else {
		u.notify(refuse(codeInternal, "The client gave no answer.").reply(p.asks.id))
	}
	switch {
	case p.reply != nil:
		m, _ := raw.Parse(p.reply)
		u.answer(r, m, nil)
	case len(p.waiting) > 0:
		u.park(held, r, p.waiting[0])
		u.mu.Lock()
		if held.parked != nil {
			held.parked.waiting = p.waiting[1:]
		}
		u.mu.Unlock()
	}
	return true
}

// forget frees what was kept for a call that is over.
func (u *upstream) forget(c *call) {
	u.mu.Lock()
	p := c.parked
	c.parked = nil
	u.mu.Unlock()
	if p == nil {
		return
	}
	p.timer.Stop()
	u.client.mu.Lock()
	delete(u.client.held, p.state)
	u.client.mu.Unlock()
}
