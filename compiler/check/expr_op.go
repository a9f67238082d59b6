package check

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

var (
	operandSubject = &subject{plain: "The operand"}
	sumSubject     = &subject{plain: "The operand"} // of +
)

func (c *checker) binary(x *hclsyntax.BinaryOpExpr, en *env) typed {
	switch x.Op {
	case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
		l := c.operand(x.LHS, en, types.BoolType)
		r := c.operand(x.RHS, c.assume(x.LHS, x.Op == hclsyntax.OpLogicalAnd, en.unless(l.IsError())), types.BoolType)
		if l.IsError() || r.IsError() {
			return failed
		}
		return of(types.BoolType)
	case hclsyntax.OpEqual, hclsyntax.OpNotEqual:
		return c.comparison(x, en)
	}
	s := operandSubject
	if x.Op == hclsyntax.OpAdd {
		s = sumSubject
	}
	before := len(c.diags)
	l := c.strict(x.LHS, en, types.NumberType, s).t
	if l.IsError() && c.noNumbers(x, before, en) {
		return failed
	}
	r := c.strict(x.RHS, en, types.NumberType, s).t
	if l.IsError() || r.IsError() {
		return failed
	}
	if !en.isCaught() && c.neverComputed(x) {
		return failed
	}
	switch x.Op {
	case hclsyntax.OpGreaterThan, hclsyntax.OpGreaterThanOrEqual, hclsyntax.OpLessThan, hclsyntax.OpLessThanOrEqual:
		return of(types.BoolType)
	case hclsyntax.OpDivide:
		return of(types.NumberType)
	}
	if isInteger(l) && isInteger(r) {
		return of(types.IntegerType)
	}
	return of(types.NumberType)
}

// noNumbers checks the right operand where the left one has a finding, which came
// after the first before findings: that neither is a number is one mistake. It is
// false where the left one is a number that may be null, so that the right one is
// to be checked as usual.
func (c *checker) noNumbers(x *hclsyntax.BinaryOpExpr, before int, en *env) bool {
	if len(c.diags) != before+1 || c.diags[before].Range != diag.RangeOf(x.LHS.Range()) {
		// It is inside of the operand: what the operand is is not known.
		c.infer(x.RHS, en)
		return true
	}
	var l *types.Type
	c.silently(func() { l = c.infer(x.LHS, en) })
	if l.IsError() {
		c.infer(x.RHS, en)
		return true
	}
	if types.Assignable(types.NullableOf(types.NumberType), l) == nil {
		return false
	}
	r := c.infer(x.RHS, en)
	isOrder := x.Op == hclsyntax.OpGreaterThan || x.Op == hclsyntax.OpGreaterThanOrEqual || x.Op == hclsyntax.OpLessThan || x.Op == hclsyntax.OpLessThanOrEqual
	if isOrder && isString(l) && isString(r) && len(c.diags) == before+1 {
		a, b := c.text(x.LHS.Range()), c.text(x.RHS.Range())
		c.diags[before] = diag.New(codeWrongType, x.SrcRange,
			"What is greater is said of numbers only, and these are texts. Of times ask timecmp(%s, %s), which is less than 0, 0 or greater; which of two texts comes first says sort([%s, %s])[0].", a, b, a, b)
	}
	return true
}

func isString(t *types.Type) bool { return types.Widen(t).Underlying().Kind() == types.String }

// operand checks an operand, which null fails.
func (c *checker) operand(x hclNode, en *env, want *types.Type) *types.Type {
	return c.strict(x, en, want, operandSubject).t
}

// strict checks an expression that fails where it is null: inside try and can
// that is caught and so no mistake.
func (c *checker) strict(x hclNode, en *env, want *types.Type, s *subject) typed {
	if !en.forgives() || want.Nullable() {
		return c.expr(x, en, want, s)
	}
	got := c.expr(x, en, types.NullableOf(want), s)
	if t := types.WithoutNull(got.t); t.Kind() != types.Never {
		got = typed{t: t}
	}
	return got
}

func isInteger(t *types.Type) bool { return types.Assignable(types.IntegerType, t) == nil && !isAny(t) }

func (c *checker) comparison(x *hclsyntax.BinaryOpExpr, en *env) typed {
	l, r := c.infer(x.LHS, en), c.infer(x.RHS, en)
	if l.IsError() || r.IsError() {
		return failed
	}
	if types.Overlap(l, r) || c.mayBecomeEqual(l, r, x.LHS, x.RHS, en) {
		return of(types.BoolType)
	}
	if en.hasFacts() {
		// What conditions around it decided may be compared again: that is needless
		// at worst.
		var l2, r2 *types.Type
		bare := en.withoutFacts()
		c.silently(func() { l2, r2 = c.infer(x.LHS, bare), c.infer(x.RHS, bare) })
		if types.Overlap(l2, r2) {
			return of(types.BoolType)
		}
	}
	c.neverEqual(x, l, r)
	return failed
}

// neverEqual reports a comparison that always has the same result.
func (c *checker) neverEqual(x *hclsyntax.BinaryOpExpr, l, r *types.Type) {
	always := "false"
	if x.Op == hclsyntax.OpNotEqual {
		always = "true"
	}
	lt, rt := c.text(x.LHS.Range()), c.text(x.RHS.Range())
	var d diag.Diagnostic
	switch {
	case r.Underlying().Kind() == types.Null:
		d = diag.New(codeNeverEqual, x.SrcRange, "%s is never null, so that this is always %s.%s", lt, always, c.neverMissing(x.LHS))
	case l.Underlying().Kind() == types.Null:
		d = diag.New(codeNeverEqual, x.SrcRange, "%s is never null, so that this is always %s.%s", rt, always, c.neverMissing(x.RHS))
	default:
		d = diag.New(codeNeverEqual, x.SrcRange, "%s is %s and %s is %s; they are never equal, so that this is always %s.", lt, describe(l), rt, describe(r), always)
		if lw, rw := types.Widen(l).Underlying().Kind(), types.Widen(r).Underlying().Kind(); lw != rw && !(isNumeric(lw) && isNumeric(rw)) {
			d.Detail += " Nothing is converted silently: convert one of them, as with tostring(…)."
		}
	}
	if lit, other, at := literalAgainst(l, r, x); at != nil {
		if near, ok := nearest.Name(lit, literalNames(other)); ok {
			d.Detail += fmt.Sprintf(" Did you mean %q?", near)
			if isText(at) {
				d = d.Fix("Change it to "+near, true, edit(at.Range(), `"`+near+`"`))
			}
		}
	}
	c.report(d)
}

func isNumeric(k types.Kind) bool { return k == types.Number || k == types.Integer }

// literalAgainst returns the string literal of a comparison with an enum.
func literalAgainst(l, r *types.Type, x *hclsyntax.BinaryOpExpr) (lit string, other *types.Type, at hclNode) {
	is := func(t *types.Type) bool {
		u := t.Underlying()
		return u.Kind() == types.Literal && u.Lit().Kind() == value.String
	}
	switch {
	case is(r) && !isText(x.LHS):
		return r.Underlying().Lit().AsString(), types.WithoutNull(l), x.RHS
	case is(l):
		return l.Underlying().Lit().AsString(), types.WithoutNull(r), x.LHS
	}
	return "", nil, nil
}

func (c *checker) unary(x *hclsyntax.UnaryOpExpr, en *env) typed {
	if x.Op == hclsyntax.OpLogicalNot {
		if t := c.operand(x.Val, en, types.BoolType); t.IsError() {
			return failed
		}
		return of(types.BoolType)
	}
	t := c.operand(x.Val, en, types.NumberType)
	switch u := t.Underlying(); {
	case t.IsError():
		return failed
	case u.Kind() == types.Literal && u.Lit().Kind() == value.Number:
		return of(types.LiteralOf(value.OfNumber(u.Lit().AsNumber().Neg())))
	case isInteger(t):
		return of(types.IntegerType)
	}
	return of(types.NumberType)
}
