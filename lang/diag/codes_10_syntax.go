package diag

// The codes of lang/syntax: how a file is written, and the shape of its blocks.
func init() {
	register(
		Entry{
			Code: "WFC1001", Severity: Error, Summary: "File is not UTF-8 text",
			Explanation: "A workflow file is text in UTF-8. This one holds bytes that are not: it was saved in another encoding, such as " +
				"Latin-1 or UTF-16, or it is no text at all. Save it as UTF-8 in your editor.",
			Failing: "workflow \"hello\" {\n  description = \"Gr\xfc\xdfe\"\n}\n",
			Mended: `workflow "hello" {
  description = "Grüße"
}
`,
		},
		Entry{
			Code: "WFC1002", Severity: Error, Summary: "Invalid character",
			Explanation: "This character has no meaning outside of texts in quotes. Often it came with a copied text: curly quotes, a " +
				"non-breaking space, a semicolon at the end of a line. Texts stand in straight double quotes; attributes and blocks are " +
				"separated by line breaks.",
			Failing: `workflow "hello" {
  description = 'Says hello.'
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1003", Severity: Error, Summary: "Missing line break",
			Explanation: "Each attribute and each block ends with a line break. Two of them cannot share a line, and there is no comma between " +
				"them.",
			Failing: `workflow "hello" {
  description = "Says hello.", title = "Hello"
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
  title       = "Hello"
}
`,
		},
		Entry{
			Code: "WFC1004", Severity: Error, Summary: "Unclosed block",
			Explanation: "A block that begins with `{` has no `}` of its own, so that what follows it seems to belong to it.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
}
`,
		},
		Entry{
			Code: "WFC1005", Severity: Error, Summary: "Unclosed text",
			Explanation: "A text in quotes ends on the line where it began. For a text of several lines, write `\\n` in it, or use the heredoc " +
				"form: `<<-EOT`, the lines, and `EOT` alone on the last line.",
			Failing: `workflow "hello" {
  description = "Says hello.
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1006", Severity: Error, Summary: "Unclosed heredoc",
			Explanation: "A heredoc (`<<NAME` or `<<-NAME`) goes on until a line that holds only its name. There is no such line.",
			Failing: `workflow "hello" {
  description = <<-EOT
    Says hello.
}
`,
			Mended: `workflow "hello" {
  description = <<-EOT
    Says hello.
  EOT
}
`,
		},
		Entry{
			Code: "WFC1007", Severity: Error, Summary: "Invalid escape sequence",
			Explanation: "In a text in quotes a backslash begins an escape: `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, `\\uNNNN`, `\\UNNNNNNNN`. For a backslash " +
				"itself, as in Windows paths and regular expressions, write two. Heredocs know no escapes.",
			Failing: `workflow "hello" {
  description = "Reads C:\Users\ada."
}
`,
			Mended: `workflow "hello" {
  description = "Reads C:\\Users\\ada."
}
`,
		},
		Entry{
			Code: "WFC1008", Severity: Error, Summary: "Invalid template",
			Explanation: "In a text, `${` begins an expression and `%{` a directive (`if`, `else`, `endif`, `for`, `endfor`); both end with `}`. For " +
				"the characters themselves, as in shell scripts, write `$${` and `%%{`, or keep the text in a file and read it with " +
				"`file(\"script.sh\")`.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.echo
    args = { text = "echo ${HOME:-none}" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.echo
    args = { text = "echo $${HOME:-none}" }
  }
}
`,
		},
		Entry{
			Code: "WFC1009", Severity: Error, Summary: "Missing value",
			Explanation: "A value is expected here and none is written, or what is written begins no value.",
			Failing: `workflow "hello" {
  description =
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1010", Severity: Error, Summary: "Missing name after a dot",
			Explanation: "After a dot stands the name of what is read: an attribute, a tool, a step.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
}
`,
		},
		Entry{
			Code: "WFC1011", Severity: Error, Summary: "Unclosed bracket",
			Explanation: "A `(`, `[` or `{` in a value has no counterpart, or something else stands where it should be.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = join(" ", ["Ada", "Lovelace"] }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = join(" ", ["Ada", "Lovelace"]) }
  }
}
`,
		},
		Entry{
			Code: "WFC1012", Severity: Error, Summary: "Missing comma",
			Explanation: "The elements of a list and the arguments of a function are separated by commas; the attributes of an object by commas " +
				"or line breaks.",
			Failing: `workflow "hello" {
  step "greet" {
    value = ["a" "b"]
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = ["a", "b"]
  }
}
`,
		},
		Entry{
			Code: "WFC1013", Severity: Error, Summary: "Closing bracket without an opening one",
			Explanation: "A `}`, `]` or `)` stands where nothing is open. Either it is one too many, or an earlier one closed too much.",
			Failing: `workflow "hello" {
  description = "Says hello."
}
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1014", Severity: Error, Summary: "Invalid beginning of a block",
			Explanation: "A block begins with its type, its labels in quotes, and `{` on the same line: `step \"search\" {`.",
			Failing: `workflow "hello" {
  step "greet"
  {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1015", Severity: Error, Summary: "Attribute or block expected",
			Explanation: "Inside of a block stand attributes (`name = value`) and blocks (`type \"label\" { … }`), one a line, and nothing else.",
			Failing: `workflow "hello" {
  "description" = "Says hello."
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1016", Severity: Error, Summary: "Invalid operator",
			Explanation: "wfc knows the operators `+ - * / %`, `== != < <= > >=`, `&& || !` and `? :`. Others must be written in another way; powers and " +
				"bit operations do not exist.",
			Failing: `workflow "hello" {
  step "area" {
    value = 3 ** 2
  }
}
`,
			Mended: `workflow "hello" {
  step "area" {
    value = 3 * 3
  }
}
`,
		},
		Entry{
			Code: "WFC1017", Severity: Error, Summary: "Block on one line holds too much",
			Explanation: "A block that is opened and closed on one line may hold one attribute. With more of them, each stands on a line of its " +
				"own.",
			Failing: `workflow "hello" {
  output "text" { value = "Hello", description = "The greeting." }
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value       = "Hello"
    description = "The greeting."
  }
}
`,
		},
		Entry{
			Code: "WFC1018", Severity: Error, Summary: "Attribute set twice",
			Explanation: "Each attribute of a block may be set once.",
			Failing: `workflow "hello" {
  description = "Says hello."
  description = "Greets."
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1019", Severity: Error, Summary: "Syntax error",
			Explanation: "The text cannot be read as HCL, the syntax of workflow files.",
			Failing: `workflow "hello" {
  step "words" {
    value = [for w in ["a", "b"] w]
  }
}
`,
			Mended: `workflow "hello" {
  step "words" {
    value = [for w in ["a", "b"] : w]
  }
}
`,
		},
		Entry{
			Code: "WFC1020", Severity: Error, Summary: "Unknown block",
			Explanation: "There is no block of this type here. Often the name is misspelt, or it is another tool's word for the same thing.",
			Failing: `workflow "hello" {
  stp "greet" {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1021", Severity: Error, Summary: "Unknown attribute of a block",
			Explanation: "The block has no attribute of this name.",
			Failing: `workflow "hello" {
  step "greet" {
    valu = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1022", Severity: Error, Summary: "Block in the wrong place",
			Explanation: "This block exists, but it stands in another block or another file.",
			Failing: `step "greet" {
  value = "Hello"
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1023", Severity: Error, Summary: "Attribute in the wrong place",
			Explanation: "This attribute exists, but it belongs to another block.",
			Failing: `workflow "hello" {
  max_parallel = 4

  step "greet" {
    for_each = ["Ada", "Alan"]
    value    = each.value
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    for_each     = ["Ada", "Alan"]
    value        = each.value
    max_parallel = 4
  }
}
`,
		},
		Entry{
			Code: "WFC1024", Severity: Error, Summary: "Block written as an attribute",
			Explanation: "This is a block: it has no equals sign between its name and `{`.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio = {
    command = "files-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1025", Severity: Error, Summary: "Attribute written as a block",
			Explanation: "This is an attribute: an equals sign stands between its name and its value.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args {
      name = "Ada"
    }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = {
      name = "Ada"
    }
  }
}
`,
		},
		Entry{
			Code: "WFC1026", Severity: Error, Summary: "Block lacks an attribute",
			Explanation: "The block cannot do without this attribute.",
			Failing: `workflow "hello" {
  output "text" {
    description = "The greeting."
  }
}
`,
			Mended: `workflow "hello" {
  output "text" {
    value       = "Hello"
    description = "The greeting."
  }
}
`,
		},
		Entry{
			Code: "WFC1027", Severity: Error, Summary: "Wrong number of labels",
			Explanation: "The labels of a block stand in quotes between its type and `{`. A connection has two (provider and account), most " +
				"blocks have one (their name), and some have none.",
			Failing: `workflow "hello" {
  step {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1028", Severity: Error, Summary: "Invalid name",
			Explanation: "Names are used in expressions (`step.greet`), so they consist of letters, digits, `_` and `-` and begin with a letter or " +
				"`_`. Only tools may have any name.",
			Failing: `workflow "hello" {
  step "say hello" {
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  step "say_hello" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1029", Severity: Error, Summary: "Block written twice",
			Explanation: "A block of this type may stand here once.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  stdio {
    command = "other-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1030", Severity: Error, Summary: "Step without an action",
			Explanation: "A step does one thing: `call` (a tool), `value` (a computed value), `read`, `prompt`, `run`, `ask` or `sleep`.",
			Failing: `workflow "hello" {
  step "greet" {
    when = true
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    when  = true
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1031", Severity: Error, Summary: "Step with several actions",
			Explanation: "A step does one thing. Its result would be ambiguous otherwise.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call  = demo.greet
    args  = { name = "Ada" }
    value = "Hello"
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }

  step "hello" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1032", Severity: Error, Summary: "Attribute does not fit the step",
			Explanation: "The attribute has no meaning with what the step does, so it would have no effect.",
			Failing: `workflow "hello" {
  step "greet" {
    value = "Hello"
    args  = { name = "Ada" }
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}
`,
		},
		Entry{
			Code: "WFC1033", Severity: Error, Summary: "Value must be a constant",
			Explanation: "This is read before anything runs. It must be written as it is, without inputs, steps, functions or templates.",
			Failing: `workflow "hello" {
  input "name" {
    type = string
  }
  description = "Greets ${input.name}."
}
`,
			Mended: `workflow "hello" {
  input "name" {
    type = string
  }
  description = "Greets somebody."
}
`,
		},
		Entry{
			Code: "WFC1034", Severity: Error, Summary: "Wrong kind of constant",
			Explanation: "A constant is expected here, and one of another kind is written.",
			Failing: `workflow "hello" {
  description = 42
}
`,
			Mended: `workflow "hello" {
  description = "Says hello."
}
`,
		},
		Entry{
			Code: "WFC1035", Severity: Error, Summary: "Invalid reference",
			Explanation: "Here stands the name of something, written without quotes: a tool as `SOURCE.TOOL` or `SOURCE[\"tool name\"]`, a connection " +
				"as `connection.PROVIDER.ACCOUNT`, a step as `step.NAME`, a workflow as `workflow.NAME`.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = "demo.greet"
    args = { name = "Ada" }
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
}
`,
		},
		Entry{
			Code: "WFC1036", Severity: Error, Summary: "Invalid duration",
			Explanation: "A duration is one or more numbers with units, in quotes: `\"500ms\"`, `\"30s\"`, `\"5m\"`, `\"1h30m\"`, `\"2d\"`.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  timeouts {
    connect = "30"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  timeouts {
    connect = "30s"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1037", Severity: Error, Summary: "Invalid choice",
			Explanation: "This attribute takes one of a few words.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call   = demo.echo
    args   = { text = "{}" }
    decode = "jsn"
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call   = demo.echo
    args   = { text = "{}" }
    decode = "json"
  }
}
`,
		},
		Entry{
			Code: "WFC1038", Severity: Error, Summary: "Unknown kind of failure",
			Explanation: "Failures have one of a fixed set of kinds: tool, protocol, transport, session, timeout, rate_limit, cancelled, decode, " +
				"expression, assert, limit, declined, policy.",
			Failing: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call     = demo.greet
    args     = { name = "Ada" }
    on_error = ["tools"]
  }
}
`,
			Mended: `workflow "hello" {
  source "demo" {
    bind = connection.demo.main
  }

  step "greet" {
    call     = demo.greet
    args     = { name = "Ada" }
    on_error = ["tool"]
  }
}
`,
		},
		Entry{
			Code: "WFC1039", Severity: Error, Summary: "Connection without a transport",
			Explanation: "A connection says how its server is reached: a `stdio` block holds the command that starts it.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  max_in_flight = 1
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  max_in_flight = 1
  stdio {
    command = "files-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1040", Severity: Error, Summary: "Connection with several transports",
			Explanation: "A connection reaches its server in one way. For another way, write another connection.",
			Failing: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
  http {
    url = "https://files.example.com/mcp"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
			Mended: `-- files.wf.hcl --
connection "files" "docs" {
  stdio {
    command = "files-server"
  }
}
-- catalog/files.docs.json --
{"format_version": 1, "connection": "files.docs", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`,
		},
		Entry{
			Code: "WFC1041", Severity: Error, Summary: "Secret with several origins",
			Explanation: "A secret comes from one place: `env`, `file`, `command` or `keyring`.",
			Failing: `secret "token" {
  env  = "TOKEN"
  file = "token.txt"
}
`,
			Mended: `secret "token" {
  env = "TOKEN"
}
`,
		},
		Entry{
			Code: "WFC1090", Severity: Error, Summary: "Not built yet",
			Explanation: "This is part of the language, but this version of wfc cannot run it yet. It is an error, because a workflow that silently " +
				"does less than it says is worse than one that does not start.",
			Failing: `workflow "hello" {
  step "pause" {
    sleep = "10m"
  }
}
`,
			Mended: `workflow "hello" {
  step "pause" {
    value = "10m"
  }
}
`,
		},
		Entry{
			Code: "WFC1099", Severity: Error, Summary: "Internal fault",
			Explanation: "This is a bug in wfc: it could not cope with a file. The other files have been read all the same. Please report it, with " +
				"the file and the lines that the diagnostic shows.",
			NoExample: "The cause is a fault of wfc, not something that a user wrote.",
		},
	)
}
