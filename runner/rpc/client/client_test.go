package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

func newClient(t *testing.T, h http.HandlerFunc, o Options) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := New(s.URL+"/", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestACallShowsTheTokenAndReadsTheResult(t *testing.T) {
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.Header.Get("Authorization"); got != "Bearer secret" || r.URL.Path != "/rpc" {
			t.Errorf("%s shows %q", r.URL.Path, got)
		}
		if want := `{"jsonrpc":"2.0","method":"runs.get","id":1,"params":{"run_id":"<x>"}}`; string(body) != want {
			t.Errorf("sent %s, want %s", body, want)
		}
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"run_id":"<x>","status":"completed","output":{"n":1.50},"later":true}}`)
	}, Options{Token: "secret"})
	r, err := Call(t.Context(), c, protocol.RunsGet, protocol.RunParams{RunID: "<x>"})
	if err != nil || r.RunID != "<x>" || r.Output.JSON() != `{"n":1.50}` {
		t.Errorf("read %+v, %v", r, err)
	}
}

func TestWhatIsWrongIsTold(t *testing.T) {
	answers := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		code   int
	}{
		{"an error", answers(200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"There is no run.","data":{"a":1}}}`), "There is no run.", -32001},
		{"one that has no id", answers(401, `{"jsonrpc":"2.0","id":null,"error":{"code":-32006,"message":"This needs a token."}}`), "This needs a token.", -32006},
		{"another server", answers(404, "<html>"), "is no server of wfc (HTTP status 404 Not Found)", 0},
		{"another server with JSON", answers(200, `{"status":"ok"}`), "is no server of wfc", 0},
		{"the answer to another", answers(200, `{"jsonrpc":"2.0","id":2,"result":{}}`), "is one to the request 2, not 1", 0},
		{"a result of another form", answers(200, `{"jsonrpc":"2.0","id":1,"result":[]}`), "cannot be read", 0},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		}, "is no server of wfc", 0},
		{"nothing", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "does not answer: EOF", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Call(t.Context(), newClient(t, test.answer, Options{}), protocol.RunsGet, protocol.RunParams{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if e := (*Error)(nil); errors.As(err, &e) != (test.code != 0) || e != nil && e.Code != test.code {
				t.Errorf("the code is in %+v, want %d", e, test.code)
			}
		})
	}
	for _, url := range []string{"", "x", "localhost:80", "ftp://x", "http://", "http://u:p@host"} {
		if _, err := New(url, Options{}); err == nil {
			t.Errorf("%q is a URL of a server", url)
		}
	}
	for _, token := range []string{"a b", "a\n", "ä", "a\x00"} {
		if _, err := New("http://localhost", Options{Token: token}); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%q is a token: %v", token, err)
		}
	}
}

// stream answers with the pieces, one a connection, and notes behind which event each began.
func streamOf(began *[]string, pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*began = append(*began, r.Header.Get("Last-Event-ID"))
		piece := pieces[min(len(*began), len(pieces))-1]
		if status, ok := strings.CutPrefix(piece, "status "); ok {
			var n int
			fmt.Sscan(status, &n)
			w.WriteHeader(n)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"No."}}`)
			return
		}
		io.WriteString(w, piece)
	}
}

// A stream that is lost is opened again behind the last event that had a place.
func TestEventsAreReadOverConnectionsThatAreLost(t *testing.T) {
	var began []string
	c := newClient(t, streamOf(&began,
		":\n\nid: 1\ndata: {\"n\":1}\n\ndata: {\"n\":\"aside\"}\n\nid: 2\ndata: {\"n\":2}\n\nid: 3\ndata: {\"n\":", // broken off
		"status 503",
		"id: 3\ndata: {\"n\":3}\n\n",
		"event: end\ndata: {}\n\n",
	), Options{})
	var got []string
	for ev, err := range c.Events(t.Context(), "r", "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev.Cursor+" "+string(ev.Data))
	}
	if want := `1 {"n":1}, 1 {"n":"aside"}, 2 {"n":2}, 3 {"n":3}`; strings.Join(got, ", ") != want {
		t.Errorf("read %s, want %s", strings.Join(got, ", "), want)
	}
	if want := ", 2, 2, 3"; strings.Join(began, ", ") != want {
		t.Errorf("began behind %q, want %q", strings.Join(began, ", "), want)
	}
}

func TestEventsEndWhereThereAreNone(t *testing.T) {
	var began []string
	for _, err := range newClient(t, streamOf(&began, "status 404"), Options{}).Events(t.Context(), "r", "7") {
		if e := (*Error)(nil); !errors.As(err, &e) || e.Code != -32001 {
			t.Errorf("got %v", err)
		}
	}
	if len(began) != 1 || began[0] != "7" {
		t.Errorf("asked behind %q", began)
	}
	gone, err := New("http://127.0.0.1:1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range gone.Events(t.Context(), "r", "") {
		if e := (*UnreachableError)(nil); !errors.As(err, &e) {
			t.Errorf("got %v", err)
		}
	}
}

func TestEventsEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "id: 1\ndata: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, Options{})
	var last error
	for _, err := range c.Events(ctx, "r", "") {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v", last)
	}
}
