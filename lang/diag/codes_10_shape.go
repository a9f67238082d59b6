package diag

// The codes of lang/syntax that are about the shape of blocks, from WFC1020 on.
func init() {
	register(
		Entry{
			Code: "WFC1020", Severity: Error, Summary: "Unknown block",
			Explanation: "There is no block of this type here. Often the name is misspelt, or it is another tool's word for the same thing.",
			Failing: `workflow "hello" {
  stp "greet" {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1021", Severity: Error, Summary: "Unknown attribute of a block",
			Explanation: "The block has no attribute of this name.",
			Failing: `workflow "hello" {
  step "greet" {
    valu = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1022", Severity: Error, Summary: "Block in the wrong place",
			Explanation: "This block exists, but it stands in another block or another file.",
			Failing: `step "greet" {
  value = "Hello"
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1023", Severity: Error, Summary: "Attribute in the wrong place",
			Explanation: "This attribute exists, but it belongs to another block.",
			Failing: `workflow "hello" {
  max_parallel = 4

  step "greet" {
    for_each = ["Ada", "Alan"]
    value    = each.value
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    for_each     = ["Ada", "Alan"]
    value        = each.value
    max_parallel = 4
  }
}
`,
		},
		Entry{
			Code: "WFC1024", Severity: Error, Summary: "Block written as an attribute",
			Explanation: "This is a block: it has no equals sign between its name and `{`.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio = {
    command = "files-server"
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
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1025", Severity: Error, Summary: "Attribute written as a block",
			Explanation: "This is an attribute: an equals sign stands between its name and its value.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args {
      name = "Ada"
    }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = {
      name = "Ada"
    }
  }
}
`,
		},
		Entry{
			Code: "WFC1026", Severity: Error, Summary: "Block lacks an attribute",
			Explanation: "The block cannot do without this attribute.",
			Failing: `workflow "hello" {
  output "text" {
    description = "The greeting."
  }
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value       = "Hello"
    description = "The greeting."
  }
}
`,
		},
		Entry{
			Code: "WFC1027", Severity: Error, Summary: "Wrong number of labels",
			Explanation: "The labels of a block stand in quotes between its type and `{`. A connection has two (provider and account), most " +
				"blocks have one (their name), and some have none.",
			Failing: `workflow "hello" {
  step {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1028", Severity: Error, Summary: "Invalid name",
			Explanation: "Names are used in expressions (`step.greet`), so they consist of letters, digits, `_` and `-` and begin with a letter or " +
				"`_`. Only tools may have any name.",
			Failing: `workflow "hello" {
  step "say hello" {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "say_hello" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1029", Severity: Error, Summary: "Block written twice",
			Explanation: "A block of this type may stand here once.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  stdio {
    command = "other-server"
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
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1030", Severity: Error, Summary: "Step without an action",
			Explanation: "A step does one thing: `call` (a tool), `value` (a computed value), `read`, `prompt`, `run`, `ask` or `sleep`.",
			Failing: `workflow "hello" {
  step "greet" {
    when = true
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    when  = true
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1031", Severity: Error, Summary: "Step with several actions",
			Explanation: "A step does one thing. Its result would be ambiguous otherwise.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call  = demo.greet
    args  = { name = "Ada" }
    value = "Hello"
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

  step "hello" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1032", Severity: Error, Summary: "Attribute does not fit the block",
			Explanation: "The attribute has no meaning with what else the block says, so it would have no effect.",
			Failing: `workflow "hello" {
  step "greet" {
    value = "Hello"
    args  = { name = "Ada" }
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1090", Severity: Error, Summary: "Not built yet",
			Explanation: "The name is reserved for a part of the language that this version of wfc does not have. It is an error, because a workflow that " +
				"silently does less than it says is worse than one that does not start.",
			Failing: `adapter "tracker" {
}
`,
			Mended: `workflow "hello" {
  step "greeting" {
    value = "Hello"
  }
  output "greeting" {
    value = step.greeting.output
  }
}
`,
		},
		Entry{
			Code: "WFC1091", Severity: Error, Summary: "Cannot be run yet",
			Explanation: "This is part of the language and `wfc check` checks it, but this version of wfc cannot run it yet. `wfc compile` and `wfc run` " +
				"refuse the workflow, because a run that silently does less than the workflow says is worse than one that does not start.",
			Failing: `secret "name" {
  keyring = "hello/name"
}

workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.echo
    args = { text = secret.name }
  }
}
`,
			Mended: `secret "name" {
  env = "GREETED_NAME"
}

workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.echo
    args = { text = secret.name }
  }
}
`,
		},
		Entry{
			Code: "WFC1099", Severity: Error, Summary: "Internal fault",
			Explanation: "This is a bug in wfc: it could not cope with a file. The other files have been read all the same. Please report it, with " +
				"the file and the lines that the diagnostic shows.",
			NoExample: "The cause is a fault of wfc, not something that a user wrote.",
		},
	)
}
