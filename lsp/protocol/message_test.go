package protocol

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestDecode(t *testing.T) {
	cases := map[string]struct {
		in     string
		code   ErrorCode // 0: it is a message
		id     ID
		method string
	}{
		"a request":                     {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`, 0, "1", "m"},
		"an id that is text":            {`{"jsonrpc":"2.0","id":"a","method":"m"}`, 0, `"a"`, "m"},
		"a notification":                {`{"jsonrpc":"2.0","method":"m"}`, 0, "", "m"},
		"an id that is null":            {`{"jsonrpc":"2.0","id":null,"method":"m"}`, 0, "", "m"},
		"a response":                    {`{"jsonrpc":"2.0","id":1,"result":null}`, 0, "1", ""},
		"an error":                      {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, 0, "1", ""},
		"no JSON":                       {`{"jsonrpc":`, ParseError, "", ""},
		"nothing":                       {``, ParseError, "", ""},
		"no object":                     {`1`, InvalidRequest, "", ""},
		"a batch":                       {`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, InvalidRequest, "", ""},
		"an empty object":               {`{}`, InvalidRequest, "", ""},
		"a method that is a number":     {`{"jsonrpc":"2.0","id":1,"method":2}`, InvalidRequest, "1", ""},
		"an id that is an object":       {`{"jsonrpc":"2.0","id":{},"method":"m"}`, InvalidRequest, "", ""},
		"an empty method":               {`{"jsonrpc":"2.0","id":1,"method":""}`, InvalidRequest, "1", ""},
		"neither method nor result":     {`{"jsonrpc":"2.0","id":1}`, InvalidRequest, "1", ""},
		"an error that is a text":       {`{"jsonrpc":"2.0","id":1,"error":"x"}`, InvalidRequest, "1", ""},
		"what else there is is dropped": {`{"jsonrpc":"1.0","id":1,"method":"m","more":[]}`, 0, "1", "m"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m, err := Decode([]byte(c.in))
			var e *Error
			if errors.As(err, &e) != (c.code != 0) || e != nil && e.Code != c.code {
				t.Errorf("got the error %v, want the code %d", err, c.code)
			}
			if m.ID != c.id || m.Method != c.method {
				t.Errorf("got the id %q and the method %q", m.ID, m.Method)
			}
		})
	}
}

func TestAResultThatIsNullIsWritten(t *testing.T) {
	m, err := Response("1", (*Hover)(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	src, err := m.Encode()
	if err != nil || string(src) != `{"jsonrpc":"2.0","id":1,"result":null}` {
		t.Errorf("got %s, %v", src, err)
	}
}

func TestAnErrorWithoutAnIdIsAnsweredWithNull(t *testing.T) {
	m, _ := Response("", nil, Errorf(ParseError, "no"))
	if src, err := m.Encode(); err != nil || string(src) != `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}` {
		t.Errorf("got %s, %v", src, err)
	}
}

func TestParamsThatAreMissingAreZero(t *testing.T) {
	p, err := Params[HoverParams](&Message{Method: "m"})
	if err != nil || p.Position != (Position{}) {
		t.Errorf("got %v, %v", p, err)
	}
	for _, src := range []string{`[]`, `"x"`, `{"position":{"line":-1}}`, `{"position":{"line":"1"}}`, `{"textDocument":[]}`} {
		var e *Error
		if _, err := Params[HoverParams](&Message{Method: "m", Params: json.RawMessage(src)}); !errors.As(err, &e) || e.Code != InvalidParams {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// Documentation of an item may come back as text, which it was not sent as.
func TestACompletionItemComesBack(t *testing.T) {
	for _, src := range []string{`{"label":"a","documentation":"d"}`, `{"label":"a","documentation":{"kind":"markdown","value":"d"}}`} {
		var i CompletionItem
		if err := json.Unmarshal([]byte(src), &i); err != nil || i.Label != "a" || i.Documentation == nil || i.Documentation.Value != "d" {
			t.Errorf("%s: %+v, %v", src, i, err)
		}
	}
}
