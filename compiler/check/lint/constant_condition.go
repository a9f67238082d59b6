package lint

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

// constantCondition reports a condition that always or never holds, as it is
// written or by the only outcome that a step can have. Names whose values happen to be
// known are no reason: they are what one changes.
func (p *pass) constantCondition(x node) {
	holds, known := p.decide(x)
	if !known {
		return
	}
	what := "never"
	if holds {
		what = "always"
	}
	p.report(diag.New(codeConstantCondition, x.Range(), "This condition %s holds. Write what is to be asked, or remove the condition and what it keeps out.", what))
}

// decide returns whether a condition is known to hold.
func (p *pass) decide(x node) (holds, known bool) {
	switch x := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return p.decide(x.Expression)
	case *hclsyntax.LiteralValueExpr:
		if x.Val.Type() == cty.Bool && x.Val.IsKnown() && !x.Val.IsNull() {
			return x.Val.True(), true
		}
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpLogicalNot {
			h, k := p.decide(x.Val)
			return !h, k
		}
	case *hclsyntax.BinaryOpExpr:
		return p.decideBinary(x)
	}
	return false, false
}

func (p *pass) decideBinary(x *hclsyntax.BinaryOpExpr) (holds, known bool) {
	switch x.Op {
	case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
		or := x.Op == hclsyntax.OpLogicalOr
		l, lk := p.decide(x.LHS)
		r, rk := p.decide(x.RHS)
		if lk && l == or || rk && r == or {
			return or, true
		}
		return !or, lk && rk
	case hclsyntax.OpEqual, hclsyntax.OpNotEqual:
		equal := x.Op == hclsyntax.OpEqual
		if p.same(x.LHS, x.RHS) || p.isOnlyOutcome(x.LHS, x.RHS) || p.isOnlyOutcome(x.RHS, x.LHS) {
			return equal, true
		}
	case hclsyntax.OpGreaterThanOrEqual, hclsyntax.OpLessThanOrEqual:
		if p.same(x.LHS, x.RHS) {
			return true, true
		}
		// length(x) >= 0
		if x.Op == hclsyntax.OpGreaterThanOrEqual && isLength(x.LHS) && isZero(x.RHS) || x.Op == hclsyntax.OpLessThanOrEqual && isZero(x.LHS) && isLength(x.RHS) {
			return true, true
		}
	case hclsyntax.OpGreaterThan, hclsyntax.OpLessThan:
		if p.same(x.LHS, x.RHS) {
			return false, true
		}
		// length(x) < 0
		if x.Op == hclsyntax.OpLessThan && isLength(x.LHS) && isZero(x.RHS) || x.Op == hclsyntax.OpGreaterThan && isZero(x.LHS) && isLength(x.RHS) {
			return false, true
		}
	}
	return false, false
}

func isLength(x node) bool {
	call, ok := unparen(x).(*hclsyntax.FunctionCallExpr)
	return ok && call.Name == "length"
}

func isZero(x node) bool {
	lit, ok := unparen(x).(*hclsyntax.LiteralValueExpr)
	return ok && lit.Val.Type() == cty.Number && lit.Val.IsKnown() && !lit.Val.IsNull() && lit.Val.AsBigFloat().Sign() == 0
}

// isOnlyOutcome reports whether x is the outcome of a step that always ends "ok"
// where others read it, and y is that text. In a finally block every step may have another.
func (p *pass) isOnlyOutcome(x, y node) bool {
	t, ok := unparen(x).(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(t.Traversal) < 3 || t.Traversal.RootName() != "step" || p.isBound("step") || p.owner.step != nil && p.owner.step.Syntax.Finally {
		return false
	}
	last, ok := t.Traversal[len(t.Traversal)-1].(hcl.TraverseAttr)
	if !ok || last.Name != "outcome" {
		return false
	}
	for _, between := range t.Traversal[2 : len(t.Traversal)-1] {
		if _, index := between.(hcl.TraverseIndex); !index {
			return false
		}
	}
	// What a local says may be read in a finally block.
	if p.owner.local != nil && len(p.flow.Syntax.Finally) > 0 {
		return false
	}
	name, _ := p.nameOf(t)
	s := p.steps[name]
	if s == nil || !s.OnlyOK {
		return false
	}
	v, ok := expr.Expr{Node: unparen(y), Source: p.src}.Text()
	return ok && v == "ok"
}

func (p *pass) isBound(name string) bool {
	for _, b := range p.bound {
		if b == name {
			return true
		}
	}
	return false
}
