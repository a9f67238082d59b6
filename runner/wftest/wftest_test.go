package wftest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/wftest"
)

// tests loads a project of these files beside the connection demo.main.
func tests(t testing.TB, files map[string]string) *project.Project {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"wfc.hcl", "demo.wf.hcl", "catalog/demo.main.json"} {
		src, err := os.ReadFile(filepath.Join("../../testdata/projects/demo", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, name, string(src))
	}
	for name, text := range files {
		write(t, root, name, text)
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var everything = &wftest.Selection{Paths: []string{""}}

// run runs the tests of a workflow file and a test file.
func run(t testing.TB, workflow, test string) *wftest.Report {
	t.Helper()
	return wftest.RunProject(context.Background(), tests(t, map[string]string{"a.wf.hcl": workflow, "a.wftest.hcl": test}), everything)
}

// text is what a report says to a person.
func text(t testing.TB, r *wftest.Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteText(&b, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rule is one law: what is to be said of a test, or "ok".
type rule struct {
	name           string
	workflow, test string // the bodies of the blocks "w" and "t"
	want           []string
}

func runRules(t *testing.T, rules []rule) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			report := run(t,
				"workflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n"+r.workflow+"\n}\n",
				"test \"t\" {\n  workflow = workflow.w\n"+r.test+"\n}\n")
			got := text(t, report)
			for _, want := range r.want {
				if want == "ok" {
					if !report.OK() {
						t.Errorf("it does not pass:\n%s", got)
					}
					continue
				}
				if report.OK() {
					t.Errorf("it passes")
				}
				if !strings.Contains(got, want) {
					t.Errorf("%q is not said:\n%s", want, got)
				}
			}
		})
	}
}

const greets = `
  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "text" {
    value = step.greet.output.greeting
  }`

func TestMocks(t *testing.T) {
	runRules(t, []rule{
		{"a mock answers a tool", greets, `
  mock "demo" "greet" {
    output = { greeting = "Hi, ${args.name}" }
  }
  expect {
    outputs = { text = "Hi, Ada" }
  }`, []string{"ok"}},
		{"the first whose condition holds answers", greets, `
  mock "demo" "greet" {
    when   = args.name == "Bob"
    output = { greeting = "no" }
  }
  mock "demo" "greet" {
    when   = args.name == "Ada" && call.step == "greet" && call.attempt == 1
    output = { greeting = "yes" }
  }
  mock "demo" "greet" {
    output = { greeting = "too late" }
  }
  expect {
    outputs = { text = "yes" }
  }`, []string{"ok"}},
		{"times makes a sequence", `
  step "one" {
    call = demo.counter
  }
  step "two" {
    call = demo.counter
  }
  step "three" {
    call = demo.counter
  }
  output "all" {
    value = [step.one.output.count, step.two.output.count, step.three.output.count]
  }`, `
  mock "demo" "counter" {
    times  = 1
    output = { count = 1 }
  }
  mock "demo" "counter" {
    output = { count = 7 }
  }
  expect {
    outputs = { all = [1, 7, 7] }
  }`, []string{"ok"}},
		{"a call that no mock answers fails the test and shows one", greets, "", []string{
			"a.wf.hcl:6:3", "Step greet calls demo.main.greet, and no mock of this test answers that.", `{"name": "Ada"}`,
			"      mock \"demo\" \"greet\" {\n        output = { greeting = \"\" }\n      }\n",
		}},
		{"so does one that mocks do not mean", greets, `
  mock "demo" "greet" {
    when   = args.name == "Bob"
    output = { greeting = "no" }
  }`, []string{"whose `when` does not hold", "when   = args == { name = \"Ada\" }"}},
		{"a mock that says what the tool never does is refused when checking", greets, `
  mock "demo" "greet" {
    output = { greeting = 3 }
  }`, []string{"ERROR t", "WFC2201", "a.wftest.hcl:5:27"}},
		{"and when it is computed", `
  step "greet" {
    call = demo.greet
    args = { name = "{\"greeting\": 7}" }
  }`, `
  mock "demo" "greet" {
    output = jsondecode(args.name)
  }`, []string{"FAIL  t", "a.wftest.hcl:5:14", "is not what demo.main.greet may answer (the call is of step greet): greeting: a number where a string is wanted."}},
		{"an error of the tool", greets, `
  mock "demo" "greet" {
    error = "Who?"
  }
  expect {
    error = "tool"
  }
  assert {
    condition     = step.greet.text == "Who?" && run.error.step == "greet" && step.greet.outcome == "error"
    error_message = "No."
  }`, []string{"ok"}},
		{"errors by kind", greets, `
  mock "demo" "greet" {
    error = { kind = "rate_limit", message = "Slowly.", code = 429 }
  }
  expect {
    error = "timeout"
  }`, []string{`the kind of the failure is "rate_limit", not "timeout"`, "Slowly."}},
		{"kinds that no call has are refused", greets, `
  mock "demo" "greet" {
    error = { kind = "assert" }
  }`, []string{"ERROR t", "WFC22"}},
		{"resources by address, by template, and by name", `
  step "a" {
    read = demo
    uri  = "demo://readme"
  }
  step "b" {
    read = demo
    uri  = "demo://tasks/4"
  }
  step "c" {
    read = demo.task
    args = { id = "5" }
  }
  output "all" {
    value = [step.a.output, step.b.output, step.c.output]
  }`, `
  mock "demo" "demo://readme" {
    text = "Read me."
  }
  mock "demo" "task" {
    text = "Task ${args.id}, ${args.uri}."
  }
  mock "demo" "demo://tasks/{number}" {
    output = { number = args.number }
  }
  expect {
    outputs = { all = ["Read me.", "{\"number\":\"4\"}", "Task 5, demo://tasks/5."] }
  }`, []string{"ok"}},
		{"a prompt", `
  step "p" {
    prompt = demo.summarise
    args   = { topic = "x" }
  }
  output "all" {
    value = [step.p.text, step.p.output.messages[0].role]
  }`, `
  mock "demo" "summarise" {
    text = "Say it of ${args.topic}."
  }
  expect {
    outputs = { all = ["Say it of x.", "user"] }
  }`, []string{"ok"}},
		{"a mock that answers nothing is told of", greets, `
  mock "demo" "greet" {
    output = { greeting = "x" }
  }
  mock "demo" "echo" {
    text = "y"
  }
  expect {
    outputs = { text = "y" }
  }`, []string{`a.wftest.hcl:7:3: mock "demo" "echo" answered nothing.`}},
		{"a condition that cannot be asked", greets, `
  mock "demo" "greet" {
    when   = jsondecode(args.name) == 1
    output = { greeting = "x" }
  }`, []string{"a.wftest.hcl:5:14", "The `when` of this mock cannot be asked of the call of demo.main.greet by step greet"}},
		{"a source and a tool that do not exist", greets, `
  mock "dmo" "greet" {
    text = "x"
  }
  mock "demo" "gret" {
    text = "x"
  }`, []string{"ERROR t", "Did you mean \"demo\"", "Did you mean \"greet\""}},
	})
}

func TestExpectations(t *testing.T) {
	const mock = `
  mock "demo" "greet" {
    output = { greeting = "Hi" }
  }`
	runRules(t, []rule{
		{"a run is expected to complete", greets, `
  mock "demo" "greet" {
    error = "Who?"
  }`, []string{`The run failed, and "ok" is expected. Step greet failed: The tool demo.main.greet answered with an error: Who?`}},
		{"one that completes, and is to fail", greets, mock + `
  expect {
    outcome = "error"
  }`, []string{"a.wftest.hcl:8:15", `The run completed, and "error" is expected.`}},
		{"outputs are compared one by one, place by place", `
  step "s" {
    call = demo.inspect
    args = { value = { n = [1, 2.50, 3], same = true, more = "x" } }
  }
  output "a" {
    value = step.s.output.value
  }
  output "b" {
    value = 1
  }`, `
  mock "demo" "inspect" {
    output = { value = args.value }
  }
  expect {
    outputs = { a = { n = [1, 2.5, 4], same = true, less = "y" } }
  }`, []string{"a.n[2]\n        expected  4\n        got       3\n", "a.less\n        expected  \"y\"\n        got       nothing", "a.more\n        expected  nothing\n        got       \"x\"\n"}},
		{"numbers are exact", `
  output "a" {
    value = 0.1 + 0.2
  }
  step "s" {
    call = demo.inspect
    args = { value = 12345678901234567890.123 }
  }
  output "b" {
    value = step.s.output.value
  }`, `
  mock "demo" "inspect" {
    output = { value = args.value }
  }
  expect {
    outputs = { a = 0.3, b = 12345678901234567890.124 }
  }`, []string{"expected  12345678901234567890.124\n      got       12345678901234567890.123\n"}},
		{"of long texts the place where they differ is shown", `
  output "a" {
    value = join("", [for i in range(500) : "line ${i}\n"])
  }`, `
  expect {
    outputs = { a = join("", [for i in range(500) : i == 400 ? "Line 400\n" : "line ${i}\n"]) }
  }`, []string{`Line 400`, `line 400`, "…"}},
		{"an assert shows what its parts are", greets, mock + `
  assert {
    condition     = length(calls) == 2 || step.greet.output.greeting == "Ho"
    error_message = "Called ${length(calls)} times."
  }`, []string{"Called 1 times.", `step.greet.output.greeting = "Hi"`}},
		{"calls, their order and their arguments", `
  step "list" {
    call = demo.list_tasks
    args = { state = "open" }
  }
  step "greet" {
    for_each = step.list.output.tasks
    key      = each.value.title
    call     = demo.greet
    args     = { name = each.value.title }
  }`, `
  mock "demo" "list_tasks" {
    output = { tasks = [{ id = 1, title = "a", done = false }, { id = 2, title = "b", done = false }] }
  }
  mock "demo" "greet" {
    output = { greeting = args.name }
  }
  assert {
    condition = calls == [
      { step = "list", key = null, source = "demo", connection = "demo.main", tool = "list_tasks", args = { state = "open" }, attempt = 1, undo = false },
      { step = "greet", key = "a", source = "demo", connection = "demo.main", tool = "greet", args = { name = "a" }, attempt = 1, undo = false },
      { step = "greet", key = "b", source = "demo", connection = "demo.main", tool = "greet", args = { name = "b" }, attempt = 1, undo = false },
    ]
    error_message = jsonencode(calls)
  }`, []string{"ok"}},
		{"inputs that a validation refuses", `
  input "n" {
    type = number
    validation {
      condition     = input.n > 0
      error_message = "n must be positive, not ${input.n}."
    }
  }
  step "s" {
    call = demo.counter
  }`, `
  inputs = { n = -1 }
  expect {
    error = "assert"
  }
  assert {
    condition     = strcontains(run.error.message, "not -1") && length(calls) == 0 && step.s.outcome == "skipped"
    error_message = run.error.message
  }`, []string{"ok"}},
		{"the run before", `
  output "n" {
    value = run.previous == null ? 1 : toint(coalesce(run.previous.outputs.n, 0)) + 1
  }`, `
  previous = { outputs = { n = 41 } }
  expect {
    outputs = { n = 42 }
  }
  assert {
    condition     = run.previous != null && try(run.previous.id, "") == "before"
    error_message = "None."
  }`, []string{"ok"}},
		{"what a run before cannot have given is refused", `
  output "n" {
    type  = integer
    value = 1
  }`, `
  previous = { outputs = { n = "x", m = 1 } }`, []string{"WFC2201", "WFC2202"}},
		{"sensitive values are not shown", `
  input "token" {
    type      = string
    sensitive = true
  }
  step "greet" {
    call = demo.greet
    args = { name = input.token }
  }
  output "token" {
    sensitive = true
    value     = input.token
  }`, `
  inputs = { token = "hunter2hunter2" }
  mock "demo" "greet" {
    output = { greeting = "x" }
  }
  expect {
    outputs = { token = "other" }
  }
  assert {
    condition     = input.token == "x" && calls[0].args.name == "x"
    error_message = "Wrong."
  }`, []string{"expected  (sensitive)\n      got       (sensitive)\n", "input.token = (sensitive)", "calls[0].args.name = \"(secret input.token)\""}},
	})
}

func TestWhatIsUnmockedHidesWhatIsSensitive(t *testing.T) {
	r := run(t, `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  input "token" {
    type      = string
    sensitive = true
  }
  step "greet" {
    call = demo.greet
    args = { name = input.token }
  }
}
`, `test "t" {
  workflow = workflow.w
  inputs   = { token = "hunter2hunter2" }
  mock "demo" "greet" {
    when   = args.name == "x"
    output = { greeting = "x" }
  }
}
`)
	got := text(t, r)
	if r.OK() || !strings.Contains(got, "no mock of this test answers that") || strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}

func TestUndosAndFinally(t *testing.T) {
	runRules(t, []rule{
		{"what was done is undone, and the finally blocks run", `
  step "add" {
    call = demo.add_label
    args = { task = 1, label = "x" }
    undo {
      call = demo.delete_task
      args = { task = 1 }
    }
  }
  step "fail" {
    depends_on = [step.add]
    call       = demo.greet
    args       = { name = "x" }
  }
  finally "note" {
    call = demo.echo
    args = { text = run.outcome }
  }`, `
  mock "demo" "add_label" {
    output = { task = 1, labels = ["x"] }
  }
  mock "demo" "greet" {
    error = { kind = "protocol", message = "No." }
  }
  mock "demo" "delete_task" {
    output = { deleted = true }
  }
  mock "demo" "echo" {
    text = args.text
  }
  expect {
    error = "protocol"
  }
  assert {
    condition     = [for c in calls : c.tool if c.undo] == ["delete_task"] && step.note.text == "error"
    error_message = jsonencode(calls)
  }`, []string{"ok"}},
		{"what may have taken effect says so", `
  step "delete" {
    when     = true
    call     = demo.delete_task
    args     = { task = 1 }
    on_error = ["transport"]
  }`, `
  mock "demo" "delete_task" {
    error = { kind = "transport" }
  }
  assert {
    condition     = step.delete.outcome == "error" && try(step.delete.error.in_doubt, false)
    error_message = step.delete.outcome
  }`, []string{"ok"}},
		{"unless the request never left", `
  step "delete" {
    when     = true
    call     = demo.delete_task
    args     = { task = 1 }
    on_error = ["transport"]
  }`, `
  mock "demo" "delete_task" {
    error = { kind = "transport", in_doubt = false }
  }
  assert {
    condition     = !try(step.delete.error.in_doubt, true)
    error_message = step.delete.outcome
  }`, []string{"ok"}},
	})
}

func TestChildren(t *testing.T) {
	files := map[string]string{
		"a.wf.hcl": `workflow "outer" {
  source "main" {
    bind = connection.demo.main
  }
  step "inner" {
    run  = workflow.inner
    bind = { src = main }
    args = { name = "Ada" }
  }
  output "text" {
    value = step.inner.output.text
  }
}
workflow "inner" {
  source "src" {
  }
  source "own" {
    bind = connection.demo.main
  }
  input "name" {
    type = string
  }
  step "greet" {
    call = src.greet
    args = { name = input.name }
  }
  step "echo" {
    call = own.echo
    args = { text = step.greet.output.greeting }
  }
  output "text" {
    value = step.echo.text
  }
}
`,
		"a.wftest.hcl": `test "t" {
  workflow = workflow.outer
  mock "main" "greet" {
    output = { greeting = "Hi, ${args.name}" }
  }
  mock "own" "echo" {
    text = "${args.text}!"
  }
  expect {
    outputs = { text = "Hi, Ada!" }
  }
  assert {
    condition     = [for c in calls : "${c.step} ${c.source}"] == ["inner/greet main", "inner/echo own"]
    error_message = jsonencode(calls)
  }
}
`}
	r := wftest.RunProject(context.Background(), tests(t, files), everything)
	if !r.OK() {
		t.Error(text(t, r))
	}
}
