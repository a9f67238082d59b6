package lint_test

import "testing"

const unusedOne = `connection "demo" "other" {
  stdio {
    command = "x"
  }
}
`

const emptySnapshot = `-- catalog/demo.other.json --
{"format_version": 1, "connection": "demo.other", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`

func TestUnusedConnection(t *testing.T) {
	runRules(t, "WFC3304", []rule{
		{"beside workflows, and no source is bound to it", "-- a.wf.hcl --\n" + unusedOne + `
workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
}
` + emptySnapshot, []string{`connection "demo" "other"`}},
		{"a source of another file is bound to it", "-- a.wf.hcl --\n" + unusedOne + `
workflow "w" {
}
-- b.wf.hcl --
workflow "x" {
  source "demo" {
    bind = connection.demo.other
  }
}
` + emptySnapshot, nil},
		{"a deployment binds it", "-- a.wf.hcl --\n" + unusedOne + `
workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
}
deployment "d" {
  workflow = workflow.w
  bind     = { demo = connection.demo.other }
}
` + emptySnapshot, nil},
		{"a source is bound when the workflow is run", "-- a.wf.hcl --\n" + unusedOne + `
workflow "w" {
  source "demo" {
  }
}
` + emptySnapshot, nil},
		{"a file of connections only is a library", "-- a.wf.hcl --\n" + unusedOne + emptySnapshot, nil},
	})
}
