// Package genproject generates projects of any size for benchmarks: workflows
// as people write them, against the tools of the demo server.
//
// Its central function is [Files].
package genproject

import (
	"bytes"
	"fmt"
	"text/template"
)

// Files returns a project of n workflow files of about 165 lines each, and its
// wfc.hcl and connection file, by name relative to the project's root. The
// workflows pass the checker when the project has the snapshot of the demo
// server at catalog/demo.main.json, which is the caller's to add.
func Files(n int) map[string][]byte {
	out := make(map[string][]byte, n+2)
	out["wfc.hcl"] = []byte(settings)
	out["connections.wf.hcl"] = []byte(connections)
	for i := range n {
		var b bytes.Buffer
		if err := workflow.Execute(&b, flow{N: i, Team: teams[i%len(teams)], Label: labels[i%len(labels)], Limit: 10 + i%40}); err != nil {
			panic("genproject: " + err.Error()) // the template is a constant
		}
		out[fmt.Sprintf("flows/%02d/flow_%05d.wf.hcl", i%20, i)] = b.Bytes()
	}
	return out
}

// Name returns the name of workflow i.
func Name(i int) string { return fmt.Sprintf("flow_%05d", i) }

type flow struct {
	N     int
	Team  string
	Label string
	Limit int
}

// Name is the workflow's name.
func (f flow) Name() string { return Name(f.N) }

var (
	teams  = []string{"platform", "payments", "search", "mobile", "Größe & Maß"}
	labels = []string{"triage", "stale", "urgent", "docs"}
)

const settings = `project {
  name     = "generated"
  language = 1
}
`

const connections = `connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }

  timeouts {
    connect = "30s"
    idle    = "5m"
  }
  max_in_flight = 8

  tool "echo" {
    effect = "read"
  }
}
`

var workflow = template.Must(template.New("workflow").Parse(`# Weekly housekeeping of the {{.Team}} team's tasks (number {{.N}}).
workflow "{{.Name}}" {
  title       = "Housekeeping, {{.Team}}"
  description = "Greet the team, label open tasks and report what was done."

  source "demo" {
    bind        = connection.demo.main
    description = "where the tasks are"
  }

  input "team" {
    type        = string
    default     = "{{.Team}}"
    description = "the team to greet"
  }

  input "limit" {
    type    = integer
    default = {{.Limit}}

    validation {
      condition     = input.limit > 0 && input.limit <= 100
      error_message = "limit must be from 1 to 100, not ${input.limit}."
    }
  }

  input "options" {
    type = object({
      label  = optional(string, "{{.Label}}")
      notify = optional(list(string), [])
      strict = optional(bool, false)
    })
    default = {}
  }

  locals {
    label   = input.options.label
    heading = "Tasks of ${input.team}"
    people  = concat(["Ada", "Alan"], input.options.notify)
    quota   = input.limit * 2 + 1
  }

  # Reading comes first.
  step "open" {
    call    = demo.list_tasks
    args    = { state = "open", limit = input.limit }
    timeout = "30s"
  }

  step "closed" {
    call    = demo.list_tasks
    args    = { state = "done", limit = local.quota }
    timeout = "30s"
  }

  step "readme" {
    call = demo.echo
    args = {
      text = <<-EOT
        # ${local.heading}

        There are ${length(step.open.output.tasks)} open tasks.
        %{for t in step.open.output.tasks~}
        - ${t.title} (${t.id})
        %{endfor~}
      EOT
    }
  }

  step "greetings" {
    for_each     = local.people
    call         = demo.greet
    args         = { name = each.value, language = "de" }
    max_parallel = 4
    timeout      = "10s"
  }

  step "unassigned" {
    value = [for t in step.open.output.tasks : t if t.assignee == null]
  }

  step "by_owner" {
    value = {
      for t in step.open.output.tasks :
      coalesce(t.assignee, "nobody") => { id = t.id, title = upper(t.title) }...
    }
  }

  step "label" {
    for_each     = step.unassigned.output
    key          = "task-${each.value.id}"
    when         = !each.value.done
    call         = demo.add_label
    args         = { task = each.value.id, label = local.label }
    max_parallel = 2
    on_error     = ["tool", "timeout"]
  }

  step "labelled" {
    value = [for r in step.label : r.output.task if r.outcome == "ok"]
  }

  step "failed" {
    value = [
      for r in step.label : "${r.each.value.title}: ${r.error.message}"
      if r.outcome == "error"
    ]
  }

  step "count" {
    when       = length(step.labelled.output) > 0
    call       = demo.counter
    depends_on = [step.greetings]
  }

  step "report" {
    call = demo.inspect
    args = {
      value = {
        team    = input.team
        strict  = input.options.strict
        open    = length(step.open.output.tasks)
        closed  = length(step.closed.output.tasks)
        ratio   = length(step.open.output.tasks) / max(1, length(step.closed.output.tasks))
        labels  = distinct([local.label, "{{.Label}}", "checked"])
        failed  = step.failed.output
        owners  = sort(keys(step.by_owner.output))
        greeted = [for g in step.greetings : g.output.greeting]
        nested  = { a = { b = { c = [1, 2.5, 3e2, {{.N}}], d = null }, "e-f" = true } }
      }
    }
  }

  step "summary" {
    when  = step.count.outcome == "ok" || input.options.strict
    value = join(", ", [for n in step.labelled.output : tostring(n)])
  }

  output "labelled" {
    value       = step.labelled.output
    type        = list(integer)
    description = "the tasks that have the label now"
  }

  output "failed" {
    value = step.failed.output
  }

  output "report" {
    value = step.report.output.value
  }

  output "summary" {
    value = step.summary.outcome == "ok" ? step.summary.output : "nothing to do"
  }

  output "text" {
    value = step.readme.output
  }
}
`))
