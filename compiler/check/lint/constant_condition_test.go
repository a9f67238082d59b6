package lint_test

import "testing"

func TestConstantCondition(t *testing.T) {
	const around = `
  input "a" {
    type = bool
  }
  input "xs" {
    type = list(string)
  }
  locals {
    debug = false
  }
  step "read" {
    call = demo.list_tasks
  }
  step "may" {
    call     = demo.list_tasks
    on_error = "continue"
  }
  step "each" {
    for_each = input.xs
    call     = demo.greet
    args     = { name = each.value }
  }
`
	output := func(cond string) string { return around + "\n  output \"o\" {\n    value = " + cond + " ? 1 : 2\n  }" }
	var rules []rule
	for _, cond := range []string{
		"true", "!false", "(true)", "input.a || true", "input.a && false", "input.a == input.a", "input.xs[0] != input.xs[0]",
		"length(input.xs) >= 0", "length(input.xs) < 0", "0 > length(input.xs)", `step.read.outcome == "ok"`, `"ok" != step.read.outcome`, `step.each[0].outcome == "ok"`,
	} {
		rules = append(rules, rule{cond, output(cond), []string{cond}})
	}
	for _, cond := range []string{
		"input.a", "local.debug", "!local.debug", "length(input.xs) > 0", `step.may.outcome == "ok"`, "input.a == local.debug", "input.xs[0] == input.xs[1]",
		"alltrue([for step in [{ x = { outcome = input.xs[0] } }] : step.x.outcome == \"ok\"])",
	} {
		rules = append(rules, rule{cond, output(cond), nil})
	}
	runRules(t, "WFC3310", rules)
	runRules(t, "WFC3310", []rule{
		{"when, the if of a for, fail_if and assert", `
  step "a" {
    when  = false
    value = [for x in [1] : x if true]
  }
  step "b" {
    call    = demo.counter
    fail_if = false
    assert {
      condition     = true
      error_message = "no"
    }
  }`, []string{"false", "true", "false", "true"}},
		{"in a finally every step may have failed", `
  step "read" {
    call = demo.list_tasks
  }
  finally "f" {
    when = step.read.outcome == "ok"
    call = demo.counter
  }`, nil},
	})
}
