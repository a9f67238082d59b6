package diag

// The codes of compiler/check about the effects of calls (LANGUAGE 7).
func init() {
	register(
		Entry{
			Code: "WFC3001", Severity: Warning, Summary: "Destructive call without a guard",
			Explanation: "The tool says that it may destroy something, and the step calls it whenever the workflow runs. A guard is a `when`, an `ask` that the step waits for, or deployments " +
				"whose `policy` asks. Where the tool destroys nothing that matters, say so once, in the connection's `tool` block: `effect = \"write\"`; the effect can be an expression over " +
				"`args` where it depends on them.",
			Failing: `workflow "clean" {
  source "demo" {
    bind = connection.demo.main
  }
  input "task" {
    type = integer
  }

  step "delete" {
    call = demo.delete_task
    args = { task = input.task }
  }
}
`,
			Mended: `workflow "clean" {
  source "demo" {
    bind = connection.demo.main
  }
  input "task" {
    type = integer
  }

  step "tasks" {
    call = demo.list_tasks
    args = { state = "done" }
  }
  step "delete" {
    when = anytrue([for t in step.tasks.output.tasks : t.id == input.task])
    call = demo.delete_task
    args = { task = input.task }
  }
}
`,
		},
		Entry{
			Code: "WFC3002", Severity: Error, Summary: "Destructive call that the policy denies",
			Explanation: "A deployment with `policy { destructive = \"deny\" }` lets no destructive call through, and the step makes one whenever it runs, or whenever it is taken back by an `undo` block. A tool that does not say what effect it has " +
				"counts as destructive here. Guard the step with `when`, or change the policy.",
			Failing: `workflow "clean" {
  source "demo" {
    bind = connection.demo.main
  }
  input "task" {
    type = integer
  }

  step "delete" {
    call = demo.delete_task
    args = { task = input.task }
  }
}

deployment "clean_prod" {
  workflow = workflow.clean
  inputs   = { task = 1 }
  policy {
    destructive = "deny"
  }
}
`,
			Mended: `workflow "clean" {
  source "demo" {
    bind = connection.demo.main
  }
  input "task" {
    type = integer
  }

  step "delete" {
    call = demo.delete_task
    args = { task = input.task }
  }
}

deployment "clean_prod" {
  workflow = workflow.clean
  inputs   = { task = 1 }
  policy {
    destructive = "ask"
  }
}
`,
		},
		Entry{
			Code: "WFC3003", Severity: Warning, Summary: "Retry of what may not be repeated",
			Explanation: "Once the request of a call has left, nobody knows whether it had its effect, until an answer comes. Only calls that read, and those whose connection says that they may be " +
				"repeated (`idempotent = true` or `idempotency_arg` in a `tool` block), are retried then. All others are only where nothing was sent, as after `rate_limit`, so that this " +
				"`retry` does less than it says.",
			Failing: `workflow "count" {
  source "demo" {
    bind = connection.demo.main
  }

  step "count" {
    call = demo.counter
    retry {
      attempts = 3
    }
  }
}
`,
			Mended: `workflow "count" {
  source "demo" {
    bind = connection.demo.main
  }

  step "count" {
    call = demo.counter
    retry {
      attempts = 3
      on       = ["rate_limit"]
    }
  }
}
`,
		},
		Entry{
			Code: "WFC3010", Severity: Warning, Summary: "Value of unknown type is trusted",
			Explanation: "Nothing is known of the value before it is there, because no schema says what it is, and something is wanted of it: an attribute, a text, a list. It is checked when the run gets there, and fails then. " +
				"`wfc check --strict` reports every such place; without `--strict` none is. Say with `returns` what the step gives: it is checked when it arrives, and all that uses it before anything runs.",
			Failing: `workflow "shout" {
  source "demo" {
    bind = connection.demo.main
  }

  step "inspect" {
    call = demo.inspect
    args = { value = "hello" }
  }
  output "text" {
    value = upper(step.inspect.output.value)
  }
}
`,
			Mended: `workflow "shout" {
  source "demo" {
    bind = connection.demo.main
  }

  step "inspect" {
    call    = demo.inspect
    args    = { value = "hello" }
    returns = object({ value = string })
  }
  output "text" {
    value = upper(step.inspect.output.value)
  }
}
`,
		},
	)
}
