package wftest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/wftest"
)

// taken are the ways that the steps took, as "step: branch n".
func taken(r *wftest.Report) string {
	var out []string
	for _, w := range r.Coverage {
		for _, s := range w.Steps {
			out = append(out, fmt.Sprintf("%s %d", s.Step, s.Ran))
			for _, b := range s.Branches {
				out = append(out, fmt.Sprintf("  %s %d", b.Branch, b.Taken))
			}
		}
	}
	return strings.Join(out, "\n")
}

func TestCoverageOfEachBranch(t *testing.T) {
	const workflow = `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  input "names" {
    type = list(string)
  }
  step "list" {
    call = demo.list_tasks
    retry {
      attempts = 2
    }
    on_error = ["protocol"]
  }
  step "greet" {
    for_each = input.names
    when     = each.value != "nobody"
    call     = demo.greet
    args     = { name = each.value }
  }
  step "poll" {
    call = demo.counter
    loop {
      while = self.output.count < 2
      max   = 3
    }
  }
  step "label" {
    when = length(input.names) > 0
    call = demo.add_label
    args = { task = 1, label = "x" }
    undo {
      call = demo.delete_task
      args = { task = 1 }
    }
  }
  step "confirm" {
    depends_on = [step.label]
    ask {
      message = "Go on?"
    }
  }
  finally "end" {
    value = run.outcome
  }
}
`
	const mocks = `
  mock "demo" "greet" {
    output = { greeting = "x" }
  }
  mock "demo" "add_label" {
    output = { task = 1, labels = [] }
  }
  mock "demo" "delete_task" {
    output = { deleted = true }
  }
  mock "demo" "counter" {
    times  = 1
    output = { count = 1 }
  }
  mock "demo" "counter" {
    output = { count = 2 }
  }`
	one := run(t, workflow, `test "a" {
  workflow = workflow.w
  inputs   = { names = ["Ada", "nobody", "Bob"] }
  mock "demo" "list_tasks" {
    times = 1
    error = { kind = "transport" }
  }
  mock "demo" "list_tasks" {
    error = { kind = "protocol" }
  }
  answer "confirm" {
    decline = true
  }
  expect {
    error = "declined"
  }`+mocks+`
}
`)
	if !one.OK() {
		t.Fatal(text(t, one))
	}
	want := `list 1
  on_error taken 1
  retry taken 1
greet 2
  when true 2
  when false 1
  for_each some 1
  for_each none 0
poll 2
  loop once 0
  loop again 1
label 1
  when true 1
  when false 0
  undo taken 1
confirm 1
  ask answered 0
  ask declined 1
end 1`
	if got := taken(one); got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
}
