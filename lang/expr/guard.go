package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/value"
)

// Limits of what is given to HCL's parser, which recurses without a limit of
// its own and takes the process with it. No text that a person wrote comes near them.
const (
	MaxNesting = 256  // brackets, template sequences and directives inside of each other
	MaxRun     = 1000 // operators of an expression and of those it stands in

	// maxNumber bounds a number's text, which HCL reads in quadratic time. What
	// is longer has more digits than a number may have.
	maxNumber = 2 * value.MaxDigits

	// maxJoin bounds what HCL's parser has to do to join the literal tokens of the
	// texts of a file (see [guard.joins]): it takes it less than a second. A text of
	// 200 KB may have some 5,000 lines with a $ in them.
	maxJoin = 16 << 30
	// MaxTokens bounds the names, numbers, signs and parts of texts of a file. HCL's
	// parser needs some hundred bytes for each; a workflow of 10,000 steps has 400,000.
	MaxTokens = 1_000_000
	// maxPlanJoin is that of an expression that is canonical text, in which more
	// characters are escaped than in what it was made of.
	maxPlanJoin = 4 * maxJoin
)

// Guard scans the bytes of a file or expression and refuses what nests deeper
// than [MaxNesting] or has more than [MaxRun] operators in one expression (or a
// number whose text is endless), so that neither HCL's parser nor anything that walks its trees can run out of
// stack. It follows HCL's scanner through strings, heredocs and comments, and counts
// rather too much than too little where the text has errors. In text that is
// not UTF-8 HCL's scanner takes quotes for parts of names, so that such text is refused too.
func Guard(src []byte, filename string) diag.List {
	_, refused := scan(src, filename, false, maxJoin)
	return refused
}

// refusal scans and says which limit is passed, if one is.
func (g *guard) refusal(filename string) diag.List {
	if !utf8.Valid(g.src) {
		at := position(g.src, validLen(g.src))
		return diag.List{diag.New("WFC1001", hcl.Range{Filename: filename, Start: at, End: at}, "This text is not UTF-8. Save it in that encoding.")}
	}
	if len(g.src) > g.maxTokens && bytes.Count(g.src, []byte{'\n'}) > g.maxTokens {
		return diag.List{diag.New("WFC1207", hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos},
			"This file has more than %d lines. Move a part of it into another file.", MaxTokens)}
	}
	code := g.scan()
	if code == "" {
		return nil
	}
	at := position(g.src, g.failed)
	place := hcl.Range{Filename: filename, Start: at, End: at}
	place.End.Byte++
	place.End.Column++
	switch code {
	case "WFC1203":
		return diag.List{diag.New(code, place, "This number has more than %d digits. Write it as a text in quotes if its digits are what counts.", value.MaxDigits)}
	case "WFC1207":
		return diag.List{diag.New(code, place, "This file has more than %d names, numbers and signs. Move a part of it into another file: "+
			"what a workflow runs as a workflow of its own, values into a file that file(\"NAME\") reads.", MaxTokens)}
	case "WFC1206":
		return diag.List{diag.New(code, place, "This text has too many lines that are very short or have a $, a % or a sequence in them. "+
			"Keep it in a file of its own, and read it with file(\"NAME\").")}
	case "WFC1201":
		return diag.List{diag.New(code, place, "Brackets, texts and directives stand inside of each other more than %d deep here. "+
			"Split the expression: name its inner parts in a `locals` block.", MaxNesting)}
	}
	return diag.List{diag.New(code, place, "This expression has more than %d operators. Split it: name its parts in a "+
		"`locals` block, or write the values as a list and use a function or a `for` expression over it.", MaxRun)}
}

// validLen returns how many bytes src has before the first that is not UTF-8.
func validLen(src []byte) int {
	i := 0
	for i < len(src) {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		i += size
	}
	return i
}

// position returns the place of a byte, in the way diag.List.Locate counts.
func position(src []byte, at int) hcl.Pos {
	at = min(at, len(src))
	line := bytes.LastIndexByte(src[:at], '\n') + 1
	return hcl.Pos{Line: bytes.Count(src[:at], []byte{'\n'}) + 1, Column: len([]rune(string(src[line:at]))) + 1, Byte: at}
}

// frame is something that is open: a bracket, a text, or a sequence of a text.
type frame struct {
	kind       byte // ( [ { are brackets; ' a bracket { whose line breaks separate nothing; $ a sequence; " a text; < a heredoc
	run        int  // operators since the last separator
	directives int  // of a text: directives that are open
	marker     []byte
	literal    literal // of a heredoc: since its beginning or the last sequence
	start      int     // of a text: its offset
	parts      int     // of a text: literal tokens and sequences
	joined     int     // literal tokens that are joined to those before them
	joinedAt   int     // the sum of their places among the parts
}

// literal is literal text of a heredoc.
type literal struct {
	start  int // its offset; -1 before the first line
	tokens int // that HCL's scanner makes of it, without those of plain lines
	plain  int // where the lines without $ and % begin that came last
	lines  int // how many they are
}

// guard is one scan. Its budget are the operators and the nesting of all open frames.
type guard struct {
	src                []byte
	maxNesting, maxRun int
	maxJoin, maxTokens int
	minLines           int  // of those that are hidden
	gaps               bool // wanted
	outline            Outline

	stack   []frame
	top     frame // the innermost; stack has the others
	nesting int
	run     int
	number  bool // a number is too long
	tokens  int  // names, numbers, signs, parts of texts
	join    int  // bytes that are copied to join texts
	line    int  // of counted
	counted int  // up to where the lines are counted
	failed  int  // where a limit was passed
}

// Classes of bytes in code.
const (
	skip = iota
	word
	operator
	open
	closing
	separator
	newline
	quote
	hash
	slash
	digit
	less
	equals
	and
)

var classes = func() (t [256]byte) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = word, word
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['_'] = word
	for _, c := range "!-+*%?>" {
		t[c] = operator
	}
	for _, c := range "([{" {
		t[c] = open
	}
	for _, c := range ")]}" {
		t[c] = closing
	}
	t[','], t['\n'], t['"'], t['#'], t['/'], t['<'], t['='] = separator, newline, quote, hash, slash, less, equals
	t['&'], t['|'] = and, and
	return t
}()

// inWord has the bytes that go on with a name. Others than ASCII end it, so
// that a minus after a character that HCL refuses is counted.
var inWord = func() (t [256]bool) {
	for c := range 256 {
		t[c] = classes[c] == word || classes[c] == digit || c == '-'
	}
	return t
}()

// scan returns the code of the limit that is passed, or "".
func (g *guard) scan() diag.Code {
	g.top = frame{kind: '{'}
	g.line = 1
	i := g.gap(0)
	for i < len(g.src) {
		switch g.top.kind {
		case '"':
			i = g.text(i)
		case '<':
			i = g.heredoc(i)
		default:
			i = g.code(i)
		}
		if g.nesting > g.maxNesting {
			g.failed = i - 1
			return "WFC1201"
		}
		if g.number {
			g.failed = i - 1
			return "WFC1203"
		}
		if g.run > g.maxRun {
			g.failed = i - 1
			return "WFC1202"
		}
		if g.tokens > g.maxTokens {
			g.failed = i - 1
			return "WFC1207"
		}
		if g.join > g.maxJoin {
			return "WFC1206"
		}
	}
	// What has no end is read to the end of the file, and its parts are joined.
	if g.top.kind == '<' {
		g.endLiteral(i)
	}
	for len(g.stack) > 0 {
		g.pop()
	}
	if g.join > g.maxJoin {
		return "WFC1206"
	}
	return ""
}

func (g *guard) push(f frame) {
	g.stack = append(g.stack, g.top)
	g.top = f
	if f.kind != '"' && f.kind != '<' {
		g.nesting++
	}
}

func (g *guard) pop() {
	g.joining(g.top.moved())
	if g.top.kind != '"' && g.top.kind != '<' {
		g.nesting--
	}
	g.nesting -= g.top.directives
	g.run -= g.top.run
	g.top = g.stack[len(g.stack)-1]
	g.stack = g.stack[:len(g.stack)-1]
}

func (g *guard) operators(n int) {
	g.top.run += n
	g.run += n
}

func (g *guard) separate() {
	g.run -= g.top.run
	g.top.run = 0
}

// code scans code from i until a text begins or ends, a bracket opens or closes,
// or an operator comes, and returns where to go on.
func (g *guard) code(i int) int {
	src := g.src
	for i < len(src) {
		c := src[i]
		if c != ' ' && c != '\t' {
			g.tokens++
		}
		switch classes[c] {
		case word:
			for i++; i < len(src) && inWord[src[i]]; i++ {
			}
		case digit:
			start := i
			for i++; i < len(src) && (classes[src[i]] == digit || src[i] == '.'); i++ {
			}
			if i-start > maxNumber {
				g.number = true
				return i
			}
		case operator:
			g.operators(1)
			if i++; c != '-' && i < len(src) && src[i] == '=' {
				i++ // != >= are one
			}
			return i
		case equals:
			if i++; i < len(src) && src[i] == '=' {
				g.operators(1)
				return i + 1
			}
		case and:
			if i++; i < len(src) && src[i] == c {
				g.operators(1)
				return i + 1
			}
		case less:
			if marker, end := heredocMarker(src, i); marker != nil {
				g.push(frame{kind: '<', start: i, marker: marker, literal: literal{start: -1}})
				return end
			}
			g.operators(1)
			return i + 1
		case slash:
			if end := commentEnd(src, i); end > i {
				i = end
				if src[end-1] == '\n' && g.top.kind == '{' {
					g.separate()
					i = g.gap(i)
				}
				continue
			}
			g.operators(1)
			return i + 1
		case hash:
			i = lineEnd(src, i)
			if g.top.kind == '{' {
				g.separate()
				i = g.gap(i)
			}
		case separator:
			g.separate()
			i++
		case newline:
			i++
			if g.top.kind == '{' {
				g.separate()
				i = g.gap(i)
			}
		case open:
			if c == '[' {
				g.operators(1) // it may index what stands before it
			}
			if c == '{' && string(keyword(src, i+1)) == "for" {
				c = '\''
			}
			g.push(frame{kind: c})
			return i + 1
		case closing:
			g.close(c)
			return i + 1
		case quote:
			g.push(frame{kind: '"', start: i})
			return i + 1
		default:
			i++
		}
	}
	return i
}

// close closes what a closing bracket closes for HCL's scanner and parser: a
// brace ends the innermost sequence or braces with all that is open in it, the
// others nothing outside of those. What closes nothing is an error that the parser reports.
func (g *guard) close(c byte) {
	matches := func(kind byte) bool {
		switch c {
		case ')':
			return kind == '('
		case ']':
			return kind == '['
		}
		return kind == '{' || kind == '\'' || kind == '$'
	}
	barrier := func(kind byte) bool { return kind == '{' || kind == '\'' || kind == '$' }
	if len(g.stack) == 0 {
		return
	}
	kind, up := g.top.kind, len(g.stack)
	for !matches(kind) {
		if barrier(kind) || up == 0 {
			return
		}
		up--
		kind = g.stack[up].kind
	}
	if up == 0 {
		return // the file itself
	}
	for len(g.stack) >= up {
		g.pop()
	}
}

// gap notes that a line ended before i, in braces or outside of all brackets, and
// returns where the next line begins that has code, if the braces stand in no others.
func (g *guard) gap(i int) int {
	if !g.gaps || len(g.stack) > 1 {
		return i
	}
	src := g.src
	end := i
	for next := i; next < len(src); {
		switch c := src[next]; {
		case c == ' ' || c == '\t':
			next++
			continue
		case c == '\n':
			next++
		case c == '\r' && next+1 < len(src) && src[next+1] == '\n':
			next += 2
		case c == '#', c == '/' && next+1 < len(src) && src[next+1] == '/':
			next = lineEnd(src, next)
		default:
			next = len(src)
			continue
		}
		end = next
	}
	g.line += bytes.Count(src[g.counted:end], []byte{'\n'})
	g.counted = end
	g.outline.Gaps = append(g.outline.Gaps, Gap{Start: i, End: end, Line: g.line, Depth: len(g.stack)})
	return end
}

// commentEnd returns the end of the comment that begins with the slash at i,
// line break included, or i where none does. An unclosed one is none, as for HCL's scanner.
func commentEnd(src []byte, i int) int {
	if i+1 >= len(src) {
		return i
	}
	switch src[i+1] {
	case '/':
		return lineEnd(src, i)
	case '*':
		if n := bytes.Index(src[i+2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
	}
	return i
}

// lineEnd returns the index after the line break that ends the line of i, or len(src).
func lineEnd(src []byte, i int) int {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(src)
}
