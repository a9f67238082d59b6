package diag

// The codes of lang/syntax that are about connections and secrets, from WFC1039 on.
func init() {
	register(
		Entry{
			Code: "WFC1039", Severity: Error, Summary: "Connection without a transport",
			Explanation: "A connection says how its server is reached: a `stdio` block holds the command that starts it.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  max_in_flight = 1
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  max_in_flight = 1
  stdio {
    command = "files-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1040", Severity: Error, Summary: "Connection with several transports",
			Explanation: "A connection reaches its server in one way. For another way, write another connection.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  http {
    url = "https://files.example.com/mcp"
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
			Code: "WFC1041", Severity: Error, Summary: "Secret with several origins",
			Explanation: "A secret comes from one place: `env`, `file`, `command` or `keyring`.",
			Failing: `secret "token" {
  env  = "TOKEN"
  file = "token.txt"
}
`,
			Mended: `secret "token" {
  env = "TOKEN"
}
`,
		},
	)
}
