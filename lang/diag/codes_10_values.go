package diag

// The codes of lang/syntax that are about values which are constants, from WFC1033 on.
func init() {
	register(
		Entry{
			Code: "WFC1033", Severity: Error, Summary: "Value must be a constant",
			Explanation: "This is read before anything runs. It must be written as it is, without inputs, steps, functions or templates.",
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  description = "Greets ${input.name}."
}
`,
			Mended: `workflow "hello" {
  input "name" {
    type = string
  }
  description = "Greets somebody."
}
`,
		},
		Entry{
			Code: "WFC1034", Severity: Error, Summary: "Wrong kind of constant",
			Explanation: "A constant is expected here, and one of another kind is written.",
			Failing: `workflow "hello" {
  description = 42
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1035", Severity: Error, Summary: "Invalid reference",
			Explanation: "Here stands the name of something, written without quotes: a tool as `SOURCE.TOOL` or `SOURCE[\"tool name\"]`, a connection " +
				"as `connection.PROVIDER.ACCOUNT`, a step as `step.NAME`, a workflow as `workflow.NAME`.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = "demo.greet"
    args = { name = "Ada" }
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
}
`,
		},
		Entry{
			Code: "WFC1036", Severity: Error, Summary: "Invalid duration",
			Explanation: "A duration is one or more numbers with units, in quotes: `\"500ms\"`, `\"30s\"`, `\"5m\"`, `\"1h30m\"`, `\"2d\"`.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  timeouts {
    connect = "30"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  timeouts {
    connect = "30s"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1037", Severity: Error, Summary: "Invalid choice",
			Explanation: "This attribute takes one of a few words.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call   = demo.echo
    args   = { text = "{}" }
    decode = "jsn"
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call   = demo.echo
    args   = { text = "{}" }
    decode = "json"
  }
}
`,
		},
		Entry{
			Code: "WFC1038", Severity: Error, Summary: "Unknown kind of failure",
			Explanation: "Failures have one of a fixed set of kinds: tool, protocol, transport, session, timeout, rate_limit, cancelled, decode, " +
				"expression, assert, limit, declined, policy.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call     = demo.greet
    args     = { name = "Ada" }
    on_error = ["tools"]
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call     = demo.greet
    args     = { name = "Ada" }
    on_error = ["tool"]
  }
}
`,
		},
	)
}
