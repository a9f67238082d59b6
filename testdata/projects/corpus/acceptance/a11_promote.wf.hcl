workflow "promote" {
  description = "Compares a setting over environments and promotes it; production after approval."

  source "env" {
    family = {
      dev     = connection.env.dev
      staging = connection.env.staging
      prod    = connection.env.prod
    }
  }
  source "ev" {
    bind = connection.everything.main
  }

  input "envs" {
    type    = list(enum("dev", "staging", "prod"))
    default = ["dev", "staging", "prod"]
  }
  input "promote_to" {
    type    = list(enum("staging", "prod"))
    default = []
  }
  input "keys" {
    type    = list(string)
    default = ["image", "flags.beta", "max_id"]
  }

  locals {
    config = { for name, r in step.read : name => jsondecode(r.output.content) }
    cells = { for key in input.keys : key => { for name, c in local.config : name => (
      can(pointer(c, "/${replace(key, ".", "/")}")) ? jsonencode(pointer(c, "/${replace(key, ".", "/")}")) : "(missing)"
    ) } }
    drift = { for key, row in local.cells : key => [for name, cell in row : name if cell != row["dev"]] }
    image = pointer(local.config["dev"], "/image")
  }

  step "read" {
    for_each = input.envs
    key      = each.value
    call     = env[each.value].read_text_file
    args     = { path = "config.json" }
  }

  step "approve" {
    when     = contains(input.promote_to, "prod")
    deadline = "4h"
    on_error = ["declined", "timeout"]
    ask {
      message = "Promote ${local.image} to production?"
      answer  = object({ ok = bool })
    }
  }

  step "write" {
    for_each = input.promote_to
    key      = each.value
    when     = each.value != "prod" || step.approve.outcome == "ok" && step.approve.output.ok
    call     = env[each.value].write_file
    args = {
      path    = "config.json"
      content = jsonset(step.read[each.value].output.content, "/image", local.image)
    }
    on_error = ["tool"]
  }

  step "environment" {
    call = ev["get-env"]
    args = {}
  }

  output "table" {
    value = local.cells
  }
  output "drift" {
    value = local.drift
  }
  output "promoted" {
    value = { for name, r in step.write : name => r.outcome }
  }
  output "environment" {
    value = step.environment.text
  }
}
