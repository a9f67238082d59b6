package wftest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/wftest"
)

// junitElement is what the schema of Jenkins (junit-10.xsd) says of an element.
type junitElement struct {
	required, optional, children []string
	text                         bool
}

var junitSchema = map[string]junitElement{
	"testsuites": {optional: []string{"name", "time", "tests", "failures", "errors"}, children: []string{"testsuite"}},
	"testsuite": {
		required: []string{"name", "tests", "failures", "errors"},
		optional: []string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
		children: []string{"testsuite", "properties", "testcase", "system-out", "system-err"},
	},
	"testcase": {
		required: []string{"name"}, optional: []string{"time", "classname", "group"},
		children: []string{"skipped", "error", "failure", "system-out", "system-err"},
	},
	"failure": {optional: []string{"type", "message"}, text: true},
	"error":   {optional: []string{"type", "message"}, text: true},
}

var junitTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

// checkJUnit holds XML against the schema.
func checkJUnit(t *testing.T, src []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(src))
	var open []string
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("it is no XML: %v\n%s", err, src)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			name := x.Name.Local
			e, known := junitSchema[name]
			switch {
			case !known:
				t.Errorf("there is no element %s", name)
			case len(open) == 0 && name != "testsuites":
				t.Errorf("the root is %s", name)
			case len(open) > 0 && !slices.Contains(junitSchema[open[len(open)-1]].children, name):
				t.Errorf("%s stands in %s", name, open[len(open)-1])
			}
			var have []string
			for _, a := range x.Attr {
				have = append(have, a.Name.Local)
				if !slices.Contains(e.required, a.Name.Local) && !slices.Contains(e.optional, a.Name.Local) {
					t.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
				if a.Name.Local == "time" && !junitTime.MatchString(a.Value) {
					t.Errorf("%s has the time %q", name, a.Value)
				}
			}
			for _, a := range e.required {
				if !slices.Contains(have, a) {
					t.Errorf("%s has no attribute %s", name, a)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && !junitSchema[open[len(open)-1]].text && strings.TrimSpace(string(x)) != "" {
				t.Errorf("%s holds the text %q", open[len(open)-1], x)
			}
		}
	}
}

// hostile is a report with texts that forms may trip over.
func hostile(t *testing.T) *wftest.Report {
	return run(t, `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "echo" {
    call = demo.echo
    args = { text = "]]> <b>&amp;\" \u0000\u001b\ufffe\n\U0001f600" }
  }
  output "o" {
    value = step.echo.text
  }
}
`, `test "bad" {
  workflow = workflow.w
  mock "demo" "echo" {
    text = args.text
  }
  expect {
    outputs = { o = "x" }
  }
  assert {
    condition     = run.outputs.o == "y"
    error_message = "]]> ${run.outputs.o}"
  }
}
test "unmocked" {
  workflow = workflow.w
}
test "broken" {
  workflow = workflow.v
}
test "good" {
  workflow = workflow.w
  mock "demo" "echo" {
    text = "x"
  }
}
`)
}

func TestJUnitFollowsItsSchema(t *testing.T) {
	var b bytes.Buffer
	if err := hostile(t).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	checkJUnit(t, b.Bytes())
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 4 || suites.Failures != 2 || suites.Errors != 1 {
		t.Errorf("the counts are %+v", suites)
	}
	if got, want := suites.Suites[0].Cases[0].Failure.Text, "]]> ]]> <b>&amp;\" \ufffd\ufffd\ufffd\n\U0001f600"; !strings.Contains(got, want) {
		t.Errorf("the text is %q, and lacks %q", got, want)
	}
}

func TestJSONIsWholeAndItsListsAreThere(t *testing.T) {
	r := hostile(t)
	var b bytes.Buffer
	if err := r.WriteJSON(&b, func(string) []byte { return nil }); err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	if out["format_version"] != wftest.FormatVersion {
		t.Errorf("the version is %v", out["format_version"])
	}
	for _, x := range out["tests"].([]any) {
		for _, field := range []string{"failures", "diagnostics", "idle"} {
			if _, ok := x.(map[string]any)[field].([]any); !ok {
				t.Errorf("%s of %v is no list", field, x.(map[string]any)["name"])
			}
		}
	}
	empty := &wftest.Report{}
	b.Reset()
	if err := empty.WriteJSON(&b, func(string) []byte { return nil }); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Errorf("a list is null:\n%s", b.String())
	}
}
