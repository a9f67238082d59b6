connection "demo" "main" {
  stdio {
    command = project.wfc # the demo server is part of wfc itself
    args    = ["demo-server"]
  }
}

workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  input "name" {
    type    = string
    default = "world"
  }

  step "tasks" {
    call = demo.list_tasks
    args = { state = "open" }
  }

  step "greet" {
    for_each = distinct([for task in step.tasks.output.tasks : coalesce(task.assignee, input.name)])
    call     = demo.greet
    args     = { name = each.value }
  }

  output "greetings" {
    value = [for g in step.greet : g.output.greeting]
  }
  output "open" {
    value = { for task in step.tasks.output.tasks : tostring(task.id) => task.title }
  }
}
