package callback

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
)

func parse(t *testing.T, params string) Question {
	t.Helper()
	q, err := ParseQuestion(Origin{"test.main", "tools/call x"}, json.RawMessage(params))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func field(t *testing.T, schema string) Field {
	t.Helper()
	q := parse(t, `{"message":"m","requestedSchema":{"type":"object","properties":{"f":`+schema+`}}}`)
	return q.Form.Fields[0]
}

func TestWhatAPersonTypes(t *testing.T) {
	const (
		enum   = `{"type":"string","enum":["a","b b"],"enumNames":["Ann","Bob"]}`
		titled = `{"type":"string","oneOf":[{"const":"x","title":"The X"},{"const":"2","title":"Two"}]}`
		some   = `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},"minItems":1}`
		number = `{"type":"integer","enum":[10,20]}`
	)
	for _, c := range []struct{ schema, typed, want string }{
		{`{"type":"string"}`, " kept as it is ", `" kept as it is "`},
		{`{"type":"string","format":"date"}`, "2026-02-30", "! "},
		{`{"type":"string","minLength":3}`, "ab", "! "},
		{`{"type":"string","pattern":"^a"}`, "b", "! "},
		{`{"type":"number"}`, " 1.50 ", `1.50`},
		{`{"type":"number"}`, "1,5", `! "1,5" is not a number.`},
		{`{"type":"integer"}`, "9007199254740993", `9007199254740993`},
		{`{"type":"integer"}`, "1.5", "! "},
		{`{"type":"integer","maximum":3}`, "4", "! "},
		{`{"type":"boolean"}`, "Y", `true`},
		{`{"type":"boolean"}`, "no", `false`},
		{`{"type":"boolean"}`, "1", `! "1" is neither yes nor no.`},
		{enum, "b b", `"b b"`},
		{enum, "bob", `"b b"`},
		{enum, "2", `"b b"`},
		{enum, "3", `! "3" is none of the choices.`},
		{titled, "2", `"2"`}, // a value is meant before a number of the list
		{titled, "1", `"x"`},
		{number, "20", `20`},
		{some, "b, a", `["b","a"]`},
		{some, "2,1,", `["b","a"]`},
		{some, "c", `! "c" is none of the choices.`},
		{some, ",", "! "},
	} {
		v, err := field(t, c.schema).Read(c.typed)
		got := v.JSON()
		if err != nil {
			got = "! " + err.Error()
		}
		if got != c.want && (c.want != "! " || err == nil) {
			t.Errorf("%s, typed %q: got %s, want %s", c.schema, c.typed, got, c.want)
		}
	}
}

func TestDefaultsThatAreNoValuesAreNone(t *testing.T) {
	if f := field(t, `{"type":"integer","default":3}`); f.Default == nil || f.Default.JSON() != "3" {
		t.Errorf("got %v", f.Default)
	}
	for _, schema := range []string{`{"type":"integer","default":"3"}`, `{"type":"string","maxLength":1,"default":"ab"}`, `{"type":"string","default":null}`} {
		if f := field(t, schema); f.Default != nil {
			t.Errorf("%s: got %v", schema, f.Default)
		}
	}
}

func TestFormsAreCheckedAsAWhole(t *testing.T) {
	q := parse(t, `{"message":"m","requestedSchema":{"properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["a"]}}`)
	for content, want := range map[string]string{
		`{"a":""}`:           ``,
		`{"b":true,"a":"x"}`: ``,
		`{}`:                 `The field "a" is missing.`,
		`{"a":null}`:         `The field "a": `,
		`{"a":"x","c":1}`:    `There is no field "c".`,
		`[]`:                 `The answer is a list, not an object.`,
	} {
		v, err := value.ParseJSON([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(q.Form.Check(v)); !strings.HasPrefix(got, want) || want == "" && got != "<nil>" {
			t.Errorf("%s: got %s, want %s", content, got, want)
		}
	}
}

func TestAQuestionWithoutASchemaHasAnEmptyForm(t *testing.T) {
	for _, params := range []string{`{"message":"Go on?"}`, `{"message":"Go on?","mode":"form","requestedSchema":{"type":"object","properties":{}}}`, `{"message":"Go on?","requestedSchema":null}`} {
		if q := parse(t, params); q.Form == nil || len(q.Form.Fields) != 0 {
			t.Errorf("%s: got %+v", params, q)
		}
	}
	if q := parse(t, `{"message":"m","url":"https://example.com","elicitationId":"1"}`); q.Form != nil || q.URL != "https://example.com" {
		t.Errorf("a URL without a mode: got %+v", q)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"enum":["a"]}}}},"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"level":"error","data":1}`))
	f.Fuzz(func(t *testing.T, params []byte) {
		if q, err := ParseQuestion(Origin{}, params); err == nil {
			if (q.Form == nil) == (q.URL == "") {
				t.Errorf("neither a form nor a URL, or both: %+v", q)
			}
			if q.Form != nil {
				for _, f := range q.Form.Fields {
					for _, typed := range []string{"", "1", "yes"} {
						if v, err := f.Read(typed); err == nil && f.Check(v) != nil {
							t.Errorf("what was read is no value of the field: %s", v)
						}
					}
				}
			}
		}
		if r, err := ParseRequest(Origin{}, params); err == nil && len(r.Messages) == 0 {
			t.Error("a request without messages")
		}
		if l, err := ParseLog(params); err == nil {
			_ = l.Text()
		}
	})
}
