package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// upstream is the session that one client has with one source.
type upstream struct {
	client *client
	source *source

	ready chan struct{} // it is open, or err says why not
	// Before ready is closed, of the goroutine that opens; then they do not change.
	err          error
	failed       time.Time // when err came about
	wire         connection.Wire
	modern       bool   // it speaks 2026-07-28
	version      string // what was agreed on
	capabilities []byte
	instructions string
	triple       string // of a client before 2026-07-28: what each request says in _meta

	hello sync.Once // notifications/initialized

	mu        sync.Mutex
	lost      error
	last      int64
	calls     map[int64]*call
	questions map[string]*question // of the server, by its id
	level     string               // raw JSON; the log level that is set
	interest  interest
	bindings  map[string][]binding // by tool
}

// call is a request to a server that has no answer yet.
type call struct {
	up     *upstream
	number int64
	method string
	data   []byte // what was sent, where it may have to be sent again; else nil

	// Of the following, up.mu is the lock.
	owner  *request // nil: nobody's in particular, or it waits to be taken up again
	parked *parked
	// then takes the answer on a reading goroutine. m.Data is valid until it returns.
	// f says why there is none.
	then func(owner *request, m raw.Message, f *failure)
}

// usable waits until u can be used. It returns why it cannot.
func (u *upstream) usable(stop <-chan struct{}) error {
	select {
	case <-u.ready:
	default:
		select {
		case <-u.ready:
		case <-stop:
			return errors.New("the request was given up")
		}
	}
	if u.err != nil {
		return u.err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lost
}

// settled reports whether usable does not wait.
func (u *upstream) settled() bool {
	select {
	case <-u.ready:
		return true
	default:
		return false
	}
}

// has reports whether the server says that it has a capability, or a part of it.
func (u *upstream) has(path ...string) bool {
	v := raw.Find(u.capabilities, raw.Whole(u.capabilities), path...)
	text := string(v.Of(u.capabilities))
	return v.There() && text != "false" && text != "null"
}

// register makes c known and gives it its number.
func (u *upstream) register(c *call) {
	u.mu.Lock()
	u.last++
	c.up, c.number = u, u.last
	u.calls[c.number] = c
	u.mu.Unlock()
}

// take removes the call with that number, and returns it with its owner.
func (u *upstream) take(number int64) (*call, *request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.calls[number]
	if c == nil {
		return nil, nil
	}
	delete(u.calls, number)
	return c, c.owner
}

// send sends a call's message. Where that fails the call has its failure.
func (u *upstream) send(c *call, p connection.Packet) {
	if err := u.wire.Send(p); err != nil {
		if c, owner := u.take(c.number); c != nil {
			c.then(owner, raw.Message{}, u.source.unusable(u.why(err)))
		}
	}
}

// why returns why u is lost, err while that is not known.
func (u *upstream) why(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost != nil {
		return u.lost
	}
	return err
}

// relay sends a request of the client on, with the edits made, and its answer back.
func (u *upstream) relay(r *request, edits ...raw.Edit) {
	c := &call{method: r.m.Method, owner: r}
	c.then = func(r *request, m raw.Message, f *failure) { u.settle(c, r, m, f, 1) }
	u.forward(c, r, edits)
}

// forward sends r as the call c.
func (u *upstream) forward(c *call, r *request, edits []raw.Edit) {
	u.greet()
	u.register(c)
	number := fmt.Append(nil, c.number)
	edits = append(edits, raw.Edit{At: r.m.ID, Text: number})
	switch {
	case r.client.modern && !u.modern:
		edits = append(edits, u.withoutEra(r, number)...)
	case r.token != nil:
		edits = append(edits, raw.Edit{At: r.m.Param("_meta", "progressToken"), Text: number})
	}
	if u.triple != "" {
		edits = append(edits, u.identify(r.m, u.triple))
	}
	p := connection.Packet{Data: raw.Apply(r.m.Data, edits...)}
	p.Header = u.beside(r, p.Data)
	if u.modern && !r.client.modern {
		c.data = bytes.Clone(p.Data)
	}
	r.onCancel(func(reason []byte) { u.cancel(c, reason) })
	u.send(c, p)
}

// identify returns the edit by which a request says what one of 2026-07-28 has to,
// the triple, and which log messages it wants.
func (u *upstream) identify(m raw.Message, triple string) raw.Edit {
	u.mu.Lock()
	if u.level != "" {
		triple += `,"io.modelcontextprotocol/logLevel":` + u.level
	}
	u.mu.Unlock()
	switch meta := m.Param("_meta"); {
	case meta.There():
		return raw.Prepend(m.Data, meta, []byte(triple))
	case m.Params.There():
		return raw.Insert(m.Data, m.Params, "_meta", []byte("{"+triple+"}"))
	}
	return raw.Insert(m.Data, raw.Whole(m.Data), "params", []byte(`{"_meta":{`+triple+"}}"))
}

// eraPrefix is what the names in _meta begin with by which a request says that it
// follows 2026-07-28: an older server would take that at its word.
const eraPrefix = "io.modelcontextprotocol/"

func olderKey(key string) bool { return !strings.HasPrefix(key, eraPrefix) }

// withoutEra returns the edits by which a request of 2026-07-28 becomes one for an older
// server, with its progress token replaced. What log messages it wants the server is
// told before.
func (u *upstream) withoutEra(r *request, token []byte) []raw.Edit {
	meta := r.m.Param("_meta")
	if !meta.There() {
		return nil
	}
	if level := string(r.meta("logLevel")); level != "" && u.has("logging") {
		u.mu.Lock()
		same := u.level == level
		u.level = level
		u.mu.Unlock()
		if !same {
			ctx, cancel := context.WithTimeout(u.client.ctx, ackBudget)
			_, _ = u.ask(ctx, "logging/setLevel", `{"level":`+level+"}") // what comes of it does not matter: logs are an extra
			cancel()
		}
	}
	kept := raw.Keep(r.m.Data, meta, olderKey)
	if at := raw.Find(kept, raw.Whole(kept), "progressToken"); at.There() {
		kept = raw.Apply(kept, raw.Edit{At: at, Text: token})
	}
	return []raw.Edit{{At: meta, Text: kept}}
}

// cancel gives up a call, and tells the server. Reason is raw JSON, or nil.
func (u *upstream) cancel(c *call, reason []byte) {
	if taken, _ := u.take(c.number); taken == nil {
		return
	}
	u.forget(c)
	if !u.modern || u.source.Connection.Stdio != nil {
		note := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d`, c.number)
		if reason != nil {
			note = append(append(note, `,"reason":`...), reason...)
		}
		_ = u.wire.Send(connection.Packet{Data: append(note, "}}"...)})
	}
	if u.modern {
		u.wire.Abandon(c.number)
	}
}

// ask sends a request of ours and waits for the message that answers it.
func (u *upstream) ask(ctx context.Context, method, params string) (raw.Message, *failure) {
	if m, _ := raw.Parse([]byte(`{"method":"x","params":` + params + "}")); u.modern && !newer(m) {
		triple := u.triple
		if triple == "" {
			triple = u.client.triple()
		}
		m, _ = raw.Parse(raw.Apply(m.Data, u.identify(m, triple)))
		params = string(m.Params.Of(m.Data))
	}
	return u.askPlain(ctx, method, params)
}

func (u *upstream) askPlain(ctx context.Context, method, params string) (raw.Message, *failure) {
	type reply struct {
		m raw.Message
		f *failure
	}
	got := make(chan reply, 1)
	c := &call{method: method, then: func(_ *request, m raw.Message, f *failure) {
		m.Data = bytes.Clone(m.Data)
		got <- reply{m, f}
	}}
	u.register(c)
	u.send(c, connection.Packet{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.number, method, params)})
	select {
	case r := <-got:
		return r.m, r.f
	case <-ctx.Done():
		if method == "initialize" || method == "server/discover" { // the handshake ends with the wire, and a late answer is dropped
			u.take(c.number)
		} else {
			u.cancel(c, nil)
		}
		return raw.Message{}, refuse(codeInternal, "%v", context.Cause(ctx))
	}
}

// notify sends a notification.
func (u *upstream) notify(data []byte) { _ = u.wire.Send(connection.Packet{Data: data}) }

// greet says once that the client is ready, where the protocol has that.
func (u *upstream) greet() {
	if !u.modern {
		u.hello.Do(func() { u.notify([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)) })
	}
}

// lose ends u with a cause: what is in flight has no answer.
func (u *upstream) lose(cause error) {
	u.mu.Lock()
	if u.lost == nil {
		u.lost = cause
	}
	calls := u.calls
	u.calls = map[int64]*call{}
	u.questions = map[string]*question{}
	u.mu.Unlock()
	for _, c := range calls {
		u.forget(c)
		c.then(c.owner, raw.Message{}, u.source.unusable(cause))
	}
}
