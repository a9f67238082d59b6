package check

import (
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
)

const codeTrusted diag.Code = "WFC3010"

// Strict returns what [Project] does, and every place that takes a value of which
// nothing is known for what is wanted there.
func Strict(p *project.Project) diag.List {
	w := newWorld(p)
	w.strict = true
	return w.all()
}

// trustPart reports that a part of r is read where nothing is known of r. It
// returns whether that was so now or before.
func (c *checker) trustPart(r reading) bool {
	if r.trusted || !isAny(r.t) || r.t.IsError() {
		return r.trusted
	}
	if c.w.strict {
		c.report(diag.New(codeTrusted, r.at, "Nothing is known of %s before it is there, and a part of it is read here. %s", c.text(r.at), remedy(c.source, r.at)))
	}
	return true
}

// trustWhole reports that an expression fits what is wanted only if the parts of
// it that are any are.
func (c *checker) trustWhole(x hclNode, want, t *types.Type, s *subject) {
	if c.trusted == x || t.IsError() || isAny(want) || flowsIn(x, want) {
		return // said, or each part was looked at
	}
	m := types.Assignable(want, unsure{}.of(t))
	switch {
	case m == nil || m.Cause == types.Refined:
	case isAny(t):
		c.report(diag.New(codeTrusted, x.Range(), "Nothing is known of this before it is there: %s must be %s. %s", lower(s.phrase("")), describeWanted(want), remedy(c.source, x.Range())))
	case !types.HasAny(t):
		c.report(diag.New(codeTrusted, x.Range(), "An object that arrives may have more attributes than are declared, with anything in them: %s must be %s. Write an object of the attributes that are wanted.", lower(s.phrase("")), describeWanted(want)))
	default:
		c.report(diag.New(codeTrusted, x.Range(), "Not all is known of this before it is there: %s must be %s. %s", lower(s.phrase("")), describeWanted(want), remedy(c.source, x.Range())))
	}
}

// trustAttribute reports that a declared attribute is read that may hold something else.
func (c *checker) trustAttribute(r reading, a *types.Attr) {
	if a.Unsure && c.w.strict {
		c.report(diag.New(codeTrusted, r.at, "The attribute %q comes from one of several objects. One that arrives and does not declare it may have it all the same, with anything in it, and it is read here. Write an object of the attributes that are wanted.", a.Name))
	}
}

// flowsIn reports whether what is wanted of an expression is wanted of its parts.
func flowsIn(x hclNode, want *types.Type) bool {
	switch x := x.(type) {
	case *hclsyntax.TupleConsExpr:
		return literalTarget(want, types.List, types.Tuple) != nil
	case *hclsyntax.ObjectConsExpr:
		return literalTarget(want, types.Object, types.Map) != nil
	case *hclsyntax.ForExpr:
		if x.KeyExpr != nil {
			return !x.Group && literalTarget(want, types.Map) != nil
		}
		return literalTarget(want, types.List) != nil
	}
	return false
}

// remedy says how the type of something becomes known: what a step gives by its
// returns, anything else by a step that names it.
func remedy(source []byte, at hcl.Range) string {
	e, found := expr.Parse(string(source[min(at.Start.Byte, len(source)):min(at.End.Byte, len(source))]), at.Filename)
	if !found.HasErrors() {
		switch root, name := rootOf(e); {
		case root == "step" && name != "":
			return "Say what step " + quoted(name) + " gives, with returns = TYPE in it: it is checked when it arrives then."
		case root == "self":
			return "Say what the step gives before it is taken apart, with returns = TYPE, and take it apart in a step of its own."
		}
	}
	return "Name it by a step of its own that says what it is, with value = … and returns = TYPE: it is checked there then."
}

// rootOf returns the root of what is only read, and the name after it.
func rootOf(e expr.Expr) (root, name string) {
	switch x := e.Node.(type) {
	case *hclsyntax.ParenthesesExpr:
		return rootOf(e.Sub(x.Expression))
	case *hclsyntax.IndexExpr:
		return rootOf(e.Sub(x.Collection))
	case *hclsyntax.RelativeTraversalExpr:
		return rootOf(e.Sub(x.Source))
	case *hclsyntax.ScopeTraversalExpr:
		if refs := e.Refs(); len(refs) > 0 {
			return refs[0].Root, refs[0].Name
		}
	}
	return "", ""
}

// anyCollection is what can be gone through.
var anyCollection = types.UnionOf(types.ListOf(types.AnyType), types.MapOf(types.AnyType), objectOfAnything)

// anything holds every value and fits nothing but any: what an any is where nobody
// takes its word.
var anything = types.NamedOf("anything", func() *types.Type { return anyValue })

var anyValue *types.Type

func init() {
	anyValue = types.UnionOf(types.NullType, types.BoolType, types.NumberType, types.StringType, types.BlobType, types.ListOf(anything), types.MapOf(anything))
}

// unsure makes types in which nobody takes the word of an any.
type unsure map[*types.Type]*types.Type // the names, by what they stand for

// of returns t with anything in the place of any, and of what objects may hold
// that their types do not declare.
func (s unsure) of(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.Any:
		return anything
	case types.Named:
		u := t.Underlying()
		if s[u] == nil {
			s[u] = types.NamedOf("", sync.OnceValue(func() *types.Type { return s.of(u) }))
		}
		return s[u]
	case types.List:
		return types.ListOf(s.of(t.Elem())).Refined(t.Refinement())
	case types.Map:
		return types.MapOf(s.of(t.Elem())).Refined(t.Refinement())
	case types.Tuple:
		return types.TupleOf(s.all(t.Items())...)
	case types.Union:
		return types.UnionOf(s.all(t.Items())...)
	case types.Object:
		attrs := append([]types.Attr(nil), t.Attrs()...)
		for i := range attrs {
			if attrs[i].Unsure {
				attrs[i].Type = anything
			} else {
				attrs[i].Type = s.of(attrs[i].Type)
			}
		}
		switch {
		case t.Exact():
			return types.ExactOf(attrs)
		case t.Rest() == nil:
			return types.ObjectOf(attrs, anything)
		}
		return types.ObjectOf(attrs, s.of(t.Rest()))
	}
	return t
}

func (s unsure) all(ts []*types.Type) []*types.Type {
	out := make([]*types.Type, len(ts))
	for i, x := range ts {
		out[i] = s.of(x)
	}
	return out
}
