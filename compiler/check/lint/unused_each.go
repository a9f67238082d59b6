package lint

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// isCount reports whether a fan-out is written over a number, which is an error:
// so many times is meant.
func isCount(a *syntax.Attribute) bool {
	lit, ok := unparen(a.Expr.Node).(*hclsyntax.LiteralValueExpr)
	return ok && lit.Val.Type() == cty.Number
}

// unusedEach reports the fan-outs that do the same for every element.
func (p *pass) unusedEach() {
	for _, s := range p.list {
		if y := s.Syntax; y.ForEach != nil && !s.each && !isCount(y.ForEach) {
			p.report(diag.New(codeUnusedEach, y.ForEach.NameRange, "The step %q never uses each, so that it does the same for every element. Use each.value or each.key in it, or remove for_each.", y.Name.Text))
		}
	}
}
