package diag

func init() {
	register(
		Entry{
			Code: "WFC2014", Severity: Error, Summary: "Unknown member of a family",
			Explanation: "A source may be a family: several connections, of which a key chooses one, as in `env[each.key].write_file`. The key must be one of the " +
				"family's members. Where it comes from elsewhere its type must say so, as `list(enum(\"dev\", \"prod\"))` does of an input; a source that is one " +
				"connection has no key.",
			Failing: `workflow "greetings" {
  source "team" {
    family = {
      a = connection.demo.main
      b = connection.demo.main
    }
  }
  step "greet" {
    call = team["c"].greet
    args = { name = "Ada" }
  }
  output "text" {
    value = step.greet.output.greeting
  }
}
`,
			Mended: `workflow "greetings" {
  source "team" {
    family = {
      a = connection.demo.main
      b = connection.demo.main
    }
  }
  step "greet" {
    call = team["b"].greet
    args = { name = "Ada" }
  }
  output "text" {
    value = step.greet.output.greeting
  }
}
`,
		},
		Entry{
			Code: "WFC2015", Severity: Error, Summary: "Reference to a finally block",
			Explanation: "A `finally` block runs when all steps have ended, so that no step, local or output can wait for it. What others need belongs into a step.",
			Failing: `workflow "count" {
  source "demo" {
    bind = connection.demo.main
  }
  finally "last" {
    call = demo.counter
  }
  output "count" {
    value = step.last.output.count
  }
}
`,
			Mended: `workflow "count" {
  source "demo" {
    bind = connection.demo.main
  }
  step "last" {
    call = demo.counter
  }
  output "count" {
    value = step.last.output.count
  }
}
`,
		},
		Entry{
			Code: "WFC2016", Severity: Error, Summary: "Unknown prompt",
			Explanation: "The snapshot of the connection that the source is bound to has no prompt of this name. If the server has it by now, " +
				"`wfc catalog refresh CONNECTION` brings it in.",
			Failing: `workflow "digest" {
  source "demo" {
    bind = connection.demo.main
  }
  step "ask" {
    prompt = demo.summarize
    args   = { topic = "wfc" }
  }
  output "messages" {
    value = step.ask.output.messages
  }
}
`,
			Mended: `workflow "digest" {
  source "demo" {
    bind = connection.demo.main
  }
  step "ask" {
    prompt = demo.summarise
    args   = { topic = "wfc" }
  }
  output "messages" {
    value = step.ask.output.messages
  }
}
`,
		},
		Entry{
			Code: "WFC2017", Severity: Error, Summary: "Unknown resource template",
			Explanation: "The snapshot of the connection that the source is bound to has no resource template of this name. A resource with a fixed address is read " +
				"by it: `read = SOURCE` with `uri`.",
			Failing: `workflow "readme" {
  source "demo" {
    bind = connection.demo.main
  }
  step "text" {
    read = demo.readme
  }
  output "text" {
    value = step.text.output
  }
}
`,
			Mended: `workflow "readme" {
  source "demo" {
    bind = connection.demo.main
  }
  step "text" {
    read = demo
    uri  = "demo://readme"
  }
  output "text" {
    value = step.text.output
  }
}
`,
		},
		Entry{
			Code: "WFC2018", Severity: Error, Summary: "Unknown deployment",
			Explanation: "A test names a deployment of the project, `deployment = deployment.NAME`, or a workflow.",
			Failing: `-- hello.wf.hcl --
workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
}
-- hello.wftest.hcl --
test "says_hello" {
  deployment = deployment.hello

  expect {
    outputs = { text = "Hello" }
  }
}
`,
			Mended: `-- hello.wf.hcl --
workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
}
-- hello.wftest.hcl --
test "says_hello" {
  deployment = deployment.hello_prod

  expect {
    outputs = { text = "Hello" }
  }
}
`,
		},
	)
}
