package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// drawSchema draws a JSON Schema as encoding/json has it. The definitions "d"
// and "e", which it may refer to, are put in by drawRoot.
func drawSchema(t *rapid.T, depth int) any {
	kinds := []string{"string", "integer", "number", "boolean", "null", "enum", "const", "types", "any", "true"}
	if depth > 0 {
		kinds = append([]string{"object", "array", "anyOf", "object", "allOf", "oneOf", "ref", "tuple", "branches", "not", "never", "constrained", "nullable"}, kinds...)
	}
	sub := func() any { return drawSchema(t, depth-1) }
	subs := func() []any {
		out := make([]any, rapid.IntRange(1, 3).Draw(t, "members"))
		for i := range out {
			out[i] = sub()
		}
		return out
	}
	s := map[string]any{}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "any":
	case "true":
		return true
	case "never":
		return false
	case "string":
		s["type"] = kind
		maybe(t, s, "minLength", 1)
		maybe(t, s, "maxLength", 2)
		maybe(t, s, "pattern", "^a")
	case "integer", "number":
		s["type"] = kind
		maybe(t, s, "minimum", json.Number("0"))
		maybe(t, s, "exclusiveMaximum", json.Number("2"))
		maybe(t, s, "multipleOf", json.Number("0.5"))
	case "boolean", "null":
		s["type"] = kind
	case "types":
		s["type"] = rapid.SampledFrom([][]string{{"string", "null"}, {"integer", "string"}, {"object", "array"}, {"number", "integer"}}).Draw(t, "types")
	case "enum":
		var members []any
		for range rapid.IntRange(1, 3).Draw(t, "members") {
			members = append(members, drawJSON(t, 1))
		}
		s["enum"] = members
		maybe(t, s, "type", "string")
	case "const":
		s["const"] = drawJSON(t, 1)
	case "object":
		s["type"] = kind
		drawObject(t, s, sub)
	case "constrained":
		drawObject(t, s, sub) // without a type
	case "array":
		s["type"] = kind
		if rapid.Bool().Draw(t, "has items") {
			s["items"] = sub()
		}
		maybe(t, s, "minItems", 1)
		maybe(t, s, "maxItems", 2)
		maybe(t, s, "uniqueItems", true)
	case "tuple":
		s["type"] = "array"
		s["prefixItems"] = subs()
		maybe(t, s, "items", false)
		maybe(t, s, "minItems", len(s["prefixItems"].([]any)))
		maybe(t, s, "maxItems", len(s["prefixItems"].([]any)))
	case "anyOf", "oneOf", "allOf":
		s[kind] = subs()
	case "branches": // what says more about an object around it
		s["type"] = "object"
		drawObject(t, s, sub)
		s[rapid.SampledFrom([]string{"anyOf", "oneOf", "allOf"}).Draw(t, "keyword")] = []any{
			map[string]any{"required": []string{"a"}},
			map[string]any{"required": []string{"b"}, "properties": map[string]any{"b": sub()}},
		}
	case "ref":
		s["$ref"] = rapid.SampledFrom([]string{"#/$defs/d", "#/$defs/e", "#anchor", "#"}).Draw(t, "ref")
		if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			s["type"] = "object"
		}
	case "not":
		s["not"] = sub()
	case "nullable":
		s["type"] = "string"
		s["nullable"] = true
	}
	return s
}

func maybe(t *rapid.T, s map[string]any, keyword string, v any) {
	if rapid.IntRange(0, 3).Draw(t, keyword) == 0 {
		s[keyword] = v
	}
}

func drawObject(t *rapid.T, s map[string]any, sub func() any) {
	properties := map[string]any{}
	for _, name := range []string{"a", "b"} {
		if rapid.Bool().Draw(t, name) {
			properties[name] = sub()
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "has properties") > 0 {
		s["properties"] = properties
	}
	maybe(t, s, "required", []string{"a"})
	maybe(t, s, "maxProperties", 2)
	if rapid.IntRange(0, 3).Draw(t, "has others") == 0 {
		s["additionalProperties"] = sub()
	}
}

func drawRoot(t *rapid.T) string {
	root, ok := drawSchema(t, 3).(map[string]any)
	if !ok {
		root = map[string]any{}
	}
	e, ok := drawSchema(t, 2).(map[string]any)
	if !ok {
		e = map[string]any{}
	}
	e["$anchor"] = "anchor"
	root["$defs"] = map[string]any{"d": drawSchema(t, 2), "e": e}
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// drawJSON draws a JSON value as encoding/json has it.
func drawJSON(t *rapid.T, depth int) any {
	kinds := []string{"string", "number", "string", "number", "bool", "null"}
	if depth > 0 {
		kinds = append([]string{"object", "object", "list"}, kinds...)
	}
	switch rapid.SampledFrom(kinds).Draw(t, "value") {
	case "string":
		return rapid.SampledFrom([]string{"", "a", "ab", "abc", "b"}).Draw(t, "string")
	case "number":
		return json.Number(rapid.SampledFrom([]string{"0", "1", "1.0", "1.5", "-1", "2", "9007199254740993"}).Draw(t, "number"))
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "list":
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			out = append(out, drawJSON(t, depth-1))
		}
		return out
	case "object":
		out := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, name) {
				out[name] = drawJSON(t, depth-1)
			}
		}
		return out
	}
	return nil
}

// Where a schema has an exact type, [types.Conforms] and the validator agree;
// elsewhere the type holds all that the schema does, but for schemas without
// `type` that are read as objects or lists.
func TestPropertyTypesAgreeWithTheValidator(t *testing.T) {
	exact, fit := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawRoot(t)
		typ, report := types.FromSchema([]byte(text))
		if report.Problem != "" {
			t.Fatalf("%s: %s", text, report.Problem)
		}
		s, err := Compile([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		loops := strings.Contains(fmt.Sprint(report.Widened), "refers to itself")
		assumed := strings.Contains(fmt.Sprint(report.Guarded), "it is read as")
		for range 5 {
			doc, err := json.Marshal(drawJSON(t, 3))
			if err != nil {
				t.Fatal(err)
			}
			v, err := value.ParseJSON(doc)
			if err != nil {
				t.Fatal(err)
			}
			says := s.Validate(v)
			m := types.Conforms(typ, v)
			switch {
			case says == nil && m != nil && !assumed:
				t.Fatalf("%s conforms to %s, but not to %s: %s", doc, text, types.Print(typ), m.Error())
			case says != nil && m == nil && report.Exact() && !loops:
				t.Fatalf("%s conforms to %s, but not to %s: %s", doc, types.Print(typ), text, says)
			}
			if report.Exact() {
				exact++
			}
			if says == nil {
				fit++
			}
		}
	})
	if exact == 0 || fit == 0 {
		t.Errorf("%d values of exact types, %d that conform: the generator is of no use", exact, fit)
	}
}
