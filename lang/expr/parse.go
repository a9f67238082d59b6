package expr

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// Parse parses one expression, such as a plan's canonical text, after the scan
// of [Guard]. The expression is zero only where the scan found something;
// after other errors it is as much as could be read.
func Parse(text, filename string) (Expr, diag.List) {
	src := []byte(text)
	outline, refused := scan(src, filename, false, maxPlanJoin)
	if len(refused) > 0 {
		return Expr{}, refused
	}
	node, problems := hclsyntax.ParseExpression(outline.Hide(src), filename, hcl.InitialPos)
	if !outline.Restore(node, src) {
		node, problems = hclsyntax.ParseExpression(src, filename, hcl.InitialPos)
	}
	var list diag.List
	for _, p := range problems {
		at := hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}
		if p.Subject != nil {
			at = *p.Subject
		}
		list = append(list, diag.New("WFC1019", at, "%s: %s", p.Summary, p.Detail))
	}
	return Expr{Node: node, Source: src}, list
}
