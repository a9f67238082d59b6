package iface

import (
	"bytes"
	"sort"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
)

// kind is the kind of a token.
type kind uint8

const (
	endOfFile kind = iota
	ident
	text       // in quotes
	number     // without a sign
	annotation // @read
	punct      // { } ( ) [ ] , = : . -> ... -
	comment    // of a line, without its line break, or /* */
	bad        // what has a diagnostic already
)

// token is a token of a file: its bytes from start to end.
type token struct {
	text       string // as written; of a text in quotes what it says
	start, end int
	kind       kind
	breaks     uint8 // line breaks between the token before and this one, 2 for more
	broken     bool  // a text in quotes that has a diagnostic
}

func (t token) is(s string) bool { return t.kind == punct && t.text == s }

// word reports whether the token is the bare name s.
func (t token) word(s string) bool { return t.kind == ident && t.text == s }

// source is a file with the beginnings of its lines, so that places are found
// by byte offset alone.
type source struct {
	name  string
	src   []byte
	lines []int
	last  hcl.Pos // the last place asked for: the next is often on its line, which may be long
}

func newSource(name string, src []byte) *source {
	s := &source{name: name, src: src, lines: []int{0}}
	for i, c := range src {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// pos returns the place of a byte offset, columns in code points.
func (s *source) pos(at int) hcl.Pos {
	at = min(max(at, 0), len(s.src))
	line := sort.SearchInts(s.lines, at+1) - 1
	p := hcl.Pos{Line: line + 1, Column: 1, Byte: s.lines[line]}
	if s.last.Line == p.Line && s.last.Byte <= at {
		p = s.last
	}
	p.Column += utf8.RuneCount(s.src[p.Byte:at])
	p.Byte = at
	s.last = p
	return p
}

func (s *source) span(start, end int) hcl.Range {
	return hcl.Range{Filename: s.name, Start: s.pos(start), End: s.pos(end)}
}

// scanner reads tokens. It never stops: what is no token is reported, and
// becomes a bad one.
type scanner struct {
	*source
	at       int
	tokens   []token
	diags    diag.List
	invalids int
}

// maxTokens bounds a file: a catalog of 344 tools prints as a tenth of them.
const maxTokens = 2_000_000

// lex returns all tokens of a file, comments included, the end of the file
// last. In a file that is no text, or of more tokens than anything real has,
// there is only the end.
func lex(s *source) ([]token, diag.List) {
	l := scanner{source: s}
	if !utf8.Valid(s.src) {
		at := 0
		for r, n := utf8.DecodeRune(s.src); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(s.src[at:]) {
			at += n
		}
		l.report(codeNotUTF8, at, at, "This file is not UTF-8. Save it in that encoding.")
		return []token{{kind: endOfFile, end: at, start: at}}, l.diags
	}
	if bytes.HasPrefix(s.src, []byte("\ufeff")) {
		l.at = len("\ufeff")
	}
	for l.next() {
		if len(l.tokens) > maxTokens {
			l.diags = nil
			l.report(codeTooLong, l.at, l.at, "This file has more than %d names, numbers and signs. Split it into several files.", maxTokens)
			return []token{{kind: endOfFile, end: l.at, start: l.at}}, l.diags
		}
	}
	return l.tokens, l.diags
}

func (l *scanner) report(code diag.Code, start, end int, detail string, args ...any) {
	l.diags = append(l.diags, diag.New(code, l.span(start, end), detail, args...))
}

// fix adds a certain fix to the last diagnostic.
func (l *scanner) fix(title string, start, end int, text string) {
	last := &l.diags[len(l.diags)-1]
	*last = last.Fix(title, true, diag.Edit{Range: diag.RangeOf(l.span(start, end)), Text: text})
}

// next reads one token; false at the end.
func (l *scanner) next() bool {
	breaks := uint8(0)
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case '\n':
			breaks = min(breaks+1, 2)
		case ' ', '\t', '\r':
		default:
			t := l.token()
			t.breaks = breaks
			if t.kind != text {
				t.text = string(l.src[t.start:t.end])
			}
			l.tokens = append(l.tokens, t)
			return true
		}
		l.at++
	}
	l.tokens = append(l.tokens, token{kind: endOfFile, start: l.at, end: l.at, breaks: breaks})
	return false
}

func (l *scanner) peek(n int) byte {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

func (l *scanner) token() token {
	start := l.at
	take := func(k kind, n int) token {
		l.at = start + n
		return token{kind: k, start: start, end: l.at}
	}
	switch c := l.src[l.at]; {
	case c == '#' || c == '/' && l.peek(1) == '/':
		return take(comment, l.lineLength())
	case c == '/' && l.peek(1) == '*':
		if n := bytes.Index(l.src[start+2:], []byte("*/")); n >= 0 {
			return take(comment, n+4)
		}
		l.report(codeUnclosed, start, start+2, "This comment is not closed. Write */ where it ends.")
		return take(bad, len(l.src)-start)
	case c == '"':
		return l.quoted()
	case c == '@':
		n := l.nameLength(start + 1)
		if n == 0 {
			l.report(codeAnnotation, start, start+1, "After @ comes the name of an annotation: @read, @write, @destructive or @idempotent.")
			return take(bad, 1)
		}
		return take(annotation, 1+n)
	case c >= '0' && c <= '9':
		return take(number, l.numberLength())
	case c == '-' && l.peek(1) == '>':
		return take(punct, 2)
	case c == '.' && l.peek(1) == '.' && l.peek(2) == '.':
		return take(punct, 3)
	case bytes.IndexByte([]byte("{}()[],=:.-"), c) >= 0:
		return take(punct, 1)
	}
	if n := l.nameLength(start); n > 0 {
		return take(ident, n)
	}
	return l.invalid()
}

// lineLength is the number of bytes up to the line break.
func (l *scanner) lineLength() int {
	line := l.src[l.at:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return len(bytes.TrimSuffix(line, []byte("\r")))
}

// nameLength is the length of the name at an offset, 0 for none. Names are
// HCL's: letters, digits, "_" and "-"; but "->" is an arrow.
func (l *scanner) nameLength(at int) int {
	i := at
	for i < len(l.src) {
		r, size := utf8.DecodeRune(l.src[i:])
		switch {
		case r == '_' || unicode.IsLetter(r):
		case i > at && (unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)):
		case i > at && r == '-' && !(i+1 < len(l.src) && l.src[i+1] == '>'):
		default:
			return i - at
		}
		i += size
	}
	return i - at
}

// numberLength takes what looks like a number; whether it is one is asked when
// it is read.
func (l *scanner) numberLength() int {
	i := l.at
	digits := func() {
		for i < len(l.src) && l.src[i] >= '0' && l.src[i] <= '9' {
			i++
		}
	}
	digits()
	if i+1 < len(l.src) && l.src[i] == '.' && l.src[i+1] >= '0' && l.src[i+1] <= '9' {
		i++
		digits()
	}
	if i < len(l.src) && (l.src[i] == 'e' || l.src[i] == 'E') {
		j := i + 1
		if j < len(l.src) && (l.src[j] == '+' || l.src[j] == '-') {
			j++
		}
		if j < len(l.src) && l.src[j] >= '0' && l.src[j] <= '9' {
			i = j
			digits()
		}
	}
	return i - l.at
}

// meant are characters that come with copied text, with what they stand for.
var meant = map[rune]string{
	'“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`, '‘': `"`, '’': `"`, '\'': `"`,
	'→': "->", '⇒': "->", '…': "...", '–': "-", '—': "-", '−': "-", '\u00a0': " ", '\u2009': " ", '\u202f': " ", ';': "",
}

// maxInvalid bounds how many invalid characters of a file are reported: one of
// more has the wrong name.
const maxInvalid = 100

// invalid reports a run of characters that mean nothing.
func (l *scanner) invalid() token {
	start := l.at
	first, size := utf8.DecodeRune(l.src[start:])
	l.at += size
	for l.at < len(l.src) {
		r, n := utf8.DecodeRune(l.src[l.at:])
		if r < utf8.RuneSelf && (r > ' ' && bytes.IndexByte([]byte("!$%&*+;<>?\\^`|~'"), byte(r)) < 0 || r == ' ' || r == '\n' || r == '\t' || r == '\r') || l.nameLength(l.at) > 0 {
			break
		}
		l.at += n
	}
	shown := strconv.Quote(string(first))
	if l.invalids++; l.invalids > maxInvalid {
		return token{kind: bad, start: start, end: l.at}
	}
	switch ours, ok := meant[first]; {
	case first == '?':
		l.report(codeInvalidCharacter, start, start+size, "\"?\" means nothing here. What may be left out has the type optional(T): NAME: optional(string).")
	case !ok:
		l.report(codeInvalidCharacter, start, start+size, "%s means nothing in an interface file outside of texts in quotes and comments. Remove it.", shown)
	case ours == "":
		l.report(codeInvalidCharacter, start, start+size, "%s means nothing here: declarations end with their line. Remove it.", shown)
		l.fix("Remove it", start, start+size, "")
	default:
		l.report(codeInvalidCharacter, start, start+size, "%s means nothing here. Write %s in its place.", shown, strconv.Quote(ours))
		l.fix("Replace it by "+strconv.Quote(ours), start, start+size, ours)
	}
	return token{kind: bad, start: start, end: l.at}
}

// quoted reads a text in quotes, as HCL does where a text has no expressions in it.
func (l *scanner) quoted() token {
	start := l.at
	t := token{kind: text, start: start}
	var buf []byte
	l.at++
	for {
		if l.at >= len(l.src) || l.src[l.at] == '\n' {
			l.report(codeUnclosedText, start, start+1, "This text is not closed. Write \" where it ends; a line break in it is written \\n, and documentation of several lines as several texts.")
			t.broken, t.kind = true, bad
			break
		}
		c := l.src[l.at]
		if c == '"' {
			l.at++
			break
		}
		switch {
		case c == '\\':
			var ok bool
			if buf, ok = l.escape(buf); !ok {
				t.broken = true
			}
		case (c == '$' || c == '%') && l.peek(1) == '{':
			l.report(codeInvalidTemplate, l.at, l.at+2, "%c{ begins an expression, and the texts of an interface file have none. Write %c%c{ for the characters themselves.", c, c, c)
			l.fix("Write "+string([]byte{c, c, '{'}), l.at, l.at+1, string([]byte{c, c}))
			t.broken = true
			l.at += 2
		case (c == '$' || c == '%') && l.peek(1) == c && l.peek(2) == '{':
			buf = append(buf, c, '{')
			l.at += 3
		default:
			buf = append(buf, c)
			l.at++
		}
	}
	t.end, t.text = l.at, string(buf)
	return t
}

// escape reads the escape sequence at the backslash that comes next.
func (l *scanner) escape(buf []byte) ([]byte, bool) {
	start := l.at
	c := l.peek(1)
	l.at += 2
	digits := 0
	switch c {
	case 'n':
		return append(buf, '\n'), true
	case 'r':
		return append(buf, '\r'), true
	case 't':
		return append(buf, '\t'), true
	case '"', '\\':
		return append(buf, c), true
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if digits > 0 && l.at+digits <= len(l.src) {
		n, err := strconv.ParseUint(string(l.src[l.at:l.at+digits]), 16, 32)
		if err == nil && n <= unicode.MaxRune && utf8.ValidRune(rune(n)) {
			l.at += digits
			return utf8.AppendRune(buf, rune(n)), true
		}
	}
	l.at = start + 1
	if c == '\n' || c == '\r' || l.at >= len(l.src) {
		return buf, false // the text is not closed, which is reported
	}
	l.report(codeInvalidEscape, start, start+1, "This is no escape sequence. There are \\n, \\r, \\t, \\\", \\\\, \\uNNNN and \\UNNNNNNNN; a backslash itself is written \\\\.")
	return buf, false
}
