package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// place finds the first occurrence of what in src, as a range of a.wf.hcl.
func place(t *testing.T, src, what string) hcl.Range {
	t.Helper()
	start := strings.Index(src, what)
	if start < 0 {
		t.Fatalf("%q is not in the source", what)
	}
	pos := func(b int) hcl.Pos { return hcl.Pos{Byte: b, Line: strings.Count(src[:b], "\n") + 1} }
	return hcl.Range{Filename: "a.wf.hcl", Start: pos(start), End: pos(start + len(what))}
}

// located is a list with columns, and a source for the writers.
func located(src string, l List) (List, func(string) []byte) {
	source := func(file string) []byte {
		if file == "a.wf.hcl" {
			return []byte(src)
		}
		return nil
	}
	l.Locate(source)
	return l, source
}

const step = `step "search" {
  call = tracker.search_issues
  args = {
    querry = "x"
  }
}
`

// sample is one diagnostic with everything.
func sample(t *testing.T) (List, func(string) []byte) {
	d := New("WFC1021", place(t, step, "querry"), "The tool tracker.search_issues has no argument %q. Did you mean %q?\n\n    wfc catalog show github.work", "querry", "query").
		With(place(t, step, "tracker.search_issues"), "the tool").
		Fix(`Change it to "query"`, false, Edit{Range: RangeOf(place(t, step, "querry")), Text: "query"})
	return located(step, List{d})
}

func TestTextShowsWhatWhereWhyAndWhatToDo(t *testing.T) {
	l, source := sample(t)
	var out bytes.Buffer
	if err := WriteText(&out, l, TextOptions{Source: source, Width: 60}); err != nil {
		t.Fatal(err)
	}
	const want = `error[WFC1021]: Unknown attribute of a block
 --> a.wf.hcl:4:5
     |
   4 |     querry = "x"
     |     ^^^^^^
  The tool tracker.search_issues has no argument "querry".
  Did you mean "query"?

      wfc catalog show github.work
 --> a.wf.hcl:2:10: the tool
     |
   2 |   call = tracker.search_issues
     |          ---------------------
  perhaps: Change it to "query"

`
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
}

func TestTextIsColouredOnlyWhenAsked(t *testing.T) {
	l, source := sample(t)
	var plain, coloured bytes.Buffer
	if err := WriteText(&plain, l, TextOptions{Source: source}); err != nil {
		t.Fatal(err)
	}
	if err := WriteText(&coloured, l, TextOptions{Source: source, Color: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Error("there are colours that nobody asked for")
	}
	if !strings.HasPrefix(coloured.String(), "\x1b[1;31merror[WFC1021]\x1b[0m") {
		t.Errorf("got %q", coloured.String()[:40])
	}
}

func TestTextWithoutSourceOrPlaceShowsWhatItHas(t *testing.T) {
	l := List{New("WFC1101", hcl.Range{}, "It cannot be read."), New("WFC1101", hcl.Range{Filename: "b.wf.hcl", Start: hcl.InitialPos, End: hcl.InitialPos}, "It cannot be read.")}
	var out bytes.Buffer
	if err := WriteText(&out, l, TextOptions{Source: func(string) []byte { return nil }}); err != nil {
		t.Fatal(err)
	}
	const want = `error[WFC1101]: File or folder cannot be read
  It cannot be read.

error[WFC1101]: File or folder cannot be read
 --> b.wf.hcl:1:1
  It cannot be read.

`
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
}

func TestExcerptsAreUnderlinedWhereTheMistakeIsSeen(t *testing.T) {
	long := "  text = \"" + strings.Repeat("abcdefghij", 30) + "\" wrong \"" + strings.Repeat("0123456789", 30) + "\""
	for name, c := range map[string]struct{ src, what, want string }{
		"plain":               {"a = wrong\n", "wrong", "   1 | a = wrong\n     |     ^^^^^"},
		"tabs":                {"\t\ta\t= wrong\n", "wrong", "   1 |         a   = wrong\n     |               ^^^^^"},
		"wide characters":     {"a = \"日本\" wrong\n", "wrong", "   1 | a = \"日本\" wrong\n     |            ^^^^^"},
		"wide mistake":        {"a = 日本\n", "日本", "   1 | a = 日本\n     |     ^^^^"},
		"combining marks":     {"a = \"e\u0301\" wrong\n", "wrong", "   1 | a = \"e\u0301\" wrong\n     |         ^^^^^"},
		"CRLF":                {"a = 1\r\nb = wrong\r\n", "wrong", "   2 | b = wrong\n     |     ^^^^^"},
		"BOM":                 {"\ufeffa = wrong\n", "wrong", "   1 | a = wrong\n     |     ^^^^^"},
		"end of the file":     {"a = wrong", "wrong", "   1 | a = wrong\n     |     ^^^^^"},
		"several lines":       {"a = [wrong\n  wrong]\nb = 1\n", "[wrong\n  wrong]", "   1 | a = [wrong\n     |     ^^^^^^"},
		"escape sequences":    {"a = \x1b[31mwrong\n", "wrong", "   1 | a = \ufffd[31mwrong\n     |          ^^^^^"},
		"direction of text":   {"a = \u202ewrong\n", "wrong", "   1 | a = \ufffdwrong\n     |      ^^^^^"},
		"long line":           {long + "\n", "wrong", "   1 | …defghijabcdefghij\" wrong \"0123456789012345678…\n     |                     ^^^^^"},
		"line without end":    {strings.Repeat("日", 100_000) + long + strings.Repeat("é", 100_000) + "\n", "wrong", "   1 | …defghijabcdefghij\" wrong \"0123456789012345678…\n     |                     ^^^^^"},
		"beginning of a line": {long + "\n", "text", "   1 |   text = \"abcdefghijabcdefghijabcdefghijabcdef…\n     |   ^^^^"},
	} {
		t.Run(name, func(t *testing.T) {
			l, source := located(c.src, List{New("WFC1019", place(t, c.src, c.what), "It is wrong.")})
			var out bytes.Buffer
			if err := WriteText(&out, l, TextOptions{Source: source, Width: 54}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), c.want+"\n") {
				t.Errorf("got:\n%s\nwant in it:\n%s", out.String(), c.want)
			}
		})
	}
}

func TestAFindingCostsNoMoreInALongLine(t *testing.T) {
	src := []byte("a = [" + strings.Repeat("wrong, ", 100_000) + "]\n")
	r := Range{File: "a.wf.hcl", Start: Pos{Line: 1, Column: 350_000, Byte: 350_000}, End: Pos{Line: 1, Column: 350_005, Byte: 350_005}}
	if n := testing.AllocsPerRun(10, func() { excerptOf(src, r, 100) }); n > 5_000 {
		t.Errorf("an excerpt of 100 cells makes %v allocations", n)
	}
}

func TestJSONHasTheShapeThatScriptsRelyOn(t *testing.T) {
	l, source := sample(t)
	l[0].Detail = "a <b> & \"c\""
	l = append(l, Diagnostic{Code: "WFC9999", Severity: Warning, Summary: "Elsewhere", Detail: "Nowhere in a file."})
	var out bytes.Buffer
	if err := WriteJSON(&out, l, 3, source); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "format_version": "1.0",
  "summary": {
    "errors": 1,
    "warnings": 1,
    "files": 3
  },
  "diagnostics": [
    {
      "code": "WFC1021",
      "severity": "error",
      "summary": "Unknown attribute of a block",
      "detail": "a <b> & \"c\"",
      "range": {
        "file": "a.wf.hcl",
        "start": {
          "line": 4,
          "column": 5,
          "byte": 62
        },
        "end": {
          "line": 4,
          "column": 11,
          "byte": 68
        }
      },
      "related": [
        {
          "message": "the tool",
          "range": {
            "file": "a.wf.hcl",
            "start": {
              "line": 2,
              "column": 10,
              "byte": 25
            },
            "end": {
              "line": 2,
              "column": 31,
              "byte": 46
            }
          }
        }
      ],
      "fixes": [
        {
          "title": "Change it to \"query\"",
          "edits": [
            {
              "range": {
                "file": "a.wf.hcl",
                "start": {
                  "line": 4,
                  "column": 5,
                  "byte": 62
                },
                "end": {
                  "line": 4,
                  "column": 11,
                  "byte": 68
                }
              },
              "text": "query"
            }
          ]
        }
      ],
      "snippet": "    querry = \"x\""
    },
    {
      "code": "WFC9999",
      "severity": "warning",
      "summary": "Elsewhere",
      "detail": "Nowhere in a file.",
      "range": null,
      "related": [],
      "fixes": [],
      "snippet": null
    }
  ]
}
`
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
}

func TestJSONWithoutFindingsHasAnEmptyList(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJSON(&out, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if string(got["diagnostics"]) != "[]" {
		t.Errorf("diagnostics are %s", got["diagnostics"])
	}
}

func TestColumnsCountCodePoints(t *testing.T) {
	src := "é = \"日本\" wrong\n"
	l, _ := located(src, List{New("WFC1019", place(t, src, "wrong"), "It is wrong.")})
	if got := l[0].Range.Start.Column; got != 10 {
		t.Errorf("the column is %d", got)
	}
}

func TestSortOrdersByPlaceAndDropsDuplicates(t *testing.T) {
	src := "a b c\n"
	at := func(s string) hcl.Range { return place(t, src, s) }
	l := List{New("WFC1019", at("c"), "3"), New("WFC1019", at("a"), "1"), New("WFC1019", at("b"), "2"), New("WFC1019", at("a"), "1")}
	l.Sort()
	var got []string
	for _, d := range l {
		got = append(got, d.Detail)
	}
	if strings.Join(got, " ") != "1 2 3" {
		t.Errorf("got %v", got)
	}
}

func TestASummaryOfACheckIsOneLine(t *testing.T) {
	e, w := Diagnostic{Severity: Error}, Diagnostic{Severity: Warning}
	for want, l := range map[string]List{
		"no errors in 3 files":           nil,
		"1 error in 3 files":             {e},
		"2 errors, 1 warning in 3 files": {e, w, e},
		"2 warnings in 3 files":          {w, w},
	} {
		if got := l.Summary(3); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
