package eval

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// generator writes expressions on which HCL's evaluator is exact: small whole
// numbers, ASCII text, branches of one type, no comparison of lists, and no
// negative zero in texts (hence the + 0).
type generator struct {
	t     *rapid.T
	names []string // of numbers that a `for` binds
}

func (g *generator) pick(choices ...func() string) string {
	return choices[rapid.IntRange(0, len(choices)-1).Draw(g.t, "choice")]()
}

func (g *generator) one(texts ...string) string {
	return rapid.SampledFrom(texts).Draw(g.t, "text")
}

// space is white space, line breaks and comments of any kind.
func (g *generator) space() string { return g.one("", " ", " ", "  ", "\n", " /* c */ ", " # c\n") }

// object joins what stands between braces, where line breaks mean something.
func (g *generator) object(parts ...string) string { return strings.Join(parts, " ") }

func (g *generator) join(parts ...string) string {
	for i := range parts {
		parts[i] += g.space()
	}
	return strings.Join(parts, " ")
}

func (g *generator) number(depth int) string {
	leaf := func() string {
		return g.one(append([]string{"0", "1", "2", "7", "12", "input.n", "input.o.a", "input.xs[1]", `input["n"]`, "input.os[0].a", "input.xs.0"}, g.names...)...)
	}
	if depth == 0 {
		return leaf()
	}
	d := depth - 1
	return g.pick(
		leaf,
		func() string {
			return g.join("(", g.number(d), g.one("+", "-", "*"), g.number(d), ")")
		},
		func() string { return g.join(g.number(d), g.one("+", "-", "*"), g.number(d)) },
		func() string { return g.join("(", g.number(d), ")", g.one("%", "/"), g.one("2", "4", "8")) },
		func() string { return "-" + g.join("(", g.number(d), ")") },
		func() string {
			return g.join("(", g.boolean(d), "?", g.number(d), ":", g.number(d), ")")
		},
		func() string { return g.join("[", g.number(d), ",", g.number(d), "]") + "[" + g.one("0", "1") + "]" },
		func() string { return g.object("{ a =", "("+g.number(d)+")", ", b = 1 }") + g.one(".a", `["a"]`, ".b") },
		func() string { return `"${` + g.join(g.number(d)) + `}"` },
	)
}

func (g *generator) boolean(depth int) string {
	if depth == 0 {
		return g.one("true", "false", "input.b")
	}
	d := depth - 1
	return g.pick(
		func() string { return g.one("true", "false", "input.b") },
		func() string { return g.join(g.number(d), g.one("==", "!=", "<", ">", "<=", ">="), g.number(d)) },
		func() string { return g.join("(", g.text(d), g.one("==", "!="), g.text(d), ")") },
		func() string { return g.join("(", g.boolean(d), g.one("&&", "||"), g.boolean(d), ")") },
		func() string { return g.join(g.boolean(d), g.one("&&", "||"), g.boolean(d)) },
		func() string { return "!" + g.join("(", g.boolean(d), ")") },
	)
}

func (g *generator) text(depth int) string {
	leaf := func() string {
		return g.one(`""`, `"a"`, `"b c"`, `"x\ty\n"`, `"$${x}%%{y}"`, "input.s", "input.o.b", `input.o["b"]`, "\"${input.s}\"")
	}
	if depth == 0 {
		return leaf()
	}
	d := depth - 1
	return g.pick(
		leaf,
		func() string { return `"<${(` + g.number(d) + `) + 0}>"` },
		func() string { return `"` + g.one("a", " a ") + `${~ ` + g.text(d) + ` ~}` + g.one("b", " b ") + `"` },
		func() string {
			return `"%{ if ` + g.boolean(d) + ` }yes${` + g.text(d) + `}%{ else }no%{ endif }"`
		},
		func() string {
			return `"%{ for i, v in ` + g.list(d) + ` ~} ${i}=${v + 0}, %{ endfor }"`
		},
		func() string { return "<<EOT\n a ${" + g.text(d) + "}\n  b\nEOT\n" },
		func() string { return g.join("(", g.boolean(d), "?", g.text(d), ":", g.text(d), ")") },
	)
}

// list writes a list of numbers that is not empty in HCL's eyes.
func (g *generator) list(depth int) string {
	leaf := func() string { return g.one("[1, 2, 3]", "input.xs", "[5]") }
	if depth == 0 {
		return leaf()
	}
	d := depth - 1
	return g.pick(
		leaf,
		func() string { return g.join("[", g.number(d), ",", g.number(d), ",", "]") },
		func() string { return g.loop(d, "[for ", "]") },
		func() string { return "input.os" + g.one("[*].a", ".*.a", "[*][\"a\"]") },
		func() string {
			return g.object("[{ a =", "("+g.number(d)+")", "}, { a =", "("+g.number(d)+")", "}]") + "[*].a"
		},
		func() string { return g.join("(", g.boolean(d), "?", g.list(d), ":", g.list(d), ")") },
	)
}

func (g *generator) loop(d int, open, end string) string {
	k, v := fmt.Sprintf("k%d", len(g.names)), fmt.Sprintf("v%d", len(g.names))
	source := g.list(d)
	if rapid.Bool().Draw(g.t, "map") {
		source = "input.m"
	}
	outer := g.names
	g.names = append(outer[:len(outer):len(outer)], v)
	s := open + k + ", " + v + " in " + source + " : "
	if end == "}" {
		s += `"${` + k + `}-" => `
	}
	s += g.number(d)
	if rapid.Bool().Draw(g.t, "if") {
		s += " if " + g.boolean(d)
	}
	g.names = outer
	return s + end
}

func (g *generator) any(depth int) string {
	return g.pick(
		func() string { return g.number(depth) },
		func() string { return g.boolean(depth) },
		func() string { return g.text(depth) },
		func() string { return g.list(depth) },
		func() string { return g.loop(depth, "{for ", "}") },
		func() string {
			return g.object("{ a = (", g.number(depth), `), "b c": (`, g.text(depth), "), (", g.one(`"x"`, `"y"`), ") = (", g.list(depth), ") }")
		},
	)
}

const differentialInput = `{"n": 5, "s": "text", "b": true, "xs": [3, 1, 2], "o": {"a": 4, "b": "ob"}, "os": [{"a": 1}, {"a": 2}], "m": {"z": 1, "a": 2}}`

// toCty converts values of the generator's kinds.
func toCty(v value.Value) cty.Value {
	switch v.Kind() {
	case value.Bool:
		return cty.BoolVal(v.AsBool())
	case value.Number:
		n, _ := v.AsNumber().Int64()
		return cty.NumberIntVal(n)
	case value.String:
		return cty.StringVal(v.AsString())
	case value.List:
		elems := []cty.Value{}
		for _, e := range v.AsList() {
			elems = append(elems, toCty(e))
		}
		return cty.TupleVal(elems)
	case value.Object:
		attrs := map[string]cty.Value{}
		for k, e := range v.AsObject().All() {
			attrs[k] = toCty(e)
		}
		return cty.ObjectVal(attrs)
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

func fromCty(t *rapid.T, v cty.Value) value.Value {
	ty := v.Type()
	switch {
	case v.IsNull():
		return value.NullValue
	case ty == cty.Bool:
		return value.OfBool(v.True())
	case ty == cty.String:
		return value.OfString(v.AsString())
	case ty == cty.Number:
		d, err := value.ParseDecimal(new(big.Float).Copy(v.AsBigFloat()).Text('f', -1))
		if err != nil {
			t.Skip("beyond the limits")
		}
		return value.OfNumber(d)
	case ty.IsObjectType() || ty.IsMapType():
		o := value.NewObject(0)
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			o.Set(k.AsString(), fromCty(t, e))
		}
		return value.OfObject(o)
	default:
		elems := []value.Value{}
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			elems = append(elems, fromCty(t, e))
		}
		return value.OfList(elems)
	}
}

// TestAgreesWithHCL compares with HCL's evaluator where that is exact, and
// the canonical print with what it prints.
func TestAgreesWithHCL(t *testing.T) {
	input := parseJSON(t, differentialInput)
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{"input": toCty(input)}}
	scope := MapScope{"input": input}
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t: t}
		text := g.any(rapid.IntRange(0, 3).Draw(t, "depth"))
		e, problems := expr.Parse(text, "test")
		if problems.HasErrors() {
			t.Fatalf("%s\n%s", text, problems[0].Detail)
		}
		want, diags := e.Node.Value(ctx)
		got, err := Eval(e, scope)
		if diags.HasErrors() != (err != nil) {
			t.Fatalf("%s\nHCL: %v\nwe:  %v", text, diags, err)
		}
		printed := expr.Print(e)
		again, problems := expr.Parse(printed, "print")
		if problems.HasErrors() {
			t.Fatalf("%s\nprints %s\n%s", text, printed, problems[0].Detail)
		}
		if twice := expr.Print(again); twice != printed || strings.Contains(printed, "\n") {
			t.Fatalf("%s\nprints %s\nthen   %s", text, printed, twice)
		}
		fromPrint, errPrint := Eval(again, scope)
		if (err != nil) != (errPrint != nil) || fromPrint.Value.JSON() != got.Value.JSON() {
			t.Fatalf("%s\ngives %v, %v\nits print %s\ngives %v, %v", text, got.Value, err, printed, fromPrint.Value, errPrint)
		}
		if err == nil && !value.Equal(got.Value, fromCty(t, want)) {
			t.Fatalf("%s\ngives %s\nHCL   %s", text, got.Value, fromCty(t, want))
		}
	})
}
