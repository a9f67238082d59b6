package session

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestInvokeGivesTheResultAsItCame(t *testing.T) {
	b := open(t, nil)
	for _, c := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"raw","arguments":{"result":{"b":9007199254740993,"a":1.50,"content":7}}}`, `{"b":9007199254740993,"a":1.50,"content":7}`},
		{"tools/call", `{"name":"raw","arguments":{"result":{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}}}`,
			`{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}`},
		{"prompts/list", "", `{"prompts":[{"name":"ask","arguments":[{"name":"q","required":true}]}]}`},
		{"ping", "", `{}`},
		{"x/mirror", `{"n":1.50,"_meta":{"a":9007199254740993}}`, `{"n":1.50,"_meta":{"a":9007199254740993}}`},
		{"x/mirror", "", `{}`},
	} {
		raw, err := b.Invoke(t.Context(), c.method, json.RawMessage(c.params))
		if err != nil || string(raw) != c.want {
			t.Errorf("%s %s gives %s, %v; want %s", c.method, c.params, raw, err, c.want)
		}
	}
}

func TestInvokeOfAMethodThatTheServerLacks(t *testing.T) {
	b := open(t, nil)
	_, err := b.Invoke(t.Context(), "x/none", nil)
	var wire *jsonrpc.Error
	if e := failure(t, err); e.Reason != Refused || !errors.As(err, &wire) || wire.Code != -32601 {
		t.Errorf("got %v", err)
	}
	if want := "connection test.main, x/none: The server refused it: no such method (code -32601)."; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A server of 2026-07-28 wants the revision and more in the _meta of each request;
// what the caller wrote there stays.
func TestInvokeAddsWhatTheRevisionWants(t *testing.T) {
	b := open(t, func(cfg *Config) { cfg.Connection.ProtocolVersion = "" }, "-probe", "answer")
	raw, err := b.Invoke(t.Context(), "x/mirror", json.RawMessage(`{"n":1.50,"_meta":{"a":1.0,"io.modelcontextprotocol/clientCapabilities":{"own":true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		N    json.RawMessage
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a": "1.0",
		"io.modelcontextprotocol/protocolVersion":    `"2026-07-28"`,
		"io.modelcontextprotocol/clientCapabilities": `{"own":true}`,
		"io.modelcontextprotocol/clientInfo":         `{"name":"test","version":"1"}`,
	} {
		if string(got.Meta[name]) != want {
			t.Errorf("_meta has %s = %s, want %s", name, got.Meta[name], want)
		}
	}
	if string(got.N) != "1.50" {
		t.Errorf("n is %s", got.N)
	}
}

func TestMethodsThatNobodyAnswersOnceAreNotInvoked(t *testing.T) {
	for method, want := range map[string]string{
		"":                          "the method is empty",
		"notifications/initialized": "notifications/initialized is a notification, which no server answers",
		"subscriptions/listen":      "subscriptions/listen is answered by a stream of notifications, not by a result",
		"tools/list":                "",
		"x/any":                     "",
	} {
		got := ""
		if err := Answerable(method); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", method, got, want)
		}
	}
}
