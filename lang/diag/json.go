package diag

import (
	"bytes"
	"encoding/json"
	"io"
)

// FormatVersion is the version of the JSON that [WriteJSON] writes. A change
// that breaks a reader raises the number before the dot.
const FormatVersion = "1.0"

// maxSnippetLines bounds a snippet: a diagnostic may be about a whole block.
const maxSnippetLines = 5

// The shape of CLI.md's "check --format json".
type (
	jsonReport struct {
		FormatVersion string           `json:"format_version"`
		Summary       jsonSummary      `json:"summary"`
		Diagnostics   []jsonDiagnostic `json:"diagnostics"`
	}
	jsonSummary struct {
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
		Files    int `json:"files"`
	}
	jsonDiagnostic struct {
		Code     Code      `json:"code"`
		Severity string    `json:"severity"`
		Summary  string    `json:"summary"`
		Detail   string    `json:"detail"`
		Range    *Range    `json:"range"` // null: nowhere in a file
		Related  []Related `json:"related"`
		Fixes    []Fix     `json:"fixes"`
		Snippet  *string   `json:"snippet"` // the lines of Range, at most five; null where there is no source
	}
)

// WriteJSON writes the diagnostics of a check of so many files as one JSON
// object. source returns a file's bytes, nil where it has none.
func WriteJSON(w io.Writer, l List, files int, source func(file string) []byte) error {
	report := jsonReport{FormatVersion: FormatVersion}
	report.Summary.Errors, report.Summary.Warnings = l.Count()
	report.Summary.Files = files
	report.Diagnostics = jsonOf(l, source)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// JSON returns the diagnostics as [WriteJSON] has them, for reports of another
// kind: a value that encoding/json encodes as a list.
func JSON(l List, source func(file string) []byte) any { return jsonOf(l, source) }

func jsonOf(l List, source func(file string) []byte) []jsonDiagnostic {
	out := make([]jsonDiagnostic, 0, len(l))
	for _, d := range l {
		d = d.bounded()
		j := jsonDiagnostic{
			Code: d.Code, Severity: d.Severity.String(), Summary: d.Summary, Detail: d.Detail,
			Related: make([]Related, 0, len(d.Related)), Fixes: make([]Fix, 0, len(d.Fixes)),
		}
		if d.Range.File != "" {
			j.Range = &d.Range
			if source != nil {
				j.Snippet = snippet(source(d.Range.File), d.Range)
			}
		}
		j.Related = append(j.Related, d.Related...)
		for _, f := range d.Fixes {
			f.Edits = append(make([]Edit, 0, len(f.Edits)), f.Edits...)
			j.Fixes = append(j.Fixes, f)
		}
		out = append(out, j)
	}
	return out
}

// snippet returns the lines that r touches. Of a very long line it returns what
// stands around the beginning of r, with dots where it is cut.
func snippet(src []byte, r Range) *string {
	if src == nil || r.Start.Byte > len(src) {
		return nil
	}
	const before = maxSnippet / 4 // of what is shown of a long line
	from := max(0, r.Start.Byte-maxSnippet)
	start := from + bytes.LastIndexByte(src[from:r.Start.Byte], '\n') + 1
	var head, tail string
	if r.Start.Byte-start > before {
		head, start = "…", runeStart(src, r.Start.Byte-before)
	}
	limit := min(len(src), start+maxSnippet)
	end := start
	for range maxSnippetLines {
		n := bytes.IndexByte(src[end:limit], '\n')
		if n < 0 {
			end = limit
			if limit < len(src) {
				tail, end = "…", runeStart(src, limit)
			}
			break
		}
		end += n + 1
		if end >= r.End.Byte {
			break
		}
	}
	s := head + string(bytes.TrimRight(src[start:end], "\r\n")) + tail
	return &s
}
