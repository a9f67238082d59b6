package pool

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/httpserver"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// web is a pool with a target on a server over HTTP.
type web struct {
	*testing.T
	server *httpserver.Server
	pool   *Pool
	target Target

	mu     sync.Mutex
	events []Event
}

func newWeb(t *testing.T, o httpserver.Options, change func(*Options)) *web {
	t.Helper()
	w := &web{T: t, server: httpserver.New(o)}
	front := httptest.NewServer(w.server)
	t.Cleanup(front.Close)
	options := Options{Log: func(e Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, e)
	}}
	if change != nil {
		change(&options)
	}
	w.pool = New(options)
	w.target = Target{Connection: connection.Connection{ID: "test.main", HTTP: &connection.HTTP{URL: front.URL}}}
	t.Cleanup(func() {
		if err := w.pool.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		servertest.CheckGoroutines(t)
	})
	return w
}

func (w *web) call(tool, args string) (*content.Result, error) {
	return w.pool.CallTool(w.Context(), w.target, session.Call{Tool: tool, Args: json.RawMessage(args)})
}

func (w *web) count(kind string) int {
	return len(slices.DeleteFunc(w.server.Seen(), func(s string) bool { return s != kind }))
}

func (w *web) must() *content.Result {
	w.Helper()
	r, err := w.call("counter", `{}`)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func TestAForgottenHTTPSessionHasASuccessor(t *testing.T) {
	w := newWeb(t, httpserver.Options{}, nil)
	if r := w.must(); r.Generation != 1 {
		t.Errorf("generation %d", r.Generation)
	}
	w.server.Forget()
	_, err := w.call("counter", `{}`)
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.Lost || e.Sent != session.SentNo || e.Generation != 1 {
		t.Errorf("got %v", err)
	}
	if r := w.must(); r.Generation != 2 || r.Structured.JSON() != `{"count":1}` {
		t.Errorf("generation %d, %s", r.Generation, r.Structured.JSON())
	}
	w.target.Scope = "run-1"
	w.must()
	w.server.Forget()
	for range 2 { // a private session has no successor
		if _, err := w.call("counter", `{}`); !errors.As(err, &e) || e.Reason != session.Lost {
			t.Errorf("got %v", err)
		}
	}
}

func TestFirstUsesAtOnceOpenOneHTTPSession(t *testing.T) {
	w := newWeb(t, httpserver.Options{}, nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { w.must() })
	}
	wg.Wait()
	if n := w.count("initialize"); n != 1 {
		t.Errorf("%d sessions were opened", n)
	}
	if r := w.must(); r.Structured.JSON() != `{"count":21}` {
		t.Errorf("got %s", r.Structured.JSON())
	}
}

func TestARotatedTokenKeepsTheSession(t *testing.T) {
	w := newWeb(t, httpserver.Options{Token: "1"}, nil)
	var token atomic.Value
	as := func(identity string) {
		at := *w.target.Connection.HTTP
		at.Auth = &connection.Auth{Identity: identity, Credential: func(context.Context, string) (string, error) { return "Bearer " + token.Load().(string), nil }}
		w.target.Connection.HTTP = &at
	}
	for _, value := range []string{"1", "2", "3"} {
		token.Store(value)
		w.server.SetToken(value)
		as("secret.ada") // a run of its own resolves the connection anew
		w.must()
	}
	if n := w.count("initialize"); n != 1 {
		t.Errorf("%d sessions for one identity", n)
	}
	as("secret.grace")
	if r := w.must(); r.Generation != 2 || r.Structured.JSON() != `{"count":1}` {
		t.Errorf("the session of somebody else: generation %d, %s", r.Generation, r.Structured.JSON())
	}
	w.server.Await("DELETE")
}

func TestAnIdleHTTPSessionIsDeleted(t *testing.T) {
	w := newWeb(t, httpserver.Options{}, nil)
	w.target.Connection.Timeouts.Idle = 10 * time.Millisecond
	w.must()
	w.server.Await("DELETE")
	if r := w.must(); r.Generation != 2 {
		t.Errorf("generation %d", r.Generation)
	}
}

// A server that is away fails the calls meanwhile, of which nothing was sent; when it
// is back it has forgotten the session.
func TestAnHTTPServerThatIsAwayForAWhile(t *testing.T) {
	w := newWeb(t, httpserver.Options{}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	w.target.Connection.HTTP = &connection.HTTP{URL: "http://" + address}
	front := &http.Server{Handler: w.server, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = front.Serve(l)
	}()
	w.must()
	_ = front.Close()
	<-served
	for range 3 {
		_, err := w.call("counter", `{}`)
		var e *session.Error
		if !errors.As(err, &e) || e.Reason != session.Interrupted {
			t.Fatalf("got %v", err)
		}
		// The first may have met a connection that was closed in this moment.
		if e.Sent == session.SentNo && !strings.Contains(e.Error(), "Nothing listens at "+address) {
			t.Errorf("got %v", e)
		}
	}
	l, err = net.Listen("tcp", address)
	if err != nil {
		t.Skip("somebody else listens there: ", err)
	}
	w.server.Forget()
	front = &http.Server{Handler: w.server, ReadHeaderTimeout: time.Minute}
	served = make(chan struct{})
	go func() {
		defer close(served)
		_ = front.Serve(l)
	}()
	defer func() {
		_ = front.Close()
		<-served
	}()
	if _, err := w.call("counter", `{}`); !errors.Is(err, connection.ErrForgotten) {
		t.Errorf("got %v", err)
	}
	w.must()
}

func TestChangedListsOverHTTP(t *testing.T) {
	const changed = `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n"
	for name, c := range map[string]struct {
		o    httpserver.Options
		kind string
	}{
		"before 2026-07-28": {httpserver.Options{}, "GET"},
		"from 2026-07-28":   {httpserver.Options{Stateless: true}, "subscriptions/listen"},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan Target, 10)
			w := newWeb(t, c.o, func(o *Options) { o.ListChanged = func(t Target) { told <- t } })
			w.server.Fault(c.kind, httpserver.HangAfter(changed))
			w.must()
			if got := <-told; got.Connection.ID != "test.main" {
				t.Errorf("told of %s", got.Connection.ID)
			}
			w.must()
		})
	}
	t.Run("nobody wants to know", func(t *testing.T) {
		w := newWeb(t, httpserver.Options{}, nil)
		w.must()
		if w.count("GET") != 0 {
			t.Error("it listened")
		}
	})
}

func TestLargeAnswersOverHTTP(t *testing.T) {
	for name, o := range map[string]httpserver.Options{"event stream": {}, "JSON": {JSON: true}, "legacy SSE": {SSE: true}} {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t, o, nil)
			if o.SSE {
				w.target.Connection.SSE, w.target.Connection.HTTP = w.target.Connection.HTTP, nil
			}
			r, err := w.call("big", `{"n":20000000}`) // the SDK's own limit is 16 MiB
			if err != nil {
				t.Fatal(err)
			}
			if n := len(r.Structured.JSON()); n < 20_000_000 {
				t.Errorf("%d bytes came", n)
			}
		})
	}
}
