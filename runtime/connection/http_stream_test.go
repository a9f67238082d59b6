package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lda-wf/wfc/testdata/servers/httpserver"
)

// requestID returns the id of the request in a body.
func requestID(r *http.Request) string {
	var m struct{ ID json.RawMessage }
	_ = json.NewDecoder(r.Body).Decode(&m)
	return string(m.ID)
}

// A server may close the stream of an answer and go on when it is asked again.
func TestAnInterruptedAnswerIsTakenUpAgain(t *testing.T) {
	d := meet(t, httpserver.Options{}, nil)
	var id string
	d.server.Fault("tools/call", func(w http.ResponseWriter, r *http.Request) {
		id = requestID(r)
		httpserver.Events("id: a/1\nretry: 1\ndata:\n\n")(w, r)
	})
	d.server.Fault("GET", httpserver.Close)
	d.server.Fault("GET", func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Last-Event-ID"); got != "a/1" || r.Header.Get("Mcp-Session-Id") == "" {
			t.Errorf("taken up behind %q", got)
		}
		httpserver.Events("id: a/2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2,\"progress\":1}}\n\n")(w, r)
	})
	d.server.Fault("GET", func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Last-Event-ID"); got != "a/2" {
			t.Errorf("taken up behind %q", got)
		}
		httpserver.Events(fmt.Sprintf("id: a/3\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"n\":1.0}}\n\n", id))(w, r)
	})
	progress := 0
	got, x, err := d.call(t.Context(), "counter", `{}`, func(Progress) { progress++ })
	if err != nil || !strings.Contains(got, `"n":1.0`) || x.Sent() != SentYes || progress != 1 {
		t.Errorf("got %s, %v; %d progress messages", got, err, progress)
	}
}

func TestAnInterruptedAnswerIsGivenUpInTheEnd(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"not reached":      httpserver.Close,
		"closed each time": httpserver.Events("retry: 1\n\n"),
		"refused":          httpserver.Status(405, ""),
	} {
		t.Run(name, func(t *testing.T) {
			d := meet(t, httpserver.Options{}, nil)
			d.server.Fault("tools/call", httpserver.Events("id: 1\nretry: 1\ndata:\n\n"))
			for range 2 * maxMisses {
				d.server.Fault("GET", fault)
			}
			_, x, err := d.call(t.Context(), "counter", `{}`, nil)
			var f *Failure
			if !errors.As(err, &f) || f.Kind != Unanswered || x.Sent() != SentYes {
				t.Errorf("sent %s: %v", x.Sent(), err)
			}
			if n := len(slices.DeleteFunc(d.server.Seen(), func(s string) bool { return s != "GET" })); n >= 2*maxMisses { // a connection that is kept may cost one more
				t.Errorf("it was asked %d times", n)
			}
			d.must("counter", `{}`)
		})
	}
}

// The stream on which a server says what belongs to no request neither holds up a
// session nor ends it.
func TestTheStandingStreamHarmsNoSession(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"there is none":          httpserver.Status(405, ""),
		"nothing there":          httpserver.Status(404, ""),
		"a web page":             httpserver.Status(200, "<html>", "Content-Type", "text/html"),
		"never answered":         httpserver.Hang,
		"open":                   httpserver.HangAfter(": hello\n\n"),
		"closed each time":       httpserver.Events("retry: 1\n\n"),
		"closed with something":  httpserver.Events("id: 1\nretry: 1\ndata: {\"a\":1}\n\n"),
		"cut off each time":      httpserver.Close,
		"an answer over nothing": httpserver.Events("data: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			d := attend(t, func(s *httpserver.Server) {
				for range 50 {
					s.Fault("GET", fault)
				}
			}, nil)
			d.server.Await("GET")
			for range 3 {
				d.must("counter", `{}`)
			}
			if got := d.must("counter", `{}`); !strings.Contains(got, `"count":4`) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestWhatAServerSaysByItselfIsHeard(t *testing.T) {
	heard := make(chan struct{})
	var once atomic.Bool
	d := attend(t, func(s *httpserver.Server) {
		s.Fault("GET", httpserver.HangAfter("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"))
	}, func() {
		if once.CompareAndSwap(false, true) {
			close(heard)
		}
	})
	<-heard
	d.must("counter", `{}`)
}

// attend opens a session that listens. prepare comes before the session.
func attend(t *testing.T, prepare func(*httpserver.Server), changed func()) *dialogue {
	t.Helper()
	return meetWith(t, httpserver.Options{}, nil, prepare, Sinks{Listen: true}, changed)
}

func TestAnswersInOtherForms(t *testing.T) {
	for name, form := range map[string]func(id string) http.HandlerFunc{
		"a batch": func(id string) http.HandlerFunc {
			return httpserver.JSON(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[],"n":1.0}}]`)
		},
		"without a content type": func(id string) http.HandlerFunc {
			return httpserver.Status(200, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[],"n":1.0}}`, "Content-Type", "")
		},
		"an id as text, and all members": func(id string) http.HandlerFunc {
			return httpserver.JSON("\ufeff" + ` {"jsonrpc":"2.0","id":"` + id + `","result":{"content":[],"n":1.0},"error":null}`)
		},
		"a stream of a batch": func(id string) http.HandlerFunc {
			return httpserver.Events("data: [{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"content\":[],\"n\":1.0}}]\n\n")
		},
		"a stream that stays open": func(id string) http.HandlerFunc {
			return httpserver.HangAfter("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"content\":[],\"n\":1.0}}\n\n")
		},
		"a stream with noise": func(id string) http.HandlerFunc {
			return httpserver.Events("data: hello\n\nevent: ping\ndata: x\n\n: comment\n\ndata: {\"a\":1}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"content\":[],\"n\":1.0}}\n\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := meet(t, httpserver.Options{}, nil)
			d.server.Fault("tools/call", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				id := requestID(r)
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				form(id)(w, r)
			})
			if got := d.must("counter", `{}`); !strings.Contains(got, `"n":1.0`) {
				t.Errorf("got %s", got)
			}
			d.must("counter", `{}`)
		})
	}
}

// What a caller gives up while its credential is being fetched was not sent.
func TestACredentialThatDoesNotComeHoldsUpNobody(t *testing.T) {
	slow := make(chan struct{}, 1)
	d := meet(t, httpserver.Options{}, func(c *Connection) {
		c.HTTP.Auth = &Auth{Credential: func(ctx context.Context, _ string) (string, error) {
			select {
			case slow <- struct{}{}:
				<-slow
				return "Bearer x", nil
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		}}
	})
	slow <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, x, err := d.call(ctx, "counter", `{}`, nil)
	if !errors.Is(err, context.DeadlineExceeded) || x.Sent() != SentNo {
		t.Errorf("sent %s: %v", x.Sent(), err)
	}
	<-slow
	d.must("counter", `{}`)
}

func TestACredentialThatCannotBeHad(t *testing.T) {
	failing := false
	d := meet(t, httpserver.Options{}, func(c *Connection) {
		c.HTTP.Auth = &Auth{Credential: func(context.Context, string) (string, error) {
			if failing {
				return "", errors.New(`the secret "token" is not set: the file is empty.`)
			}
			return "Bearer x", nil
		}}
	})
	failing = true
	_, x, err := d.call(t.Context(), "counter", `{}`, nil)
	if want := `It could not be sent: the secret "token" is not set: the file is empty.`; err == nil || err.Error() != want || x.Sent() != SentNo {
		t.Errorf("sent %s: %v", x.Sent(), err)
	}
	failing = false
	d.must("counter", `{}`)
}

// Some servers answer a notification with a stream, and leave it open.
func TestAnOpenAnswerToANotificationHoldsUpNobody(t *testing.T) {
	d := meetWith(t, httpserver.Options{}, nil, func(s *httpserver.Server) {
		s.Fault("notifications/initialized", httpserver.HangAfter(": hello\n\n"))
	}, Sinks{}, nil)
	d.must("headers", `{}`)
}
