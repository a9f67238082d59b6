package compiler_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// generator writes a workflow: what is wanted of an expression decides what it is
// mostly made of, and now and then it is made of something else.
type generator struct {
	rt          *rapid.T
	w           *generated
	vars        int
	named       []*types.Type // of the interface file
	fansOverMap bool          // the last collection was a map

	wild bool // now and then an expression of another type, or without its guard
}

// known is an expression that can be used at a place, and what it gives.
type known struct {
	text  string
	typ   *types.Type
	guard string // what must hold for it to give that, "" for nothing
	// absent says that it reads an optional attribute: where it is the whole of another
	// attribute, that one is left out too.
	absent bool
}

func generate(rt *rapid.T) *generated {
	g := &generator{rt: rt, w: &generated{}}
	g.wild = g.oneIn(4, "wild")
	g.declare()
	for i := range 2 {
		g.w.inputs = append(g.w.inputs, genName{fmt.Sprintf("i%d", i), g.typ(2)})
	}
	for i := range rapid.IntRange(1, 3).Draw(rt, "tools") {
		t := &genTool{name: fmt.Sprintf("t%d", i), args: g.object(1), reads: rapid.Bool().Draw(rt, "reads"), fails: rapid.Bool().Draw(rt, "fails")}
		if rapid.IntRange(0, 4).Draw(rt, "structured") > 0 {
			t.output = g.object(2)
		}
		g.w.tools = append(g.w.tools, t)
	}
	g.interfaceFile()
	g.workflow()
	return g.w
}

// recursiveName is the type of the interface file that is in itself.
const recursiveName = "interface.gen.r"

func isRecursive(t *types.Type) bool {
	return t.Kind() == types.Named && types.Print(t) == recursiveName
}

// declare draws the types of the interface file, one of them in itself.
func (g *generator) declare() {
	if g.oneIn(3, "no interface file") {
		return
	}
	for i := range g.pick(3, "named types") {
		t, define := types.Declare(fmt.Sprintf("interface.gen.t%d", i))
		define(g.object(1))
		g.named = append(g.named, t)
	}
	r, define := types.Declare(recursiveName)
	define(types.ObjectOf([]types.Attr{{Name: "a", Type: g.scalar()}, {Name: "d", Type: r, Optional: true}}, nil))
	g.named = append(g.named, r)
}

// interfaceFile writes the types and, where every tool can be declared and that is
// drawn, the tools, so that the source is bound to what the file says.
func (g *generator) interfaceFile() {
	if len(g.named) == 0 {
		return
	}
	var b strings.Builder
	b.WriteString("interface gen {\n")
	for _, t := range g.named {
		name := types.Print(t)
		fmt.Fprintf(&b, "  type %s = %s\n", name[strings.LastIndexByte(name, '.')+1:], types.Print(t.Underlying()))
	}
	g.w.bound = g.oneIn(2, "bound to the interface")
	for _, t := range g.w.tools {
		g.w.bound = g.w.bound && t.output != nil && t.args.Rest() == nil
	}
	for _, t := range g.w.tools {
		if !g.w.bound {
			break
		}
		var params []string
		for _, a := range t.args.Attrs() {
			typ := types.Print(a.Type)
			if a.Optional {
				typ = "optional(" + typ + ")"
			}
			params = append(params, a.Name+": "+typ)
		}
		effect := "@write"
		if t.reads {
			effect = "@read"
		}
		fmt.Fprintf(&b, "  %s\n  tool %s(%s) -> %s\n", effect, t.name, strings.Join(params, ", "), types.Print(t.output))
	}
	b.WriteString("}\n")
	g.w.iface = b.String()
}

func (g *generator) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.rt, what) }

func (g *generator) oneIn(n int, what string) bool { return g.pick(n, what) == 0 }

// typ draws a type.
func (g *generator) typ(depth int) *types.Type {
	if depth <= 0 {
		return g.scalar()
	}
	if len(g.named) > 0 && g.oneIn(5, "named") {
		return g.named[g.pick(len(g.named), "which")]
	}
	switch g.pick(9, "type") {
	case 0, 1:
		return g.object(depth - 1)
	case 2, 3:
		return types.ListOf(g.typ(depth - 1))
	case 4:
		return types.MapOf(g.typ(depth - 1))
	case 5:
		return types.NullableOf(g.typ(depth - 1))
	case 6:
		// A union that an attribute tells apart.
		kind := func(name string) types.Attr {
			return types.Attr{Name: "k", Type: types.LiteralOf(value.OfString(name))}
		}
		return types.UnionOf(
			types.ObjectOf([]types.Attr{kind("p"), {Name: "a", Type: g.typ(depth - 1)}}, nil),
			types.ObjectOf([]types.Attr{kind("q"), {Name: "b", Type: g.typ(depth - 1)}}, nil))
	}
	return g.scalar()
}

func (g *generator) scalar() *types.Type {
	return []*types.Type{
		types.StringType, types.StringType, types.IntegerType, types.BoolType, types.NumberType,
		types.EnumOf(value.OfString("x"), value.OfString("p")), types.NullableOf(types.StringType),
	}[g.pick(7, "scalar")]
}

// object draws an object type.
func (g *generator) object(depth int) *types.Type {
	var attrs []types.Attr
	for _, name := range []string{"a", "b", "c", "d"}[:1+g.pick(3, "attributes")] {
		attrs = append(attrs, types.Attr{Name: name, Type: g.typ(depth), Optional: g.oneIn(3, "optional")})
	}
	var rest *types.Type
	if g.oneIn(6, "rest") {
		rest = g.scalar()
	}
	return types.ObjectOf(attrs, rest)
}

// workflow writes the source.
func (g *generator) workflow() {
	var b strings.Builder
	b.WriteString("connection \"gen\" \"main\" {\n  stdio {\n    command = \"gen\"\n  }\n}\n\nworkflow \"w\" {\n  source \"gen\" {\n    bind = connection.gen.main\n")
	if g.w.bound {
		b.WriteString("    interface = interface.gen\n")
	}
	b.WriteString("  }\n")
	var env []known
	for _, in := range g.w.inputs {
		fmt.Fprintf(&b, "  input %q {\n    type = %s\n  }\n", in.name, types.Print(in.typ))
		env = append(env, known{text: "input." + in.name, typ: in.typ})
	}
	for i := range 1 + g.pick(4, "steps") {
		env = append(env, g.step(&b, fmt.Sprintf("s%d", i), env)...)
		if g.oneIn(3, "local") {
			// Locals have no type but that of what they are made from.
			ks := g.parts(env)
			k := ks[g.pick(len(ks), "part")]
			fmt.Fprintf(&b, "  locals {\n    l%d = %s\n  }\n", i, k.text)
			env = append(env, known{text: fmt.Sprintf("local.l%d", i), typ: k.typ, guard: k.guard})
		}
	}
	for i := range 1 + g.pick(2, "outputs") {
		typ := g.typ(2)
		fmt.Fprintf(&b, "  output \"o%d\" {\n    value = %s\n    type = %s\n  }\n", i, g.expr(env, typ, 3), types.Print(typ))
	}
	b.WriteString("}\n")
	g.w.source = b.String()
}

// step writes a step and returns what can be used of it.
func (g *generator) step(b *strings.Builder, name string, env []known) []known {
	fmt.Fprintf(b, "  step %q {\n", name)
	defer b.WriteString("  }\n")
	inner := env
	over, elem := "", (*types.Type)(nil)
	if g.oneIn(3, "for_each") {
		over, elem = g.collection(env)
	}
	fan := over != ""
	if fan {
		fmt.Fprintf(b, "    for_each = %s\n", over)
		inner = append(slices.Clone(env), known{text: "each.value", typ: elem}, known{text: "each.index", typ: types.IntegerType})
	}
	skipped, tolerated := g.oneIn(3, "when"), g.oneIn(3, "on_error")
	if skipped {
		fmt.Fprintf(b, "    when = %s\n", g.cond(inner, 2))
	}
	if tolerated {
		b.WriteString("    on_error = \"continue\"\n")
	}
	var output *types.Type
	switch g.pick(4, "action") {
	case 0:
		output = g.typ(2)
		fmt.Fprintf(b, "    value = %s\n    returns = %s\n", g.expr(inner, output, 3), types.Print(output))
	default:
		t := g.w.tools[g.pick(len(g.w.tools), "tool")]
		fmt.Fprintf(b, "    call = gen.%s\n    args = %s\n", t.name, g.arguments(inner, t.args))
		output = t.output
		switch {
		case output == nil && g.oneIn(2, "decode"):
			b.WriteString("    decode = \"lines\"\n")
			output = types.ListOf(types.StringType)
		case output == nil:
			b.WriteString("    decode = \"text\"\n")
			output = types.StringType
		case g.oneIn(4, "result"):
			with := append(slices.Clone(inner), known{text: "self.output", typ: output}, known{text: "self.text", typ: types.StringType})
			output = g.typ(2)
			fmt.Fprintf(b, "    result = %s\n    returns = %s\n", g.expr(with, output, 2), types.Print(output))
		}
	}
	ok := ""
	if skipped || tolerated {
		ok = ".outcome == \"ok\""
	}
	if !fan {
		k := known{text: "step." + name + ".output", typ: output}
		if ok != "" {
			k.guard = "step." + name + ok
		}
		return []known{k, {text: "step." + name + ".text", typ: types.StringType}}
	}
	filter := ""
	if ok != "" {
		filter = " if r" + ok
	}
	if g.fansOverMap {
		return nil // its results are a map by key: no list of them is of one order
	}
	return []known{{text: "[for r in step." + name + " : r.output" + filter + "]", typ: types.ListOf(output)}}
}

// arguments writes the arguments of a call.
func (g *generator) arguments(env []known, t *types.Type) string {
	return g.literalObject(env, t, 2)
}

// parts returns the known expressions and what can be read of them.
func (g *generator) parts(env []known) []known {
	out := slices.Clone(env)
	for i := 0; i < len(out) && len(out) < 60; i++ {
		k := out[i]
		u := k.typ.Underlying()
		if u.Kind() != types.Object || strings.HasPrefix(k.text, "[") {
			continue
		}
		for _, a := range u.Attrs() {
			t := a.Type
			if a.Optional {
				t = types.NullableOf(t)
			}
			out = append(out, known{text: k.text + "." + a.Name, typ: t, guard: k.guard, absent: a.Optional})
		}
	}
	return out
}

// expr writes an expression of a type.
func (g *generator) expr(env []known, want *types.Type, depth int) string {
	if g.wild && g.oneIn(15, "wild") {
		// Something else, or without its guard: it is up to the checker.
		ks := g.parts(env)
		return ks[g.pick(len(ks), "any part")].text
	}
	if depth > 0 && g.pick(3, "read") > 0 {
		if s := g.read(env, want, depth); s != "" {
			return s
		}
	}
	if depth > 0 {
		if s := g.computed(env, want, depth); s != "" {
			return s
		}
	}
	return g.literal(env, want, depth)
}

// fits reports whether got can be used where want is wanted: mostly as the same
// type, since an object of another may hold more than is declared.
func (g *generator) fits(want, got *types.Type) bool {
	return types.Assignable(want, got) == nil && (!hasObjects(want) || types.Equal(want, got) || g.oneIn(20, "another object"))
}

func hasObjects(t *types.Type) bool {
	if isRecursive(t) {
		return true
	}
	switch u := t.Underlying(); u.Kind() {
	case types.Object, types.Map:
		return true
	case types.List:
		return hasObjects(u.Elem())
	case types.Union:
		return slices.ContainsFunc(u.Items(), hasObjects)
	}
	return false
}

// hasVariants reports whether a type has objects that an attribute tells apart: what
// is made of such without a wanted type has none in common.
func hasVariants(t *types.Type) bool {
	if isRecursive(t) {
		return false
	}
	switch u := t.Underlying(); u.Kind() {
	case types.List, types.Map:
		return hasVariants(u.Elem())
	case types.Union:
		n := 0
		for _, m := range u.Items() {
			if m.Underlying().Kind() == types.Object {
				n++
			}
			if hasVariants(m) {
				return true
			}
		}
		return n > 1
	case types.Object:
		return slices.ContainsFunc(u.Attrs(), func(a types.Attr) bool { return hasVariants(a.Type) })
	}
	return false
}

// collection returns a list or map that is known, and the type of its elements; "" for none.
func (g *generator) collection(env []known) (text string, elem *types.Type) {
	var found []known
	for _, k := range g.parts(env) {
		if u := k.typ.Underlying(); k.guard == "" && (u.Kind() == types.List || u.Kind() == types.Map) {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return "", nil
	}
	k := found[g.pick(len(found), "collection")]
	g.fansOverMap = k.typ.Underlying().Kind() == types.Map
	return k.text, k.typ.Underlying().Elem()
}

// read writes an expression that reads something that fits, with what guards it.
func (g *generator) read(env []known, want *types.Type, depth int) string {
	var fit, nullable []known
	for _, k := range g.parts(env) {
		if !k.absent && g.fits(want, k.typ) {
			fit = append(fit, k)
		} else if k.typ.Nullable() && g.fits(want, types.WithoutNull(k.typ)) {
			nullable = append(nullable, k)
		}
	}
	if len(nullable) > 0 && (len(fit) == 0 || g.oneIn(3, "nullable")) {
		k := nullable[g.pick(len(nullable), "nullable part")]
		other := g.expr(env, want, depth-1)
		var s string
		switch g.pick(3, "against null") {
		case 0:
			s = "coalesce(" + k.text + ", " + other + ")"
		case 1:
			s = "(" + k.text + " != null ? " + k.text + " : " + other + ")"
		default:
			s = "(" + k.text + " == null ? " + other + " : " + k.text + ")"
		}
		return g.guarded(env, k, s, want, depth)
	}
	if len(fit) == 0 {
		return ""
	}
	k := fit[g.pick(len(fit), "part")]
	return g.guarded(env, k, k.text, want, depth)
}

func (g *generator) guarded(env []known, k known, s string, want *types.Type, depth int) string {
	if k.guard == "" {
		return s
	}
	return "(" + k.guard + " ? " + s + " : " + g.expr(env, want, depth-1) + ")"
}

// computed writes an expression that makes a value of a type, "" where it finds none.
func (g *generator) computed(env []known, want *types.Type, depth int) string {
	e := func(t *types.Type) string { return g.expr(env, t, depth-1) }
	if g.oneIn(4, "conditional") {
		return "(" + g.cond(env, depth-1) + " ? " + e(want) + " : " + e(want) + ")"
	}
	u := want.Underlying()
	if hasVariants(u) {
		return ""
	}
	switch u.Kind() {
	case types.String:
		switch g.pick(6, "string") {
		case 0:
			return "upper(" + e(types.StringType) + ")"
		case 1:
			return `"x${` + e(types.StringType) + `}"`
		case 2:
			return "join(\",\", " + e(types.ListOf(types.StringType)) + ")"
		case 3:
			return "tostring(" + e(types.IntegerType) + ")"
		case 4:
			return "jsonencode(" + e(g.scalar()) + ")"
		}
	case types.Integer:
		switch g.pick(3, "integer") {
		case 0:
			return "length(" + e(types.ListOf(g.scalar())) + ")"
		case 1:
			return "(" + e(types.IntegerType) + " + " + e(types.IntegerType) + ")"
		}
	case types.Bool:
		return "(" + g.cond(env, depth-1) + ")"
	case types.List:
		return g.computedList(env, u.Elem(), depth)
	case types.Map:
		switch g.pick(3, "map") {
		case 0:
			return "merge(" + e(want) + ", " + e(want) + ")"
		case 1:
			return g.loop(env, u.Elem(), depth, func(v, elem, cond string) string {
				return "{ for k" + v + ", " + v + " in %s : \"k${k" + v + "}\" => " + elem + cond + " }"
			})
		}
	case types.Object:
		if g.oneIn(3, "merge") {
			return "merge(" + e(want) + ", " + e(want) + ")"
		}
	}
	return ""
}

func (g *generator) computedList(env []known, elem *types.Type, depth int) string {
	e := func(t *types.Type) string { return g.expr(env, t, depth-1) }
	switch g.pick(7, "list") {
	case 0:
		return "concat(" + e(types.ListOf(elem)) + ", " + e(types.ListOf(elem)) + ")"
	case 1:
		return "values(" + e(types.MapOf(elem)) + ")"
	case 2:
		return "distinct(" + e(types.ListOf(elem)) + ")"
	case 3:
		return "flatten1([" + e(types.ListOf(elem)) + ", " + e(types.ListOf(elem)) + "])"
	case 4:
		if types.Assignable(elem, types.StringType) == nil {
			return "keys(" + e(types.MapOf(g.scalar())) + ")"
		}
	}
	return g.loop(env, elem, depth, func(v, elem, cond string) string {
		return "[for " + v + " in %s : " + elem + cond + "]"
	})
}

// loop writes a for over something, with its variable in reach.
func (g *generator) loop(env []known, elem *types.Type, depth int, write func(v, elem, cond string) string) string {
	text, over := g.collection(env)
	if text == "" {
		return ""
	}
	g.vars++
	v := "v" + strconv.Itoa(g.vars)
	inner := append(slices.Clone(env), known{text: v, typ: over}, known{text: v, typ: over})
	cond := ""
	if g.oneIn(3, "filtered") {
		cond = " if " + g.cond(inner, depth-1)
	}
	form := write(v, g.expr(inner, elem, depth-1), cond)
	return strings.Replace(form, "%s", text, 1)
}

// cond writes a condition.
func (g *generator) cond(env []known, depth int) string {
	ks := g.parts(env)
	k := ks[g.pick(len(ks), "asked")]
	sub := func() string {
		if depth <= 0 {
			return "true"
		}
		return g.cond(env, depth-1)
	}
	if k.guard != "" {
		k.text = "try(" + k.text + ", null)"
		k.typ = types.NullableOf(k.typ)
	}
	switch g.pick(6, "condition") {
	case 0:
		return "!(" + sub() + ")"
	case 1:
		return "(" + sub() + " && " + sub() + ")"
	case 2:
		return "(" + sub() + " || " + sub() + ")"
	case 3:
		return "can(" + k.text + ")"
	}
	switch t := types.WithoutNull(k.typ).Underlying(); {
	case k.typ.Nullable():
		return "(" + k.text + " != null)"
	case t.Kind() == types.Bool:
		return k.text
	case t.Kind() == types.Integer || t.Kind() == types.Number:
		return "(" + k.text + " > 0)"
	case t.Kind() == types.String:
		return "(" + k.text + " == \"x\")"
	case t.Kind() == types.List || t.Kind() == types.Map:
		return "(length(" + k.text + ") > 0)"
	case t.Kind() == types.Union && t.Items()[0].Underlying().Kind() == types.Object:
		return "(" + k.text + ".k == \"p\")"
	}
	return "input.i0 == input.i0"
}

// literal writes a value of a type, whose parts may be expressions.
func (g *generator) literal(env []known, want *types.Type, depth int) string {
	u := want.Underlying()
	switch u.Kind() {
	case types.Null:
		return "null"
	case types.Bool:
		return []string{"true", "false"}[g.pick(2, "bool")]
	case types.String:
		return []string{`""`, `"x"`, `"p"`}[g.pick(3, "text")]
	case types.Integer:
		return strconv.Itoa(g.pick(3, "number"))
	case types.Number:
		return []string{"0", "1.5"}[g.pick(2, "number")]
	case types.Literal:
		return u.Lit().JSON()
	case types.List:
		var elems []string
		for range g.pick(3, "elements") {
			elems = append(elems, g.expr(env, u.Elem(), depth-1))
		}
		return "[" + strings.Join(elems, ", ") + "]"
	case types.Map:
		if g.oneIn(3, "empty") {
			return "{}"
		}
		return "{ a = " + g.expr(env, u.Elem(), depth-1) + " }"
	case types.Object:
		return g.literalObject(env, u, depth)
	case types.Union:
		return g.literal(env, u.Items()[g.pick(len(u.Items()), "member")], depth)
	}
	return "1"
}

func (g *generator) literalObject(env []known, t *types.Type, depth int) string {
	u := t.Underlying()
	var items []string
	for _, a := range u.Attrs() {
		if a.Optional && g.oneIn(2, "left out") {
			continue
		}
		want := a.Type
		if a.Optional && g.oneIn(3, "copied") {
			// The reading of an optional attribute copies its absence.
			for _, k := range g.parts(env) {
				if k.guard == "" && k.typ.Nullable() && types.Assignable(want, types.WithoutNull(k.typ)) == nil && strings.Contains(k.text, ".") {
					items = append(items, a.Name+" = "+k.text)
					want = nil
					break
				}
			}
		}
		if want != nil {
			items = append(items, a.Name+" = "+g.expr(env, want, depth-1))
		}
	}
	return "{ " + strings.Join(items, ", ") + " }"
}
