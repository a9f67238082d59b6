test "greets" {
  workflow = workflow.greet
  inputs   = { name = "Ada" }
  mock "demo" "greet" {
    when   = args.name == "Ada"
    output = { greeting = "Hallo Ada" }
  }
  expect {
    outcome = "ok"
    outputs = { text = "Hallo Ada" }
  }
  assert {
    condition     = length(calls) == 1 && run.outputs.text == step.hello.output.greeting
    error_message = "Called ${length(calls)} times."
  }
}
