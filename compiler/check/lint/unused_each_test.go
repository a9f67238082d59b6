package lint_test

import "testing"

func TestUnusedEach(t *testing.T) {
	runRules(t, "WFC3308", []rule{
		{"the same for every element", `
  step "s" {
    for_each = [1, 2]
    call     = demo.counter
  }`, []string{"for_each"}},
		{"in the arguments, the condition or the result", `
  step "a" {
    for_each = [1, 2]
    call     = demo.inspect
    args     = { value = each.index }
  }
  step "b" {
    for_each = [1, 2]
    when     = each.value > 1
    call     = demo.counter
  }
  step "c" {
    for_each = [1, 2]
    call     = demo.counter
    result   = [each.value, self.output.count]
  }`, nil},
		{"a variable of a for is another thing", `
  step "s" {
    for_each = [1, 2]
    call     = demo.inspect
    args     = { value = [for each in [1] : each] }
  }`, []string{"for_each"}},
	})
}
