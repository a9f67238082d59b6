package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/runner/journal"
)

// whatWasDone tells what a run did to the outside world, a line for each tool that
// does not only read; "": it did nothing.
func whatWasDone(r *journal.RunRecord) string {
	if len(r.Effects) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Done to the outside world:\n")
	width := 0
	for _, e := range r.Effects {
		width = max(width, len(nameOfTool(e)))
	}
	for _, e := range r.Effects {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, nameOfTool(e), strings.Join(came(e), ", "))
	}
	if r.Reads > 0 {
		fmt.Fprintf(&b, "  and %s\n", count(r.Reads, "read"))
	}
	return b.String()
}

func nameOfTool(e journal.ToolEffects) string {
	return printable(cmp.Or(e.Connection, "?") + "." + e.Tool)
}

// came says what came of the calls of a tool: "2 writes, 1 undone".
func came(e journal.ToolEffects) []string {
	var parts []string
	if e.Done > 0 {
		switch e.Effect {
		case "write":
			parts = append(parts, count(e.Done, "write"))
		case "destructive":
			parts = append(parts, count(e.Done, "destructive call"))
		default:
			parts = append(parts, count(e.Done, "call")+" of unknown effect")
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{{e.Undone, "undone"}, {e.Stayed, "not undone, since that failed"}, {e.Refused, "refused by the server"}, {e.InDoubt, "in doubt"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "under way")
	}
	return parts
}
