test "what_the_model_said" {
  workflow = workflow.prompt_digest
  inputs   = { city = "Oslo", count = 1 }

  mock "ev" "args-prompt" {
    text = "What's weather in ${args.city}?"
  }
  mock "ev" "resource-prompt" {
    text = "This prompt includes a resource."
  }
  mock "ev" "get-resource-links" {
    content = [{ type = "resource_link", uri = "demo://resource/dynamic/text/1", name = "one" }]
  }
  mock "ev" "demo://resource/dynamic/text/1" {
    text = "Resource 1"
  }
  mock "ev" "trigger-sampling-request" {
    text = "LLM sampling result: {\"content\":{\"text\":\"You said: ${args.prompt}\"}}"
  }

  expect {
    outputs = {
      prompt       = "What's weather in Oslo?"
      resources    = [{ uri = "demo://resource/dynamic/text/1", kind = "text", length = 10 }]
      embedded     = ["text"]
      architecture = "Resource 1"
      digest       = "You said: What's weather in Oslo?"
    }
  }
}
