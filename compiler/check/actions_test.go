package check_test

import "testing"

func TestReads(t *testing.T) {
	runRules(t, []rule{
		{"a resource by its address", `
  step "r" {
    read = demo
    uri  = "demo://readme"
  }
  output "o" {
    value = upper(step.r.output)
  }`, nil},
		{"the address is wanted", `
  step "r" {
    read = demo
  }`, []string{"WFC1026 `step \"r\"` ~ \"uri\""}},
		{"args are of templates", `
  step "r" {
    read = demo
    args = { id = "1" }
  }`, []string{"WFC1032 `args` ~ uri = "}},
		{"a template with its variables, decoded", `
  step "r" {
    read   = demo.task
    args   = { id = "1" }
    decode = "json"
  }
  output "o" {
    value = step.r.output["title"]
  }`, nil},
		{"variables of templates are text", `
  step "r" {
    read = demo.task
    args = { id = 1 }
  }`, []string{"WFC2201 `1` ~ argument id of the resource template demo.main.task"}},
		{"a variable is missing", `
  step "r" {
    read = demo.task
  }`, []string{"WFC2101 `demo.task` ~ \"id\""}},
		{"the nearest template", `
  step "r" {
    read = demo.tasks
    args = { id = "1" }
  }`, []string{"WFC2017 `tasks` ~ Did you mean \"task\"?"}},
		{"a template has no uri", `
  step "r" {
    read = demo.task
    args = { id = "1" }
    uri  = "demo://tasks/1"
  }`, []string{"WFC1032 `uri` ~ read = demo"}},
		{"blobs are not text", `
  step "r" {
    read   = demo
    uri    = "demo://readme"
    decode = "blob"
  }
  output "o" {
    value = "size ${step.r.output.size} of ${step.r.output}"
  }`, []string{"WFC2201 `step.r.output`"}},
	})
}

func TestPrompts(t *testing.T) {
	runRules(t, []rule{
		{"messages", `
  step "p" {
    prompt = demo.summarise
    args   = { topic = "a" }
  }
  output "o" {
    value = [for m in step.p.output.messages : coalesce(m.content.text, "") if m.role == "user"]
  }`, nil},
		{"a required argument", `
  step "p" {
    prompt = demo.summarise
  }`, []string{"WFC2101 `demo.summarise` ~ The prompt demo.main.summarise needs the argument \"topic\""}},
		{"an argument that it does not have", `
  step "p" {
    prompt = demo.summarise
    args   = { topic = "a", topics = "b" }
  }`, []string{"WFC2103 `topics` ~ Did you mean \"topic\"?"}},
		{"arguments are text", `
  step "p" {
    prompt = demo.summarise
    args   = { topic = 1 }
  }`, []string{"WFC2201 `1`"}},
		{"no such prompt", `
  step "p" {
    prompt = demo.sumarise
    args   = { topic = "a" }
  }`, []string{"WFC2016 `sumarise` ~ Did you mean \"summarise\"?"}},
		{"roles are an enum", `
  step "p" {
    prompt = demo.summarise
    args   = { topic = "a" }
  }
  output "o" {
    value = [for m in step.p.output.messages : m if m.role == "system"]
  }`, []string{"WFC2205 `m.role == \"system\"`"}},
	})
}

func TestQuestions(t *testing.T) {
	runRules(t, []rule{
		{"the answer has its type", tasks + `
  step "confirm" {
    deadline = "1h"
    ask {
      message   = "Go on with ${length(step.tasks.output.tasks)}?"
      answer    = object({ ok = bool, pick = string, why = optional(string) })
      choices   = { pick = [for t in step.tasks.output.tasks : t.title] }
      approvers = ["ann", "bob"]
    }
  }
  step "label" {
    when = step.confirm.output.ok
    call = demo.greet
    args = { name = step.confirm.output.pick }
  }
  output "why" {
    value = coalesce(step.confirm.output.why, "")
  }`, nil},
		{"choices are of attributes of the answer", `
  step "q" {
    ask {
      message = "Which?"
      answer  = object({ pick = string })
      choices = { pik = ["a"] }
    }
  }`, []string{"WFC2202 `pik` ~ Did you mean \"pick\"?"}},
		{"choices fit their attribute", `
  step "q" {
    ask {
      message = "Which?"
      answer  = object({ pick = integer })
      choices = { pick = ["a"] }
    }
  }`, []string{"WFC2201 `\"a\"` ~ The part [0] of the choices of \"pick\""}},
		{"several may be picked", `
  step "q" {
    ask {
      message = "Which?"
      answer  = object({ picks = list(string) })
      choices = { picks = ["a", "b"] }
    }
  }`, nil},
		{"messages are text", `
  step "q" {
    ask {
      message = 1
    }
  }`, []string{"WFC2201 `1` ~ The message"}},
		{"a question that may be declined", `
  step "q" {
    on_error = ["declined"]
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
  }
  output "o" {
    value = step.q.output.ok
  }`, []string{"WFC2302 `step.q.output.ok` ~ failed"}},
		{"timeouts are not of questions", `
  step "q" {
    timeout = "1h"
    ask {
      message = "Go on?"
    }
  }`, []string{"WFC1032 `timeout` ~ deadline"}},
		{"a step waits", `
  input "pause" {
    type = string
  }
  step "a" {
    sleep = input.pause
  }
  step "b" {
    sleep = "10 minutes"
  }`, []string{"WFC2212 `\"10 minutes\"`"}},
	})
}

func TestModifiers(t *testing.T) {
	runRules(t, []rule{
		{"retry", `
  step "t" {
    call = demo.list_tasks
    retry {
      attempts  = 4
      delay     = "1s"
      max_delay = "20s"
      on        = ["timeout", "rate_limit"]
      when      = self.error.kind != "timeout" && !contains(["x"], self.error.message)
    }
  }`, nil},
		{"kinds of failures", `
  step "t" {
    call = demo.list_tasks
    retry {
      on = ["time_out"]
    }
  }`, []string{"WFC2201 `\"time_out\"`"}},
		{"no attempt", `
  step "t" {
    call = demo.list_tasks
    retry {
      attempts = 0
    }
  }`, []string{"WFC2206 `0` ~ attempts"}},
		{"retry looks at a failure", `
  step "t" {
    call = demo.list_tasks
    retry {
      when = length(self.output.tasks) == 0
    }
  }`, []string{"WFC2301 `self.output.tasks`"}},
		{"a value is not retried", `
  step "t" {
    value = 1
    retry {
      attempts = 2
    }
  }`, []string{"WFC1032 `retry` ~ names a value"}},
		{"assert looks at the output", `
  step "t" {
    call = demo.list_tasks
    args = { limit = 3 }
    assert {
      condition     = length(self.output.tasks) <= args.limit
      error_message = "More than ${args.limit}: ${length(self.output.tasks)}."
    }
    assert {
      condition     = self.output.task != null
      error_message = 7
    }
  }`, []string{"WFC2202 `task` ~ Did you mean \"tasks\"?", "WFC2201 `7` ~ The error message"}},
		{"assert looks last", `
  step "t" {
    call   = demo.list_tasks
    result = length(self.output.tasks)
    assert {
      condition     = self.output < 10
      error_message = "Too many."
    }
  }`, nil},
		{"undo sees result and arguments", `
  step "t" {
    for_each = [1, 2]
    call     = demo.add_label
    args     = { task = each.value, label = "x" }
    undo {
      call = demo.delete_task
      args = { task = self.output.task + args.task - each.value }
    }
  }`, nil},
		{"the arguments of undo are checked", `
  step "t" {
    call = demo.greet
    args = { name = "x" }
    undo {
      call = demo.delete_task
      args = { task = self.output.greeting }
    }
    undo {
      call = demo.delete_tsk
    }
    undo {
      call = demo.delete_task
    }
  }`, []string{"WFC2201 `self.output.greeting` ~ argument task of the tool demo.main.delete_task", "WFC2002 `delete_tsk`", "WFC2101 `demo.delete_task`"}},
		{"what undo refers to comes before the step", `
  step "a" {
    call = demo.greet
    args = { name = "x" }
    undo {
      call = demo.greet
      args = { name = step.b.output.greeting }
    }
  }
  step "b" {
    call = demo.greet
    args = { name = step.a.output.greeting }
  }`, []string{"WFC2303 `step.a.output.greeting`"}},
		{"durations", `
  step "t" {
    call         = demo.list_tasks
    timeout      = "1m"
    idle_timeout = "30"
    deadline     = "0s"
  }`, []string{"WFC2212 `\"30\"`", "WFC2212 `\"0s\"` ~ The deadline"}},
		{"self is not of args", `
  step "t" {
    call = demo.greet
    args = { name = self.text }
  }`, []string{"WFC2011 `self`"}},
	})
}
