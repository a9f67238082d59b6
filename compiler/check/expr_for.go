package check

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// collection is what can be gone through: what its keys and elements are.
type collection struct {
	key, elem *types.Type
	isList    bool // else a map or object
	isAny     bool // may be either
}

// collectionOf returns what going through a value of type t gives; ok is false
// where it cannot be gone through. t must not hold null.
func (c *checker) collectionOf(t *types.Type) (out collection, ok bool) {
	u := t.Underlying()
	switch u.Kind() {
	case types.Any:
		return collection{key: types.AnyType, elem: u, isAny: true}, true
	case types.List:
		return collection{key: types.IntegerType, elem: u.Elem(), isList: true}, true
	case types.Tuple:
		return collection{key: types.IntegerType, elem: c.common(u.Items()), isList: true}, true
	case types.Map:
		return collection{key: types.StringType, elem: u.Elem()}, true
	case types.Object:
		return c.objectCollection(u), true
	case types.Union:
		var keys, elems []*types.Type
		for i, m := range u.Items() {
			p, ok := c.collectionOf(m)
			if !ok {
				return collection{}, false
			}
			if i > 0 && p.isList != out.isList {
				out.isAny = true
			}
			out.isList = p.isList
			out.isAny = out.isAny || p.isAny
			keys, elems = append(keys, p.key), append(elems, p.elem)
		}
		out.key, out.elem = c.common(keys), c.common(elems)
		return out, true
	}
	return collection{}, false
}

// objectCollection is what going through an object gives: its names and what
// they hold. An object that arrived from elsewhere may have more attributes than
// its type declares, which may be anything (LANGUAGE 2, "Undeclared names").
func (c *checker) objectCollection(u *types.Type) collection {
	if u.Rest() == nil && !u.Exact() {
		return collection{key: types.StringType, elem: types.AnyType}
	}
	var names []value.Value
	var ts []*types.Type
	for _, a := range u.Attrs() {
		names = append(names, value.OfString(a.Name))
		ts = append(ts, a.Type)
	}
	out := collection{key: types.StringType}
	if u.Rest() != nil {
		ts = append(ts, u.Rest())
	} else if len(names) > 0 {
		out.key = types.EnumOf(names...)
	}
	out.elem = c.common(ts)
	return out
}

// goThrough checks an expression that is gone through, for noun.
func (c *checker) goThrough(x hclNode, en *env, s *subject) (collection, bool) {
	got := c.expr(x, en, nil, nil)
	if got.t.IsError() {
		return collection{}, false
	}
	if got.mayBeNull() {
		if !en.forgives() || got.t.Underlying().Kind() == types.Null {
			c.mayBeNull(x, got, s)
			if c.rec == nil || c.muted > 0 {
				return collection{}, false
			}
		}
		got.t = types.WithoutNull(got.t)
	}
	if c.w.strict {
		c.trustWhole(x, anyCollection, got.t, s)
	}
	out, ok := c.collectionOf(got.t)
	if k := c.resultOf(got.t); k != nil && s == forEachSubject && isCollection(k.output) {
		text := c.text(x.Range())
		c.report(diag.New(codeNotCollection, x.Range(), "%s is the result of a step, and for_each would go through its outcome, its output, its text and so on. Write %s.output for what the step gave.", text, text).
			Fix("Go through its output", false, after(x.Range(), ".output")))
		return collection{}, false
	}
	if !ok {
		c.report(diag.New(codeNotCollection, x.Range(), "%s must be a list, a map or an object, and this is %s.%s", s.phrase(""), describe(got.t), throughWhat(c.text(x.Range()), got.t)))
	}
	return out, ok
}

var forSubject = &subject{plain: "What `for` goes through"}

func (c *checker) forExpr(x *hclsyntax.ForExpr, en *env, want *types.Type, s *subject) typed {
	coll, ok := c.goThrough(x.CollExpr, en, forSubject)
	if !ok {
		// The variables are still bound, so that nothing follows from the mistake.
		coll = collection{key: types.ErrorType, elem: types.ErrorType}
	}
	inner := en
	if x.KeyVar != "" {
		inner = c.bind(inner, x.KeyVar, coll.key, x.CollExpr)
	}
	inner = c.bind(inner, x.ValVar, coll.elem, x.CollExpr)
	if x.CondExpr != nil {
		inner = inner.unless(c.expr(x.CondExpr, inner, types.BoolType, conditionSubject).t.IsError())
		inner = c.assume(x.CondExpr, true, inner)
	}
	if x.KeyExpr == nil {
		var elem *types.Type
		w := literalTarget(want, types.List)
		if w != nil {
			elem = w.Elem()
		}
		t := c.expr(x.ValExpr, inner, elem, s.element(-1)).t
		if t.IsError() {
			return failed
		}
		return c.fit(x, en, want, of(types.ListOf(t)), s)
	}
	key := c.expr(x.KeyExpr, inner, types.StringType, keySubject)
	var elem *types.Type
	w := literalTarget(want, types.Map)
	if w != nil {
		elem = w.Elem()
		if x.Group {
			elem = literalTarget(elem, types.List)
			if elem != nil {
				elem = elem.Elem()
			}
		}
	}
	t := c.expr(x.ValExpr, inner, elem, s.element(-1)).t
	if t.IsError() || key.t.IsError() {
		return failed
	}
	if x.Group {
		t = types.ListOf(t)
	}
	return c.fit(x, en, want, of(types.MapOf(t)), s)
}

// splat checks `list[*].attr`. What is no list is taken as a list of one, null
// as the empty list.
func (c *checker) splat(x *hclsyntax.SplatExpr, en *env) typed {
	src := c.expr(x.Source, en, nil, nil)
	if src.t.IsError() {
		return failed
	}
	t := types.WithoutNull(src.t)
	elem := t
	switch u := t.Underlying(); u.Kind() {
	case types.List:
		elem = u.Elem()
	case types.Tuple:
		elem = c.common(u.Items())
	case types.Never:
		return of(types.TupleOf())
	}
	if c.splats == nil {
		c.splats = map[hcl.Range]splatted{}
	}
	c.splats[x.Item.SrcRange] = splatted{x.Source.Range(), t}
	each := c.expr(x.Each, en.element(x.Item, elem), nil, nil)
	delete(c.splats, x.Item.SrcRange)
	if each.t.IsError() {
		return failed
	}
	return of(types.ListOf(each.t))
}
