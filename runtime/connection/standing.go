package connection

import (
	"errors"
	"net/http"
	"net/url"
)

// listen answers the SDK's wish for the stream on which a server says what belongs
// to no request. The SDK gets one that never fails and never ends while the session
// lives: its own waits for the server's in Connect, and ends the session when the
// server has closed it a few times.
func (c *httpChannel) listen(req *http.Request) (*http.Response, error) {
	if !c.enter() {
		return nil, c.over()
	}
	b := newInbox()
	x := &Exchange{lock: &c.mu, header: req.Header.Clone(), target: req.URL}
	t := c.begin(c.ctx)
	go func() {
		defer c.work.Done()
		defer b.end()
		defer t.end()
		c.attend(t, x, b)
		<-t.ctx.Done()
	}()
	return eventStream(req, b), nil
}

// attend reads the standing stream of a session, as long as the server has one.
func (c *httpChannel) attend(t *task, x *Exchange, b *inbox) {
	s := &answerStream{channel: c, task: t, x: x, inbox: b}
	for misses := 1; ; misses++ {
		last := s.lastID
		req := resume(x, s.lastID)
		if s.lastID == "" {
			req.Header.Del(headerLastEvent)
		}
		a, err := c.send(t, req, nil, nil)
		var f *Failure
		switch {
		case errors.As(err, &f) && f.Kind == Unanswered:
		case err != nil:
			return // 405: it has none; or the channel ends
		case a.body == nil || mediaType(a.header) != "text/event-stream":
			a.discard()
			return
		default:
			c.relay(newEvents(a.body, c.limit), s)
			a.body.Close()
			if s.lastID != last {
				misses = 1
			}
		}
		if !pause(t, s.retry, misses) {
			return
		}
	}
}

// relay hands on what comes on a stream that answers no request of its own, until
// it ends, and returns with what.
func (c *httpChannel) relay(in *events, s *answerStream) error {
	for {
		e, err := in.next()
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			c.refuse(big, s.inbox)
			continue
		}
		if err != nil {
			return err
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
		messages, _ := c.accept(0, nil, e.data) // what is no message is nobody's answer
		for _, m := range messages {
			s.inbox.put(m)
		}
	}
}

// refuse fails the request whose answer is over the limit, or all in flight if it
// cannot be told which one that is.
func (c *httpChannel) refuse(big *tooLarge, b *inbox) {
	c.mu.Lock()
	all := c.meant(big)
	c.mu.Unlock()
	for n, x := range all {
		s := &answerStream{channel: c, task: c.begin(c.ctx), n: n, x: x, inbox: b}
		s.x.answered.Store(true)
		s.put(overLimit(c.limit))
		s.task.end()
	}
}

// openStream opens the one stream of a legacy SSE session. It returns once the
// server has named the address that takes messages.
func (c *httpChannel) openStream(req *http.Request) (*http.Response, error) {
	if !c.enter() {
		return nil, c.over()
	}
	x, _ := req.Context().Value(exchangeKey{}).(*Exchange)
	t := c.begin(req.Context())
	s := &answerStream{channel: c, task: t, x: x, inbox: newInbox()}
	in, body, err := c.endpoint(s, req)
	if err != nil {
		if x != nil {
			x.fail(err)
		}
		s.end()
		return nil, err
	}
	t.loose() // the SDK's context is that of connecting
	c.mu.Lock()
	c.main = s.inbox
	c.mu.Unlock()
	go func() {
		defer s.end()
		defer s.inbox.end()
		defer body.Close()
		_ = c.relay(in, s)
		c.shutdown(ErrStreamEnded)
	}()
	return eventStream(req, s.inbox), nil
}

// endpoint opens the stream and reads up to the address, which it hands on.
func (c *httpChannel) endpoint(s *answerStream, req *http.Request) (*events, interface{ Close() error }, error) {
	a, err := c.send(s.task, req, nil, s.x)
	if err != nil {
		return nil, nil, err
	}
	if kind := mediaType(a.header); a.body == nil || kind != "text/event-stream" {
		a.discard()
		return nil, nil, c.noMCP(kind)
	}
	in := newEvents(a.body, c.limit)
	for {
		e, err := in.next()
		if err != nil {
			a.body.Close()
			if s.task.ctx.Err() != nil {
				return nil, nil, c.interrupted(s.task)
			}
			return nil, nil, c.broken(s.why(err) + " before it named the address that takes messages")
		}
		if e.name != "endpoint" {
			continue
		}
		target, err := c.target(string(e.data))
		if err != nil {
			a.body.Close()
			return nil, nil, err
		}
		s.inbox.add([]byte("event: endpoint\ndata: "+target.String()+"\n\n"), nil)
		return in, a.body, nil
	}
}

// target resolves the address that takes the messages of a legacy SSE session. It
// gets the credentials, so it must be of the same server.
func (c *httpChannel) target(address string) (*url.URL, error) {
	u, err := c.url.Parse(address)
	if err != nil {
		return nil, c.garbled("The address that the server wants messages at is no URL.", "")
	}
	if !sameOrigin(u, c.url) {
		return nil, c.garbled("The server wants messages at another server, "+u.Scheme+"://"+u.Host+".",
			"wfc does not send them there, since the connection does not name it. If it is right, write its address as the url.")
	}
	return u, nil
}
