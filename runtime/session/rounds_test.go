package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestAURLIsVisitedFirst(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		var asked []callback.Question
		action := callback.Decline
		visits := answers(func(_ context.Context, q callback.Question) (callback.Answer, error) {
			asked = append(asked, q)
			return callback.Answer{Action: action}, nil
		})
		var r told
		_, err := b.CallTool(r.with(t.Context(), visits), Call{Tool: "gate"})
		e := failure(t, err)
		if e.Reason != Refused || e.Code != -32042 || !strings.HasSuffix(e.Error(), `sign in first (code -32042). The server asked a person, whose answer was to decline: "Sign in."`) {
			t.Errorf("got %v", e)
		}
		b.must("gate", "{}") // it believes that somebody was there
		action = callback.Accept
		raw, err := b.CallTool(r.with(t.Context(), visits), Call{Tool: "gate"})
		if err != nil || !strings.Contains(string(raw), "welcome") {
			t.Errorf("got %s, %v", raw, err)
		}
		if len(asked) != 2 || asked[1].URL != "https://example.com/sign-in?for=x&n=1" || asked[1].ID != "e1" || asked[1].Form != nil {
			t.Errorf("asked %+v", asked)
		}
	})
}

// A server of 2026-07-28 may ask instead of answering, but not for ever.
func TestWhatIsNoInputRequest(t *testing.T) {
	for result, want := range map[string]string{
		`{"resultType":"input_required"}`:                                                           `The server has no time: it asked 3 times in a row to be asked again.`,
		`{"resultType":"input_required","inputRequests":{}}`:                                        `The server has no time: it asked 3 times in a row to be asked again.`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`:             `The server asked for input 20 times and gave no answer.`,
		`{"resultType":"input_required","inputRequests":[]}`:                                        `The server asked for input, and its inputRequests are no object.`,
		`{"resultType":"input_required","inputRequests":{"a":1}}`:                                   `The server asked for input, and its request "a" is no object.`,
		`{"resultType":"input_required","inputRequests":{"a":{}}}`:                                  `The server asked for input, and its request "a" has no method.`,
		`{"resultType":"input_required","requestState":1}`:                                          `The server asked for input, and its requestState is no text.`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"tasks/whatever"}}}`:         `The server asked for "tasks/whatever", which the connection does not offer, and was refused.`,
		`{"resultType":"complete","content":[{"type":"text","text":"\"input_required\" as text"}]}`: ``,
	} {
		t.Run(want, func(t *testing.T) {
			b := open(t, func(cfg *Config) {
				cfg.Connection.ProtocolVersion, cfg.Connection.Offers = modernVersion, everything
			}, "-probe", "answer")
			_, err := b.call("raw", `{"result":`+result+`}`)
			if want == "" {
				if err != nil {
					t.Errorf("%s: got %v", result, err)
				}
			} else if e := failure(t, err); e.Reason != Unanswered || !strings.Contains(e.Error(), want) {
				t.Errorf("%s\n got %v\nwant %s", result, e, want)
			}
			b.must("counter", "{}")
		})
	}
}

// In the older era the same is a result like any other.
func TestAnOlderServersResultIsAResult(t *testing.T) {
	b := open(t, nil)
	const result = `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`
	if got := b.must("raw", `{"result":`+result+`}`); got != result {
		t.Errorf("got %s", got)
	}
}

func TestAModelCompletes(t *testing.T) {
	var got callback.Request
	eras(t, func(t *testing.T, b *bench) {
		ctx := callback.With(t.Context(), callback.Handlers{Sampler: completes(func(_ context.Context, r callback.Request) (callback.Completion, error) {
			got = r
			return callback.Completion{Text: "hi <there>", Model: "small", Stop: "endTurn"}, nil
		})})
		raw, err := b.CallTool(ctx, Call{Tool: "sample", Args: json.RawMessage(`{"message":"Say \"hi\"."}`)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), `"text":"hi \u003cthere\u003e"`) {
			t.Errorf("got %s", raw)
		}
		if got.Operation != "tools/call sample" || got.MaxTokens != 10 || len(got.Messages) != 1 || got.Messages[0].Parts[0].Text != `Say "hi".` {
			t.Errorf("the request was %+v", got)
		}
		raw, err = b.CallTool(ctx, Call{Tool: "ask", Args: json.RawMessage(asks("sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}`))})
		if err != nil {
			t.Fatal(err)
		}
		if s := structured(t, raw); s != `{"q":{"content":{"type":"text","text":"hi \u003cthere\u003e"},"model":"small","role":"assistant","stopReason":"endTurn"}}` {
			t.Errorf("the server got %s", s)
		}
	})
}

func TestWhyThereIsNoCompletion(t *testing.T) {
	busy := completes(func(context.Context, callback.Request) (callback.Completion, error) {
		return callback.Completion{}, errors.New("The model is busy.")
	})
	const one = `"messages":[{"role":"user","content":{"type":"text","text":"x"}}]`
	for name, c := range map[string]struct {
		sampler      callback.Sampler
		params, want string
	}{
		"no model":        {nil, `{` + one + `}`, `No model is there to answer: wfc.hcl has no sampling block.`},
		"the model fails": {busy, `{` + one + `}`, `The model is busy.`},
		"tools":           {busy, `{` + one + `,"tools":[{"name":"t"}]}`, `wfc does not give tools to the model that answers a server; ask without tools.`},
		"audio":           {busy, `{"messages":[{"role":"user","content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}]}`, `messages[0]: wfc gives a model text and images, not content of the type "audio".`},
		"no messages":     {busy, `{}`, `The request has no messages.`},
	} {
		t.Run(name, func(t *testing.T) {
			eras(t, func(t *testing.T, b *bench) {
				var r told
				raw, err := b.CallTool(r.handle(t.Context(), callback.Handlers{Sampler: c.sampler}), Call{Tool: "ask", Args: json.RawMessage(asks("sampling/createMessage", c.params))})
				if modern(t) {
					if e := failure(t, err); e.Reason != Unanswered || !strings.Contains(e.Error(), c.want) {
						t.Errorf("got %v", e)
					}
				} else if s := structured(t, raw); err != nil || s != fmt.Sprintf(`{"q":{"error":{"code":-1,"message":%s}}}`, value.OfString(c.want).JSON()) {
					t.Errorf("got %s, %v", s, err)
				}
				if want := "The server asked for a completion of a model (sampling) and was refused: " + c.want; len(r.remarks) != 1 || r.remarks[0] != want {
					t.Errorf("remarks %q", r.remarks)
				}
			})
		})
	}
}

func TestLogMessagesComeInWireOrderWithTheirCall(t *testing.T) {
	var wide []string
	var mu sync.Mutex
	show := func(l callback.Log) string {
		return fmt.Sprintf("%s %s %s [%s] %s", l.Connection, l.Operation, l.Level, l.Logger, l.Text())
	}
	eras(t, func(t *testing.T, b *bench) {
		var got []string
		ctx := callback.With(t.Context(), callback.Handlers{Logged: func(l callback.Log) { got = append(got, show(l)) }})
		_, err := b.CallTool(ctx, Call{Tool: "chat", Progress: func(p Progress) { got = append(got, fmt.Sprint("progress ", p.Progress)) }, Args: json.RawMessage(`{"logs":[
			{"level":"warning","logger":"db","data":"slow"},
			{"level":"debug","data":"unwanted"},
			{"level":"error","data":{"message":"broken"}},
			{"level":"critical","data":{"n":9007199254740993,"b":1}},
			{"level":"shout","data":"an unknown level is info"},
			{"data":null}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		want := `test.main tools/call chat warning [db] slow
progress 1
progress 2
test.main tools/call chat error [] broken
progress 3
test.main tools/call chat critical [] {"n":9007199254740993,"b":1}
progress 4
test.main tools/call chat info [] an unknown level is info
progress 5
test.main tools/call chat info [] null
progress 6`
		if all := strings.Join(got, "\n"); all != want {
			t.Errorf("got\n%s", all)
		}
		// Without handlers of its own it goes to those of the session.
		mu.Lock()
		wide = nil
		mu.Unlock()
		if _, err := b.call("chat", `{"logs":[{"level":"info","logger":"of hunter2hunter2","data":{"hunter2hunter2":"token hunter2hunter2"}}]}`); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(wide) != 1 || wide[0] != `test.main tools/call chat info [of [redacted]] {"[redacted]":"token [redacted]"}` {
			t.Errorf("the session got %q", wide)
		}
		b.Close()
		<-b.Ended()
		level := strings.Contains(strings.Join(servertest.Lines(t, b.log), ""), `logging/setLevel {"_meta":{"progressToken":`)
		if level == modern(t) {
			t.Errorf("the level was set: %t", level)
		}
	}, func(cfg *Config) {
		cfg.Connection.Redact = []string{"hunter2hunter2"}
		cfg.LogLevel = callback.Info
		cfg.Logged = func(l callback.Log) {
			mu.Lock()
			defer mu.Unlock()
			wide = append(wide, show(l))
		}
	})
}
