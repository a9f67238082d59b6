package wftest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lda-wf/wfc/lang/diag"
)

// WriteText writes a report for people: a line for each test, what is wrong with those
// that did not pass, and what of the workflows ran.
func (r *Report) WriteText(w io.Writer, o diag.TextOptions) error {
	return r.WriteTextBeside(nil, w, o)
}

// WriteTextBeside is WriteText for a report beside which other tests did not run again,
// with results from before.
func (r *Report) WriteTextBeside(others []Result, w io.Writer, o diag.TextOptions) error {
	b := &bytes.Buffer{}
	broken := map[string]bool{} // findings that were shown: many tests run one workflow
	for i := range r.Results {
		if err := r.Results[i].writeText(b, o, broken); err != nil {
			return err
		}
	}
	blank(b)
	if len(r.Unreadable) > 0 {
		if err := diag.WriteText(b, r.Unreadable, o); err != nil {
			return err
		}
		blank(b)
	}
	b.WriteString(r.summary())
	b.WriteByte('\n')
	writeOthers(b, others)
	r.writeCoverage(b)
	_, err := w.Write(b.Bytes())
	return err
}

// blank ends with a blank line what is written so far.
func blank(b *bytes.Buffer) {
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
		b.WriteByte('\n')
	}
}

// writeOthers tells of the tests that did not run again.
func writeOthers(b *bytes.Buffer, others []Result) {
	if len(others) == 0 {
		return
	}
	rest := Report{Results: others}
	fmt.Fprintf(b, "Of the others, which the change does not affect: %s\n", rest.summary())
	for _, x := range others {
		if x.Status != Passed {
			fmt.Fprintf(b, "%s %s (%s:%d)\n", mark[x.Status], x.Name, x.At.File, x.At.Start.Line)
		}
	}
}

var mark = map[Status]string{Passed: "ok   ", Failed: "FAIL ", Broken: "ERROR"}

func (r *Report) summary() string {
	n := len(r.Results)
	if r.OK() {
		return fmt.Sprintf("%s passed.", count(n, "test"))
	}
	parts := []string{fmt.Sprintf("%d passed", r.Count(Passed))}
	if f := r.Count(Failed); f > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", f))
	}
	if f := r.Count(Broken); f > 0 {
		parts = append(parts, fmt.Sprintf("%d could not run", f))
	}
	if f := len(r.Unreadable); f > 0 {
		parts = append(parts, count(f, "error")+" in test files")
	}
	return fmt.Sprintf("%s: %s.", count(n, "test"), strings.Join(parts, ", "))
}

func (r *Result) writeText(b *bytes.Buffer, o diag.TextOptions, shown map[string]bool) error {
	fmt.Fprintf(b, "%s %s (%s:%d)\n", mark[r.Status], r.Name, r.At.File, r.At.Start.Line)
	for _, f := range r.Failures {
		fmt.Fprintf(b, "\n  %s\n%s", place(f.At), indented(f.Message, "    "))
		for _, d := range f.Differences {
			d.writeText(b)
		}
		for _, v := range f.Values {
			fmt.Fprintf(b, "      %s = %s\n", v.Name, v.Value)
		}
		if f.Mock != "" {
			fmt.Fprintf(b, "    Add one to the test:\n\n%s", indented(f.Mock, "    "))
		}
	}
	if len(r.Failures) > 0 {
		b.WriteByte('\n')
	}
	var list diag.List
	for _, d := range r.Diagnostics {
		key := fmt.Sprint(d.Code, d.Range, d.Detail)
		if d.Severity == diag.Error && !shown[key] {
			shown[key] = true
			list = append(list, d)
		}
	}
	if len(list) > 0 {
		b.WriteByte('\n')
		if err := diag.WriteText(b, list, o); err != nil {
			return err
		}
	}
	for _, i := range r.Idle {
		fmt.Fprintf(b, "      %s: %s answered nothing.\n", place(i.At), i.What)
	}
	return nil
}

func (d *Difference) writeText(b *bytes.Buffer) {
	want, got := d.Want, d.Got
	if want == "" {
		want = "nothing"
	}
	if got == "" {
		got = "nothing"
	}
	if d.Path == "" {
		fmt.Fprintf(b, "      expected  %s\n      got       %s\n", want, got)
		return
	}
	fmt.Fprintf(b, "      %s\n        expected  %s\n        got       %s\n", d.Path, want, got)
}

// writeCoverage writes what of the workflows ran, and what never did.
func (r *Report) writeCoverage(b *bytes.Buffer) {
	if len(r.Coverage) == 0 {
		return
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "workflow\tsteps\tbranches")
	for _, w := range r.Coverage {
		steps, ran, branches, taken := w.Counts()
		fmt.Fprintf(t, "%s\t%d of %d\t%d of %d\n", w.Workflow, ran, steps, taken, branches)
	}
	t.Flush() // a buffer takes all
	first := true
	never := func(s StepCoverage, what string) {
		if first {
			b.WriteString("\nnever ran:\n")
			first = false
		}
		fmt.Fprintf(b, "  %s:%d: %s\n", s.At.File, s.At.Line, what)
	}
	for _, w := range r.Coverage {
		for _, s := range w.Steps {
			if s.Ran == 0 && len(s.Branches) == 0 {
				never(s, s.Step)
				continue
			}
			for _, x := range s.Branches {
				if x.Taken == 0 {
					never(s, s.Step+", "+string(x.Branch))
				}
			}
		}
	}
}

func indented(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if strings.TrimSpace(line) != "" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
