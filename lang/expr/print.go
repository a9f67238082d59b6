package expr

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/value"
)

// Print returns the canonical text of e: one line without comments and needless
// parentheses, texts and heredocs as quoted templates, numbers as they are written,
// "${x}" as x. Texts that differ in such things only have one print;
// reading the print gives an expression of the same meaning and the same print.
// Print of the zero Expr is "". What the parser left for something that could not be read
// prints as null.
func Print(e Expr) string {
	if e.Node == nil {
		return ""
	}
	p := printer{e: e}
	p.expr(e.Node, lowest)
	return p.b.String()
}

type printer struct {
	e Expr
	b strings.Builder
}

// How tightly operators bind. An operand of a lower rank stands in parentheses.
const (
	lowest = iota // the conditional
	logicalOr
	logicalAnd
	equality
	comparison
	additive
	multiplicative
	unary
	term // what may be traversed
)

// operators has the symbol and rank of each binary operator.
var operators = map[*hclsyntax.Operation]struct {
	symbol string
	rank   int
}{
	hclsyntax.OpLogicalOr:          {"||", logicalOr},
	hclsyntax.OpLogicalAnd:         {"&&", logicalAnd},
	hclsyntax.OpEqual:              {"==", equality},
	hclsyntax.OpNotEqual:           {"!=", equality},
	hclsyntax.OpGreaterThan:        {">", comparison},
	hclsyntax.OpGreaterThanOrEqual: {">=", comparison},
	hclsyntax.OpLessThan:           {"<", comparison},
	hclsyntax.OpLessThanOrEqual:    {"<=", comparison},
	hclsyntax.OpAdd:                {"+", additive},
	hclsyntax.OpSubtract:           {"-", additive},
	hclsyntax.OpMultiply:           {"*", multiplicative},
	hclsyntax.OpDivide:             {"/", multiplicative},
	hclsyntax.OpModulo:             {"%", multiplicative},
}

// OperatorSymbol returns how a binary or unary operator is written.
func OperatorSymbol(op *hclsyntax.Operation) string {
	switch op {
	case hclsyntax.OpNegate:
		return "-"
	case hclsyntax.OpLogicalNot:
		return "!"
	}
	return operators[op].symbol
}

// rank returns how tightly a node binds as it is printed.
func (p *printer) rank(node hclsyntax.Expression) int {
	switch n := node.(type) {
	case *hclsyntax.ConditionalExpr:
		return lowest
	case *hclsyntax.BinaryOpExpr:
		return operators[n.Op].rank
	case *hclsyntax.UnaryOpExpr:
		return unary
	case *hclsyntax.SplatExpr:
		return unary // what follows would belong to each element
	}
	return term
}

// bare returns what is printed for a node: what parentheses or a template that
// is one expression hold.
func bare(node hclsyntax.Expression) hclsyntax.Expression {
	for {
		switch n := node.(type) {
		case *hclsyntax.ParenthesesExpr:
			node = n.Expression
		case *hclsyntax.TemplateWrapExpr:
			node = n.Wrapped
		default:
			return node
		}
	}
}

// expr prints node where an operand of at least the rank is wanted.
func (p *printer) expr(node hclsyntax.Expression, rank int) {
	node = bare(node)
	if p.rank(node) < rank {
		p.b.WriteByte('(')
		defer p.b.WriteByte(')')
	}
	switch n := node.(type) {
	case *hclsyntax.LiteralValueExpr:
		p.literal(n)
	case *hclsyntax.ScopeTraversalExpr:
		p.b.WriteString(n.Traversal.RootName())
		p.steps(n.Traversal[1:])
	case *hclsyntax.RelativeTraversalExpr:
		p.source(n.Source)
		p.steps(n.Traversal)
	case *hclsyntax.AnonSymbolExpr:
		// The element of a splat, whose marker is printed already.
	case *hclsyntax.FunctionCallExpr:
		p.b.WriteString(n.Name)
		p.b.WriteByte('(')
		p.list(n.Args)
		if n.ExpandFinal {
			p.b.WriteString("...")
		}
		p.b.WriteByte(')')
	case *hclsyntax.ConditionalExpr:
		p.expr(n.Condition, logicalOr)
		p.b.WriteString(" ? ")
		p.expr(n.TrueResult, lowest)
		p.b.WriteString(" : ")
		p.expr(n.FalseResult, lowest)
	case *hclsyntax.IndexExpr:
		p.source(n.Collection)
		p.b.WriteByte('[')
		p.expr(n.Key, lowest)
		p.b.WriteByte(']')
	case *hclsyntax.TupleConsExpr:
		p.b.WriteByte('[')
		p.list(n.Exprs)
		p.b.WriteByte(']')
	case *hclsyntax.ObjectConsExpr:
		p.object(n)
	case *hclsyntax.ForExpr:
		p.loop(n)
	case *hclsyntax.SplatExpr:
		p.source(n.Source)
		p.b.WriteString("[*]")
		p.expr(n.Each, lowest)
	case *hclsyntax.BinaryOpExpr:
		p.binary(n)
	case *hclsyntax.UnaryOpExpr:
		p.b.WriteString(OperatorSymbol(n.Op))
		p.expr(n.Val, unary)
	case *hclsyntax.TemplateExpr:
		p.template(p.e.TemplateParts(n))
	case *hclsyntax.ObjectConsKeyExpr:
		p.expr(n.Wrapped, rank)
	default: // ExprSyntaxError and what else an erroneous file has
		p.b.WriteString("null")
	}
}

// source prints what is traversed. A literal needs parentheses, since 1.a would
// be read as a number.
func (p *printer) source(node hclsyntax.Expression) {
	if lit, ok := bare(node).(*hclsyntax.LiteralValueExpr); ok {
		p.b.WriteByte('(')
		p.literal(lit)
		p.b.WriteByte(')')
		return
	}
	p.expr(node, term)
}

func (p *printer) literal(n *hclsyntax.LiteralValueExpr) {
	v, _, err := p.e.Literal(n)
	if err != nil { // keeps its text, so that Print needs no error
		p.b.Write(p.e.bytes(n.SrcRange))
		return
	}
	if v.Kind() == value.String {
		p.quoted(v.AsString())
		return
	}
	p.b.WriteString(v.JSON())
}

func (p *printer) list(nodes []hclsyntax.Expression) {
	for i, n := range nodes {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.expr(n, lowest)
	}
}

func (p *printer) steps(steps hcl.Traversal) {
	for _, step := range steps {
		switch s := step.(type) {
		case hcl.TraverseAttr:
			p.b.WriteByte('.')
			p.b.WriteString(s.Name)
		case hcl.TraverseIndex:
			key, err := p.e.IndexKey(s)
			switch {
			case err != nil: // keeps its text, as literal does
				p.b.Write(p.e.bytes(s.SrcRange))
				continue
			case key.Kind() == value.String:
				p.b.WriteByte('[')
				p.quoted(key.AsString())
			default:
				p.b.WriteByte('[')
				p.b.WriteString(key.JSON())
			}
			p.b.WriteByte(']')
		}
	}
}

func (p *printer) object(n *hclsyntax.ObjectConsExpr) {
	if len(n.Items) == 0 {
		p.b.WriteString("{}")
		return
	}
	p.b.WriteString("{ ")
	for i, item := range n.Items {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.key(item.KeyExpr)
		p.b.WriteString(" = ")
		p.expr(item.ValueExpr, lowest)
	}
	p.b.WriteString(" }")
}

// key prints the key of an object. Whether it is a name or computed decides
// how it is written, never its parentheses alone.
func (p *printer) key(node hclsyntax.Expression) {
	k, ok := node.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		p.expr(node, term)
		return
	}
	name, ok := p.e.ObjectKey(k)
	if !ok {
		if name, ok = p.e.Sub(bare(k.Wrapped)).Text(); !ok && ambiguousKey(k) {
			p.expr(k.Wrapped, lowest)
			return
		}
	}
	switch {
	case ok && isName(name):
		p.b.WriteString(name)
	case ok:
		p.quoted(name)
	default:
		if t, isTemplate := bare(k.Wrapped).(*hclsyntax.TemplateExpr); isTemplate {
			p.expr(t, lowest)
			return
		}
		p.b.WriteByte('(')
		p.expr(k.Wrapped, lowest)
		p.b.WriteByte(')')
	}
}

// isName reports whether a key can be written without quotes.
func isName(s string) bool {
	switch s {
	case "for", "true", "false", "null":
		return false
	}
	if s == "" || !inWord[s[0]] || s[0] == '-' || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !inWord[s[i]] {
			return false
		}
	}
	return true
}

func (p *printer) loop(n *hclsyntax.ForExpr) {
	end := byte(']')
	if n.KeyExpr != nil {
		end = '}'
		p.b.WriteString("{for ")
	} else {
		p.b.WriteString("[for ")
	}
	p.names(n.KeyVar, n.ValVar)
	p.b.WriteString(" in ")
	p.expr(n.CollExpr, lowest)
	p.b.WriteString(" : ")
	if n.KeyExpr != nil {
		p.expr(n.KeyExpr, lowest)
		p.b.WriteString(" => ")
	}
	p.expr(n.ValExpr, lowest)
	if n.Group {
		p.b.WriteString("...")
	}
	if n.CondExpr != nil {
		p.b.WriteString(" if ")
		p.expr(n.CondExpr, lowest)
	}
	p.b.WriteByte(end)
}

func (p *printer) names(key, val string) {
	if key != "" {
		p.b.WriteString(key)
		p.b.WriteString(", ")
	}
	p.b.WriteString(val)
}

// binary prints a chain of operators of one rank without recursion.
func (p *printer) binary(n *hclsyntax.BinaryOpExpr) {
	rank := operators[n.Op].rank
	chain := []*hclsyntax.BinaryOpExpr{n}
	first := bare(n.LHS)
	for {
		left, ok := first.(*hclsyntax.BinaryOpExpr)
		if !ok || operators[left.Op].rank != rank {
			break
		}
		chain = append(chain, left)
		first = bare(left.LHS)
	}
	p.expr(first, rank)
	for i := len(chain) - 1; i >= 0; i-- {
		p.b.WriteByte(' ')
		p.b.WriteString(operators[chain[i].Op].symbol)
		p.b.WriteByte(' ')
		p.expr(chain[i].RHS, rank+1)
	}
}

// template prints a template in quotes. A template whose only part is an
// expression gives text, where "${x}" alone would give x: it gets an empty second part.
func (p *printer) template(parts []Part) {
	p.b.WriteByte('"')
	p.parts(parts)
	if len(parts) == 1 && parts[0].Expr != nil {
		p.b.WriteString(`${""}`)
	}
	p.b.WriteByte('"')
}

func (p *printer) parts(parts []Part) {
	for _, part := range parts {
		switch {
		case part.Expr != nil:
			p.b.WriteString("${")
			p.expr(part.Expr, lowest)
			p.b.WriteByte('}')
		case part.If != nil:
			p.b.WriteString("%{if ")
			p.expr(part.If.Cond, lowest)
			p.b.WriteByte('}')
			p.parts(part.If.Then)
			if len(part.If.Else) > 0 {
				p.b.WriteString("%{else}")
				p.parts(part.If.Else)
			}
			p.b.WriteString("%{endif}")
		case part.For != nil:
			p.b.WriteString("%{for ")
			p.names(part.For.KeyVar, part.For.ValVar)
			p.b.WriteString(" in ")
			p.expr(part.For.Coll, lowest)
			p.b.WriteByte('}')
			p.parts(part.For.Body)
			p.b.WriteString("%{endfor}")
		default:
			p.text(part.Text)
		}
	}
}

func (p *printer) quoted(s string) {
	p.b.WriteByte('"')
	p.text(s)
	p.b.WriteByte('"')
}

// text prints literal text inside of quotes, after which a sequence may follow.
func (p *printer) text(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			p.b.WriteByte('\\')
			p.b.WriteByte(c)
		case '\n':
			p.b.WriteString(`\n`)
		case '\r':
			p.b.WriteString(`\r`)
		case '\t':
			p.b.WriteString(`\t`)
		case '$', '%':
			i = p.marks(s, i) - 1
		default:
			if c < 0x20 || c == 0x7F {
				fmt.Fprintf(&p.b, `\u%04x`, c)
			} else {
				p.b.WriteByte(c)
			}
		}
	}
}

// marks prints the run of $ or % at i and what must stay with it, and returns
// where to go on. One before a brace is doubled; several, or some at the end,
// are written as escapes, because how HCL reads those depends on where its tokens begin.
func (p *printer) marks(s string, i int) int {
	end := i
	for end < len(s) && (s[end] == '$' || s[end] == '%') {
		end++
	}
	brace := end < len(s) && s[end] == '{'
	switch {
	case brace && end == i+1:
		p.b.WriteByte(s[i])
		p.b.WriteString(s[i:end])
	case brace || end-i > 1 || end == len(s):
		for _, c := range s[i:end] {
			fmt.Fprintf(&p.b, `\u%04x`, c)
		}
	default:
		p.b.WriteByte(s[i])
	}
	return end
}
