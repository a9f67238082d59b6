package graph

import (
	"fmt"
	"strings"
)

// Mermaid returns the picture in the language of Mermaid's flowcharts, which GitHub,
// GitLab and many editors draw.
func (g *Graph) Mermaid() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\n---\nflowchart TD\n", mermaidTitle(g.title()))
	w := mermaid{b: &b, graph: g, names: map[string]string{}, inside: map[string][]int{}}
	for i := range g.Nodes {
		w.names[g.Nodes[i].ID] = fmt.Sprintf("n%d", i)
		w.inside[g.Nodes[i].In] = append(w.inside[g.Nodes[i].In], i)
	}
	w.nodes("", "  ")
	for _, e := range g.drawn() {
		arrow := "-->"
		switch e.Kind {
		case Each:
			arrow = "-- for each -->"
		case When:
			arrow = "-- when -->"
		case DependsOn:
			arrow = "-. depends on .->"
		case Order:
			arrow = fmt.Sprintf("-. %s .->", mermaidText(e.Source))
		case Finally:
			arrow = "-. finally .->"
		}
		fmt.Fprintf(&b, "  %s %s %s\n", w.names[e.From], arrow, w.names[e.To])
	}
	w.classes()
	return []byte(b.String())
}

type mermaid struct {
	b      *strings.Builder
	graph  *Graph
	names  map[string]string
	inside map[string][]int // the nodes in a node
}

// nodes writes those in a node, or in the workflow itself.
func (w *mermaid) nodes(in, indent string) {
	for _, i := range w.inside[in] {
		n := &w.graph.Nodes[i]
		lines := []string{"<b>" + mermaidText(n.Name) + "</b>"}
		add := func(text string) {
			if text != "" {
				lines = append(lines, mermaidText(cut(text, 60)))
			}
		}
		add(n.does())
		for _, r := range n.remarks() {
			add(r)
		}
		add(n.Seen.result())
		add(n.Seen.counts())
		label := strings.Join(lines, "<br>")
		name := w.names[n.ID]
		if len(w.inside[n.ID]) > 0 {
			// A second line of its title would stand under what is in it.
			fmt.Fprintf(w.b, "%ssubgraph %s[\"%s\"]\n", indent, name, strings.Join(lines, " · "))
			w.nodes(n.ID, indent+"  ")
			fmt.Fprintf(w.b, "%send\n", indent)
			continue
		}
		left, right := "[", "]"
		switch {
		case n.Kind == Input || n.Kind == Output:
			left, right = "([", "])"
		case n.Kind == "ask":
			left, right = "{{", "}}"
		case n.Workflow != "":
			left, right = "[[", "]]"
		case n.Source == "":
			left, right = "(", ")"
		}
		fmt.Fprintf(w.b, "%s%s%s\"%s\"%s\n", indent, name, left, label, right)
	}
}

// classes colours the nodes: of a run by what became of them, else by effect.
func (w *mermaid) classes() {
	looks := []struct{ class, style string }{
		{"write", "stroke:#b45309,stroke-width:2px"},
		{"destructive", "stroke:#b91c1c,stroke-width:3px"},
		{"ok", "stroke:#15803d,stroke-width:2px"},
		{"error", "stroke:#b91c1c,stroke-width:3px"},
		{"skipped", "stroke-dasharray:4 3,opacity:0.6"},
		{"waiting", "stroke:#7c3aed,stroke-width:3px"},
	}
	members := map[string][]string{}
	for i := range w.graph.Nodes {
		n := &w.graph.Nodes[i]
		class := n.Effect
		if n.Seen != nil {
			switch class = n.Seen.State; class {
			case "pending":
				class = "skipped"
			case "in_doubt", "running":
				class = "waiting"
			}
		}
		members[class] = append(members[class], w.names[n.ID])
	}
	for _, l := range looks {
		if len(members[l.class]) > 0 {
			fmt.Fprintf(w.b, "  classDef %s %s\n  class %s %s\n", l.class, l.style, strings.Join(members[l.class], ","), l.class)
		}
	}
}

// mermaidText escapes a text for a label in quotes: what could be taken for markup or
// for the end of the label becomes an entity.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case strings.ContainsRune("\"<>&#;`", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mermaidTitle writes a text in the header, which is YAML. Mermaid takes a title for
// markup.
func mermaidTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' || r == '&' {
			return '_'
		}
		return r
	}, s)
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
