package session

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/testdata/servers/httpserver"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// overHTTP opens a session with the SDK's server over HTTP.
func overHTTP(t *testing.T, o httpserver.Options, change func(*Config)) *Session {
	t.Helper()
	front := httptest.NewServer(httpserver.New(o))
	cfg := Config{
		Connection: connection.Connection{ID: "test.main", Offers: everything},
		ClientInfo: &mcp.Implementation{Name: "test", Version: "1"}, Generation: 1,
	}
	at := &connection.HTTP{URL: front.URL}
	if o.SSE {
		cfg.Connection.SSE = at
	} else {
		cfg.Connection.HTTP = at
	}
	if change != nil {
		change(&cfg)
	}
	s := Open(cfg)
	t.Cleanup(func() {
		s.Close()
		<-s.Ended()
		front.Close()
		servertest.CheckGoroutines(t)
	})
	return s
}

// A question comes by the stream of the call's own request, or by its answer, so that
// it is known whose it is also where calls overlap.
func TestAPersonAnswersOverHTTP(t *testing.T) {
	for name, o := range map[string]httpserver.Options{
		"with sessions":          {},
		"stateless":              {Stateless: true},
		"stateless, without SSE": {Stateless: true, JSON: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, o, nil)
			var calls sync.WaitGroup
			for i := range 4 {
				calls.Go(func() {
					args := fmt.Sprintf(`{"n":%d}`, i)
					ctx := callback.With(t.Context(), callback.Handlers{Answerer: answers(func(ctx context.Context, q callback.Question) (callback.Answer, error) {
						if q.Message != "Really "+args+"?" {
							t.Errorf("the call %s is asked %s", args, q.Message)
						}
						return says(`{"ok":true}`).Answer(ctx, q)
					})})
					raw, err := s.CallTool(ctx, Call{Tool: "confirm", Args: json.RawMessage(args), ReadOnly: true})
					if err != nil || !strings.Contains(string(raw), "accept true, asked") {
						t.Errorf("got %s, %v", raw, err)
					}
				})
			}
			calls.Wait()
			raw, err := s.CallTool(t.Context(), Call{Tool: "confirm"})
			if err != nil || !strings.Contains(string(raw), "decline ") {
				t.Errorf("with nobody there: %s, %v", raw, err)
			}
		})
	}
}

// Prompts and resources may ask as tools do.
func TestPromptsAndResourcesAsk(t *testing.T) {
	for name, o := range map[string]httpserver.Options{"with sessions": {}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, o, nil)
			ctx := callback.With(t.Context(), callback.Handlers{Answerer: says(`{}`)})
			raw, err := s.GetPrompt(ctx, Get{Prompt: "ask"})
			if err != nil || !strings.Contains(string(raw), `"text":"accept"`) {
				t.Errorf("the prompt: %s, %v", raw, err)
			}
			if !o.Stateless {
				return // there the SDK's server refuses a resource that asks
			}
			raw, err = s.ReadResource(ctx, Read{URI: "test://ask"})
			if err != nil || !strings.Contains(string(raw), `"text":"accept"`) {
				t.Errorf("the resource: %s, %v", raw, err)
			}
		})
	}
}

// Legacy SSE has one stream for all: one call at a time can be asked about.
func TestAPersonAnswersOverSSE(t *testing.T) {
	s := overHTTP(t, httpserver.Options{SSE: true}, nil)
	raw, err := s.CallTool(callback.With(t.Context(), callback.Handlers{Answerer: says(`{"ok":true}`)}), Call{Tool: "confirm"})
	if err != nil || !strings.Contains(string(raw), "accept true, asked") {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestLogMessagesOverHTTP(t *testing.T) {
	for name, o := range map[string]httpserver.Options{"with sessions": {}, "stateless": {Stateless: true}, "legacy SSE": {SSE: true}} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, o, func(cfg *Config) {
				cfg.LogLevel = callback.Warning
				cfg.Logged = func(l callback.Log) { t.Errorf("the session got %+v", l) }
			})
			var got []string
			ctx := callback.With(t.Context(), callback.Handlers{Logged: func(l callback.Log) {
				got = append(got, fmt.Sprintf("%s %s %s %s", l.Operation, l.Level, l.Logger, l.Text()))
			}})
			if _, err := s.CallTool(ctx, Call{Tool: "chat", Args: json.RawMessage(`{"n":1}`)}); err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0] != `tools/call chat warning db {"n":1}` {
				t.Errorf("got %q", got)
			}
		})
	}
}
