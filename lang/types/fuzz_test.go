package types

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
)

// FuzzFromSchema feeds schemas that servers may send: whatever it is, the
// conversion ends, and the type can be printed, read back and asked.
func FuzzFromSchema(f *testing.F) {
	for _, seed := range []string{
		`true`, `{}`, `{"type":"object","properties":{"a":{"$ref":"#"}},"required":["b"]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"properties":{"x":{"$ref":"#/$defs/a"}}}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`,
		`{"$id":"https://e.com/a","$defs":{"b":{"$id":"b","$anchor":"c","$ref":"#c"}},"oneOf":[{"$ref":"b#c"},{"enum":[1,"a",{"b":[]}]}]}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#a","items":[{"minimum":3,"exclusiveMinimum":true}],"additionalItems":{"$ref":"#a"}}`,
		`{"type":["array","string"],"prefixItems":[{"pattern":"^\\u0041"}],"minItems":1,"maxItems":1,"nullable":true,"not":{}}`,
		`{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"properties":{"a":{"$ref":"#"}}}}}]}`,
	} {
		f.Add(seed)
	}
	files, err := filepath.Glob("../../testdata/catalogs/server-*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		answer, err := value.ParseJSON(src)
		if err != nil {
			f.Fatal(err)
		}
		tools, _ := answer.AsObject().Get("tools")
		for _, tool := range tools.AsList() {
			if s, ok := tool.AsObject().Get("inputSchema"); ok {
				f.Add(s.JSON())
			}
		}
	}
	values := []value.Value{value.NullValue, str("a"), num("1.5"), value.OfList([]value.Value{num("1")}), value.OfObject(nil)}
	f.Fuzz(func(t *testing.T, text string) {
		typ, report := FromSchema([]byte(text))
		if report.Problem != "" {
			if typ.Kind() != Any {
				t.Fatalf("a broken schema is %s", Print(typ))
			}
			return
		}
		for _, v := range values {
			Conforms(typ, v)
		}
		if m := Assignable(typ, typ.Refined(nil)); m != nil && typ.Refinement() == nil {
			t.Fatalf("%s is not assignable to itself: %s", Print(typ), m.Error())
		}
		HasAny(typ)
		Overlap(typ, NullableOf(typ))
		printed := Print(typ)
		PrintIndented(typ, 40)
		again, problems := Parse(printed, "type", nil)
		if len(problems) > 0 {
			// What is nested deeper than an expression may be cannot be written.
			if problems[0].Code == "WFC1201" || problems[0].Code == "WFC1202" {
				return
			}
			t.Fatalf("%s: %s %s", printed, problems[0].Code, problems[0].Detail)
		}
		if !Equal(typ, again) && !strings.Contains(printed, "defs(") {
			t.Fatalf("%s reads back as %s", printed, Print(again))
		}
	})
}

// FuzzParse feeds type expressions: whatever it is, there is a type or a diagnostic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"any", "list(", `object({ a = optional(integer, 20), "b c" = string }, any)`, `enum("a", -1.5, true, null)`,
		"defs({ a = list(b), b = union(a, null) }, a)", "nullable(union(string, tuple([blob])))", "interface.a.b", "[string]", "defs({ a = a }, a)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, problems := Parse(text, "type", nil)
		if len(problems) > 0 {
			return
		}
		printed := Print(typ)
		again, problems := Parse(printed, "type", nil)
		if len(problems) > 0 || !Equal(typ, again) {
			t.Fatalf("%q prints as %s, which reads as %s: %v", text, printed, Print(again), problems)
		}
	})
}

func BenchmarkConforms(b *testing.B) {
	typ := MustParse(`object({ items = list(object({ id = integer, title = string, state = enum("open", "closed"), assignee = optional(nullable(string)) })) })`)
	text := `{"items":[` + strings.Repeat(`{"id":1,"title":"a title","state":"open","assignee":null},`, 999) + `{"id":1,"title":"a title","state":"closed"}]}`
	v := parseJSON(b, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if m := Conforms(typ, v); m != nil {
			b.Fatal(m)
		}
	}
}

func BenchmarkAssignable(b *testing.B) {
	want := MustParse(`object({ items = list(object({ id = integer, title = string, state = enum("open", "closed"), assignee = optional(nullable(string)) })) }, any)`)
	got := MustParse(`object({ items = tuple([object({ id = enum(1), title = enum("a"), state = enum("open") }), object({ id = enum(2), title = enum("b"), state = enum("closed"), assignee = null })]) })`)
	for b.Loop() {
		if m := Assignable(want, got); m != nil {
			b.Fatal(m)
		}
	}
}
