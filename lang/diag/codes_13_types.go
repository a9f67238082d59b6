package diag

// The codes of the type notation (LANGUAGE 2).
func init() {
	register(
		Entry{
			Code: "WFC1301", Severity: Error, Summary: "Unknown type",
			Explanation: "The types are `any`, `null`, `bool`, `string`, `number`, `integer`, `blob`, `list(T)`, `map(T)`, `tuple([T, …])`, " +
				"`object({ a = T })`, `enum(\"a\", \"b\")`, `union(A, B)` and `nullable(T)`, and what an interface file names.",
			Failing: `workflow "greeting" {
  input "count" {
    type = int
  }

  output "count" {
    value = input.count
  }
}
`,
			Mended: `workflow "greeting" {
  input "count" {
    type = integer
  }

  output "count" {
    value = input.count
  }
}
`,
		},
		Entry{
			Code: "WFC1302", Severity: Error, Summary: "Wrong arguments of a type",
			Explanation: "`list` and `map` take the type of their elements, `nullable` the type of what is not null, `tuple` a list of types in brackets, " +
				"`object` its attributes in braces and, if there may be others, the type of the others.",
			Failing: `workflow "greeting" {
  input "names" {
    type = list(string, integer)
  }

  output "names" {
    value = input.names
  }
}
`,
			Mended: `workflow "greeting" {
  input "names" {
    type = list(string)
  }

  output "names" {
    value = input.names
  }
}
`,
		},
		Entry{
			Code: "WFC1303", Severity: Error, Summary: "Optional outside of an object",
			Explanation: "An attribute of an object may be absent, and so may a workflow's input. Nothing else can: an element of a list is there or the list " +
				"is shorter. What may be null is `nullable(T)`.",
			Failing: `workflow "greeting" {
  input "names" {
    type = list(optional(string))
  }

  output "names" {
    value = input.names
  }
}
`,
			Mended: `workflow "greeting" {
  input "names" {
    type = list(nullable(string))
  }

  output "names" {
    value = input.names
  }
}
`,
		},
		Entry{
			Code: "WFC1304", Severity: Error, Summary: "Not a type",
			Explanation: "Where a type is wanted, only the notation of types can stand: names of types and their constructors, without quotes, operators or values.",
			Failing: `workflow "greeting" {
  input "name" {
    type = "string"
  }

  output "name" {
    value = input.name
  }
}
`,
			Mended: `workflow "greeting" {
  input "name" {
    type = string
  }

  output "name" {
    value = input.name
  }
}
`,
		},
		Entry{
			Code: "WFC1305", Severity: Error, Summary: "Enum member is not a constant",
			Explanation: "An enum lists the values that it may be: strings in quotes, numbers and bools. A value that is known only when the workflow runs " +
				"is no type; compare with it in a `validation`.",
			Failing: `workflow "greeting" {
  input "language" {
    type = enum(en, de)
  }

  output "language" {
    value = input.language
  }
}
`,
			Mended: `workflow "greeting" {
  input "language" {
    type = enum("en", "de")
  }

  output "language" {
    value = input.language
  }
}
`,
		},
		Entry{
			Code: "WFC1306", Severity: Error, Summary: "Default of an attribute does not fit",
			Explanation: "The second argument of `optional` is a constant of the type that the first one names.",
			Failing: `workflow "greeting" {
  input "paging" {
    type = object({ limit = optional(integer, "20") })
  }

  output "limit" {
    value = input.paging.limit
  }
}
`,
			Mended: `workflow "greeting" {
  input "paging" {
    type = object({ limit = optional(integer, 20) })
  }

  output "limit" {
    value = input.paging.limit
  }
}
`,
		},
	)
}
