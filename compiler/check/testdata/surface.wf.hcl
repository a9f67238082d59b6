# All of the language in one file, over the demo server.

secret "token" {
  command = ["pass", "show", "demo"]
}

provider "lab" {
  http {
    url     = "https://lab.example.com/mcp"
    headers = { "X-Team" = "docs" }
  }
  auth "header" {
    name  = "Authorization"
    value = secret.token
  }
  rate_limit {
    requests = 10
    per      = "1s"
  }
  idle_timeout = "30s"
  offers       = ["elicitation", "roots"]
  trust        = "trusted"
}

connection "lab" "main" {
  enabled = true
  deny    = ["burn"]
  tool "measure" {
    effect       = args.deep == true ? "write" : "read"
    idempotent   = true
    open         = true
    sensitive    = false
    returns      = object({ v = number }, any)
    decode       = "json"
    result       = self.output
    fail_if      = self.output == null
    idle_timeout = "5s"
  }
}

workflow "all" {
  title       = "All"
  description = "Everything."
  deadline    = "2h"
  concurrency {
    key         = input.name
    limit       = 2
    on_conflict = "queue"
  }

  source "demo" {
    bind    = connection.demo.main
    session = "run"
  }
  source "team" {
    family = {
      a = connection.demo.main
      b = connection.demo.main
    }
  }

  input "name" {
    type      = string
    default   = "x"
    sensitive = false
    validation {
      condition     = length(input.name) > 0
      error_message = "name is empty."
    }
  }
  input "keys" {
    type    = list(enum("a", "b"))
    default = ["a"]
  }

  locals {
    open = [for t in step.page[0].output.tasks : t if !t.done]
    safe = step.ask.outcome == "ok" ? step.ask.output.pick : "none"
  }

  step "page" {
    call = demo.list_tasks
    args = { limit = loop.previous == null ? 1 : length(loop.previous.output.tasks) + 1 }
    loop {
      while = length(self.output.tasks) < 3
      max   = 5
      delay = "1s"
    }
    retry {
      attempts  = 3
      delay     = "1s"
      max_delay = "10s"
      on        = ["timeout", "transport"]
      when      = self.error.kind != "tool"
    }
    timeout      = "10s"
    idle_timeout = "5s"
    deadline     = "5m"
  }

  step "ask" {
    when     = length(local.open) > 0
    on_error = ["declined", "timeout"]
    ask {
      message   = "Which of ${length(local.open)}?"
      answer    = object({ pick = string, why = optional(string) })
      choices   = { pick = [for t in local.open : t.title] }
      approvers = ["ann"]
    }
    deadline = "1h"
  }

  step "wait" {
    depends_on = [step.ask]
    sleep      = "1s"
  }

  step "each" {
    for_each     = input.keys
    key          = each.value
    call         = team[each.value].add_label
    args         = { task = each.index, label = local.safe }
    max_parallel = 2
    on_error     = "continue"
    assert {
      condition     = self.output.task == args.task
      error_message = "Not ${args.task}."
    }
    undo {
      call = team[each.key].delete_task
      args = { task = self.output.task }
    }
  }

  step "read" {
    read   = demo.task
    args   = { id = "1" }
    decode = "json"
  }

  step "readme" {
    read = team["a"]
    uri  = "demo://readme"
  }

  step "prompt" {
    prompt = demo.summarise
    args   = { topic = step.readme.output }
  }

  step "child" {
    for_each = { one = 1, two = 2 }
    run      = workflow.greet
    args     = { name = each.key }
    bind     = { demo = team[each.value == 1 ? "a" : "b"] }
  }

  step "value" {
    value   = jsonencode(run.previous == null ? { n = 0 } : { n = 1 })
    decode  = "json"
    result  = self.output["n"]
    returns = integer
    fail_if = self.output == null
  }

  finally "tell" {
    when = run.outcome != "ok"
    call = demo.echo
    args = { text = "${run.error == null ? "?" : run.error.message} ${join(", ", [for e in run.errors : e.step])} ${step.each["a"].outcome}" }
  }

  output "greetings" {
    type  = map(string)
    value = { for k, r in step.child : k => r.output.text }
  }
  output "rest" {
    value = {
      ask     = local.safe
      prompt  = length(step.prompt.output.messages)
      read    = step.read.output
      value   = step.value.output
      waited  = step.wait.outcome
      labels  = { for k, r in step.each : k => r.output.labels if r.outcome == "ok" }
      failed  = [for e in run.errors : e.kind]
      bigger  = length(step.page) > 1
    }
  }
}

workflow "greet" {
  source "demo" {
  }
  input "name" {
    type = string
  }
  step "hello" {
    call = demo.greet
    args = { name = input.name, language = "de" }
  }
  output "text" {
    value = step.hello.output.greeting
  }
}

deployment "all" {
  workflow = workflow.all
  bind     = { demo = connection.demo.main }
  inputs   = { name = "y" }
  policy {
    destructive = "ask"
    drift       = "warn"
    in_doubt    = "fail"
  }
  schedule {
    cron     = "0 9 * * MON-FRI"
    timezone = "Europe/Berlin"
    overlap  = "cancel"
    missed   = "skip"
  }
}

deployment "hook" {
  workflow = workflow.greet
  bind     = { demo = connection.demo.main }
  webhook {
    path     = "/greet"
    input    = input.name
    secret   = secret.token
    max_body = "1KB"
  }
}
