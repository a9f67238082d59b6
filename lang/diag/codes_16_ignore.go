package diag

// The codes of comments that silence findings.
func init() {
	register(
		Entry{
			Code: "WFC1601", Severity: Error, Summary: "Invalid wfc:ignore comment",
			Explanation: "A comment that silences a finding stands alone on the line above it: `# wfc:ignore`, one code, and the reason. For several codes " +
				"there is one comment each, on lines of their own. No other comment begins with `wfc:`.",
			Failing: `workflow "hello" {
  # wfc:ignore unbound
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output.greeting
  }
}
`,
			Mended: `workflow "hello" {
  # wfc:ignore WFC2402 whoever deploys it says which demo server it is
  source "demo" {}

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output
  }
}
`,
		},
		Entry{
			Code: "WFC1602", Severity: Error, Summary: "Reason missing in a wfc:ignore comment",
			Explanation: "Whoever silences a finding says why it does not matter here, after the code: the next reader cannot tell otherwise whether that " +
				"is still so.",
			Failing: `workflow "hello" {
  # wfc:ignore WFC2402
  source "demo" {}

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output
  }
}
`,
			Mended: `workflow "hello" {
  # wfc:ignore WFC2402 whoever deploys it says which demo server it is
  source "demo" {}

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output
  }
}
`,
		},
		Entry{
			Code: "WFC1603", Severity: Error, Summary: "Comment silences nothing",
			Explanation: "There is no finding of this code on the line below the comment: it was mended, or it stands elsewhere. A comment that is left " +
				"behind would silence the next mistake on that line unseen. It is reported only where the project has no other errors.",
			Failing: `workflow "hello" {
  # wfc:ignore WFC2402 whoever deploys it says which demo server it is
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output.greeting
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output.greeting
  }
}
`,
		},
		Entry{
			Code: "WFC1604", Severity: Error, Summary: "Error cannot be silenced",
			Explanation: "Comments silence warnings and remarks. An error says that something will fail or be lost: a workflow that has one cannot be run, " +
				"and silence would not change that.",
			Failing: `workflow "hello" {
  # wfc:ignore WFC2103 the server takes it all the same
  step "greet" {
    value = "Hello"
  }
  output "greeting" {
    value = step.greet.output
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
  output "greeting" {
    value = step.greet.output
  }
}
`,
		},
	)
}
