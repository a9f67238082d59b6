package check_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

func TestACycleOfManyNamesTheFirstOfThem(t *testing.T) {
	const n = 20_000
	cycles := map[string]struct{ before, member, after string }{
		"locals":    {"workflow \"w\" {\n  locals {\n", "    a%d = local.a%d\n", "  }\n}\n"},
		"steps":     {"workflow \"w\" {\n", "  step \"a%d\" {\n    value = step.a%d.output\n  }\n", "}\n"},
		"workflows": {"", "workflow \"a%d\" {\n  step \"s\" {\n    run = workflow.a%d\n  }\n}\n", ""},
	}
	for name, c := range cycles {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(c.before)
			for i := range n {
				fmt.Fprintf(&b, c.member, i, (i+1)%n)
			}
			b.WriteString(c.after)
			p := load(t, b.String())
			found := findings(p)
			if len(found) != 1 || found[0].Code != "WFC2303" {
				t.Fatalf("%d findings, the first: %.300v", len(found), found[:min(len(found), 2)])
			}
			d := found[0]
			if len(d.Detail) > 1000 || !strings.Contains(d.Detail, "more") || len(d.Related) > 20 {
				t.Errorf("%.2000s (%d other places)", d.Detail, len(d.Related))
			}
		})
	}
}

// A chain of references may be as long as a file, in either direction: what looks at it must
// not go down into it, where a process dies at the end of its stack.
func TestAChainOfManyReferencesIsChecked(t *testing.T) {
	const n = 20_000
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20)) // a sixteenth of what a process has
	chains := map[string]struct{ before, member, last, after string }{
		"locals": {"workflow \"w\" {\n  locals {\n", "    a%d = local.a%d\n", "    a%d = 1\n", "  }\n  output \"o\" {\n    value = local.a0\n  }\n}\n"},
		"sensitive locals": {"workflow \"w\" {\n  locals {\n", "    a%d = local.a%d\n", "    a%d = sensitive(\"a\")\n",
			"  }\n  output \"o\" {\n    value = local.a0\n    sensitive = true\n  }\n}\n"},
		"steps": {"workflow \"w\" {\n", "  step \"a%d\" {\n    value = step.a%d.output\n  }\n", "  step \"a%d\" {\n    value = 1\n  }\n",
			"  output \"o\" {\n    value = step.a0.output\n  }\n}\n"},
	}
	for name, c := range chains {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(c.before)
			for i := range n {
				fmt.Fprintf(&b, c.member, i, i+1)
			}
			fmt.Fprintf(&b, c.last, n)
			b.WriteString(c.after)
			if found := findings(load(t, b.String())); len(found) > 0 {
				t.Errorf("%d findings, the first: %.300v", len(found), found[0])
			}
		})
	}
}
