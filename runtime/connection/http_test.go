package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/testdata/servers/httpserver"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// dialogue is a session with an HTTP server, and what the test sees of it.
type dialogue struct {
	*testing.T
	server  *httpserver.Server
	opened  *atomic.Int32 // connections
	channel Channel
	sdk     *mcp.ClientSession
}

// meet opens a session with a server. change may alter the connection.
func meet(t *testing.T, o httpserver.Options, change func(*Connection)) *dialogue {
	t.Helper()
	return meetWith(t, o, change, nil, Sinks{}, nil)
}

// meetWith is meet with a prepared server, and with somebody who wants to know that
// the tools have changed. All may be nil.
func meetWith(t *testing.T, o httpserver.Options, change func(*Connection), prepare func(*httpserver.Server), sinks Sinks, changed func()) *dialogue {
	t.Helper()
	d := &dialogue{T: t, server: httpserver.New(o), opened: &atomic.Int32{}}
	front := httptest.NewUnstartedServer(d.server)
	front.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			d.opened.Add(1)
		}
	}
	front.Start()
	t.Cleanup(front.Close)
	c := Connection{ID: "test.main"}
	at := &HTTP{URL: front.URL}
	if o.SSE {
		c.SSE = at
	} else {
		c.HTTP = at
	}
	if change != nil {
		change(&c)
	}
	var err error
	if prepare != nil {
		prepare(d.server)
	}
	if d.channel, err = c.Open(sinks); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.channel.Close()
		<-d.channel.Done()
		if d.sdk != nil {
			_ = d.sdk.Close()
		}
		front.Close()
		servertest.CheckGoroutines(t)
	})
	x := d.channel.Begin(nil)
	defer d.channel.Finish(x, "")
	options := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if changed != nil {
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	}
	d.sdk, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).
		Connect(x.Context(t.Context()), d.channel, nil)
	if err != nil {
		t.Fatalf("%v (%v)", err, x.Failure())
	}
	return d
}

// call calls a tool, and returns the raw result and the exchange.
func (d *dialogue) call(ctx context.Context, tool, args string, progress func(Progress)) (string, *Exchange, error) {
	x := d.channel.Begin(progress)
	_, err := d.sdk.CallTool(x.Context(ctx), &mcp.CallToolParams{Meta: mcp.Meta{"progressToken": x.Token}, Name: tool, Arguments: json.RawMessage(args)})
	d.channel.Finish(x, "the caller gave up")
	if f := x.Failure(); f != nil && err != nil {
		err = f
	}
	if err != nil {
		return "", x, err
	}
	return string(x.Result()), x, nil
}

func (d *dialogue) must(tool, args string) string {
	d.Helper()
	raw, _, err := d.call(d.Context(), tool, args, nil)
	if err != nil {
		d.Fatal(err)
	}
	return raw
}

// kinds are the servers that behave.
var kinds = map[string]httpserver.Options{
	"with sessions, event streams": {},
	"with sessions, JSON":          {JSON: true},
	"stateless, event streams":     {Stateless: true},
	"stateless, JSON":              {Stateless: true, JSON: true},
	"legacy SSE":                   {SSE: true},
}

func TestHTTPServers(t *testing.T) {
	for name, o := range kinds {
		t.Run(name, func(t *testing.T) {
			d := meet(t, o, nil)
			if got := d.must("echo", `{"n":9007199254740993,"x":1.50,"text":"e\u0301"}`); !strings.Contains(got, `"structuredContent":{"n":9007199254740993,"x":1.50,"text":"e\u0301"}`) {
				t.Errorf("the raw result is %s", got)
			}
			var got []string
			_, x, err := d.call(t.Context(), "progress", `{}`, func(p Progress) { got = append(got, p.Message) })
			if err != nil {
				t.Fatal(err)
			}
			if want := 10; !o.JSON && len(got) != want {
				t.Errorf("%d progress messages had come when the call returned", len(got))
			}
			if x.Sent() != SentYes {
				t.Errorf("sent %s", x.Sent())
			}
			want := "2025-11-25"
			if o.Stateless {
				want = "2026-07-28"
			}
			if got := d.sdk.InitializeResult().ProtocolVersion; got != want {
				t.Errorf("revision %s, want %s", got, want)
			}
			d.channel.Close()
			<-d.channel.Done()
			seen := d.server.Seen()
			if deleted := slices.Contains(seen, http.MethodDelete); deleted != (!o.Stateless && !o.SSE) {
				t.Errorf("the server got %q", seen)
			}
		})
	}
}

func TestHTTPConnectionsAreKept(t *testing.T) {
	for name, o := range kinds {
		t.Run(name, func(t *testing.T) {
			d := meet(t, o, nil)
			for range 20 {
				ctx, cancel := context.WithCancel(t.Context())
				_, _, err := d.call(ctx, "counter", `{}`, nil)
				if cancel(); err != nil { // as a session does once it has the answer
					t.Fatal(err)
				}
			}
			// The answer may be there a moment before its connection is free again.
			if n := d.opened.Load(); n > 5 {
				t.Errorf("%d connections were opened for 20 calls one after the other", n)
			}
			var wg sync.WaitGroup
			for range DefaultMaxInFlight {
				wg.Go(func() {
					for range 20 {
						d.must("echo", `{}`)
					}
				})
			}
			wg.Wait()
			if n := d.opened.Load(); n > 5+2*DefaultMaxInFlight {
				t.Errorf("%d connections were opened for 160 calls of %d callers", n, DefaultMaxInFlight)
			}
		})
	}
}

// Whatever one request meets, the session goes on.
// A server that echoes what it was sent may do so at any place of a text of which
// only the beginning is shown.
func TestNoBeginningOfASecretIsShown(t *testing.T) {
	const secret = "s3cr3t  with/blanks+and\"quotes"
	echo := strings.Repeat("x", saidWidth-12) + secret + strings.Repeat("y", 100)
	inJSON, err := json.Marshal(map[string]string{"message": echo})
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range map[string]http.HandlerFunc{
		"a refusal":           httpserver.Status(401, echo),
		"a refusal in JSON":   httpserver.Status(500, string(inJSON), "Content-Type", "application/json"),
		"a challenge":         httpserver.Status(401, "", "WWW-Authenticate", `Bearer error="`+strings.ReplaceAll(echo, `"`, "")+`"`),
		"other JSON":          httpserver.JSON(string(inJSON)),
		"an event":            httpserver.Events("data: " + string(inJSON) + "\n\n"),
		"an event of no JSON": httpserver.Events("data: " + echo + "\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			d := meet(t, httpserver.Options{}, func(c *Connection) { c.Redact = []string{secret, strings.ReplaceAll(secret, `"`, "")} })
			d.server.Fault("tools/call", fault)
			if _, _, err := d.call(t.Context(), "counter", `{}`, nil); err == nil || strings.Contains(err.Error(), secret[:4]) || !strings.Contains(err.Error(), "xxx") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestHTTPFailures(t *testing.T) {
	const mcpError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"the disk is full"}}`
	for _, c := range []struct {
		name  string
		fault http.HandlerFunc
		kind  FailureKind
		sent  Sent
		want  string
	}{
		{"400", httpserver.Status(400, "bad json"), Rejected, SentYes,
			`The server refused it (400 Bad Request, "bad json"). Check the url and the headers of its http block.`},
		{"401", httpserver.Status(401, "", "WWW-Authenticate", `Bearer realm="x", error="invalid_token"`), Rejected, SentNo,
			`The server wants credentials (401 Unauthorized, "invalid_token"). Give the connection an auth block: auth "bearer" { token = secret.NAME }.`},
		{"403", httpserver.Status(403, `{"message":"not yours"}`, "Content-Type", "application/json"), Rejected, SentNo,
			`The server forbids it (403 Forbidden, "not yours"). If it wants credentials, give the connection an auth block: auth "bearer" { token = secret.NAME }.`},
		{"409", httpserver.Status(409, ""), Rejected, SentYes, `The server refused it in the state that it is in (409 Conflict).`},
		{"413", httpserver.Status(413, ""), Rejected, SentNo, `The request is too large for the server (413 Request Entity Too Large). Send less at once.`},
		{"429", httpserver.Status(429, "", "Retry-After", "7"), Rejected, SentNo,
			`The server has had too many requests and asks to wait 7s (429 Too Many Requests). Give the step a retry block, or the connection a rate_limit.`},
		{"500", httpserver.Status(500, "<html><body>oops", "Content-Type", "text/html"), Rejected, SentYes,
			`The server failed (500 Internal Server Error). Its log says why.`},
		{"502", httpserver.Status(502, ""), Rejected, SentMaybe,
			`A gateway got no answer from the server (502 Bad Gateway). The server may have executed it all the same.`},
		{"503", httpserver.Status(503, "", "Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT", "Date", "Wed, 21 Oct 2026 07:28:00 GMT"), Rejected, SentYes,
			`The server is not available and asks to wait 30s (503 Service Unavailable). Try again later.`},
		{"504", httpserver.Status(504, ""), Rejected, SentMaybe,
			`A gateway got no answer from the server (504 Gateway Timeout). The server may have executed it all the same.`},
		{"a redirect to another server", httpserver.Status(307, "", "Location", "https://elsewhere.example/mcp?token=1"), Rejected, SentNo,
			`The server redirects to https://elsewhere.example/mcp (307 Temporary Redirect). wfc does not follow it there, since it would send the request and its credentials to a place that the connection does not name. If it is right, write it as the url.`},
		{"a redirect that would lose the message", httpserver.Status(302, "", "Location", "/other"), Rejected, SentNo,
			`The server redirects to URL/other (302 Found). wfc does not follow it there, since it would send the request and its credentials to a place that the connection does not name. If it is right, write it as the url.`},
		{"a web page", httpserver.Status(200, "<html>", "Content-Type", "text/html; charset=utf-8"), Garbled, SentYes,
			`What URL answers is a web page, not MCP. Check the url of its http block: the path of many servers is /mcp.`},
		{"other JSON", httpserver.JSON(`{"status":"ok"}`), Garbled, SentYes,
			`What the server answered is no MCP message: "{\"status\":\"ok\"}".`},
		{"another answer", httpserver.JSON(`{"jsonrpc":"2.0","id":99,"result":{}}`), Garbled, SentYes,
			`What the server answered is no MCP message: it answers something else.`},
		{"no answer", httpserver.Status(202, ""), Garbled, SentYes, `The server took the request and gave no answer (202 Accepted).`},
		{"cut before an answer", httpserver.Cut(""), Unanswered, SentMaybe,
			`The connection to HOST broke before the answer came: connection reset by peer.`},
		{"closed before an answer", httpserver.Close, Unanswered, SentMaybe,
			`The connection to HOST broke before the answer came: the server closed it.`},
		{"cut within JSON", httpserver.Cut("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\":"), Unanswered, SentYes,
			`The server began to answer and did not end: the server closed it.`},
		{"a stream without the answer", httpserver.Events(": hello\n\n"), Unanswered, SentYes,
			`The server began to answer and did not end: it closed its stream.`},
		{"a stream of something else", httpserver.Events("data: {\"a\":1}\n\n"), Unanswered, SentYes,
			`The server began to answer and did not end: it closed its stream, after an event that is no MCP message ("{\"a\":1}").`},
		{"no HTTP", httpserver.Cut("220 smtp.example ready\r\n"), Unanswered, SentMaybe, `What listens at HOST speaks no HTTP. Check the url of its http block.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := meet(t, httpserver.Options{}, nil)
			d.must("counter", `{}`)
			d.server.Fault("tools/call", c.fault)
			_, x, err := d.call(t.Context(), "counter", `{}`, nil)
			var f *Failure
			if !errors.As(err, &f) {
				t.Fatalf("got the error %v", err)
			}
			u := d.channel.(*httpChannel).url
			want := strings.NewReplacer("URL", u.String(), "HOST", u.Host).Replace(c.want)
			if f.Error() != want {
				t.Errorf("got  %s\nwant %s", f, want)
			}
			if f.Kind != c.kind || f.Sent != c.sent || x.Sent() != c.sent {
				t.Errorf("kind %d, sent %s and %s", f.Kind, f.Sent, x.Sent())
			}
			if got := d.must("counter", `{}`); !strings.Contains(got, `"count":2`) {
				t.Errorf("the next call of the same session: %s", got)
			}
		})
	}
	t.Run("a JSON-RPC error under a status", func(t *testing.T) {
		d := meet(t, httpserver.Options{}, nil)
		for _, id := range []string{"null", `"server-error"`, "99"} {
			d.server.Fault("tools/call", httpserver.Status(500, strings.Replace(mcpError, "null", id, 1), "Content-Type", "application/json"))
			_, x, err := d.call(t.Context(), "counter", `{}`, nil)
			var e *jsonrpc.Error
			if !errors.As(err, &e) || e.Message != "the disk is full" || x.Sent() != SentYes {
				t.Errorf("got %v", err)
			}
		}
		d.must("counter", `{}`)
	})
}

func TestHTTPServerThatHangs(t *testing.T) {
	for _, name := range []string{"before the headers", "in a stream"} {
		t.Run(name, func(t *testing.T) {
			d := meet(t, httpserver.Options{}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d.server.Fault("tools/call", func(w http.ResponseWriter, r *http.Request) {
				if name == "in a stream" {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, ": begun\n\n")
					_ = http.NewResponseController(w).Flush()
				}
				cancel()
				httpserver.Hang(w, r)
			})
			_, x, err := d.call(ctx, "counter", `{}`, nil)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if x.Sent() != SentMaybe {
				t.Errorf("sent %s", x.Sent())
			}
			d.must("counter", `{}`)
			d.channel.Close()
			<-d.channel.Done()
			if !slices.Contains(d.server.Seen(), "notifications/cancelled") {
				t.Errorf("the server was not told: %q", d.server.Seen())
			}
		})
	}
}

func TestHTTPSessionThatTheServerForgets(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"404":                         nil,
		"404 with an error":           httpserver.Status(404, `{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"Session not found"}}`, "Content-Type", "application/json"),
		"400 that speaks of sessions": httpserver.Status(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`, "Content-Type", "application/json"),
	} {
		t.Run(name, func(t *testing.T) {
			d := meet(t, httpserver.Options{}, nil)
			d.must("counter", `{}`)
			if d.server.Forget(); fault != nil {
				d.server.Fault("tools/call", fault)
			}
			_, x, err := d.call(t.Context(), "counter", `{}`, nil)
			if !errors.Is(err, ErrForgotten) || x.Sent() != SentNo {
				t.Errorf("sent %s: %v", x.Sent(), err)
			}
			if end := d.channel.End(); !errors.Is(end.Cause, ErrForgotten) {
				t.Errorf("the channel ended with %v", end.Cause)
			}
			if slices.Contains(d.server.Seen(), http.MethodDelete) {
				t.Error("a session that is gone was deleted")
			}
		})
	}
}

func TestHTTPAnswerOverTheLimit(t *testing.T) {
	for name, o := range kinds {
		t.Run(name, func(t *testing.T) {
			d := meet(t, o, nil)
			d.channel.(*httpChannel).limit = 100_000
			if got := d.must("big", `{"n":90000}`); len(got) < 90_000 {
				t.Errorf("%d bytes came", len(got))
			}
			if o.SSE {
				t.Skip("the stream has its limit already")
			}
			_, _, err := d.call(t.Context(), "big", `{"n":200000}`, nil)
			var e *jsonrpc.Error
			if !errors.As(err, &e) || e.Code != CodeTooLarge {
				t.Errorf("got %v", err)
			}
			d.must("counter", `{}`)
		})
	}
}

func TestHTTPHeaders(t *testing.T) {
	d := meet(t, httpserver.Options{Stateless: true}, func(c *Connection) {
		c.HTTP.Headers = map[string]string{"X-Team": "a", "Accept": "text/html", "Host": "localhost:1"}
	})
	got := d.must("headers", `{}`)
	for _, want := range []string{`"X-Team":"a"`, `"Accept":"application/json, text/event-stream"`, `"Mcp-Method":"tools/call"`, `"Mcp-Name":"headers"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func bearer(token *string) *Auth {
	return &Auth{Name: "secret.token", Identity: "secret.token", Credential: func(context.Context, string) (string, error) { return "Bearer " + *token, nil }}
}

func TestHTTPCredentials(t *testing.T) {
	for name, o := range kinds {
		t.Run(name, func(t *testing.T) {
			token := "first-token"
			o.Token = token
			d := meet(t, o, func(c *Connection) {
				for _, h := range []*HTTP{c.HTTP, c.SSE} {
					if h != nil {
						h.Auth = bearer(&token)
					}
				}
			})
			d.must("counter", `{}`)
			token = "second-token"
			d.server.SetToken(token)
			d.must("counter", `{}`)
			d.server.SetToken("third-token")
			_, x, err := d.call(t.Context(), "counter", `{}`, nil)
			want := `The server refused the credentials (401 Unauthorized, "The token is unknown"). Check secret.token of its auth block: it may be wrong or have expired.`
			if err == nil || err.Error() != want || x.Sent() != SentNo {
				t.Errorf("sent %s: %v", x.Sent(), err)
			}
			token = "third-token"
			d.must("counter", `{}`)
		})
	}
}

// A source that keeps a token gets another one when it is refused, and the request
// is sent again: it was not executed.
func TestARefusedCredentialIsRenewedOnce(t *testing.T) {
	var asked []string
	d := meet(t, httpserver.Options{Token: "old"}, func(c *Connection) {
		kept := "Bearer old"
		c.HTTP.Auth = &Auth{Name: "secret.token", Identity: "secret.token", Credential: func(_ context.Context, refused string) (string, error) {
			if refused != "" {
				asked = append(asked, refused)
				kept = "Bearer new"
			}
			return kept, nil
		}}
	})
	d.server.SetToken("new")
	if got := d.must("counter", `{}`); !strings.Contains(got, `"count":1`) {
		t.Errorf("got %s", got)
	}
	if fmt.Sprint(asked) != "[Bearer old]" {
		t.Errorf("asked for another than %q", asked)
	}
	d.server.SetToken("newer")
	if _, _, err := d.call(t.Context(), "counter", `{}`, nil); err == nil {
		t.Error("a token that stays wrong was accepted")
	}
}

func TestNoCredentialIsSentElsewhere(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer other.Close()
	token := "hunter2hunter2"
	d := meet(t, httpserver.Options{}, func(c *Connection) { c.HTTP.Auth = bearer(&token) })
	for _, code := range []int{301, 302, 303, 307, 308} {
		d.server.Fault("tools/call", httpserver.Status(code, "", "Location", other.URL))
		if _, _, err := d.call(t.Context(), "counter", `{}`, nil); err == nil || !strings.Contains(err.Error(), other.URL) {
			t.Errorf("%d: %v", code, err)
		}
	}
	if got != nil {
		t.Errorf("the other server got %v", got)
	}
	d.server.Fault("tools/call", httpserver.Status(307, "", "Location", "/mcp/"))
	d.must("counter", `{}`)
}
