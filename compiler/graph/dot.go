package graph

import (
	"fmt"
	"strings"
)

// DOT returns the picture in Graphviz's language.
func (g *Graph) DOT() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quoted(g.title()))
	b.WriteString("  graph [rankdir=TB, fontname=\"Helvetica\", labelloc=t, compound=true, label=" + quoted(g.title()) + "];\n")
	b.WriteString("  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n")
	b.WriteString("  edge [fontname=\"Helvetica\", fontsize=9];\n")
	inside := map[string][]int{}
	for i := range g.Nodes {
		inside[g.Nodes[i].In] = append(inside[g.Nodes[i].In], i)
	}
	g.dotNodes(&b, inside, "", "  ")
	for _, e := range g.drawn() {
		var attrs []string
		switch e.Kind {
		case Each:
			attrs = []string{`label="for each"`}
		case When:
			attrs = []string{`label="when"`, "arrowhead=odiamond"}
		case DependsOn:
			attrs = []string{`label="depends on"`, "style=dashed"}
		case Order:
			attrs = []string{"label=" + quoted(e.Source), "style=dotted"}
		case Finally:
			attrs = []string{`label="finally"`, "style=dotted"}
		}
		text := ""
		if len(attrs) > 0 {
			text = " [" + strings.Join(attrs, ", ") + "]"
		}
		fmt.Fprintf(&b, "  %s -> %s%s;\n", quoted(e.From), quoted(e.To), text)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func (g *Graph) dotNodes(b *strings.Builder, inside map[string][]int, in, indent string) {
	for _, i := range inside[in] {
		n := &g.Nodes[i]
		lines := []string{n.Name}
		for _, l := range append(append([]string{n.does()}, n.remarks()...), n.Seen.result(), n.Seen.counts()) {
			if l != "" {
				lines = append(lines, cut(l, 60))
			}
		}
		attrs := "label=" + quoted(strings.Join(lines, "\n")) + dotLook(n)
		if len(inside[n.ID]) > 0 {
			// Edges lead to nodes, so the step itself stands in the box of its workflow.
			fmt.Fprintf(b, "%ssubgraph %s {\n%s  label=%s; style=rounded;\n", indent, quoted("cluster_"+n.ID), indent, quoted("workflow "+n.Workflow))
			fmt.Fprintf(b, "%s  %s [%s];\n", indent, quoted(n.ID), attrs)
			g.dotNodes(b, inside, n.ID, indent+"  ")
			fmt.Fprintf(b, "%s}\n", indent)
			continue
		}
		fmt.Fprintf(b, "%s%s [%s];\n", indent, quoted(n.ID), attrs)
	}
}

// dotLook is how a node looks: of a run by what became of it, else by its effect.
func dotLook(n *Node) string {
	if n.Kind == Input || n.Kind == Output {
		return ", shape=plaintext"
	}
	by := n.Effect
	if n.Seen != nil {
		by = n.Seen.State
	}
	switch by {
	case "ok":
		return `, color="#15803d"`
	case "write":
		return `, color="#b45309"`
	case "error", "destructive":
		return `, color="#b91c1c", penwidth=2`
	case "skipped", "pending":
		return `, style="rounded,dashed", fontcolor=gray`
	case "waiting", "in_doubt", "running":
		return `, color="#7c3aed", penwidth=2`
	}
	return ""
}

// quoted writes a text in quotes, on one line, as DOT reads it.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
