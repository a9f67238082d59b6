package connection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// answerStream is the answer to one request on its way to the SDK.
type answerStream struct {
	channel *httpChannel
	task    *task
	n       int64 // the request's id
	x       *Exchange
	inbox   *inbox

	lastID string        // of its events; empty: the stream cannot be taken up again
	retry  time.Duration // what the server said to wait before that
	noise  string        // the first event that was no message
}

// end ends the work that asking was.
func (s *answerStream) end() {
	s.task.end()
	s.channel.work.Done()
}

// take hands an answer on: at once if it is whole, else in a goroutine, which ends
// the work. The error is as of [httpChannel.send].
func (s *answerStream) take(a *answer) error {
	c := s.channel
	if c.sse { // it comes on the session's one stream
		a.discard()
		s.end()
		return nil
	}
	switch kind := mediaType(a.header); {
	case a.read != nil:
		return s.refused(a.read)
	case kind == "text/event-stream":
		s.begin(a.body)
		return nil
	case a.status == http.StatusAccepted || a.status == http.StatusNoContent:
		a.discard()
		return c.garbled(fmt.Sprintf("The server took the request and gave no answer (%d %s).", a.status, http.StatusText(a.status)), "")
	case kind != "application/json" && kind != "":
		a.discard()
		return c.noMCP(kind)
	}
	body, err := io.ReadAll(io.LimitReader(a.body, int64(c.limit)+1))
	a.body.Close()
	switch {
	case s.task.ctx.Err() != nil:
		return c.interrupted(s.task)
	case err != nil:
		return c.broken(rootOf(err))
	case len(body) > c.limit:
		s.refuse()
		return nil
	}
	return s.whole(body)
}

// noMCP is the failure of an answer of a type that MCP does not have.
func (c *httpChannel) noMCP(kind string) *Failure {
	what := "something of the type " + kind
	if kind == "text/html" {
		what = "a web page"
	}
	return c.garbled(fmt.Sprintf("What %s answers is %s, not MCP.", c.shown(), what),
		fmt.Sprintf("Check the url of its %s block: the path of many servers is /mcp.", c.block()))
}

// whole hands on an answer that is one text, and ends the work.
func (s *answerStream) whole(body []byte) error {
	messages, err := s.channel.accept(s.n, s.x, body)
	if err == nil && s.waiting() {
		err = errors.New("it answers something else")
	}
	if err != nil {
		return s.channel.garbled(fmt.Sprintf("What the server answered is no MCP message: %v.", err), "")
	}
	for _, m := range messages {
		s.inbox.put(m)
	}
	s.inbox.end()
	s.end()
	return nil
}

// refused hands on the error that came under a status of failure, and ends the work.
// It answers this request whatever its id says, which some servers make up.
func (s *answerStream) refused(body []byte) error {
	e, _, _ := scanEnvelope(bytes.TrimSpace(body))
	s.x.answered.Store(true)
	s.put(decodeError(e.err))
	s.end()
	return nil
}

// waiting reports whether the request has no answer yet.
func (s *answerStream) waiting() bool {
	s.channel.mu.Lock()
	defer s.channel.mu.Unlock()
	return s.channel.exchanges[s.n] == s.x
}

// refuse answers the request with the error that its answer is over the limit.
func (s *answerStream) refuse() {
	s.x.answered.Store(true)
	s.put(overLimit(s.channel.limit))
	s.end()
}

// fail answers the request in place of the server. One whose caller gave up stays
// known, so that the server is told.
func (s *answerStream) fail(err error) {
	s.x.fail(err)
	if s.task.caller.Err() != nil {
		s.inbox.end()
		return
	}
	s.put(&jsonrpc.Error{Code: CodeFailure, Message: s.channel.redact(err.Error())})
}

// put hands on the error that a request ends with.
func (s *answerStream) put(err error) {
	c := s.channel
	c.mu.Lock()
	delete(c.exchanges, s.n)
	c.mu.Unlock()
	s.task.loose()
	if id, idErr := jsonrpc.MakeID(float64(s.n)); idErr == nil {
		if data, encErr := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: err}); encErr == nil {
			s.inbox.put(data)
		}
	}
	if !c.sse {
		s.inbox.end()
	}
}

// begin reads a stream as long as there is nothing in it for the SDK, which does not
// wait for it yet. Most streams hold the answer alone, and then that is all. What is
// left is for another goroutine.
func (s *answerStream) begin(body io.ReadCloser) {
	in := newEvents(body, s.channel.limit)
	for {
		answered, err := s.read(in, body)
		if answered {
			go func() { // the caller has its answer, and does not wait for the rest
				defer s.end()
				finish(body)
			}()
			return
		}
		if err != nil || s.inbox.holds() {
			go s.run(in, body, err)
			return
		}
	}
}

// run follows the answer's stream to its end, and ends the work. err is what the
// stream has ended with already.
func (s *answerStream) run(in *events, body io.ReadCloser, err error) {
	defer s.end()
	if err := s.follow(in, body, err); err != nil {
		s.fail(err)
	}
}

// maxMisses is how often in a row a stream is taken up again without a new event.
const maxMisses = 5

// follow reads the stream until the answer has come. A stream that breaks off is
// taken up again where its events have ids: the server keeps what follows.
func (s *answerStream) follow(in *events, body io.ReadCloser, err error) error {
	c := s.channel
	for misses := 0; ; {
		last := s.lastID
		for answered := false; err == nil; {
			if answered, err = s.read(in, body); answered {
				finish(body)
				return nil
			}
		}
		body.Close()
		if s.task.ctx.Err() != nil {
			return c.interrupted(s.task)
		}
		if s.lastID == "" || s.x.header.Get(headerVersion) >= modern {
			return c.broken(s.why(err))
		}
		if misses++; s.lastID != last {
			misses = 1
		}
		for body = nil; body == nil; misses++ {
			if misses > maxMisses {
				return c.broken(s.why(err))
			}
			if !pause(s.task, s.retry, misses) {
				return c.interrupted(s.task)
			}
			a, openErr := c.send(s.task, resume(s.x, s.lastID), nil, nil)
			var f *Failure
			switch {
			case errors.As(openErr, &f) && f.Kind == Unanswered:
				continue // not reached: once more
			case openErr != nil:
				return c.broken(s.why(err))
			case a.body == nil || mediaType(a.header) != "text/event-stream":
				a.discard()
				return c.broken(s.why(err))
			}
			in, body = newEvents(a.body, c.limit), a.body
		}
		err = nil
	}
}

// why says why a stream ended without the answer.
func (s *answerStream) why(err error) string {
	text := rootOf(err)
	if errors.Is(err, io.EOF) {
		text = "it closed its stream"
	}
	if s.noise != "" {
		text += fmt.Sprintf(", after an event that is no MCP message (%q)", s.noise)
	}
	return text
}

// firstPause is how long to wait before a stream is opened again whose server does
// not say it; it doubles with every miss.
const firstPause = time.Second

// pause waits before the nth attempt to open a stream, and reports whether to go on.
func pause(t *task, asked time.Duration, n int) bool {
	d := asked
	if d == 0 {
		d = firstPause << min(n-1, 5)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.ctx.Done():
		return false
	}
}

// resume is the request that takes up a stream behind the event last.
func resume(x *Exchange, last string) *http.Request {
	h := http.Header{"Accept": {"text/event-stream"}, headerLastEvent: {last}}
	for _, name := range []string{headerSession, headerVersion} {
		if v := x.header.Get(name); v != "" {
			h.Set(name, v)
		}
	}
	return &http.Request{Method: http.MethodGet, URL: x.target, Header: h}
}

// read hands on the next event, and reports whether the answer has come. The error
// is what the stream ended with before.
func (s *answerStream) read(in *events, body io.ReadCloser) (answered bool, _ error) {
	c := s.channel
	e, err := in.next()
	if big := (*tooLarge)(nil); errors.As(err, &big) {
		s.x.answered.Store(true)
		s.put(overLimit(c.limit))
		body.Close()
		return true, nil
	}
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
		return false, nil
	}
	messages, err := c.accept(s.n, s.x, e.data)
	if err != nil && s.noise == "" {
		s.noise = excerpt(c.redact, e.data)
	}
	if answered = !s.waiting(); answered {
		s.task.loose() // the caller leaves now, and the connection is to be kept
	}
	for _, m := range messages {
		s.inbox.put(m)
	}
	if answered {
		s.inbox.end()
	}
	return answered, nil
}

// finish reads the little that follows an answer, so that the connection is kept
// for the next request, but waits for no server that leaves the stream open.
func finish(body io.ReadCloser) {
	timer := time.AfterFunc(drainWait, func() { body.Close() })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, smallBody)
	body.Close()
}

// accept takes one message or a batch, which came in answer to request n of x, or
// for nobody in particular if x is nil. It returns what the SDK is to see of it.
func (c *httpChannel) accept(n int64, x *Exchange, data []byte) (seen [][]byte, err error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	batch := []json.RawMessage{data}
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &batch); err != nil {
			return nil, err
		}
	}
	for _, one := range batch {
		e, _, how := scanEnvelope(one)
		if how != complete || !e.isMessage() {
			return seen, fmt.Errorf("%q", excerpt(c.redact, one))
		}
		e.dropNulls()
		msg, err := c.acceptOne(n, x, e)
		if err != nil {
			return seen, err
		}
		if msg == nil {
			continue
		}
		encoded, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return seen, err
		}
		seen = append(seen, encoded)
	}
	return seen, nil
}

func (c *httpChannel) acceptOne(n int64, x *Exchange, e envelope) (jsonrpc.Message, error) {
	if e.method != nil {
		return c.request(e, func() *Exchange {
			if x == nil {
				return c.only()
			}
			return x
		})
	}
	if e.id == nil { // a server that could not read a request does not know its id
		if e.err == nil || x == nil {
			return nil, errors.New("a result without an id")
		}
		return c.settle(n, e)
	}
	id, err := wholeNumber(e.id)
	if err != nil {
		return nil, err
	}
	return c.settle(id, e)
}

// only returns the one operation that is in flight, nil where there are none or several.
func (c *httpChannel) only() (one *Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.exchanges {
		if one != nil {
			return nil
		}
		one = x
	}
	return one
}
