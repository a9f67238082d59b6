test "greets_everybody_once" {
  workflow = workflow.hello
  inputs   = { name = "Alan" }

  mock "demo" "list_tasks" {
    when = args.state == "open"
    output = {
      tasks = [
        { id = 1, title = "Write the report", done = false, assignee = "ada" },
        { id = 2, title = "Read it", done = false },
        { id = 3, title = "Send it", done = false, assignee = "ada" },
      ]
    }
  }
  mock "demo" "greet" {
    output = { greeting = "Hello, ${args.name}!" }
  }

  expect {
    outputs = {
      greetings = ["Hello, ada!", "Hello, Alan!"]
      open      = { "1" = "Write the report", "2" = "Read it", "3" = "Send it" }
    }
  }
}

test "nothing_is_open" {
  workflow = workflow.hello

  mock "demo" "list_tasks" {
    output = { tasks = [] }
  }

  expect {
    outputs = { greetings = [], open = {} }
  }
}
