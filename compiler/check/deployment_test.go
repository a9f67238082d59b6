package check_test

import "testing"

const lab = `
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}
`

func TestDeployments(t *testing.T) {
	const wf = `
workflow "w" {
  source "tasks" {
  }
  input "n" {
    type = integer
  }
  input "state" {
    type    = enum("open", "done")
    default = "open"
  }
  step "s" {
    call = tasks.list_tasks
    args = { limit = input.n, state = input.state }
  }
}
`
	runRules(t, []rule{
		{"all is well", wf + `
deployment "d" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
  inputs   = { n = 1 + 2, state = "done" }
}`, nil},
		{"sources by their names", wf + `
deployment "d" {
  workflow = workflow.w
  bind     = { task = connection.demo.main }
  inputs   = { n = 1 }
}`, []string{"WFC2001 `task` ~ Did you mean \"tasks\"?"}},
		{"connections that exist", wf + `
deployment "d" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.man }
  inputs   = { n = 1 }
}`, []string{"WFC2007 `demo.man` ~ Did you mean \"demo.main\"?"}},
		{"inputs by their names and types", wf + `
deployment "d" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
  inputs   = { n = "1", state = "opn" }
}
deployment "e" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
  inputs   = { n = 1, staet = "open" }
}`, []string{
			"WFC2201 `\"1\"` ~ The input \"n\" must be an integer",
			"WFC2201 `\"opn\"` ~ Did you mean \"open\"?",
			"WFC2003 `staet` ~ Did you mean \"state\"?",
		}},
		{"inputs are constants", wf + `
deployment "d" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
  inputs   = { n = input.n }
}`, []string{"WFC2011 `input`"}},
		{"a workflow is checked through its deployments", `
workflow "w" {
  source "tasks" {
  }
  step "s" {
    call = tasks.list_task
  }
  output "o" {
    value = step.s.output.x
  }
}
deployment "d" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
}
deployment "e" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
}`, []string{"WFC2002 `list_task` ~ Did you mean \"list_tasks\"?"}},
	})
}

func TestConnections(t *testing.T) {
	runRules(t, []rule{
		{"without a snapshot there is one finding, and everything is anything", lab + `
workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
  step "a" {
    call = lab.study
    args = { x = 1 }
  }
  step "b" {
    call = lab.think
    args = { y = step.a.output.z[0].w }
  }
}`, []string{"WFC2401 `connection \"lab\" \"main\"` ~ \n    wfc catalog refresh lab.main"}},
		{"its attributes have types", `
secret "token" {
  env = "TOKEN"
}
connection "demo" "other" {
  stdio {
    command = ["demo-server"]
    args    = ["demo-server", 1]
    env     = { TOKEN = secret.token, ROOT = project.root, LEVEL = env("LEVEL", "info") }
    cwd     = input.x
  }
}
workflow "w" {
}`, []string{
			"WFC2401 `connection \"demo\" \"other\"`",
			"WFC2201 `[\"demo-server\"]` ~ is the program alone",
			"WFC2201 `1` ~ Nothing is converted silently",
			"WFC2011 `input` ~ cannot be used in a connection block",
		}},
		{"tool blocks are of tools that exist", `
connection "demo" "two" {
  stdio {
    command = project.wfc
  }
  tool "list_task" {
    effect = "read"
  }
}
workflow "w" {
}`, []string{"WFC2401 `connection \"demo\" \"two\"` ~ wfc catalog refresh demo.two"}},
	})
}

const snapshot = `
-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [
    {
      "digest": "",
      "object": {
        "name": "study",
        "inputSchema": {
          "type": "object",
          "properties": {"mode": {"enum": ["list", "deep"]}, "key": {"type": "string"}},
          "required": ["mode"]
        },
        "outputSchema": {"type": "object", "properties": {"papers": {"type": "array", "items": {"type": "string"}}}, "required": ["papers"]}
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`

// blocks is a project with a connection whose tool block is given.
func block(body, steps string) string {
	return `-- main.wf.hcl --
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
` + body + `
}
workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
` + steps + "\n}\n" + snapshot
}

func TestToolBlocks(t *testing.T) {
	const step = `
  step "s" {
    call = lab.study
    args = { mode = "list" }
  }
`
	runRules(t, []rule{
		{"a tool that does not exist", block("  tool \"studie\" {\n    effect = \"read\"\n  }", step), []string{"WFC2002 `studie` ~ Did you mean \"study\"?"}},
		{"an effect is one of three", block("  tool \"study\" {\n    effect = args.mode == \"list\" ? \"read\" : \"wirte\"\n  }", step),
			[]string{"WFC2201 `\"wirte\"` ~ Did you mean \"write\"?"}},
		{"an effect is over the arguments only", block("  tool \"study\" {\n    effect = args.moed == \"list\" ? \"read\" : \"write\"\n  }", step),
			[]string{"WFC2202 `moed` ~ Did you mean \"mode\"?"}},
		{"its result is what the steps get", block("  tool \"study\" {\n    result = self.output.papers\n  }", step+`
  output "o" {
    value = upper(step.s.output)
  }`), []string{"WFC2201 `step.s.output` ~ this is a list"}},
		{"a step's own result replaces it", block("  tool \"study\" {\n    result = self.output.papers\n  }", `
  step "s" {
    call   = lab.study
    args   = { mode = "list" }
    result = self.output.papers[0]
  }
  output "o" {
    value = upper(step.s.output)
  }`), nil},
		{"a mistake in its result is said once", block("  tool \"study\" {\n    result = self.output.paper\n  }", step+`
  output "o" {
    value = upper(step.s.output)
  }`), []string{"WFC2202 `paper` ~ Did you mean \"papers\"?"}},
		{"an idempotency argument exists", block("  tool \"study\" {\n    idempotency_arg = \"kye\"\n  }", step), []string{"WFC2103 `\"kye\"` ~ Did you mean \"key\"?"}},
		{"open takes arguments that are not declared", block("  tool \"study\" {\n    open = true\n  }", `
  step "s" {
    call = lab.study
    args = { mode = "list", other = 1 }
  }`), nil},
	})
}

// A syntax error is one finding: what it hid is not missed, what it did not touch
// is checked.
func TestFilesWithSyntaxErrors(t *testing.T) {
	runRules(t, []rule{
		{"a value that cannot be read", `
  step "a" {
    value = [1, 2
  }
  output "o" {
    value = step.a.output
  }`, []string{"WFC1011 `[` ~ "}},
		{"a step whose header is broken", `
  step "a {
    value = 1
  }
  output "o" {
    value = step.a.output
  }`, []string{"WFC1005 `step \"a`"}},
	})
}
