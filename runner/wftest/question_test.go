package wftest_test

import "testing"

func TestQuestions(t *testing.T) {
	const asks = `
  step "confirm" {
    ask {
      message   = "Delete task 3?"
      answer    = object({ ok = bool, why = optional(string) })
      approvers = ["ada", "bob"]
    }
    deadline = "72h"
    on_error = ["declined", "timeout"]
  }
  step "delete" {
    when = step.confirm.outcome == "ok" && try(step.confirm.output.ok, false)
    call = demo.delete_task
    args = { task = 3 }
  }
  output "confirmed" {
    value = step.confirm.outcome == "ok" ? "yes" : step.confirm.error.kind
  }`
	const deleted = `
  mock "demo" "delete_task" {
    output = { deleted = true }
  }`
	runRules(t, []rule{
		{"an answer", asks, deleted + `
  answer "confirm" {
    when  = question.message == "Delete task 3?"
    as    = "ada"
    data  = { ok = true }
    delay = "48h"
  }
  expect {
    outputs = { confirmed = "yes" }
  }
  assert {
    condition     = length(calls) == 1
    error_message = "${length(calls)} calls."
  }`, []string{"ok"}},
		{"somebody declines", asks, `
  answer "confirm" {
    as      = "bob"
    decline = true
  }
  expect {
    outputs = { confirmed = "declined" }
  }
  assert {
    condition     = length(calls) == 0
    error_message = "${length(calls)} calls."
  }`, []string{"ok"}},
		{"nobody answers before the deadline", asks, `
  expect {
    outputs = { confirmed = "timeout" }
  }`, []string{"ok"}},
		{"an answer that comes too late", asks, `
  answer "confirm" {
    as    = "bob"
    data  = { ok = true }
    delay = "73h"
  }
  expect {
    outputs = { confirmed = "timeout" }
  }`, []string{"ok"}},
		{"an answer of somebody else is a mistake of the test", asks, `
  answer "confirm" {
    as   = "eve"
    data = { ok = true }
  }`, []string{"a.wftest.hcl:4:3", "This answer is not taken. The question of the step confirm is for ada or bob to answer, and eve is not among them."}},
		{"an answer of the wrong type is refused when checking", asks, `
  answer "confirm" {
    as   = "ada"
    data = { ok = "yes" }
  }`, []string{"ERROR t", "WFC2201"}},
		{"a question that no answer is for is shown with one", `
  step "confirm" {
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
  }
  output "ok" {
    value = step.confirm.output.ok
  }`, "", []string{`The run waits for a person, and "ok" is expected. Step confirm asks "Go on?", and no answer of this test is for that.`,
			"answer \"confirm\" {\n        data = { ok = false }\n      }\n"}},
		{"that a run waits can be expected", `
  step "confirm" {
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
  }
  output "ok" {
    value = step.confirm.output.ok
  }`, `
  expect {
    outcome = "waiting"
  }`, []string{"ok"}},
		{"an answer to what asks nothing", greets, `
  mock "demo" "greet" {
    output = { greeting = "x" }
  }
  answer "greet" {
    data = 1
  }`, []string{"ERROR t", "WFC2005", "asks nobody"}},
	})
}

func TestBinaryContent(t *testing.T) {
	runRules(t, []rule{
		{"a blob goes in and out", `
  step "image" {
    call   = demo.echo
    args   = { text = "x" }
    decode = "blob"
  }
  step "again" {
    call = demo.echo
    args = { text = step.image.output }
  }
  output "size" {
    value = [step.image.output.size, step.image.output.mime_type, step.again.text]
  }`, `
  mock "demo" "echo" {
    when    = args.text == "x"
    content = [{ type = "image", blob = base64encode("PNG"), mime_type = "image/png" }]
  }
  mock "demo" "echo" {
    content = [{ type = "text", text = args.text }, { type = "text", text = "2" }]
  }
  expect {
    outputs = { size = [3, "image/png", "UE5H\n2"] }
  }`, []string{"ok"}},
		{"what is no base64", `
  step "image" {
    call   = demo.echo
    args   = { text = "x" }
    decode = "blob"
  }`, `
  mock "demo" "echo" {
    content = [{ type = "image", blob = "!" }]
  }`, []string{"The `content` of this mock is none for the call of demo.main.echo by step image: the blob of part 0 is no base64"}},
	})
}
