package lint

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

// identicalBranches reports a conditional that gives the same either way.
func (p *pass) identicalBranches(x *hclsyntax.ConditionalExpr) {
	if !p.same(x.TrueResult, x.FalseResult) {
		return
	}
	r := x.Range()
	if r.Empty() || p.isDirective(x) {
		return
	}
	d := diag.New(codeIdenticalBranches, r, "Both branches are the same, so that the condition decides nothing. Change one of them, or write it without the condition.")
	p.report(d.Fix("Write it without the condition", false, diag.Edit{Range: diag.RangeOf(r), Text: p.text(x.TrueResult)}))
}

// isDirective reports whether a conditional is written as %{ if }, whose empty branches are the same.
func (p *pass) isDirective(x *hclsyntax.ConditionalExpr) bool {
	between := textIn(p.src, x.Range())
	return len(between) > 1 && between[:2] == "%{"
}

// same reports whether two expressions are written the same, but for white space,
// parentheses and the like.
func (p *pass) same(a, b node) bool {
	a, b = unparen(a), unparen(b)
	if !sameKind(a, b) {
		return false
	}
	return expr.Print(expr.Expr{Node: a, Source: p.src}) == expr.Print(expr.Expr{Node: b, Source: p.src})
}

// sameKind is a first, cheap look.
func sameKind(a, b node) bool {
	switch a := a.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		b, ok := b.(*hclsyntax.ScopeTraversalExpr)
		return ok && len(a.Traversal) == len(b.Traversal) && a.Traversal.RootName() == b.Traversal.RootName()
	case *hclsyntax.LiteralValueExpr:
		_, ok := b.(*hclsyntax.LiteralValueExpr)
		return ok
	case *hclsyntax.TemplateExpr:
		b, ok := b.(*hclsyntax.TemplateExpr)
		return ok && len(a.Parts) == len(b.Parts)
	case *hclsyntax.FunctionCallExpr:
		b, ok := b.(*hclsyntax.FunctionCallExpr)
		return ok && a.Name == b.Name && len(a.Args) == len(b.Args)
	case *hclsyntax.TupleConsExpr:
		b, ok := b.(*hclsyntax.TupleConsExpr)
		return ok && len(a.Exprs) == len(b.Exprs)
	case *hclsyntax.ObjectConsExpr:
		b, ok := b.(*hclsyntax.ObjectConsExpr)
		return ok && len(a.Items) == len(b.Items)
	case *hclsyntax.IndexExpr:
		_, ok := b.(*hclsyntax.IndexExpr)
		return ok
	case *hclsyntax.RelativeTraversalExpr:
		_, ok := b.(*hclsyntax.RelativeTraversalExpr)
		return ok
	case *hclsyntax.SplatExpr:
		_, ok := b.(*hclsyntax.SplatExpr)
		return ok
	case *hclsyntax.TemplateWrapExpr:
		_, ok := b.(*hclsyntax.TemplateWrapExpr)
		return ok
	}
	return false
}
