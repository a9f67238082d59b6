package connection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// headerName is the header that repeats the name or the URI in a request.
const headerName = "Mcp-Name"

// httpWire is the [Wire] over streamable HTTP, and over the SSE transport before it.
// Of [httpChannel] it has the requests themselves and the end; what the SDK's
// transport does there it does itself.
type httpWire struct {
	*httpChannel
	deliver func(Delivery)

	// Of the following, ledger.mu is the lock.
	version string
	session string
	target  *url.URL        // where messages go
	asking  map[int64]*task // requests without their answer
	queue   []Packet        // what waits for its turn
	sending bool            // somebody is at work on the queue
	listens bool
}

func (c Connection) httpWire(h *HTTP, sse bool, deliver func(Delivery)) (Wire, error) {
	channel, err := c.openHTTP(h, sse, Sinks{})
	if err != nil {
		return nil, err
	}
	w := &httpWire{httpChannel: channel, deliver: deliver, target: channel.url, asking: map[int64]*task{}}
	channel.mu.Lock()
	defer channel.mu.Unlock()
	channel.conn = farewell{w: w}
	if sse {
		w.target, w.sending = nil, true // until the server has named it
		w.work.Add(1)
		go w.openSSE()
	}
	return w, nil
}

// farewell is what the channel closes at its end.
type farewell struct {
	mcp.Connection
	w *httpWire
}

// Close deletes the session, if there is one.
func (f farewell) Close() error {
	w := f.w
	w.mu.Lock()
	session := w.session
	for _, t := range w.asking {
		t.cancel(ErrClosed)
	}
	w.mu.Unlock()
	if session == "" || w.sse {
		return nil
	}
	req, err := http.NewRequestWithContext(w.ctx, http.MethodDelete, w.url.String(), nil)
	if err != nil {
		return err
	}
	req.Header = w.header("", "", "")
	_, err = w.deleteSession(req)
	return err
}

// Speak implements [Wire].
func (w *httpWire) Speak(version string) {
	w.mu.Lock()
	w.version = version
	w.mu.Unlock()
}

// Abandon implements [Wire].
func (w *httpWire) Abandon(id int64) {
	w.mu.Lock()
	t := w.asking[id]
	w.mu.Unlock()
	if t != nil {
		t.cancel(context.Canceled)
	}
}

// Send implements [Wire].
func (w *httpWire) Send(p Packet) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return fmt.Errorf("%w: %w", io.ErrClosedPipe, w.cause)
	}
	e, _, _ := scanEnvelope(p.Data)
	if !w.sending && e.method != nil && e.id != nil {
		return w.start(p, e) // the usual case: nothing is before it
	}
	w.queue = append(w.queue, p)
	if !w.sending {
		w.sending = true
		w.work.Add(1)
		go w.drain()
	}
	return nil
}

// drain sends what waits in its order, until nothing does.
func (w *httpWire) drain() {
	defer w.work.Done()
	for {
		w.mu.Lock()
		if len(w.queue) == 0 || w.closing {
			w.sending = false
			w.mu.Unlock()
			return
		}
		p := w.queue[0]
		w.queue = w.queue[1:]
		e, _, _ := scanEnvelope(p.Data)
		if e.method != nil && e.id != nil {
			_ = w.start(p, e) // it says by itself what became of it
			w.mu.Unlock()
			continue
		}
		w.mu.Unlock()
		w.tell(p, e)
	}
}

// tell sends a notification, or an answer to a request of the server. What becomes
// of it nobody waits for.
func (w *httpWire) tell(p Packet, e envelope) {
	t := w.begin(w.ctx)
	defer t.end()
	method := text(e.method)
	if a, err := w.send(t, w.post(method, "", p.Header), p.Data, nil); err == nil {
		a.discard()
	}
	if method == "notifications/initialized" {
		w.listenOnce()
	}
}

// start sends a request in a goroutine of its own. w.mu is held.
func (w *httpWire) start(p Packet, e envelope) error {
	id, err := wholeNumber(e.id)
	if err != nil {
		return err
	}
	t := w.begin(w.ctx)
	w.asking[id] = t
	w.work.Add(1)
	method, name := text(e.method), ""
	if w.version >= modern {
		name = nameIn(e.params)
	}
	go func() {
		defer w.work.Done()
		defer t.end()
		err := w.ask(t, id, method, name, p)
		w.mu.Lock()
		delete(w.asking, id)
		w.mu.Unlock()
		if err != nil && t.ctx.Err() == nil {
			w.deliver(Delivery{Of: id, Err: err})
		}
	}()
	return nil
}

// post makes the request that carries a message.
func (w *httpWire) post(method, name string, more http.Header) *http.Request {
	w.mu.Lock()
	target := w.target
	w.mu.Unlock()
	h := w.header(method, name, "application/json, text/event-stream")
	h.Set("Content-Type", "application/json")
	for k, v := range more {
		h[k] = v
	}
	return &http.Request{Method: http.MethodPost, URL: target, Header: h}
}

// header returns the headers of the protocol.
func (w *httpWire) header(method, name, accept string) http.Header {
	h := http.Header{}
	if accept != "" {
		h.Set("Accept", accept)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.version != "" {
		h.Set(headerVersion, w.version)
	}
	if w.session != "" {
		h.Set(headerSession, w.session)
	}
	if w.version >= modern {
		h.Set(headerMethod, method)
		if name != "" {
			h.Set(headerName, name)
		}
	}
	return h
}

// ask sends a request and delivers what comes in answer to it. The error says why
// there is no answer.
func (w *httpWire) ask(t *task, id int64, method, name string, p Packet) error {
	req := w.post(method, name, p.Header)
	a, err := w.send(t, req, p.Data, nil)
	if err != nil {
		return err
	}
	if s := a.header.Get(headerSession); s != "" && method == "initialize" {
		w.mu.Lock()
		w.session = s
		w.mu.Unlock()
	}
	if w.sse { // its answer comes on the session's one stream
		a.discard()
		return nil
	}
	body := a.read
	switch kind := mediaType(a.header); {
	case body != nil:
	case kind == "text/event-stream":
		return w.follow(t, id, method, req, a.body)
	case a.status == http.StatusAccepted || a.status == http.StatusNoContent:
		a.discard()
		return w.garbled(fmt.Sprintf("The server took the request and gave no answer (%d %s).", a.status, http.StatusText(a.status)), "")
	case kind != "application/json" && kind != "":
		a.discard()
		return w.noMCP(kind)
	default:
		body, err = io.ReadAll(io.LimitReader(a.body, int64(w.limit)+1))
		a.body.Close()
		switch {
		case err != nil:
			return w.broken(rootOf(err))
		case len(body) > w.limit:
			return overLimit(w.limit)
		}
	}
	messages, none := messagesIn(body)
	if none {
		return w.garbled("What the server answered is no MCP message.", "")
	}
	if !w.hand(messages, id, method) {
		return w.garbled("The server answered something else than what it was asked.", "")
	}
	return nil
}

// hand delivers messages and reports whether one of them answers request id.
func (w *httpWire) hand(messages [][]byte, id int64, method string) (answered bool) {
	for _, m := range messages {
		e, _, _ := scanEnvelope(m)
		e.dropNulls()
		if e.method == nil && e.id == nil && e.err != nil {
			answered = true // the server could not read what it was asked
		} else if n, err := wholeNumber(e.id); e.method == nil && err == nil && n == id {
			answered = true
		}
		w.deliver(Delivery{Data: m, Of: id})
	}
	return answered
}

// follow delivers the events of a stream until the answer has come. A stream that
// breaks off is taken up again where its events have ids.
func (w *httpWire) follow(t *task, id int64, method string, req *http.Request, body io.ReadCloser) error {
	s := &answerStream{channel: w.httpChannel, task: t, x: &Exchange{lock: &w.mu, header: req.Header, target: req.URL}}
	in := newEvents(body, w.limit)
	for misses := 0; ; {
		last := s.lastID
		answered, err := w.events(in, s, id, method)
		if answered {
			finish(body)
			return nil
		}
		body.Close()
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			return overLimit(w.limit)
		}
		if s.lastID == "" || req.Header.Get(headerVersion) >= modern {
			return w.broken(s.why(err))
		}
		if misses++; s.lastID != last {
			misses = 1
		}
		for body = nil; body == nil; misses++ {
			if misses > maxMisses {
				return w.broken(s.why(err))
			}
			if !pause(t, s.retry, misses) {
				return context.Cause(t.ctx)
			}
			r := resume(s.x, s.lastID)
			r.Header = w.header("", "", "text/event-stream")
			r.Header.Set(headerLastEvent, s.lastID)
			a, openErr := w.send(t, r, nil, nil)
			var f *Failure
			switch {
			case errors.As(openErr, &f) && f.Kind == Unanswered:
				continue
			case openErr != nil:
				return w.broken(s.why(err))
			case a.body == nil || mediaType(a.header) != "text/event-stream":
				a.discard()
				return w.broken(s.why(err))
			}
			in, body = newEvents(a.body, w.limit), a.body
		}
	}
}

// events delivers what comes on a stream, until the answer to id has come or the
// stream ends; s keeps what is needed to take it up again.
func (w *httpWire) events(in *events, s *answerStream, id int64, method string) (answered bool, _ error) {
	for {
		e, err := in.next()
		if err != nil {
			return false, err
		}
		if e.id != "" {
			s.lastID = e.id
		}
		if e.retry > 0 {
			s.retry = e.retry
		}
		if len(e.data) == 0 || e.name != "" && e.name != "message" {
			continue
		}
		messages, none := messagesIn(e.data)
		if none && s.noise == "" {
			s.noise = excerpt(w.redact, e.data)
		}
		if w.hand(messages, id, method) && id != 0 {
			return true, nil
		}
	}
}

// listenOnce opens the stream of what belongs to no request, which servers before
// 2026-07-28 may have.
func (w *httpWire) listenOnce() {
	w.mu.Lock()
	again := w.listens || w.closing || w.sse
	w.listens = true
	if !again {
		w.work.Add(1)
	}
	w.mu.Unlock()
	if again {
		return
	}
	go func() {
		defer w.work.Done()
		t := w.begin(w.ctx)
		defer t.end()
		s := &answerStream{channel: w.httpChannel, task: t, x: &Exchange{lock: &w.mu, target: w.url}}
		for misses := 1; ; misses++ {
			last := s.lastID
			h := w.header("", "", "text/event-stream")
			if last != "" {
				h.Set(headerLastEvent, last)
			}
			a, err := w.send(t, &http.Request{Method: http.MethodGet, URL: w.url, Header: h}, nil, nil)
			var f *Failure
			switch {
			case errors.As(err, &f) && f.Kind == Unanswered:
			case err != nil:
				return // 405: it has none; or the wire ends
			case a.body == nil || mediaType(a.header) != "text/event-stream":
				a.discard()
				return
			default:
				_, _ = w.events(newEvents(a.body, w.limit), s, 0, "")
				a.body.Close()
				if s.lastID != last {
					misses = 1
				}
			}
			if !pause(t, s.retry, misses) {
				return
			}
		}
	}()
}

// openSSE opens the one stream of a legacy SSE session, and sends what waits once the
// server has named the address that takes messages.
func (w *httpWire) openSSE() {
	defer w.work.Done()
	t := w.begin(w.ctx)
	defer t.end()
	s := &answerStream{channel: w.httpChannel, task: t, x: &Exchange{lock: &w.mu}, inbox: newInbox()}
	req := &http.Request{Method: http.MethodGet, URL: w.url, Header: http.Header{"Accept": {"text/event-stream"}}}
	in, body, err := w.endpoint(s, req)
	if err != nil {
		w.shutdown(err)
		return
	}
	defer body.Close()
	address, err := io.ReadAll(io.LimitReader(s.inbox, int64(len(s.inbox.pieces[0]))))
	if err != nil {
		w.shutdown(err)
		return
	}
	_, text, _ := bytes.Cut(bytes.TrimSpace(address), []byte("data: "))
	target, err := url.Parse(string(text))
	if err != nil {
		w.shutdown(err)
		return
	}
	w.mu.Lock()
	w.target = target
	w.work.Add(1)
	w.mu.Unlock()
	go w.drain()
	_, _ = w.events(in, s, 0, "")
	w.shutdown(ErrStreamEnded)
}

// text decodes a JSON string; what is none is "".
func text(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

// nameIn returns the name or the URI in the parameters of a request.
func nameIn(params []byte) string {
	var p struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	if p.Name != "" {
		return p.Name
	}
	return p.URI
}
