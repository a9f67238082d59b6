package lint_test

import "testing"

func TestRedundantDependsOn(t *testing.T) {
	const a = `
  step "a" {
    call = demo.list_tasks
  }
  step "n" {
    call = demo.counter
  }`
	runRules(t, "WFC3307", []rule{
		{"an expression refers to it", a + `
  step "b" {
    value = length(step.a.output.tasks)
    depends_on = [step.a]
  }`, []string{"step.a"}},
		{"the one of several that a reference implies", a + `
  step "b" {
    value      = length(step.a.output.tasks)
    depends_on = [step.n, step.a]
  }
  step "c" {
    value      = length(step.a.output.tasks)
    depends_on = [step.a, step.n]
  }
  step "d" {
    value = length(step.a.output.tasks)
    depends_on = [
      step.n,
      step.a,
    ]
  }`, []string{"step.a", "step.a", "step.a"}},
		{"through a local and another step", a + `
  locals {
    tasks = step.a.output.tasks
  }
  step "b" {
    value = length(local.tasks)
  }
  step "c" {
    value      = step.b.output
    depends_on = [step.a]
  }`, []string{"step.a"}},
		{"what the other one depends on", a + `
  step "b" {
    value      = 1
    depends_on = [step.n]
  }
  step "c" {
    value      = step.b.output
    depends_on = [step.n]
  }`, []string{"step.n"}},
		{"twice", a + `
  step "b" {
    value      = 1
    depends_on = [step.n, step.n]
  }`, []string{"step.n"}},
		{"order without data", a + `
  step "b" {
    value      = length(step.a.output.tasks)
    depends_on = [step.n]
  }`, nil},
	})
}
