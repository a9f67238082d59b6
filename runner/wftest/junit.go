package wftest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/diag"
)

// The JUnit XML of a report: what the schema of Jenkins allows, which other readers
// understand, too. Where a test is written stands in the suite, and in what is wrong.
type (
	xmlSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Time     string     `xml:"time,attr"`
		Suites   []xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Name     string    `xml:"name,attr"`
		Tests    int       `xml:"tests,attr"`
		Failures int       `xml:"failures,attr"`
		Errors   int       `xml:"errors,attr"`
		Skipped  int       `xml:"skipped,attr"`
		Time     string    `xml:"time,attr"`
		File     string    `xml:"file,attr"`
		Cases    []xmlCase `xml:"testcase"`
	}
	xmlCase struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Time    string      `xml:"time,attr"`
		Failure *xmlProblem `xml:"failure"`
		Error   *xmlProblem `xml:"error"`
	}
	xmlProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes a report as JUnit XML: a suite for each file, a case for each test;
// one that could not run is an error.
func (r *Report) WriteJUnit(w io.Writer) error {
	out := xmlSuites{Name: "wfc", Tests: len(r.Results), Failures: r.Count(Failed), Errors: r.Count(Broken), Time: seconds(r.Elapsed)}
	elapsed := map[string]time.Duration{}
	for i := range r.Results {
		t := &r.Results[i]
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Name != t.At.File {
			out.Suites = append(out.Suites, xmlSuite{Name: t.At.File, File: t.At.File})
		}
		s := &out.Suites[len(out.Suites)-1]
		c := xmlCase{Name: t.Name, Class: strings.TrimSuffix(t.At.File, ".wftest.hcl"), Time: seconds(t.Elapsed)}
		s.Tests++
		elapsed[s.Name] += t.Elapsed
		s.Time = seconds(elapsed[s.Name])
		switch t.Status {
		case Failed:
			s.Failures++
			c.Failure = t.problem()
		case Broken:
			s.Errors++
			c.Error = t.problem()
		}
		s.Cases = append(s.Cases, c)
	}
	if len(r.Unreadable) > 0 {
		s := xmlSuite{Name: "test files", Time: seconds(0)}
		for _, d := range r.Unreadable {
			x := Result{Name: d.Range.File, Status: Broken, Diagnostics: diag.List{d}}
			s.Tests++
			s.Errors++
			s.Cases = append(s.Cases, xmlCase{Name: place(d.Range), Class: d.Range.File, Time: seconds(0), Error: x.problem()})
		}
		out.Suites = append(out.Suites, s)
		out.Tests, out.Errors = out.Tests+s.Tests, out.Errors+s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// problem says what is wrong with a test that did not pass.
func (r *Result) problem() *xmlProblem {
	p := &xmlProblem{Type: string(r.Status)}
	var text strings.Builder
	say := func(message, rest string) {
		if p.Message == "" {
			p.Message = valid(message)
		}
		text.WriteString(message + "\n" + rest)
	}
	for _, f := range r.Failures {
		var rest strings.Builder
		for _, d := range f.Differences {
			fmt.Fprintf(&rest, "  %s: expected %s, got %s\n", orWhole(d.Path), orNothing(d.Want), orNothing(d.Got))
		}
		for _, v := range f.Values {
			fmt.Fprintf(&rest, "  %s = %s\n", v.Name, v.Value)
		}
		rest.WriteString(f.Mock)
		say(place(f.At)+": "+f.Message, rest.String())
	}
	for _, d := range r.Diagnostics {
		say(fmt.Sprintf("%s: %s %s", place(d.Range), d.Code, d.Detail), "")
	}
	p.Text = valid(text.String())
	return p
}

func orWhole(path string) string {
	if path == "" {
		return "value"
	}
	return path
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// valid is text without what XML cannot hold, for which stands U+FFFD.
func valid(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t' || c == '\n' || c == '\r',
			c >= 0x20 && c <= 0xD7FF, c >= 0xE000 && c <= 0xFFFD, c >= 0x10000 && c <= utf8.MaxRune:
			return c
		}
		return utf8.RuneError
	}, text)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
