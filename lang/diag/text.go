package diag

import (
	"fmt"
	"io"
	"strings"
)

// TextOptions say how diagnostics are shown to people.
type TextOptions struct {
	// Source returns a file's bytes, nil where it has none. A nil Source shows no excerpts.
	Source func(file string) []byte
	Color  bool // with ANSI colours
	Width  int  // of the terminal in cells; 0 is 100
}

// The colours, as a terminal's own theme has them.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	blue   = "\x1b[1;34m"
)

// WriteText writes the diagnostics as a compiler does: what, where with an
// excerpt, why and what to do, other places, fixes: "fix" before those that
// are applied by wfc check --fix, "perhaps" before those that may not be meant. A
// blank line follows each. Of a code that a file has more than a hundred times, the
// first hundred are shown, and how many more there are.
func WriteText(w io.Writer, l List, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 100
	}
	t := textWriter{TextOptions: o}
	alike := map[kind]int{}
	for _, d := range l {
		alike[kindOf(d)]++
	}
	shown := map[kind]int{}
	for _, d := range l {
		k := kindOf(d)
		shown[k]++
		switch n := shown[k]; {
		case n <= maxAlike:
			t.diagnostic(d.bounded())
		case n == alike[k]:
			t.more(d, n-maxAlike)
		}
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// kind is what findings are alike in.
type kind struct {
	file string
	code Code
}

func kindOf(d Diagnostic) kind { return kind{d.Range.File, d.Code} }

// more says that there are n more findings like d.
func (t *textWriter) more(d Diagnostic, n int) {
	where := ""
	if d.Range.File != "" {
		where = " in " + clean(d.Range.File)
	}
	fmt.Fprintf(&t.out, "%s%s\n", t.paint(d.Severity.color(), fmt.Sprintf("%s[%s]", d.Severity, d.Code)), t.paint(bold, ": "+d.Summary))
	fmt.Fprintf(&t.out, "%s\n\n", wrap(fmt.Sprintf("There are %d more of these%s. Mend the cause of the first ones and check again; \"wfc check --format json\" lists all.", n, where), "  ", t.Width-2))
}

type textWriter struct {
	TextOptions
	out strings.Builder
}

func (t *textWriter) paint(color, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return color + s + reset
}

func (s Severity) color() string {
	switch s {
	case Error:
		return red
	case Warning:
		return yellow
	case Info:
		return blue
	}
	return bold
}

func (t *textWriter) diagnostic(d Diagnostic) {
	color := d.Severity.color()
	fmt.Fprintf(&t.out, "%s%s\n", t.paint(color, fmt.Sprintf("%s[%s]", d.Severity, d.Code)), t.paint(bold, ": "+d.Summary))
	t.place(d.Range, "", "^", color)
	fmt.Fprintf(&t.out, "%s\n", wrap(clean(d.Detail), "  ", t.Width-2))
	for _, r := range d.Related {
		t.place(r.Range, clean(r.Message), "-", blue)
	}
	for _, f := range d.Fixes {
		fmt.Fprintf(&t.out, "  %s %s\n", t.paint(bold, f.label()), clean(f.Title))
	}
	t.out.WriteByte('\n')
}

// label says what becomes of a fix, before its title.
func (f Fix) label() string {
	if f.Certain {
		return "fix (wfc check --fix):"
	}
	return "perhaps:"
}

// place shows where something is, with the line of source and mark under it.
func (t *textWriter) place(r Range, message, mark, color string) {
	if r.File == "" {
		if message != "" {
			fmt.Fprintf(&t.out, "%s\n", wrap(message, "  ", t.Width-2))
		}
		return
	}
	where := fmt.Sprintf("%s:%d:%d", clean(r.File), r.Start.Line, r.Start.Column)
	if message != "" {
		where += ": " + message
	}
	fmt.Fprintf(&t.out, " %s %s\n", t.paint(blue, "-->"), where)
	if t.Source == nil {
		return
	}
	src := t.Source(r.File)
	if src == nil {
		return
	}
	number := fmt.Sprint(r.Start.Line)
	gutter := strings.Repeat(" ", max(len(number), 3))
	x, ok := excerptOf(src, r, t.Width-len(gutter)-4)
	if !ok || len(src) == 0 {
		return
	}
	fmt.Fprintf(&t.out, " %s\n", t.paint(blue, gutter+" |"))
	fmt.Fprintf(&t.out, " %s %s\n", t.paint(blue, fmt.Sprintf("%*d |", len(gutter), x.line)), strings.TrimRight(x.text, " "))
	fmt.Fprintf(&t.out, " %s %s%s\n", t.paint(blue, gutter+" |"), strings.Repeat(" ", x.offset), t.paint(color, strings.Repeat(mark, x.length)))
}

// Count returns how many errors and warnings there are.
func (l List) Count() (errors, warnings int) {
	for _, d := range l {
		switch d.Severity {
		case Error:
			errors++
		case Warning:
			warnings++
		case Info:
		}
	}
	return errors, warnings
}

// Summary says in a line how many errors and warnings a check of so many files
// found, as in "2 errors, 1 warning in 3 files".
func (l List) Summary(files int) string {
	errors, warnings := l.Count()
	var s string
	switch {
	case errors == 0 && warnings == 0:
		s = "no errors"
	case warnings == 0:
		s = count(errors, "error")
	case errors == 0:
		s = count(warnings, "warning")
	default:
		s = count(errors, "error") + ", " + count(warnings, "warning")
	}
	return s + " in " + count(files, "file")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Explain returns what `wfc explain` prints of an entry: what the code means,
// and a failing and a mended example.
func Explain(e Entry) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s[%s]: %s\n\n%s\n", e.Severity, e.Code, e.Summary, wrap(e.Explanation, "", 100))
	example := func(title, text string) {
		if text == "" {
			return
		}
		fmt.Fprintf(&s, "\n%s:\n\n", title)
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if line != "" {
				line = "    " + clean(line)
			}
			s.WriteString(line + "\n")
		}
	}
	example("Fails", e.Failing)
	example("Mended", e.Mended)
	return s.String()
}
