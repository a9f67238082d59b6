package check_test

import "testing"

// TestOneMistakeIsOneFinding: nothing follows from a mistake but its own finding.
func TestOneMistakeIsOneFinding(t *testing.T) {
	in := func(name, body string, want ...string) rule { return rule{name, body, want} }
	runRules(t, []rule{
		in("a deployment of no workflow", `
workflow "w" {
  source "demo" {
  }
  step "s" {
    call = demo.greet
    args = { name = "x" }
  }
}
deployment "d" {
  workflow = workflow.nothing
  bind     = { demo = connection.demo.main }
}
`, "WFC2008 `nothing`"),
		in("a tool of a family that is still to be typed", `
workflow "w" {
  source "env" {
    family = { dev = connection.demo.main }
  }
  step "s" {
    for_each = { dev = 1 }
    call     = env[each.key].
    args     = { name = each.value }
  }
}
`, "WFC1010 `.`"),
		in("a connection that does not say how it is reached", `
-- x.wf.hcl --
connection "lab" "main" {
}
workflow "w" {
  source "lab" {
    bind = connection.lab.main
  }
  step "s" {
    call = lab.measure
  }
}
`, "WFC1039 `connection \"lab\" \"main\"`"),
		in("a source that is misspelt", `
workflow "w" {
  sourc "demo" {
    bind = connection.demo.main
  }
  step "s" {
    call = demo.greet
    args = { name = "x" }
  }
  step "t" {
    call = demo.greet
    args = { name = step.s.output.greeting }
  }
}
`, "WFC1020 `sourc`"),
		in("a step that is misspelt", `
  setp "s" {
    call = demo.greet
    args = { name = "x" }
  }
  output "o" {
    value = step.s.output.greeting
  }`, "WFC1020 `setp`"),
		in("a workflow that is misspelt", `
-- x.wf.hcl --
workflo "w" {
  input "i" {
    type = string
  }
  output "o" {
    value = input.i
  }
}
workflow "outer" {
  step "inner" {
    run  = workflow.w
    args = { i = "x" }
  }
  output "o" {
    value = upper(step.inner.output.o)
  }
}
deployment "d" {
  workflow = workflow.w
  inputs   = { i = "x" }
}
`, "WFC1020 `workflo`"),
		in("for_each", `
  step "s" {
    for_eech = ["x"]
    call     = demo.greet
    args     = { name = each.value }
  }
  output "o" {
    value = [for r in step.s : r.output.greeting]
  }`, "WFC1021 `for_eech`"),
		in("on_error", `
  step "s" {
    call    = demo.greet
    args    = { name = "x" }
    on_eror = "continue"
  }
  output "o" {
    value = step.s.outcome == "error" ? "x" : step.s.output.greeting
  }`, "WFC1021 `on_eror`"),
		in("when", `
  input "b" {
    type = bool
  }
  step "s" {
    wehn = input.b
    call = demo.greet
    args = { name = "x" }
  }
  output "o" {
    value = step.s.outcome == "skipped" ? "x" : step.s.output.greeting
  }`, "WFC1021 `wehn`"),
		in("the answer of an ask", `
  step "s" {
    ask {
      message = "x"
      anwser  = object({ ok = bool })
    }
  }
  output "o" {
    value = step.s.output.ok
  }`, "WFC1021 `anwser`"),
		in("loop", `
  step "s" {
    call = demo.counter
    lop {
      while = self.output.count < 3
      max   = 5
    }
  }
  output "o" {
    value = step.s[0].output.count
  }`, "WFC1020 `lop`"),
		in("family", `
workflow "w" {
  source "env" {
    famly = { dev = connection.demo.main }
  }
  step "s" {
    for_each = { dev = "x" }
    call     = env[each.key].greet
    args     = { name = each.value }
  }
}
`, "WFC1021 `famly`"),
		in("the default of an input", `
workflow "w" {
  input "i" {
    type   = string
    defalt = "x"
  }
  output "o" {
    value = input.i
  }
}
workflow "outer" {
  step "inner" {
    run = workflow.w
  }
}
deployment "d" {
  workflow = workflow.w
}
`, "WFC1021 `defalt`"),
		in("a block of another language is none of ours", `
  resource "a" "b" {
    ami = "x"
  }`, "WFC1020 `resource`"),
		in("a connection of a family", `
workflow "w" {
  source "env" {
    family = {
      dev  = connection.demo.mian
      prod = connection.demo.main
    }
  }
  input "to" {
    type = enum("dev", "prod")
  }
  step "s" {
    call = env["dev"].greet
    args = { name = "x" }
  }
  step "t" {
    call = env[input.to].greet
    args = { name = "x" }
  }
}
`, "WFC2007 `demo.mian`"),
		in("a name in the bind of a step", `
workflow "leaf" {
  source "api" {
  }
  step "s" {
    call = api.greet
    args = { name = "x" }
  }
}
workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "s" {
    run  = workflow.leaf
    bind = { apo = demo }
  }
}
deployment "d" {
  workflow = workflow.leaf
  bind     = { apo = connection.demo.main }
}
deployment "e" {
  workflow = workflow.leaf
  bind     = { api = connection.demo.main }
}
`, "WFC2001 `apo`", "WFC2001 `apo`"),
		in("a guard that is left out", `
  step "s" {
    for_each = ["a"]
    call     = demo.greet
    args     = { name = each.value }
    on_error = "continue"
  }
  output "o" {
    value = [for r in step.s : "${r.output.greeting} ${upper(r.output.greeting)}"]
  }`, "WFC2302 `r.output.greeting`"),
		in("a guard with a slip", `
  input "n" {
    type = nullable(object({ a = string }))
  }
  step "s" {
    call     = demo.greet
    args     = { name = "x" }
    on_error = "continue"
  }
  step "t" {
    when = step.s.outcome == "okay"
    call = demo.greet
    args = { name = step.s.output.greeting }
  }
  output "o" {
    value = step.s.outcome == "okay" ? step.s.output.greeting : ""
  }
  output "p" {
    value = [for x in [1] : upper(input.n.a) if input.m != null]
  }
  output "q" {
    value = input.m != null && input.n.a == "x"
  }`, "WFC2205 `step.s.outcome == \"okay\"`", "WFC2205 `step.s.outcome == \"okay\"`", "WFC2003 `m`", "WFC2003 `m`"),
		in("an output of another type than it says", `
workflow "leaf" {
  output "n" {
    type  = string
    value = 1
  }
}
workflow "w" {
  step "s" {
    run = workflow.leaf
  }
  output "o" {
    value = step.s.output.n + 1
  }
}
`, "WFC2201 `1`"),
		in("a step that is there twice", `
  step "s" {
    call = demo.greet
    args = { name = "x" }
  }
  step "s" {
    call = demo.counter
  }
  output "o" {
    value = step.s.output.count + length(step.s.output.greeting)
  }`, "WFC2012 `s`"),
		in("a name that is none", `
  step "gr eet" {
    call = demo.greet
    args = { name = "x" }
  }
  output "o" {
    value = step.greet.output.greeting
  }`, "WFC1028 `gr eet`"),
		in("a tool that an interface names otherwise", `
-- x.wf.hcl --
workflow "w" {
  source "api" {
    interface = interface.greeter
  }
  step "s" {
    call = api.greet
    args = { name = "x" }
  }
}
deployment "d" {
  workflow = workflow.w
  bind     = { api = connection.demo.main }
}
deployment "e" {
  workflow = workflow.w
  bind     = { api = connection.demo.main }
}
-- g.wfi --
interface greeter {
  @read
  tool gret(name: string) -> any
}
`, "WFC2002 `greet`", "WFC1511 `connection.demo.main`"),
		in("a kind of failure", `
  step "s" {
    call     = demo.greet
    args     = { name = "x" }
    on_error = ["toool"]
  }
  output "o" {
    value = step.s.outcome == "ok" ? step.s.output.greeting : step.s.error.message
  }`, "WFC1038 `\"toool\"`"),
		in("what on_error says", `
  step "s" {
    for_each = ["a"]
    call     = demo.greet
    args     = { name = each.value }
    on_error = true
  }
  output "o" {
    value = [for r in step.s : r.error.message if r.outcome == "error"]
  }`, "WFC1034 `true`"),
		in("a way to decode", `
  step "s" {
    call   = demo.echo
    args   = { text = "x" }
    decode = "jsonlines"
  }
  output "o" {
    value = step.s.output[0].id
  }`, "WFC1037 `\"jsonlines\"`"),
		in("a name that is used twice", `
  output "o" {
    value = [for x in [1] : y + y * nope(y)]
  }`, "WFC2010 `y`", "WFC2009 `nope`"),
		in("what is made of what is wrong", `
  output "o" {
    value = sort_by([for s in ["a"] : { title = slpit(s), path = s }], "title")[0].path
  }`, "WFC2009 `slpit`"),
		in("what a reference begins with", `
  step "ask" {
    ask {
      message = "Delete it?"
    }
  }
  step "s" {
    depends_on = [stp.ask]
    call       = demo.delete_task
    args       = { task = 1 }
  }`, "WFC1035 `stp.ask` ~ Did you mean \"step\"?"),
		in("a tool without the dot", `
  step "s" {
    call = demogreet
    args = { name = "x" }
  }`, "WFC1035 `demogreet`"),
		in("both names", `
  step "s" {
    call = demo.greet
    cal  = demo.echo
    args = { name = "x" }
  }`, "WFC1021 `cal`"),

		in("an attribute whose name is a word of another", `
  input "e" {
    type = list(object({ name = string, entityType = string, observations = list(string) }))
  }
  output "o" {
    type  = list(object({ name = string, entityType = string, observations = list(string) }))
    value = [{ name = "a", type = "b", obs = [] }]
  }`, "WFC2202 `type` ~ \"entityType\"", "WFC2202 `obs` ~ \"observations\""),
		in("what is lacked beside it", `
  output "o" {
    type  = object({ entityType = string, observations = list(string) })
    value = { type = "b" }
  }`, "WFC2211 `{ type = \"b\" }` ~ observations", "WFC2202 `type` ~ \"entityType\""),
		in("what is neither", `
  output "o" {
    type  = object({ owner = string, repo = string })
    value = { colour = "b", shape = "c" }
  }`, "WFC2211 `{ colour = \"b\", shape = \"c\" }`", "WFC2202 `colour`", "WFC2202 `shape`"),
	})
}

// TestNamesThatAreNoText: the bytes of another encoding are one mistake.
func TestNamesThatAreNoText(t *testing.T) {
	runRules(t, []rule{{"a name", "-- x.wf.hcl --\nworkflow \"w\" {\n  step \"caf\xe9\" {\n    value = 1\n  }\n  output \"o\" {\n    value = step.caf\xe9.output\n  }\n}\n", []string{"WFC1001 `\xe9`"}}})
}
