package diag

// labProject is an example with a connection that has a snapshot of a few tools.
// settings are what its block says besides the transport.
func labProject(settings, workflow string) string {
	return "-- lab.wf.hcl --\n" + workflow + `
connection "lab" "main" {
` + settings + `  stdio {
    command = "lab-server"
  }
}
` + labSnapshot
}

const labSnapshot = `-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "client_capabilities": {"elicitation": {}},
  "tools": [
    {"digest": "", "object": {"name": "measure", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}},
    {"digest": "", "object": {"name": "burn", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false}}}
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": [],
  "withheld": [
    {"tool": "explain", "needs": ["sampling"]}
  ]
}
`

func init() {
	register(
		Entry{
			Code: "WFC2108", Severity: Error, Summary: "Tool needs a client capability",
			Explanation: "Some servers have tools only for clients that offer `sampling`, `elicitation` or `roots`. The snapshot says that this tool is one of " +
				"them, and the connection does not offer what it needs. Write it into the connection's `offers` and refresh the snapshot: tool lists depend on it.",
			Failing: labProject("", `workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
  step "explain" {
    call = lab.explain
  }
  output "text" {
    value = step.explain.text
  }
}
`),
			Mended: labProject("", `workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
  step "measure" {
    call = lab.measure
  }
  output "text" {
    value = step.measure.text
  }
}
`),
		},
		Entry{
			Code: "WFC2109", Severity: Error, Summary: "Tool is not allowed",
			Explanation: "The connection's `allow` and `deny` say which of the server's tools exist for this project. Other tools cannot be called; `deny` wins over `allow`.",
			Failing: labProject("  deny = [\"burn\"]\n", `workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
  step "measure" {
    call = lab.burn
  }
  output "text" {
    value = step.measure.text
  }
}
`),
			Mended: labProject("  deny = [\"burn\"]\n", `workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
  step "measure" {
    call = lab.measure
  }
  output "text" {
    value = step.measure.text
  }
}
`),
		},
		Entry{
			Code: "WFC2110", Severity: Error, Summary: "File cannot be read",
			Explanation: "`file(\"path\")` reads a text file of the project when the workflow is compiled; its text stands in the plan. The path begins at the " +
				"project's root, and the file must be there, be UTF-8, and have at most 1 MiB.",
			Failing: `-- hello.wf.hcl --
workflow "hello" {
  output "text" {
    value = file("greeting.txt")
  }
}
-- texts/greeting.txt --
Hello
`,
			Mended: `-- hello.wf.hcl --
workflow "hello" {
  output "text" {
    value = file("texts/greeting.txt")
  }
}
-- texts/greeting.txt --
Hello
`,
		},
	)
}
