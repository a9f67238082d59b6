package expr

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Part is one part of a template: literal text, or exactly one of Expr, If and For.
type Part struct {
	Text  string               // literal text as it is meant; "" unless IsText
	Expr  hclsyntax.Expression // of ${ }
	If    *IfPart              // %{ if }
	For   *ForPart             // %{ for }
	Range hcl.Range            // of the text, or of the sequence or directive
}

// IsText reports whether the part is literal text.
func (p Part) IsText() bool { return p.Expr == nil && p.If == nil && p.For == nil }

// IfPart is %{ if Cond }Then%{ else }Else%{ endif }.
type IfPart struct {
	Cond       hclsyntax.Expression
	Then, Else []Part
}

// ForPart is %{ for KeyVar, ValVar in Coll }Body%{ endfor }. KeyVar may be "".
type ForPart struct {
	KeyVar, ValVar string
	Coll           hclsyntax.Expression
	Body           []Part
}

// TemplateParts returns the parts of t, which must be a template as it is written
// (in quotes or as a heredoc), with the directives in their structure; the
// templates that HCL's tree has inside of a directive are no such templates.
// No two texts stand side by side, and none is empty. A template without parts
// is the empty text.
//
// Text is decoded from the source: escapes and the doubled $${ and %%{ are
// resolved, ~ takes the white space of the literal text on its side, up to the
// end of the line in heredocs. In a <<- heredoc the indentation that all lines have in common
// is removed from every line, whatever stands in it; lines of white space only do not
// count for it. In heredocs of both kinds, a line that holds only directives leaves no line.
func (e Expr) TemplateParts(t *hclsyntax.TemplateExpr) []Part {
	src := e.bytes(t.SrcRange)
	if parts, ok := e.quotedParts(t, src); ok {
		return parts
	}
	pieces, ok := e.pieces(t, src)
	if ok {
		b := builder{pieces: pieces}
		if parts := b.parts(t.Parts); b.ok() {
			return parts
		}
	}
	return treeParts(t)
}

// treeParts gives what HCL's tree says, for trees of erroneous files.
func treeParts(t *hclsyntax.TemplateExpr) []Part {
	var parts []Part
	for _, p := range t.Parts {
		if lit, ok := p.(*hclsyntax.LiteralValueExpr); ok && isText(p) {
			if lit.Val.IsKnown() && !lit.Val.IsNull() {
				parts = addText(parts, lit.Val.AsString(), lit.SrcRange)
			}
			continue
		}
		parts = append(parts, Part{Expr: p, Range: p.Range()})
	}
	return parts
}

func addText(parts []Part, text string, at hcl.Range) []Part {
	if text == "" {
		return parts
	}
	if n := len(parts); n > 0 && parts[n-1].IsText() {
		parts[n-1].Text += text
		parts[n-1].Range.End = at.End
		return parts
	}
	return append(parts, Part{Text: text, Range: at})
}

// quotedParts reads a template in quotes that has neither directives nor
// strip markers, in which HCL's ranges say all.
func (e Expr) quotedParts(t *hclsyntax.TemplateExpr, src []byte) ([]Part, bool) {
	if len(src) < 2 || src[0] != '"' || src[len(src)-1] != '"' ||
		len(t.Parts) > 1 && (bytes.Contains(src, []byte("{~")) || bytes.Contains(src, []byte("~}"))) {
		return nil, false
	}
	parts := make([]Part, 0, len(t.Parts))
	for _, p := range t.Parts {
		at := p.Range()
		if isText(p) {
			text, ok := unquote(e.bytes(at))
			if !ok {
				return nil, false
			}
			parts = addText(parts, text, at)
			continue
		}
		if start := e.text(at.Start.Byte, at.Start.Byte+1); len(start) == 0 || start[0] == '%' {
			return nil, false
		}
		parts = append(parts, Part{Expr: p, Range: at})
	}
	return parts, true
}

// piece is a token of literal text or a whole sequence of a template.
type piece struct {
	text       string // literal text, decoded
	sequence   string // "$" of ${ }; the keyword of %{ }; "" of literal text
	stripLeft  bool   // ~ after the opening brace
	stripRight bool   // ~ before the closing brace
	at         hcl.Range
}

// pieces reads the tokens of a template, as they are meant. ok is false for erroneous files.
func (e Expr) pieces(t *hclsyntax.TemplateExpr, src []byte) (pieces []piece, ok bool) {
	heredoc := bytes.HasPrefix(src, []byte("<<"))
	if heredoc {
		// The scanner knows a heredoc's end only by the line break after it.
		end := bytes.IndexByte(e.Source[t.SrcRange.End.Byte:], '\n')
		if end >= 0 {
			src = e.text(t.SrcRange.Start.Byte, t.SrcRange.End.Byte+end+1)
		} else {
			src = append(bytes.Clone(src), '\n')
		}
	}
	tokens, _ := hclsyntax.LexExpression(src, t.SrcRange.Filename, t.SrcRange.Start)
	if len(tokens) < 2 || tokens[0].Type != hclsyntax.TokenOQuote && tokens[0].Type != hclsyntax.TokenOHeredoc {
		return nil, false
	}
	depth := 0 // of sequences
	for _, tok := range tokens[1:] {
		switch tok.Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if depth++; depth == 1 {
				p := piece{at: tok.Range, stripLeft: bytes.HasSuffix(tok.Bytes, []byte("~"))}
				if tok.Type == hclsyntax.TokenTemplateInterp {
					p.sequence = "$"
				}
				pieces = append(pieces, p)
			}
		case hclsyntax.TokenTemplateSeqEnd:
			if depth--; depth == 0 {
				p := &pieces[len(pieces)-1]
				p.at.End = tok.Range.End
				p.stripRight = tok.Bytes[0] == '~'
			}
			if depth < 0 {
				return nil, false
			}
		case hclsyntax.TokenIdent:
			if depth == 1 {
				if p := &pieces[len(pieces)-1]; p.sequence == "" {
					p.sequence = string(tok.Bytes)
				}
			}
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
			if depth == 0 {
				text, diags := hclsyntax.ParseStringLiteralToken(tok)
				if diags.HasErrors() {
					return nil, false
				}
				pieces = append(pieces, piece{text: text, at: tok.Range})
			}
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			if depth == 0 {
				if heredoc {
					trimLines(pieces, bytes.HasPrefix(src, []byte("<<-")))
				}
				strip(pieces)
				return pieces, true
			}
		}
	}
	return nil, false
}

// strip does what the ~ markers say: each takes the white space of the token
// of literal text beside it. In a heredoc a token never goes beyond its line.
func strip(pieces []piece) {
	for i, p := range pieces {
		if p.stripLeft && i > 0 && pieces[i-1].sequence == "" {
			pieces[i-1].text = strings.TrimRightFunc(pieces[i-1].text, unicode.IsSpace)
		}
		if p.stripRight && i+1 < len(pieces) && pieces[i+1].sequence == "" {
			pieces[i+1].text = strings.TrimLeftFunc(pieces[i+1].text, unicode.IsSpace)
		}
	}
}

// trimLines takes the common indentation from a heredoc's lines if flush is
// set, and removes the lines that hold directives only.
func trimLines(pieces []piece, flush bool) {
	var lines [][]piece
	start := 0
	for i, p := range pieces {
		if p.sequence == "" && strings.HasSuffix(p.text, "\n") {
			lines = append(lines, pieces[start:i+1])
			start = i + 1
		}
	}
	lines = append(lines, pieces[start:])
	if flush {
		common := -1
		for _, line := range lines {
			if n, counts := indentation(line); counts && (common < 0 || n < common) {
				common = n
			}
		}
		for _, line := range lines {
			if len(line) > 0 && line[0].sequence == "" {
				line[0].text = outdent(line[0].text, common)
			}
		}
	}
	for _, line := range lines {
		if onlyDirectives(line) {
			for i := range line {
				line[i].text = ""
			}
		}
	}
}

// indentation returns how many characters of white space a line begins with.
// counts is false for a line without anything else.
func indentation(line []piece) (n int, counts bool) {
	if len(line) == 0 {
		return 0, false
	}
	if line[0].sequence != "" {
		return 0, true
	}
	rest := strings.TrimLeftFunc(line[0].text, unicode.IsSpace)
	if rest == "" && strings.HasSuffix(line[0].text, "\n") {
		return 0, false
	}
	return utf8.RuneCountInString(line[0].text[:len(line[0].text)-len(rest)]), true
}

// outdent removes up to n characters of white space, but no line break.
func outdent(s string, n int) string {
	for ; n > 0; n-- {
		r, size := utf8.DecodeRuneInString(s)
		if r == '\n' || strings.HasPrefix(s, "\r\n") || !unicode.IsSpace(r) {
			break
		}
		s = s[size:]
	}
	return s
}

// onlyDirectives reports whether a line is one or more directives with nothing
// but white space before and after them.
func onlyDirectives(line []piece) bool {
	if len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	if len(line) < 2 || !isSpace(line[len(line)-1]) {
		return false
	}
	for _, p := range line[:len(line)-1] {
		if p.sequence == "" || p.sequence == "$" {
			return false
		}
	}
	return true
}

func isSpace(p piece) bool {
	return p.sequence == "" && strings.TrimFunc(p.text, unicode.IsSpace) == ""
}

// builder brings the pieces of a template and the nodes of HCL's tree together;
// both are in the order of the source.
type builder struct {
	pieces []piece
	pos    int
	failed bool
}

func (b *builder) ok() bool { return !b.failed && b.pos == len(b.pieces) }

// parts builds the parts whose nodes are given, until a directive ends them.
func (b *builder) parts(nodes []hclsyntax.Expression) []Part {
	var parts []Part
	next := func() hclsyntax.Expression {
		for len(nodes) > 0 {
			node := nodes[0]
			nodes = nodes[1:]
			if !isText(node) {
				return node
			}
		}
		b.failed = true
		return nil
	}
	for b.pos < len(b.pieces) && !b.failed {
		p := b.pieces[b.pos]
		switch p.sequence {
		case "":
			text, at := b.text()
			parts = addText(parts, text, at)
		case "$":
			parts = append(parts, Part{Expr: next(), Range: p.at})
			b.pos++
		case "if":
			parts = append(parts, b.ifPart(next()))
		case "for":
			parts = append(parts, b.forPart(next()))
		default:
			return parts
		}
	}
	return parts
}

// text reads the literal text that comes, all lines of it at once.
func (b *builder) text() (string, hcl.Range) {
	var text strings.Builder
	var at hcl.Range
	for ; b.pos < len(b.pieces) && b.pieces[b.pos].sequence == ""; b.pos++ {
		p := b.pieces[b.pos]
		if p.text == "" {
			continue
		}
		if text.Len() == 0 {
			at = p.at
		}
		at.End = p.at.End
		text.WriteString(p.text)
	}
	return text.String(), at
}

// take reads the directive that must come, and returns where it ends.
func (b *builder) take(keyword string) hcl.Pos {
	if b.pos >= len(b.pieces) || b.pieces[b.pos].sequence != keyword {
		b.failed = true
		return hcl.Pos{}
	}
	b.pos++
	return b.pieces[b.pos-1].at.End
}

func (b *builder) at(keyword string) bool {
	return b.pos < len(b.pieces) && b.pieces[b.pos].sequence == keyword
}

func (b *builder) ifPart(node hclsyntax.Expression) Part {
	at := b.pieces[b.pos].at
	cond, ok := node.(*hclsyntax.ConditionalExpr)
	if !ok {
		b.failed = true
		return Part{}
	}
	b.take("if")
	part := &IfPart{Cond: cond.Condition, Then: b.parts(inner(cond.TrueResult))}
	if b.at("else") {
		b.take("else")
		part.Else = b.parts(inner(cond.FalseResult))
	}
	at.End = b.take("endif")
	return Part{If: part, Range: at}
}

func (b *builder) forPart(node hclsyntax.Expression) Part {
	at := b.pieces[b.pos].at
	var loop *hclsyntax.ForExpr
	if join, ok := node.(*hclsyntax.TemplateJoinExpr); ok {
		loop, _ = join.Tuple.(*hclsyntax.ForExpr)
	}
	if loop == nil {
		b.failed = true
		return Part{}
	}
	b.take("for")
	part := &ForPart{KeyVar: loop.KeyVar, ValVar: loop.ValVar, Coll: loop.CollExpr, Body: b.parts(inner(loop.ValExpr))}
	at.End = b.take("endfor")
	return Part{For: part, Range: at}
}

// inner returns the nodes of the template that HCL makes of a directive's content.
func inner(node hclsyntax.Expression) []hclsyntax.Expression {
	if t, ok := node.(*hclsyntax.TemplateExpr); ok {
		return t.Parts
	}
	return nil
}
