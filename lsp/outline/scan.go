package outline

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Scan reads a file. at is an offset that the place is wanted of; -1: none. nests says
// which types of blocks may stand in which, "" being the top level: a block that cannot
// stand where it is and can further out shows that those between were not closed. nil:
// any may stand anywhere.
func Scan(src []byte, at int, nests func(outer, inner string) bool) (*File, Place) {
	f := &File{Source: src, Body: &Block{End: len(src), Closed: true}}
	s := &scanner{file: f, src: src, want: at, block: f.Body, nests: nests}
	s.run()
	return f, s.place
}

type scanner struct {
	file *File
	src  []byte
	pos  int

	block  *Block
	frames []Frame // within the value in hand

	words   []Word // of the statement in hand, before an equals sign or a brace
	attr    Word
	inValue bool
	value   int
	last    int // where the last token of the value ended

	// prevWord is the last token where that is a name, for calls and keys.
	prevWord Word
	comment  Span // the comment lines in hand
	lineFrom int  // where the line begins that pos is in

	want  int
	place Place
	found bool
	nests func(outer, inner string) bool
}

// note remembers the place where it is wanted: between two tokens or in one.
func (s *scanner) note(upTo int, inComment, inLabel bool) {
	if s.found || s.want < 0 || upTo < s.want {
		return
	}
	s.found = true
	s.place = Place{
		Block: s.block, Comment: inComment, InLabel: inLabel,
		Words: append([]Word(nil), s.words...), Frames: append([]Frame(nil), s.frames...),
	}
	if s.inValue {
		s.place.Attribute, s.place.Value = s.attr, s.value
	}
}

func (s *scanner) run() {
	for s.pos < len(s.src) {
		s.step()
	}
	s.note(len(s.src)+1, false, false)
	s.endComment()
	s.endStatement()
	for b := s.block; b != nil && b != s.file.Body; b = b.Up {
		b.End = len(s.src)
	}
}

// top returns the innermost frame, or nil.
func (s *scanner) top() *Frame {
	if len(s.frames) == 0 {
		return nil
	}
	return &s.frames[len(s.frames)-1]
}

// step reads one token. A place at the end of a token stands behind it, unless the
// token is a name that goes on.
func (s *scanner) step() {
	if t := s.top(); t != nil {
		switch t.Kind {
		case Quotes:
			s.quoted()
			return
		case Heredoc:
			s.heredoc()
			return
		}
	}
	c := s.src[s.pos]
	switch {
	case c == '\n':
		s.note(s.pos, false, false)
		s.pos++
		s.lineFrom = s.pos
		s.newline()
	case c == ' ' || c == '\t' || c == '\r':
		s.note(s.pos, false, false)
		s.pos++
	case c == '#', c == '/' && s.next() == '/':
		s.lineComment()
	case c == '/' && s.next() == '*':
		s.blockComment()
	default:
		s.endComment()
		s.token(c)
	}
}

func (s *scanner) next() byte {
	if s.pos+1 < len(s.src) {
		return s.src[s.pos+1]
	}
	return 0
}

func (s *scanner) lineComment() {
	s.note(s.pos, false, false)
	start := s.pos
	end := bytes.IndexByte(s.src[s.pos:], '\n')
	if end < 0 {
		end = len(s.src) - s.pos
	}
	s.pos += end
	own := len(bytes.TrimSpace(s.src[s.lineFrom:start])) == 0
	if own {
		if s.comment.End == 0 {
			s.comment = Span{Comment, start, s.pos}
		}
		s.comment.End = s.pos
	}
	s.note(s.pos, true, false)
}

func (s *scanner) blockComment() {
	s.note(s.pos, false, false)
	start := s.pos
	end := bytes.Index(s.src[s.pos+2:], []byte("*/"))
	if end < 0 {
		s.pos = len(s.src)
	} else {
		s.pos += end + 4
	}
	s.file.Spans = append(s.file.Spans, Span{Comment, start, s.pos})
	s.note(s.pos-1, true, false)
}

// endComment ends the comment lines in hand.
func (s *scanner) endComment() {
	if s.comment.End > 0 {
		s.file.Spans = append(s.file.Spans, s.comment)
		s.comment = Span{}
	}
}

// newline ends a statement outside of brackets. What is open in a line that a new
// statement follows is taken as not closed, as it is while it is written.
func (s *scanner) newline() {
	if s.comment.End > 0 && bytes.HasPrefix(bytes.TrimLeft(s.src[s.pos:], " \t"), []byte("\n")) {
		s.endComment()
	}
	s.prevWord = Word{}
	if n := len(s.frames); n > 1 && s.frames[n-1].Kind == Template {
		// A sequence that nothing in it keeps open ends with its line, as does the text
		// in quotes around it: it is being written.
		s.frames = s.frames[:n-1]
		if s.top().Kind == Quotes {
			s.frames = s.frames[:n-2]
		}
	}
	t := s.top()
	if t == nil {
		s.endStatement()
		return
	}
	if t.Kind == Braces {
		t.InValue, t.Key = false, ""
	}
	if s.begins() {
		s.frames = s.frames[:0]
		s.endStatement()
	}
}

// begins reports whether the line that begins at pos is the header of a block that
// cannot stand in an expression: a name, labels in quotes and a brace. All that was
// open before it was not closed.
func (s *scanner) begins() bool {
	line := s.src[s.pos:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	line = bytes.TrimSpace(line)
	n := identifier(line)
	if n == 0 {
		return false
	}
	rest := bytes.TrimLeft(line[n:], " \t")
	quotes := 0
	for len(rest) > 0 && rest[0] == '"' {
		end := bytes.IndexByte(rest[1:], '"')
		if end < 0 {
			return false
		}
		rest = bytes.TrimLeft(rest[end+2:], " \t")
		quotes++
	}
	return quotes > 0 && len(rest) > 0 && rest[0] == '{'
}

func (s *scanner) endStatement() {
	if s.inValue {
		start := s.value
		for start < s.last && isSpace(s.src[start]) {
			start++
		}
		s.block.Attributes = append(s.block.Attributes, Attribute{s.attr, start, max(start, s.last)})
	}
	s.inValue, s.words, s.frames, s.prevWord = false, nil, s.frames[:0], Word{}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// identifier returns the length of the name that text begins with.
func identifier(text []byte) int {
	n := 0
	for n < len(text) {
		c, size := utf8.DecodeRune(text[n:])
		if c != '_' && !unicode.IsLetter(c) && (n == 0 || c != '-' && !unicode.IsDigit(c) && !unicode.IsMark(c)) {
			break
		}
		n += size
	}
	return n
}

func (s *scanner) token(c byte) {
	if n := identifier(s.src[s.pos:]); n > 0 {
		// A place at the end of a name stands in it.
		s.note(s.pos, false, false)
		w := Word{string(s.src[s.pos : s.pos+n]), s.pos, s.pos + n}
		s.note(s.pos+n, false, false)
		s.pos += n
		s.last = s.pos
		s.word(w)
		return
	}
	s.note(s.pos, false, false)
	s.pos++
	if c != '}' || len(s.frames) > 0 {
		s.last = s.pos
	}
	prev := s.prevWord
	s.prevWord = Word{}
	switch c {
	case '"':
		s.open(Frame{Kind: Quotes, Start: s.pos - 1})
	case '{':
		s.brace()
	case '[':
		s.open(Frame{Kind: Brackets, Start: s.pos - 1})
	case '(':
		f := Frame{Kind: Parens, Start: s.pos - 1}
		if prev.End == s.pos-1 {
			f.Func = prev.Text
		}
		s.open(f)
	case '}':
		s.closeBrace()
	case ']':
		s.close(Brackets)
	case ')':
		s.close(Parens)
	case ',':
		if t := s.top(); t != nil {
			t.Args++
			if t.Kind == Braces {
				t.InValue, t.Key = false, ""
			}
		}
	case ':', '=':
		s.equals(c, prev)
	case '<':
		s.beginHeredoc()
	}
}

// word reads a name.
func (s *scanner) word(w Word) {
	s.prevWord = w
	if t := s.top(); t != nil {
		if w.Text == "for" && (t.Kind == Braces || t.Kind == Brackets) && len(bytes.TrimSpace(s.src[t.Start+1:w.Start])) == 0 {
			t.For = true
		}
		return
	}
	if !s.inValue {
		s.words = append(s.words, w)
	}
}

// equals reads an equals sign or a colon.
func (s *scanner) equals(c byte, prev Word) {
	if c == '=' && s.pos < len(s.src) && s.src[s.pos] == '=' { // a comparison
		s.pos++
		s.last = s.pos
		return
	}
	if n := s.pos - 2; c == '=' && n >= 0 && bytes.IndexByte([]byte("!<>"), s.src[n]) >= 0 {
		return
	}
	if t := s.top(); t != nil {
		switch {
		case t.For:
			t.Colon = t.Colon || c == ':'
			t.Arrow = t.Arrow || c == '=' && s.pos < len(s.src) && s.src[s.pos] == '>'
		case t.Kind == Braces && !t.InValue:
			t.InValue = true
			t.Key = prev.Text
			if t.Key == "" {
				t.Key = s.quotedBefore(s.pos - 1)
			}
		}
		return
	}
	if c == '=' && !s.inValue && len(s.words) > 0 {
		s.attr, s.inValue, s.value, s.last = s.words[len(s.words)-1], true, s.pos, s.pos
		s.words = nil
	}
}

// quotedBefore returns the text in quotes that ends before an offset.
func (s *scanner) quotedBefore(at int) string {
	text := bytes.TrimRight(s.src[min(s.lineFrom, at):at], " \t")
	if !bytes.HasSuffix(text, []byte{'"'}) {
		return ""
	}
	text = text[:len(text)-1]
	if i := bytes.LastIndexByte(text, '"'); i >= 0 {
		return string(text[i+1:])
	}
	return ""
}

// maxFrames bounds how deep brackets are followed. People nest a tenth of it, and
// looking for the one that a closing bracket belongs to takes time by the depth.
const maxFrames = 256

func (s *scanner) open(f Frame) {
	if len(s.frames) < maxFrames {
		s.frames = append(s.frames, f)
	}
}

// brace opens an object, or the body of a block.
func (s *scanner) brace() {
	if len(s.frames) > 0 || s.inValue || len(s.words) == 0 {
		s.open(Frame{Kind: Braces, Start: s.pos - 1})
		return
	}
	s.rise(s.words[0].Text, s.words[0].Start)
	b := &Block{Type: s.words[0], Labels: s.words[1:], Start: s.words[0].Start, Body: s.pos, Up: s.block, End: len(s.src)}
	s.block.Blocks = append(s.block.Blocks, b)
	s.block = b
	s.words = nil
}

// rise leaves the blocks that were not closed before a block of a type.
func (s *scanner) rise(kind string, at int) {
	if s.nests == nil {
		return
	}
	for b := s.block; b != nil; b = b.Up {
		if !s.nests(b.Type.Text, kind) {
			continue
		}
		for s.block != b {
			s.block.End = at
			s.block = s.block.Up
		}
		return
	}
}

func (s *scanner) closeBrace() {
	t := s.top()
	if t == nil {
		s.endStatement()
		if s.block.Up != nil {
			s.block.End, s.block.Closed = s.pos, true
			s.file.Spans = append(s.file.Spans, Span{BlockBody, s.block.Body - 1, s.pos})
			s.block = s.block.Up
		}
		return
	}
	for i := len(s.frames) - 1; i >= 0; i-- {
		if k := s.frames[i].Kind; k == Braces || k == Template {
			s.end(s.frames[i])
			s.frames = s.frames[:i]
			return
		}
	}
	// Brackets that are not closed: the brace is the block's.
	s.frames = s.frames[:0]
	s.closeBrace()
}

func (s *scanner) close(kind SpanKind) {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if s.frames[i].Kind == kind {
			s.end(s.frames[i])
			s.frames = s.frames[:i]
			return
		}
		if s.frames[i].Kind == Template || s.frames[i].Kind == Braces {
			return
		}
	}
}

func (s *scanner) end(f Frame) {
	s.file.Spans = append(s.file.Spans, Span{f.Kind, f.Start, s.pos})
}
