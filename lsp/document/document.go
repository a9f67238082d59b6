// Package document has the texts that an editor shows: immutable, versioned,
// with places as the protocol counts them.
//
// Its central type is [Text]. It may import lsp/protocol.
package document

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// Encoding is what the characters of a position are counted in.
type Encoding string

// The encodings. UTF16 is what a client means that says nothing.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Negotiate returns the encoding for a client that offers some: the cheapest for
// us of those that it knows.
func Negotiate(offered []string) Encoding {
	for _, want := range []Encoding{UTF8, UTF32} {
		for _, o := range offered {
			if Encoding(o) == want {
				return want
			}
		}
	}
	return UTF16
}

// Text is a text with its lines. It is immutable and safe for concurrent use.
type Text struct {
	src      []byte
	encoding Encoding

	once  sync.Once
	lines []int // the offset of each line's first byte

	counted sync.Once
	marks   []mark // in long lines, so that a place in one costs no walk from its start
}

// mark is a character of a line, and how many code units are before it in that.
type mark struct{ at, units int }

// apart is how many bytes there are between two marks, at least.
const apart = 512

// New returns a text. src is not to be changed afterwards.
func New(src []byte, e Encoding) *Text { return &Text{src: src, encoding: e} }

// Bytes returns the text, which is not to be changed.
func (t *Text) Bytes() []byte { return t.src }

// starts returns where the lines start. A line ends with LF, CRLF or CR, as the
// protocol has it.
func (t *Text) starts() []int {
	t.once.Do(func() {
		t.lines = make([]int, 1, 1+bytes.Count(t.src, []byte{'\n'}))
		hasCR := bytes.IndexByte(t.src, '\r') >= 0
		for at := 0; ; {
			var n int
			if hasCR {
				n = bytes.IndexAny(t.src[at:], "\r\n")
			} else {
				n = bytes.IndexByte(t.src[at:], '\n')
			}
			if n < 0 {
				return
			}
			at += n + 1
			if t.src[at-1] == '\r' && at < len(t.src) && t.src[at] == '\n' {
				at++
			}
			t.lines = append(t.lines, at)
		}
	})
	return t.lines
}

// Lines returns how many lines there are: at least one.
func (t *Text) Lines() int { return len(t.starts()) }

// Line returns the offsets of a line's first byte and of its end, without what
// ends it. A line that the text does not have is empty, at the text's end.
func (t *Text) Line(n int) (start, end int) {
	lines := t.starts()
	if n < 0 || n >= len(lines) {
		return len(t.src), len(t.src)
	}
	start, end = lines[n], len(t.src)
	if n+1 < len(lines) {
		end = lines[n+1]
	}
	for end > start && (t.src[end-1] == '\n' || t.src[end-1] == '\r') {
		end--
	}
	return start, end
}

// Offset returns the byte offset of a position. A character behind the end of
// its line is the end, as the protocol has it; a line behind the last is the
// text's end; a place inside of a character is its beginning.
func (t *Text) Offset(p protocol.Position) int {
	if int64(p.Line) >= int64(t.Lines()) {
		return len(t.src)
	}
	at, end := t.Line(int(p.Line))
	if t.encoding == UTF8 {
		if int64(p.Character) >= int64(end-at) {
			return end
		}
		at += int(p.Character)
		for i := 0; i < utf8.UTFMax-1 && at > 0 && !utf8.RuneStart(t.src[at]); i++ {
			at--
		}
		return at
	}
	before := 0
	if end-at > apart {
		marks := t.between(at, end)
		n, _ := slices.BinarySearchFunc(marks, int64(p.Character)+1, func(m mark, units int64) int { return cmp.Compare(int64(m.units), units) })
		if n > 0 {
			at, before = marks[n-1].at, marks[n-1].units
		}
	}
	for left := int64(p.Character) - int64(before); left > 0 && at < end; {
		r, n := utf8.DecodeRune(t.src[at:end])
		if left -= t.units(r); left < 0 {
			break
		}
		at += n
	}
	return at
}

// measured returns the marks of all long lines.
func (t *Text) measured() []mark {
	t.counted.Do(func() {
		for n := range t.Lines() {
			start, end := t.Line(n)
			units, last := 0, start
			for at := start; end-start > apart && at < end; {
				if at-last >= apart {
					t.marks = append(t.marks, mark{at, units})
					last = at
				}
				r, size := utf8.DecodeRune(t.src[at:end])
				at += size
				units += int(t.units(r))
			}
		}
	})
	return t.marks
}

// between returns the marks from one byte offset to before another.
func (t *Text) between(start, end int) []mark {
	marks := t.measured()
	find := func(at int) int {
		n, _ := slices.BinarySearchFunc(marks, at, func(m mark, at int) int { return m.at - at })
		return n
	}
	return marks[find(start):find(end)]
}

// units returns how many code units a character has. A byte that is no UTF-8
// counts as the one character that a client shows for it.
func (t *Text) units(r rune) int64 {
	if t.encoding == UTF16 && r > 0xFFFF {
		return 2
	}
	return 1
}

// Position returns the position of a byte offset. One outside of the text is its
// nearer end; one between CR and LF is that of the line's end.
func (t *Text) Position(offset int) protocol.Position {
	offset = min(max(offset, 0), len(t.src))
	lines := t.starts()
	lo, hi := 0, len(lines) // the line is in [lo, hi)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	start, end := t.Line(lo)
	offset = min(offset, end)
	if t.encoding == UTF8 {
		return protocol.Position{Line: uint32(lo), Character: uint32(offset - start)}
	}
	var units int64
	if offset-start > apart {
		if marks := t.between(start, offset+1); len(marks) > 0 {
			last := marks[len(marks)-1]
			start, units = last.at, int64(last.units)
		}
	}
	for at := start; at < offset; {
		r, n := utf8.DecodeRune(t.src[at:end])
		if at+n > offset {
			break
		}
		at += n
		units += t.units(r)
	}
	return protocol.Position{Line: uint32(lo), Character: uint32(units)}
}

// Range returns the range of two byte offsets.
func (t *Text) Range(start, end int) protocol.Range {
	return protocol.Range{Start: t.Position(start), End: t.Position(max(start, end))}
}

// Offsets returns the byte offsets of a range; where its end lies before its
// start, both are the start.
func (t *Text) Offsets(r protocol.Range) (start, end int) {
	start, end = t.Offset(r.Start), t.Offset(r.End)
	return start, max(start, end)
}

// Apply returns the text after changes, each of the text that the one before it
// left. The error says that the text would be longer than limit.
func (t *Text) Apply(changes []protocol.ContentChange, limit int) (*Text, error) {
	for _, c := range changes {
		var src []byte
		if c.Range == nil {
			src = []byte(c.Text)
		} else {
			start, end := t.Offsets(*c.Range)
			src = make([]byte, 0, len(t.src)-(end-start)+len(c.Text))
			src = append(append(append(src, t.src[:start]...), c.Text...), t.src[end:]...)
		}
		if len(src) > limit {
			return nil, fmt.Errorf("the text would have %d bytes, and at most %d are kept", len(src), limit)
		}
		t = New(src, t.encoding)
	}
	return t, nil
}
