test "production_needs_approval" {
  workflow = workflow.promote
  inputs   = { promote_to = ["staging", "prod"], keys = ["image"] }

  mock "env" "read_text_file" {
    when   = call.key == "dev"
    output = { content = "{\"image\":\"2\"}" }
  }
  mock "env" "read_text_file" {
    output = { content = "{\"image\":\"1\"}" }
  }
  mock "env" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }
  mock "ev" "get-env" {
    text = "{}"
  }
  answer "approve" {
    decline = true
  }

  expect {
    outputs = {
      table       = { image = { dev = "\"2\"", staging = "\"1\"", prod = "\"1\"" } }
      drift       = { image = ["prod", "staging"] }
      promoted    = { staging = "ok", prod = "skipped" }
      environment = "{}"
    }
  }
}

test "approved" {
  workflow = workflow.promote
  inputs   = { promote_to = ["prod"], keys = ["image"] }

  mock "env" "read_text_file" {
    when   = call.connection == "env.prod"
    output = { content = "{ \"max_id\": 9007199254740993, \"image\": \"1\" }" }
  }
  mock "env" "read_text_file" {
    output = { content = "{\"image\":\"2\"}" }
  }
  mock "env" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }
  mock "ev" "get-env" {
    text = "{}"
  }
  answer "approve" {
    when  = question.message == "Promote 2 to production?"
    data  = {}
    delay = "3h"
  }

  expect {
    outputs = { promoted = { prod = "ok" }, drift = { image = ["prod"] } }
  }
  assert {
    condition     = [for c in calls : "${c.connection} ${c.args.content}" if c.tool == "write_file"] == ["env.prod { \"max_id\": 9007199254740993, \"image\": \"2\" }"]
    error_message = jsonencode(calls)
  }
}

test "nothing_is_promoted" {
  workflow = workflow.promote
  inputs   = { keys = ["image", "flags.beta"] }

  mock "env" "read_text_file" {
    output = { content = call.key == "dev" ? "{\"image\":\"2\",\"flags\":{\"beta\":true}}" : "{\"image\":\"2\"}" }
  }
  mock "ev" "get-env" {
    text = "{}"
  }

  expect {
    outputs = { promoted = {}, drift = { image = [], "flags.beta" = ["prod", "staging"] } }
  }
}

test "an_environment_that_cannot_be_written" {
  workflow = workflow.promote
  inputs   = { promote_to = ["staging", "prod"], keys = [] }

  mock "env" "read_text_file" {
    output = { content = "{\"image\":\"2\"}" }
  }
  mock "env" "write_file" {
    error = "EACCES: permission denied"
  }
  mock "ev" "get-env" {
    text = "{}"
  }
  answer "approve" {
    data = {}
  }

  expect {
    outputs = { promoted = { staging = "error", prod = "error" } }
  }
}

# Nobody answers for four hours: production is left as it is.
test "nobody_answers" {
  workflow = workflow.promote
  inputs   = { promote_to = ["prod"], keys = [] }

  mock "env" "read_text_file" {
    output = { content = "{\"image\":\"2\"}" }
  }
  mock "ev" "get-env" {
    text = "{}"
  }

  expect {
    outputs = { promoted = { prod = "skipped" } }
  }
  assert {
    condition     = try(step.approve.error.kind, "") == "timeout"
    error_message = "It is ${step.approve.outcome}."
  }
}
