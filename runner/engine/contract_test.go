package engine

import (
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
)

// contract is what the interface of a node's source says of its output.
func contract(typ string, afterResult bool) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) {
		n.Contract = &plan.Contract{Interface: "interface.counter", Type: typ, AfterResult: afterResult}
	}
}

func TestAContractIsHeldAgainstWhatArrives(t *testing.T) {
	const broken = "decode: Step a failed: The tool demo.main.t did not give what interface.counter says of it: "
	run(t, []rule{
		{"kept",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false))}, []string{"o", "step.a.output.n"},
			world{"t": give(`{"n":1,"more":true}`)}, `{"o":1}`, ""},
		{"broken by the connection, which the message names",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false))}, []string{"o", "step.a.output.n"},
			world{"t": give(`{"n":"1"}`)}, "", broken + "n: a string where an integer is wanted"},
		{"broken by text alone",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false))}, []string{"o", "step.a.output.n"},
			world{"t": say("one")}, "", broken + "a string where an object is wanted"},
		{"before a result of the step, which relies on it",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false), result("self.output.n + 1"))}, []string{"o", "step.a.output"},
			world{"t": give(`{"n":"1"}`)}, "", broken},
		{"after a result of the connection, which makes what the interface wants",
			nodes{call("a", "t", ``, contract("integer", true), result("self.output.n"))}, []string{"o", "step.a.output"},
			world{"t": give(`{"n":1}`)}, `{"o":1}`, ""},
		{"after it, broken",
			nodes{call("a", "t", ``, contract("integer", true), result("self.output.n"))}, []string{"o", "step.a.output"},
			world{"t": give(`{"n":"1"}`)}, "", broken},
		{"what fail_if calls a failure is one before it",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false), failIf(`startswith(self.text, "Error")`))}, []string{"o", "step.a.output.n"},
			world{"t": say("Error: no such counter")}, "", "tool: Step a failed: The tool demo.main.t gave an answer that its `fail_if` calls a failure"},
		{"a fail_if that cannot look because it is broken",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false), failIf(`self.output.n > 3`))}, []string{"o", "step.a.output.n"},
			world{"t": give(`{"m":1}`)}, "", broken + "n: missing"},
		{"and returns are looked at, too",
			nodes{call("a", "t", ``, contract("object({ n = integer })", false), returns("object({ n = enum(1, 2) })"))}, []string{"o", "step.a.output.n"},
			world{"t": give(`{"n":3}`)}, "", "decode: Step a failed: The tool demo.main.t did not give what `returns` says"},
	})
}
