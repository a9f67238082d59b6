package connection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP is a server at a URL.
type HTTP struct {
	URL     string
	Headers map[string]string // sent with every request
	Auth    *Auth             // nil: none
}

// Causes of the end of a channel over HTTP.
var (
	// ErrForgotten: the server no longer knows the session, whose state is lost.
	ErrForgotten = errors.New("the server no longer knows it, as after a restart")
	// ErrStreamEnded: the server closed the stream that a legacy SSE session is.
	ErrStreamEnded = errors.New("the server closed its event stream")
)

// httpChannel is the [Channel] over streamable HTTP, and over the SSE transport
// before it. The SDK's transport speaks the protocol: it has the headers and the
// session's id. It sends its requests through RoundTrip, which is where all that can
// go wrong with HTTP is dealt with. The SDK sees answers as the protocol wants them,
// whatever came, so that no failure of one request ends the session; the raw results
// are kept.
type httpChannel struct {
	ledger
	*HTTP
	url    *url.URL
	sse    bool
	base   *http.Transport
	redact func(string) string
	close  time.Duration
	limit  int // bytes of a message

	ctx context.Context // of all that is under way
	cut context.CancelCauseFunc

	work    sync.WaitGroup // requests and streams under way
	cancels sync.WaitGroup // notices of cancelled requests under way

	// Of the following, ledger.mu is the lock.
	conn    mcp.Connection // the SDK's; nil before Connect
	main    *inbox         // of a legacy SSE session: what the server says
	closing bool
	ended   bool
	cause   error // why the channel ends; the first one counts

	shut chan struct{} // it is closing
	done chan struct{}
	end  End
}

var _ Channel = (*httpChannel)(nil)

// openHTTP returns a channel to the server of h. No byte is sent yet.
func (c Connection) openHTTP(h *HTTP, sse bool, sinks Sinks) (*httpChannel, error) {
	u, err := parseURL(h.URL)
	if err != nil {
		return nil, err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	// The default keeps two connections to a host, and makes a new one for every
	// further call that overlaps. One more is for the notices of cancelled calls.
	base.MaxIdleConnsPerHost = c.InFlight() + 1
	base.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
		if resp.StatusCode != http.StatusOK {
			return &proxyRefusal{resp.StatusCode}
		}
		return nil
	}
	channel := &httpChannel{
		ledger: newLedger(sinks), HTTP: h, url: u, sse: sse, base: base, redact: c.Redactor(), close: c.Timeouts.CloseTimeout(),
		limit: MaxFrame, shut: make(chan struct{}), done: make(chan struct{}),
	}
	channel.ctx, channel.cut = context.WithCancelCause(context.Background())
	go channel.supervise()
	return channel, nil
}

// parseURL reads the URL of a server. The error is a [Problem].
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return nil, Problem("Its url is empty. Write the address of the server, such as https://example.com/mcp.")
	case err != nil:
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // without the URL, which may hold a secret
		}
		return nil, problemf("Its url is none: %v. Write the address of the server, such as https://example.com/mcp.", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, problemf("Its url has the scheme %q. Write one that begins with http:// or https://.", u.Scheme)
	case u.Host == "":
		return nil, Problem("Its url names no host. Write the address of the server, such as https://example.com/mcp.")
	case u.User != nil:
		return nil, Problem(`Its url holds a user name. Write an auth "basic" block with username and password.`)
	}
	u.Fragment = ""
	return u, nil
}

// Connect implements mcp.Transport.
func (c *httpChannel) Connect(ctx context.Context) (mcp.Connection, error) {
	client := &http.Client{
		Transport:     c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var t mcp.Transport = &mcp.StreamableClientTransport{
		Endpoint: c.url.String(), HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: !c.sinks.Listen, MaxEventSize: -1,
	}
	if c.sse {
		t = &mcp.SSEClientTransport{Endpoint: c.url.String(), HTTPClient: client, MaxEventSize: -1}
	}
	conn, err := t.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		_ = conn.Close()
		return nil, c.over()
	}
	c.conn = conn
	c.mu.Unlock()
	return conn, nil
}

// Done implements [Channel].
func (c *httpChannel) Done() <-chan struct{} { return c.done }

// End implements [Channel].
func (c *httpChannel) End() End {
	<-c.done
	return c.end
}

// Close implements [Channel]: requests in flight are cancelled, the session is
// deleted, and what then does not end within the close timeout is cut off.
func (c *httpChannel) Close() error {
	c.shutdown(ErrClosed)
	return nil
}

// Kill implements [Channel].
func (c *httpChannel) Kill(cause error) {
	c.shutdown(cause)
	c.cut(cause)
}

// shutdown makes the channel end: politely if we close it, at once otherwise.
func (c *httpChannel) shutdown(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return
	}
	if c.cause = cause; cause == ErrClosed {
		for id := range c.exchanges {
			c.cancel(id, "the session is closing")
		}
	}
	c.closing = true
	close(c.shut)
}

// supervise owns the channel's end.
func (c *httpChannel) supervise() {
	defer close(c.done)
	<-c.shut
	c.mu.Lock()
	cause, conn := c.cause, c.conn
	c.mu.Unlock()
	if cause != ErrClosed {
		c.cut(cause)
	}
	late := time.AfterFunc(c.close, func() { c.cut(cause) })
	defer late.Stop()
	c.cancels.Wait()
	if conn != nil {
		_ = conn.Close() // deletes the session, if there is one
	}
	c.cut(cause)
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.work.Wait()
	c.base.CloseIdleConnections()
	c.end = End{Cause: cause}
}

// enter begins a piece of work, which the channel's end waits for, and reports
// whether there is still a channel to do it.
func (c *httpChannel) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	c.work.Add(1)
	return true
}

// over is the error of what comes after the end has begun.
func (c *httpChannel) over() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Errorf("%w: %w", io.ErrClosedPipe, c.cause)
}

// Finish implements [Channel].
func (c *httpChannel) Finish(x *Exchange, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tokens, x.Token)
	if c.exchanges[x.id] == x {
		c.cancel(x.id, reason)
	}
}

// task is a piece of work that ends with its caller, until it is let loose, and
// with the channel.
type task struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	// loose keeps the caller's end from ending the task, too.
	loose  func() bool
	caller context.Context
	unhook func() bool
}

func (c *httpChannel) begin(caller context.Context) *task {
	t := &task{caller: caller}
	t.ctx, t.cancel = context.WithCancelCause(context.WithoutCancel(caller))
	t.loose = context.AfterFunc(caller, func() { t.cancel(context.Cause(caller)) })
	t.unhook = context.AfterFunc(c.ctx, func() { t.cancel(context.Cause(c.ctx)) })
	return t
}

func (t *task) end() {
	t.loose()
	t.unhook()
	t.cancel(context.Canceled)
}
