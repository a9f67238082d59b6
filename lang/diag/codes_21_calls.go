package diag

// The codes of compiler/check about calls of tools and functions.
func init() {
	register(
		Entry{
			Code: "WFC2101", Severity: Error, Summary: "Missing argument",
			Explanation: "The input schema of the tool requires an argument that the step does not give.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { language = "de" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world", language = "de" }
  }
}
`,
		},
		Entry{
			Code: "WFC2103", Severity: Error, Summary: "Unknown argument",
			Explanation: "The input schema of the tool does not name the argument. Most servers ignore what they do not know, so that a misspelt argument " +
				"would have no effect and nobody would notice. Where a server does take arguments that its schema does not name, say so " +
				"with `open = true` in the connection's `tool` block.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world", langauge = "de" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world", language = "de" }
  }
}
`,
		},
		Entry{
			Code: "WFC2104", Severity: Error, Summary: "Tool needs task support",
			Explanation: "The server says of this tool that it can only be called as a task (`execution.taskSupport` is `required`), which wfc does not support. " +
				"A call would always fail.",
			Failing: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}

workflow "hello" {
  source "lab" {
    bind = connection.lab.main
  }

  step "study" {
    call = lab.study
  }
}
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [
    {
      "digest": "",
      "object": {
        "name": "study",
        "inputSchema": {"type": "object", "properties": {}},
        "execution": {"taskSupport": "required"}
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
			Mended: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}

workflow "hello" {
  source "lab" {
    bind = connection.lab.main
  }

  step "study" {
    call = lab.study_now
  }
}
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [
    {
      "digest": "",
      "object": {
        "name": "study_now",
        "inputSchema": {"type": "object", "properties": {}}
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
		},
		Entry{
			Code: "WFC2105", Severity: Error, Summary: "Wrong number of arguments",
			Explanation: "The function takes more arguments than it is given, or fewer.",
			Failing: `workflow "hello" {
  output "parts" {
    value = split("a,b,c")
  }
}
`,
			Mended: `workflow "hello" {
  output "parts" {
    value = split(",", "a,b,c")
  }
}
`,
		},
		Entry{
			Code: "WFC2106", Severity: Error, Summary: "Argument does not suit the function",
			Explanation: "An argument has the right type, but the function cannot work with it: a pattern that is no regular expression, the name of an " +
				"attribute that the elements do not have, a path that leads nowhere.",
			Failing: `workflow "hello" {
  output "digits" {
    value = regexall("[0-9", "a1b22")
  }
}
`,
			Mended: `workflow "hello" {
  output "digits" {
    value = regexall("[0-9]+", "a1b22")
  }
}
`,
		},
		Entry{
			Code: "WFC2107", Severity: Warning, Summary: "Not described properly by its server",
			Explanation: "What the snapshot says of this tool, prompt or resource template is broken: a schema that is no JSON Schema, arguments that are no list, or two of one name. " +
				"What cannot be understood is taken as it comes when checking, and all others of the server can be used. Tell the author of the server, or state what the output is with `returns`.",
			Failing: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}

workflow "hello" {
  source "lab" {
    bind = connection.lab.main
  }

  step "study" {
    call = lab.study
  }
}
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [
    {
      "digest": "",
      "object": {
        "name": "study",
        "inputSchema": {"type": "object", "properties": 7}
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
			Mended: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}

workflow "hello" {
  source "lab" {
    bind = connection.lab.main
  }

  step "study" {
    call = lab.study
  }
}
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [
    {
      "digest": "",
      "object": {
        "name": "study",
        "inputSchema": {"type": "object", "properties": {}}
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
		},
	)
}
