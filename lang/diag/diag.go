// Package diag has the one diagnostic type of wfc, the registry of its codes,
// and the writers that show diagnostics to people and machines.
//
// Its central type is [Diagnostic]. It imports nothing of wfc but lang/nearest.
package diag

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// Code is a stable diagnostic code: "WFC" and four digits.
type Code string

// Severity says what happens if nothing is done.
type Severity uint8

// The severities (LANGUAGE 8).
const (
	Error   Severity = iota // it will fail or lose something
	Warning                 // it probably will
	Info
)

// String returns the severity's name in JSON: "error", "warning", "info".
func (s Severity) String() string { return [...]string{"error", "warning", "info"}[s] }

// Pos is a place in a file. Line and Column count from 1, Column in code
// points; Byte is the offset from the file's start and is the one that the
// others are computed from (see [List.Locate]).
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// Range is a half-open span of one file. File is relative to the project's
// root with forward slashes. The zero Range means "nowhere in a file".
type Range struct {
	File  string `json:"file"`
	Start Pos    `json:"start"`
	End   Pos    `json:"end"`
}

// RangeOf converts an HCL range. Columns are HCL's (grapheme clusters) until
// [List.Locate] recomputes them.
func RangeOf(r hcl.Range) Range {
	return Range{
		File:  r.Filename,
		Start: Pos{r.Start.Line, r.Start.Column, r.Start.Byte},
		End:   Pos{r.End.Line, r.End.Column, r.End.Byte},
	}
}

// Related points at another place that has to do with a diagnostic.
type Related struct {
	Message string `json:"message"`
	Range   Range  `json:"range"`
}

// Edit replaces the bytes of Range with Text.
type Edit struct {
	Range Range  `json:"range"`
	Text  string `json:"text"`
}

// Fix is a change that mends the mistake. Certain fixes are those that
// `wfc check --fix` may apply without asking.
type Fix struct {
	Title   string `json:"title"`
	Edits   []Edit `json:"edits"`
	Certain bool   `json:"-"`
}

// Diagnostic is one finding. Code decides Severity and Summary, which are
// constant for it; Detail names the user's things and says what to do.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Summary  string
	Detail   string
	Range    Range
	Related  []Related
	Fixes    []Fix
}

// New returns a diagnostic of a registered code; an unregistered one panics,
// which a test over all codes finds. The detail is formatted by fmt, with texts
// that are very long shortened in their middle.
func New(code Code, at hcl.Range, detail string, args ...any) Diagnostic {
	e := mustLookup(code)
	if len(args) > 0 {
		detail = sprintf(detail, args)
	}
	return Diagnostic{Code: code, Severity: e.Severity, Summary: e.Summary, Detail: detail, Range: RangeOf(at)}
}

// With returns d with a related place added.
func (d Diagnostic) With(at hcl.Range, message string, args ...any) Diagnostic {
	d.Related = append(d.Related[:len(d.Related):len(d.Related)], Related{sprintf(message, args), RangeOf(at)})
	return d
}

// Fix returns d with a fix added.
func (d Diagnostic) Fix(title string, certain bool, edits ...Edit) Diagnostic {
	d.Fixes = append(d.Fixes[:len(d.Fixes):len(d.Fixes)], Fix{Title: title, Edits: edits, Certain: certain})
	return d
}

// List is a list of diagnostics.
type List []Diagnostic

// HasErrors reports whether one of them is an error.
func (l List) HasErrors() bool {
	for _, d := range l {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Sort orders by file, place, code and detail, and drops duplicates in place.
func (l *List) Sort() {
	s := *l
	less := func(a, b Diagnostic) int {
		switch {
		case a.Range.File != b.Range.File:
			return compare(a.Range.File, b.Range.File)
		case a.Range.Start.Byte != b.Range.Start.Byte:
			return a.Range.Start.Byte - b.Range.Start.Byte
		case a.Range.End.Byte != b.Range.End.Byte:
			return a.Range.End.Byte - b.Range.End.Byte
		case a.Code != b.Code:
			return compare(a.Code, b.Code)
		}
		return compare(a.Detail, b.Detail)
	}
	sort.SliceStable(s, func(i, j int) bool { return less(s[i], s[j]) < 0 })
	out := s[:0]
	for i, d := range s {
		if i == 0 || less(out[len(out)-1], d) != 0 {
			out = append(out, d)
		}
	}
	*l = out
}

func compare[T ~string](a, b T) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// Locate recomputes columns from byte offsets, in code points. Lines are HCL's own,
// which counts line feeds as we do. source returns a file's bytes, or nil when it has none.
func (l List) Locate(source func(file string) []byte) {
	places := map[string][]*Pos{}
	add := func(r *Range) {
		places[r.File] = append(places[r.File], &r.Start, &r.End)
	}
	for i := range l {
		d := &l[i]
		add(&d.Range)
		for j := range d.Related {
			add(&d.Related[j].Range)
		}
		for j := range d.Fixes {
			for k := range d.Fixes[j].Edits {
				add(&d.Fixes[j].Edits[k].Range)
			}
		}
	}
	for file, in := range places {
		if src := source(file); src != nil {
			locate(src, in)
		}
	}
}

// locate recomputes the columns of places in src. It goes through src once: a line
// may be as long as a file, with a finding in every second byte.
func locate(src []byte, places []*Pos) {
	slices.SortFunc(places, func(a, b *Pos) int { return a.Byte - b.Byte })
	here, column := 0, 1
	for _, p := range places {
		to := min(max(p.Byte, 0), len(src))
		between := src[here:to]
		if n := bytes.LastIndexByte(between, '\n'); n >= 0 {
			here, column = here+n+1, 1
			between = between[n+1:]
		}
		p.Column = column + utf8.RuneCount(between)
		if to == len(src) || utf8.RuneStart(src[to]) {
			here, column = to, p.Column
		}
	}
}
