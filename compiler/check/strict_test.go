package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/diag"
)

// Where an any is taken for something, and where it is not.
func TestStrict(t *testing.T) {
	const inspect = `
  source "demo" {
    bind = connection.demo.main
  }
  step "s" {
    call = demo.inspect
    args = { value = 1 }
  }
`
	for _, c := range []struct {
		value string
		want  []string // source texts
	}{
		{"step.s.output.value", nil}, // anything goes into an output
		{"step.s.output.value.name", []string{"step.s.output.value"}},
		{"step.s.output.value.name.first", []string{"step.s.output.value"}},
		{`step.s.output.value["name"]`, []string{"step.s.output.value"}},
		{"upper(step.s.output.value)", []string{"step.s.output.value"}},
		{"upper(step.s.output.value.name)", []string{"step.s.output.value"}},
		{`"${step.s.output.value}"`, nil}, // a template that is one expression is that expression
		{`"x ${step.s.output.value}"`, []string{"step.s.output.value"}},
		{"step.s.output.value + 1", []string{"step.s.output.value"}},
		{"step.s.output.value ? 1 : 2", []string{"step.s.output.value"}},
		{"[for x in step.s.output.value : x]", []string{"step.s.output.value"}},
		{"[for x in step.s.output.value : x.name]", []string{"step.s.output.value", "x"}},
		{"step.s.output.value == 1", nil},
		{"[step.s.output.value]", nil},
		{"jsonencode(step.s.output.value)", nil},
		{"length([step.s.output.value])", nil},
		{"join(\",\", [step.s.output.value])", []string{"step.s.output.value"}},
		{"join(\",\", [for x in [1] : step.s.output.value])", []string{"step.s.output.value"}},
		{"join(\",\", jsondecode(step.s.text))", []string{"jsondecode(step.s.text)"}},
		{"coalesce(step.s.output.value, 1)", nil},
		{`step.s.output["more"]`, nil},
		{`upper(step.s.output["more"])`, []string{`step.s.output["more"]`}},
	} {
		p := load(t, "workflow \"w\" {\n"+inspect+"  output \"o\" {\n    value = "+c.value+"\n  }\n}\n")
		var got []string
		for _, d := range check.Strict(p) {
			if d.Code == "WFC3010" {
				got = append(got, string(p.Source(d.Range.File)[d.Range.Start.Byte:d.Range.End.Byte]))
			} else if d.Severity == diag.Error {
				t.Errorf("%s: %s", c.value, d.Detail)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: trusts %q, want %q", c.value, got, c.want)
		}
		for _, d := range check.Project(p) {
			if d.Code == "WFC3010" {
				t.Errorf("%s: a finding without being asked for: %s", c.value, d.Detail)
			}
		}
	}
}

// What an object does not declare may be there, where it arrives from elsewhere, with
// anything in it (LANGUAGE 2, "Undeclared names").
func TestStrictOnUndeclaredAttributes(t *testing.T) {
	const around = `workflow "w" {
  input "a" {
    type = object({ x = string })
  }
  input "b" {
    type = object({ x = string, y = optional(string) })
  }
  input "c" {
    type = bool
  }
  locals {
    written = { x = input.a.x }
  }
  step "s" {
    value = { x = input.a.x }
  }
`
	for _, c := range []struct {
		value, typ string
		want       []string
	}{
		{"input.a", "map(string)", []string{"input.a"}},
		{"local.written", "map(string)", nil},
		{"step.s.output", "map(string)", nil},
		{"{ x = input.a.x }", "map(string)", nil},
		{"input.a", "object({ x = string })", nil},
		{"input.a", "object({ x = string, y = optional(integer) })", []string{"input.a"}},
		{"local.written", "object({ x = string, y = optional(integer) })", nil},
		{"input.a", "object({ x = string }, string)", []string{"input.a"}},
		{"[input.a]", "list(map(string))", []string{"input.a"}},
		{`{ z = merge({ y = 1 }, input.a).y }`, "object({ z = integer })", []string{`merge({ y = 1 }, input.a)`}},
		{`{ z = merge({ y = 1 }, local.written).y }`, "object({ z = integer })", nil},
		{`{ z = merge({ y = 1 }, input.a).x }`, "object({ z = string })", nil},
		{`{ z = (input.c ? input.a : input.b).y }`, "object({ z = optional(string) })", []string{`(input.c ? input.a : input.b)`}},
		{`{ z = (input.c ? local.written : input.b).y }`, "object({ z = optional(string) })", nil},
		{`{ z = (input.c ? input.a : input.b).x }`, "object({ z = string })", nil},
	} {
		p := load(t, around+"  output \"o\" {\n    type = "+c.typ+"\n    value = "+c.value+"\n  }\n}\n")
		var got []string
		for _, d := range check.Strict(p) {
			if d.Code == "WFC3010" {
				got = append(got, string(p.Source(d.Range.File)[d.Range.Start.Byte:d.Range.End.Byte]))
			} else if d.Severity == diag.Error {
				t.Errorf("%s: %s", c.value, d.Detail)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s as %s: trusts %q, want %q", c.value, c.typ, got, c.want)
		}
	}
}

// The remedy is returns: of the step whose output it is, or of one that names it.
func TestStrictNamesTheRemedy(t *testing.T) {
	for value, remedy := range map[string]string{
		"upper(step.s.output.value)":                     `step "s" gives, with returns`,
		"upper(step.s.output.value.name[0])":             `step "s" gives, with returns`,
		"upper(jsondecode(step.s.text))":                 "a step of its own that says what it is",
		"upper([for x in [step.s.output.value] : x][0])": "a step of its own that says what it is",
	} {
		p := load(t, `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "s" {
    call = demo.inspect
    args = { value = 1 }
  }
  output "o" {
    value = `+value+`
  }
}
`)
		found := check.Strict(p)
		if len(found) != 1 || !strings.Contains(found[0].Detail, remedy) {
			t.Errorf("%s: found %v", value, found)
		}
	}
}
