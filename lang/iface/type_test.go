package iface

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// drawType draws a type of the whole notation.
func drawType(t *rapid.T, depth int) *types.Type {
	kinds := []string{"any", "null", "bool", "string", "number", "integer", "blob", "never", "enum", "enum"}
	if depth > 0 {
		kinds = append(kinds, "list", "map", "tuple", "object", "object", "union", "nullable", "recursive")
	}
	sub := func() *types.Type { return drawType(t, depth-1) }
	some := func(least int) []*types.Type {
		out := make([]*types.Type, rapid.IntRange(least, 3).Draw(t, "n"))
		for i := range out {
			out[i] = sub()
		}
		return out
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "null":
		return types.NullType
	case "bool":
		return types.BoolType
	case "string":
		return types.StringType
	case "number":
		return types.NumberType
	case "integer":
		return types.IntegerType
	case "blob":
		return types.BlobType
	case "never":
		return types.NeverType
	case "enum":
		return types.EnumOf(rapid.SliceOfN(rapid.Custom(drawScalar), 1, 4).Draw(t, "members")...)
	case "list":
		return types.ListOf(sub())
	case "map":
		return types.MapOf(sub())
	case "tuple":
		return types.TupleOf(some(0)...)
	case "object":
		return drawObject(t, depth)
	case "union":
		return types.UnionOf(some(1)...)
	case "nullable":
		return types.NullableOf(sub())
	case "recursive":
		node, define := types.Declare("node")
		define(types.ObjectOf([]types.Attr{{Name: "value", Type: sub()}, {Name: "next", Type: node, Optional: true}}, nil))
		return node
	}
	return types.AnyType
}

func drawObject(t *rapid.T, depth int) *types.Type {
	var attrs []types.Attr
	for _, name := range []string{"a", "type", "x y", "for", "é", "$meta", "${x}", "a-b", ""} {
		switch rapid.IntRange(0, 4).Draw(t, "attribute") {
		case 0:
			attrs = append(attrs, types.Attr{Name: name, Type: drawType(t, depth-1)})
		case 1:
			attrs = append(attrs, types.Attr{Name: name, Type: drawType(t, depth-1), Optional: true})
		case 2:
			v := drawConstant(t, 2)
			attrs = append(attrs, types.Attr{Name: name, Type: types.AnyType, Optional: true, Default: &v})
		}
	}
	var rest *types.Type
	if rapid.Bool().Draw(t, "open") {
		rest = drawType(t, depth-1)
		if rest.Kind() == types.Never {
			rest = nil
		}
	}
	return types.ObjectOf(attrs, rest)
}

func drawScalar(t *rapid.T) value.Value {
	n := func(s string) value.Value {
		d, err := value.ParseDecimal(s)
		if err != nil {
			t.Fatal(err)
		}
		return value.OfNumber(d)
	}
	if rapid.Bool().Draw(t, "text") {
		return value.OfString(rapid.SampledFrom([]string{"a", "", "é", "e\u0301", "\"\\\n\r\t", "${x}", "$${", "%{if", "\x00\x7f\u0085\u202e", "@read"}).Draw(t, "string"))
	}
	return rapid.SampledFrom([]value.Value{n("0"), n("-2.50"), n("9007199254740993"), n("1e100"), value.OfBool(true), value.OfBool(false)}).Draw(t, "scalar")
}

func drawConstant(t *rapid.T, depth int) value.Value {
	switch k := rapid.IntRange(0, 4).Draw(t, "constant"); {
	case k == 0:
		return value.NullValue
	case k == 1 && depth > 0:
		return value.OfList([]value.Value{drawConstant(t, depth-1), drawConstant(t, depth-1)})
	case k == 2 && depth > 0:
		o := value.NewObject(2)
		o.Set("a b", drawConstant(t, depth-1))
		o.Set("null", drawConstant(t, depth-1))
		return value.OfObject(o)
	}
	return drawScalar(t)
}

func TestPropertyBothParsersReadWhatIsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 3)
		for _, printed := range []string{types.Print(typ), types.PrintIndented(typ, 30)} {
			ours, found := parseType(printed)
			if len(found) > 0 {
				t.Fatalf("%s: %s", printed, found[0].Detail)
			}
			hcls, theirs := types.Parse(printed, "type", nil)
			if len(theirs) > 0 {
				t.Fatalf("%s: %s", printed, theirs[0].Detail)
			}
			if !types.Equal(ours, typ) || !types.Equal(hcls, typ) {
				t.Fatalf("%s reads as\n%s, and by HCL as\n%s", printed, types.Print(ours), types.Print(hcls))
			}
		}
	})
}

// FuzzType feeds types: what both parsers take is the same type.
func FuzzType(f *testing.F) {
	for _, s := range []string{
		"any", `object({ a = optional(integer, 20), "b c" = string }, any)`, `enum("a", -1.5, true)`, "tuple([string, integer,])",
		"defs({ a = list(b), b = union(a, null) }, a)", "nullable(union(string, tuple([blob])))", "object({\n a = string\n b = bool\n})", "map(object({}))", "enum(\"$${a}\\u00e9\")",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ours, found := parseType(text)
		hcls, theirs := types.Parse(text, "type", nil)
		if len(found) > 0 || len(theirs) > 0 {
			return
		}
		if !types.Equal(ours, hcls) {
			t.Fatalf("%q is %s, and by HCL %s", text, types.Print(ours), types.Print(hcls))
		}
	})
}

// parseType reads one type.
func parseType(text string) (*types.Type, []complaint) {
	const before, after = "interface x {\ntool t() -> ", "\n}\n"
	f, found := Parse("type", []byte(before+text+after))
	set, more := NewSet([]*File{f})
	var out []complaint
	for _, d := range append(found, more...) {
		out = append(out, complaint{d.Detail})
	}
	if len(out) > 0 {
		return types.ErrorType, out
	}
	if i := set.Interface("x"); i != nil && len(i.Tools) == 1 {
		return i.Tools[0].Result, nil
	}
	return types.ErrorType, []complaint{{"something else was read"}}
}

// complaint is why a type could not be read.
type complaint struct{ Detail string }
