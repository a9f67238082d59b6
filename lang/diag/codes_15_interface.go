package diag

// The workflow of the examples, which needs what its interface declares.
const greeterWorkflow = `-- hello.wf.hcl --
workflow "hello" {
  source "demo" {
    interface = interface.greeter
    bind      = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }

  output "greeting" {
    value = step.greet.output.greeting
  }
}
-- greeter.wfi --
`

// The codes of the interface language (LANGUAGE 6) and of what uses it.
func init() {
	register(
		Entry{
			Code: "WFC1501", Severity: Error, Summary: "Declaration of an interface cannot be read",
			Explanation: "An interface declares types, tools, resources and prompts:\n\n" +
				"- `type NAME = TYPE`\n" +
				"- `tool NAME(PARAMETER: TYPE, …) -> TYPE`\n" +
				"- `resource NAME \"uri template\" -> TYPE`\n" +
				"- `prompt NAME(PARAMETER: string, …)`\n\n" +
				"Before each, texts in quotes document it, a line each, and before a tool stand its annotations. The message says what is wanted at this place. " +
				"The other declarations of the file are read all the same.",
			Failing: greeterWorkflow + `interface greeter {
  tool greet(name: string)
}
`,
			Mended: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
		Entry{
			Code: "WFC1502", Severity: Error, Summary: "Bracket of an interface is not closed",
			Explanation: "Every bracket that is opened in an interface file is closed in the same declaration, and the braces of an interface after its last declaration.",
			Failing: greeterWorkflow + `interface greeter {
  tool greet(name: string -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
		Entry{
			Code: "WFC1503", Severity: Error, Summary: "Not what an interface file declares",
			Explanation: "An interface file holds interfaces, and an interface declares `type`, `tool`, `resource` and `prompt`. Workflows and connections are written in " +
				"`*.wf.hcl` files.",
			Failing: greeterWorkflow + `interface greeter {
  func greet(name: string) -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
		Entry{
			Code: "WFC1504", Severity: Error, Summary: "Declared twice in an interface",
			Explanation: "Within an interface, each type, tool, resource and prompt has a name of its own, and so has each parameter of a tool.",
			Failing: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
  tool greet(name: string, language: string) -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  tool greet(name: string, language: optional(string)) -> object({ greeting = string })
}
-- catalog/demo.main.json --
{
  "format_version": 1,
  "connection": "demo.main",
  "tools": [
    {
      "object": {
        "name": "greet",
        "inputSchema": {
          "type": "object",
          "properties": {"name": {"type": "string"}, "language": {"type": "string"}},
          "required": ["name"]
        }
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`,
		},
		Entry{
			Code: "WFC1505", Severity: Error, Summary: "Wrong annotation",
			Explanation: "What a tool does at most is said by one of `@read`, `@write` and `@destructive`, and `@idempotent` says that calling it twice does what calling it once does. " +
				"A tool without them may do anything. Types, resources and prompts have no annotations.",
			Failing: greeterWorkflow + `interface greeter {
  @read @destructive
  tool greet(name: string) -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  @read
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
		Entry{
			Code: "WFC1506", Severity: Error, Summary: "Name is a word of the type notation",
			Explanation: "The types of an interface are used by their bare names inside of it, so that they cannot be called `string`, `list` or as another word of the notation.",
			Failing: greeterWorkflow + `interface greeter {
  type object = object({ greeting = string })

  tool greet(name: string) -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  type answer = object({ greeting = string })

  tool greet(name: string) -> answer
}
`,
		},
		Entry{
			Code: "WFC1507", Severity: Error, Summary: "Parameter of a prompt is not a text",
			Explanation: "MCP knows texts only as the arguments of prompts. A parameter may be `optional(string)`, or an enum of texts.",
			Failing: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
  prompt summarise(topic: string, length: optional(integer))
}
-- catalog/demo.main.json --
{
  "format_version": 1,
  "connection": "demo.main",
  "tools": [{"object": {"name": "greet", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}}],
  "resources": [],
  "resource_templates": [],
  "prompts": [{"object": {"name": "summarise", "arguments": [{"name": "topic"}, {"name": "length"}]}}]
}
`,
			Mended: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
  prompt summarise(topic: string, length: optional(string))
}
-- catalog/demo.main.json --
{
  "format_version": 1,
  "connection": "demo.main",
  "tools": [{"object": {"name": "greet", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}}],
  "resources": [],
  "resource_templates": [],
  "prompts": [{"object": {"name": "summarise", "arguments": [{"name": "topic"}, {"name": "length"}]}}]
}
`,
		},
		Entry{
			Code: "WFC1508", Severity: Error, Summary: "Invalid URI template",
			Explanation: "A resource has a URI, or a template of one as in RFC 6570: in braces stand the names of its variables, as in `repo://{owner}/{name}/readme`.",
			Failing: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
  resource task "demo://tasks/{id" -> string
}
`,
			Mended: greeterWorkflow + `interface greeter {
  tool greet(name: string) -> object({ greeting = string })
  resource task "demo://tasks/{id}" -> string
}
`,
		},
		Entry{
			Code: "WFC1510", Severity: Error, Summary: "Unknown interface",
			Explanation: "An interface that a source names is declared in one of the project's `*.wfi` files.",
			Failing: `-- hello.wf.hcl --
workflow "hello" {
  source "demo" {
    interface = interface.greter
    bind      = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }

  output "greeting" {
    value = step.greet.output
  }
}
-- greeter.wfi --
interface greeter {
  @read
  tool greet(name: string) -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  @read
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
		Entry{
			Code: "WFC1511", Severity: Error, Summary: "Connection does not satisfy its interface",
			Explanation: "A connection satisfies an interface when it has every tool of it, which accepts at least the declared arguments, gives at most the declared result, and does " +
				"nothing stronger than declared. A tool without an output schema promises nothing of its results: they are checked when they arrive. " +
				"What a `tool` block of the connection says counts for what the server does not say. `wfc catalog show CONNECTION` prints what the connection offers as an interface, " +
				"to compare.",
			Failing: greeterWorkflow + `interface greeter {
  @read
  tool greet(name: string, loud: optional(bool)) -> object({ greeting = string })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  @read
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
		Entry{
			Code: "WFC1512", Severity: Warning, Summary: "Interface is not used",
			Explanation: "No source needs this interface, and no type names one of its types. Name it where it is needed, as `interface = interface.NAME` in a `source` block, or remove it.",
			Failing: greeterWorkflow + `interface greeter {
  @read
  tool greet(name: string) -> object({ greeting = string })
}

interface counter {
  @write
  tool counter() -> object({ count = integer })
}
`,
			Mended: greeterWorkflow + `interface greeter {
  @read
  tool greet(name: string) -> object({ greeting = string })
}
`,
		},
	)
}
