workflow "event_router" {
  description = "Does what an event of a webhook asks for, once."

  source "mem" {
    bind = connection.memory.main
  }
  source "files" {
    bind = connection.files.out
  }

  input "body" {
    type = string
  }
  input "root" {
    type    = string
    default = "."
  }

  step "event" {
    value   = input.body
    decode  = "json"
    returns = object({ id = string, type = string, text = optional(nullable(string)), service = optional(string), version = optional(string), notes = optional(nullable(string)) }, any)
  }

  locals {
    name      = "event-${step.event.output.id}"
    duplicate = length([for e in step.known.output.entities : e if e.name == local.name]) > 0
    type      = step.event.output.type
  }

  step "known" {
    call = mem.search_nodes
    args = { query = local.name }
  }

  step "login" {
    when = !local.duplicate && local.type == "login.failed"
    run  = workflow.suspicious_logins
    args = { text = coalesce(step.event.output.text, "") }
  }

  step "deploy" {
    when = !local.duplicate && local.type == "deploy.finished"
    run  = workflow.log_deploy
    args = {
      root    = input.root
      service = coalesce(step.event.output.service, "unknown")
      version = coalesce(step.event.output.version, "?")
      notes   = step.event.output.notes
    }
    bind = { out = files }
  }

  step "remember" {
    when       = !local.duplicate
    depends_on = [step.login, step.deploy]
    call       = mem.create_entities
    args       = { entities = [{ name = local.name, entityType = "event", observations = [local.type] }] }
  }

  output "handled" {
    value = step.login.outcome == "ok" || step.deploy.outcome == "ok"
  }
  output "reason" {
    value = local.duplicate ? "duplicate" : local.type
  }
  output "addresses" {
    value = step.login.outcome == "ok" ? step.login.output.addresses : []
  }
  output "degraded" {
    value = step.login.outcome == "ok" && step.login.output.degraded
  }
}

workflow "suspicious_logins" {
  description = "Where the addresses of a text are, remembered."

  source "geo" {
    bind = connection.sqlite.geo
  }
  source "mem" {
    bind = connection.memory.main
  }

  input "text" {
    type = string
  }

  locals {
    addresses = distinct(regexall("\\b(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\b", input.text))
    found = { for a, r in step.lookup : a => (
      r.outcome == "ok" ? (length(r.output) > 0 ? r.output[0].country : "unknown") : "unknown"
    ) }
  }

  step "lookup" {
    for_each = local.addresses
    key      = each.value
    call     = geo.query
    args     = { sql = "SELECT country FROM geo WHERE ip = ?", values = [each.value] }
    returns  = list(object({ country = string }, any))
    on_error = "continue"
    timeout  = "10s"
    retry {
      attempts = 2
    }
  }

  step "known" {
    call = mem.open_nodes
    args = { names = [for a in local.addresses : "ip-${a}"] }
  }

  step "create" {
    when = length(local.addresses) > 0
    call = mem.create_entities
    args = {
      entities = [for a in local.addresses : {
        name         = "ip-${a}"
        entityType   = "address"
        observations = []
      } if !contains([for e in step.known.output.entities : e.name], "ip-${a}")]
    }
  }

  step "observe" {
    when = step.create.outcome == "ok"
    call = mem.add_observations
    args = {
      observations = [for a in local.addresses : { entityName = "ip-${a}", contents = ["country: ${local.found[a]}"] }]
    }
  }

  output "addresses" {
    value = [for a in local.addresses : { address = a, country = local.found[a] }]
  }
  output "degraded" {
    description = "Whether addresses are unknown because they could not be looked up."
    value       = length(run.errors) > 0
  }
}

workflow "log_deploy" {
  description = "Appends a line to a service's list of deploys."

  source "out" {
  }

  input "root" {
    type = string
  }
  input "service" {
    type = string
  }
  input "version" {
    type = string
  }
  input "notes" {
    type    = nullable(string)
    default = null
  }

  locals {
    folder = pathjoin(input.root, "deploys")
    path   = pathjoin(local.folder, "${input.service}.md")
    old    = step.old.outcome == "ok" ? step.old.output.content : ""
  }

  step "folder" {
    call = out.create_directory
    args = { path = local.folder }
  }

  # A file that is not there yet is an empty one.
  step "old" {
    depends_on = [step.folder]
    call       = out.read_text_file
    args       = { path = local.path }
    on_error   = ["tool"]
  }

  step "write" {
    call = out.write_file
    args = {
      path    = local.path
      content = "${local.old}- ${run.started_at} ${input.version}${input.notes == null ? "" : " (${input.notes})"}\n"
    }
  }

  output "path" {
    value = local.path
  }
  output "written" {
    value = step.write.text
  }
}

deployment "events" {
  workflow = workflow.event_router
  webhook {
    path     = "/events"
    input    = input.body
    secret   = secret.hook_key
    max_body = "256KB"
  }
}
