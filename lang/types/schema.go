package types

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/value"
)

// Report says how exactly [FromSchema] could convert a schema. Its entries
// begin with the place in the schema, a JSON pointer: "#/properties/a: …".
type Report struct {
	// Widened lists where the type holds more values than the schema, because
	// the notation has nothing for it.
	Widened []string
	// Guarded lists what the type leaves to the schema at run time although it
	// says all that an author needs, such as that one member of `oneOf` holds.
	Guarded []string
	// Closed: the schema forbids undeclared attributes somewhere, where a type
	// lets values have more than authors may write.
	Closed bool
	// Problem says why the schema is broken; the type is any then.
	Problem string
}

// Exact reports whether [Conforms] alone judges values as the schema does.
func (r Report) Exact() bool {
	return len(r.Widened) == 0 && len(r.Guarded) == 0 && !r.Closed && r.Problem == ""
}

// FromSchema converts a JSON Schema of draft-04 to draft-07, 2019-09 or
// 2020-12 (the default) to the smallest type that holds all its values. It
// never fails: what has no exact type widens, and a broken schema is any.
//
// Where a schema without `type` lists properties or items, it is read as an
// object or list; that is what is meant, and the report says so.
func FromSchema(raw []byte) (*Type, Report) {
	root, err := value.ParseJSON(raw)
	if err != nil {
		return AnyType, Report{Problem: "The schema is not JSON: " + err.Error() + "."}
	}
	return FromSchemaValue(root)
}

// FromSchemaValue is [FromSchema] for a schema that is parsed already.
func FromSchemaValue(root value.Value) (*Type, Report) {
	c := &converter{root: root, draft: draftOf(root), entries: map[string]*entry{}, meeting: newMeeting()}
	e := &entry{}
	c.entries["#"] = e
	t := c.finish(e, c.convert(root, place{pointer: "#", resource: "#"}))
	c.meeting.settle()
	if c.names {
		s := newSimplifier()
		t = s.simplify(t)
		c.meeting.widened = c.meeting.widened || s.widened
	}
	for i := 0; i < len(c.later) && c.report.Problem == ""; i++ {
		c.later[i]()
	}
	if c.meeting.widened {
		c.guarded("#", "the constraints of its parts cannot all be put together")
	}
	if c.report.Problem != "" {
		return AnyType, Report{Problem: c.report.Problem}
	}
	if t.kind == Named {
		t = t.Underlying()
	}
	return t, c.report
}

// draftOf returns the draft of a schema: 4, 6, 7, 2019 or 2020.
func draftOf(root value.Value) int {
	if root.Kind() != value.Object {
		return 2020
	}
	v, _ := root.AsObject().Get("$schema")
	if v.Kind() != value.String {
		return 2020
	}
	for name, draft := range map[string]int{"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019} {
		if strings.Contains(v.AsString(), name) {
			return draft
		}
	}
	return 2020
}

// converter converts one schema document.
type converter struct {
	root    value.Value
	draft   int
	report  Report
	entries map[string]*entry // by pointer: what $refs lead to
	ids     map[string]place  // by absolute URI, with "#name" for anchors; nil until one is asked for
	meeting *meeting
	names   bool     // names were made for what refers to itself
	later   []func() // judgements that need all types to be there
}

// entry is a place that a $ref leads to. Its type is nil while it is being
// converted; a $ref inside itself gets the name then.
type entry struct {
	t     *Type
	named *Type
}

// place is where in the document a schema stands, and what it knows from outside.
type place struct {
	pointer  string
	resource string   // the pointer that "#/…" is relative to
	base     string   // URI
	types    []string // the `type` of the schema that this one is an allOf, anyOf or oneOf of
}

func (p place) in(tokens ...string) place {
	var b strings.Builder
	b.WriteString(p.pointer)
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(t))
	}
	p.pointer = b.String()
	p.types = nil
	return p
}

func (p place) item(keyword string, i int) place { return p.in(keyword, fmt.Sprint(i)) }

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

func (c *converter) problem(at place, format string, args ...any) {
	if c.report.Problem == "" {
		c.report.Problem = "The schema is broken at " + at.pointer + ": " + fmt.Sprintf(format, args...) + "."
	}
}

func (c *converter) widened(at place, reason string) {
	c.report.Widened = appendNew(c.report.Widened, at.pointer+": "+reason)
}

func (c *converter) guarded(pointer, reason string) {
	c.report.Guarded = appendNew(c.report.Guarded, pointer+": "+reason)
}

func appendNew(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// finish gives an entry its type and returns what stands for it.
func (c *converter) finish(e *entry, t *Type) *Type {
	e.t = t
	if e.named == nil {
		return t
	}
	if loops(t, e.named) {
		e.t = AnyType
		c.report.Widened = appendNew(c.report.Widened, e.named.name+": it refers to itself and says nothing else")
	}
	return e.named
}

// convert returns the type of a schema. After a problem the result means nothing.
func (c *converter) convert(s value.Value, at place) *Type {
	if c.report.Problem != "" {
		return AnyType
	}
	switch s.Kind() {
	case value.Bool:
		if s.AsBool() {
			return AnyType
		}
		return NeverType
	case value.Object:
	default:
		c.problem(at, "a schema is an object or a bool, not %s", describeKind(s))
		return AnyType
	}
	o := s.AsObject()
	at = c.enter(o, at)
	if ref, ok := o.Get("$ref"); ok && c.draft <= 7 {
		return c.nullable(o, c.ref(ref, at))
	}
	t := c.structure(o, &at)
	if v, ok := o.Get("const"); ok {
		t = c.meet(t, c.constant(v, at.in("const")))
	}
	if v, ok := o.Get("enum"); ok {
		t = c.meet(t, c.enum(v, at.in("enum")))
	}
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if v, ok := o.Get(keyword); ok {
			if keyword != "$ref" {
				c.widened(at, "`"+keyword+"` is read as `$ref`")
			}
			t = c.meet(t, c.ref(v, at))
		}
	}
	for i, v := range c.list(o, "allOf", at) {
		p := at.item("allOf", i)
		p.types = at.types
		t = c.meet(t, c.convert(v, p))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if _, ok := o.Get(keyword); ok {
			t = c.meet(t, c.union(o, keyword, at))
		}
	}
	for _, w := range widening {
		if v, ok := o.Get(w.keyword); ok && !c.trivial(w.keyword, v, o) {
			if w.keyword == "unevaluatedProperties" && v.Kind() == value.Bool {
				c.report.Closed = true
				continue
			}
			c.widened(at, "`"+w.keyword+"` "+w.reason)
		}
	}
	return c.nullable(o, t)
}

// widening are the keywords that no type stands for.
var widening = []struct{ keyword, reason string }{
	{"not", "has no type"},
	{"if", "has no type"},
	{"patternProperties", "goes by names that match patterns"},
	{"propertyNames", "restricts names"},
	{"contains", "has no type"},
	{"dependencies", "has no type"},
	{"dependentRequired", "has no type"},
	{"dependentSchemas", "has no type"},
	{"unevaluatedProperties", "depends on other parts"},
	{"unevaluatedItems", "depends on other parts"},
}

// trivial reports whether such a keyword says nothing here.
func (c *converter) trivial(keyword string, v value.Value, o *value.ObjectValue) bool {
	switch {
	case v.Kind() == value.Bool:
		return v.AsBool() == (keyword != "not")
	case v.Kind() != value.Object:
		return false
	case v.AsObject().Len() == 0:
		return keyword != "not" && keyword != "contains"
	case keyword == "propertyNames":
		t, ok := v.AsObject().Get("type")
		return ok && v.AsObject().Len() == 1 && t.Kind() == value.String && t.AsString() == "string"
	case keyword == "if":
		_, then := o.Get("then")
		_, otherwise := o.Get("else")
		return !then && !otherwise
	}
	return false
}

// enter follows an `$id` and `$anchor`-like marks of a schema object.
func (c *converter) enter(o *value.ObjectValue, at place) place {
	if id, ok := c.id(o); ok && at.pointer != "#" {
		at.resource = at.pointer
		at.base = resolveURI(at.base, id)
	} else if ok {
		at.base = id
	}
	return at
}

// nullable adds null where the schema has OpenAPI's `nullable: true`.
func (c *converter) nullable(o *value.ObjectValue, t *Type) *Type {
	if v, ok := o.Get("nullable"); ok && v.Kind() == value.Bool && v.AsBool() {
		return UnionOf(t, NullType)
	}
	return t
}

func (c *converter) meet(a, b *Type) *Type {
	switch {
	case a.kind == Any:
		return b
	case b.kind == Any:
		return a
	}
	return c.meeting.meet(a, b)
}

// list returns the schemas of a keyword that has a list of them.
func (c *converter) list(o *value.ObjectValue, keyword string, at place) []value.Value {
	v, ok := o.Get(keyword)
	if !ok {
		return nil
	}
	if v.Kind() != value.List {
		c.problem(at, "`%s` is a list, not %s", keyword, describeKind(v))
		return nil
	}
	return v.AsList()
}

func (c *converter) union(o *value.ObjectValue, keyword string, at place) *Type {
	list := c.list(o, keyword, at)
	if len(list) == 0 {
		c.problem(at, "`%s` has no members", keyword)
		return AnyType
	}
	members := make([]*Type, len(list))
	for i, v := range list {
		p := at.item(keyword, i)
		p.types = at.types
		members[i] = c.convert(v, p)
	}
	t, lossy := unionOf(members)
	if lossy {
		c.guarded(at.pointer, "the members of `"+keyword+"` differ in their constraints only")
	}
	if keyword == "oneOf" && len(members) > 1 {
		c.later = append(c.later, func() {
			for i := range members {
				for j := range i {
					if Overlap(members[i], members[j]) {
						c.guarded(at.pointer, "a value may be of one member of `oneOf` only")
						return
					}
				}
			}
		})
	}
	return t
}

func (c *converter) enum(v value.Value, at place) *Type {
	if v.Kind() != value.List {
		c.problem(at, "`enum` is a list of values, not %s", describeKind(v))
		return AnyType
	}
	if len(v.AsList()) == 0 { // of a server that has nothing to choose from today
		return NeverType
	}
	members := make([]*Type, len(v.AsList()))
	for i, x := range v.AsList() {
		members[i] = c.constant(x, at)
	}
	return UnionOf(members...)
}

// unicode refuses what is no Unicode, such as half of a surrogate pair: it cannot
// be written down as part of a type.
func (c *converter) unicode(s string, at place) {
	if !utf8.ValidString(s) {
		c.problem(at, "%q is no Unicode text", s)
	}
}

// constant returns the type of one value.
func (c *converter) constant(v value.Value, at place) *Type {
	switch v.Kind() {
	case value.List:
		items := make([]*Type, len(v.AsList()))
		for i, x := range v.AsList() {
			items[i] = c.constant(x, at)
		}
		return TupleOf(items...)
	case value.String:
		c.unicode(v.AsString(), at)
	case value.Object:
		c.guarded(at.pointer, "an object has exactly these attributes")
		var attrs []Attr
		for k, x := range v.AsObject().All() {
			c.unicode(k, at)
			attrs = append(attrs, Attr{Name: k, Type: c.constant(x, at)})
		}
		return ObjectOf(attrs, nil)
	case value.Null:
		return NullType
	}
	return LiteralOf(v)
}
