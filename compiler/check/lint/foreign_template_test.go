package lint_test

import "testing"

func TestTemplateOfAnotherLanguage(t *testing.T) {
	runRules(t, "WFC3313", []rule{
		{"a parameter of a shell script", `
  output "o" {
    value = <<-EOT
      echo ${1} and ${ 2 }
    EOT
  }`, []string{"1", "2"}},
		{"an escaped one", `
  output "o" {
    value = <<-EOT
      echo $${1} $1
    EOT
  }`, nil},
		{"an expression", `
  output "o" {
    value = <<-EOT
      echo ${1 + 1} ${"x"}
    EOT
  }`, nil},
		{"a text in quotes", `
  output "o" {
    value = "echo ${1} x"
  }`, []string{"1"}},
	})
}
