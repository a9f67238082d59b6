package format

import (
	"bytes"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// piece is what is moved as a whole: a token, a text in quotes, a heredoc, a
// comment.
type piece struct {
	kind   hclsyntax.TokenType // TokenOQuote: a whole text in quotes; TokenOHeredoc: a whole heredoc
	text   []byte
	spaces int // before it; of the first on a line, the indentation
}

// line is one line of a file, or several where a piece has line breaks in it.
type line struct {
	pieces []piece // none: a blank line
	end    []byte  // the line break as written; empty at the end of a file
	equals int     // the piece that is an attribute's "=", if its value ends on the line; else 0
}

func (l *line) last() *piece { return &l.pieces[len(l.pieces)-1] }

// isComment reports whether a piece is a comment that goes on to the end of its line.
func (p *piece) isComment() bool {
	return p.kind == hclsyntax.TokenComment && !bytes.HasPrefix(p.text, []byte("/*"))
}

// comment reports whether the line ends with a comment after something else.
func (l *line) comment() bool { return len(l.pieces) > 1 && l.last().isComment() }

// opens and closes report what a piece is of brackets.
func (p *piece) opens() bool {
	return p.kind == hclsyntax.TokenOBrace || p.kind == hclsyntax.TokenOBrack || p.kind == hclsyntax.TokenOParen
}

func (p *piece) closes() bool {
	return p.kind == hclsyntax.TokenCBrace || p.kind == hclsyntax.TokenCBrack || p.kind == hclsyntax.TokenCParen
}

// split puts the tokens of a text into lines.
func split(src []byte, tokens hclsyntax.Tokens) []line {
	var lines []line
	var pieces []piece
	end := func(lineBreak []byte) {
		lines = append(lines, line{pieces: pieces, end: lineBreak})
		pieces = nil
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch t.Type {
		case hclsyntax.TokenEOF:
		case hclsyntax.TokenNewline:
			end(t.Bytes)
		case hclsyntax.TokenComment:
			text := trimBreak(t.Bytes)
			pieces = append(pieces, piece{kind: t.Type, text: text})
			if len(text) < len(t.Bytes) {
				end(t.Bytes[len(text):])
			}
		case hclsyntax.TokenOHeredoc:
			to := closing(tokens, i, hclsyntax.TokenOHeredoc, hclsyntax.TokenCHeredoc)
			pieces = append(pieces, piece{kind: t.Type, text: src[t.Range.Start.Byte:tokens[to].Range.End.Byte]})
			i = to
		case hclsyntax.TokenOQuote:
			to := closing(tokens, i, hclsyntax.TokenOQuote, hclsyntax.TokenCQuote)
			pieces = append(pieces, piece{kind: t.Type, text: quoted(src, tokens[i:to+1])})
			i = to
		default:
			pieces = append(pieces, piece{kind: t.Type, text: t.Bytes})
		}
	}
	if len(pieces) > 0 {
		end(nil)
	}
	return lines
}

// closing returns the index of the token that closes the one at from.
func closing(tokens hclsyntax.Tokens, from int, open, shut hclsyntax.TokenType) int {
	depth := 0
	for i := from; i < len(tokens); i++ {
		switch tokens[i].Type {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
}

// quoted formats a text in quotes: what stands in its sequences, and nothing of
// the text itself. A sequence of several lines, or with comments, stays as it is.
func quoted(src []byte, tokens hclsyntax.Tokens) []byte {
	var out []byte
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.Type != hclsyntax.TokenTemplateInterp && t.Type != hclsyntax.TokenTemplateControl {
			out = append(out, t.Bytes...)
			continue
		}
		to := sequenceEnd(tokens, i)
		inner := split(src, tokens[i+1:to])
		if len(inner) != 1 || len(inner[0].end) > 0 || bytes.ContainsRune(joined(inner[0].pieces), '\n') {
			out = append(out, src[t.Range.Start.Byte:tokens[to].Range.End.Byte]...)
			i = to
			continue
		}
		pieces := inner[0].pieces
		s := newSpacer(t.Type)
		for j := range pieces {
			pieces[j].spaces = s.place(&pieces[j])
		}
		// ${{ … }} would read as something else.
		open, shut := pieces[0].kind == hclsyntax.TokenOBrace, pieces[len(pieces)-1].kind == hclsyntax.TokenCBrace
		out = append(out, t.Bytes...)
		if open {
			out = append(out, ' ')
		}
		out = append(out, joined(pieces)...)
		if shut {
			out = append(out, ' ')
		}
		out = append(out, tokens[to].Bytes...)
		i = to
	}
	return out
}

// sequenceEnd returns the index of the token that ends the template sequence at from.
func sequenceEnd(tokens hclsyntax.Tokens, from int) int {
	depth := 0
	for i := from; i < len(tokens); i++ {
		switch tokens[i].Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenTemplateSeqEnd:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
}

// joined is what pieces are written as.
func joined(pieces []piece) []byte {
	var out []byte
	for _, p := range pieces {
		out = append(out, bytes.Repeat([]byte{' '}, p.spaces)...)
		out = append(out, p.text...)
	}
	return out
}

// width returns how many columns pieces take, the last line of them where
// they have several.
func width(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		if at := bytes.LastIndexByte(p.text, '\n'); at >= 0 {
			n = utf8.RuneCount(p.text[at+1:])
			continue
		}
		n += p.spaces + utf8.RuneCount(p.text)
	}
	return n
}

// arrange decides all white space.
func arrange(lines []line) {
	s := newSpacer(0)
	for i := range lines {
		s.line(&lines[i])
	}
	align(lines, func(l *line) int { return l.equals })
	align(lines, func(l *line) int {
		if l.comment() {
			return len(l.pieces) - 1
		}
		return 0
	})
}

// align puts what cell finds in consecutive lines below each other. cell
// returns 0 for a line that has nothing to align, which ends a group.
func align(lines []line, cell func(*line) int) {
	for i := 0; i < len(lines); {
		end, widest := i, 0
		for end < len(lines) && cell(&lines[end]) > 0 {
			widest = max(widest, width(lines[end].pieces[:cell(&lines[end])]))
			end++
		}
		for ; i < end; i++ {
			l := &lines[i]
			at := cell(l)
			l.pieces[at].spaces = widest - width(l.pieces[:at]) + 1
		}
		i = max(end, i+1)
	}
}

// write writes lines, with no blank lines at the ends of the file and of
// brackets and none beside another, and with a line break at the end.
func write(out *bytes.Buffer, lines []line) {
	lineBreak := []byte("\n")
	if len(lines) > 0 && len(lines[0].end) > 0 {
		lineBreak = lines[0].end
	}
	var before *line // the last one with something on it
	var blank []byte
	for i := range lines {
		l := &lines[i]
		if len(l.pieces) == 0 {
			if blank == nil {
				blank = l.end
			}
			continue
		}
		if blank != nil && before != nil && !before.opensLast() && !l.pieces[0].closes() {
			out.Write(blank)
		}
		blank, before = nil, l
		out.Write(joined(l.pieces))
		if len(l.end) == 0 {
			l.end = lineBreak
		}
		out.Write(l.end)
	}
}

// opensLast reports whether a line ends with an opening bracket, and perhaps a comment.
func (l *line) opensLast() bool {
	n := len(l.pieces)
	if l.comment() {
		n--
	}
	return n > 0 && l.pieces[n-1].opens()
}
