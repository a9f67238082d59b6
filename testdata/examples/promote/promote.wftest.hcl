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
