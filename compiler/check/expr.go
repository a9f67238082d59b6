package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// hclNode is a node of an expression's tree, compared by identity.
type hclNode = hclsyntax.Expression

// typed is what the checker knows of an expression.
type typed struct {
	t *types.Type // never nil
	// present is not nil where the whole expression reads an attribute that may be
	// absent: the attribute's type where it is there. t holds null then.
	present *types.Type
	// cause says why t may be null, where that is known.
	cause *cause
}

// cause is why something may be null.
type cause struct {
	optional string  // an optional attribute of this name,
	input    bool    // or rather an optional input
	result   *result // or the output or error of this result,
	part     string  // "output" or "error",
	of       string  // written so
}

// mayBeNull reports whether t may be null: as a type says it, or as the output of
// a step does that may not have run, of which nothing else is known.
func (g typed) mayBeNull() bool {
	return g.t.Nullable() || g.cause != nil && g.cause.result != nil && isAny(g.t) && !g.t.IsError()
}

func of(t *types.Type) typed { return typed{t: t} }

// failed is an expression that has its diagnostic.
var failed = typed{t: types.ErrorType}

// expr checks an expression and returns its type. want flows in from outside,
// so that what does not fit is reported at the innermost expression; nil wants
// nothing. The result fits want, or is the error type.
func (c *checker) expr(x hclNode, en *env, want *types.Type, s *subject) typed {
	got := c.exprOf(x, en, want, s)
	if c.rec != nil {
		c.saw(x, en, want, s, got.t)
	}
	return got
}

// exprOf is expr for a node alone.
func (c *checker) exprOf(x hclNode, en *env, want *types.Type, s *subject) typed {
	switch x := x.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.RelativeTraversalExpr, *hclsyntax.IndexExpr:
		return c.fit(x, en, want, c.read(x, en), s)
	case *hclsyntax.ParenthesesExpr:
		return c.expr(x.Expression, en, want, s)
	case *hclsyntax.TemplateWrapExpr:
		return c.expr(x.Wrapped, en, want, s)
	case *hclsyntax.LiteralValueExpr:
		return c.fit(x, en, want, c.literal(x), s)
	case *hclsyntax.TemplateExpr:
		return c.fit(x, en, want, c.template(x, en), s)
	case *hclsyntax.TemplateJoinExpr:
		return c.fit(x, en, want, c.templateJoin(x, en), s)
	case *hclsyntax.FunctionCallExpr:
		return c.call(x, en, want, s)
	case *hclsyntax.ConditionalExpr:
		return c.conditional(x, en, want, s)
	case *hclsyntax.TupleConsExpr:
		return c.tuple(x, en, want, s)
	case *hclsyntax.ObjectConsExpr:
		return c.object(x, en, want, s)
	case *hclsyntax.ForExpr:
		return c.forExpr(x, en, want, s)
	case *hclsyntax.SplatExpr:
		return c.fit(x, en, want, c.splat(x, en), s)
	case *hclsyntax.BinaryOpExpr:
		return c.fit(x, en, want, c.binary(x, en), s)
	case *hclsyntax.UnaryOpExpr:
		return c.fit(x, en, want, c.unary(x, en), s)
	case *hclsyntax.AnonSymbolExpr:
		if t := en.symbol(x); t != nil {
			return c.fit(x, en, want, of(t), s)
		}
		return failed
	case *hclsyntax.ObjectConsKeyExpr:
		return c.expr(x.Wrapped, en, want, s)
	}
	// A syntax error, which has its diagnostic from the parser.
	return failed
}

// infer checks an expression of which nothing is wanted.
func (c *checker) infer(x hclNode, en *env) *types.Type { return c.expr(x, en, nil, nil).t }

// literal returns the type of a number, bool or null, or of a template's text.
func (c *checker) literal(x *hclsyntax.LiteralValueExpr) typed {
	v, ok, err := c.sub(x).Literal(x)
	if err != nil || !ok {
		c.textual = c.textual || err != nil
		return failed // a syntax error has its diagnostic
	}
	if v.IsNull() {
		return of(types.NullType)
	}
	return of(types.LiteralOf(v))
}

func (c *checker) conditional(x *hclsyntax.ConditionalExpr, en *env, want *types.Type, s *subject) typed {
	en = en.unless(c.expr(x.Condition, en, types.BoolType, conditionSubject).t.IsError())
	yes := c.expr(x.TrueResult, c.assume(x.Condition, true, en), want, s)
	no := c.expr(x.FalseResult, c.assume(x.Condition, false, en), want, s)
	return c.join(x, want, []typed{yes, no}, []hclNode{x.TrueResult, x.FalseResult}, "branches")
}

var conditionSubject = &subject{plain: "The condition"}

// join returns the type of an expression that is one of several parts. Where
// a type was wanted each part fits it already; else the parts need a common
// type (LANGUAGE 2, "Conditionals").
func (c *checker) join(x hclNode, want *types.Type, parts []typed, nodes []hclNode, noun string) typed {
	out := parts[0]
	for i, p := range parts {
		if p.t.IsError() {
			return failed
		}
		if i == 0 {
			continue
		}
		t, ok := types.Join(out.t, p.t)
		if want != nil && !isAny(want) && (!ok || types.Assignable(want, t) != nil) {
			// Each fits what is wanted, which may say less than they do, or tell them apart.
			return of(types.UnionOf(typesOf(parts)...))
		}
		if !ok {
			c.noCommonType(x, out.t, p.t, nodes[i], noun)
			return failed
		}
		if out.cause == nil {
			out.cause = p.cause
		}
		out = typed{t: t, present: whereThere(out, p), cause: out.cause}
	}
	return out
}

func typesOf(parts []typed) []*types.Type {
	ts := make([]*types.Type, len(parts))
	for i, p := range parts {
		ts[i] = p.t
	}
	return ts
}

// whereThere returns the type of either of two parts where it is not absent,
// nil where neither can be.
func whereThere(a, b typed) *types.Type {
	if a.present == nil && b.present == nil {
		return nil
	}
	at, bt := a.present, b.present
	if at == nil {
		at = a.t
	}
	if bt == nil {
		bt = b.t
	}
	t, ok := types.Join(at, bt)
	if !ok {
		return types.UnionOf(at, bt)
	}
	return t
}

func (c *checker) tuple(x *hclsyntax.TupleConsExpr, en *env, want *types.Type, s *subject) typed {
	w := literalTarget(want, types.List, types.Tuple)
	items := make([]*types.Type, len(x.Exprs))
	bad := false
	for i, e := range x.Exprs {
		var elem *types.Type
		if w != nil {
			if w.Kind() == types.List {
				elem = w.Elem()
			} else if i < len(w.Items()) {
				elem = w.Items()[i]
			}
		}
		var sub *subject
		if elem != nil {
			sub = s.element(i)
		}
		items[i] = c.expr(e, en, elem, sub).t
		bad = bad || items[i].IsError()
	}
	if bad {
		return of(types.TupleOf(items...)) // what is wrong inside has been said
	}
	return c.fit(x, en, want, of(types.TupleOf(items...)), s)
}

// literalTarget returns the one type of the given kinds that a literal list or
// object can be meant as where want is wanted, or nil: its parts are checked
// against nothing then, and the whole against want.
func literalTarget(want *types.Type, kinds ...types.Kind) *types.Type {
	if want == nil {
		return nil
	}
	w := want.Underlying()
	is := func(t *types.Type) bool {
		for _, k := range kinds {
			if t.Kind() == k {
				return true
			}
		}
		return false
	}
	if is(w) {
		return w
	}
	if w.Kind() != types.Union {
		return nil
	}
	var one *types.Type
	for _, m := range w.Items() {
		switch u := m.Underlying(); {
		case is(u) && one == nil:
			one = u
		case is(u), u.Kind() == types.Union, u.Kind() == types.Any:
			return nil
		}
	}
	return one
}

func isAny(t *types.Type) bool { return t.Underlying().Kind() == types.Any }

// constant returns the value of an expression that is a literal, or a list or
// object of literals.
func (c *checker) constant(x hclNode) *value.Value {
	if v, ok := c.sub(x).Constant(); ok {
		return &v
	}
	return nil
}
