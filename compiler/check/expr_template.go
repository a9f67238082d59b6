package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
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
		if c.ofAnotherLanguage(p, en) {
			ok = false
			continue
		}
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

// ofAnotherLanguage reports a sequence that can be read as an expression and is one
// of a shell, as ${x+set}: nothing in it has a meaning here.
func (c *checker) ofAnotherLanguage(x hclNode, en *env) bool {
	b, ok := x.(*hclsyntax.BinaryOpExpr)
	if !ok || strings.ContainsAny(c.text(b.SrcRange), " \t") {
		return false
	}
	at, ok := c.sequence(b.SrcRange)
	if !ok || !c.meansNothing(b.LHS, en) || !c.meansNothing(b.RHS, en) {
		return false
	}
	c.report(c.escaped(diag.New(codeUnknownName, b.SrcRange, "Nothing that stands here has a meaning in an expression."), at, b.SrcRange))
	return true
}

// meansNothing reports whether x is a name alone that nothing has or is near to.
func (c *checker) meansNothing(x hclNode, en *env) bool {
	t, ok := x.(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(t.Traversal) != 1 {
		return false
	}
	name := t.Traversal.RootName()
	if _, near := nearest.Name(name, c.visible(en)); near || slices.Contains(c.visible(en), name) {
		return false
	}
	return c.f == nil || c.f.inputs[name] == nil && c.f.locals[name] == nil && c.f.steps[name] == nil && c.f.sources[name] == nil
}

// escaped adds to a finding about the sequence r, whose ${ stands at opener, how it
// is written where it belongs to another language.
func (c *checker) escaped(d diag.Diagnostic, opener, r hcl.Range) diag.Diagnostic {
	text := "$" + string(c.source[opener.Start.Byte:r.End.Byte]) + "}"
	d.Detail += fmt.Sprintf(" Where \"${\" belongs to the language of the text, as in a shell script, write %s.", text)
	return d.Fix("Write "+text, false, before(opener, "$"))
}

// sequence returns the place of the ${ that stands directly before r, or before its negation.
func (c *checker) sequence(r hcl.Range) (hcl.Range, bool) {
	start := r.Start.Byte
	for start > 0 && start <= len(c.source) && (c.source[start-1] == ' ' || c.source[start-1] == '~' || c.source[start-1] == '!') {
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
