package diag

import "strings"

// The codes of lang/expr: what is wrong with the text of an expression itself.
func init() {
	register(
		Entry{
			Code: "WFC1201", Severity: Error, Summary: "Expression nested too deeply",
			Explanation: "Brackets, template sequences (`${ }`) and template directives (`%{ if }`, `%{ for }`) may stand inside of each other 256 deep. " +
				"More cannot be read safely, and nobody can read it. Give the inner parts names in a `locals` block.",
			Failing: "workflow \"deep\" {\n  output \"answer\" {\n    value = " + strings.Repeat("[", 300) + "42" + strings.Repeat("]", 300) + "\n  }\n}\n",
			Mended: `workflow "deep" {
  locals {
    inner = [[[42]]]
  }

  output "answer" {
    value = [[local.inner]]
  }
}
`,
		},
		Entry{
			Code: "WFC1202", Severity: Error, Summary: "Too many operators in one expression",
			Explanation: "One expression, with all it stands in, may have 1,000 operators, `[` included. Give its parts names in a `locals` block, or " +
				"write the values as a list and use a function such as `sum`, `join` or `alltrue`, or a `for` expression.",
			Failing: "workflow \"long\" {\n  output \"total\" {\n    value = 1" + strings.Repeat(" + 1", 1200) + "\n  }\n}\n",
			Mended: `workflow "long" {
  output "total" {
    value = sum([1, 1, 1])
  }
}
`,
		},
		Entry{
			Code: "WFC1203", Severity: Error, Summary: "Number out of range",
			Explanation: "Numbers are exact decimals of at most 1,000 digits, and the exponent of their scientific notation lies between -400 and 400. " +
				"What lies beyond is refused, never rounded. An identifier that only looks like a number belongs in quotes.",
			Failing: `workflow "big" {
  output "answer" {
    value = 1e100000000
  }
}
`,
			Mended: `workflow "big" {
  output "answer" {
    value = 1e100
  }
}
`,
		},
		Entry{
			Code: "WFC1204", Severity: Error, Summary: "Object key written twice",
			Explanation: "An object has each key once. If the second were taken, the first would be lost without a word. To let one object's " +
				"attributes replace those of another, use `merge`.",
			Failing: `workflow "twice" {
  output "answer" {
    value = { a = 1, b = 2, "a" = 3 }
  }
}
`,
			Mended: `workflow "twice" {
  output "answer" {
    value = merge({ a = 1, b = 2 }, { a = 3 })
  }
}
`,
		},
		Entry{
			Code: "WFC1205", Severity: Error, Summary: "Ambiguous object key",
			Explanation: "A key of an object is a bare name, a text in quotes, or an expression in parentheses. A reference with dots and without " +
				"parentheses could be meant as either of the last two.",
			Failing: `workflow "keys" {
  input "name" {
    type = string
  }

  output "answer" {
    value = { input.name = 1 }
  }
}
`,
			Mended: `workflow "keys" {
  input "name" {
    type = string
  }

  output "answer" {
    value = { (input.name) = 1, "a.b" = 2 }
  }
}
`,
		},
		Entry{
			Code: "WFC1206", Severity: Error, Summary: "Text of too many lines",
			Explanation: "A long text in a workflow file is read in no time where its lines have neither `$` nor `%` in them. Of others, and of lines of " +
				"less than five characters, it may have ten thousand and more, depending on how long they are. A text of this size is better kept in a file of its own, which " +
				"`file(\"NAME\")` reads.",
			NoExample: "It would be longer than all others together.",
		},
		Entry{
			Code: "WFC1207", Severity: Error, Summary: "Too long to be read",
			Explanation: "A file of workflows may have 1,000,000 names, numbers and signs, comments and most texts not counted, and as many lines: more than 20,000 steps. A file of " +
				"interfaces may have 2,000,000. What is larger is made by a program, which can as well make several files, or a file of values that " +
				"`file(\"NAME\")` reads.",
			NoExample: "It would be longer than all others together.",
		},
	)
}
