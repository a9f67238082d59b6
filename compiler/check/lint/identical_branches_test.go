package lint_test

import "testing"

func TestIdenticalBranches(t *testing.T) {
	const input = `
  input "a" {
    type = bool
  }
  input "s" {
    type = object({ x = string })
  }`
	output := func(value string) string { return input + "\n  output \"o\" {\n    value = " + value + "\n  }" }
	runRules(t, "WFC3309", []rule{
		{"texts", output(`input.a ? "x" : "x"`), []string{`input.a ? "x" : "x"`}},
		{"written a bit differently", output("input.a ? [1,2] : ( [1, 2] )"), []string{"input.a ? [1,2] : ( [1, 2] )"}},
		{"references", output("input.a ? input.s.x : input.s.x"), []string{"input.a ? input.s.x : input.s.x"}},
		{"calls", output("input.a ? upper(input.s.x) : upper(input.s.x)"), []string{"input.a ? upper(input.s.x) : upper(input.s.x)"}},
		{"inside of another", output(`[input.a ? (input.s.x == "" ? 1 : 1) : 2]`), []string{`input.s.x == "" ? 1 : 1`}},
		{"others", output(`[input.a ? "x" : "y", input.a ? 1 : 1.0, input.a ? input.s.x : "", input.a ? upper(input.s.x) : lower(input.s.x)]`), nil},
		{"an %{ if } without an else", output(`"%{ if input.a }%{ endif }x"`), nil},
	})
}
