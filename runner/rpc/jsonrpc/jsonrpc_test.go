package jsonrpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var limits = Limits{Batch: 3, Depth: 20}

// show says what Parse made of a text, in a line for each request.
func show(text string) string {
	requests, batch, err := Parse([]byte(text), limits)
	if err != nil {
		return fmt.Sprintf("%d %s", err.Code, err.Message)
	}
	var lines []string
	if batch {
		lines = append(lines, "batch")
	}
	for _, r := range requests {
		id := string(r.ID)
		if r.ID == nil {
			id = "notification"
		}
		if r.Err != nil {
			lines = append(lines, fmt.Sprintf("%s: %d %s", id, r.Err.Code, r.Err.Message))
			continue
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s %s", id, r.Method, r.Params)))
	}
	return strings.Join(lines, "\n")
}

func TestRequests(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"named parameters", `{"jsonrpc": "2.0", "method": "subtract", "params": {"a": 42, "b": 23}, "id": 3}`, `3: subtract {"a": 42, "b": 23}`},
		{"positional parameters", `{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}`, `1: subtract [42,23]`},
		{"no parameters", `{"jsonrpc":"2.0","method":"a","id":1}`, `1: a`},
		{"a notification has no id", `{"jsonrpc": "2.0", "method": "update"}`, `notification: update`},
		{"an id that is null is one", `{"jsonrpc": "2.0", "method": "a", "id": null}`, `null: a`},
		{"the text of an id stays", `{"jsonrpc":"2.0","method":"a","id":"\u0041\/é"}`, `"\u0041\/é": a`},
		{"an id with a fraction", `{"jsonrpc":"2.0","method":"a","id": -1.50e1 }`, `-1.50e1: a`},
		{"an id that no float holds", `{"jsonrpc":"2.0","method":"a","id":90071992547409931234567}`, `90071992547409931234567: a`},
		{"other members are not looked at", `{"jsonrpc":"2.0","method":"a","id":1,"trace":{"x":[]}}`, `1: a`},
		{"an escaped method", `{"jsonrpc":"2.0","method":"runs\u002eget","id":1}`, `1: runs.get`},
		{"white space everywhere", " \r\n{ \"jsonrpc\" : \"2.0\" ,\t\"method\" : \"a\" , \"params\" : { } , \"id\" : 1 } ", `1: a { }`},

		{"an id that is a bool", `{"jsonrpc":"2.0","method":"a","id":true}`, `null: -32600 The id of a request is a string, a number or null.`},
		{"an id that is an object", `{"jsonrpc":"2.0","method":"a","id":{}}`, `null: -32600 The id of a request is a string, a number or null.`},
		{"no version", `{"method":"a","id":1}`, `1: -32600 A request says "jsonrpc": "2.0".`},
		{"another version", `{"jsonrpc":"1.0","method":"a","id":1}`, `1: -32600 A request says "jsonrpc": "2.0".`},
		{"a method that is none", `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`, `null: -32600 The method of a request is a string.`},
		{"no method", `{"jsonrpc":"2.0","id":"x"}`, `"x": -32600 The method of a request is a string.`},
		{"parameters that are text", `{"jsonrpc":"2.0","method":"a","params":"bar","id":1}`, `1: -32600 The params of a request are an object, or left out.`},
		{"parameters that are null", `{"jsonrpc":"2.0","method":"a","params":null,"id":1}`, `1: -32600 The params of a request are an object, or left out.`},
		{"no object", `17`, `null: -32600 A request is an object with jsonrpc, method, params and id.`},

		{"nothing", "", `-32700 The body is empty; it must be a JSON-RPC 2.0 request, or a list of them.`},
		{"broken off", `{"jsonrpc":"2.0","method":"a","params":{`, `-32700 The body is no JSON: unexpected end of JSON input at byte 40.`},
		{"something after it", `{"jsonrpc":"2.0","method":"a"} x`, `-32700 The body is no JSON: invalid character 'x' after top-level value at byte 32.`},
		{"deeply nested", strings.Repeat("[", 21) + strings.Repeat("]", 21), `-32600 The body is nested more than 20 deep at byte 20.`},
		{"deep enough to end a parser", strings.Repeat(`{"a":`, 1e6), `-32600 The body is nested more than 20 deep at byte 100.`},
		{"a key twice", `{"jsonrpc":"2.0","method":"a","method":"b","id":1}`, `-32600 The key "method" comes twice in one object.`},
		{"a key twice, written differently, deep below", `{"jsonrpc":"2.0","method":"a","params":{"x":[{"a":1,"\u0061":2}]},"id":1}`, `-32600 The key "a" comes twice in one object.`},
		{"a key that is in two objects, and text like it", `{"jsonrpc":"2.0","method":"a","params":{"a":{"a":"a"},"b":"a:"},"id":1}`, `1: a {"a":{"a":"a"},"b":"a:"}`},

		{"a batch", `[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"},1]`, "batch\n1: a\nnotification: b\nnull: -32600 A request is an object with jsonrpc, method, params and id."},
		{"an empty batch", `[ ]`, `-32600 The batch is empty.`},
		{"a large batch", `[1,2,3,4]`, `-32600 The batch has 4 requests; at most 3 may be sent at once.`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := show(test.text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name string
		r    Response
		want string
	}{
		{"a result", Response{ID: ID("1.0"), Result: map[string]any{"a": "<&>"}}, `{"jsonrpc":"2.0","id":1.0,"result":{"a":"<&>"}}`},
		{"a result that is null", Response{ID: ID(`"x"`)}, `{"jsonrpc":"2.0","id":"x","result":null}`},
		{"an error", Response{Err: Errorf(CodeNoMethod, "No.")}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"No."}}`},
		{"an error with data", Response{Err: &Error{Code: 1, Message: "No.", Data: []int{1}}}, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"No.","data":[1]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.r.Append(nil)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

func TestAnObjectWithManyKeysIsHeldAgainstAllOfThem(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	if got := show(`{` + b.String() + `"k3":1}`); got != `-32600 The key "k3" comes twice in one object.` {
		t.Error(got)
	}
}

// Whatever the text, what is read of it is what encoding/json reads of it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","method":"a","params":{"x":[1,"]",{"\"":"}"}]},"id":"\u0041"}`,
		`[{"jsonrpc":"2.0","method":"a","id":1},{},[],1,"",null,true]`,
		`[[`, `{"a":1,"a":2}`, "\"\\", `{"":{"":{}}}`, "[1 ,2\t]", `-1`, "\xff", `{"id":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		requests, batch, parseErr := Parse(text, Limits{Batch: 100, Depth: 50})
		if parseErr != nil {
			if parseErr.Code == CodeParse && json.Valid(text) {
				t.Fatalf("valid JSON is refused: %v", parseErr)
			}
			return
		}
		texts := []json.RawMessage{text}
		if batch {
			texts = nil
			if err := json.Unmarshal(text, &texts); err != nil || len(texts) != len(requests) {
				t.Fatalf("%d requests, want %d (%v)", len(requests), len(texts), err)
			}
		}
		for i, r := range requests {
			if r.Err == nil {
				var want struct {
					ID, Params json.RawMessage
					Method     string
				}
				var all map[string]json.RawMessage
				if err := json.Unmarshal(texts[i], &all); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(all["method"], &want.Method); err != nil {
					t.Fatal(err)
				}
				want.ID, want.Params = all["id"], all["params"]
				if r.Method != want.Method || string(r.ID) != string(want.ID) || string(r.Params) != string(want.Params) {
					t.Fatalf("read %q, %q, %q; want %q, %q, %q", r.Method, r.ID, r.Params, want.Method, want.ID, want.Params)
				}
			}
			answer, err := Response{ID: r.ID, Err: r.Err}.Append(nil)
			if err != nil || !json.Valid(answer) {
				t.Fatalf("the answer %q is no JSON (%v)", answer, err)
			}
		}
	})
}
