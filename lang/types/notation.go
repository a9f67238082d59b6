package types

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/value"
)

// Resolver returns the type that a path such as interface.issue_tracker.issue
// names; nil where there is none, and then, in a sentence or not, what was
// probably meant. A nil Resolver knows no path. The type is [ErrorType] where
// the name stands for something that has a diagnostic already.
type Resolver = func(path []string) (t *Type, hint string)

// NodeKind is the form of a [Node].
type NodeKind uint8

// The forms.
const (
	OtherNode  NodeKind = iota // a constant that is no text, or what is no type at all
	NameNode                   // string, interface.issue_tracker.issue
	CallNode                   // list(string)
	ObjectNode                 // { a = string }
	ListNode                   // [string, integer]
	TextNode                   // "a"
)

// Node is a type expression as a parser read it: HCL's for an attribute, or
// the interface language's. Its judge is one, [FromNode].
type Node struct {
	Kind  NodeKind
	Range hcl.Range

	Path      []string  // of a name; nil where it is no name with attributes only
	Name      string    // of a call
	NameRange hcl.Range // of a call
	Args      []*Node   // of a call; the elements of a list
	Spread    bool      // of a call: the last argument is followed by "..."
	Items     []NodeItem

	// Constant returns the value of a node that is written as one: a literal, or a
	// list or object of such.
	Constant func() (value.Value, bool)
	Lost     bool // it could not be read, which has its diagnostic
}

// NodeItem is an item of an object. Named is false where its key is no name.
type NodeItem struct {
	Name      string
	NameRange hcl.Range
	Named     bool
	Value     *Node
}

// FromNode reads a type expression. local gives the types that are known by
// a bare name where it stands; it may be nil. The type is never nil; what is wrong has a
// diagnostic and is [ErrorType] where it stands. Numbers and keys that come
// twice are the parser's to report.
func FromNode(n *Node, named Resolver, local map[string]*Type) (*Type, diag.List) {
	r := reader{named: named, local: local}
	t := r.read(n)
	return t, r.diags
}

// AttrFromNode reads the type of an attribute or parameter, which may be
// optional, with a default. The name is left to the caller.
func AttrFromNode(n *Node, named Resolver, local map[string]*Type) (Attr, diag.List) {
	r := reader{named: named, local: local}
	a := r.attr(n)
	return a, r.diags
}

// IsReserved reports whether a name is a word of the notation, which cannot name a type.
func IsReserved(name string) bool { return reserved[name] }

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

func (r *reader) read(n *Node) *Type {
	if n.Lost {
		return ErrorType
	}
	switch n.Kind {
	case CallNode:
		return r.call(n)
	case NameNode:
		return r.name(n)
	case ObjectNode:
		return r.report("WFC1304", n.Range, "An object type is written object({ … }).")
	case ListNode:
		if len(n.Args) == 1 {
			return r.report("WFC1304", n.Range, "Brackets alone are no type. Write list(T) for a list of any length, or tuple([T]) for a list of exactly one.")
		}
		return r.report("WFC1304", n.Range, "Brackets alone are no type. Write list(T) for a list, or tuple([A, B]) for one whose elements have types of their own.")
	case TextNode:
		v, _ := n.Constant()
		s := v.AsString()
		if simple[s] != nil {
			r.report("WFC1304", n.Range, "Types are written without quotes. Write %s.", s)
			r.fix("Remove the quotes", n.Range, s)
			return ErrorType
		}
		if name, ok := meant(s, false); ok && simple[name] != nil {
			return r.report("WFC1304", n.Range, "A text is no type, and types are written without quotes. Did you mean %s?", name)
		}
		return r.report("WFC1304", n.Range, "A text is no type. Write enum(%s) for a string that is always this one.", notation(value.OfString(s)))
	}
	v, ok := n.Constant()
	if ok && v.IsNull() {
		return NullType
	}
	if ok && (v.Kind() == value.Bool || v.Kind() == value.Number) {
		return r.report("WFC1304", n.Range, "A value is no type. Write enum(%s) for %s that is always this one.", notation(v), describeKind(v))
	}
	return r.report("WFC1304", n.Range, "This is no type. Types are written as string, list(string), object({ title = string }), enum(\"open\", \"closed\") and so on.")
}

func (r *reader) name(n *Node) *Type {
	if n.Path == nil {
		return r.report("WFC1304", n.Range, "This is no type: the name of a type has attributes only, such as interface.issue_tracker.issue.")
	}
	if len(n.Path) > 1 {
		return r.path(n)
	}
	name := n.Path[0]
	if t := r.local[name]; t != nil {
		return t
	}
	if t := simple[name]; t != nil {
		return t
	}
	if example := constructors[name]; example != "" {
		return r.report("WFC1302", n.Range, "The type %s needs to be told of what. Write, for example, %s.", name, example)
	}
	return r.unknown(n.Range, name, false)
}

// path reads the name of a type of an interface file.
func (r *reader) path(n *Node) *Type {
	hint := ""
	if r.named != nil {
		t, why := r.named(n.Path)
		if t != nil {
			return t
		}
		if hint = why; hint != "" {
			hint = " " + hint
		}
	}
	return r.report("WFC1301", n.Range, "There is no type %s.%s", strings.Join(n.Path, "."), hint)
}

// unknown reports a name that is no type.
func (r *reader) unknown(at hcl.Range, name string, calls bool) *Type {
	ours, ok := meant(name, calls)
	if near, is := r.nearLocal(name); is && !calls && !(ok && strings.EqualFold(name, ours)) {
		r.report("WFC1301", at, "There is no type %q. Did you mean %s?", name, near)
		r.fix("Replace it by "+near, at, near)
		return ErrorType
	}
	switch {
	case !ok && calls && r.local[name] != nil:
		return r.report("WFC1302", at, "The type %s takes nothing. Write it without parentheses.", name)
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

// nearLocal returns the named type that is nearest to a name.
func (r *reader) nearLocal(name string) (string, bool) {
	have := make([]string, 0, len(r.local))
	for n := range r.local {
		have = append(have, n)
	}
	slices.Sort(have)
	return nearest.Name(name, have)
}

// arguments reports a wrong number of arguments.
func (r *reader) arguments(n *Node, takes, example string) *Type {
	return r.report("WFC1302", n.Range, "The type %s takes %s. Write, for example, %s.", n.Name, takes, example)
}

func (r *reader) call(n *Node) *Type {
	if n.Spread {
		return r.report("WFC1304", n.Range, "A type has no `...` in it. Write its arguments out.")
	}
	if constructors[n.Name] == "" {
		if simple[n.Name] != nil {
			return r.report("WFC1302", n.Range, "The type %s takes nothing. Write %s, without parentheses.", n.Name, n.Name)
		}
		return r.unknown(n.NameRange, n.Name, true)
	}
	switch n.Name {
	case "list", "map":
		if len(n.Args) != 1 {
			return r.arguments(n, "one argument, the type of its elements", constructors[n.Name])
		}
		elem := r.read(n.Args[0])
		if n.Name == "list" {
			return ListOf(elem)
		}
		return MapOf(elem)
	case "nullable":
		if len(n.Args) != 1 {
			return r.arguments(n, "one argument, the type of what is not null", constructors[n.Name])
		}
		return UnionOf(r.read(n.Args[0]), NullType)
	case "union":
		if len(n.Args) == 0 {
			return r.arguments(n, "the types that it may be", constructors[n.Name])
		}
		members := make([]*Type, len(n.Args))
		for i, a := range n.Args {
			members[i] = r.read(a)
		}
		return UnionOf(members...)
	case "enum":
		return r.enum(n)
	case "tuple":
		return r.tuple(n)
	case "object":
		return r.object(n)
	case "defs":
		return r.defs(n)
	}
	r.report("WFC1303", n.Range, "Only an attribute of an object type can be optional: object({ name = optional(string) }). Write nullable( ) for what may be null.")
	return ErrorType
}

// inQuotes puts the words among the members of an enum into quotes.
func inQuotes(members []*Node) []diag.Edit {
	var out []diag.Edit
	for _, a := range members {
		if len(a.Path) == 1 {
			out = append(out, diag.Edit{Range: diag.RangeOf(a.Range), Text: notation(value.OfString(a.Path[0]))})
		}
	}
	return out
}

func (r *reader) enum(n *Node) *Type {
	if len(n.Args) == 0 {
		return r.arguments(n, "the values that it may be", constructors["enum"])
	}
	vals := make([]value.Value, 0, len(n.Args))
	bare := 0 // words without quotes
	for _, a := range n.Args {
		v, ok := a.Constant()
		switch {
		case ok && v.IsNull():
			r.report("WFC1305", a.Range, "null is no member of an enum. Write nullable(enum( … )) for one of these or null.")
		case ok && (v.Kind() == value.List || v.Kind() == value.Object):
			r.report("WFC1305", a.Range, "The members of an enum are strings, numbers and bools, listed one after the other: enum(\"open\", \"closed\").")
		case ok:
			vals = append(vals, v)
		default:
			if len(a.Path) != 1 {
				r.report("WFC1305", a.Range, "The members of an enum are constants: strings in quotes, numbers and bools.")
				continue
			}
			if bare++; bare == 1 {
				r.report("WFC1305", a.Range, "The members of an enum are constants: strings in quotes, numbers and bools.")
				r.diags[len(r.diags)-1] = r.diags[len(r.diags)-1].Fix("Put the words into quotes", true, inQuotes(n.Args)...)
			}
		}
	}
	if len(vals) < len(n.Args) {
		return ErrorType
	}
	return EnumOf(vals...)
}

func (r *reader) tuple(n *Node) *Type {
	if len(n.Args) != 1 {
		return r.arguments(n, "one list of types", constructors["tuple"])
	}
	list := n.Args[0]
	if list.Kind != ListNode {
		return r.arguments(n, "a list of types in brackets", constructors["tuple"])
	}
	items := make([]*Type, len(list.Args))
	for i, x := range list.Args {
		items[i] = r.read(x)
	}
	return TupleOf(items...)
}

func (r *reader) object(n *Node) *Type {
	if len(n.Args) == 0 || len(n.Args) > 2 {
		return r.arguments(n, "its attributes in braces and, if there may be others, their type", constructors["object"])
	}
	cons := n.Args[0]
	if cons.Kind != ObjectNode {
		return r.arguments(n, "its attributes in braces", constructors["object"])
	}
	attrs := make([]Attr, 0, len(cons.Items))
	seen := map[string]bool{}
	for _, item := range cons.Items {
		name, ok := r.key(item)
		a := r.attr(item.Value)
		if !ok || seen[name] {
			continue // what comes twice was reported with the text
		}
		seen[name] = true
		a.Name = name
		attrs = append(attrs, a)
	}
	var rest *Type
	if len(n.Args) == 2 {
		if rest = r.read(n.Args[1]); rest.kind == Never {
			rest = nil
		}
	}
	return ObjectOf(attrs, rest)
}

func (r *reader) key(item NodeItem) (string, bool) {
	if !item.Named {
		r.report("WFC1304", item.NameRange, "The attributes of an object type are names: write the name, in quotes if it is no identifier.")
	}
	return item.Name, item.Named
}

// attr reads the type of an attribute, which may be optional, with a default.
func (r *reader) attr(call *Node) Attr {
	if call.Kind != CallNode || call.Name != "optional" || call.Spread {
		return Attr{Type: r.read(call)}
	}
	if len(call.Args) == 0 || len(call.Args) > 2 {
		return Attr{Type: r.arguments(call, "a type and, if there is one, its default", "optional(integer, 20)"), Optional: true}
	}
	a := Attr{Type: r.read(call.Args[0]), Optional: true}
	if len(call.Args) == 1 {
		return a
	}
	at := call.Args[1].Range
	v, ok := call.Args[1].Constant()
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
func (r *reader) defs(n *Node) *Type {
	const takes = "definitions in braces and the type that is made of them"
	if len(n.Args) != 2 {
		return r.arguments(n, takes, constructors["defs"])
	}
	cons := n.Args[0]
	if cons.Kind != ObjectNode {
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
		name, ok := r.key(item)
		if !ok {
			continue
		}
		if reserved[name] {
			r.report("WFC1304", item.NameRange, "%q is a word of the notation and cannot name a definition.", name)
			continue
		}
		r.local[name] = &Type{kind: Named, name: name,
			resolve: func() *Type { return definitions[name] },
			ready:   func() bool { return definitions[name] != nil }}
	}
	for _, item := range cons.Items {
		name := item.Name
		if !item.Named || reserved[name] || definitions[name] != nil {
			continue
		}
		t := r.read(item.Value)
		if loops(t, r.local[name]) {
			t = r.report("WFC1304", item.Value.Range, "The definition of %s refers to itself and says nothing else.", name)
		}
		definitions[name] = t
	}
	return r.read(n.Args[1])
}
