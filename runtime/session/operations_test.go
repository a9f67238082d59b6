package session

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestOperationsBesideCalls(t *testing.T) {
	b := open(t, nil)
	var began []string
	started := func(what string) func(uint64) error {
		return func(uint64) error { began = append(began, what); return nil }
	}
	for _, c := range []struct {
		name string
		do   func() (any, error)
		want any
	}{
		{"a resource", func() (any, error) {
			raw, err := b.ReadResource(t.Context(), Read{URI: "test://a", Meta: map[string]any{"k": 1}, Started: started("read")})
			return string(raw), err
		}, `{"contents":[{"uri":"test://a","text":"{\"n\":1.50}","x":9007199254740993}]}`},
		{"a prompt", func() (any, error) {
			raw, err := b.GetPrompt(t.Context(), Get{Prompt: "ask", Args: map[string]string{"q": "é"}, Started: started("get")})
			return string(raw), err
		}, `{"messages":[{"role":"user","content":{"type":"text","text":"é"}}]}`},
		{"a completion of a prompt", func() (any, error) {
			return b.Complete(t.Context(), Completion{Prompt: "ask", Argument: "q", Value: "a"})
		}, &Completions{Values: []string{"a1", "a2"}, Total: 7, More: true}},
		{"a completion of a template", func() (any, error) {
			return b.Complete(t.Context(), Completion{Template: "test://{x}", Argument: "x", Value: "b", Known: map[string]string{"y": "1"}})
		}, &Completions{Values: []string{"b1", "b2"}, Total: 7, More: true}},
		{"a ping", func() (any, error) { return nil, b.Ping(t.Context()) }, nil},
	} {
		got, err := c.do()
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	if got := strings.Join(began, " "); got != "read get" {
		t.Errorf("begun: %s", got)
	}
	log := strings.Join(servertest.Lines(t, b.log), "")
	for _, want := range []string{
		`completion/complete {"type":"ref/prompt","name":"ask"} {"name":"q","value":"a"} null`,
		`completion/complete {"type":"ref/resource","uri":"test://{x}"} {"name":"x","value":"b"} {"arguments":{"y":"1"}}`,
		"ping\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the server did not get %s; it got\n%s", want, log)
		}
	}
}

func TestCompletionThatIsNone(t *testing.T) {
	b := open(t, nil)
	_, err := b.Complete(t.Context(), Completion{Prompt: "odd", Argument: "q"})
	if e := failure(t, err); e.Reason != Malformed || !strings.Contains(e.Error(), "it has no completion") {
		t.Errorf("got %v", err)
	}
}

// The newer era has no ping: the server is asked for what it is.
func TestPingInTheNewerEra(t *testing.T) {
	b := open(t, func(cfg *Config) { cfg.Connection.ProtocolVersion = modernVersion }, "-probe", "answer")
	if err := b.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(servertest.Lines(t, b.log), ""); got != "server/discover\nserver/discover\n" {
		t.Errorf("the server got %q", got)
	}
}

// Calls, readings and prompts have the same ways to be performed.
func TestWaysOfOperationsAreTheSame(t *testing.T) {
	call := reflect.TypeFor[Call]()
	for _, other := range []reflect.Type{reflect.TypeFor[Read](), reflect.TypeFor[Get]()} {
		for _, name := range []string{"Meta", "Progress", "Started", "Queued", "IdleTimeout"} {
			f, ok := other.FieldByName(name)
			if g, _ := call.FieldByName(name); !ok || f.Type != g.Type {
				t.Errorf("%s lacks %s", other, name)
			}
		}
	}
	how := Read{Meta: map[string]any{"a": json.Number("1")}, IdleTimeout: 1}.how()
	if !how.ReadOnly || how.IdleTimeout != 1 || how.Meta == nil {
		t.Errorf("a reading is performed as %+v", how)
	}
}
