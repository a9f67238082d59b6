package check_test

import (
	"strings"
	"testing"
)

func TestChildren(t *testing.T) {
	const child = `
workflow "labels" {
  source "demo" {
    bind = connection.demo.main
  }
  input "task" {
    type = integer
  }
  input "label" {
    type    = string
    default = "triage"
  }
  step "add" {
    call = demo.add_label
    args = { task = input.task, label = input.label }
  }
  output "labels" {
    value = step.add.output.labels
  }
  output "count" {
    type  = integer
    value = length(step.add.output.labels)
  }
}
`
	// parent is a workflow that runs a step, and the child.
	parent := func(body string) string {
		return `workflow "parent" {
  source "tasks" {
    bind = connection.demo.main
  }
` + body + "\n}\n" + child
	}
	runRules(t, []rule{
		{"inputs and outputs are typed", parent(`
  step "a" {
    for_each = [1, 2]
    run      = workflow.labels
    args     = { task = each.value }
    bind     = { demo = tasks }
  }
  output "o" {
    value = { n = sum([for r in step.a : r.output.count]), all = [for r in step.a : join(",", r.output.labels)] }
  }`), nil},
		{"inputs are checked", parent(`
  step "a" {
    run  = workflow.labels
    args = { task = "1", lable = "x" }
  }
  step "b" {
    run = workflow.labels
  }`), []string{"WFC2201 `\"1\"` ~ argument task of workflow labels", "WFC2103 `lable` ~ Did you mean \"label\"?", "WFC2101 `workflow.labels` ~ \"task\""}},
		{"outputs are checked", parent(`
  step "a" {
    run  = workflow.labels
    args = { task = 1 }
  }
  output "o" {
    value = step.a.output.label
  }`), []string{"WFC2202 `label` ~ Did you mean \"labels\"?"}},
		{"no such workflow", parent(`
  step "a" {
    run = workflow.label
  }`), []string{"WFC2008 `label` ~ Did you mean \"labels\"?"}},
		{"no such source", parent(`
  step "a" {
    run  = workflow.labels
    args = { task = 1 }
    bind = { dmo = tasks, demo = task }
  }`), []string{"WFC2001 `dmo` ~ Workflow \"labels\" has no source \"dmo\"", "WFC2001 `task` ~ Workflow \"parent\" has no source \"task\""}},
		{"a source that nothing is bound to", `
workflow "parent" {
  step "a" {
    run = workflow.child
  }
}
workflow "child" {
  source "demo" {
  }
  step "a" {
    call = demo.counter
  }
}`, []string{"WFC2404 `workflow.child` ~ bind = { demo = SOURCE }", "WFC2402 `source \"demo\"`"}},
		{"a source of ours of the same name", `
workflow "parent" {
  source "demo" {
    bind = connection.demo.main
  }
  step "a" {
    run = workflow.child
  }
}
workflow "child" {
  source "demo" {
  }
  step "a" {
    call = demo.countr
  }
}`, []string{"WFC2002 `countr`"}},
		{"workflows that run each other", `
workflow "a" {
  step "s" {
    run = workflow.b
  }
}
workflow "b" {
  step "s" {
    run = workflow.c
  }
  output "o" {
    value = step.s.output.x
  }
}
workflow "c" {
  step "s" {
    run = workflow.b
  }
}
workflow "d" {
  step "s" {
    run = workflow.d
  }
}`, []string{"WFC2303 `workflow.b` ~ workflow.b → workflow.c → workflow.b", "WFC2303 `workflow.d` ~ The workflow runs itself"}},
		{"a failure of the child is tolerated", parent(`
  step "a" {
    run      = workflow.labels
    args     = { task = 1 }
    on_error = "continue"
  }
  output "o" {
    value = step.a.output.count
  }`), []string{"WFC2302 `step.a.output.count`"}},
	})
}

func TestChildrenOfAFamily(t *testing.T) {
	const child = `
workflow "child" {
  source "fs" {
  }
  step "a" {
    call = fs.echo
    args = { text = "x" }
  }
  output "text" {
    value = step.a.text
  }
}
`
	both := func(body string) string {
		return strings.Replace(family(t, body), "-- envs.wf.hcl --", "-- child.wf.hcl --"+child+"-- envs.wf.hcl --", 1)
	}
	runRules(t, []rule{
		{"a member", both(`
  step "a" {
    run  = workflow.child
    bind = { fs = env["dev"] }
  }`), nil},
		{"a member that denies what the child calls", both(`
  step "a" {
    run  = workflow.child
    bind = { fs = env["prod"] }
  }`), []string{"WFC2109 `echo` ~ env.prod denies"}},
		{"any member", both(`
  step "a" {
    for_each = { dev = 1, staging = 2 }
    run      = workflow.child
    bind     = { fs = env[each.key] }
  }`), []string{"WFC2109 `echo` ~ env.prod denies"}},
		{"a family of the same name is no connection", strings.NewReplacer(`source "fs"`, `source "env"`, "fs.echo", "env.echo").Replace(both(`
  step "a" {
    run = workflow.child
  }`)), []string{"WFC2404 `workflow.child` ~ bind = { env = SOURCE }"}},
		{"not the family", both(`
  step "a" {
    run  = workflow.child
    bind = { fs = env }
  }`), []string{"WFC2014 `env` ~ Say which member it is"}},
	})
}

func TestTriggers(t *testing.T) {
	const hello = `
workflow "hello" {
  input "event" {
    type = string
  }
  output "o" {
    value = input.event
  }
}
`
	runRules(t, []rule{
		{"a schedule and a policy", hello + `
deployment "a" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  policy {
    destructive = "ask"
    drift       = "warn"
    in_doubt    = "retry"
  }
  schedule {
    cron     = "0 9 * * MON-FRI"
    timezone = "Europe/Berlin"
    overlap  = "queue"
    missed   = "run_once"
  }
}
deployment "b" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  schedule {
    cron = "@every 10m"
  }
}`, nil},
		{"times that are none", hello + `
deployment "a" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  schedule {
    cron     = "0 9 * *"
    timezone = "Europe/Berln"
    overlap  = "wait"
  }
}
deployment "b" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  schedule {
    cron = "0 0 30 2 *"
  }
}
deployment "c" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  schedule {
    timezone = "UTC"
  }
}`, []string{"WFC2409 `\"0 9 * *\"` ~ five fields", "WFC2410 `\"Europe/Berln\"` ~ Did you mean \"Europe/Berlin\"?", "WFC1037 `\"wait\"`", "WFC2409 `\"0 0 30 2 *\"` ~ never comes", "WFC1026 `schedule` ~ \"cron\""}},
		{"a webhook gives an input", hello + `
secret "hook" {
  env = "HOOK"
}
deployment "a" {
  workflow = workflow.hello
  webhook {
    path     = "/hooks/a"
    input    = input.event
    secret   = secret.hook
    max_body = "1MB"
  }
}
deployment "b" {
  workflow = workflow.hello
  webhook {
    path     = "/hooks/b"
    input    = "event"
    max_body = 4096
  }
}`, nil},
		{"mistakes in webhooks", hello + `
deployment "a" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  webhook {
    path     = "/hooks/a"
    input    = input.event
    secret   = input.event
    max_body = "1 parsec"
  }
}
deployment "b" {
  workflow = workflow.hello
  inputs   = { event = "x" }
  webhook {
    path  = "/hooks/a"
    input = input.evnt
  }
}`, []string{"WFC2411 `event` ~ fixed in inputs, too", "WFC2011 `input`", "WFC1034 `\"1 parsec\"`", "WFC2411 `\"/hooks/a\"` ~ The deployment \"a\" has the path", "WFC2003 `evnt` ~ Did you mean \"event\"?"}},
		{"settings", `
-- wfc.hcl --
project {
  language = 1
}
defaults {
  timeout       = "30s"
  max_parallel  = 4
  max_in_flight = 2
  retry {
    attempts = 3
    on       = ["timeout", "transprt"]
    when     = self.error.kind == "timeout"
  }
}
sampling {
  base_url = "models.example.com"
  model    = 7
  api_key  = secret.none
}
storage {
  durability = "memory"
  max_result = "64MiB"
  keep       = "30d"
}
-- main.wf.hcl --
`, []string{"WFC2201 `\"transprt\"`", "WFC2206 `\"models.example.com\"`", "WFC2201 `7`", "WFC2006 `none`", "WFC1037 `\"memory\"`"}},
	})
}

func TestTests(t *testing.T) {
	const hello = `
-- main.wf.hcl --
workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }
  input "name" {
    type = string
  }
  step "greet" {
    call = demo.greet
    args = { name = input.name }
  }
  output "text" {
    value = step.greet.output.greeting
  }
}
-- main.wftest.hcl --
`
	runRules(t, []rule{
		{"a test of a run", hello + `
test "greets" {
  workflow = workflow.hello
  inputs   = { name = "Ada" }
  mock "demo" "greet" {
    when   = args.name == "Ada"
    output = { greeting = "Hello, ${args.name}" }
  }
  mock "demo" "greet" {
    error = "Who?"
  }
  expect {
    outcome = "ok"
    outputs = { text = "Hello, Ada" }
  }
  assert {
    condition     = run.outputs.text == step.greet.output.greeting && length(calls) == 1
    error_message = "Called ${length(calls)} times: ${calls[0].tool}."
  }
}
test "fails" {
  workflow = workflow.hello
  inputs   = { name = "Bob" }
  mock "demo" "greet" {
    error = { kind = "timeout", message = "Too slow." }
  }
  expect {
    outcome = "error"
    error   = "timeout"
  }
  assert {
    condition     = run.error.kind == "timeout" && step.greet.outcome == "error"
    error_message = run.error.message
  }
}`, nil},
		{"mistakes in a test", hello + `
test "greets" {
  workflow = workflow.hello
  inputs   = { nme = "Ada" }
  mock "demo" "gret" {
    text = "x"
  }
  mock "dmo" "greet" {
    text = "x"
  }
  mock "demo" "greet" {
    output = { greting = "x" }
  }
  mock "demo" "greet" {
    when = args.nam == "x"
  }
  mock "demo" "greet" {
    text  = "x"
    error = "y"
  }
  expect {
    outcome = "failed"
    outputs = { txt = 1 }
  }
  assert {
    condition     = step.gret.outcome
    error_message = "x"
  }
}
test "nothing" {
  workflow = workflow.helo
}
test "nothing_at_all" {
}
test "no_input" {
  workflow = workflow.hello
}`, []string{
			"WFC2003 `nme` ~ Did you mean \"name\"?",
			"WFC2002 `gret` ~ Did you mean \"greet\"?",
			"WFC2001 `dmo` ~ Did you mean \"demo\"?",
			"WFC2202 `greting`",
			"WFC1026 `mock \"demo\" \"greet\"` ~ does not say what is answered",
			"WFC2202 `nam`",
			"WFC1032 `text`",
			"WFC1037 `\"failed\"`",
			"WFC2202 `txt` ~ Workflow \"hello\" has no output \"txt\". Did you mean \"text\"?",
			"WFC2005 `gret`",
			"WFC2008 `helo`",
			"WFC1026 `test \"nothing_at_all\"` ~ \"workflow\"",
			"WFC2403 `test \"no_input\"` ~ \"name\"",
		}},
		{"what failed has no outputs", hello + `
test "fails" {
  workflow = workflow.hello
  inputs   = { name = "Bob" }
  expect {
    outcome = "error"
  }
  assert {
    condition     = run.outputs.text == ""
    error_message = step.greet.output.greeting
  }
}`, []string{"WFC2301 `run.outputs.text`", "WFC2302 `step.greet.output.greeting`"}},
	})
}

func TestInputsOfDeployments(t *testing.T) {
	const hello = `
-- main.wf.hcl --
workflow "hello" {
  input "text" {
    type = string
  }
  input "n" {
    type    = integer
    default = 1
  }
  output "o" {
    value = input.text
  }
}
-- texts/a.txt --
x
-- d.wf.hcl --
`
	runRules(t, []rule{
		{"constants, files and the environment", hello + `
deployment "a" {
  workflow = workflow.hello
  inputs   = { text = upper(file("texts/a.txt")), n = 1 + 1 }
}
deployment "b" {
  workflow = workflow.hello
  inputs   = { text = "${project.root}/${env("NAME", "x")}" }
}`, nil},
		{"the environment is text", hello + `
deployment "a" {
  workflow = workflow.hello
  inputs   = { text = "x", n = env("N") }
}`, []string{"WFC2201 `env(\"N\")` ~ tonumber"}},
		{"no names of a run", hello + `
deployment "a" {
  workflow = workflow.hello
  inputs   = { text = run.id }
}`, []string{"WFC2011 `run`"}},
	})
}
