package proxy_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy"
	"github.com/lda-wf/wfc/testdata/servers/httpserver"
)

// webs serves the faulty HTTP server and returns it with a source of it.
func webs(t *testing.T, o httpserver.Options) (*httpserver.Server, proxy.Source) {
	s := httpserver.New(o)
	front := httptest.NewServer(s)
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	h := &connection.HTTP{URL: front.URL, Headers: map[string]string{"X-Secret": "hunter2hunter2"}}
	c := connection.Connection{ID: "a.b", HTTP: h, Redact: []string{"hunter2hunter2"}}
	if o.SSE {
		c.HTTP, c.SSE = nil, h
	}
	return s, proxy.Source{Connection: c}
}

const countCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"counter","arguments":{}}}`

// Servers at a URL are reached over all transports that there are.
func TestServersAtAURL(t *testing.T) {
	for name, o := range map[string]httpserver.Options{
		"event streams": {}, "JSON": {JSON: true}, "the transport of before 2025-03-26": {SSE: true}, "without sessions": {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, source := webs(t, o)
			c := greeted(t, proxy.Options{Sources: []proxy.Source{source}})
			c.say(countCall)
			c.has(`"id":1`, `"count":1`)
			c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"v":9007199254740993}}}`)
			c.has(`"id":2`, `9007199254740993`)
			if !o.SSE { // the server's tool does not see them there
				c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"headers","arguments":{}}}`)
				c.has(`"id":3`, `hunter2`)
			}
			if o.JSON {
				return
			}
			c.say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"progress","arguments":{}}}`)
			for range 10 {
				c.has(`"progressToken":"p"`)
			}
			c.has(`"id":4`)
		})
	}
}

// What goes wrong with one request is that request's: it gets an error that names the
// connection and holds no secret, and the session goes on.
func TestAFailedRequestOverHTTP(t *testing.T) {
	s, source := webs(t, httpserver.Options{})
	c := greeted(t, proxy.Options{Sources: []proxy.Source{source}})
	for name, fault := range map[string]http.HandlerFunc{
		"a status":         httpserver.Status(500, "hunter2hunter2 broke"),
		"too many":         httpserver.Status(429, "slow down"),
		"a web page":       httpserver.Status(200, "<html>", "Content-Type", "text/html"),
		"no answer":        httpserver.Status(202, ""),
		"no message":       httpserver.JSON(`{"x":1}`),
		"another answer":   httpserver.JSON(`{"jsonrpc":"2.0","id":777,"result":{}}`),
		"a cut":            httpserver.Cut(""),
		"a stream's end":   httpserver.Events(": nothing\n\n"),
		"a broken message": httpserver.JSON(`{"jsonrpc":"2.0","id":`),
	} {
		s.Fault("tools/call", fault)
		c.say(countCall)
		if got := c.has(`"id":1`, `"error"`, "a.b"); strings.Contains(got, "hunter2") {
			t.Errorf("%s: %s", name, got)
		}
	}
	c.say(countCall)
	c.has(`"count":1`)
}

// A server that has forgotten the session has lost what the client had there.
func TestAServerThatForgetsASessionIsLost(t *testing.T) {
	s, source := webs(t, httpserver.Options{})
	url, _ := serve(t, proxy.Options{Sources: []proxy.Source{source}})
	_, session, _ := post(t, url, "", hello)
	if _, _, body := post(t, url, session, countCall); !strings.Contains(body, `"count":1`) {
		t.Fatal(body)
	}
	s.Forget()
	if _, _, body := post(t, url, session, countCall); !strings.Contains(body, "a.b") || !strings.Contains(body, "no longer knows") {
		t.Errorf("%s", body)
	}
	_, session, _ = post(t, url, "", hello)
	if _, _, body := post(t, url, session, countCall); !strings.Contains(body, `"count":1`) {
		t.Errorf("%s", body)
	}
}

// Arguments that a tool wants in headers go there, also for a client that knows nothing
// of that.
func TestArgumentsThatGoBesideTheMessage(t *testing.T) {
	_, source := webs(t, httpserver.Options{Stateless: true})
	source.Connection.Protocol = newer
	c := greeted(t, proxy.Options{Sources: []proxy.Source{source}})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.has("x-mcp-header")
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"routed","arguments":{"region":"zürich","to":{"n":7}}}}`)
	c.has(`"id":2`, `"region":"=?base64?esO8cmljaA==?="`, `"n":"7"`)
}

// A server of 2026-07-28 tells of its lists whom it has agreed with to do so. A client of
// before that can call nothing until then, so that no change is lost to it.
func TestAnOlderClientIsToldOfAllChangesOfANewerServer(t *testing.T) {
	var agreed atomic.Bool
	one := newServer()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return one }, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			w = &telling{w, func() { agreed.Store(true) }}
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	source := proxy.Source{Connection: connection.Connection{ID: "a.b", HTTP: &connection.HTTP{URL: front.URL}, Protocol: newer}}
	c := talkTo(t, proxy.Options{Sources: []proxy.Source{source}})
	c.say(hello)
	c.has(`"id":0`, `"listChanged":true`)
	if !agreed.Load() {
		t.Error("the client may call what the server does not tell it of")
	}
}
