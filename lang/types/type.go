// Package types is wfc's type lattice: construction, printing and parsing of
// the notation of LANGUAGE 2, and the only two judges of the toolchain,
// [Assignable] (a type against a type) and [Conforms] (a value against a type).
//
// Its central type is [Type]. It may import lang/diag, lang/value and lang/expr.
package types

import (
	"sync"

	"github.com/lda-wf/wfc/lang/value"
)

// Kind is the kind of a [Type].
type Kind uint8

// The kinds.
const (
	Any     Kind = iota // gradual: passes everywhere, checked when the value exists
	Never               // no value; the type of what cannot be, and of an erroneous expression (see IsError)
	Null                //
	Bool                //
	String              //
	Number              //
	Integer             // a subtype of Number
	Literal             // one value: a bool, number or string; an enum is a union of them
	Blob                //
	List                // of Elem
	Map                 // of Elem
	Tuple               // of Items
	Object              // of Attrs, and Rest for all other attributes
	Union               // of Items; never nested, never with one member
	Named               // a named or recursive type; Resolve gives its definition
)

// Type is an immutable type. Types are compared with [Equal], not by pointer.
// A nil *Type is no type and never valid, except for Type.Rest.
type Type struct {
	kind    Kind
	elem    *Type
	items   []*Type
	attrs   []Attr
	places  *attrPlaces // of many attributes; see setAttrs
	rest    *Type
	exact   bool // of an object: see ExactOf
	lit     value.Value
	refine  *Refinement
	name    string
	resolve func() *Type
	ready   func() bool // of a name whose definition is being made; nil: it is there
	lazy    *pair       // of a name: the types whose meet it is
	isError bool
}

// Attr is one declared attribute of an object type.
type Attr struct {
	Name     string
	Type     *Type
	Optional bool         // the attribute may be absent; reading it then gives null
	Default  *value.Value // of an optional attribute; nil: none
	// Unsure says that some values may have the attribute without a declaration, and
	// anything in it: those that another object of a join or merge had, whose type
	// does not name it.
	Unsure      bool
	Description string // for hover and catalog listings; not part of the type
}

// Refinement is what JSON Schema says of values beyond their type. Constants
// are checked when compiling, values at run time. Nil pointers and empty
// strings say nothing.
type Refinement struct {
	Pattern, Format                    string
	MinLength, MaxLength               *int // code points
	MinItems, MaxItems                 *int
	UniqueItems                        bool
	Minimum, Maximum                   *value.Decimal
	ExclusiveMinimum, ExclusiveMaximum *value.Decimal
	MultipleOf                         *value.Decimal
	MinProperties, MaxProperties       *int
}

// The types without parameters. ErrorType is what an erroneous expression has:
// it passes everywhere in silence, so that one mistake gives one diagnostic.
var (
	AnyType     = &Type{kind: Any}
	NeverType   = &Type{kind: Never}
	ErrorType   = &Type{kind: Any, isError: true}
	NullType    = &Type{kind: Null}
	BoolType    = &Type{kind: Bool}
	StringType  = &Type{kind: String}
	NumberType  = &Type{kind: Number}
	IntegerType = &Type{kind: Integer}
	BlobType    = &Type{kind: Blob}
)

// LiteralOf returns the type of exactly v, which must be a bool, number or string.
func LiteralOf(v value.Value) *Type { return &Type{kind: Literal, lit: v} }

// ListOf returns list(elem).
func ListOf(elem *Type) *Type { return &Type{kind: List, elem: elem} }

// MapOf returns map(elem).
func MapOf(elem *Type) *Type { return &Type{kind: Map, elem: elem} }

// TupleOf returns tuple([items…]).
func TupleOf(items ...*Type) *Type { return &Type{kind: Tuple, items: items} }

// ObjectOf returns an object type with the declared attributes, in the order
// given. rest is the type of all other attributes: nil for none (authors may
// not write others; values that arrive may have more, which are not readable
// by name), [AnyType] for an open object.
func ObjectOf(attrs []Attr, rest *Type) *Type {
	t := &Type{kind: Object, rest: rest}
	t.setAttrs(attrs)
	return t
}

// ExactOf returns the type of objects that have no attributes but the declared ones, since
// they are written as such: one that arrives from elsewhere is never known to be so.
func ExactOf(attrs []Attr) *Type {
	t := &Type{kind: Object, exact: true}
	t.setAttrs(attrs)
	return t
}

// Exact reports whether the values of an object type have no attributes but those that
// it declares. It says nothing of what two types are to each other: see [Equal].
func (t *Type) Exact() bool { return t.exact }

// WithAttrs returns an object type with other attributes, and all else of t.
func (t *Type) WithAttrs(attrs []Attr) *Type {
	c := *t
	c.setAttrs(attrs)
	return &c
}

// setAttrs sets the attributes of an object type that is being made.
func (t *Type) setAttrs(attrs []Attr) {
	t.attrs, t.places = attrs, nil
	if len(attrs) > manyAttrs {
		t.places = &attrPlaces{}
	}
}

// manyAttrs is how many attributes are looked through for a name.
const manyAttrs = 16

// attrPlaces has the places of the attributes of an object type by name, from its first use on.
type attrPlaces struct {
	once   sync.Once
	byName map[string]int
}

func (x *attrPlaces) of(attrs []Attr) map[string]int {
	x.once.Do(func() {
		x.byName = make(map[string]int, len(attrs))
		for i, a := range attrs {
			if _, twice := x.byName[a.Name]; !twice {
				x.byName[a.Name] = i
			}
		}
	})
	return x.byName
}

// NamedOf returns a type that is known by name: of an interface file, or the
// pointer of a recursive schema. resolve is called at most when the definition
// is needed and must return the same type each time, never nil.
func NamedOf(name string, resolve func() *Type) *Type {
	return &Type{kind: Named, name: name, resolve: resolve}
}

// Declare returns the type that a name stands for before its definition is
// known, as declarations need that refer to each other, and the function that
// gives the definition, once. Until then nothing may be asked of the type but
// what it is made of.
func Declare(name string) (t *Type, define func(*Type)) {
	var definition *Type
	t = &Type{kind: Named, name: name,
		resolve: func() *Type { return definition },
		ready:   func() bool { return definition != nil }}
	return t, func(d *Type) { definition = d }
}

// Kind returns the kind of t as written; see [Type.Underlying] for what a name stands for.
func (t *Type) Kind() Kind { return t.kind }

// Underlying returns the definition of a named type, else t.
func (t *Type) Underlying() *Type {
	for t.kind == Named {
		if t = t.resolve(); t == nil {
			return AnyType // a definition that is still being read
		}
	}
	return t
}

// IsError reports whether t is the type of an expression that has a diagnostic already.
func (t *Type) IsError() bool { return t.isError }

// Elem returns the element type of a list or map, else nil.
func (t *Type) Elem() *Type { return t.elem }

// Items returns the members of a tuple or union, not to be changed.
func (t *Type) Items() []*Type { return t.items }

// Attrs returns the declared attributes of an object, not to be changed.
func (t *Type) Attrs() []Attr { return t.attrs }

// Attr returns the declared attribute name of an object, or nil.
func (t *Type) Attr(name string) *Attr {
	if t.places != nil {
		if i, ok := t.places.of(t.attrs)[name]; ok {
			return &t.attrs[i]
		}
		return nil
	}
	for i := range t.attrs {
		if t.attrs[i].Name == name {
			return &t.attrs[i]
		}
	}
	return nil
}

// Rest returns the type of an object's undeclared attributes, nil for none.
func (t *Type) Rest() *Type { return t.rest }

// Lit returns the value of a literal type.
func (t *Type) Lit() value.Value { return t.lit }

// Refinement returns the refinement, nil for none.
func (t *Type) Refinement() *Refinement { return t.refine }

// Refined returns t with the refinement r in place of its own.
func (t *Type) Refined(r *Refinement) *Type {
	c := *t
	c.refine = r
	return &c
}

// Name returns the name of a named type, or where in a schema a type was
// defined under a name of its own; else "".
func (t *Type) Name() string { return t.name }
