package lint_test

import "testing"

func TestUnusedLocal(t *testing.T) {
	runRules(t, "WFC3302", []rule{
		{"a local that nothing refers to", `
  locals {
    a = 1
  }`, []string{"a"}},
		{"what only such a local uses is said when that is gone", `
  locals {
    a = 1
    b = local.a
  }`, []string{"b"}},
		{"one that an output, a step or a finally uses", `
  locals {
    a = 1
    b = 2
    c = "c"
  }
  step "s" {
    when  = local.b > 1
    value = 1
  }
  finally "f" {
    call = demo.echo
    args = { text = local.c }
  }
  output "o" {
    value = local.a
  }`, nil},
	})
}
