# Prompts and resources of a server, and a digest of them by a model, for which the server
# asks its client (sampling).
#
#   MODEL_URL=http://localhost:11434/v1 wfc run prompt_digest --input city=Oslo
#
# The server comes from npm:
#
#   npm install --global @modelcontextprotocol/server-everything@2026.8.31

connection "everything" "main" {
  stdio {
    command = "mcp-server-everything"
  }
  offers = ["sampling"] # without it the server has no tool that asks for a model
}

workflow "prompt_digest" {
  description = "Prompts, linked resources, and a digest by the client's model."

  source "ev" {
    bind = connection.everything.main
  }

  input "city" {
    type = string
  }
  input "state" {
    type = optional(string)
  }
  input "count" {
    type    = integer
    default = 4
  }

  locals {
    question = join("\n", [for m in step.prompt.output.messages : coalesce(m.content.text, "")])
    # "LLM sampling result: " and then JSON.
    answer = jsondecode(trimprefix(step.digest.output, "LLM sampling result: "))
  }

  step "prompt" {
    prompt = ev.args-prompt
    args   = { city = input.city, state = input.state }
  }

  step "embedded" {
    prompt = ev["resource-prompt"]
    args   = { resourceType = "Text", resourceId = "3" }
  }

  step "links" {
    call   = ev["get-resource-links"]
    args   = { count = input.count }
    result = [for part in self.content : part.uri if part.type == "resource_link" && part.uri != null]
  }

  step "linked" {
    for_each = step.links.output
    read     = ev
    uri      = each.value
  }

  step "architecture" {
    read = ev["Dynamic Text Resource"]
    args = { resourceId = "1" }
  }

  step "digest" {
    call     = ev["trigger-sampling-request"]
    args     = { prompt = local.question, maxTokens = 200 }
    decode   = "text"
    deadline = "5m"
  }

  output "prompt" {
    value = local.question
  }
  output "resources" {
    value = [for r in step.linked : {
      uri    = r.each.value
      kind   = length([for p in r.content : p if p.blob != null]) > 0 ? "blob" : "text"
      length = length(r.text)
    }]
  }
  output "embedded" {
    value = [for m in step.embedded.output.messages : m.content.type]
  }
  output "architecture" {
    value = step.architecture.output
  }
  output "digest" {
    type  = string
    value = local.answer.content.text
  }
}
