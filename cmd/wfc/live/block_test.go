package live

import (
	"strings"
	"testing"
)

func TestABlockIsDrawnOverItself(t *testing.T) {
	columns := 20
	var out strings.Builder
	b := &Block{W: &out, Size: func() (int, int) { return columns, 24 }}
	for _, c := range []struct {
		rule    string
		columns int
		above   string
		lines   []string
		want    string
	}{
		{"nothing is nothing", 20, "", nil, ""},
		{"lines that stay are as they are", 20, "a\n", nil, "a\n"},
		{"a block", 20, "", []string{"x", "\x1b[2my\x1b[0m"}, "x\x1b[K\n\x1b[2my\x1b[0m\x1b[K\n"},
		{"over itself, below what stays", 20, "b\n", []string{strings.Repeat("z", 15)}, "\x1b[2A\rb\x1b[K\n" + strings.Repeat("z", 15) + "\x1b[K\n\x1b[J"},
		{"a terminal that became narrower has wrapped it", 10, "", []string{"x"}, "\x1b[2A\rx\x1b[K\n\x1b[J"},
		{"taken away", 10, "", nil, "\x1b[1A\r\x1b[J"},
		{"nothing again", 10, "", nil, ""},
	} {
		out.Reset()
		columns = c.columns
		b.Draw(c.above, c.lines)
		if got := out.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestTextsAreCutToColumns(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"界界", 4, "界界"}, {"界界", 3, "界…"}, {"e\u0301e\u0301", 2, "e\u0301e\u0301"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"", 0, ""},
	} {
		got := Cut(c.text, c.columns)
		if got != c.want || Width(got) > c.columns {
			t.Errorf("%q in %d columns is %q", c.text, c.columns, got)
		}
	}
	if n := Width("\x1b[31mred\x1b[0m 界"); n != 6 {
		t.Errorf("it is %d columns wide", n)
	}
}
