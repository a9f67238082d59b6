package wftest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/wftest"
)

// BenchmarkTests runs 200 tests of 20 workflows, from reading the project's files on. Each
// has a fan-out, a retry, a condition and a sleep, and makes some ten calls.
func BenchmarkTests(b *testing.B) {
	const workflows, each = 20, 10
	files := map[string]string{}
	for w := range workflows {
		var wf, tests strings.Builder
		fmt.Fprintf(&wf, `workflow "w%d" {
  source "demo" {
    bind = connection.demo.main
  }
  input "state" {
    type    = enum("open", "done")
    default = "open"
  }
  step "tasks" {
    call = demo.list_tasks
    args = { state = input.state }
    retry {
      attempts = 3
    }
  }
  step "wait" {
    when  = length(step.tasks.output.tasks) > 3
    sleep = "1h"
  }
  step "greet" {
    depends_on = [step.wait]
    for_each   = step.tasks.output.tasks
    call       = demo.greet
    args       = { name = coalesce(each.value.assignee, "nobody") }
  }
  output "greetings" {
    value = [for g in step.greet : g.output.greeting]
  }
}
`, w)
		for i := range each {
			fmt.Fprintf(&tests, `test "t%d_%d" {
  workflow = workflow.w%d
  mock "demo" "list_tasks" {
    times = 1
    error = { kind = "timeout" }
  }
  mock "demo" "list_tasks" {
    output = { tasks = [for i in range(8) : { id = i, title = "Task ${i}", done = i > %d, assignee = "p${i}" }] }
  }
  mock "demo" "greet" {
    output = { greeting = "Hi, ${args.name}" }
  }
  expect {
    outputs = { greetings = [for i in range(8) : "Hi, p${i}"] }
  }
  assert {
    condition     = length(calls) == 10 && step.wait.outcome == "ok"
    error_message = "${length(calls)} calls."
  }
}
`, w, i, w, i)
		}
		files[fmt.Sprintf("w%d.wf.hcl", w)], files[fmt.Sprintf("w%d.wftest.hcl", w)] = wf.String(), tests.String()
	}
	root := tests(b, files).Root
	for b.Loop() {
		p, err := project.Load(root, project.Options{})
		if err != nil {
			b.Fatal(err)
		}
		r := wftest.RunProject(context.Background(), p, everything)
		if len(r.Results) != workflows*each || !r.OK() {
			b.Fatal(text(b, r))
		}
	}
}
