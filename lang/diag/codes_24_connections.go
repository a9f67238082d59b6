package diag

func init() {
	register(
		Entry{
			Code: "WFC2406", Severity: Error, Summary: "Credentials without HTTP",
			Explanation: "An `auth` block says which credentials are sent with each HTTP request. A server that is a child process (`stdio`) gets no such " +
				"requests: what it must know stands in its `env` or `args`.",
			Failing: `-- lab.wf.hcl --
secret "lab_token" {
  env = "LAB_TOKEN"
}

connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
  auth "bearer" {
    token = secret.lab_token
  }
}
-- catalog/lab.main.json --
{"format_version": 1, "connection": "lab.main", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- lab.wf.hcl --
secret "lab_token" {
  env = "LAB_TOKEN"
}

connection "lab" "main" {
  stdio {
    command = "lab-server"
    env     = { LAB_TOKEN = secret.lab_token }
  }
}
-- catalog/lab.main.json --
{"format_version": 1, "connection": "lab.main", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
	)
}
