package diag

// The codes of compiler/check/follow about sensitive values (LANGUAGE 7).
func init() {
	const followed = " Values of secrets, of inputs and tools with `sensitive = true` and of `sensitive(…)` are followed field by field through expressions; whether one is there, what it equals and how long it is may be seen. " +
		"`declassify(x, \"reason\")` gives a value that is not followed any more."
	register(
		Entry{
			Code: "WFC3101", Severity: Error, Summary: "Sensitive value in an output",
			Explanation: "Outputs are printed and stored, and callers read them. One that holds a sensitive value says so with `sensitive = true`: it is masked where it is shown." + followed,
			Failing: `workflow "login" {
  input "token" {
    type      = string
    sensitive = true
  }
  locals {
    header = "Bearer ${input.token}"
  }
  output "header" {
    value = local.header
  }
}
`,
			Mended: `workflow "login" {
  input "token" {
    type      = string
    sensitive = true
  }
  locals {
    header = "Bearer ${input.token}"
  }
  output "header" {
    value     = local.header
    sensitive = true
  }
}
`,
		},
		Entry{
			Code: "WFC3102", Severity: Error, Summary: "Sensitive value in a message",
			Explanation: "Questions and error messages are shown to people and written to logs." + followed,
			Failing: `workflow "login" {
  input "token" {
    type      = string
    sensitive = true
    validation {
      condition     = startswith(input.token, "t-")
      error_message = "A token begins with t-, and ${input.token} does not."
    }
  }
  output "ok" {
    value = input.token != ""
  }
}
`,
			Mended: `workflow "login" {
  input "token" {
    type      = string
    sensitive = true
    validation {
      condition     = startswith(input.token, "t-")
      error_message = "A token begins with t-, and this one does not."
    }
  }
  output "ok" {
    value = input.token != ""
  }
}
`,
		},
		Entry{
			Code: "WFC3103", Severity: Error, Summary: "Sensitive value in a name",
			Explanation: "The `key` of a step names its elements, and the `key` of `concurrency` the runs that wait for each other: both are shown wherever a run is." + followed,
			Failing: `workflow "tokens" {
  source "demo" {
    bind = connection.demo.main
  }
  input "tokens" {
    type      = list(string)
    sensitive = true
  }

  step "use" {
    for_each = input.tokens
    key      = each.value
    call     = demo.echo
    args     = { text = each.value }
  }
  output "count" {
    value = length(step.use)
  }
}
`,
			Mended: `workflow "tokens" {
  source "demo" {
    bind = connection.demo.main
  }
  input "tokens" {
    type      = list(string)
    sensitive = true
  }

  step "use" {
    for_each = input.tokens
    key      = tostring(each.index)
    call     = demo.echo
    args     = { text = each.value }
  }
  output "count" {
    value = length(step.use)
  }
}
`,
		},
		Entry{
			Code: "WFC3104", Severity: Error, Summary: "Sensitive value sent without being named",
			Explanation: "A sensitive value goes to a source only as an argument that is written down: one sees there that it is sent, and as what. Arguments that are computed as a whole, a `uri` and the name of an " +
				"argument say nothing of it." + followed,
			Failing: `workflow "login" {
  source "demo" {
    bind = connection.demo.main
  }
  input "login" {
    type      = object({ text = string })
    sensitive = true
  }

  step "echo" {
    call = demo.echo
    args = input.login
  }
  output "text" {
    value = step.echo.output
  }
}
`,
			Mended: `workflow "login" {
  source "demo" {
    bind = connection.demo.main
  }
  input "login" {
    type      = object({ text = string })
    sensitive = true
  }

  step "echo" {
    call = demo.echo
    args = { text = input.login.text }
  }
  output "text" {
    value = step.echo.output
  }
}
`,
		},
		Entry{
			Code: "WFC3105", Severity: Error, Summary: "Sensitive value for an input that is not",
			Explanation: "A workflow that is run follows only those of its inputs that are `sensitive` themselves: it would show what it is given for another." + followed,
			Failing: `workflow "greet" {
  input "name" {
    type = string
  }
  output "text" {
    value = "Hello ${input.name}"
  }
}

workflow "login" {
  input "token" {
    type      = string
    sensitive = true
  }

  step "greet" {
    run  = workflow.greet
    args = { name = input.token }
  }
}
`,
			Mended: `workflow "greet" {
  input "name" {
    type      = string
    sensitive = true
  }
  output "text" {
    value     = "Hello ${input.name}"
    sensitive = true
  }
}

workflow "login" {
  input "token" {
    type      = string
    sensitive = true
  }

  step "greet" {
    run  = workflow.greet
    args = { name = input.token }
  }
}
`,
		},
	)
}
