package connection

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
)

// The headers of the protocol that matter here.
const (
	headerSession   = "Mcp-Session-Id"
	headerVersion   = "Mcp-Protocol-Version"
	headerMethod    = "Mcp-Method"
	headerLastEvent = "Last-Event-Id"
)

// modern is the first revision in which HTTP has no sessions, and a request is
// cancelled by closing its stream.
const modern = "2026-07-28"

type headerKey struct{}

// WithHeader returns ctx with what goes beside the requests that the SDK writes under
// it, over HTTP from 2026-07-28 on: a tool may want some of its arguments there.
func WithHeader(ctx context.Context, h http.Header) context.Context {
	return context.WithValue(ctx, headerKey{}, h)
}

// RoundTrip implements http.RoundTripper for the SDK's transport: it performs the
// request, takes from the answer what is kept, and returns what the SDK is to see.
func (c *httpChannel) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body) // the SDK's, in memory
		req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	switch {
	case req.Method == http.MethodDelete:
		return c.deleteSession(req)
	case req.Method == http.MethodGet && c.sse:
		return c.openStream(req)
	case req.Method == http.MethodGet:
		return c.listen(req)
	}
	e, _, _ := scanEnvelope(body)
	var method string
	if e.method != nil {
		if err := json.Unmarshal(e.method, &method); err != nil {
			return nil, err
		}
	}
	if method == "notifications/cancelled" {
		c.takeCancel(e.params)
		return accepted(req), nil
	}
	if !c.enter() {
		return nil, c.over()
	}
	if e.method == nil || e.id == nil {
		defer c.work.Done()
		return c.tell(req, body)
	}
	n, err := wholeNumber(e.id)
	if err != nil {
		c.work.Done()
		return nil, err
	}
	return c.ask(req, body, n, method)
}

// accepted is the answer to what wants none.
func accepted(req *http.Request) *http.Response {
	return &http.Response{StatusCode: http.StatusAccepted, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req}
}

// eventStream returns the answer whose events the SDK finds in b.
func eventStream(req *http.Request, b *inbox) *http.Response {
	resp := accepted(req)
	resp.StatusCode, resp.Body = http.StatusOK, b
	resp.Header.Set("Content-Type", "text/event-stream")
	return resp
}

// tell sends a notification, or an answer to a request of the server.
func (c *httpChannel) tell(req *http.Request, body []byte) (*http.Response, error) {
	t := c.begin(req.Context())
	defer t.end()
	x, _ := req.Context().Value(exchangeKey{}).(*Exchange)
	a, err := c.send(t, req, body, nil)
	if err != nil {
		if x != nil {
			x.fail(err)
		}
		if c.sse {
			return accepted(req), nil // an error would end the session
		}
		return nil, err
	}
	a.discard()
	return accepted(req), nil
}

// ask sends a request. Its work has begun.
func (c *httpChannel) ask(req *http.Request, body []byte, n int64, method string) (*http.Response, error) {
	x, _ := req.Context().Value(exchangeKey{}).(*Exchange)
	if x == nil { // a request of the SDK's own
		x = &Exchange{lock: &c.mu}
	}
	if more, _ := req.Context().Value(headerKey{}).(http.Header); req.Header.Get(headerVersion) >= modern {
		maps.Copy(req.Header, more)
	}
	x.stage.Store(stageQueued)
	c.mu.Lock()
	x.id, x.method, x.failure = n, method, nil
	x.header, x.target = req.Header, req.URL // the SDK makes new ones for each
	c.exchanges[n] = x
	c.mu.Unlock()
	t := c.begin(req.Context())
	s := &answerStream{channel: c, task: t, n: n, x: x, inbox: newInbox()}
	if c.sse {
		s.inbox = c.main
	}
	a, err := c.send(t, req, body, x)
	if err == nil {
		err = s.take(a)
	}
	if err != nil {
		s.fail(err)
		s.end()
		if t.caller.Err() != nil {
			return nil, err
		}
	}
	if c.sse {
		return accepted(req), nil
	}
	resp := eventStream(req, s.inbox)
	if a != nil && method == "initialize" && a.header.Get(headerSession) != "" {
		resp.Header.Set(headerSession, a.header.Get(headerSession))
	}
	return resp, nil
}

// answer is what came to a request: a body that is not read yet, or one that is.
type answer struct {
	status int
	header http.Header
	body   io.ReadCloser // nil if it was read
	read   []byte
}

// discard lets go of the body in a way that keeps the connection for the next request.
func (a *answer) discard() {
	if a.body != nil {
		finish(a.body)
	}
}

// smallBody is what is read of a body that does not matter, in bytes.
const smallBody = 64 << 10

// maxRedirects is how often a request is sent on within one server. Frameworks do it
// once, to add a slash to the path.
const maxRedirects = 5

// send sends a request and returns the answer: one of success, or a JSON-RPC error
// whatever its status. The error is a *[Failure], or says that the task has ended or
// the session is lost. x, which may be nil, learns whether bytes have left.
func (c *httpChannel) send(t *task, req *http.Request, body []byte, x *Exchange) (*answer, error) {
	target, refused, credential := req.URL, "", ""
	left := false // bytes of the latest request
	traced := httptrace.WithClientTrace(t.ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		left = true
		if x != nil {
			x.stage.Store(stageLeaving)
		}
	}})
	for hop := 0; ; hop++ {
		left = false
		out, err := http.NewRequestWithContext(traced, req.Method, target.String(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		c.setHeaders(out, req.Header)
		if c.Auth != nil {
			if refused == "" {
				if credential, err = c.Auth.value(t.ctx, ""); err != nil {
					return nil, c.noCredential(t, err)
				}
			}
			out.Header.Set(c.Auth.header(), credential)
		}
		resp, err := c.base.RoundTrip(out)
		if err != nil {
			if t.ctx.Err() != nil {
				return nil, c.interrupted(t)
			}
			sent := SentNo
			if left {
				sent = SentMaybe
			}
			return nil, c.unreachable(sent, err)
		}
		switch code := resp.StatusCode; {
		case code >= 200 && code < 300:
			return &answer{status: code, header: resp.Header, body: resp.Body}, nil
		case code == http.StatusUnauthorized && c.Auth != nil && refused == "":
			// A source may have another one by now: what was refused was not executed.
			if next, err := c.Auth.value(t.ctx, credential); err == nil && next != credential {
				(&answer{body: resp.Body}).discard()
				refused, credential = credential, next
				continue
			}
		case code == http.StatusTemporaryRedirect || code == http.StatusPermanentRedirect:
			next, err := resp.Location()
			if err == nil && sameOrigin(next, target) && hop < maxRedirects {
				(&answer{body: resp.Body}).discard()
				target = next
				continue
			}
		}
		return c.refusal(resp, req, x)
	}
}

// setHeaders gives out the headers of the protocol, and those of the connection
// where the protocol has none of that name.
func (c *httpChannel) setHeaders(out *http.Request, protocol http.Header) {
	for name, value := range c.Headers {
		out.Header.Set(name, value)
		if strings.EqualFold(name, "Host") {
			out.Host = value
			out.Header.Del(name)
		}
	}
	for name, values := range protocol {
		out.Header[name] = values
	}
}

// sameOrigin reports whether credentials for b may be sent to a.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// interrupted is the error of a task that was cut off.
func (c *httpChannel) interrupted(t *task) error {
	if c.ctx.Err() != nil && t.caller.Err() == nil {
		return c.over()
	}
	return context.Cause(t.ctx)
}

// noCredential is the error of a request whose credential cannot be had.
func (c *httpChannel) noCredential(t *task, err error) error {
	if t.ctx.Err() != nil {
		return c.interrupted(t)
	}
	return &Failure{Kind: Unanswered, Sent: SentNo, What: "It could not be sent: " + strings.TrimRight(c.redact(err.Error()), ".") + ".", cause: err}
}

// forgotten finds in the words of a server that it does not know a session: many
// say so with 400 and not, as the protocol wants, with 404.
var forgotten = atFirstUse(`(?i)\b(no valid|no such|invalid|unknown|expired|terminated)\b.{0,20}\bsession\b|\bsession\b.{0,40}\b(not found|not exist|invalid|unknown|expired|terminated)\b`)

// refusal reads an answer whose status is none of success.
func (c *httpChannel) refusal(resp *http.Response, sent *http.Request, x *Exchange) (*answer, error) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, smallBody))
	a := &answer{status: resp.StatusCode, header: resp.Header, read: body}
	resp.Body.Close()
	code, said := resp.StatusCode, saidIn(resp.Header, body, c.redact)
	// Some answer 404 to a GET because they know none.
	inSession := sent.Method == http.MethodPost && sent.Header.Get(headerSession) != ""
	if inSession && (code == http.StatusNotFound || code == http.StatusBadRequest && forgotten().MatchString(said)) {
		if x != nil {
			x.stage.Store(stageDropped) // it was turned away
		}
		c.shutdown(ErrForgotten)
		return nil, c.over()
	}
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests:
	default:
		if e, _, how := scanEnvelope(bytes.TrimSpace(body)); how == complete && e.isMessage() && e.err != nil {
			return a, nil
		}
	}
	if code >= 300 && code < 400 {
		if u, err := resp.Location(); err == nil {
			u.RawQuery = ""
			return nil, c.elsewhere(resp, c.redact(u.Redacted()))
		}
	}
	return nil, c.rejected(resp, said)
}

// deleteSession ends the session at the server, for the SDK's Close.
func (c *httpChannel) deleteSession(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	ended := c.ended || c.cause != ErrClosed
	if !ended {
		c.work.Add(1)
	}
	c.mu.Unlock()
	if ended {
		return accepted(req), nil
	}
	defer c.work.Done()
	t := c.begin(c.ctx)
	defer t.end()
	a, err := c.send(t, req, nil, nil)
	if err != nil {
		return nil, err
	}
	a.discard()
	return accepted(req), nil
}

// takeCancel sends the SDK's notice of a cancelled request unless Finish has done so.
func (c *httpChannel) takeCancel(params json.RawMessage) {
	var p struct {
		RequestID int64  `json:"requestId"`
		Reason    string `json:"reason"`
	}
	if json.Unmarshal(params, &p) == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel(p.RequestID, p.Reason)
	}
}

// cancel gives up the request id, and tells the server. c.mu is held.
func (c *httpChannel) cancel(id int64, reason string) {
	x := c.exchanges[id]
	if x == nil {
		return
	}
	delete(c.exchanges, id)
	if c.closing || handshake(x.method) || x.stage.Load() != stageLeaving || x.header.Get(headerVersion) >= modern {
		return // it was not sent, or its end says it already
	}
	text, err := json.Marshal(reason)
	if err != nil {
		text = []byte(`""`)
	}
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":%s}}`, id, text)
	c.work.Add(1)
	c.cancels.Add(1)
	go func() {
		defer c.work.Done()
		defer c.cancels.Done()
		ctx, stop := context.WithTimeout(c.ctx, c.close)
		defer stop()
		t := c.begin(ctx)
		defer t.end()
		req := &http.Request{Method: http.MethodPost, URL: x.target, Header: x.header}
		if a, err := c.send(t, req, body, nil); err == nil {
			a.discard()
		}
	}()
}
