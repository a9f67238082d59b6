package lint_test

import "testing"

func TestUnusedInput(t *testing.T) {
	runRules(t, "WFC3301", []rule{
		{"an input that nothing refers to", `
  input "a" {
    type = string
  }`, []string{`input "a"`}},
		{"its own validation is no use", `
  input "a" {
    type = string
    validation {
      condition     = input.a != ""
      error_message = "not ${input.a}"
    }
  }`, []string{`input "a"`}},
		{"the validation of another is one", `
  input "a" {
    type = integer
  }
  input "b" {
    type = integer
    validation {
      condition     = input.b > input.a
      error_message = "b must be more than ${input.a}."
    }
  }
  output "b" {
    value = input.b
  }`, nil},
		{"a variable of a for is another thing", `
  input "a" {
    type = string
  }
  output "o" {
    value = [for input in [{ a = 1 }] : input.a]
  }`, []string{`input "a"`}},
		{"by index, in a template and in a key", `
  input "a" {
    type = string
  }
  input "b" {
    type = string
  }
  input "c" {
    type = string
  }
  output "o" {
    value = { (input.c) = "${input["a"]} %{ for x in [input.b] }${x}%{ endfor }" }
  }`, nil},
		{"a name that is no ASCII", `
  input "größe" {
    type = integer
  }
  output "o" {
    value = input.größe
  }`, nil},
		{"nothing is said beside a mistake", `
  input "a" {
    type = string
  }
  output "o" {
    value = inptu.a
  }`, nil},
	})
}
