package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

func TestAMessageShowsTheEndsOfALongText(t *testing.T) {
	name := "ä" + strings.Repeat("b", 1_000_000) + "ö"
	d := New("WFC1021", hcl.Range{}, "There is no attribute %q (%d, %s).", name, 7, name).With(hcl.Range{}, "here is %s", name)
	for _, s := range []string{d.Detail, d.Related[0].Message} {
		if len(s) > 2000 || !utf8.ValidString(s) || !strings.Contains(s, "ä") || !strings.Contains(s, "ö") || !strings.Contains(s, "1000002 characters in all") {
			t.Errorf("%q", s)
		}
	}
}

func TestWhatIsShownOfAFindingHasBounds(t *testing.T) {
	src := strings.Repeat("long ", 200_000)
	d := New("WFC1021", hcl.Range{Filename: "a.wf.hcl", Start: hcl.Pos{Line: 1, Byte: 500_000}, End: hcl.Pos{Line: 1, Byte: 500_004}}, "x")
	d.Detail = src
	for i := range 100_000 {
		d = Diagnostic{d.Code, d.Severity, d.Summary, d.Detail, d.Range, append(d.Related, Related{fmt.Sprint(i), d.Range}), d.Fixes}
	}
	d = d.Fix(src, false, Edit{Range: d.Range, Text: "y"})
	l, source := located(src, List{d})
	for name, write := range map[string]func(io.Writer) error{
		"text":   func(w io.Writer) error { return WriteText(w, l, TextOptions{Source: source}) },
		"json":   func(w io.Writer) error { return WriteJSON(w, l, 1, source) },
		"sarif":  func(w io.Writer) error { return WriteSARIF(w, l, "1") },
		"github": func(w io.Writer) error { return WriteGitHub(w, l) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil || out.Len() > 50_000 {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
		if name != "github" && !strings.Contains(out.String(), "99999") {
			t.Errorf("%s does not have the last place", name)
		}
	}
}

func TestTextShowsAHundredFindingsOfACodeInAFile(t *testing.T) {
	var l List
	for _, file := range []string{"a.wf.hcl", "b.wf.hcl"} {
		for i := range 150 {
			at := hcl.Range{Filename: file, Start: hcl.Pos{Line: i + 1, Column: 1, Byte: i}, End: hcl.Pos{Line: i + 1, Column: 1, Byte: i}}
			l = append(l, New("WFC1021", at, "x"))
		}
	}
	l = append(l, New("WFC1020", hcl.Range{Filename: "b.wf.hcl", Start: hcl.InitialPos, End: hcl.InitialPos}, "y"))
	var out strings.Builder
	if err := WriteText(&out, l, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if n := strings.Count(got, " --> "); n != 201 {
		t.Errorf("%d are shown", n)
	}
	for _, want := range []string{"There are 50 more of these in a.wf.hcl.", "There are 50 more of these in b.wf.hcl."} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("%q is not said", want)
		}
	}
}

func TestColumnsCountCodePointsWhereverTheyStand(t *testing.T) {
	src := "a\nß→x\n" + strings.Repeat("→é", 1000) + "\n\xff\xfe→\n"
	var l List
	for i := len(src); i >= 0; i-- {
		at := hcl.Range{Filename: "a.wf.hcl", Start: hcl.Pos{Byte: i, Line: 1}, End: hcl.Pos{Byte: max(0, i-3), Line: 1}}
		l = append(l, New("WFC1021", at, "x"))
	}
	l.Locate(func(string) []byte { return []byte(src) })
	for _, d := range l {
		for _, p := range []Pos{d.Range.Start, d.Range.End} {
			line := src[strings.LastIndexByte(src[:p.Byte], '\n')+1 : p.Byte]
			if want := utf8.RuneCountInString(line) + 1; p.Column != want {
				t.Fatalf("byte %d has column %d, want %d", p.Byte, p.Column, want)
			}
		}
	}
}

func TestALineWithAFindingInEverySecondByteIsLocatedInOnePass(t *testing.T) {
	src := []byte(strings.Repeat("a,", 500_000))
	var l List
	for i := range 500_000 {
		at := hcl.Range{Filename: "a.wf.hcl", Start: hcl.Pos{Byte: 2 * i, Line: 1}, End: hcl.Pos{Byte: 2*i + 1, Line: 1}}
		l = append(l, Diagnostic{Code: "WFC1021", Range: RangeOf(at)})
	}
	l.Locate(func(string) []byte { return src }) // counting each column from the line's beginning takes minutes
	if got := l[len(l)-1].Range.Start.Column; got != len(src)-1 {
		t.Errorf("the last one is in column %d", got)
	}
	if err := WriteText(io.Discard, l, TextOptions{Source: func(string) []byte { return src }}); err != nil {
		t.Fatal(err)
	}
}

// A message that was put together before is no text of somebody's in one.
func TestAWholeMessageKeepsItsMiddle(t *testing.T) {
	long := strings.Repeat("What is wrong with it is said at length. ", 20)
	if d := New("WFC1021", hcl.Range{}, "%s", long); d.Detail != long {
		t.Errorf("it is %q", d.Detail)
	}
}
