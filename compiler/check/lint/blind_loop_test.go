package lint_test

import "testing"

func TestLoopThatDoesNotLook(t *testing.T) {
	loop := func(while string) string {
		return `
  input "n" {
    type = integer
  }
  step "s" {
    call = demo.counter
    loop {
      while = ` + while + `
      max   = 3
    }
  }`
	}
	runRules(t, "WFC3312", []rule{
		{"something that stays", loop("input.n > 1"), []string{"input.n > 1"}},
		{"the result of the round", loop("self.output.count < input.n"), nil},
		{"a variable of a for is another thing", loop("alltrue([for self in [true] : self])"), []string{"alltrue([for self in [true] : self])"}},
	})
}
