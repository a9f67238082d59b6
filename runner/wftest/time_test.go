package wftest_test

import "testing"

func TestVirtualTime(t *testing.T) {
	runRules(t, []rule{
		{"sleeping for years takes no time", `
  step "s" {
    sleep = "26280h"
  }`, "", []string{"ok"}},
		{"retries wait", `
  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
    retry {
      attempts = 4
      delay    = "30m"
      max_delay = "10h"
    }
    deadline = "24h"
  }`, `
  mock "demo" "greet" {
    times = 3
    error = { kind = "timeout" }
  }
  mock "demo" "greet" {
    output = { greeting = "at last" }
  }
  assert {
    condition     = step.greet.attempts == 4 && calls[3].attempt == 4
    error_message = "${step.greet.attempts} attempts."
  }`, []string{"ok"}},
		{"a deadline passes", `
  step "greet" {
    call     = demo.greet
    args     = { name = "Ada" }
    idle_timeout = "2h"
    deadline = "1h"
  }`, `
  mock "demo" "greet" {
    delay  = "90m"
    output = { greeting = "late" }
  }
  expect {
    error = "timeout"
  }
  assert {
    condition     = startswith(run.error.message, "Step greet failed: The deadline passed.")
    error_message = run.error.message
  }`, []string{"ok"}},
		{"a timeout passes", `
  step "greet" {
    call    = demo.greet
    args    = { name = "Ada" }
    timeout = "5s"
    on_error = ["timeout"]
  }`, `
  mock "demo" "greet" {
    delay  = "6s"
    output = { greeting = "late" }
  }
  assert {
    condition     = try(step.greet.error.message, "") == "The call of demo.main.greet had no answer within 5s (its timeout) and was cancelled."
    error_message = try(step.greet.error.message, "none")
  }`, []string{"ok"}},
		{"a server that says nothing is given up", `
  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }`, `
  mock "demo" "greet" {
    delay  = "61s"
    output = { greeting = "late" }
  }
  expect {
    error = "timeout"
  }`, []string{"ok"}},
		{"what answers sooner ends sooner", `
  step "slow" {
    call = demo.greet
    args = { name = "slow" }
  }
  step "fast" {
    call = demo.greet
    args = { name = "fast" }
  }
  step "after" {
    depends_on = [step.fast]
    call       = demo.greet
    args       = { name = "after" }
  }`, `
  mock "demo" "greet" {
    when   = args.name == "slow"
    delay  = "50s"
    output = { greeting = "x" }
  }
  mock "demo" "greet" {
    delay  = "10s"
    output = { greeting = "x" }
  }
  assert {
    condition     = [for c in calls : c.step] == ["slow", "fast", "after"]
    error_message = jsonencode(calls)
  }`, []string{"ok"}},
		{"a loop waits between its rounds", `
  step "poll" {
    call = demo.counter
    loop {
      while = self.output.count < 5
      max   = 10
      delay = "12h"
    }
  }
  output "rounds" {
    value = length(step.poll)
  }`, `
  mock "demo" "counter" {
    times  = 4
    output = { count = 1 }
  }
  mock "demo" "counter" {
    output = { count = 5 }
  }
  expect {
    outputs = { rounds = 5 }
  }`, []string{"ok"}},
		{"a loop without an end ends", `
  step "n" {
    value = 1
    loop {
      while = self.output == 1
      max   = 1000000000
    }
  }`, `
  expect {
    error = "limit"
  }`, []string{"ok"}},
		{"a loop of calls without an end ends", `
  step "n" {
    call = demo.counter
    loop {
      while = self.output.count == 1
      max   = 1000000000
    }
  }`, `
  mock "demo" "counter" {
    output = { count = 1 }
  }`, []string{"The run has made 20000 calls, and a test makes no more"}},
		{"waiting without an end ends", `
  step "n" {
    value = 1
    loop {
      while = self.output == 1
      max   = 1000000000
      delay = "240h"
    }
  }`, "", []string{"The run does not end: after ten years of its own time it still goes on."}},
	})
}
