package catalog

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// schema draws a small JSON Schema, mostly such as servers have.
func schema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "any"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "anyOf")
	}
	var s map[string]any
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "any":
		return map[string]any{}
	case "enum":
		s = map[string]any{"enum": rapid.SliceOfNDistinct(rapid.SampledFrom([]any{"a", "b", "c", 1}), 1, 3, rapid.ID[any]).Draw(t, "members")}
	case "integer", "number":
		s = map[string]any{"type": kind}
		if rapid.Bool().Draw(t, "bounded") {
			s["minimum"] = rapid.IntRange(0, 3).Draw(t, "minimum")
		}
	case "string":
		s = map[string]any{"type": kind}
		if rapid.Bool().Draw(t, "bounded") {
			s["maxLength"] = rapid.IntRange(0, 2).Draw(t, "maxLength")
		}
	case "boolean":
		s = map[string]any{"type": kind}
	case "array":
		s = map[string]any{"type": kind, "items": schema(t, depth-1)}
	case "anyOf":
		s = map[string]any{"anyOf": []any{schema(t, depth-1), schema(t, depth-1)}}
	case "object":
		s = object(t, depth)
	}
	if typ, ok := s["type"].(string); ok && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		s["type"] = []any{typ, "null"}
	}
	return s
}

func object(t *rapid.T, depth int) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, name := range []string{"x", "y", "z"} {
		switch rapid.IntRange(0, 2).Draw(t, name) {
		case 1:
			required = append(required, name)
			fallthrough
		case 2:
			properties[name] = schema(t, depth-1)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "required": required}
	if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
		s["additionalProperties"] = schema(t, 0)
	}
	return s
}

// changed draws a schema that differs in one place, or in a few.
func changed(t *rapid.T, s map[string]any, depth int) map[string]any {
	out := maps.Clone(s)
	properties, ok := s["properties"].(map[string]any)
	if !ok || len(properties) == 0 || rapid.IntRange(0, 4).Draw(t, "whole") == 0 {
		return schema(t, depth)
	}
	names := slices.Sorted(maps.Keys(properties))
	name := rapid.SampledFrom(names).Draw(t, "changed")
	inner := maps.Clone(properties)
	out["properties"] = inner
	switch rapid.SampledFrom([]string{"type", "gone", "required", "type"}).Draw(t, "how") {
	case "gone":
		delete(inner, name)
		out["required"] = slices.DeleteFunc(slices.Clone(s["required"].([]any)), func(x any) bool { return x == name })
	case "required":
		required := s["required"].([]any)
		if slices.Contains(required, any(name)) {
			out["required"] = slices.DeleteFunc(slices.Clone(required), func(x any) bool { return x == name })
		} else {
			out["required"] = append(slices.Clone(required), name)
		}
	default:
		inner[name] = changed(t, properties[name].(map[string]any), depth-1)
	}
	return out
}

// valueOf draws a value that a type may well hold.
func valueOf(t *rapid.T, typ *types.Type) value.Value {
	u := typ.Underlying()
	switch u.Kind() {
	case types.Literal:
		return u.Lit()
	case types.Null:
		return value.Value{}
	case types.Bool:
		return value.OfBool(rapid.Bool().Draw(t, "bool"))
	case types.String:
		return value.OfString(rapid.SampledFrom([]string{"", "a", "b", "xyz"}).Draw(t, "string"))
	case types.Integer, types.Number:
		return value.OfInt(int64(rapid.IntRange(-1, 5).Draw(t, "number")))
	case types.List:
		var elems []value.Value
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			elems = append(elems, valueOf(t, u.Elem()))
		}
		return value.OfList(elems)
	case types.Union:
		return valueOf(t, rapid.SampledFrom(u.Items()).Draw(t, "member"))
	case types.Object:
		o := value.NewObject(len(u.Attrs()))
		for _, a := range u.Attrs() {
			if !a.Optional || rapid.Bool().Draw(t, "present") {
				o.Set(a.Name, valueOf(t, a.Type))
			}
		}
		if u.Rest() != nil && rapid.Bool().Draw(t, "more") {
			o.Set(rapid.SampledFrom([]string{"x", "y", "z", "w"}).Draw(t, "name"), valueOf(t, u.Rest()))
		}
		return value.OfObject(o)
	}
	return rapid.SampledFrom([]value.Value{{}, value.OfString("a"), value.OfInt(7)}).Draw(t, "anything")
}

// What was accepted still is, and what is given is what it was, unless a change
// is called breaking.
func TestWhatIsNotBreakingBreaksNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := object(t, 3)
		now := changed(t, old, 3)
		if now["type"] != "object" {
			now = old
		}
		tool := func(input, output map[string]any) *Tool {
			raw, err := json.Marshal(map[string]any{"name": "t", "inputSchema": input, "outputSchema": output})
			if err != nil {
				t.Fatal(err)
			}
			s, err := Import("a.b", []byte(`{"tools": [`+string(raw)+`]}`))
			if err != nil {
				t.Fatal(err)
			}
			return s.Tool("t")
		}
		empty := map[string]any{"type": "object"}
		a, b := tool(old, empty), tool(now, empty)
		if d := (&differ{}); !breaks(d, a, b) {
			if v := valueOf(t, a.Args); types.Conforms(a.Args, v) == nil {
				if m := types.Conforms(b.Args, v); m != nil {
					t.Fatalf("%s was accepted and is not: %v\nby\n%s\nafter\n%s", value.OfObject(v.AsObject()).JSON(), m, types.Print(a.Args), types.Print(b.Args))
				}
			}
		}
		a, b = tool(empty, old), tool(empty, now)
		if d := (&differ{}); !breaks(d, a, b) {
			if v := valueOf(t, b.Output); types.Conforms(b.Output, v) == nil {
				if m := types.Conforms(a.Output, v); m != nil && m.Cause != types.Refined {
					t.Fatalf("%s is given, which was not: %v", v.JSON(), m)
				}
			}
		}
	})
}

func breaks(d *differ, old, now *Tool) bool {
	d.tool(old, now)
	return slices.ContainsFunc(d.changes, func(c Change) bool { return c.Breaking })
}
