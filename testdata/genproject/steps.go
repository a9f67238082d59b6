package genproject

import (
	"fmt"
	"strings"
)

// Steps returns a project of one workflow of n steps, as [Files] does. The steps
// are of every kind that looks at others: calls in the order of the file, calls
// that need each other's results, fan-outs, steps that may be skipped or fail and
// what asks whether they did, locals, and an output that reads all.
func Steps(n int) map[string][]byte {
	var b strings.Builder
	b.WriteString("workflow \"long\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n  input \"limit\" {\n    type    = integer\n    default = 10\n  }\n")
	b.WriteString("  step \"s0\" {\n    call = demo.list_tasks\n    args = { limit = input.limit }\n  }\n")
	last := "s0" // the last step that lists tasks
	for i := 1; i < n; i++ {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "  locals {\n    open_%d = [for t in step.%s.output.tasks : t.id if !t.done]\n  }\n", i, last)
			fmt.Fprintf(&b, "  step \"s%d\" {\n    call = demo.list_tasks\n    args = { limit = length(local.open_%d) + input.limit }\n  }\n", i, i)
			last = fmt.Sprintf("s%d", i)
		case 1:
			fmt.Fprintf(&b, "  step \"s%d\" {\n    for_each = step.%s.output.tasks\n    call     = demo.greet\n    args     = { name = each.value.title }\n    on_error = \"continue\"\n  }\n", i, last)
		case 2:
			fmt.Fprintf(&b, "  step \"s%d\" {\n    when = length([for r in step.s%d : r if r.outcome == \"ok\"]) > 0\n    call = demo.counter\n  }\n", i, i-1)
		case 3:
			fmt.Fprintf(&b, "  step \"s%d\" {\n    value = step.s%d.outcome == \"ok\" ? step.s%d.output.count : 0\n  }\n", i, i-1, i-1)
		case 4:
			fmt.Fprintf(&b, "  step \"s%d\" {\n    when     = step.s%d.output > 0\n    call     = demo.add_label\n    args     = { task = step.s%d.output, label = \"seen\" }\n    on_error = [\"tool\"]\n  }\n", i, i-1, i-1)
		}
	}
	b.WriteString("  output \"outcomes\" {\n    value = [\n")
	for i := range n {
		if i%5 == 4 {
			fmt.Fprintf(&b, "      step.s%d.outcome,\n", i)
		}
	}
	b.WriteString("    ]\n  }\n}\n")
	return map[string][]byte{
		"wfc.hcl":            []byte(settings),
		"connections.wf.hcl": []byte(connections),
		"long.wf.hcl":        []byte(b.String()),
	}
}
