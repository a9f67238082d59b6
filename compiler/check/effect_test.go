package check_test

import (
	"strings"
	"testing"
)

func TestUnguardedCalls(t *testing.T) {
	const (
		head   = "workflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n"
		delete = `
  step "delete" {
    call = demo.delete_task
    args = { task = 1 }
  }
`
		undone = `
  step "s" {
    call = demo.counter
    undo {
      call = demo.delete_task
      args = { task = 1 }
    }
  }
`
		ask = `
  step "ask" {
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
  }
`
	)
	policy := func(name, destructive string) string {
		p := ""
		if destructive != "" {
			p = "\n  policy {\n    destructive = \"" + destructive + "\"\n  }"
		}
		return "deployment \"" + name + "\" {\n  workflow = workflow.w" + p + "\n}\n"
	}
	runRules(t, []rule{
		{"nothing guards it", delete, []string{"WFC3001 `demo.delete_task` ~ tool \"delete_task\" { effect = \"write\" }"}},
		{"a when guards it", strings.Replace(delete, "args", "when = run.id != \"\"\n    args", 1), nil},
		{"a step that it refers to asks", ask + strings.Replace(delete, "task = 1", "task = step.ask.output.ok ? 1 : 2", 1), nil},
		{"it waits for the answer", ask + strings.Replace(delete, "args", "depends_on = [step.ask]\n    args", 1), nil},
		{"through a local and another step", ask + `
  locals {
    n = step.ask.output.ok ? 1 : 2
  }
  step "n" {
    value = local.n
  }` + strings.Replace(delete, "task = 1", "task = step.n.output", 1), nil},
		{"another question guards nothing", ask + delete, []string{"WFC3001 `demo.delete_task`"}},
		{"a write", "  step \"s\" {\n    call = demo.counter\n  }", nil},
		{"in a finally block", "  finally \"s\" {\n    call = demo.delete_task\n    args = { task = 1 }\n  }", []string{"WFC3001 `demo.delete_task`"}},
		{"a policy asks", head + delete + "}\n" + policy("a", "ask"), nil},
		{"all policies ask", head + delete + "}\n" + policy("a", "ask") + policy("b", "ask"), nil},
		{"one policy asks, another allows", head + delete + "}\n" + policy("a", "ask") + policy("b", "allow"), []string{"WFC3001 `demo.delete_task`"}},
		{"a deployment without a policy allows", head + delete + "}\n" + policy("a", ""), []string{"WFC3001 `demo.delete_task`"}},
		{"a policy denies it", head + delete + "}\n" + policy("a", "ask") + policy("b", "deny"), []string{"WFC3002 `demo.delete_task` ~ deployment b denies"}},
		{"a policy denies what takes a step back", head + undone + "}\n" + policy("b", "deny"), []string{"WFC3002 `demo.delete_task` ~ What takes back the step s is destructive"}},
		{"a policy allows what takes a step back", head + undone + "}\n" + policy("b", "allow"), nil},
		{"what a policy denies and a when guards may never run", head + strings.Replace(delete, "args", "when = run.id != \"\"\n    args", 1) + "}\n" + policy("b", "deny"), nil},
	})
}

// What a tool block says of an effect holds, for the arguments that are given as far
// as they are known.
func TestEffectsOverArguments(t *testing.T) {
	workflow := func(effect, args string) string {
		return `-- main.wf.hcl --
workflow "w" {
  source "files" {
    bind = connection.files.main
  }
  input "mode" {
    type    = string
    default = "list"
  }
  input "kind" {
    type    = enum("list", "show")
    default = "list"
  }
  step "s" {
    call = files.manage
    args = ` + args + `
  }
}
-- files.wf.hcl --
connection "files" "main" {
  stdio {
    command = "files-mcp"
  }
  tool "manage" {
    effect = ` + effect + `
  }
}
-- catalog/files.main.json --
{"format_version": 1, "connection": "files.main", "tools": [{"object": {"name": "manage", "inputSchema": {"type": "object", "properties": {
  "mode": {"type": "string"}, "paths": {"type": "array", "items": {"type": "string"}}, "force": {"type": "boolean"}}, "required": ["mode"]}}}],
  "resources": [], "resource_templates": [], "prompts": []}
`
	}
	const (
		mode  = `args.mode == "list" ? "read" : "destructive"`
		finds = "WFC3001 `files.manage`"
	)
	var rules []rule
	for _, c := range []struct {
		effect, args string
		destructive  bool
	}{
		{mode, `{ mode = "list" }`, false},
		{mode, `{ mode = "delete" }`, true},
		{mode, `{ mode = input.mode }`, true}, // the strongest counts
		{`args.mode == "delete" ? "destructive" : "read"`, `{ mode = input.kind }`, false},
		{`contains(["list", "show"], args.mode) ? "read" : "destructive"`, `{ mode = "show" }`, false},
		{`contains(["list", "show"], args.mode) ? "read" : "destructive"`, `{ mode = "rm" }`, true},
		{`startswith(args.mode, "get_") ? "read" : "destructive"`, `{ mode = "get_all" }`, false},
		{`length(coalesce(args.paths, [])) == 0 ? "read" : "destructive"`, `{ mode = "x", paths = [] }`, false},
		{`length(coalesce(args.paths, [])) == 0 ? "read" : "destructive"`, `{ mode = "x", paths = ["a"] }`, true},
		{`args.force == null ? "write" : "destructive"`, `{ mode = "x" }`, false},
		{`args.force == null ? "write" : "destructive"`, `{ mode = "x", force = true }`, true},
		{`coalesce(args.force, false) ? "destructive" : "write"`, `{ mode = "x" }`, false},
		{`coalesce(args.force, false) && args.mode != "list" ? "destructive" : "write"`, `{ mode = "x", force = true }`, true},
		{`coalesce(args.force, false) && args.mode != "list" ? "destructive" : "write"`, `{ mode = "list", force = true }`, false},
		{`lookup({ list = "read", show = "read" }, args.mode, "destructive")`, `{ mode = "show" }`, false},
		{`lookup({ list = "read", show = "read" }, args.mode, "destructive")`, `{ mode = "rm" }`, true},
		{`lookup({ list = "read", show = "read" }, args.mode, "destructive")`, `{ mode = input.mode }`, true},
	} {
		r := rule{c.effect + " of " + c.args, workflow(c.effect, c.args), nil}
		if c.destructive {
			r.want = []string{finds}
		}
		rules = append(rules, r)
	}
	// What is wrong in the arguments has its finding, and nothing follows from it.
	rules = append(rules, rule{"arguments with a mistake", workflow(mode, `{ mode = 1 }`), []string{"WFC2201 `1`"}},
		rule{"arguments with a mistake, of what is destructive whatever they are", workflow(`"destructive"`, `{ mode = 1 }`), []string{finds, "WFC2201 `1`"}})
	runRules(t, rules)
}

func TestRetriesOfWhatMayNotBeRepeated(t *testing.T) {
	step := func(call, retry string) string {
		return "  step \"s\" {\n    call = " + call + "\n    retry {\n      " + retry + "\n    }\n  }"
	}
	finds := []string{"WFC3003 `retry` ~ idempotent = true"}
	runRules(t, []rule{
		{"a write", step("demo.counter", "attempts = 3"), finds},
		{"a read", step("demo.list_tasks", "attempts = 3"), nil},
		{"a write that may be repeated", step("demo.add_label\n    args = { task = 1, label = \"x\" }", "attempts = 3"), nil},
		{"where nothing was sent", step("demo.counter", `on = ["rate_limit"]`), nil},
		{"where something may have been", step("demo.counter", `on = ["rate_limit", "timeout"]`), finds},
		{"what the tool block says", `-- main.wf.hcl --
workflow "w" {
  source "demo" {
    bind = connection.demo.two
  }
  step "s" {
    call = demo.counter
    retry {
      attempts = 3
    }
  }
  step "t" {
    call = demo.reset
    args = { key = "x" }
    retry {
      attempts = 3
    }
  }
}
-- two.wf.hcl --
connection "demo" "two" {
  stdio {
    command = "x"
  }
  tool "counter" {
    idempotent = true
  }
  tool "reset" {
    idempotency_arg = "key"
  }
}
-- catalog/demo.two.json --
{"format_version": 1, "connection": "demo.two", "tools": [{"object": {"name": "counter", "inputSchema": {"type": "object"}}},
  {"object": {"name": "reset", "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}}}}], "resources": [], "resource_templates": [], "prompts": []}
`, nil},
	})
}
