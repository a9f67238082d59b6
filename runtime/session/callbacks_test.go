package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// answers is an Answerer that is a function.
type answers func(context.Context, callback.Question) (callback.Answer, error)

func (a answers) Answer(ctx context.Context, q callback.Question) (callback.Answer, error) {
	return a(ctx, q)
}

// completes is a Sampler that is a function.
type completes func(context.Context, callback.Request) (callback.Completion, error)

func (c completes) Sample(ctx context.Context, r callback.Request) (callback.Completion, error) {
	return c(ctx, r)
}

// says returns an Answerer that fills in a form with content.
func says(content string) callback.Answerer {
	return answers(func(context.Context, callback.Question) (callback.Answer, error) {
		v, err := value.ParseJSON([]byte(content))
		return callback.Answer{Action: callback.Accept, Content: v}, err
	})
}

// everything is what a connection can offer.
var everything = connection.Offers{Elicitation: true, Sampling: true, Root: "/srv/my project"}

// eras runs a test against a server of each era, which is offered everything.
func eras(t *testing.T, test func(t *testing.T, b *bench), changes ...func(*Config)) {
	for _, era := range []struct{ version, probe string }{{legacyVersion, "refuse"}, {modernVersion, "answer"}} {
		t.Run(era.version, func(t *testing.T) {
			test(t, open(t, func(cfg *Config) {
				cfg.Connection.ProtocolVersion = era.version
				cfg.Connection.Offers = everything
				for _, change := range changes {
					change(cfg)
				}
			}, "-probe", era.probe, "-logs"))
		})
	}
}

func modern(t *testing.T) bool { return strings.Contains(t.Name(), modernVersion) }

// asks are the arguments of the tool ask for one question.
func asks(method, params string) string {
	return fmt.Sprintf(`{"asks":{"q":{"method":%q,"params":%s}}}`, method, params)
}

// told collects remarks.
type told struct{ remarks []string }

func (r *told) with(ctx context.Context, a callback.Answerer) context.Context {
	return r.handle(ctx, callback.Handlers{Answerer: a})
}

func (r *told) handle(ctx context.Context, h callback.Handlers) context.Context {
	h.Remark = func(s string) { r.remarks = append(r.remarks, s) }
	return callback.With(ctx, h)
}

// structured returns the structured content of a raw result.
func structured(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var r struct {
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Structured)
}

const form = `{"message":"How many?","requestedSchema":{"type":"object","properties":{
	"n":{"type":"integer","title":"Number","minimum":1},
	"size":{"type":"string","enum":["s","m"],"enumNames":["Small","Medium"]},
	"tags":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}},"required":["n"]}}`

func TestAPersonAnswersExactly(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		var got callback.Question
		ctx := callback.With(t.Context(), callback.Handlers{Answerer: answers(func(ctx context.Context, q callback.Question) (callback.Answer, error) {
			got = q
			return says(`{"n":9007199254740993,"tags":["b","a"]}`).Answer(ctx, q)
		})})
		raw, err := b.CallTool(ctx, Call{Tool: "ask", Args: json.RawMessage(asks("elicitation/create", form))})
		if err != nil {
			t.Fatal(err)
		}
		if s := structured(t, raw); s != `{"q":{"action":"accept","content":{"n":9007199254740993,"tags":["b","a"]}}}` {
			t.Errorf("the server got %s", s)
		}
		if got.Connection != "test.main" || got.Operation != "tools/call ask" || got.Message != "How many?" || got.Form == nil || len(got.Form.Fields) != 3 {
			t.Fatalf("the question was %+v", got)
		}
		n, size := got.Form.Fields[0], got.Form.Fields[1]
		if n.Label() != "Number" || n.Kind != callback.Integer || !n.Required || size.Kind != callback.OneOf || size.Choices[1].Title != "Medium" {
			t.Errorf("the form was %+v", got.Form.Fields)
		}
	})
}

func TestWithoutAnybodyAQuestionIsDeclined(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		var r told
		raw, err := b.CallTool(r.with(t.Context(), nil), Call{Tool: "confirm", Args: json.RawMessage(`{"message":"delete it"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), `"not confirmed: decline"`) {
			t.Errorf("got %s", raw)
		}
		if got := strings.Join(r.remarks, "\n"); got != `The server asked a person and nobody could answer, so that it was declined: "Really delete it?"` {
			t.Errorf("remarks %q", got)
		}
	})
}

func TestWhatAPersonDoesNotAccept(t *testing.T) {
	for name, c := range map[string]struct {
		answer callback.Answerer
		action string
		remark string
	}{
		"declined": {answers(func(context.Context, callback.Question) (callback.Answer, error) {
			return callback.Answer{Action: callback.Decline}, nil
		}), "decline", `The server asked a person, whose answer was to decline: "Really go?"`},
		"nobody there": {answers(func(context.Context, callback.Question) (callback.Answer, error) {
			return callback.Answer{}, errors.New("the terminal is gone")
		}), "cancel", `The server asked a person and got no answer (the terminal is gone): "Really go?"`},
		"no answer to the form": {says(`{"ok":"yes"}`), "cancel", `The server asked a person and got no answer (The field "ok": a string where a bool is wanted.): "Really go?"`},
		"too long":              {says(`{"ok":true,"why":"01234567890"}`), "cancel", `11 characters where at most 10 are wanted`},
		"a field too many":      {says(`{"ok":true,"more":1}`), "cancel", `There is no field "more".`},
	} {
		t.Run(name, func(t *testing.T) {
			eras(t, func(t *testing.T, b *bench) {
				var r told
				raw, err := b.CallTool(r.with(t.Context(), c.answer), Call{Tool: "confirm", Args: json.RawMessage(`{"message":"go"}`)})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(raw), `"not confirmed: `+c.action+`"`) {
					t.Errorf("got %s", raw)
				}
				if len(r.remarks) != 1 || !strings.Contains(r.remarks[0], c.remark) {
					t.Errorf("remarks %q, want %s", r.remarks, c.remark)
				}
			})
		})
	}
}

func TestOnlyWhatIsOfferedIsAnswered(t *testing.T) {
	for method, want := range map[string]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"} {
		eras(t, func(t *testing.T, b *bench) {
			var r told
			raw, err := b.CallTool(r.with(t.Context(), says(`{}`)), Call{Tool: "ask", Args: json.RawMessage(asks(method, form))})
			if modern(t) {
				e := failure(t, err)
				if e.Reason != Unanswered || !e.Answered() || !strings.Contains(e.Error(), want) || !strings.Contains(e.Error(), "which the connection does not offer") {
					t.Errorf("got %v", e)
				}
			} else if s := structured(t, raw); err != nil || s != fmt.Sprintf(`{"q":{"error":{"code":-32601,"message":"method not found: \"%s\""}}}`, method) {
				t.Errorf("got %s, %v", s, err)
			}
			if len(r.remarks) != 1 || !strings.Contains(r.remarks[0], "which the connection does not offer") {
				t.Errorf("remarks %q", r.remarks)
			}
			b.must("counter", "{}")
		}, func(cfg *Config) { cfg.Connection.Offers = connection.Offers{} })
	}
}

func TestTheServerIsToldOfTheOffers(t *testing.T) {
	for offers, want := range map[connection.Offers]string{
		{}:                  `{}`,
		{Elicitation: true}: `{"elicitation":{"form":{},"url":{}}}`,
		everything:          `{"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{}}`,
	} {
		t.Run(want, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "offered")
			b := open(t, func(cfg *Config) { cfg.Connection.Offers = offers }, "-offered", file)
			server, err := b.Server(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if string(server.ClientCapabilities) != want {
				t.Errorf("recorded are %s, want %s", server.ClientCapabilities, want)
			}
			told := strings.Join(servertest.Lines(t, file), "")
			var a, c any
			if json.Unmarshal([]byte(told), &a) != nil || json.Unmarshal([]byte(want), &c) != nil || fmt.Sprint(a) != fmt.Sprint(c) {
				t.Errorf("the server was told %s, want %s", told, want)
			}
		})
	}
}

func TestAQuestionThatMayBeOfSeveralOperationsIsRefused(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		running := make(chan struct{})
		other := make(chan error, 1)
		go func() {
			_, err := b.CallTool(ctx, Call{Tool: "report", ReadOnly: true, Progress: func(Progress) { close(running) }})
			other <- err
		}()
		<-running // the server has it
		var r told
		raw, err := b.CallTool(r.with(t.Context(), says(`{"n":1}`)), Call{Tool: "ask", Args: json.RawMessage(asks("elicitation/create", form)), ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"q":{"error":{"code":-1,"message":"It cannot be told which of the client's requests this is about."}}}`
		if modern(t) {
			want = `{"q":{"action":"accept","content":{"n":1}}}` // there the answer of the call asks
		} else if len(r.remarks) != 1 || !strings.Contains(r.remarks[0], "it could not be told for which operation") {
			t.Errorf("remarks %q", r.remarks)
		}
		if s := structured(t, raw); s != want {
			t.Errorf("got %s, want %s", s, want)
		}
		cancel()
		<-other
	})
}

// A server that goes on with what was cancelled asks in the wrong place.
func TestAQuestionAfterACancelledCallIsRefusedOnce(t *testing.T) {
	b := open(t, func(cfg *Config) { cfg.Connection.Offers = everything })
	ctx, cancel := context.WithCancel(t.Context())
	started, running := begun()
	first := make(chan error, 1)
	go func() {
		_, err := b.CallTool(ctx, Call{Tool: "wait", Started: started})
		first <- err
	}()
	running()
	cancel()
	left := failure(t, <-first).Sent != SentNo
	for i, refused := range []bool{left, false} {
		raw, err := b.CallTool(callback.With(t.Context(), callback.Handlers{Answerer: says(`{"n":1}`)}), Call{Tool: "ask", Args: json.RawMessage(asks("elicitation/create", form))})
		if err != nil {
			t.Fatal(err)
		}
		if got := structured(t, raw); strings.Contains(got, "error") != refused {
			t.Errorf("call %d after it: %s", i+1, got)
		}
	}
}

func TestAQuestionEndsWithItsOperation(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := answers(func(ctx context.Context, _ callback.Question) (callback.Answer, error) {
			cancel()
			<-ctx.Done()
			return callback.Answer{}, ctx.Err()
		})
		_, err := b.CallTool(callback.With(ctx, callback.Handlers{Answerer: asked}), Call{Tool: "confirm"})
		if e := failure(t, err); e.Reason != Cancelled || e.Sent == SentNo {
			t.Errorf("got %v, sent %s", e, e.Sent)
		}
		b.must("counter", "{}")
	})
}

func TestTheClocksStandStillWhileAPersonIsAsked(t *testing.T) {
	cb := newCallbacks(&Config{Connection: connection.Connection{Offers: everything}, redact: func(s string) string { return s }})
	paused := 0
	in := &inquiry{ctx: t.Context(), Handlers: callback.Handlers{Answerer: answers(func(context.Context, callback.Question) (callback.Answer, error) {
		paused = cb.clocks.paused
		return callback.Answer{Action: callback.Decline}, nil
	})}}
	if _, err := cb.answer(t.Context(), question{of: in, method: "elicitation/create", params: json.RawMessage(form)}); err != nil {
		t.Fatal(err)
	}
	if paused != 1 || cb.clocks.paused != 0 {
		t.Errorf("%d while asked, %d afterwards", paused, cb.clocks.paused)
	}
}

func TestQuestionsThatAreNotAsTheProtocolSays(t *testing.T) {
	for params, want := range map[string]string{
		`{}`:                                   `it has no message`,
		`{"message":1}`:                        `its message is a number, not text`,
		`{"message":"m","mode":"fax"}`:         `its mode is "fax", not form or url`,
		`{"message":"m","mode":"url"}`:         `it has no url`,
		`{"message":"m","requestedSchema":[]}`: `its requestedSchema is a list, not an object`,
		`{"message":"m","requestedSchema":{"type":"string"}}`:                      `its requestedSchema is not of the type object`,
		`{"message":"m","requestedSchema":{"properties":{"a":1}}}`:                 `the field "a" of its requestedSchema is no schema`,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"object"}}}}`: `the field "a" of its requestedSchema has the type "object", which no form can ask for`,
	} {
		eras(t, func(t *testing.T, b *bench) {
			raw, err := b.CallTool(callback.With(t.Context(), callback.Handlers{Answerer: says(`{}`)}), Call{Tool: "ask", Args: json.RawMessage(asks("elicitation/create", params))})
			got := fmt.Sprint(err)
			if err == nil {
				var r struct {
					Q struct {
						Error struct {
							Code    int
							Message string
						}
					}
				}
				if err := json.Unmarshal([]byte(structured(t, raw)), &r); err != nil || r.Q.Error.Code != -32602 {
					t.Errorf("%s: got %s", params, raw)
				}
				got = r.Q.Error.Message
			}
			if !strings.Contains(got, " not as MCP says") || !strings.Contains(got, ": "+want) {
				t.Errorf("%s: got %s, want %s", params, got, want)
			}
		})
	}
}

func TestTheRootIsTheProjectsFolder(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		raw, err := b.call("ask", asks("roots/list", `{}`))
		if err != nil {
			t.Fatal(err)
		}
		if s := structured(t, raw); s != `{"q":{"roots":[{"name":"my project","uri":"file:///srv/my%20project"}]}}` {
			t.Errorf("got %s", s)
		}
	})
}

func TestSeveralQuestionsInOneCall(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		raw, err := b.CallTool(callback.With(t.Context(), callback.Handlers{Answerer: says(`{"n":1}`)}), Call{Tool: "ask",
			Args: json.RawMessage(fmt.Sprintf(`{"asks":{"b":{"method":"elicitation/create","params":%s},"a":{"method":"roots/list"}}}`, form))})
		if err != nil {
			t.Fatal(err)
		}
		var r map[string]json.RawMessage
		if json.Unmarshal([]byte(structured(t, raw)), &r) != nil || !strings.Contains(string(r["a"]), "roots") || string(r["b"]) != `{"action":"accept","content":{"n":1}}` {
			t.Errorf("got %s", raw)
		}
	})
}
