package compiler

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/expr"
)

// withFiles returns an expression with the text of each file("path") in its
// place: a plan is run where the project's files may not be. The expression was
// checked, so that the files are there.
func withFiles(p *project.Project, e expr.Expr) expr.Expr {
	calls := fileCalls(e.Node)
	if len(calls) == 0 {
		return e
	}
	slices.SortFunc(calls, func(a, b *hclsyntax.FunctionCallExpr) int { return a.Range().Start.Byte - b.Range().Start.Byte })
	whole := e.Range()
	var text strings.Builder
	at := whole.Start.Byte
	for _, c := range calls {
		name, ok := e.Sub(c.Args[0]).Text()
		if !ok {
			continue
		}
		content, err := p.Content(name)
		if err != nil {
			continue
		}
		r := c.Range()
		text.Write(e.Source[at:r.Start.Byte])
		quote(&text, content)
		at = r.End.Byte
	}
	text.Write(e.Source[at:whole.End.Byte])
	out, problems := expr.Parse(text.String(), whole.Filename)
	if out.IsZero() || problems.HasErrors() {
		return e
	}
	return out
}

// fileCalls returns the calls of file in an expression.
func fileCalls(node hclsyntax.Expression) (out []*hclsyntax.FunctionCallExpr) {
	if node == nil {
		return nil
	}
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		if c, ok := n.(*hclsyntax.FunctionCallExpr); ok && c.Name == "file" && len(c.Args) == 1 {
			out = append(out, c)
		}
		return nil
	})
	return out
}

// quote writes a text as a literal of the language.
func quote(s *strings.Builder, text string) {
	s.WriteByte('"')
	for i, c := range text {
		switch {
		case c == '"' || c == '\\':
			s.WriteByte('\\')
			s.WriteRune(c)
		case c == '\n':
			s.WriteString(`\n`)
		case c == '\r':
			s.WriteString(`\r`)
		case c == '\t':
			s.WriteString(`\t`)
		case (c == '$' || c == '%') && strings.HasPrefix(text[i+1:], "{"):
			s.WriteRune(c)
			s.WriteRune(c)
		case !unicode.IsPrint(c) && c > 0xffff:
			fmt.Fprintf(s, `\U%08x`, c)
		case !unicode.IsPrint(c):
			fmt.Fprintf(s, `\u%04x`, c)
		default:
			s.WriteRune(c)
		}
	}
	s.WriteByte('"')
}
