package lint_test

import "testing"

func TestUnusedResult(t *testing.T) {
	runRules(t, "WFC3305", []rule{
		{"a read whose result nothing uses", `
  step "s" {
    call = demo.list_tasks
  }`, []string{`step "s"`}},
		{"a step that does something is used already", `
  step "s" {
    call = demo.counter
  }`, nil},
		{"its own expressions are no use", `
  step "s" {
    call   = demo.list_tasks
    result = self.output.tasks
  }`, []string{`step "s"`}},
		{"one that checks something", `
  step "s" {
    call    = demo.list_tasks
    fail_if = length(self.output.tasks) > 10
  }
  step "t" {
    call = demo.list_tasks
    assert {
      condition     = length(self.output.tasks) > 0
      error_message = "There are no tasks."
    }
  }`, nil},
		{"depends_on is a use: it must have gone well", `
  step "s" {
    call = demo.list_tasks
  }
  step "t" {
    call       = demo.counter
    depends_on = [step.s]
  }`, nil},
		{"a value may be there to be looked at", `
  step "s" {
    value = 1
  }`, nil},
		{"a read by an effect that its arguments decide", `-- main.wf.hcl --
workflow "w" {
  source "demo" {
    bind = connection.demo.two
  }
  step "lists" {
    call = demo.inspect
    args = { value = "list" }
  }
  step "writes" {
    call = demo.inspect
    args = { value = "write" }
  }
}
connection "demo" "two" {
  stdio {
    command = "x"
  }
  tool "inspect" {
    effect = args.value == "list" ? "read" : "write"
  }
}
-- catalog/demo.two.json --
{"format_version": 1, "connection": "demo.two", "tools": [{"digest": "d", "object": {"name": "inspect", "inputSchema": {"type": "object", "properties": {"value": {}}}}}], "resources": [], "resource_templates": [], "prompts": []}
`, []string{`step "lists"`}},
	})
}
