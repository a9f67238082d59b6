package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		rule, schema, value string
		says                string // "" where the value conforms
	}{
		{"the path is precise", `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"}}}}}}`, `{"items":[{"title":3}]}`, "items[0].title: a number where a string is wanted"},
		{"attributes that the schema excludes", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b":2}`, `the attribute "b" is not allowed by the schema`},
		{"what has no type", `{"type":"object","properties":{"a":{"not":{"const":1}}}}`, `{"a":1}`, "a: it is what the schema excludes with `not`"},
		{"one of exactly one", `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `3`, "it is of more than one member of `oneOf`"},
		{"names", `{"type":"object","propertyNames":{"pattern":"^a"}}`, `{"b":1}`, `"b" is no allowed name of an attribute`},
		{"conditions", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, "missing property 'b'"},
		{"numbers are exact", `{"maximum":9007199254740992}`, `9007199254740993`, "9007199254740993 where at most 9007199254740992 is wanted"},
		{"and so are enums", `{"enum":[9007199254740992]}`, `9007199254740993`, "9007199254740993 where 9007199254740992 is wanted"},
		{"1.0 is an integer", `{"type":"integer"}`, `1.0`, ""},
		{"formats as far as they are certain", `{"type":"string","format":"date-time"}`, `"2026-01-01 10:00:00Z"`, ""},
		{"and no further", `{"type":"string","format":"date-time"}`, `"yesterday"`, `"yesterday" is not of the format date-time`},
		{"formats nobody knows", `{"type":"string","format":"cow"}`, `"moo"`, ""},
		{"patterns of ECMA 262", `{"type":"string","pattern":"^\\u0041\\s$"}`, `"A\u00a0"`, ""},
		{"patterns that cannot be checked pass", `{"type":"string","pattern":"^(?!a)"}`, `"a"`, ""},
		{"nullable as OpenAPI has it", `{"type":"object","properties":{"a":{"type":"string","nullable":true}}}`, `{"a":null}`, ""},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":3,"exclusiveMinimum":true}`, `3`, "3 where more than 3 is wanted"},
		{"draft-07 tuples without a draft", `{"type":"array","items":[{"type":"string"}]}`, `[1]`, "at '/0'"},
		{"a dialect nobody has", `{"$schema":"https://example.com/dialect","type":"string"}`, `1`, "a number where a string is wanted"},
		{"references out of the schema are not followed", `{"$ref":"https://example.com/other.json"}`, `1`, ""},
		{"references to files neither", `{"$ref":"file:///etc/passwd"}`, `1`, ""},
		{"recursion", `{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["v"]}},"$ref":"#/$defs/n"}`, `{"v":1,"next":{"v":2,"next":{}}}`, "next.next.v: missing"},
	} {
		s, err := Compile([]byte(c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		err = s.Validate(parse(t, c.value))
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: got %q", c.rule, err)
		case c.says != "" && err == nil:
			t.Errorf("%s: it conforms, want %q", c.rule, c.says)
		case c.says != "" && !strings.Contains(err.Error(), strings.TrimPrefix(c.says, "at '/0'")):
			t.Errorf("%s: got %q, want %q", c.rule, err, c.says)
		}
	}
}

func TestBrokenSchemas(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `"x"`, `{"type":"strnig"}`, `{"$ref":"#/$defs/none"}`, `{"properties":[]}`, `{"minimum":1e100000000}`} {
		if _, err := Compile([]byte(text)); err == nil {
			t.Errorf("%s compiles", text)
		} else if s := err.Error(); strings.Contains(s, "\n") || strings.Contains(s, location) {
			t.Errorf("%s: the message is not one line about the schema: %q", text, s)
		}
	}
}

func TestACacheCompilesOnce(t *testing.T) {
	var c Cache
	var wg sync.WaitGroup
	got := make([]*Validator, 8)
	for i := range got {
		wg.Go(func() { got[i], _ = c.Get([]byte(`{"type":"string"}`)) })
	}
	wg.Wait()
	for _, v := range got {
		if v == nil || v != got[0] {
			t.Fatal("concurrent uses got different validators")
		}
	}
}

// Every schema that public servers give, but the few that are broken, compiles.
func TestSchemasOfRealServersCompile(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/catalogs/*.json")
	if len(files) == 0 {
		t.Fatal("no catalogs")
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var saved struct {
			Tools []struct {
				Name                      string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(src, &saved); err != nil {
			t.Fatal(file, err)
		}
		for i, tool := range saved.Tools {
			if len(saved.Tools) > 100 && i%10 > 0 {
				continue // the large ones are all of a kind
			}
			for _, raw := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
				if raw == nil {
					continue
				}
				if _, err := Compile(raw); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(file), tool.Name, err)
				}
				if _, report := types.FromSchema(raw); report.Problem != "" {
					t.Errorf("%s: %s: %s", filepath.Base(file), tool.Name, report.Problem)
				}
			}
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	s, err := Compile([]byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"}},"required":["id"]}}}}`))
	if err != nil {
		b.Fatal(err)
	}
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"id":%d,"title":"title %d"}`, i, i))
	}
	v := parse(b, `{"items":[`+strings.Join(items, ",")+`]}`)
	for b.Loop() {
		if err := s.Validate(v); err != nil {
			b.Fatal(err)
		}
	}
}
