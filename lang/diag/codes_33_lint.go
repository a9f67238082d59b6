package diag

// The codes of compiler/check/lint: rules about what is no mistake and hardly meant.
func init() {
	named := func(rule, text string) string {
		return text + " The rule can be turned off for a project: `lint { " + rule + " = false }` in `wfc.hcl`."
	}
	register(
		Entry{
			Code: "WFC3301", Severity: Warning, Summary: "Unused input",
			Explanation: named("unused_input", "Nothing in the workflow refers to the input, other than its own validation: whoever gives it expects that it does something."),
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  output "text" {
    value = "Hello"
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
`,
		},
		Entry{
			Code: "WFC3302", Severity: Warning, Summary: "Unused local",
			Explanation: named("unused_local", "Nothing refers to the local. Locals are computed where they are used, so that this one never is."),
			Failing: `workflow "hello" {
  locals {
    greeting = "Hello"
  }
  output "text" {
    value = "Good morning"
  }
}
`,
			Mended: `workflow "hello" {
  locals {
    greeting = "Hello"
  }
  output "text" {
    value = local.greeting
  }
}
`,
		},
		Entry{
			Code: "WFC3303", Severity: Warning, Summary: "Unused source",
			Explanation: named("unused_source", "No step calls, reads or prompts the source, and none hands it to another workflow. Whoever runs the workflow has to bind it all the same."),
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }
  output "text" {
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
    args = { name = "world" }
  }
  output "text" {
    value = step.greet.output.greeting
  }
}
`,
		},
		Entry{
			Code: "WFC3304", Severity: Warning, Summary: "Unused connection",
			Explanation: named("unused_connection", "The connection stands in a file with workflows, and no source and no deployment of the project is bound to it. "+
				"Connections in files of their own are not reported: they may be for the command line, as in `wfc call`."),
			Failing: `-- tasks.wf.hcl --
connection "demo" "other" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
}

workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  output "tasks" {
    value = step.tasks.output.tasks
  }
}
-- catalog/demo.other.json --
{"format_version": 1, "connection": "demo.other", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  output "tasks" {
    value = step.tasks.output.tasks
  }
}
`,
		},
		Entry{
			Code: "WFC3305", Severity: Warning, Summary: "Unused result of a step that only reads",
			Explanation: named("unused_result", "The tool only reads, and nothing refers to the step: it could as well be left out. A step that checks something says what: "+
				"one with `fail_if` or `assert` is not reported."),
			Failing: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  output "done" {
    value = true
  }
}
`,
			Mended: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call    = demo.list_tasks
    fail_if = length(self.output.tasks) == 0
  }
  output "done" {
    value = true
  }
}
`,
		},
		Entry{
			Code: "WFC3306", Severity: Warning, Summary: "Question whose answer nobody reads",
			Explanation: named("unread_answer", "No step reads the answer of an `ask` and none depends on it. Steps that do not refer to it run while it is asked, so that it guards nothing. "+
				"Read the answer in the `when` of the step that it is about, or name it in that step's `depends_on`: declining fails the question, and the step does not run then."),
			Failing: `workflow "clean" {
  source "demo" {
    bind = connection.demo.main
  }

  step "confirm" {
    ask {
      message = "Count one up?"
    }
  }
  step "count" {
    call = demo.counter
  }
}
`,
			Mended: `workflow "clean" {
  source "demo" {
    bind = connection.demo.main
  }

  step "confirm" {
    ask {
      message = "Count one up?"
    }
  }
  step "count" {
    call       = demo.counter
    depends_on = [step.confirm]
  }
}
`,
		},
		Entry{
			Code: "WFC3307", Severity: Warning, Summary: "Redundant depends_on",
			Explanation: named("redundant_depends_on", "The step refers to the other one, directly or through locals and other steps, and so waits for it anyway. `depends_on` is for order without data."),
			Failing: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  step "count" {
    value      = length(step.tasks.output.tasks)
    depends_on = [step.tasks]
  }
  output "count" {
    value = step.count.output
  }
}
`,
			Mended: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  step "count" {
    value = length(step.tasks.output.tasks)
  }
  output "count" {
    value = step.count.output
  }
}
`,
		},
		Entry{
			Code: "WFC3308", Severity: Warning, Summary: "Fan-out that never uses its elements",
			Explanation: named("unused_each", "A step with `for_each` that never mentions `each` does the same for every element."),
			Failing: `workflow "greet" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    for_each = ["Ada", "Alan"]
    call     = demo.greet
    args     = { name = "Ada" }
  }
  output "greetings" {
    value = [for g in step.greet : g.output.greeting]
  }
}
`,
			Mended: `workflow "greet" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    for_each = ["Ada", "Alan"]
    call     = demo.greet
    args     = { name = each.value }
  }
  output "greetings" {
    value = [for g in step.greet : g.output.greeting]
  }
}
`,
		},
		Entry{
			Code: "WFC3309", Severity: Warning, Summary: "Identical branches",
			Explanation: named("identical_branches", "Both branches of a conditional are written the same, so that its condition decides nothing: one of them was probably meant to be another."),
			Failing: `workflow "hello" {
  input "formal" {
    type = bool
  }
  output "text" {
    value = input.formal ? "Hello" : "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  input "formal" {
    type = bool
  }
  output "text" {
    value = input.formal ? "Good morning" : "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC3310", Severity: Warning, Summary: "Condition that never changes",
			Explanation: named("constant_condition", "The condition is written so that it always or never holds: `true`, something compared with itself, `length(x) >= 0`, or the outcome of a step that "+
				"can only be `\"ok\"`, since a failure of it fails the run. A condition over a local with a constant value is not reported: that is a switch."),
			Failing: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  output "count" {
    value = step.tasks.outcome == "ok" ? length(step.tasks.output.tasks) : 0
  }
}
`,
			Mended: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call     = demo.list_tasks
    on_error = ["tool"]
  }
  output "count" {
    value = step.tasks.outcome == "ok" ? length(step.tasks.output.tasks) : 0
  }
}
`,
		},
		Entry{
			Code: "WFC3311", Severity: Warning, Summary: "Index into a list that may be empty",
			Explanation: named("empty_index", "A `for` with an `if` gives an empty list where the condition holds of no element, and an index of an empty list fails the run with kind `expression`. "+
				"Say what is to be used then, with `try`, or ask for the length in a condition around it."),
			Failing: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  output "first" {
    value = [for t in step.tasks.output.tasks : t.title if !t.done][0]
  }
}
`,
			Mended: `workflow "tasks" {
  source "demo" {
    bind = connection.demo.main
  }

  step "tasks" {
    call = demo.list_tasks
  }
  output "first" {
    value = try([for t in step.tasks.output.tasks : t.title if !t.done][0], "nothing to do")
  }
}
`,
		},
		Entry{
			Code: "WFC3312", Severity: Warning, Summary: "Loop that does not look at its rounds",
			Explanation: named("blind_loop", "The `while` of a `loop` is asked after every round. Where it does not mention `self`, the result of the round, nothing that a round does can change it: the loop "+
				"ends after the first round, or fails at `max`."),
			Failing: `workflow "wait" {
  source "demo" {
    bind = connection.demo.main
  }
  input "goal" {
    type = integer
  }

  step "count" {
    call = demo.counter
    loop {
      while = input.goal > 0
      max   = 10
    }
  }
}
`,
			Mended: `workflow "wait" {
  source "demo" {
    bind = connection.demo.main
  }
  input "goal" {
    type = integer
  }

  step "count" {
    call = demo.counter
    loop {
      while = self.output.count < input.goal
      max   = 10
    }
  }
}
`,
		},
		Entry{
			Code: "WFC3313", Severity: Warning, Summary: "Template sequence of another language",
			Explanation: named("foreign_template", "`${1}` in a text is a template: wfc puts in the number 1. Where it is a parameter of a shell script or the like, it is written `$${1}`. Long text of another language is easier "+
				"kept in a file and read with `file`."),
			Failing: `workflow "script" {
  output "script" {
    value = <<-EOT
      #!/bin/sh
      echo "Hello ${1}"
    EOT
  }
}
`,
			Mended: `workflow "script" {
  output "script" {
    value = <<-EOT
      #!/bin/sh
      echo "Hello $${1}"
    EOT
  }
}
`,
		},
		Entry{
			Code: "WFC3314", Severity: Warning, Summary: "Token in a file",
			Explanation: named("hard_coded_token", "The file has what looks like a token of a service. Everybody who can read the file, or its history, can use it: take the token back, and name a new one with a `secret` block, "+
				"whose value is read where the workflow runs."),
			Failing: `workflow "search" {
  source "demo" {
    bind = connection.demo.main
  }

  step "echo" {
    call = demo.echo
    args = { text = "ghp_` + `0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R" }
  }
  output "text" {
    value = step.echo.output
  }
}
`,
			Mended: `secret "token" {
  env = "DEMO_TOKEN"
}

workflow "search" {
  source "demo" {
    bind = connection.demo.main
  }

  step "echo" {
    call = demo.echo
    args = { text = secret.token }
  }
  output "text" {
    value = step.echo.output
  }
}
`,
		},
		Entry{
			Code: "WFC3390", Severity: Error, Summary: "Invalid lint setting",
			Explanation: "The `lint` block of `wfc.hcl` turns rules off: each of its attributes is the name of a rule with `true` or `false`. The page of each warning from WFC3301 on says the name of its rule.",
			Failing: `-- wfc.hcl --
lint {
  unused_inputs = false
}
`,
			Mended: `-- wfc.hcl --
lint {
  unused_input = false
}
`,
		},
	)
}
