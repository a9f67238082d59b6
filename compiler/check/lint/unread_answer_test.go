package lint_test

import "testing"

func TestUnreadAnswer(t *testing.T) {
	const ask = `
  step "confirm" {
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
  }`
	runRules(t, "WFC3306", []rule{
		{"nothing waits for it", ask + `
  step "s" {
    call = demo.counter
  }`, []string{`step "confirm"`}},
		{"a step reads it", ask + `
  step "s" {
    when = step.confirm.output.ok
    call = demo.counter
  }`, nil},
		{"a step waits for it", ask + `
  step "s" {
    call       = demo.counter
    depends_on = [step.confirm]
  }`, nil},
		{"an output is the answer", ask + `
  output "o" {
    value = step.confirm.output.ok
  }`, nil},
	})
}
