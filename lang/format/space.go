package format

import "github.com/hashicorp/hcl/v2/hclsyntax"

// indentation is how many spaces the content of a bracket stands further in.
const indentation = 2

// frame is a bracket that is open.
type frame struct {
	open          hclsyntax.TokenType
	outer, inner  int  // the indentation of the line where it opened, and of its content
	loop          bool // a for expression
	conditions    int  // "?" without their ":" so far
	begun, inSeen bool // something was placed in it; the "in" of the loop was
}

// spacer decides the white space of a text, piece by piece.
type spacer struct {
	stack        []frame // never empty: the outermost is the text itself
	prev, before was     // the last two pieces, comments apart
}

// was is what is remembered of a piece.
type was struct {
	kind    hclsyntax.TokenType // zero: there was none
	operand bool                // an operand ends with it, so that an operator may follow
	unary   bool                // a sign, not an operator between two operands
	comment bool
}

// line places the pieces of a line.
func (s *spacer) line(l *line) {
	if len(l.pieces) == 0 {
		return
	}
	indent := s.indent(l.pieces)
	for i := range l.pieces {
		p := &l.pieces[i]
		p.spaces = s.place(p)
		if p.opens() {
			f := s.top()
			f.outer, f.inner = indent, indent+indentation
		}
	}
	l.pieces[0].spaces = indent
	l.equals = equals(l.pieces)
}

// indent returns the indentation of a line: that of the line where the
// brackets that it begins with the ends of were opened, else that of the content.
func (s *spacer) indent(pieces []piece) int {
	closed := 0
	for closed < len(pieces) && pieces[closed].closes() {
		closed++
	}
	if closed = min(closed, len(s.stack)-1); closed > 0 {
		return s.stack[len(s.stack)-closed].outer
	}
	return s.top().inner
}

// equals finds the "=" of an attribute whose value begins and ends on its line.
func equals(pieces []piece) int {
	at, depth := 0, 0
	for i := range pieces {
		switch p := &pieces[i]; {
		case p.opens():
			depth++
		case p.closes():
			depth--
		case p.kind == hclsyntax.TokenEqual && depth == 0 && at == 0:
			at = i
		}
		if depth < 0 {
			return 0
		}
	}
	if depth != 0 {
		return 0
	}
	return at
}

// newSpacer returns a spacer of a text that stands in open: a template
// sequence, or zero for a file.
func newSpacer(open hclsyntax.TokenType) *spacer { return &spacer{stack: []frame{{open: open}}} }

// top returns the innermost bracket.
func (s *spacer) top() *frame { return &s.stack[len(s.stack)-1] }

// place takes the next piece and returns how many spaces stand before it if it
// is not the first on its line.
func (s *spacer) place(p *piece) int {
	f := s.top()
	now := was{kind: p.kind}
	keyword := p.kind == hclsyntax.TokenIdent && s.keyword(f, string(p.text))
	switch p.kind {
	case hclsyntax.TokenIdent:
		now.operand = !keyword
	case hclsyntax.TokenNumberLit, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc,
		hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenCBrace:
		now.operand = true
	case hclsyntax.TokenStar: // a splat, or a product
		now.operand = s.prev.kind == hclsyntax.TokenDot || s.prev.kind == hclsyntax.TokenOBrack
	case hclsyntax.TokenMinus:
		now.unary = !s.prev.operand
	case hclsyntax.TokenBang:
		now.unary = true
	case hclsyntax.TokenComment:
		now.comment = true
	}
	spaces := 1
	if s.touches(f, p, now) {
		spaces = 0
	}

	if now.comment {
		// What follows is placed after a comment, but means what it meant without it.
		s.prev.comment = true
		return spaces
	}
	s.before, s.prev = s.prev, now
	f.begun = true
	switch {
	case p.opens():
		s.stack = append(s.stack, frame{open: p.kind})
	case p.closes():
		if len(s.stack) > 1 {
			s.stack = s.stack[:len(s.stack)-1]
		}
	case p.kind == hclsyntax.TokenQuestion:
		f.conditions++
	case p.kind == hclsyntax.TokenColon && f.conditions > 0:
		f.conditions--
	}
	return spaces
}

// keyword reports whether a name is a word of a for expression or directive here.
func (s *spacer) keyword(f *frame, name string) bool {
	if s.prev.kind == hclsyntax.TokenDot {
		return false
	}
	switch name {
	case "for":
		if !f.begun && (f.open == hclsyntax.TokenOBrack || f.open == hclsyntax.TokenOBrace || f.open == hclsyntax.TokenTemplateControl) {
			f.loop = true
			return true
		}
	case "in":
		if f.loop && !f.inSeen && s.prev.operand {
			f.inSeen = true
			return true
		}
	case "if":
		return f.loop && (s.prev.operand || s.prev.kind == hclsyntax.TokenEllipsis) || !f.begun && f.open == hclsyntax.TokenTemplateControl
	}
	return false
}

// touches reports whether no space stands between the last piece and p.
func (s *spacer) touches(f *frame, p *piece, now was) bool {
	prev := s.prev
	const (
		dot   = hclsyntax.TokenDot
		paths = hclsyntax.TokenDoubleColon
	)
	switch {
	case prev.kind == 0 && !prev.comment:
		return true
	case prev.comment:
		return p.kind == hclsyntax.TokenComma || p.kind == hclsyntax.TokenCParen || p.kind == hclsyntax.TokenCBrack
	case now.comment:
		return prev.kind == hclsyntax.TokenOParen || prev.kind == hclsyntax.TokenOBrack
	case p.kind == dot && prev.kind == hclsyntax.TokenNumberLit && s.before.kind != dot:
		return false // 1.a would be another number
	case prev.kind == dot, p.kind == dot, prev.kind == paths, p.kind == paths:
		return true
	case p.kind == hclsyntax.TokenComma, p.kind == hclsyntax.TokenEllipsis:
		return true
	case prev.unary:
		return true
	case prev.kind == hclsyntax.TokenOBrace && p.kind == hclsyntax.TokenCBrace:
		return true
	case prev.kind == hclsyntax.TokenOBrace, p.kind == hclsyntax.TokenCBrace:
		return false
	case prev.kind == hclsyntax.TokenOParen, prev.kind == hclsyntax.TokenOBrack,
		p.kind == hclsyntax.TokenCParen, p.kind == hclsyntax.TokenCBrack:
		return true
	case p.kind == hclsyntax.TokenOParen:
		return prev.kind == hclsyntax.TokenIdent && prev.operand
	case p.kind == hclsyntax.TokenOBrack:
		return prev.operand
	case p.kind == hclsyntax.TokenColon:
		return f.conditions == 0 && !f.loop && f.open == hclsyntax.TokenOBrace
	}
	return false
}
