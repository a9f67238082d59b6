package diag

// The codes of compiler/check about deployments and connections.
func init() {
	register(
		Entry{
			Code: "WFC2401", Severity: Error, Summary: "Connection without a snapshot",
			Explanation: "What a connection offers is pinned in its snapshot, `catalog/CONNECTION.json`, which is committed: so a workflow is checked without its servers. " +
				"`wfc catalog refresh CONNECTION` connects once and writes it. Until then everything of the connection is taken as it comes.",
			Failing: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}
`,
			Mended: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
		},
		Entry{
			Code: "WFC2402", Severity: Warning, Summary: "Source bound to no connection",
			Explanation: "A source without `bind` is checked through the deployments of its workflow, and there is none that binds it: its calls are not checked, and a run needs `--bind`.",
			Failing: `workflow "hello" {
  source "demo" {
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
  bind     = { demo = connection.demo.main }
}
`,
		},
		Entry{
			Code: "WFC2403", Severity: Warning, Summary: "Required input that nobody gives",
			Explanation: "The deployment starts runs by itself, by a schedule or a webhook. An input of the workflow has no default and is not optional, and nobody gives it to them: they fail. So does a test that does not give it.",
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = "Hello ${input.name}"
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
  schedule {
    cron = "0 9 * * MON-FRI"
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

deployment "hello_prod" {
  workflow = workflow.hello
  inputs   = { name = "world" }
  schedule {
    cron = "0 9 * * MON-FRI"
  }
}
`,
		},
		Entry{
			Code: "WFC2404", Severity: Error, Summary: "Source left unbound",
			Explanation: "A deployment, or a run, needs a connection for each source of the workflow: by its `bind`, by the source's own, or by `--bind SOURCE=CONNECTION`.",
			Failing: `workflow "hello" {
  source "demo" {
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
}
`,
			Mended: `workflow "hello" {
  source "demo" {
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
}

deployment "hello_prod" {
  workflow = workflow.hello
  bind     = { demo = connection.demo.main }
}
`,
		},
		Entry{
			Code: "WFC2405", Severity: Error, Summary: "Snapshot cannot be used",
			Explanation: "The file `catalog/CONNECTION.json` is there, but it is no snapshot: it was damaged, cut off, written by hand, or is of another version of wfc. " +
				"`wfc catalog refresh CONNECTION` writes it anew.",
			Failing: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}
-- catalog/lab.main.json --
{"format_version": 1, "tools": [
`,
			Mended: `-- hello.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
		},
	)
}
