package raw_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a":{"b":1.50}}`, `1.50`},
		{` { "x" : [1,{"a":2}] , "a" : { "b" : "t\"}" } } `, `"t\"}"`},
		{`{"a":{"b":1,"b":2}}`, `2`},
		{`{"\u0061":{"b":[ ]}}`, `[ ]`},
		{`{"a":1}`, ``},
		{`{"a":{"b":`, ``},
		{`[]`, ``},
		{``, ``},
	} {
		text := []byte(c.text)
		if got := string(raw.Find(text, raw.Whole(text), "a", "b").Of(text)); got != c.want {
			t.Errorf("%s: %q", c.text, got)
		}
	}
}

func TestEditsLeaveAllOtherBytes(t *testing.T) {
	text := []byte(`{ "id" : 1 ,"params":{"_meta":{},"name":"a","x":1.0}}`)
	whole := raw.Whole(text)
	got := raw.Apply(text,
		raw.Edit{At: raw.Find(text, whole, "params", "name"), Text: []byte(`"b"`)},
		raw.Edit{At: raw.Find(text, whole, "id"), Text: []byte(`"one"`)},
		raw.Insert(text, raw.Find(text, whole, "params", "_meta"), "k", []byte("true")),
		raw.Insert(text, whole, "first", []byte("0")),
	)
	if want := `{"first":0, "id" : "one" ,"params":{"_meta":{"k":true},"name":"b","x":1.0}}`; string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRemove(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`: `{}`, `{"a":1,"b":2}`: `{"b":2}`, `{"b":2,"a":1}`: `{"b":2}`, `{"b":2 , "a" : 1 }`: `{"b":2  }`, `{"b":2,"a":1,"c":3}`: `{"b":2,"c":3}`,
	} {
		src := []byte(text)
		e, ok := raw.Remove(src, "a", raw.Find(src, raw.Whole(src), "a"))
		if got := string(raw.Apply(src, e)); !ok || got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Strict refuses what two readers may read in two ways.
func TestStrict(t *testing.T) {
	for text, fine := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"x"}`:              true,
		`{"jsonrpc":"2.0","id":"a","result":null}`:           true,
		`{"jsonrpc":"2.0","method":"x","params":{}}`:         true,
		`{"jsonrpc":"2.0","id":1,"ID":2,"method":"x"}`:       false,
		`{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}`: false,
		`{"jsonrpc":"2.0","id":{},"method":"x"}`:             false,
		`{"jsonrpc":"1.0","id":1,"method":"x"}`:              false,
		`{"jsonrpc":"2.0","id":1}`:                           false,
		`[]`:                                                 false,
	} {
		if _, err := raw.Strict([]byte(text)); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// In any JSON object every member is found, as encoding/json finds it.
func TestMembersAreThoseOfEncodingJSON(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaves := []*rapid.Generator[any]{rapid.Float64().AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil)}
		if depth == 0 {
			return rapid.OneOf(leaves...)
		}
		return rapid.OneOf(append(leaves, rapid.SliceOfN(value(depth-1), 0, 3).AsAny(), rapid.MapOfN(rapid.String(), value(depth-1), 0, 3).AsAny())...)
	}
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(rapid.String(), value(3), 0, 5).Draw(t, "object")
		text, err := json.Marshal(object)
		if err != nil {
			t.Skip("it cannot be written as JSON")
		}
		if rapid.Bool().Draw(t, "indented") {
			var b bytes.Buffer
			_ = json.Indent(&b, text, " ", "\t")
			text = b.Bytes()
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		if !raw.Members(text, raw.Whole(text), func(key string, v raw.Span) bool {
			got[key] = append(json.RawMessage(nil), v.Of(text)...)
			return true
		}) {
			t.Fatalf("%s is no object", text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

// No bytes of a server or a client make it fail.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":1}}}`))
	f.Add([]byte(`{"a":"\`))
	f.Add([]byte(`[{"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := raw.Strict(text)
		if err != nil || !json.Valid(text) {
			return
		}
		out := raw.Apply(text, raw.Edit{At: m.Param("_meta", "progressToken"), Text: []byte("1")})
		if m.Param("_meta", "progressToken").There() && !json.Valid(out) {
			t.Errorf("%s became %s", text, out)
		}
	})
}
