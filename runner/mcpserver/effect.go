package mcpserver

import "github.com/lda-wf/wfc/compiler/plan"

// effects is what the calls of a plan may do to the world, all that a run may make of
// them counted: children, undos and the members of families.
type effects struct {
	readOnly    bool // every call only reads
	destructive bool // some may destroy something, or nobody knows
	repeatable  bool // to do all of it twice is as to do it once
}

func effectsOf(p *plan.Plan) effects {
	e := effects{readOnly: true, repeatable: true}
	e.nodes(p.Nodes)
	for _, child := range p.Children {
		e.nodes(child.Nodes)
	}
	return e
}

func (e *effects) nodes(all []plan.NodeSpec) {
	for i := range all {
		e.node(&all[i])
		e.nodes(all[i].Undo)
		for _, v := range all[i].Variants {
			e.node(&v)
			e.nodes(v.Undo)
		}
	}
}

func (e *effects) node(n *plan.NodeSpec) {
	switch n.Effect {
	case "", "read":
		return
	case "write":
	default:
		e.destructive = true
	}
	e.readOnly = false
	e.repeatable = e.repeatable && n.Idempotent
}
