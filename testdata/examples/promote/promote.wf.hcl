# Compares a setting over environments, and promotes it from dev: to staging at once, to
# production once somebody has approved it. Declined, production is left as it is.
#
#   ENV_ROOT=/path/to/environments PROD_TOKEN=… wfc run promote --input 'promote_to=["staging", "prod"]'
#
# ENV_ROOT has a folder dev, staging and prod, each with a config.json. The servers come
# from npm:
#
#   npm install --global @modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-everything@2026.8.31

secret "prod_token" {
  env = "PROD_TOKEN"
}

connection "env" "dev" {
  stdio {
    command = "mcp-server-filesystem"
    args    = ["${env("ENV_ROOT", project.root)}/dev"]
  }
  # The server calls it destructive, since it replaces files. Here it changes one value.
  tool "write_file" {
    effect = "write"
  }
}

connection "env" "staging" {
  stdio {
    command = "mcp-server-filesystem"
    args    = ["${env("ENV_ROOT", project.root)}/staging"]
  }
  # The server calls it destructive, since it replaces files. Here it changes one value.
  tool "write_file" {
    effect = "write"
  }
}

connection "env" "prod" {
  stdio {
    command = "mcp-server-filesystem"
    args    = ["${env("ENV_ROOT", project.root)}/prod"]
  }
  # The server calls it destructive, since it replaces files. Here it changes one value.
  tool "write_file" {
    effect = "write"
  }
}

connection "everything" "main" {
  stdio {
    command = "mcp-server-everything"
    env     = { PROD_TOKEN = secret.prod_token }
  }
}

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
    validation {
      condition     = contains(input.envs, "dev") && alltrue([for name in input.promote_to : contains(input.envs, name)])
      error_message = "envs must have dev, which the others are compared with, and those of promote_to."
    }
  }
  input "promote_to" {
    type    = list(enum("staging", "prod"))
    default = []
  }
  input "deadline" {
    type        = string
    description = "How long approval is waited for."
    default     = "4h"
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

  step "write" {
    for_each = [for name in input.promote_to : name if name != "prod"]
    key      = each.value
    call     = env[each.value].write_file
    args = {
      path    = "config.json"
      content = jsonset(step.read[each.value].output.content, "/image", local.image)
    }
    on_error = ["tool"]
  }

  step "approve" {
    depends_on = [step.write] # what staging says is looked at first
    when       = contains(input.promote_to, "prod")
    deadline   = input.deadline
    on_error   = ["declined", "timeout"]
    ask {
      message = "Promote ${local.image} to production?"
    }
  }

  step "production" {
    when = step.approve.outcome == "ok"
    call = env["prod"].write_file
    args = {
      path    = "config.json"
      content = jsonset(step.read["prod"].output.content, "/image", local.image)
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
    value = merge(
      { for name, r in step.write : name => r.outcome },
      { for name in input.promote_to : name => step.production.outcome if name == "prod" },
    )
  }
  output "environment" {
    value = step.environment.text
  }
}
