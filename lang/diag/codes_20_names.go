package diag

// The codes of compiler/check about names.
func init() {
	register(
		Entry{
			Code: "WFC2001", Severity: Error, Summary: "Unknown source",
			Explanation: "A step calls a tool of a source, `call = SOURCE.TOOL`, and the source is one of the `source` blocks of the same workflow. " +
				"A deployment binds sources of its workflow by the same names.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demos.greet
    args = { name = "world" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}
`,
		},
		Entry{
			Code: "WFC2002", Severity: Error, Summary: "Unknown tool",
			Explanation: "The snapshot of the connection has no tool of this name. The snapshot, `catalog/CONNECTION.json`, is what the server offered " +
				"when it was taken: if the server has the tool by now, run `wfc catalog refresh CONNECTION` and commit the file.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.great
    args = { name = "world" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}
`,
		},
		Entry{
			Code: "WFC2003", Severity: Error, Summary: "Unknown input",
			Explanation: "`input.NAME` is the value of an `input` block of the same workflow, and a deployment fixes inputs of its workflow by the same names.",
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = "Hello ${input.nme}"
  }
}
`,
			Mended: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = "Hello ${input.name}"
  }
}
`,
		},
		Entry{
			Code: "WFC2004", Severity: Error, Summary: "Unknown local",
			Explanation: "`local.NAME` is an attribute of a `locals` block of the same workflow.",
			Failing: `workflow "hello" {
  locals {
    greeting = "Hello"
  }
  output "text" {
    value = local.greting
  }
}
`,
			Mended: `workflow "hello" {
  locals {
    greeting = "Hello"
  }
  output "text" {
    value = local.greeting
  }
}
`,
		},
		Entry{
			Code: "WFC2005", Severity: Error, Summary: "Unknown step",
			Explanation: "`step.NAME` is the result of a step of the same workflow.",
			Failing: `workflow "hello" {
  step "greeting" {
    value = "Hello"
  }
  output "text" {
    value = step.greting.output
  }
}
`,
			Mended: `workflow "hello" {
  step "greeting" {
    value = "Hello"
  }
  output "text" {
    value = step.greeting.output
  }
}
`,
		},
		Entry{
			Code: "WFC2006", Severity: Error, Summary: "Unknown secret",
			Explanation: "`secret.NAME` is a `secret` block of the project.",
			Failing: `secret "token" {
  env = "DEMO_TOKEN"
}

workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = secret.tokn }
  }
}
`,
			Mended: `secret "token" {
  env = "DEMO_TOKEN"
}

workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = secret.token }
  }
}
`,
		},
		Entry{
			Code: "WFC2007", Severity: Error, Summary: "Unknown connection",
			Explanation: "`connection.PROVIDER.ACCOUNT` is a `connection` block of the project with these two labels.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.mian
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}
`,
		},
		Entry{
			Code: "WFC2008", Severity: Error, Summary: "Unknown workflow",
			Explanation: "A deployment names a workflow of the project: `workflow = workflow.NAME`.",
			Failing: `workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "hello_prod" {
  workflow = workflow.helo
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
}
`,
		},
		Entry{
			Code: "WFC2009", Severity: Error, Summary: "Unknown function",
			Explanation: "There is no function of this name. The functions carry the names that Terraform's have where they do the same.",
			Failing: `workflow "hello" {
  output "text" {
    value = uper("hello")
  }
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value = upper("hello")
  }
}
`,
		},
		Entry{
			Code: "WFC2010", Severity: Error, Summary: "Unknown name",
			Explanation: "A name in an expression begins with what it is: `input.NAME`, `local.NAME`, `step.NAME`, and at some places `each`, `self`, `args`, " +
				"`run`, `secret` or `project`. Within a `for`, its variables can be used, too. Text stands in quotes.",
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = name
  }
}
`,
			Mended: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = input.name
  }
}
`,
		},
		Entry{
			Code: "WFC2011", Severity: Error, Summary: "Name cannot be used here",
			Explanation: "Some names exist at some places only: `each` inside a step with `for_each`, `self` in `result` and `fail_if`, `args` there and in the `effect` of a " +
				"`tool` block, `secret` in connections and in the arguments of a call, `project` and `env()` in connections. A validation is over " +
				"the inputs only, and a default is a constant.",
			Failing: `workflow "hello" {
  step "greetings" {
    for_each = ["Ada", "Alan"]
    value    = "Hello ${each.value}"
  }
  output "text" {
    value = each.value
  }
}
`,
			Mended: `workflow "hello" {
  step "greetings" {
    for_each = ["Ada", "Alan"]
    value    = "Hello ${each.value}"
  }
  output "text" {
    value = [for g in step.greetings : g.output]
  }
}
`,
		},
		Entry{
			Code: "WFC2012", Severity: Error, Summary: "Name defined twice in a block",
			Explanation: "The sources, inputs, locals, steps and outputs of a workflow have names that are unique within their kind, and so have the `tool` blocks of a " +
				"connection and the bindings of a deployment. Only the first definition counts.",
			Failing: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
  step "greet" {
    value = "Good morning"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
  step "greet_again" {
    value = "Good morning"
  }
}
`,
		},
		Entry{
			Code: "WFC2013", Severity: Error, Summary: "Incomplete name",
			Explanation: "`input`, `local`, `step` and `secret` are no values by themselves: the name of a member follows, with a dot. So the checker knows what an " +
				"expression depends on.",
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = input
  }
}
`,
			Mended: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = input.name
  }
}
`,
		},
	)
}
