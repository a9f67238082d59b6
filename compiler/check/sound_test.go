package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// soundInputs are the inputs that random expressions use.
var soundInputs = []struct{ name, typ string }{
	{"b", "bool"},
	{"i", "integer"},
	{"s", "string"},
	{"n", "nullable(string)"},
	{"k", "optional(string)"},
	{"e", `enum("x", "y")`},
	{"u", "union(string, integer)"},
	{"xs", "list(string)"},
	{"ns", "list(nullable(integer))"},
	{"m", "map(string)"},
	{"o", "object({ a = optional(string), n = nullable(object({ b = string, c = optional(integer) })), i = integer })"},
	{"os", `list(object({ t = enum("p", "q"), v = optional(string) }))`},
	{"h", "object({ x = string, y = string })"},
	{"d", `union(object({ t = enum("p"), v = string }), object({ t = enum("q"), w = integer }))`},
	{"f", "interface.shop.item"},
	{"r", "interface.shop.tree"},
	{"c", "list(interface.shop.choice)"},
}

// soundTypes is an interface whose types inputs have, one of them in itself.
const soundTypes = `interface shop {
  type state = enum("p", "q")
  type item = object({ name = string, state = state, price = optional(integer), note = nullable(string), tags = list(string) })
  type tree = object({ v = integer, next = optional(tree), all = list(tree) })
  type choice = union(item, string)
}
`

// projectOf loads a workflow as a project with the types of soundTypes.
func projectOf(root, workflow string) (*project.Project, error) {
	return project.Load(root, project.Options{Overlay: map[string][]byte{
		filepath.Join(root, "w.wf.hcl"): []byte(workflow),
		filepath.Join(root, "shop.wfi"): []byte(soundTypes),
	}})
}

// soundSteps are steps whose results random expressions use: one that may be
// skipped, one that runs only where that did, one that may fail, and one with an
// element each.
const soundSteps = `
  step "skip" {
    when  = input.b
    value = input.o
  }
  step "then" {
    when  = step.skip.outcome == "ok" && input.n != null
    value = input.n
  }
  step "fail" {
    value    = "v"
    on_error = "continue"
  }
  step "each" {
    for_each = input.xs
    when     = each.value != "x"
    value    = each.value
    on_error = ["expression"]
  }
`

// resultsOf draws what the steps may give for the inputs.
func resultsOf(t *rapid.T, in *value.ObjectValue) *value.ObjectValue {
	b, _ := in.Get("b")
	o, _ := in.Get("o")
	xs, _ := in.Get("xs")
	out := value.NewObject(4)
	skip, then := "skipped", "skipped"
	n, _ := in.Get("n")
	if b.AsBool() {
		skip = "ok"
		if !n.IsNull() {
			then = "ok"
		}
	}
	out.Set("skip", resultValue(skip, o, -1))
	out.Set("then", resultValue(then, n, -1))
	out.Set("fail", resultValue(rapid.SampledFrom([]string{"ok", "error"}).Draw(t, "outcome"), value.OfString("v"), -1))
	each := []value.Value{}
	for i, x := range xs.AsList() {
		outcome := rapid.SampledFrom([]string{"ok", "error"}).Draw(t, "outcome")
		if x.AsString() == "x" {
			outcome = "skipped"
		}
		each = append(each, resultValue(outcome, x, i))
	}
	out.Set("each", value.OfList(each))
	return out
}

// resultValue is a result as LANGUAGE 5 has it; index is of an element.
func resultValue(outcome string, output value.Value, index int) value.Value {
	o := value.NewObject(7)
	o.Set("outcome", value.OfString(outcome))
	failure := value.NullValue
	switch outcome {
	case "error":
		f := value.NewObject(3)
		f.Set("kind", value.OfString("expression"))
		f.Set("message", value.OfString("no"))
		f.Set("in_doubt", value.OfBool(false))
		failure = value.OfObject(f)
		fallthrough
	case "skipped":
		o.Set("output", value.NullValue)
	default:
		o.Set("output", output)
	}
	o.Set("text", value.OfString(""))
	o.Set("content", value.OfList(nil))
	o.Set("error", failure)
	if index >= 0 {
		e := value.NewObject(2)
		e.Set("key", value.OfInt(int64(index)))
		e.Set("value", output)
		o.Set("each", value.OfObject(e))
	}
	o.Set("attempts", value.OfInt(1))
	return value.OfObject(o)
}

// A workflow that the checker accepts never fails with a type error, a missing
// attribute or null where a value was wanted, and its values are of their
// types, whatever the inputs are (LANGUAGE 2, "Soundness"). The expressions
// hold no partial operation, so that no failure is left.
func TestAcceptedExpressionsDoNotFail(t *testing.T) {
	root := marked(t)
	accepted, total := 0, 0
	one := func(rt *rapid.T) {
		text := (&gen{t: rt}).expr(4)
		total++
		var b strings.Builder
		b.WriteString("workflow \"w\" {\n")
		for _, in := range soundInputs {
			fmt.Fprintf(&b, "  input %q {\n    type = %s\n  }\n", in.name, in.typ)
		}
		fmt.Fprintf(&b, "%s  locals {\n    x = %s\n  }\n}\n", soundSteps, text)
		p, err := projectOf(root, b.String())
		if err != nil || p.Diagnostics.HasErrors() {
			rt.Fatalf("%s: %v %v", text, err, p.Diagnostics)
		}
		c := &checker{w: newWorld(p)}
		c.w.strict = true
		f := c.newFlow(p.Workflows["w"], nil)
		c.checkFlow()
		if len(c.diags) > 0 { // an error, or a value that is trusted
			return
		}
		accepted++
		for range 5 {
			in := value.NewObject(len(soundInputs))
			for _, i := range f.inputList {
				if !i.optional || rapid.Bool().Draw(rt, "given") {
					in.Set(i.syn.Name.Text, valueOf(rt, i.typ))
				}
			}
			runs(rt, f.locals["x"], scope{"input": in, "step": resultsOf(rt, in)})
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		const several = 20 // most expressions are refused
		for range several {
			one(rt)
		}
	})
	if accepted*20 < total {
		t.Errorf("only %d of %d expressions were accepted: the property says little", accepted, total)
	}
}

// runs evaluates a local that was accepted.
func runs(t *rapid.T, l *local, in scope) {
	show := func() string {
		return value.OfObject(in["input"]).JSON() + "\nand " + value.OfObject(in["step"]).JSON()
	}
	e := l.syn.Expr
	text := string(e.Source[e.Range().Start.Byte:e.Range().End.Byte])
	r, err := eval.Eval(e, in)
	if err != nil {
		t.Fatalf("%s\nof %s\nfails: %v\nwith %s", text, types.Print(l.typ), err, show())
	}
	if m := types.Conforms(l.typ, r.Value); m != nil {
		t.Fatalf("%s\ngives %s\nwhich is not %s: %v\nwith %s", text, r.Value.JSON(), types.Print(l.typ), m, show())
	}
}

// scope has the roots of an expression.
type scope map[string]*value.ObjectValue

func (s scope) Root(name string) (value.Value, error) { return value.OfObject(s[name]), nil }
func (s scope) Member(string, string) (value.Value, bool, error) {
	return value.Value{}, false, nil
}

// valueOf draws a value of a type.
func valueOf(t *rapid.T, typ *types.Type) value.Value { return valueWithin(t, typ, 6) }

// valueWithin draws a value that is nested no deeper than depth where the type
// allows that.
func valueWithin(t *rapid.T, typ *types.Type, depth int) value.Value {
	u := typ.Underlying()
	switch u.Kind() {
	case types.Null:
		return value.NullValue
	case types.Bool:
		return value.OfBool(rapid.Bool().Draw(t, "bool"))
	case types.String:
		return value.OfString(rapid.SampledFrom([]string{"", "x", "p", "q"}).Draw(t, "string"))
	case types.Integer, types.Number:
		return value.OfInt(int64(rapid.IntRange(-1, 2).Draw(t, "integer")))
	case types.Literal:
		return u.Lit()
	case types.List:
		elems := make([]value.Value, rapid.IntRange(0, min(2, max(0, depth))).Draw(t, "length"))
		for i := range elems {
			elems[i] = valueWithin(t, u.Elem(), depth-1)
		}
		return value.OfList(elems)
	case types.Map:
		o := value.NewObject(2)
		for _, k := range []string{"a", "b"}[:rapid.IntRange(0, 2).Draw(t, "size")] {
			o.Set(k, valueWithin(t, u.Elem(), depth-1))
		}
		return value.OfObject(o)
	case types.Object:
		o := value.NewObject(4)
		for _, a := range u.Attrs() {
			if a.Optional && (depth <= 0 || rapid.Bool().Draw(t, "absent")) {
				continue
			}
			o.Set(a.Name, valueWithin(t, a.Type, depth-1))
		}
		if u.Rest() == nil && rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			// Values that arrive may have more than is declared, and others may declare it.
			name := rapid.SampledFrom([]string{"zz", "a", "b", "c", "i", "t", "v", "w", "x", "z"}).Draw(t, "name")
			if u.Attr(name) == nil {
				o.Set(name, rapid.SampledFrom([]value.Value{value.OfBool(true), value.NullValue, value.OfList(nil), value.OfString("x")}).Draw(t, "undeclared"))
			}
		}
		return value.OfObject(o)
	case types.Union:
		return valueWithin(t, rapid.SampledFrom(u.Items()).Draw(t, "member"), depth-1)
	}
	panic("no values of " + types.Print(typ))
}

// gen draws expressions.
type gen struct {
	t     *rapid.T
	vars  []string
	paths []string // and conditions that only the place in hand has
	conds []string
}

func (g *gen) pick(options ...string) string {
	return rapid.SampledFrom(options).Draw(g.t, "choice")
}

// path draws a traversal, of a variable where there are some.
func (g *gen) path() string {
	if len(g.vars) > 0 && rapid.Bool().Draw(g.t, "of a variable") {
		v := rapid.SampledFrom(g.vars).Draw(g.t, "variable")
		return v + g.pick("", "", ".t", ".v", ".outcome", ".output", ".error.kind", ".name", ".next.v")
	}
	if len(g.paths) > 0 && rapid.IntRange(0, 2).Draw(g.t, "of the place") == 0 {
		return g.pick(g.paths...)
	}
	if rapid.IntRange(0, 3).Draw(g.t, "of a step") == 0 {
		return g.pick("step.skip", "step.fail") + g.pick("", ".outcome", ".output", ".error.message", ".output.n.b", ".output.i")
	}
	in := rapid.SampledFrom(soundInputs).Draw(g.t, "input").name
	p := "input." + in
	switch in {
	case "o":
		p += g.pick("", ".a", ".n", ".n.b", ".n.c", ".i")
	case "os":
		p += g.pick("", "[*].v", "[*].t")
	case "d":
		p += g.pick("", ".t", ".v", ".w")
	case "f":
		p += g.pick("", ".name", ".state", ".price", ".note", ".tags")
	case "r":
		p += g.pick("", ".v", ".next", ".next.v", ".next.next.v", ".all", ".all[*].v", ".next.all")
	case "c":
		p += g.pick("", "[*].name", "[*]")
	}
	return p
}

func (g *gen) atom() string {
	return g.pick(g.path(), g.path(), g.path(), "1", "2.5", `"x"`, `"p"`, "true", "null", "[]", "{}")
}

// cond draws what is likely a condition, and one that narrows.
func (g *gen) cond(depth int) string {
	if len(g.conds) > 0 && rapid.IntRange(0, 2).Draw(g.t, "of the place") == 0 {
		return g.pick(g.conds...)
	}
	switch rapid.IntRange(0, 9).Draw(g.t, "condition") {
	case 8:
		return g.pick("step.skip", "step.then", "step.fail") + g.pick(".outcome == ", ".outcome != ") + g.pick(`"ok"`, `"error"`, `"skipped"`)
	case 9:
		if len(g.vars) > 0 {
			return rapid.SampledFrom(g.vars).Draw(g.t, "variable") + g.pick(`.outcome == "ok"`, `.t == "p"`, ` != null`)
		}
		return "input.b"
	case 0:
		return "input.b"
	case 1:
		return g.path() + g.pick(" == ", " != ") + g.pick("null", `"x"`, `"p"`, "1", "true")
	case 2:
		return "can(" + g.path() + ")"
	case 3:
		return "!(" + g.sub(depth, g.cond) + ")"
	case 4:
		return "(" + g.sub(depth, g.cond) + " && " + g.sub(depth, g.cond) + ")"
	case 5:
		return "(" + g.sub(depth, g.cond) + " || " + g.sub(depth, g.cond) + ")"
	case 6:
		return g.path() + " != null"
	}
	return "length(" + g.pick("input.xs", "input.m", "input.s", g.path()) + ") > 1"
}

func (g *gen) sub(depth int, of func(int) string) string {
	if depth <= 0 {
		return "input.b"
	}
	return of(depth - 1)
}

func (g *gen) expr(depth int) string {
	if depth <= 0 {
		return g.atom()
	}
	e := func() string { return g.expr(depth - 1) }
	switch rapid.IntRange(0, 19).Draw(g.t, "expression") {
	case 16, 17, 18, 19:
		return g.guarded(depth)
	case 0, 1, 2:
		return "(" + g.cond(depth-1) + " ? " + e() + " : " + e() + ")"
	case 3:
		return "[" + e() + ", " + e() + "]"
	case 4:
		return "{ a = " + e() + ", t = " + e() + " }"
	case 5:
		return "coalesce(" + e() + ", " + e() + ")"
	case 6:
		return "try(" + e() + ", " + e() + ")"
	case 7, 8:
		return g.loop(depth)
	case 9:
		return `"x${` + e() + `}"`
	case 10:
		return "(" + e() + g.pick(" + ", " * ", " - ") + e() + ")"
	case 11:
		return g.pick("upper", "length", "keys", "values", "tostring", "jsonencode", "reverse", "distinct") + "(" + e() + ")"
	case 12:
		return g.pick("merge", "concat", "contains") + "(" + e() + ", " + e() + ")"
	case 13:
		return g.cond(depth - 1)
	case 14:
		return "join(\",\", " + e() + ")"
	}
	return g.atom()
}

// uses are expressions that need their condition, or one that implies it.
var uses = []struct{ cond, use string }{
	{"input.n != null", "upper(input.n)"},
	{"input.k != null", "upper(input.k)"},
	{"can(input.k)", "upper(input.k)"},
	{`input.n == "x"`, `"${input.n}"`},
	{"input.o.a != null", "upper(input.o.a)"},
	{"can(input.o.a)", "{ a = upper(input.o.a) }"},
	{"input.o.n != null", "upper(input.o.n.b)"},
	{"input.o.n != null && input.o.n.c != null", "input.o.n.c + 1"},
	{`input.u == "x"`, "upper(input.u)"},
	{`input.d.t == "p"`, "upper(input.d.v)"},
	{`input.d.t != "p"`, "input.d.w + 1"},
	{"input.f.price != null", "input.f.price * 2"},
	{`input.f.state == "p"`, "upper(input.f.state)"},
	{"can(input.f.price)", "{ a = input.f.price + 1 }"},
	{"input.f.note != null", "upper(input.f.note)"},
	{"input.r.next != null", "input.r.next.v + 1"},
	{"input.r.next != null && input.r.next.next != null", "input.r.next.next.v + 1"},
	{"input.b", "step.skip.output.i + 1"},
	{`step.skip.outcome == "ok"`, "step.skip.output.i + 1"},
	{`step.then.outcome == "ok"`, "step.skip.output.i + length(input.n)"},
	{"step.then.output != null", "step.skip.output.i + length(step.then.output)"},
	{`step.skip.outcome != "skipped"`, "{ x = step.skip.output.a }"},
	{`step.fail.outcome == "ok"`, "upper(step.fail.output)"},
	{`step.fail.outcome == "error"`, "upper(step.fail.error.message)"},
	{"step.fail.error == null", "upper(step.fail.output)"},
	{"step.fail.output == null", "upper(step.fail.error.kind)"},
}

// guarded draws an expression with a condition around it that is its own, or
// one made from it with others.
func (g *gen) guarded(depth int) string {
	u := rapid.SampledFrom(uses).Draw(g.t, "use")
	cond := u.cond
	for range rapid.IntRange(0, 2).Draw(g.t, "turns") {
		other := rapid.SampledFrom(uses).Draw(g.t, "other").cond
		switch rapid.IntRange(0, 4).Draw(g.t, "turn") {
		case 0:
			cond = "!(" + cond + ")"
		case 1:
			cond = "(" + cond + " && " + other + ")"
		case 2:
			cond = "(" + other + " && " + cond + ")"
		case 3:
			cond = "(" + cond + " || " + other + ")"
		case 4:
			cond = "(" + other + " || " + cond + ")"
		}
	}
	switch rapid.IntRange(0, 3).Draw(g.t, "form") {
	case 0:
		return "[" + cond + " ? " + u.use + " : null]"
	case 1:
		return "[" + cond + " ? null : " + u.use + "]"
	case 2:
		return "[for w in input.xs : " + u.use + " if " + cond + "]"
	}
	return "(" + cond + g.pick(" && ", " || ") + "length([" + u.use + "]) > 0)"
}

// loop draws a for over something, with its variables in reach.
func (g *gen) loop(depth int) string {
	over := g.pick("step.each", "input.h", "merge(input.h, { z = input.n })", "{ x = input.s, y = input.n }", "input.xs", "input.ns", "input.os", "input.m", "input.c", "input.r.all", "[input.f]", g.expr(depth-1))
	name := fmt.Sprintf("v%d", len(g.vars))
	g.vars = append(g.vars, name)
	defer func() { g.vars = g.vars[:len(g.vars)-1] }()
	body := g.expr(depth - 1)
	s := "[for " + name + " in " + over + " : " + body
	if rapid.Bool().Draw(g.t, "filtered") {
		s += " if " + g.cond(depth-1)
	}
	return s + "]"
}
