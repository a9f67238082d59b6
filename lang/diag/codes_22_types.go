package diag

// The codes of compiler/check about the types of expressions.
func init() {
	register(
		Entry{
			Code: "WFC2201", Severity: Error, Summary: "Wrong type",
			Explanation: "An expression has another type than what takes it: an argument of a tool or a function, an operand, a default, the value of an output with a `type`. " +
				"Nothing is converted silently, since a conversion that nobody wrote is one that nobody expects; `tostring`, `tonumber` and others convert.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "label" {
    call = demo.add_label
    args = { task = "7", label = "urgent" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "label" {
    call = demo.add_label
    args = { task = 7, label = "urgent" }
  }
}
`,
		},
		Entry{
			Code: "WFC2202", Severity: Error, Summary: "Unknown attribute",
			Explanation: "The type of an object does not name the attribute. Where a schema lists properties, a server may still answer with more: those are read by index, " +
				"as in `x[\"name\"]`, and are checked when the value is there.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
  output "text" {
    value = step.greet.output.greting
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
  output "text" {
    value = step.greet.output.greeting
  }
}
`,
		},
		Entry{
			Code: "WFC2203", Severity: Error, Summary: "Attribute of what has none",
			Explanation: "Only objects have attributes that are read with a dot. The elements of a map are read by key, `m[\"key\"]`, those of a list by index or all at once: " +
				"`xs[0].name`, `xs[*].name`, `[for x in xs : x.name]`. The result of a step with `for_each` is a list or map of results.",
			Failing: `workflow "hello" {
  step "greetings" {
    for_each = ["Ada", "Alan"]
    value    = "Hello ${each.value}"
  }
  output "texts" {
    value = step.greetings.output
  }
}
`,
			Mended: `workflow "hello" {
  step "greetings" {
    for_each = ["Ada", "Alan"]
    value    = "Hello ${each.value}"
  }
  output "texts" {
    value = step.greetings[*].output
  }
}
`,
		},
		Entry{
			Code: "WFC2204", Severity: Error, Summary: "No common type",
			Explanation: "The branches of a conditional, and the arguments of `try` and `coalesce`, must fit one type together: whoever reads the value must know what it is. " +
				"Null, empty lists and empty objects fit everything of their kind.",
			Failing: `workflow "hello" {
  input "verbose" {
    type = bool
  }
  output "labels" {
    value = input.verbose ? ["urgent", "new"] : "urgent"
  }
}
`,
			Mended: `workflow "hello" {
  input "verbose" {
    type = bool
  }
  output "labels" {
    value = input.verbose ? ["urgent", "new"] : ["urgent"]
  }
}
`,
		},
		Entry{
			Code: "WFC2205", Severity: Error, Summary: "Comparison that is always the same",
			Explanation: "The two sides can never be equal, so that the comparison decides nothing. Mostly a word is misspelt, or one side is text and the other a number: " +
				"nothing is converted silently.",
			Failing: `workflow "hello" {
  input "state" {
    type = enum("open", "done")
  }
  output "is_open" {
    value = input.state == "opne"
  }
}
`,
			Mended: `workflow "hello" {
  input "state" {
    type = enum("open", "done")
  }
  output "is_open" {
    value = input.state == "open"
  }
}
`,
		},
		Entry{
			Code: "WFC2206", Severity: Error, Summary: "Value breaks a rule of its type",
			Explanation: "A constant is of the right type, but breaks a rule that goes with it: a minimum, a length, a pattern of the tool's schema. Values that are not " +
				"constant are checked against these rules when the workflow runs.",
			Failing: `workflow "hello" {
  step "numbers" {
    for_each     = [1, 2, 3]
    max_parallel = 0
    value        = each.value
  }
}
`,
			Mended: `workflow "hello" {
  step "numbers" {
    for_each     = [1, 2, 3]
    max_parallel = 1
    value        = each.value
  }
}
`,
		},
		Entry{
			Code: "WFC2207", Severity: Error, Summary: "Wrong index",
			Explanation: "A list is read with whole numbers from 0, a map or object with text. Other values have no elements.",
			Failing: `workflow "hello" {
  locals {
    names = ["Ada", "Alan"]
  }
  output "first" {
    value = local.names["0"]
  }
}
`,
			Mended: `workflow "hello" {
  locals {
    names = ["Ada", "Alan"]
  }
  output "first" {
    value = local.names[0]
  }
}
`,
		},
		Entry{
			Code: "WFC2208", Severity: Error, Summary: "Not a list, map or object",
			Explanation: "`for` and `for_each` go through the elements of a list, a map or an object. Text is gone through by its parts, as in `split(\",\", text)`, " +
				"and numbers with a list of them.",
			Failing: `workflow "hello" {
  step "greetings" {
    for_each = "Ada,Alan"
    value    = "Hello ${each.value}"
  }
}
`,
			Mended: `workflow "hello" {
  step "greetings" {
    for_each = split(",", "Ada,Alan")
    value    = "Hello ${each.value}"
  }
}
`,
		},
		Entry{
			Code: "WFC2209", Severity: Error, Summary: "Type that the output can never have",
			Explanation: "`returns` says what the output of a step must be, and no value that the step can give is of that type: every run would fail.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call    = demo.greet
    args    = { name = "world" }
    returns = list(string)
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call    = demo.greet
    args    = { name = "world" }
    returns = object({ greeting = string })
  }
}
`,
		},
		Entry{
			Code: "WFC2210", Severity: Error, Summary: "Key without a list",
			Explanation: "`key` gives the elements of a list an identity other than their index. The elements of a map or object have their keys already.",
			Failing: `workflow "hello" {
  step "greetings" {
    for_each = { ada = "Ada", alan = "Alan" }
    key      = each.value
    value    = "Hello ${each.value}"
  }
}
`,
			Mended: `workflow "hello" {
  step "greetings" {
    for_each = { ada = "Ada", alan = "Alan" }
    value    = "Hello ${each.value}"
  }
}
`,
		},
		Entry{
			Code: "WFC2211", Severity: Error, Summary: "Missing attribute",
			Explanation: "An object lacks an attribute that its type requires.",
			Failing: `workflow "hello" {
  input "task" {
    type    = object({ id = integer, title = string })
    default = { id = 7 }
  }
}
`,
			Mended: `workflow "hello" {
  input "task" {
    type    = object({ id = integer, title = string })
    default = { id = 7, title = "Write" }
  }
}
`,
		},
		Entry{
			Code: "WFC2212", Severity: Error, Summary: "Not a duration",
			Explanation: "A duration is text: a number with a unit, `\"500ms\"`, `\"30s\"`, `\"10m\"`, `\"2h\"`, or several, `\"1h30m\"`.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call    = demo.greet
    args    = { name = "world" }
    timeout = "30 seconds"
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call    = demo.greet
    args    = { name = "world" }
    timeout = "30s"
  }
}
`,
		},
		Entry{
			Code: "WFC2213", Severity: Error, Summary: "This can never be computed",
			Explanation: "A default and the inputs of a deployment are constants: they are computed when checking, and this one has no value. What is divided by a constant zero has none either, wherever it stands.",
			Failing: `workflow "hello" {
  input "limit" {
    type    = number
    default = 10 / 0
  }
}
`,
			Mended: `workflow "hello" {
  input "limit" {
    type    = number
    default = 10 / 2
  }
}
`,
		},
	)
}
