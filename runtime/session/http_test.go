package session

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/testdata/servers/httpserver"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// unsaid is for servers that are to complain.
var unsaid = log.New(io.Discard, "", 0)

// web is a session with a server over HTTP.
type web struct {
	*testing.T
	*Session
}

// reach opens a session with the server at url. Its end checks that nothing is left.
func reach(t *testing.T, at connection.HTTP, change func(*Config)) *web {
	t.Helper()
	cfg := Config{
		Connection: connection.Connection{ID: "test.main", HTTP: &at},
		ClientInfo: &mcp.Implementation{Name: "test", Version: "1"},
		Generation: 1,
	}
	if change != nil {
		change(&cfg)
	}
	w := &web{t, Open(cfg)}
	t.Cleanup(func() {
		w.Close()
		<-w.Ended()
		servertest.CheckGoroutines(t)
	})
	return w
}

func (w *web) call(tool, args string) (json.RawMessage, error) {
	return w.CallTool(w.Context(), Call{Tool: tool, Args: json.RawMessage(args)})
}

// serve starts a test server, over TLS if tls is set.
func serve(t *testing.T, h http.Handler, tls bool) string {
	t.Helper()
	front := httptest.NewUnstartedServer(h)
	front.Config.ErrorLog = unsaid
	if tls {
		front.StartTLS()
	} else {
		front.Start()
	}
	t.Cleanup(front.Close)
	return front.URL
}

func TestHandshakeFailuresOverHTTP(t *testing.T) {
	answers := func(h http.HandlerFunc) func(*testing.T) string {
		return func(t *testing.T) string { return serve(t, h, false) }
	}
	for _, c := range []struct {
		name   string
		url    func(*testing.T) string
		change func(*Config)
		want   string // URL and HOST stand for the server's
	}{
		{"nothing listens", func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			return "http://" + l.Addr().String()
		}, nil, `Nothing listens at HOST (connection refused). Start the server, or check the url of its http block.`},
		{"a certificate of nobody", func(t *testing.T) string { return serve(t, http.NotFoundHandler(), true) }, nil,
			`The TLS certificate of HOST is signed by nobody whom this machine trusts. If it is one of your own, name the file of its authority's certificate in SSL_CERT_FILE, or add it to the system's.`},
		{"no TLS", func(t *testing.T) string {
			return strings.Replace(serve(t, http.NotFoundHandler(), false), "http:", "https:", 1)
		}, nil, `HOST speaks no TLS. If it is a server without TLS, begin the url with http://.`},
		{"a web page", answers(httpserver.Status(200, "<html>", "Content-Type", "text/html")), nil,
			`What URL answers is a web page, not MCP. Check the url of its http block: the path of many servers is /mcp.`},
		{"a page that is not there", answers(http.NotFound), nil,
			`There is nothing at URL (404 Not Found, "404 page not found"). Check the url of its http block; a server that speaks the older SSE transport wants an sse block.`},
		{"credentials wanted", answers(httpserver.Status(401, "")), nil,
			`The server wants credentials (401 Unauthorized). Give the connection an auth block: auth "bearer" { token = secret.NAME }.`},
		{"a server of something else", answers(httpserver.JSON(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no such method"}}`)), nil,
			`The server refused the MCP handshake: calling "initialize": no such method.`},
		{"an unknown revision", answers(func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			_ = json.NewDecoder(r.Body).Decode(&m)
			if m.Method != "initialize" {
				http.Error(w, "initialize first", http.StatusBadRequest)
				return
			}
			httpserver.JSON(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"protocolVersion":"1999-01-01","capabilities":{}}}`)(w, r)
		}), nil, `The server speaks the MCP revision "1999-01-01", and wfc speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05. Update whichever of the two is older.`},
		{"silence", answers(httpserver.Hang), func(c *Config) { c.Connection.Timeouts.Connect = 100 * time.Millisecond },
			`The server did not answer the MCP handshake within 100ms. Check the url; if the server is only slow, raise timeouts { connect }.`},
		{"an SSE address that is none", answers(http.NotFound), func(c *Config) { c.Connection.SSE, c.Connection.HTTP = c.Connection.HTTP, nil },
			`There is nothing at URL (404 Not Found, "404 page not found"). Check the url of its sse block; a newer server wants an http block.`},
		{"an SSE stream that names no address", answers(httpserver.Events(": hello\n\n")), func(c *Config) { c.Connection.SSE, c.Connection.HTTP = c.Connection.HTTP, nil },
			`The server began to answer and did not end: it closed its stream before it named the address that takes messages.`},
		{"an SSE server that wants messages elsewhere", answers(httpserver.Events("event: endpoint\ndata: https://elsewhere.example/x\n\n")), func(c *Config) { c.Connection.SSE, c.Connection.HTTP = c.Connection.HTTP, nil },
			`The server wants messages at another server, https://elsewhere.example. wfc does not send them there, since the connection does not name it. If it is right, write its address as the url.`},
		{"no URL", func(*testing.T) string { return "mcp.example.com" }, nil,
			`Its url has the scheme "". Write one that begins with http:// or https://.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := c.url(t)
			w := reach(t, connection.HTTP{URL: url}, c.change)
			_, err := w.call("counter", `{}`)
			e := failure(t, err)
			want := "connection test.main: " + strings.NewReplacer("URL", url, "HOST", url[strings.LastIndexByte(url, '/')+1:]).Replace(c.want)
			if e.Error() != want {
				t.Errorf("got\n%s\nwant\n%s", e, want)
			}
			if e.Reason != NotStarted || e.Sent != SentNo {
				t.Errorf("reason %d, sent %s", e.Reason, e.Sent)
			}
		})
	}
}

func TestCallsThatFailOverHTTP(t *testing.T) {
	server := httpserver.New(httpserver.Options{})
	w := reach(t, connection.HTTP{URL: serve(t, server, false)}, nil)
	for _, c := range []struct {
		fault    http.HandlerFunc
		reason   Reason
		sent     Sent
		answered bool
		status   int
		after    time.Duration
	}{
		{httpserver.Status(429, "", "Retry-After", "3"), Rejected, SentNo, true, 429, 3 * time.Second},
		{httpserver.Status(503, "", "Retry-After", "1"), Rejected, SentYes, true, 503, time.Second},
		{httpserver.Status(504, ""), Rejected, SentMaybe, false, 504, 0},
		{httpserver.Cut(""), Interrupted, SentMaybe, false, 0, 0},
		{httpserver.Events(":\n\n"), Interrupted, SentYes, false, 0, 0},
		{httpserver.JSON(`[]`), Malformed, SentYes, true, 0, 0},
	} {
		server.Fault("tools/call", c.fault)
		_, err := w.call("counter", `{}`)
		e := failure(t, err)
		if e.Reason != c.reason || e.Sent != c.sent || e.Answered() != c.answered || e.Status != c.status || e.RetryAfter != c.after || e.Generation != 1 {
			t.Errorf("%s: %+v", e, e)
		}
		if !strings.HasPrefix(e.Error(), "connection test.main, tools/call counter: ") {
			t.Errorf("it begins %s", e)
		}
	}
	if got, err := w.call("counter", `{}`); err != nil || !strings.Contains(string(got), `"count":1`) {
		t.Errorf("the next call: %s %v", got, err)
	}
}

func TestAForgottenSessionIsLost(t *testing.T) {
	server := httpserver.New(httpserver.Options{})
	w := reach(t, connection.HTTP{URL: serve(t, server, false)}, nil)
	if _, err := w.call("counter", `{}`); err != nil {
		t.Fatal(err)
	}
	server.Forget()
	_, err := w.call("counter", `{}`)
	e := failure(t, err)
	if want := "connection test.main, tools/call counter: The session was lost: the server no longer knows it, as after a restart."; e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
	if e.Reason != Lost || e.Sent != SentNo {
		t.Errorf("reason %d, sent %s", e.Reason, e.Sent)
	}
	<-w.Ended()
}

func TestAnSSEStreamThatEndsIsTheEnd(t *testing.T) {
	server := httpserver.New(httpserver.Options{SSE: true})
	front := httptest.NewServer(server)
	defer front.Close()
	defer server.Release()
	w := reach(t, connection.HTTP{URL: front.URL}, func(c *Config) { c.Connection.SSE, c.Connection.HTTP = c.Connection.HTTP, nil })
	started, running := begun()
	lost := make(chan error, 1)
	go func() {
		_, err := w.CallTool(t.Context(), Call{Tool: "hold", Started: started})
		lost <- err
	}()
	running()
	server.Await("tools/call")
	front.CloseClientConnections()
	if e := failure(t, <-lost); e.Reason != Lost && e.Reason != Interrupted || e.Sent != SentMaybe { // whichever end is seen first
		t.Errorf("sent %s: %v", e.Sent, e)
	}
	<-w.Ended()
	if want := "connection test.main: The session was lost: the server closed its event stream."; w.Err() == nil || w.Err().Error() != want {
		t.Errorf("it ended with %v", w.Err())
	}
}

func TestCallerOfAHangingHTTPServerReturnsAtOnce(t *testing.T) {
	server := httpserver.New(httpserver.Options{})
	w := reach(t, connection.HTTP{URL: serve(t, server, false)}, func(c *Config) { c.Connection.Timeouts.Close = 50 * time.Millisecond })
	if _, err := w.call("counter", `{}`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, kind := range []string{"notifications/cancelled", "DELETE"} {
		server.Fault(kind, httpserver.Hang)
	}
	server.Fault("tools/call", func(w http.ResponseWriter, r *http.Request) {
		cancel()
		httpserver.Hang(w, r)
	})
	begin := time.Now()
	_, err := w.CallTool(ctx, Call{Tool: "counter"})
	if e := failure(t, err); e.Reason != Cancelled || e.Sent != SentMaybe {
		t.Errorf("sent %s: %v", e.Sent, e)
	}
	w.Close()
	<-w.Ended()
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %s until all was closed", d)
	}
}

func TestClosingAnHTTPSessionCancelsItsCalls(t *testing.T) {
	server := httpserver.New(httpserver.Options{})
	w := reach(t, connection.HTTP{URL: serve(t, server, false)}, nil)
	defer server.Release()
	lost := make(chan error, 1)
	go func() {
		_, err := w.call("hold", `{}`)
		lost <- err
	}()
	server.Await("tools/call")
	w.Close()
	if e := failure(t, <-lost); e.Reason != Lost || !errors.Is(e, connection.ErrClosed) {
		t.Errorf("got %v", e)
	}
	<-w.Ended()
	got := strings.Join(server.Seen(), " ")
	if !strings.HasSuffix(got, "tools/call notifications/cancelled DELETE") {
		t.Errorf("the server got %s", got)
	}
}

func TestHTTPSecretsAreNotInErrors(t *testing.T) {
	const secret, rotated = "hunter2hunter2", "correct-horse-battery"
	server := httpserver.New(httpserver.Options{})
	var current atomic.Value
	current.Store(secret)
	auth := &connection.Auth{Identity: "secret.token", Credential: func(context.Context, string) (string, error) { return "Bearer " + current.Load().(string), nil }}
	w := reach(t, connection.HTTP{URL: serve(t, server, false), Auth: auth}, func(c *Config) { c.Connection.Redact = []string{secret} })
	for _, token := range []string{secret, rotated} {
		current.Store(token)
		for _, fault := range []http.HandlerFunc{
			httpserver.Status(400, "bad header: Bearer "+token),
			httpserver.Status(403, `{"error":"the token `+token+` is not allowed"}`, "Content-Type", "application/json"),
			httpserver.Status(307, "", "Location", "https://elsewhere.example/"+token),
			httpserver.JSON(`{"token":"` + token + `"}`),
			httpserver.Events("data: " + token + "\n\n"),
			httpserver.Status(500, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"bad `+token+`"}}`, "Content-Type", "application/json"),
		} {
			server.Fault("tools/call", fault)
			_, err := w.call("counter", `{}`)
			if e := failure(t, err); strings.Contains(e.Error(), token) || !strings.Contains(e.Error(), "[redacted]") {
				t.Errorf("got %v", e)
			}
		}
	}
}
