package wftest

import (
	"encoding/json"
	"io"

	"github.com/lda-wf/wfc/lang/diag"
)

// FormatVersion is the version of the JSON that [Report.WriteJSON] writes. Readers
// ignore fields that they do not know; a change that breaks them raises the first number.
const FormatVersion = "1.0"

// The JSON of a report (docs/testing.md).
type (
	jsonReport struct {
		FormatVersion string         `json:"format_version"`
		Summary       jsonSummary    `json:"summary"`
		Tests         []jsonTest     `json:"tests"`
		Coverage      []jsonCoverage `json:"coverage"`
		// Diagnostics are errors in test files that are of no test.
		Diagnostics any `json:"diagnostics"`
	}
	jsonSummary struct {
		Tests     int     `json:"tests"`
		Passed    int     `json:"passed"`
		Failed    int     `json:"failed"`
		Broken    int     `json:"broken"`
		ElapsedMS float64 `json:"elapsed_ms"`
	}
	jsonTest struct {
		Name        string        `json:"name"`
		Workflow    string        `json:"workflow,omitempty"`
		Deployment  string        `json:"deployment,omitempty"`
		Range       diag.Range    `json:"range"`
		Status      Status        `json:"status"`
		Failures    []jsonFailure `json:"failures"`
		Diagnostics any           `json:"diagnostics"`
		Idle        []jsonIdle    `json:"idle"`
		Calls       int           `json:"calls"`
		VirtualMS   int64         `json:"virtual_ms"`
		ElapsedMS   float64       `json:"elapsed_ms"`
	}
	jsonFailure struct {
		Range       diag.Range       `json:"range"`
		Message     string           `json:"message"`
		Differences []jsonDifference `json:"differences,omitempty"`
		Values      []jsonNamed      `json:"values,omitempty"`
		Mock        string           `json:"mock,omitempty"`
	}
	jsonDifference struct {
		Path string `json:"path"`
		Want string `json:"want"`
		Got  string `json:"got"`
	}
	jsonNamed struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	jsonIdle struct {
		Range diag.Range `json:"range"`
		Block string     `json:"block"`
	}
	jsonCoverage struct {
		Workflow string     `json:"workflow"`
		Steps    []jsonStep `json:"steps"`
	}
	jsonStep struct {
		Step     string       `json:"step"`
		File     string       `json:"file"`
		Line     int          `json:"line"`
		Ran      int          `json:"ran"`
		Branches []jsonBranch `json:"branches"`
	}
	jsonBranch struct {
		Branch Branch `json:"branch"`
		Taken  int    `json:"taken"`
	}
)

// WriteJSON writes a report as one JSON object. source gives the bytes of a file of the
// project.
func (r *Report) WriteJSON(w io.Writer, source func(file string) []byte) error {
	out := jsonReport{
		FormatVersion: FormatVersion,
		Summary: jsonSummary{
			Tests: len(r.Results), Passed: r.Count(Passed), Failed: r.Count(Failed), Broken: r.Count(Broken),
			ElapsedMS: milliseconds(r.Elapsed),
		},
		Tests:    []jsonTest{},
		Coverage: []jsonCoverage{},
	}
	for i := range r.Results {
		out.Tests = append(out.Tests, r.Results[i].json(source))
	}
	for _, c := range r.Coverage {
		x := jsonCoverage{Workflow: c.Workflow, Steps: []jsonStep{}}
		for _, s := range c.Steps {
			step := jsonStep{Step: s.Step, File: s.At.File, Line: s.At.Line, Ran: s.Ran, Branches: []jsonBranch{}}
			for _, b := range s.Branches {
				step.Branches = append(step.Branches, jsonBranch(b))
			}
			x.Steps = append(x.Steps, step)
		}
		out.Coverage = append(out.Coverage, x)
	}
	unreadable := r.Unreadable
	if unreadable == nil {
		unreadable = diag.List{}
	}
	out.Diagnostics = diag.JSON(unreadable, source)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (r *Result) json(source func(file string) []byte) jsonTest {
	diagnostics := r.Diagnostics
	if diagnostics == nil {
		diagnostics = diag.List{}
	}
	t := jsonTest{
		Name: r.Name, Workflow: r.Workflow, Deployment: r.Deployment, Range: r.At, Status: r.Status, Failures: []jsonFailure{}, Diagnostics: diag.JSON(diagnostics, source),
		Idle: []jsonIdle{}, Calls: r.Calls, VirtualMS: r.Virtual.Milliseconds(), ElapsedMS: milliseconds(r.Elapsed),
	}
	for _, f := range r.Failures {
		x := jsonFailure{Range: f.At, Message: f.Message, Mock: f.Mock}
		for _, d := range f.Differences {
			x.Differences = append(x.Differences, jsonDifference(d))
		}
		for _, v := range f.Values {
			x.Values = append(x.Values, jsonNamed(v))
		}
		t.Failures = append(t.Failures, x)
	}
	for _, i := range r.Idle {
		t.Idle = append(t.Idle, jsonIdle{i.At, i.What})
	}
	return t
}
