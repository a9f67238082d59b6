package wftest_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/wftest"
)

// runFiles runs the tests of these files and returns what is said of them.
func runFiles(t *testing.T, files map[string]string) (*wftest.Report, string) {
	t.Helper()
	r := wftest.RunProject(context.Background(), tests(t, files), everything)
	return r, text(t, r)
}

// passes fails the test unless all tests of the files pass.
func passes(t *testing.T, files map[string]string) {
	t.Helper()
	if r, said := runFiles(t, files); !r.OK() {
		t.Errorf("it does not pass:\n%s", said)
	}
}

// isSaid fails the test unless some test of the files fails, and all of this is said.
func isSaid(t *testing.T, files map[string]string, want ...string) {
	t.Helper()
	r, said := runFiles(t, files)
	if r.OK() {
		t.Error("it passes")
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), strings.Join(strings.Fields(w), " ")) {
			t.Errorf("%q is not said:\n%s", w, said)
		}
	}
}

// catalogOf is the snapshot of the connection demo.main as one of another connection.
func catalogOf(t *testing.T, connection string) string {
	t.Helper()
	src, err := os.ReadFile("../../testdata/projects/demo/catalog/demo.main.json")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(src), `"demo.main"`, `"`+connection+`"`, 1)
}

const trackerInterface = `interface tracker {
  type issue = object({ number = integer, title = string })

  @read
  tool search(q: string, per_page: optional(integer, 20)) -> object({ items = list(issue) }, any)

  @write
  tool label(number: integer, label: string) -> any

  @destructive
  tool close(number: integer) -> string

  resource readme "repo://{owner}/readme" -> string
  prompt summarise(text: string)
}
`

const triage = `workflow "triage" {
  source "tracker" {
    interface = interface.tracker
  }
  input "q" {
    type = string
  }
  step "search" {
    call = tracker.search
    args = { q = input.q }
  }
  step "readme" {
    read = tracker.readme
    args = { owner = "ada" }
  }
  step "about" {
    prompt = tracker.summarise
    args   = { text = step.readme.output }
  }
  step "label" {
    for_each = step.search.output.items
    call     = tracker.label
    args     = { number = each.value.number, label = "triage" }
    undo {
      call = tracker.close
      args = { number = each.value.number }
    }
  }
  output "labelled" {
    value = [for i in step.search.output.items : i.number]
  }
  output "about" {
    value = step.about.text
  }
}
`

// answersTriage mocks what triage asks of its source.
const answersTriage = `
  mock "tracker" "search" {
    output = { items = [{ number = 1, title = "One" }, { number = 2, title = "Two" }] }
  }
  mock "tracker" "readme" {
    text = "Read ${args.owner}"
  }
  mock "tracker" "summarise" {
    text = "About ${args.text}"
  }`

func TestASourceThatIsBoundToNothingIsTestedAgainstItsInterface(t *testing.T) {
	of := func(test string) map[string]string {
		return map[string]string{"a.wfi": trackerInterface, "a.wf.hcl": triage, "a.wftest.hcl": "test \"t\" {\n  workflow = workflow.triage\n  inputs   = { q = \"new\" }\n" + answersTriage + test + "\n}\n"}
	}
	t.Run("its tools, resources and prompts are mocked", func(t *testing.T) {
		passes(t, of(`
  mock "tracker" "label" {
    output = null
  }
  expect {
    outputs = { labelled = [1, 2], about = "About Read ada" }
  }
  assert {
    condition     = alltrue([for c in calls : c.source == "tracker" && c.connection == "interface.tracker"]) && length(calls) == 5
    error_message = "Calls: ${jsonencode(calls)}"
  }`))
	})
	t.Run("what is done is undone", func(t *testing.T) {
		passes(t, of(`
  mock "tracker" "label" {
    when  = args.number == 2
    error = "no"
  }
  mock "tracker" "label" {
    text = "done"
  }
  mock "tracker" "close" {
    output = "closed"
  }
  expect {
    error = "tool"
  }
  assert {
    condition     = [for c in calls : c.args.number if c.undo] == [1]
    error_message = "Not undone."
  }`))
	})
	t.Run("a call that no mock answers", func(t *testing.T) {
		isSaid(t, of(""), "Step label[0] calls interface.tracker.label, and no mock of this test answers that.", `mock "tracker" "label"`)
	})
	t.Run("a mock that the interface does not allow", func(t *testing.T) {
		isSaid(t, of(`
  mock "tracker" "label" {
    text = ""
  }
  mock "tracker" "close" {
    output = 5
  }`), "The output of the mock must be a string, and this is the number 5.")
	})
	t.Run("a tool that the interface does not have", func(t *testing.T) {
		isSaid(t, of(`
  mock "tracker" "labels" {
    text = ""
  }`), `The interface tracker has no tool "labels". Did you mean "label"?`)
	})
	t.Run("what a mock computes is held against the interface", func(t *testing.T) {
		files := of("")
		files["a.wftest.hcl"] = `test "t" {
  workflow = workflow.triage
  inputs   = { q = "{\"items\": 5}" }

  mock "tracker" "search" {
    output = jsondecode(args.q)
  }
}
`
		isSaid(t, files, "The `output` of this mock is not what interface.tracker.search may answer")
	})
	t.Run("a source without an interface stays unbound", func(t *testing.T) {
		isSaid(t, map[string]string{
			"a.wf.hcl":     "workflow \"w\" {\n  source \"x\" {\n  }\n  step \"s\" {\n    call = x.y\n  }\n}\n",
			"a.wftest.hcl": "test \"t\" {\n  workflow = workflow.w\n}\n",
		}, "The source \"x\" is bound to no connection")
	})
	t.Run("one that is handed to a workflow that a step runs", func(t *testing.T) {
		files := of("")
		files["b.wf.hcl"] = `workflow "all" {
  source "issues" {
    interface = interface.tracker
  }
  step "inner" {
    run  = workflow.triage
    bind = { tracker = issues }
    args = { q = "all" }
  }
  output "n" {
    value = length(step.inner.output.labelled)
  }
}
`
		files["a.wftest.hcl"] = "test \"t\" {\n  workflow = workflow.all\n" + strings.ReplaceAll(answersTriage, `mock "tracker"`, `mock "issues"`) + `
  mock "issues" "label" {
    text = ""
  }
  expect {
    outputs = { n = 2 }
  }
}
`
		passes(t, files)
		files["a.wftest.hcl"] = "test \"t\" {\n  workflow = workflow.all\n  mock \"tracker\" \"label\" {\n    text = \"\"\n  }\n}\n"
		isSaid(t, files, `Workflow "all" has no source "tracker"`)
	})
}

const deployed = `workflow "greetings" {
  source "who" {
    bind = connection.demo.main
  }
  input "name" {
    type = string
  }
  input "task" {
    type    = integer
    default = 1
  }
  step "greet" {
    call = who.greet
    args = { name = input.name }
  }
  step "delete" {
    when = input.task > 0
    call = who.delete_task
    args = { task = input.task }
    on_error = ["declined"]
  }
  output "text" {
    value = step.greet.output.greeting
  }
  output "deleted" {
    value = step.delete.outcome == "ok"
  }
  output "by" {
    value = run.deployment
  }
}
connection "demo" "other" {
  stdio {
    command = "other"
  }
}
deployment "asks" {
  workflow = workflow.greetings
  inputs   = { name = "Ada" }
  bind     = { who = connection.demo.other }
  policy {
    destructive = "ask"
  }
}
deployment "denies" {
  workflow = workflow.greetings
  inputs   = { name = "Ada" }
  policy {
    destructive = "deny"
  }
}
`

func TestDeployments(t *testing.T) {
	of := func(deployment, test string) map[string]string {
		return map[string]string{
			"catalog/demo.other.json": catalogOf(t, "demo.other"), "d.wf.hcl": deployed,
			"d.wftest.hcl": "test \"t\" {\n  deployment = deployment." + deployment + "\n  mock \"who\" \"greet\" {\n    output = { greeting = \"Hi ${args.name}\" }\n  }\n" + test + "\n}\n",
		}
	}
	const deletes = `
  mock "who" "delete_task" {
    output = { deleted = true }
  }`
	t.Run("its inputs and bindings count", func(t *testing.T) {
		passes(t, of("denies", `
  inputs = { task = 0 }
  expect {
    outputs = { text = "Hi Ada", deleted = false, by = "denies" }
  }
  assert {
    condition     = calls[0].connection == "demo.main"
    error_message = "Connection: ${calls[0].connection}"
  }`))
		passes(t, of("asks", `
  inputs = { task = 0 }
  assert {
    condition     = calls[0].connection == "demo.other" && input.name == "Ada"
    error_message = "Connection: ${calls[0].connection}"
  }`))
	})
	t.Run("what it denies fails", func(t *testing.T) {
		passes(t, of("denies", `
  expect {
    error = "policy"
  }`))
	})
	t.Run("what it asks is answered", func(t *testing.T) {
		passes(t, of("asks", deletes+`
  answer "delete" {
    when  = strcontains(question.message, "destructive")
    data  = {}
    as    = "grace"
    delay = "3h"
  }
  expect {
    outputs = { deleted = true }
  }`))
	})
	t.Run("what it asks is declined", func(t *testing.T) {
		passes(t, of("asks", `
  answer "delete" {
    decline = true
  }
  expect {
    outputs = { deleted = false }
  }`))
	})
	t.Run("what it asks and nobody answers waits", func(t *testing.T) {
		passes(t, of("asks", "  expect {\n    outcome = \"waiting\"\n  }"))
		isSaid(t, of("asks", ""), "The run waits for a person", `answer "delete" { data = {} }`)
	})
	t.Run("an answer where nothing is asked", func(t *testing.T) {
		isSaid(t, of("asks", `
  answer "greet" {
    data = {}
  }`), `The step "greet" asks nobody`)
		isSaid(t, of("denies", `
  answer "delete" {
    data = {}
  }`), `The step "delete" asks nobody`)
	})
	t.Run("an input that it fixes cannot be given", func(t *testing.T) {
		isSaid(t, of("asks", `  inputs = { name = "Bob" }`), `The input "name" is set by the deployment "asks" and cannot be given`)
	})
	t.Run("one that does not exist", func(t *testing.T) {
		isSaid(t, of("ask", ""), `This project has no deployment "ask". Did you mean "asks"?`)
	})
	t.Run("a workflow beside it", func(t *testing.T) {
		isSaid(t, of("asks", "  workflow = workflow.greetings"), "Keep one of them")
	})
	t.Run("neither", func(t *testing.T) {
		isSaid(t, map[string]string{"d.wftest.hcl": "test \"t\" {\n}\n"}, `"workflow"`, `"deployment"`)
	})
	t.Run("one of a workflow that does not exist", func(t *testing.T) {
		files := of("asks", "")
		files["d.wf.hcl"] = strings.Replace(deployed, "deployment \"asks\" {\n  workflow = workflow.greetings", "deployment \"asks\" {\n  workflow = workflow.greeting", 1)
		isSaid(t, files, `This project has no workflow "greeting". Did you mean "greetings"?`)
	})
	t.Run("one that fixes an input which does not exist", func(t *testing.T) {
		files := of("asks", "")
		files["d.wf.hcl"] = strings.Replace(deployed, `inputs   = { name = "Ada" }`, `inputs   = { nam = "Ada" }`, 1)
		isSaid(t, files, `has no input "nam". Did you mean "name"?`)
		if _, said := runFiles(t, files); strings.Contains(said, "has no default") {
			t.Errorf("what follows is said, too:\n%s", said)
		}
	})
	t.Run("one with a call that it always denies", func(t *testing.T) {
		files := of("denies", "")
		files["d.wf.hcl"] = strings.Replace(deployed, "    when = input.task > 0\n", "", 1)
		isSaid(t, files, "WFC3002")
	})
}
