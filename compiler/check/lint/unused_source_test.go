package lint_test

import "testing"

func TestUnusedSource(t *testing.T) {
	runRules(t, "WFC3303", []rule{
		{"a source that no step uses", `
  output "o" {
    value = 1
  }`, []string{`source "demo"`}},
		{"a call, a read, a prompt and an undo use one", `
  source "a" {
    bind = connection.demo.main
  }
  source "b" {
    bind = connection.demo.main
  }
  source "c" {
    bind = connection.demo.main
  }
  step "s" {
    call = demo.counter
    undo {
      call = c.counter
    }
  }
  step "r" {
    read = a
    uri  = "demo://readme"
  }
  step "p" {
    prompt = b.summarise
    args   = { topic = "x" }
  }`, nil},
		{"a workflow that is run gets those of its own names and of bind", `-- main.wf.hcl --
workflow "child" {
  source "demo" {
    bind = connection.demo.main
  }
  source "other" {
    bind = connection.demo.main
  }
  step "s" {
    call = demo.counter
  }
  step "t" {
    call = other.counter
  }
}
workflow "parent" {
  source "demo" {
    bind = connection.demo.main
  }
  source "mine" {
    bind = connection.demo.main
  }
  source "unused" {
    bind = connection.demo.main
  }
  step "run" {
    run  = workflow.child
    bind = { other = mine }
  }
}
`, []string{`source "unused"`}},
	})
}
