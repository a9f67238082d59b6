package check

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
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
	outer := c.heredoc
	c.heredoc = strings.HasPrefix(c.text(x.SrcRange), "<<")
	defer func() { c.heredoc = outer }()
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

// sequence returns the place of the ${ that stands directly before r.
func (c *checker) sequence(r hcl.Range) (hcl.Range, bool) {
	start := r.Start.Byte
	for start > 0 && start <= len(c.source) && (c.source[start-1] == ' ' || c.source[start-1] == '~') {
		start--
	}
	if start < 2 || start > len(c.source) || string(c.source[start-2:start]) != "${" {
		return r, false
	}
	r.Start.Column -= r.Start.Byte - (start - 2)
	r.Start.Byte = start - 2
	return r, true
}

// templateJoin checks `%{ for }`.
func (c *checker) templateJoin(x *hclsyntax.TemplateJoinExpr, en *env) typed {
	if c.expr(x.Tuple, en, types.ListOf(printable), nil).t.IsError() {
		return failed
	}
	return of(types.StringType)
}
