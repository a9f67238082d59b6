package check_test

import "testing"

// find is a step that may be skipped, and maybe one that may fail.
const optional = `
  input "on" {
    type = bool
  }
  input "name" {
    type = nullable(string)
  }
  input "o" {
    type = object({ a = optional(string), n = nullable(object({ b = string })) })
  }
  step "find" {
    when = input.on
    call = demo.greet
    args = { name = "x" }
  }
  step "maybe" {
    call     = demo.greet
    args     = { name = "x" }
    on_error = ["tool"]
  }
  step "both" {
    when     = input.on
    call     = demo.greet
    args     = { name = "x" }
    on_error = "continue"
  }
  step "each" {
    for_each = ["a", "b"]
    call     = demo.greet
    args     = { name = each.value }
    on_error = "continue"
  }
`

func accepted(name, value string) rule {
	return rule{name, optional + "  output \"o\" {\n    value = " + value + "\n  }", nil}
}

func refused(name, value string, want ...string) rule {
	return rule{name, optional + "  output \"o\" {\n    value = " + value + "\n  }", want}
}

func TestUnguardedResults(t *testing.T) {
	runRules(t, []rule{
		refused("a step that may be skipped", "step.find.output.greeting",
			"WFC2302 `step.find.output.greeting` ~ null where step \"find\" was skipped. Use it only where step.find.outcome == \"ok\""),
		refused("a step that may fail", "upper(step.maybe.output.greeting)",
			"WFC2302 `step.maybe.output.greeting` ~ null where step \"maybe\" failed"),
		refused("a step that may do both", "step.both.output.greeting",
			"WFC2302 `step.both.output.greeting` ~ was skipped or failed"),
		refused("an element of a list of results", "[for r in step.each : r.output.greeting]",
			"WFC2302 `r.output.greeting` ~ r.outcome == \"ok\""),
		refused("the error of a step", "step.maybe.error.message",
			"WFC2302 `step.maybe.error.message` ~ unless the step failed"),
		accepted("the whole output may be null", "step.find.output"),
		accepted("text is always there", "upper(step.both.text)"),
	})
}

func TestNarrowing(t *testing.T) {
	runRules(t, []rule{
		accepted("a conditional", `step.find.outcome == "ok" ? step.find.output.greeting : "none"`),
		accepted("the other branch", `step.find.outcome == "skipped" ? "none" : step.find.output.greeting`),
		accepted("not", `!(step.find.outcome == "ok") ? "none" : step.find.output.greeting`),
		accepted("not equal", `step.maybe.outcome != "ok" ? "none" : step.maybe.output.greeting`),
		accepted("the right of &&", `step.maybe.outcome == "ok" && length(step.maybe.output.greeting) > 3`),
		accepted("the right of ||", `step.maybe.outcome == "error" || length(step.maybe.output.greeting) > 3`),
		accepted("both sides of a false ||", `step.maybe.outcome == "error" || input.on ? "x" : step.maybe.output.greeting`),
		accepted("the if of a for", `[for r in step.each : r.output.greeting if r.outcome == "ok"]`),
		accepted("the output itself", `step.both.output != null ? step.both.output.greeting : "none"`),
		accepted("the error where it failed", `step.maybe.outcome == "error" ? step.maybe.error.message : ""`),
		accepted("the outcome that an error tells", `step.maybe.error == null ? step.maybe.output.greeting : step.maybe.error.message`),
		accepted("coalesce", `coalesce(input.name, "x") == upper(coalesce(input.name, input.o.a, "y"))`),
		accepted("an input", `input.name == null ? "" : upper(input.name)`),
		accepted("an optional attribute", `input.o.a != null && upper(input.o.a) == "X"`),
		accepted("an attribute below", `input.o.n == null ? "" : input.o.n.b`),
		accepted("can", `can(input.o.a) ? upper(input.o.a) : ""`),
		accepted("by a for variable as index", `[for i, r in step.each : step.each[i].output.greeting if step.each[i].outcome == "ok"]`),
		accepted("results keep what is known of them", `[for r in [for r in step.each : r if r.outcome == "ok"] : r.output.greeting]`),
		accepted("try", `try(step.find.output.greeting, "none")`),
		accepted("a second question of what is known", `input.name != null && input.name != null`),
		refused("of another path", `step.find.outcome == "ok" ? step.maybe.output.greeting : ""`, "WFC2302 `step.maybe.output.greeting`"),
		refused("on the wrong side", `input.name == null ? upper(input.name) : ""`, "WFC2301 `input.name`"),
		refused("not by ||", `(input.name != null || input.on) ? upper(input.name) : ""`, "WFC2301 `input.name`"),
		refused("try removes no null", `upper(try(input.name, "x"))`, "WFC2301 `input.name`"),
		refused("coalesce with a last that may be null", `upper(coalesce(input.o.a, input.name))`, "WFC2301 `input.name`"),
		refused("a variable of the same name further in", `[for r in step.each : [for r in step.each : r.output.greeting] if r.outcome == "ok"]`,
			"WFC2302 `r.output.greeting`"),
		{"a step's own when", optional + `
  step "use" {
    when = step.find.outcome == "ok"
    call = demo.greet
    args = { name = step.find.output.greeting }
  }`, nil},
		{"what a step that ran says of those that it asked for", optional + `
  step "use" {
    when = step.find.outcome == "ok" && step.maybe.outcome != "error"
    call = demo.greet
    args = { name = step.find.output.greeting }
  }
  step "then" {
    when  = step.use.outcome == "ok"
    value = "${step.use.output.greeting} ${step.find.output.greeting} ${step.maybe.output.greeting}"
  }
  output "o" {
    value = step.then.outcome != "skipped" ? "${step.then.output} of ${step.find.output.greeting}" : "none"
  }
  output "p" {
    value = step.use.output == null ? "none" : step.find.output.greeting
  }
  finally "f" {
    when = step.then.outcome == "ok"
    call = demo.greet
    args = { name = step.find.output.greeting }
  }`, nil},
		{"a step that did not run says nothing of them", optional + `
  step "use" {
    when  = step.find.outcome == "ok"
    value = step.find.output.greeting
  }
  output "o" {
    value = step.use.outcome == "skipped" ? step.find.output.greeting : "x"
  }`, []string{"WFC2302 `step.find.output.greeting`"}},
		{"nor does a round or an element", optional + `
  step "use" {
    for_each = ["a"]
    when     = each.value == input.name && step.find.outcome == "ok"
    value    = step.find.output.greeting
  }
  output "o" {
    value = step.use[0].outcome == "ok" ? step.find.output.greeting : "x"
  }`, []string{"WFC2302 `step.find.output.greeting`"}},
		{"a when of each element", optional + `
  step "use" {
    for_each = step.each
    when     = each.value.outcome == "ok"
    value    = each.value.output.greeting
  }`, nil},
		{"a when of the whole step holds in for_each", optional + `
  step "use" {
    when     = input.name != null
    for_each = split(",", input.name)
    value    = each.value
  }`, nil},
		{"a local that is a condition", optional + `
  locals {
    found = step.find.outcome == "ok"
  }
  output "o" {
    value = local.found ? step.find.output.greeting : ""
  }`, nil},
	})
}

// A condition that is a step's `when` says whether the step ran.
func TestNarrowingByTheWhenOfAStep(t *testing.T) {
	const create = `
  input "id" {
    type = nullable(integer)
  }
  input "on" {
    type = bool
  }
  step "create" {
    when = input.id == null
    call = demo.add_label
    args = { task = 1, label = "x" }
  }
  step "update" {
    when = input.id != null
    call = demo.add_label
    args = { task = input.id, label = "x" }
  }
`
	out := func(name, value string, want ...string) rule {
		return rule{name, create + "  output \"o\" {\n    value = " + value + "\n  }", want}
	}
	runRules(t, []rule{
		out("find, then create or update", `input.id == null ? step.create.output.task : step.update.output.task`),
		out("the negation", `!(input.id == null) ? step.update.output.task : step.create.output.task`),
		out("written with !=", `input.id != null ? step.update.output.task : step.create.output.task`),
		out("with more beside it", `input.on && input.id == null ? step.create.output.task : 0`),
		out("another condition", `input.on ? step.create.output.task : 0`, "WFC2302 `step.create.output.task`"),
		out("the wrong side", `input.id == null ? step.update.output.task : 0`, "WFC2302 `step.update.output.task`"),
		{"in another step's when", create + `
  step "use" {
    when = input.id == null
    call = demo.delete_task
    args = { task = step.create.output.task }
  }`, nil},
		{"a step that may also fail", `
  input "on" {
    type = bool
  }
  step "s" {
    when     = input.on
    call     = demo.counter
    on_error = "continue"
  }
  output "o" {
    value = input.on ? step.s.output.count : 0
  }`, []string{"WFC2302 `step.s.output.count` ~ null where step \"s\" failed"}},
		{"a variable that hides a root says nothing", `
  input "on" {
    type = bool
  }
  step "s" {
    when = input.on
    call = demo.counter
  }
  output "o" {
    value = [for input in [{ on = true }] : input.on ? step.s.output.count : 0]
  }`, []string{"WFC2302 `step.s.output.count`"}},
	})
}

func TestAbsence(t *testing.T) {
	const in = `
  input "o" {
    type = object({ a = optional(string), b = optional(string) })
  }
`
	out := func(name, value string, want ...string) rule {
		return rule{name, in + "  output \"o\" {\n    value = " + value + "\n  }", want}
	}
	typed := func(name, typ, value string, want ...string) rule {
		return rule{name, in + "  output \"o\" {\n    type  = " + typ + "\n    value = " + value + "\n  }", want}
	}
	runRules(t, []rule{
		typed("absence is copied", "object({ m = optional(string) })", "{ m = input.o.a }"),
		typed("a null that is written is none", "object({ m = optional(string) })", "{ m = coalesce(input.o.a, null) }", "WFC2301 `null`"),
		typed("a required attribute cannot be absent", "object({ m = nullable(string) })", "{ m = input.o.a }", "WFC2301 `input.o.a` ~ left out"),
		typed("what coalesce gives is there", "object({ m = string })", `{ m = coalesce(input.o.a, input.o.b, "d") }`),
		typed("the last of coalesce must not be null", "object({ m = string })", "{ m = coalesce(input.o.a, input.o.b) }", "WFC2301 `input.o.b`"),
		typed("what try gives is there", "object({ m = string })", `{ m = try(input.o.a, "d") }`),
		typed("in a map it is left out", "map(string)", "{ m = input.o.a }"),
		typed("in a list it is null", "list(string)", "[input.o.a]", "WFC2301 `input.o.a`"),
		out("try where it is absent", `upper(try(input.o.a, "d"))`),
		out("the last of try must be there", `try(input.o.a, input.o.b)`, "WFC2301 `input.o.b`"),
		out("inside of another try", `try(try(input.o.a, input.o.b), "d")`),
		{"an input that may be left out", `
  input "x" {
    type = optional(string)
  }
  output "o" {
    value = upper(input.x)
  }`, []string{"WFC2301 `input.x` ~ left out"}},
		{"an attribute with a default is there", `
  input "x" {
    type = object({ a = optional(string, "d") })
  }
  output "o" {
    value = upper(input.x.a)
  }`, nil},
	})
}
