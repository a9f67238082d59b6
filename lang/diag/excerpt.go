package diag

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const (
	// tabStop is how wide a tab is shown at most. Source excerpts are short of space.
	tabStop = 4
	// before is how much of a long line is shown before the marked part.
	before = 20
)

// excerpt is one line of source, ready to be shown, with a part of it marked.
type excerpt struct {
	line   int    // its number, from 1
	text   string // tabs expanded, control characters replaced, cut to the width
	offset int    // cells before the marked part
	length int    // cells of the marked part, at least 1
}

// excerptOf shows the first line of r, in at most cells cells. ok is false
// where src has no such place.
func excerptOf(src []byte, r Range, cells int) (x excerpt, ok bool) {
	if r.Start.Byte > len(src) || r.Start.Line < 1 {
		return excerpt{}, false
	}
	around := aroundOf(cells)
	// No further than what can be shown, so that many findings in a long line cost no
	// more than in a short one.
	start := runeStart(src, max(0, r.Start.Byte-around))
	start += bytes.LastIndexByte(src[start:r.Start.Byte], '\n') + 1
	end := runeStart(src, min(len(src), r.Start.Byte+around))
	if n := bytes.IndexByte(src[r.Start.Byte:end], '\n'); n >= 0 {
		end = r.Start.Byte + n
	}
	line := src[start:end]
	if start == 0 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		start = end - len(line)
	}
	line = bytes.TrimSuffix(line, []byte("\r"))

	from, to := r.Start.Byte-start, min(r.End.Byte-start, len(line))
	x = excerpt{line: r.Start.Line, offset: -1}
	var shown []cell
	at := 0 // cells
	for i := 0; i < len(line); {
		c, n := utf8.DecodeRune(line[i:])
		if x.offset < 0 && i >= from {
			x.offset = at
		}
		s, w := show(c, at)
		shown = append(shown, cell{s, w})
		at += w
		if i >= from && i < to {
			x.length = at - max(x.offset, 0)
		}
		i += n
	}
	if x.offset < 0 {
		x.offset = at
	}
	x.length = max(x.length, 1)
	x.cut(shown, at, max(cells, 2*before))
	return x, true
}

// aroundOf is how many bytes before and after a place can be shown in so many cells: a
// cell has four, and marks and the like have none.
func aroundOf(cells int) int { return 8 * max(cells, 2*before) }

// cell is what one character is shown as, and how wide that is.
type cell struct {
	text  string
	width int
}

// show returns how a character is shown in column at. Control characters,
// which could do anything to a terminal, and those that turn the direction of
// text are shown as a replacement.
func show(c rune, at int) (string, int) {
	switch {
	case c == '\t':
		n := tabStop - at%tabStop
		return strings.Repeat(" ", n), n
	case unicode.IsControl(c), c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069, c == utf8.RuneError:
		return "\ufffd", 1
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return string(c), 0
	}
	switch width.LookupRune(c).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return string(c), 2
	}
	return string(c), 1
}

// cut keeps cells cells of a line around the marked part.
func (x *excerpt) cut(shown []cell, total, cells int) {
	var s strings.Builder
	if total <= cells {
		for _, c := range shown {
			s.WriteString(c.text)
		}
		x.text = s.String()
		return
	}
	from := max(0, min(x.offset-before, total-cells+1))
	if from > 0 {
		s.WriteString("…")
		from++ // its cell
	}
	at, first := 0, -1
	used := s.Len() / len("…")
	for _, c := range shown {
		if at >= from {
			if first < 0 {
				first = at
			}
			if used+c.width > cells-1 && at+c.width < total {
				s.WriteString("…")
				break
			}
			s.WriteString(c.text)
			used += c.width
		}
		at += c.width
	}
	x.text = s.String()
	if from > 0 {
		x.offset = x.offset - max(first, 0) + 1
	}
	x.length = max(1, min(x.length, used-x.offset))
}

// clean replaces control characters in a message, line breaks excepted: it
// may quote a file or a server.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' {
			return c
		}
		if t, _ := show(c, 0); t == "\ufffd" {
			return '\ufffd'
		}
		return c
	}, s)
}

// wrap breaks text into lines of at most width cells, each after indent. Lines
// that are indented (commands, lists) stay as they are.
func wrap(text, indent string, cells int) string {
	var out strings.Builder
	for i, paragraph := range strings.Split(text, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		if paragraph == "" {
			continue
		}
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			out.WriteString(indent + paragraph)
			continue
		}
		used := 0
		for j, word := range strings.Fields(paragraph) {
			n := utf8.RuneCountInString(word)
			switch {
			case j == 0:
				out.WriteString(indent)
			case used+1+n > cells:
				out.WriteString("\n" + indent)
				used = 0
			default:
				out.WriteByte(' ')
				used++
			}
			out.WriteString(word)
			used += n
		}
	}
	return out.String()
}
