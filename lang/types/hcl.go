package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/value"
)

// Resolver returns the type that a path such as interface.issue_tracker.issue
// names. A nil Resolver knows none.
type Resolver = func(path []string) (*Type, bool)

// Parse reads the notation from a text, such as one that a plan keeps.
func Parse(text, filename string, named Resolver) (*Type, diag.List) {
	e, problems := expr.Parse(text, filename)
	if problems.HasErrors() || e.IsZero() {
		return ErrorType, problems
	}
	return FromHCL(e, named)
}

// FromHCL reads a type expression of an HCL attribute. The type is never nil;
// what is wrong has a diagnostic and is [ErrorType] where it stands.
func FromHCL(e expr.Expr, named Resolver) (*Type, diag.List) {
	r := reader{named: named}
	r.diags = append(r.diags, expr.Problems(e)...)
	t := r.read(e)
	return t, r.diags
}

// InputFromHCL reads the type of a workflow's input, where optional(T) says
// that the input may be left out.
func InputFromHCL(e expr.Expr, named Resolver) (t *Type, optional bool, diags diag.List) {
	call, ok := unwrap(e).Node.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "optional" {
		t, diags = FromHCL(e, named)
		return t, false, diags
	}
	r := reader{named: named}
	r.diags = append(r.diags, expr.Problems(e)...)
	switch len(call.Args) {
	case 1:
		t = r.read(e.Sub(call.Args[0]))
	case 2:
		t = r.read(e.Sub(call.Args[0]))
		r.report("WFC1302", call.Args[1].Range(), "An input has its default in an attribute of its own. Write `default = …` beside `type`, and the type without optional( ).")
	default:
		t = r.arguments(call, "the type of the input", "optional(string)")
	}
	return t, true, r.diags
}

// unwrap returns what stands in parentheses.
func unwrap(e expr.Expr) expr.Expr {
	for {
		p, ok := e.Node.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return e
		}
		e = e.Sub(p.Expression)
	}
}

// reader reads one type expression.
type reader struct {
	named Resolver
	diags diag.List
	local map[string]*Type // by the names of a defs( ) around
}

func (r *reader) report(code diag.Code, at hcl.Range, detail string, args ...any) *Type {
	r.diags = append(r.diags, diag.New(code, at, detail, args...))
	return ErrorType
}

// fix adds a fix to the last diagnostic.
func (r *reader) fix(title string, at hcl.Range, text string) {
	last := &r.diags[len(r.diags)-1]
	*last = last.Fix(title, true, diag.Edit{Range: diag.RangeOf(at), Text: text})
}

// simple are the types without parameters by their names.
var simple = map[string]*Type{
	"any": AnyType, "never": NeverType, "null": NullType, "bool": BoolType, "string": StringType,
	"number": NumberType, "integer": IntegerType, "blob": BlobType,
}

// constructors are the types with parameters, each with an example.
var constructors = map[string]string{
	"list": "list(string)", "map": "map(string)", "tuple": "tuple([string, integer])",
	"object": "object({ title = string, limit = optional(integer) })", "enum": `enum("open", "closed")`,
	"union": "union(string, number)", "nullable": "nullable(string)", "optional": "optional(string)",
	"defs": "defs({ node = object({ next = optional(node) }) }, node)",
}

// elsewhere has what other languages call our types.
var elsewhere = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
	"boolean": "bool", "str": "string", "text": "string", "array": "list", "set": "list", "seq": "list", "dict": "map",
	"record": "map", "struct": "object", "binary": "blob", "bytes": "blob", "file": "blob", "void": "null", "nil": "null",
	"none": "null", "unknown": "any", "dynamic": "any", "oneof": "union", "anyof": "union", "literal": "enum", "const": "enum",
}

// meant returns the name of ours that an unknown one stands for.
func meant(name string, calls bool) (string, bool) {
	s, ok := elsewhere[strings.ToLower(name)]
	if !ok {
		var have []string
		for n := range simple {
			if !calls {
				have = append(have, n)
			}
		}
		for n := range constructors {
			have = append(have, n)
		}
		slices.Sort(have)
		s, ok = nearest.Name(name, have)
	}
	return s, ok
}

func (r *reader) read(e expr.Expr) *Type {
	e = unwrap(e)
	switch n := e.Node.(type) {
	case *hclsyntax.FunctionCallExpr:
		return r.call(e, n)
	case *hclsyntax.ScopeTraversalExpr:
		return r.name(e, n)
	case *hclsyntax.LiteralValueExpr:
		if v, ok, _ := e.Literal(n); ok && v.IsNull() {
			return NullType
		}
	case *hclsyntax.ObjectConsExpr:
		return r.report("WFC1304", n.Range(), "An object type is written object({ … }).")
	case *hclsyntax.TupleConsExpr:
		if len(n.Exprs) == 1 {
			return r.report("WFC1304", n.Range(), "Brackets alone are no type. Write list(T) for a list of any length, or tuple([T]) for a list of exactly one.")
		}
		return r.report("WFC1304", n.Range(), "Brackets alone are no type. Write list(T) for a list, or tuple([A, B]) for one whose elements have types of their own.")
	case *hclsyntax.TemplateExpr:
		s, ok := e.Text()
		if !ok {
			break
		}
		if simple[s] != nil {
			r.report("WFC1304", n.Range(), "Types are written without quotes. Write %s.", s)
			r.fix("Remove the quotes", n.Range(), s)
			return ErrorType
		}
		if name, ok := meant(s, false); ok && simple[name] != nil {
			return r.report("WFC1304", n.Range(), "A text is no type, and types are written without quotes. Did you mean %s?", name)
		}
		return r.report("WFC1304", n.Range(), "A text is no type. Write enum(%s) for a string that is always this one.", notation(value.OfString(s)))
	}
	if v, ok := e.Constant(); ok && (v.Kind() == value.Bool || v.Kind() == value.Number) {
		return r.report("WFC1304", e.Range(), "A value is no type. Write enum(%s) for %s that is always this one.", notation(v), describeKind(v))
	}
	return r.report("WFC1304", e.Range(), "This is no type. Types are written as string, list(string), object({ title = string }), enum(\"open\", \"closed\") and so on.")
}

func (r *reader) name(e expr.Expr, n *hclsyntax.ScopeTraversalExpr) *Type {
	path, ok := e.StaticPath()
	if !ok {
		return r.report("WFC1304", n.Range(), "This is no type: the name of a type has attributes only, such as interface.issue_tracker.issue.")
	}
	if len(path) > 1 {
		names := make([]string, len(path))
		for i, s := range path {
			names[i] = s.Text
		}
		if r.named != nil {
			if t, ok := r.named(names); ok {
				return t
			}
		}
		return r.report("WFC1301", n.Range(), "There is no type %s.", strings.Join(names, "."))
	}
	name := path[0].Text
	if t := r.local[name]; t != nil {
		return t
	}
	if t := simple[name]; t != nil {
		return t
	}
	if example := constructors[name]; example != "" {
		return r.report("WFC1302", n.Range(), "The type %s needs to be told of what. Write, for example, %s.", name, example)
	}
	return r.unknown(n.Range(), name, false)
}

// unknown reports a name that is no type.
func (r *reader) unknown(at hcl.Range, name string, calls bool) *Type {
	ours, ok := meant(name, calls)
	switch {
	case !ok && calls:
		return r.report("WFC1301", at, "There is no type %q with arguments. There are list, map, tuple, object, enum, union and nullable.", name)
	case !ok:
		return r.report("WFC1301", at, "There is no type %q. There are any, null, bool, string, number, integer, blob, list(T), map(T), tuple([T]), object({ }), enum( ), union( ) and nullable(T).", name)
	case simple[ours] != nil && !calls:
		r.report("WFC1301", at, "There is no type %q. Did you mean %s?", name, ours)
		r.fix("Replace it by "+ours, at, ours)
	case calls && constructors[ours] != "":
		r.report("WFC1301", at, "There is no type %q. Did you mean %s? For example: %s.", name, ours, constructors[ours])
		r.fix("Replace it by "+ours, at, ours)
	case constructors[ours] != "":
		r.report("WFC1301", at, "There is no type %q. Did you mean %s? For example: %s.", name, ours, constructors[ours])
	default:
		r.report("WFC1301", at, "There is no type %q with arguments. Did you mean %s, without any?", name, ours)
	}
	return ErrorType
}

// arguments reports a wrong number of arguments.
func (r *reader) arguments(n *hclsyntax.FunctionCallExpr, takes, example string) *Type {
	at := n.Range()
	return r.report("WFC1302", at, "The type %s takes %s. Write, for example, %s.", n.Name, takes, example)
}

func (r *reader) call(e expr.Expr, n *hclsyntax.FunctionCallExpr) *Type {
	if n.ExpandFinal {
		return r.report("WFC1304", n.Range(), "A type has no `...` in it. Write its arguments out.")
	}
	if constructors[n.Name] == "" {
		if simple[n.Name] != nil {
			return r.report("WFC1302", n.Range(), "The type %s takes nothing. Write %s, without parentheses.", n.Name, n.Name)
		}
		return r.unknown(n.NameRange, n.Name, true)
	}
	switch n.Name {
	case "list", "map":
		if len(n.Args) != 1 {
			return r.arguments(n, "one argument, the type of its elements", constructors[n.Name])
		}
		elem := r.read(e.Sub(n.Args[0]))
		if n.Name == "list" {
			return ListOf(elem)
		}
		return MapOf(elem)
	case "nullable":
		if len(n.Args) != 1 {
			return r.arguments(n, "one argument, the type of what is not null", constructors[n.Name])
		}
		return UnionOf(r.read(e.Sub(n.Args[0])), NullType)
	case "union":
		if len(n.Args) == 0 {
			return r.arguments(n, "the types that it may be", constructors[n.Name])
		}
		members := make([]*Type, len(n.Args))
		for i, a := range n.Args {
			members[i] = r.read(e.Sub(a))
		}
		return UnionOf(members...)
	case "enum":
		return r.enum(e, n)
	case "tuple":
		return r.tuple(e, n)
	case "object":
		return r.object(e, n)
	case "defs":
		return r.defs(e, n)
	}
	r.report("WFC1303", n.Range(), "Only an attribute of an object type can be optional: object({ name = optional(string) }). Write nullable( ) for what may be null.")
	return ErrorType
}

func (r *reader) enum(e expr.Expr, n *hclsyntax.FunctionCallExpr) *Type {
	if len(n.Args) == 0 {
		return r.arguments(n, "the values that it may be", constructors["enum"])
	}
	vals := make([]value.Value, 0, len(n.Args))
	for _, a := range n.Args {
		v, ok := e.Sub(a).Constant()
		switch {
		case ok && v.IsNull():
			r.report("WFC1305", a.Range(), "null is no member of an enum. Write nullable(enum( … )) for one of these or null.")
		case ok && (v.Kind() == value.List || v.Kind() == value.Object):
			r.report("WFC1305", a.Range(), "The members of an enum are strings, numbers and bools, listed one after the other: enum(\"open\", \"closed\").")
		case ok:
			vals = append(vals, v)
		default:
			r.report("WFC1305", a.Range(), "The members of an enum are constants: strings in quotes, numbers and bools.")
			if path, ok := unwrap(e.Sub(a)).StaticPath(); ok && len(path) == 1 {
				r.fix("Put it into quotes", a.Range(), notation(value.OfString(path[0].Text)))
			}
		}
	}
	if len(vals) < len(n.Args) {
		return ErrorType
	}
	return EnumOf(vals...)
}

func (r *reader) tuple(e expr.Expr, n *hclsyntax.FunctionCallExpr) *Type {
	if len(n.Args) != 1 {
		return r.arguments(n, "one list of types", constructors["tuple"])
	}
	list, ok := n.Args[0].(*hclsyntax.TupleConsExpr)
	if !ok {
		return r.arguments(n, "a list of types in brackets", constructors["tuple"])
	}
	items := make([]*Type, len(list.Exprs))
	for i, x := range list.Exprs {
		items[i] = r.read(e.Sub(x))
	}
	return TupleOf(items...)
}

func (r *reader) object(e expr.Expr, n *hclsyntax.FunctionCallExpr) *Type {
	if len(n.Args) == 0 || len(n.Args) > 2 {
		return r.arguments(n, "its attributes in braces and, if there may be others, their type", constructors["object"])
	}
	cons, ok := unwrap(e.Sub(n.Args[0])).Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return r.arguments(n, "its attributes in braces", constructors["object"])
	}
	attrs := make([]Attr, 0, len(cons.Items))
	seen := map[string]bool{}
	for _, item := range cons.Items {
		name, ok := r.key(e, item.KeyExpr)
		a := r.attr(e.Sub(item.ValueExpr))
		if !ok || seen[name] {
			continue // what comes twice was reported with the text
		}
		seen[name] = true
		a.Name = name
		attrs = append(attrs, a)
	}
	var rest *Type
	if len(n.Args) == 2 {
		if rest = r.read(e.Sub(n.Args[1])); rest.kind == Never {
			rest = nil
		}
	}
	return ObjectOf(attrs, rest)
}

func (r *reader) key(e expr.Expr, node hclsyntax.Expression) (string, bool) {
	if k, ok := node.(*hclsyntax.ObjectConsKeyExpr); ok {
		if name, ok := e.ObjectKey(k); ok {
			return name, true
		}
	}
	r.report("WFC1304", node.Range(), "The attributes of an object type are names: write the name, in quotes if it is no identifier.")
	return "", false
}

// attr reads the type of an attribute, which may be optional, with a default.
func (r *reader) attr(e expr.Expr) Attr {
	call, ok := unwrap(e).Node.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "optional" || call.ExpandFinal {
		return Attr{Type: r.read(e)}
	}
	if len(call.Args) == 0 || len(call.Args) > 2 {
		return Attr{Type: r.arguments(call, "a type and, if there is one, its default", "optional(integer, 20)"), Optional: true}
	}
	a := Attr{Type: r.read(e.Sub(call.Args[0])), Optional: true}
	if len(call.Args) == 1 {
		return a
	}
	at := call.Args[1].Range()
	v, ok := e.Sub(call.Args[1]).Constant()
	if !ok {
		r.report("WFC1306", at, "A default is a constant: a text, a number, a bool, null, or a list or object of such.")
		return a
	}
	// A name that is being defined judges nothing yet.
	pending := func(t *Type) bool { return !isReady(t) }
	if !contains(a.Type, pending) {
		if m := Conforms(a.Type, v); m != nil {
			r.report("WFC1306", at, "The default is not of the type %s: %s.", Print(a.Type), m.Error())
			return a
		}
	}
	a.Default = &v
	return a
}

// defs reads definitions and the type that is made of them.
func (r *reader) defs(e expr.Expr, n *hclsyntax.FunctionCallExpr) *Type {
	const takes = "definitions in braces and the type that is made of them"
	if len(n.Args) != 2 {
		return r.arguments(n, takes, constructors["defs"])
	}
	cons, ok := n.Args[0].(*hclsyntax.ObjectConsExpr)
	if !ok {
		return r.arguments(n, takes, constructors["defs"])
	}
	outer := r.local
	r.local = make(map[string]*Type, len(outer)+len(cons.Items))
	for name, t := range outer {
		r.local[name] = t
	}
	defer func() { r.local = outer }()
	definitions := map[string]*Type{}
	for _, item := range cons.Items {
		name, ok := r.key(e, item.KeyExpr)
		if !ok {
			continue
		}
		if reserved[name] {
			r.report("WFC1304", item.KeyExpr.Range(), "%q is a word of the notation and cannot name a definition.", name)
			continue
		}
		r.local[name] = &Type{kind: Named, name: name,
			resolve: func() *Type { return definitions[name] },
			ready:   func() bool { return definitions[name] != nil }}
	}
	for _, item := range cons.Items {
		name, ok := e.ObjectKey(item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr))
		if !ok || r.local[name] == nil || definitions[name] != nil {
			continue
		}
		t := r.read(e.Sub(item.ValueExpr))
		if loops(t, r.local[name]) {
			t = r.report("WFC1304", item.ValueExpr.Range(), "The definition of %s refers to itself and says nothing else.", name)
		}
		definitions[name] = t
	}
	return r.read(e.Sub(n.Args[1]))
}

// MustParse reads the notation from a text that is known to be right, such as
// a constant of the program; it panics if it is not.
func MustParse(text string) *Type {
	t, problems := Parse(text, "type", nil)
	if problems.HasErrors() {
		panic(fmt.Sprintf("types: %s: %s", text, problems[0].Detail))
	}
	return t
}
