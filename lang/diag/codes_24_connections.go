package diag

// empty is the snapshot of a connection that offers nothing, for examples.
const empty = `-- catalog/lab.main.json --
{"format_version": 1, "connection": "lab.main", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`

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
` + empty,
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
` + empty,
		},
		Entry{
			Code: "WFC2407", Severity: Error, Summary: "Connection is disabled",
			Explanation: "A connection with `enabled = false` is known, and nothing can use it: a workflow that is bound to it would fail at its first call.",
			Failing: labProject("  enabled = false\n", `workflow "w" {
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
			Mended: labProject("  enabled = true\n", `workflow "w" {
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
			Code: "WFC2408", Severity: Error, Summary: "Snapshot of other offers",
			Explanation: "What a server lists depends on what its client offers. The snapshot was made when the connection offered something else than it does now, " +
				"so that tools may be missing or be too many. `wfc catalog refresh CONNECTION` makes it anew.",
			Failing: labProject("  offers = [\"elicitation\", \"roots\"]\n", ""),
			Mended:  labProject("  offers = [\"elicitation\"]\n", ""),
		},
		Entry{
			Code: "WFC2412", Severity: Error, Summary: "Sampling without a model",
			Explanation: "A connection that offers `sampling` lets its server ask a model in the course of a call. Which model answers stands in the `sampling` " +
				"block of wfc.hcl; without one every such call fails. Some servers have tools that exist only for clients that offer sampling.",
			Failing: `-- lab.wf.hcl --
connection "lab" "main" {
  offers = ["sampling"]
  stdio {
    command = "lab-server"
  }
}
` + empty,
			Mended: `-- wfc.hcl --
project {
  language = 1
}

sampling {
  base_url = "http://localhost:11434/v1"
  model    = "small"
}
-- lab.wf.hcl --
connection "lab" "main" {
  offers = ["sampling"]
  stdio {
    command = "lab-server"
  }
}
` + empty,
		},
		Entry{
			Code: "WFC2409", Severity: Error, Summary: "Invalid schedule",
			Explanation: "`cron` has five fields: minute, hour, day of the month, month, day of the week. `0 9 * * MON-FRI` is nine o'clock on workdays; `@hourly`, " +
				"`@daily`, `@weekly` and `@every 10m` are understood, too. The time zone is an attribute of its own.",
			Failing: `workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "mornings" {
  workflow = workflow.hello
  schedule {
    cron = "0 25 * * *"
  }
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "mornings" {
  workflow = workflow.hello
  schedule {
    cron = "0 9 * * *"
  }
}
`,
		},
		Entry{
			Code: "WFC2410", Severity: Error, Summary: "Unknown time zone",
			Explanation: "Time zones are named as in the tz database: `Europe/Berlin`, `America/New_York`, `UTC`. Abbreviations such as CEST are none.",
			Failing: `workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "mornings" {
  workflow = workflow.hello
  schedule {
    cron     = "0 9 * * *"
    timezone = "Europe/Munich"
  }
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value = "Hello"
  }
}

deployment "mornings" {
  workflow = workflow.hello
  schedule {
    cron     = "0 9 * * *"
    timezone = "Europe/Berlin"
  }
}
`,
		},
		Entry{
			Code: "WFC2411", Severity: Error, Summary: "Invalid webhook",
			Explanation: "A webhook has a path of its own that begins with a slash, and an input of the workflow that receives the body of a request. That input " +
				"is given by each request, so that the deployment does not fix it.",
			Failing: `workflow "hello" {
  input "event" {
    type = string
  }
  output "text" {
    value = "Got ${input.event}"
  }
}

deployment "events" {
  workflow = workflow.hello
  webhook {
    path  = "hooks/events"
    input = input.event
  }
}
`,
			Mended: `workflow "hello" {
  input "event" {
    type = string
  }
  output "text" {
    value = "Got ${input.event}"
  }
}

deployment "events" {
  workflow = workflow.hello
  webhook {
    path  = "/hooks/events"
    input = input.event
  }
}
`,
		},
	)
}
