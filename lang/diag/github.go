package diag

import (
	"fmt"
	"io"
	"strings"
)

// WriteGitHub writes the diagnostics as workflow commands of GitHub Actions, a
// line each, which GitHub shows as annotations. Files are named relative to the
// root of the checkout.
func WriteGitHub(w io.Writer, l List) error {
	var out strings.Builder
	for _, d := range l {
		d = d.bounded()
		command := map[Severity]string{Error: "error", Warning: "warning", Info: "notice"}[d.Severity]
		fmt.Fprintf(&out, "::%s ", command)
		if r := d.Range; r.File != "" {
			fmt.Fprintf(&out, "file=%s,line=%d,endLine=%d,", githubProperty(r.File), r.Start.Line, r.End.Line)
			if r.Start.Line == r.End.Line { // what GitHub takes columns for
				fmt.Fprintf(&out, "col=%d,endColumn=%d,", r.Start.Column, r.End.Column)
			}
		}
		fmt.Fprintf(&out, "title=%s::%s\n", githubProperty(fmt.Sprintf("%s: %s", d.Code, d.Summary)), githubText(githubDetail(d)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// githubDetail is the detail with the other places, which a command cannot show otherwise.
func githubDetail(d Diagnostic) string {
	s := d.Detail
	for _, r := range d.Related {
		if r.Range.File != "" {
			s += fmt.Sprintf("\n%s:%d:%d: %s", r.Range.File, r.Range.Start.Line, r.Range.Start.Column, r.Message)
		}
	}
	for _, f := range d.Fixes {
		s += "\n" + f.label() + " " + f.Title
	}
	return s
}

// The characters that a command gives a meaning.
var (
	githubTexts      = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperties = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubText(s string) string     { return githubTexts.Replace(clean(s)) }
func githubProperty(s string) string { return githubProperties.Replace(clean(s)) }
