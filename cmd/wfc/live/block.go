package live

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Block is the lines at the bottom of a terminal that are drawn over themselves. What
// stays is written above them. Each change is one write, and nothing is erased
// before it is written over, so that nothing flickers.
type Block struct {
	W io.Writer
	// Size returns how many columns and rows the terminal has now.
	Size func() (columns, rows int)

	drawn []int // the widths of the lines that stand there
}

// Draw puts lines in place of those that stand there, below above: whole lines
// that stay, with their line ends; "" is none. Each line must be shorter than the
// terminal is wide.
func (b *Block) Draw(above string, lines []string) {
	if above == "" && len(lines) == 0 && len(b.drawn) == 0 {
		return
	}
	var out strings.Builder
	columns, _ := b.Size()
	if up := b.rows(columns); up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", up)
	}
	if len(b.drawn) > 0 {
		out.WriteByte('\r')
	}
	for line := range strings.Lines(above) {
		text, ended := strings.CutSuffix(line, "\n")
		out.WriteString(text)
		if len(b.drawn) > 0 {
			out.WriteString("\x1b[K")
		}
		if ended {
			out.WriteByte('\n')
		}
	}
	widths := make([]int, len(lines))
	for i, line := range lines {
		out.WriteString(line)
		out.WriteString("\x1b[K\n")
		widths[i] = Width(line)
	}
	if len(b.drawn) > 0 {
		out.WriteString("\x1b[J") // what was longer, or wrapped
	}
	b.drawn = widths
	_, _ = io.WriteString(b.W, out.String()) // of what is only shown an error is nobody's
}

// rows is how many rows the lines that stand there take: a terminal that became
// narrower has wrapped them.
func (b *Block) rows(columns int) int {
	n := 0
	for _, w := range b.drawn {
		n++
		if columns > 0 && w > columns {
			n += (w - 1) / columns
		}
	}
	return n
}

// Width is how many columns a text takes, escape sequences left out.
func Width(s string) int {
	n := 0
	for i, r := range s {
		if r == '\x1b' {
			end := strings.IndexByte(s[i:], 'm')
			if end >= 0 {
				return n + Width(s[i+end+1:])
			}
		}
		n += columnsOf(r)
	}
	return n
}

// Cut shortens a text without escape sequences to so many columns, with an ellipsis
// where something is lost.
func Cut(s string, columns int) string {
	if Width(s) <= columns {
		return s
	}
	n := 0
	for i, r := range s {
		if n+columnsOf(r) > columns-1 {
			if columns < 1 {
				return ""
			}
			return s[:i] + "…"
		}
		n += columnsOf(r)
	}
	return s
}

func columnsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
