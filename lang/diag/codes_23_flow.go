package diag

// The codes of compiler/check about null and the order of steps.
func init() {
	register(
		Entry{
			Code: "WFC2301", Severity: Error, Summary: "Value that may be null",
			Explanation: "Something may be null where null is not wanted. Say what is to be used then, with `coalesce(x, …)` or `x == null ? … : x`, or use it only where " +
				"`x != null` holds: in a `when`, after `&&`, in a branch of a conditional, or in the `if` of a `for`. An optional attribute that is absent reads as null.",
			Failing: `workflow "hello" {
  input "name" {
    type = nullable(string)
  }
  output "text" {
    value = upper(input.name)
  }
}
`,
			Mended: `workflow "hello" {
  input "name" {
    type = nullable(string)
  }
  output "text" {
    value = upper(coalesce(input.name, "world"))
  }
}
`,
		},
		Entry{
			Code: "WFC2302", Severity: Error, Summary: "Step result used without a guard",
			Explanation: "A step with `when` may be skipped, and one with `on_error` may fail without failing the run: its output is null then. The steps that refer to it run all " +
				"the same, so that they have to say what they do: `step.NAME.outcome == \"ok\"` in their `when`, in a conditional or in the `if` of a `for` says that the " +
				"output is there, and so does the condition of the step's own `when` where it can only be skipped.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call     = demo.greet
    args     = { name = "world" }
    on_error = "continue"
  }
  output "text" {
    value = step.greet.output.greeting
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call     = demo.greet
    args     = { name = "world" }
    on_error = "continue"
  }
  output "text" {
    value = step.greet.outcome == "ok" ? step.greet.output.greeting : "nobody there"
  }
}
`,
		},
		Entry{
			Code: "WFC2303", Severity: Error, Summary: "Cycle",
			Explanation: "Steps and locals that refer to each other in a circle can never begin, since each waits for another. `depends_on` counts as a reference.",
			Failing: `workflow "hello" {
  step "one" {
    value = step.two.output
  }
  step "two" {
    value = step.one.output
  }
}
`,
			Mended: `workflow "hello" {
  step "one" {
    value = "Hello"
  }
  step "two" {
    value = step.one.output
  }
}
`,
		},
	)
}
