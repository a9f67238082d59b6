package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// printable is what a template turns into text.
var printable = types.UnionOf(types.StringType, types.NumberType, types.BoolType)

var partSubject = &subject{plain: "A value in a template"}

// template checks text in quotes or a heredoc.
func (c *checker) template(x *hclsyntax.TemplateExpr, en *env) typed {
	if text, ok := c.sub(x).Text(); ok {
		return of(types.LiteralOf(value.OfString(text)))
	}
	ok := true
	for _, p := range x.Parts {
		if l, ok := p.(*hclsyntax.LiteralValueExpr); ok && l.Val.Type() == cty.String {
			continue // the text between
		}
		ok = !c.strict(p, en, printable, partSubject).t.IsError() && ok
	}
	if !ok {
		return failed
	}
	return of(types.StringType)
}

// templateJoin checks `%{ for }`.
func (c *checker) templateJoin(x *hclsyntax.TemplateJoinExpr, en *env) typed {
	if c.expr(x.Tuple, en, types.ListOf(printable), nil).t.IsError() {
		return failed
	}
	return of(types.StringType)
}
