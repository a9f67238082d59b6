package graph

// drawn returns the edges that a picture has: all but those of order alone that others
// lead along anyway, which would only be in the way of who looks at it.
func (g *Graph) drawn() []Edge {
	next := map[string][]string{}
	order := map[string]int{}
	for i, n := range g.Nodes {
		order[n.ID] = i
	}
	for _, e := range g.Edges {
		next[e.From] = append(next[e.From], e.To)
	}
	out := make([]Edge, 0, len(g.Edges))
	for _, e := range g.Edges {
		if (e.Kind == Order || e.Kind == DependsOn || e.Kind == Finally) && leads(next, order, e) {
			continue
		}
		out = append(out, e)
	}
	return out
}

// leads reports whether there is a way from one end of an edge to the other beside
// it. Nodes stand in an order in which edges go forwards.
func leads(next map[string][]string, order map[string]int, e Edge) bool {
	seen := map[string]bool{e.From: true}
	stack := []string{e.From}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, to := range next[at] {
			switch {
			case to == e.To && at != e.From:
				return true
			case to == e.To || seen[to] || order[to] > order[e.To]:
			default:
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
	return false
}
