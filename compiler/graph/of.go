package graph

import (
	"fmt"
	"slices"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/expr"
)

// mostNodes is up to how many nodes the workflows that steps run are drawn inside of
// these; a step whose workflow would be beyond it stands for that. Each step of a
// child may run a child of its own, which soon are more than anybody can look at.
const mostNodes = 2000

// Of returns the picture of a plan.
func Of(p *plan.Plan) *Graph {
	g := &Graph{FormatVersion: FormatVersion, Workflow: p.Workflow, Deployment: p.Deployment, Digest: p.Digest, Nodes: []Node{}, Edges: []Edge{}}
	d := drawer{graph: g, root: p, children: map[string]map[string]string{}}
	d.workflow(p, "")
	return g
}

// drawer draws a plan and its children.
type drawer struct {
	graph    *Graph
	root     *plan.Plan
	children map[string]map[string]string // what each asks of its sources, by digest
}

// workflow draws a plan whose nodes are in the node with the id in; "": the plan itself.
func (d *drawer) workflow(p *plan.Plan, in string) {
	prefix := ""
	if in != "" {
		prefix = in + "/"
	}
	refs := newReferences(p)
	if in == "" {
		for i, x := range p.Inputs {
			d.graph.Nodes = append(d.graph.Nodes, Node{
				ID: "input." + x.Name, Kind: Input, Name: x.Name, Type: x.Type, Sensitive: x.Sensitive, Place: place(p, "/inputs/%d", i),
			})
		}
	}
	for i := range p.Nodes {
		d.node(p, i, prefix, in, refs)
	}
	d.finally(p, prefix)
	if in != "" {
		return
	}
	for i, x := range p.Outputs {
		id := "output." + x.Name
		d.graph.Nodes = append(d.graph.Nodes, Node{
			ID: id, Kind: Output, Name: x.Name, Type: x.Type, Sensitive: x.Sensitive, Place: place(p, "/outputs/%d", i),
		})
		used := refs.of(x.Value)
		for _, s := range used.steps {
			d.edge(s, id, Data, "")
		}
		for _, n := range used.inputs {
			d.edge("input."+n, id, Data, "")
		}
	}
}

func (d *drawer) edge(from, to string, kind EdgeKind, source string) {
	d.graph.Edges = append(d.graph.Edges, Edge{From: from, To: to, Kind: kind, Source: source})
}

func (d *drawer) node(p *plan.Plan, i int, prefix, in string, refs *references) {
	spec := &p.Nodes[i]
	n := Node{
		ID: prefix + spec.ID, Kind: Kind(spec.Kind), Name: spec.ID, In: in, Finally: spec.Finally,
		Source: spec.Source, Connections: connections(p, spec.Source), Tool: spec.Tool, Effect: spec.Effect, Sensitive: spec.Sensitive,
		When: string(spec.When), ForEach: string(spec.ForEach), OnError: spec.OnError, MaxParallel: string(spec.MaxParallel),
		Place: place(p, "/nodes/%d", i),
	}
	if spec.Loop != nil {
		n.Loop = &Loop{While: string(spec.Loop.While), Max: string(spec.Loop.Max)}
	}
	if spec.Retry != nil {
		n.Retry = string(spec.Retry.Attempts)
	}
	if spec.Ask != nil {
		n.Asks = string(spec.Ask.Message)
	}
	for _, u := range spec.Undo {
		n.Undo = append(n.Undo, u.Source+"."+u.Tool)
	}
	child := d.root.Children[spec.Child]
	if child != nil {
		n.Workflow = child.Workflow
		n.Collapsed = len(d.graph.Nodes)+len(child.Nodes) > mostNodes
	}
	d.graph.Nodes = append(d.graph.Nodes, n)
	d.edges(p, spec, prefix, in == "", refs)
	if child != nil && !n.Collapsed {
		d.workflow(child, n.ID)
	}
}

// edges draws why a node comes after others: once for each other, by the strongest
// reason. inputs says that the inputs of its workflow are drawn.
func (d *drawer) edges(p *plan.Plan, spec *plan.NodeSpec, prefix string, inputs bool, refs *references) {
	why := map[string]EdgeKind{}
	note := func(e plan.Expr, kind EdgeKind) {
		used := refs.of(e)
		for _, s := range used.steps {
			if _, known := why[s]; !known {
				why[s] = kind
			}
		}
		if inputs {
			for _, n := range used.inputs {
				if _, known := why["input."+n]; !known {
					why["input."+n] = kind
				}
			}
		}
	}
	note(spec.ForEach, Each)
	for _, e := range refs.values(spec) {
		note(e, Data)
	}
	note(spec.When, When)
	for _, in := range p.Inputs {
		if kind, used := why["input."+in.Name]; used {
			d.edge("input."+in.Name, spec.ID, kind, "")
		}
	}
	before := slices.Clone(spec.After)
	for id := range why {
		if _, isStep := refs.index[id]; isStep {
			before = append(before, id)
		}
	}
	slices.SortFunc(before, func(a, b string) int { return refs.index[a] - refs.index[b] })
	for _, id := range slices.Compact(before) {
		if id == spec.ID {
			continue
		}
		kind, used := why[id]
		source := ""
		if !used {
			kind = DependsOn
			if source = d.shared(p, &p.Nodes[refs.index[id]], spec); source != "" {
				kind = Order
			}
		}
		d.edge(prefix+id, prefix+spec.ID, kind, source)
	}
}

// shared returns the source because of whose effects a node comes after another one;
// "": there is none.
func (d *drawer) shared(p *plan.Plan, before, after *plan.NodeSpec) string {
	first, second := d.uses(before), d.uses(after)
	for _, s := range p.Sources {
		a, ok := first[s.Name]
		b, too := second[s.Name]
		if ok && too && (a != "read" || b != "read") {
			return s.Name
		}
	}
	return ""
}

// uses returns the sources that a node asks or hands on, with an effect: "read"
// where all that it does there is reading.
func (d *drawer) uses(n *plan.NodeSpec) map[string]string {
	if n.Source != "" {
		return map[string]string{n.Source: n.Effect}
	}
	out := map[string]string{}
	for source, effect := range d.usesOfChild(n.Child) {
		ours := source // unless a binding says which one it is
		for _, b := range n.Bind {
			if b.Source == source && b.Ours != "" {
				ours = b.Ours
			}
		}
		if out[ours] == "" || effect != "read" {
			out[ours] = effect
		}
	}
	return out
}

// usesOfChild returns what a child asks of its sources: looked for once, since each of
// its steps may run a child of its own.
func (d *drawer) usesOfChild(digest string) map[string]string {
	if known, ok := d.children[digest]; ok {
		return known
	}
	out := map[string]string{}
	d.children[digest] = out
	if child := d.root.Children[digest]; child != nil {
		for i := range child.Nodes {
			for source, effect := range d.uses(&child.Nodes[i]) {
				if out[source] == "" || effect != "read" {
					out[source] = effect
				}
			}
		}
	}
	return out
}

// finally draws that the first of the finally blocks come after the last steps.
func (d *drawer) finally(p *plan.Plan, prefix string) {
	joined := map[[2]string]bool{}
	for _, e := range d.graph.Edges {
		joined[[2]string{e.From, e.To}] = true
	}
	leads := map[string]bool{}
	for _, n := range p.Nodes {
		for _, a := range n.After {
			leads[a] = true
		}
	}
	for _, f := range p.Nodes {
		if !f.Finally || len(f.After) > 0 {
			continue
		}
		for _, n := range p.Nodes {
			if n.Finally || leads[n.ID] || joined[[2]string{prefix + n.ID, prefix + f.ID}] {
				continue
			}
			d.edge(prefix+n.ID, prefix+f.ID, Finally, "")
		}
	}
}

// place is where something of a plan stands in the source; nil: not known.
func place(p *plan.Plan, pointer string, args ...any) *plan.Range {
	r, ok := p.Ranges[fmt.Sprintf(pointer, args...)]
	if !ok {
		return nil
	}
	return &r
}

// connections returns the ids of those that a source is bound to.
func connections(p *plan.Plan, source string) []string {
	for _, s := range p.Sources {
		if s.Name != source {
			continue
		}
		if s.Connection != "" {
			return []string{s.Connection}
		}
		var out []string
		for _, m := range s.Members {
			out = append(out, m.Connection)
		}
		return out
	}
	return nil
}

// references finds what the expressions of a plan refer to, through its locals too.
type references struct {
	index  map[string]int // of the plan's nodes
	locals map[string]plan.Expr
	known  map[plan.Expr]used
}

type used struct{ steps, inputs []string }

func newReferences(p *plan.Plan) *references {
	r := &references{index: map[string]int{}, locals: map[string]plan.Expr{}, known: map[plan.Expr]used{}}
	for i, n := range p.Nodes {
		r.index[n.ID] = i
	}
	for _, l := range p.Locals {
		r.locals[l.Name] = l.Value
	}
	return r
}

// of returns the steps and inputs that an expression refers to, each once.
func (r *references) of(e plan.Expr) used {
	if e == "" {
		return used{}
	}
	if u, ok := r.known[e]; ok {
		return u
	}
	r.known[e] = used{} // locals have no cycles; a plan made by hand ends here, too
	var u used
	parsed, _ := expr.Parse(string(e), "")
	add := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, ref := range parsed.Refs() {
		switch ref.Root {
		case "step":
			add(&u.steps, ref.Name)
		case "input":
			add(&u.inputs, ref.Name)
		case "local":
			inner := r.of(r.locals[ref.Name])
			for _, s := range inner.steps {
				add(&u.steps, s)
			}
			for _, n := range inner.inputs {
				add(&u.inputs, n)
			}
		}
	}
	r.known[e] = u
	return u
}

// values returns all expressions of a node but when and for_each.
func (r *references) values(n *plan.NodeSpec) []plan.Expr {
	out := []plan.Expr{
		n.Value, n.Args, n.URI, n.Sleep, n.SourceKey, n.Key, n.MaxParallel, n.Timeout, n.IdleTimeout, n.Deadline,
		n.Result, n.FailIf, n.EffectExpr,
	}
	if n.Loop != nil {
		out = append(out, n.Loop.While, n.Loop.Max, n.Loop.Delay)
	}
	if n.Retry != nil {
		out = append(out, n.Retry.Attempts, n.Retry.Delay, n.Retry.MaxDelay, n.Retry.On, n.Retry.When)
	}
	if n.Ask != nil {
		out = append(out, n.Ask.Message, n.Ask.Choices, n.Ask.Approvers)
	}
	for _, a := range n.Asserts {
		out = append(out, a.Condition, a.ErrorMessage)
	}
	for _, b := range n.Bind {
		out = append(out, b.Key)
	}
	for i := range n.Undo {
		out = append(out, n.Undo[i].Args, n.Undo[i].SourceKey)
	}
	return out
}
