package check_test

import "testing"

func TestLoops(t *testing.T) {
	// pages is a tool's answer in pages.
	const pages = `
  step "page" {
    call    = demo.inspect
    args    = { value = loop.previous == null ? null : loop.previous.output.next }
    result  = self.output["value"]
    returns = object({ items = list(string), next = nullable(string) })
    loop {
      while = self.output.next != null
      max   = 20
      delay = "1s"
    }
  }
`
	runRules(t, []rule{
		{"a list of rounds", pages + `
  output "o" {
    value = flatten1([for p in step.page : p.output.items])
  }`, nil},
		{"the rounds are no result", pages + `
  output "o" {
    value = step.page.output
  }`, []string{"WFC2203 `output` ~ one result for each round of the step's loop"}},
		{"the first round has no previous one", `
  step "page" {
    call   = demo.list_tasks
    args   = { limit = loop.previous.output.tasks[0].id }
    loop {
      while = length(self.output.tasks) > 0
      max   = 3
    }
  }`, []string{"WFC2301 `loop.previous.output`"}},
		{"what while says is known of the previous round", `
  step "page" {
    call    = demo.greet
    args    = { name = loop.previous == null ? "first" : upper(loop.previous.output.next) }
    result  = { next = self.output.greeting == "" ? null : self.output.greeting }
    loop {
      while = self.output.next != null
      max   = 3
    }
  }`, nil},
		{"and nothing else is", `
  step "page" {
    call    = demo.greet
    args    = { name = loop.previous == null ? "first" : upper(loop.previous.output.next) }
    result  = { next = self.output.greeting == "" ? null : self.output.greeting }
    loop {
      while = loop.index < 2
      max   = 3
    }
  }`, []string{"WFC2301 `loop.previous.output.next`"}},
		{"a result that adds to the one before", `
  step "sum" {
    call    = demo.counter
    result  = (loop.previous == null ? 0 : loop.previous.output) + self.output.count
    loop {
      while = self.output < 10
      max   = 10
    }
  }
  output "o" {
    value = [for r in step.sum : r.output * 2]
  }`, nil},
		{"tolerated failures are rounds", `
  step "wait" {
    call     = demo.list_tasks
    on_error = ["tool"]
    loop {
      while = self.outcome == "error" || length(self.output.tasks) == 0
      max   = 10
    }
  }
  output "o" {
    value = [for r in step.wait : length(r.output.tasks) if r.outcome == "ok"]
  }`, nil},
		{"and say nothing of their output", `
  step "wait" {
    call     = demo.list_tasks
    on_error = ["tool"]
    loop {
      while = length(self.output.tasks) == 0
      max   = 10
    }
  }`, []string{"WFC2302 `self.output.tasks`"}},
		{"a step that is skipped has no rounds", `
  input "go" {
    type = bool
  }
  step "wait" {
    when = input.go
    call = demo.counter
    loop {
      while = self.output.count < 3
      max   = 10
    }
  }
  output "o" {
    value = [for r in step.wait : r.output.count]
  }`, nil},
		{"with for_each, each element is a list", `
  step "wait" {
    for_each = { a = 1, b = 2 }
    call     = demo.counter
    loop {
      while = self.output.count < each.value + loop.index
      max   = each.value
    }
  }
  output "o" {
    value = { for k, rounds in step.wait : k => sum([for r in rounds : r.output.count])... }
  }`, nil},
		{"loop is of rounds", `
  step "a" {
    when = loop.index == 0
    call = demo.counter
    loop {
      while = self.output.count < 3
      max   = loop.index
    }
  }
  step "b" {
    value = loop.index
  }`, []string{"WFC2011 `loop` ~ what is asked once", "WFC2011 `loop`", "WFC2011 `loop` ~ inside a step with a loop block"}},
		{"while and max are wanted", `
  step "a" {
    call = demo.counter
    loop {
      delay = "1s"
    }
  }`, []string{"WFC1026 `loop` ~ \"max\"", "WFC1026 `loop` ~ \"while\""}},
		{"a loop over values", `
  step "fib" {
    value = loop.previous == null ? { a = 0, b = 1 } : { a = loop.previous.output.b, b = loop.previous.output.a + loop.previous.output.b }
    loop {
      while = self.output.b < 100
      max   = 50
    }
  }
  output "o" {
    value = [for r in step.fib : r.output.a]
  }`, nil},
	})
}

func TestFinally(t *testing.T) {
	const start = `
  step "count" {
    call = demo.counter
  }
  locals {
    double = step.count.output.count * 2
    safe   = step.count.outcome == "ok" ? step.count.output.count : 0
    fixed  = 1 + 1
  }
`
	runRules(t, []rule{
		{"reads every step and says what if it did not run", start + `
  finally "tell" {
    call = demo.echo
    args = { text = "${run.outcome}: ${step.count.outcome == "ok" ? step.count.output.count : 0} ${local.safe} ${local.fixed}" }
  }`, nil},
		{"no step is sure to have run", start + `
  finally "tell" {
    call = demo.echo
    args = { text = "${step.count.output.count}" }
  }`, []string{"WFC2302 `step.count.output.count` ~ skipped or failed"}},
		{"nor what a local reads", start + `
  finally "tell" {
    call = demo.echo
    args = { text = "${local.double}" }
  }`, []string{"WFC2302 `.double` ~ cannot be used in a finally block"}},
		{"a when that holds says nothing of the step", `
  input "go" {
    type = bool
  }
  step "count" {
    when = input.go
    call = demo.counter
  }
  output "o" {
    value = input.go ? step.count.output.count : 0
  }
  finally "tell" {
    when = input.go
    call = demo.echo
    args = { text = "${step.count.output.count}" }
  }`, []string{"WFC2302 `step.count.output.count`"}},
		{"how the run ended", `
  step "count" {
    call = demo.counter
  }
  finally "tell" {
    when = run.outcome == "error"
    call = demo.echo
    args = { text = "${run.error.step} failed: ${run.error.message} ${length(run.errors)}" }
  }
  finally "always" {
    call = demo.echo
    args = { text = run.error.message }
  }`, []string{"WFC2301 `run.error.message`"}},
		{"how it ended is known in finally only", `
  step "count" {
    when = run.outcome == "ok"
    call = demo.counter
  }
  output "o" {
    value = [for e in run.errors : "${e.step}: ${e.kind}"]
  }
  output "p" {
    value = run.error
  }`, []string{"WFC2011 `run.outcome` ~ in finally blocks", "WFC2011 `run.error` ~ in finally blocks"}},
		{"nothing refers to it", `
  step "a" {
    value      = step.z.output
    depends_on = [step.z]
  }
  output "o" {
    value = step.z.output
  }
  finally "z" {
    value = 1
  }
  finally "y" {
    value = step.z.output
  }`, []string{"WFC2015 `z`", "WFC2015 `step.z`", "WFC2015 `z`", "WFC2015 `z`"}},
		{"its name is a step's", `
  step "a" {
    value = 1
  }
  finally "a" {
    value = 1
  }`, []string{"WFC2012 `a`"}},
		{"it is not undone", `
  finally "a" {
    call = demo.counter
    undo {
      call = demo.counter
    }
  }`, []string{"WFC1022 `undo`"}},
	})
}

func TestRuns(t *testing.T) {
	runRules(t, []rule{
		{"the run before", `
  step "since" {
    value = run.previous == null ? "1970-01-01T00:00:00Z" : run.previous.started_at
  }
  output "cursor" {
    type  = integer
    value = run.previous == null ? 0 : coalesce(run.previous.outputs.cursor, 0) + 1
  }
  output "other" {
    value = 1
  }`, nil},
		{"there may be none", `
  output "cursor" {
    type  = integer
    value = run.previous.outputs.cursor
  }`, []string{"WFC2301 `run.previous.outputs`"}},
		{"its outputs are the workflow's", `
  output "cursor" {
    value = run.previous == null ? 0 : run.previous.outputs.cursr
  }`, []string{"WFC2202 `cursr` ~ Did you mean \"cursor\"?"}},
		{"deadline and concurrency", `
workflow "w" {
  deadline = "1 hour"
  concurrency {
    key         = input.repo
    limit       = 0
    on_conflict = "cancle"
  }
  input "repo" {
    type = string
  }
}`, []string{"WFC2212 `\"1 hour\"`", "WFC2206 `0`", "WFC1037 `\"cancle\"`"}},
		{"files are read when compiling", `
-- main.wf.hcl --
workflow "w" {
  input "name" {
    type = string
  }
  output "o" {
    value = file("texts/a.txt")
  }
  output "p" {
    value = file("${input.name}.txt")
  }
  output "q" {
    value = file("../a.txt")
  }
}
-- texts/a.txt --
x
`, []string{"WFC2213 `\"${input.name}.txt\"`", "WFC2110 `\"../a.txt\"` ~ not inside of the project"}},
	})
}
