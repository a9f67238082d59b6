package iface

// The declarations of a file are found before any is parsed, by what begins
// them, so that a mistake in one costs no other. What begins a declaration is a
// keyword and a name, where a line begins or no bracket is open.

// keywords begin the declarations of an interface.
var keywords = []string{"type", "tool", "resource", "prompt"}

func isKeyword(t token) bool {
	return t.kind == ident && (t.text == "type" || t.text == "tool" || t.text == "resource" || t.text == "prompt")
}

// block is one interface as it was split: its parts are tokens.
type block struct {
	header  []token   // with documentation; up to the brace, if there is one
	members [][]token // each with its documentation
	last    token     // the closing brace, or what stands where it should
	closed  bool
	stray   []token // what stands before it and is no interface
}

// splitter looks for declarations in the tokens of a file without comments,
// the end of the file last.
type splitter struct{ tokens []token }

// split returns the interfaces of a file. The last block may have no header:
// what is stray at the end.
func (s *splitter) split() []block {
	var out []block
	at := 0
	for {
		b, next := s.block(at)
		if len(b.header) > 0 || len(b.stray) > 0 {
			out = append(out, b)
		}
		if next >= len(s.tokens) {
			return out
		}
		at = next
	}
}

func (s *splitter) end(i int) bool { return s.tokens[i].kind == endOfFile }

// block takes the next interface from i on, and returns where to go on.
func (s *splitter) block(i int) (b block, next int) {
	start := i
	for ; !s.end(i) && !s.beginsInterface(i); i++ {
	}
	if s.end(i) {
		b.stray = s.tokens[start:i]
		return b, len(s.tokens)
	}
	p := max(s.prefix(i), start)
	b.stray = s.tokens[start:p]
	k := i + 1
	for !s.end(k) && !s.tokens[k].is("{") && !s.begins(k, true) && !s.beginsInterface(k) {
		k++
	}
	if s.tokens[k].is("{") {
		k++
	}
	b.header = s.tokens[p:k]
	return b, s.body(&b, k)
}

// body takes the declarations of an interface from k on, up to its closing
// brace or to what ends it without one.
func (s *splitter) body(b *block, k int) (next int) {
	var open []byte
	start := k
	take := func(end int) {
		if end > start {
			b.members = append(b.members, s.tokens[start:end])
		}
		start = end
	}
	for ; ; k++ {
		t := s.tokens[k]
		switch {
		case t.kind == endOfFile, s.beginsInterface(k):
			p := max(s.prefix(k), start)
			take(p)
			if t.kind == endOfFile {
				take(k) // documentation of nothing
				p = k
			}
			b.last = s.tokens[p]
			return p
		case s.begins(k, len(open) == 0), len(open) == 0 && s.looksLike(k):
			p := max(s.prefix(k), start)
			if len(open) > 0 && s.tokens[p].breaks == 0 {
				break
			}
			take(p)
			open = open[:0]
		case t.is("("), t.is("["), t.is("{"):
			open = append(open, t.text[0])
		case t.is(")"), t.is("]"):
			open = shut(open, t.text[0])
		case t.is("}"):
			if left, ok := shutBrace(open); ok {
				open = left
				break
			}
			// In the middle of a line it closes nothing, and neither does it end the interface.
			if len(open) > 0 && t.breaks == 0 {
				break
			}
			take(max(s.prefix(k), start))
			take(k) // documentation of nothing
			b.last, b.closed = t, true
			return k + 1
		}
	}
}

// shut closes the bracket of c, if it is open inside of the innermost braces.
func shut(open []byte, c byte) []byte {
	want := byte('(')
	if c == ']' {
		want = '['
	}
	for i := len(open) - 1; i >= 0 && open[i] != '{'; i-- {
		if open[i] == want {
			return open[:i]
		}
	}
	return open
}

// shutBrace closes the innermost braces, with what is open in them.
func shutBrace(open []byte) ([]byte, bool) {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == '{' {
			return open[:i], true
		}
	}
	return open, false
}

// joins reports whether what comes after the token i belongs to it: then
// nothing begins there.
func (s *splitter) joins(i int) bool {
	if i < 0 || s.tokens[i].kind != punct {
		return false
	}
	switch s.tokens[i].text {
	case "->", "=", ":", ".", ",", "-", "...":
		return true
	}
	return false
}

// begins reports whether a declaration of an interface begins with the keyword
// i. outside says that no bracket is open there.
func (s *splitter) begins(i int, outside bool) bool {
	if !isKeyword(s.tokens[i]) {
		return false
	}
	name := s.tokens[i+1]
	if name.kind != ident && name.kind != text {
		return false
	}
	if !s.joins(i - 1) {
		return true
	}
	// What stands before it lacks its end, if this is a declaration beyond doubt.
	after := s.tokens[min(i+2, len(s.tokens)-1)]
	if s.tokens[i].breaks == 0 {
		return false
	}
	switch s.tokens[i].text {
	case "type":
		return outside && after.is("=")
	case "resource":
		return after.kind == text
	}
	return after.is("(")
}

// looksLike reports whether at i, outside of brackets, begins what is meant to
// be a declaration and has no keyword that we know.
func (s *splitter) looksLike(i int) bool {
	t, after := s.tokens[i], s.tokens[min(i+1, len(s.tokens)-1)]
	if t.kind != ident || t.breaks == 0 && s.prefix(i) == i || s.joins(i-1) || i > 0 && isKeyword(s.tokens[i-1]) {
		return false
	}
	return after.kind == ident || after.kind == text || after.is("(") || after.is("=")
}

// beginsInterface reports whether an interface begins with the word i.
func (s *splitter) beginsInterface(i int) bool {
	if !s.tokens[i].word("interface") || s.joins(i-1) {
		return false
	}
	after := s.tokens[i+1]
	if after.kind != ident && after.kind != text && !after.is("{") {
		return false
	}
	return s.tokens[s.prefix(i)].breaks > 0 || i == 0 || s.prefix(i) == 0 || s.tokens[s.prefix(i)-1].is("}")
}

// prefix returns where the documentation and annotations before the token i begin.
func (s *splitter) prefix(i int) int {
	for i > 0 {
		t := s.tokens[i-1]
		switch {
		case t.kind == annotation:
		case t.kind == text && t.breaks > 0, t.kind == text && i == 1:
		case t.kind == text && s.tokens[i-2].kind == ident && !(i > 2 && s.tokens[i-3].word("resource")):
		case t.kind == text && (s.tokens[i-2].kind == text || s.tokens[i-2].kind == annotation || s.tokens[i-2].is("{") || s.tokens[i-2].is("}") || s.tokens[i-2].is(")")):
		default:
			return i
		}
		i--
	}
	return i
}
