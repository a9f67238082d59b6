package document

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lsp/protocol"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

func pos(line, character uint32) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

// The text has a line for each way to end one, and characters of 1 to 4 bytes.
const text = "aå😀b\r\nsecond\rthird\n\nlast"

func TestPositions(t *testing.T) {
	cases := []struct {
		encoding Encoding
		at       string // the place before this
		want     protocol.Position
	}{
		{UTF16, "aå", pos(0, 0)},
		{UTF16, "å", pos(0, 1)},
		{UTF16, "😀", pos(0, 2)},
		{UTF16, "b", pos(0, 4)},
		{UTF8, "b", pos(0, 7)},
		{UTF32, "b", pos(0, 3)},
		{UTF16, "second", pos(1, 0)},
		{UTF16, "third", pos(2, 0)},
		{UTF16, "\nlast", pos(3, 0)},
		{UTF16, "last", pos(4, 0)},
	}
	for _, c := range cases {
		d := New([]byte(text), c.encoding)
		at := strings.Index(text, c.at)
		if got := d.Position(at); got != c.want {
			t.Errorf("%s: %q is at %v, want %v", c.encoding, c.at, got, c.want)
		}
		if got := d.Offset(c.want); got != at {
			t.Errorf("%s: %v is byte %d, want %d", c.encoding, c.want, got, at)
		}
	}
}

func TestPlacesThatDoNotExistAreTheNearest(t *testing.T) {
	d := New([]byte(text), UTF16)
	for p, want := range map[protocol.Position]string{
		pos(0, 99):              "\r\nsecond",
		pos(0, 3):               "😀", // in the middle of its two units
		pos(1, 1<<32-1):         "\rthird",
		pos(99, 0):              "",
		pos(1<<32-1, 7):         "",
		pos(4, 1<<32-1):         "",
		pos(3, 1):               "\nlast",
		{Line: 4, Character: 4}: "",
	} {
		at := d.Offset(p)
		if got := text[at:]; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v is before %q, want %q", p, got, want)
		}
	}
	if got := New(nil, UTF16).Position(7); got != pos(0, 0) {
		t.Errorf("in an empty text: %v", got)
	}
}

// units is the length of a text as the protocol defines it.
func units(s string, e Encoding) int {
	switch e {
	case UTF8:
		return len(s)
	case UTF32:
		return len([]rune(s))
	}
	return len(utf16.Encode([]rune(s)))
}

func TestPositionsAreAsTheProtocolDefinesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "å", "€", "😀", "\n", "\r\n", "\r", "\t", strings.Repeat("å😀x", 150)})).Draw(t, "text"), "")
		e := rapid.SampledFrom([]Encoding{UTF8, UTF16, UTF32}).Draw(t, "encoding")
		d := New([]byte(s), e)
		// Line by line, as the definition says it.
		line := uint32(0)
		count := 0 // of the line so far
		for at, r := range s + "\x00" {
			if at > 0 && (s[at-1] == '\n' || s[at-1] == '\r' && (at == len(s) || s[at] != '\n')) {
				line, count = line+1, 0
			}
			want := pos(line, uint32(count))
			if r != '\r' && r != '\n' {
				count += units(string(r), e)
			}
			if got := d.Position(at); got != want {
				t.Fatalf("byte %d (%q) of %q is at %v, want %v", at, r, s, got, want)
			}
			if inBreak := at > 0 && at < len(s) && s[at-1] == '\r' && s[at] == '\n'; !inBreak && d.Offset(want) != at {
				t.Fatalf("%v of %q is byte %d, want %d", want, s, d.Offset(want), at)
			}
		}
		if d.Lines() != int(line)+1 {
			t.Fatalf("%q has %d lines, want %d", s, d.Lines(), line+1)
		}
	})
}

// Changes give what the client has, whatever the places in them.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "å", "😀", "\n", "\r\n", "step \"x\" {\n"})
		s := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		d := New([]byte(s), UTF16)
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			start, end := rapid.IntRange(0, len(s)).Draw(t, "start"), rapid.IntRange(0, len(s)).Draw(t, "end")
			r := d.Range(min(start, end), max(start, end))
			start, end = d.Offsets(r)
			insert := piece.Draw(t, "insert")
			next, err := d.Apply([]protocol.ContentChange{{Range: &r, Text: insert}}, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			s = s[:start] + insert + s[end:]
			if string(next.Bytes()) != s {
				t.Fatalf("got %q, want %q", next.Bytes(), s)
			}
			d = next
		}
	})
}

func TestSeveralChangesAreOfTheTextBetween(t *testing.T) {
	d := New([]byte("one\ntwo\n"), UTF16)
	at := func(l, a, b uint32) *protocol.Range { return &protocol.Range{Start: pos(l, a), End: pos(l, b)} }
	next, err := d.Apply([]protocol.ContentChange{
		{Range: at(0, 0, 3), Text: "1\n1"},
		{Range: at(2, 0, 3), Text: "2"},
		{Range: &protocol.Range{Start: pos(9, 9), End: pos(0, 0)}, Text: "end"}, // backwards: at its start
	}, 100)
	if err != nil || string(next.Bytes()) != "1\n1\n2\nend" {
		t.Errorf("got %q, %v", next.Bytes(), err)
	}
	if string(d.Bytes()) != "one\ntwo\n" {
		t.Error("the text before the changes is another one")
	}
	if next, err = next.Apply([]protocol.ContentChange{{Text: "new"}}, 100); err != nil || string(next.Bytes()) != "new" {
		t.Errorf("all of it: %q, %v", next.Bytes(), err)
	}
}

func TestATextIsBounded(t *testing.T) {
	d := New([]byte("x"), UTF16)
	if _, err := d.Apply([]protocol.ContentChange{{Text: strings.Repeat("x", 11)}}, 10); err == nil {
		t.Error("a text of 11 bytes is taken where 10 are kept")
	}
}

func TestBytesThatAreNoTextHavePlaces(t *testing.T) {
	d := New([]byte("\xff\xfe\n\xf0\x9f\x98"), UTF16)
	for at := range len(d.Bytes()) + 1 {
		if back := d.Offset(d.Position(at)); back > at {
			t.Errorf("byte %d comes back as %d", at, back)
		}
	}
	if !bytes.Equal(d.Bytes(), []byte("\xff\xfe\n\xf0\x9f\x98")) {
		t.Error("the text is another one")
	}
}

func TestNegotiate(t *testing.T) {
	for offered, want := range map[string]Encoding{"": UTF16, "utf-16": UTF16, "utf-16 utf-8": UTF8, "utf-32 utf-16": UTF32, "utf-7": UTF16} {
		if got := Negotiate(strings.Fields(offered)); got != want {
			t.Errorf("%q gives %s, want %s", offered, got, want)
		}
	}
}

func TestAPlaceInALongLineIsFoundAtOnce(t *testing.T) {
	// A quarter of a million bytes, asked for at every character: from the line's start, each would take
	// as long as all of them do.
	src := strings.Repeat("å😀x", 1<<15)
	d := New([]byte(src), UTF16)
	for at := range src {
		if d.Offset(d.Position(at)) != at {
			t.Fatalf("byte %d comes back as %d", at, d.Offset(d.Position(at)))
		}
	}
}
