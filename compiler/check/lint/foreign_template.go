package lint

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
)

// foreignTemplate reports ${1} in a text: the parameter of a shell script, say, that
// wfc replaces by the number. Names that do not exist are errors already.
func (p *pass) foreignTemplate(x *hclsyntax.TemplateExpr) {
	if len(x.Parts) < 2 {
		return
	}
	for _, part := range x.Parts {
		lit, ok := part.(*hclsyntax.LiteralValueExpr)
		if !ok || lit.Val.Type() != cty.Number {
			continue
		}
		r := lit.Range()
		start := r.Start.Byte
		for start > 0 && (p.src[start-1] == ' ' || p.src[start-1] == '~') {
			start--
		}
		if start < 2 || string(p.src[start-2:start]) != "${" {
			continue
		}
		text := p.text(lit)
		before := r
		before.Start.Column -= before.Start.Byte - (start - 2)
		before.Start.Byte = start - 2
		before.End = before.Start
		p.report(diag.New(codeForeignTemplate, r, "Here wfc puts in the number %s. Where \"${\" belongs to the language of the text, as in a shell script, write $${%s}.", text, text).
			Fix("Write $${"+text+"}", false, diag.Edit{Range: diag.RangeOf(before), Text: "$"}))
	}
}
