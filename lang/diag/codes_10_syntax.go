package diag

// The codes of lang/syntax that are about the syntax of a file, up to WFC1019.
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
	)
}
