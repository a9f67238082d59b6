package expr

import (
	"bytes"
)

// joins counts what it costs HCL's parser to join tokens of literal text that stand side by
// side, of so many bytes together: it copies all that it has for each of them, and
// moves all parts of the text that follow.
func (g *guard) joins(tokens, size int) {
	const alloc = 4 // what it costs to copy a byte to new memory, by what it costs to move it
	t := &g.top
	g.tokens += tokens
	if n := tokens - 1; n > 0 {
		g.joining(tokens * alloc * size / 2)
		t.joined += n
		t.joinedAt += n*t.parts + n*(n+1)/2
	}
	t.parts += tokens
}

// joining counts what joining the tokens of the innermost text costs.
func (g *guard) joining(cost int) {
	g.join += cost
	if g.join > g.maxJoin && g.failed == 0 {
		g.failed = g.top.start
	}
}

// moved is what it costs to move the parts of a text that ends.
func (f *frame) moved() int {
	const part = 16 // bytes
	return part * (f.joined*f.parts - f.joinedAt)
}

// text scans a text in quotes until it ends or a sequence begins.
func (g *guard) text(i int) int {
	src := g.src
	start, tokens := i, 0
	last := i // where the token begins that i is in
	for i < len(src) {
		switch c := src[i]; c {
		case '"':
			g.joins(tokens+min(1, i-last), i-start)
			g.pop()
			return i + 1
		case '\\':
			g.tokens++ // it costs no token, but a finding where it is wrong
			if i++; i < len(src) && src[i] != '\n' && src[i] != '\r' {
				i++
			}
		case '$', '%':
			tokens += min(1, i-last)
			next, begins := sequence(src, i)
			if begins {
				g.joins(tokens, i-start)
				return g.sequence(c, next)
			}
			tokens++
			i, last = next, next
		default:
			i++
		}
	}
	g.joins(tokens+min(1, i-last), i-start)
	return i
}

// heredoc scans a line of a heredoc, or what is left of it, until a sequence begins.
func (g *guard) heredoc(i int) int {
	src := g.src
	start, last, end := i, i, lineEnd(src, i) // last is where the token begins that i is in
	whole := (i == 0 || src[i-1] == '\n') && end > i && src[end-1] == '\n'
	if whole && bytes.Equal(bytes.TrimSpace(src[i:end]), g.top.marker) {
		g.endLiteral(i)
		g.pop()
		return end - 1
	}
	t := &g.top.literal
	if t.start < 0 {
		t.start = i
	}
	plain := whole && bytes.IndexByte(bytes.TrimSuffix(src[i:end-1], []byte{'\r'}), '\r') < 0 // HCL's scanner stumbles over others
	for i < end {
		if c := src[i]; c != '$' && c != '%' {
			i++
			continue
		}
		if plain {
			g.endPlain()
			plain = false
		}
		t.tokens += min(1, i-last)
		next, begins := sequence(src, i)
		if begins {
			g.endLiteral(i)
			return g.sequence(src[i], next)
		}
		t.tokens++
		i, last = next, next
	}
	switch {
	case !plain:
		g.endPlain()
		t.tokens++
	case t.lines == 0:
		t.plain = start
		fallthrough
	default:
		t.lines++
	}
	return i
}

// endLiteral ends literal text of a heredoc before end.
func (g *guard) endLiteral(end int) {
	g.endPlain()
	t := &g.top.literal
	if t.start >= 0 {
		g.joins(t.tokens, end-t.start)
	}
	*t = literal{start: -1}
}

// endPlain ends the lines without $ and %.
func (g *guard) endPlain() {
	t := &g.top.literal
	from, lines := t.plain, t.lines
	t.lines = 0
	if lines < g.minLines {
		t.tokens += lines
		return
	}
	// What hides them needs some bytes in the first line and some in the last.
	hidden := span{start: -1}
	at := from
	for range lines {
		end := lineEnd(g.src, at)
		switch size := len(bytes.TrimRight(g.src[at:end], "\r\n")); {
		case hidden.start < 0 && size >= len(hideStart):
			hidden.start = at
		case hidden.start >= 0 && size >= len(hideEnd):
			hidden.end = at + size
		}
		at = end
	}
	t.tokens += lines
	if hidden.end > 0 {
		g.outline.texts = append(g.outline.texts, hidden)
		t.tokens -= bytes.Count(g.src[hidden.start:hidden.end], []byte{'\n'})
	}
}

// sequence looks at the $ or % at i and returns where to go on, and whether a
// sequence begins there.
func sequence(src []byte, i int) (next int, begins bool) {
	c := src[i]
	if i+1 < len(src) && src[i+1] == '{' {
		return i + 2, true
	}
	if i+2 < len(src) && src[i+1] == c && src[i+2] == '{' {
		return i + 3, false
	}
	return i + 1, false
}

// sequence opens a sequence whose braces end before i.
func (g *guard) sequence(c byte, i int) int {
	if c == '%' {
		switch string(keyword(g.src, i)) {
		case "if", "for":
			g.top.directives++
			g.nesting++
		case "endif", "endfor":
			if g.top.directives > 0 {
				g.top.directives--
				g.nesting--
			}
		}
	}
	g.top.parts++
	g.push(frame{kind: '$'})
	return i
}

// keyword returns the name that comes next at i after white space, comments and ~.
func keyword(src []byte, i int) []byte {
	for i < len(src) {
		switch c := src[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '~':
			i++
		case c == '#':
			i = lineEnd(src, i)
		case c == '/':
			end := commentEnd(src, i)
			if end == i {
				return nil
			}
			i = end
		default:
			start := i
			for i < len(src) && inWord[src[i]] {
				i++
			}
			return src[start:i]
		}
	}
	return nil
}

// heredocMarker returns the marker of the heredoc that begins at i, and where
// its first line begins; nil where none does.
func heredocMarker(src []byte, i int) (marker []byte, body int) {
	if i+2 >= len(src) || src[i+1] != '<' {
		return nil, 0
	}
	start := i + 2
	if src[start] == '-' {
		start++
	}
	end := start
	for end < len(src) && (inWord[src[end]] || src[end] >= 0x80) {
		end++
	}
	if end == start || classes[src[start]] != word && src[start] < 0x80 {
		return nil, 0
	}
	switch {
	case bytes.HasPrefix(src[end:], []byte("\n")):
		return src[start:end], end + 1
	case bytes.HasPrefix(src[end:], []byte("\r\n")):
		return src[start:end], end + 2
	}
	return nil, 0
}
