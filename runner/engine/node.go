package engine

import (
	"github.com/lda-wf/wfc/compiler/plan"
)

// begin begins a node that is ready: it asks `when` where that is asked once,
// then opens the fan-out, or starts the one instance.
func (c *Core) begin(f *frame, i int) {
	n := &f.prog.nodes[i]
	whole := Addr{Frame: f.id, Node: i, Elem: Whole}
	if !n.spec.WhenEach && !n.when.IsZero() {
		holds, failure := c.evalBool("when", n.when, &scope{core: c, frame: f})
		if failure != nil {
			c.failUnit(n, whole, failure)
			return
		}
		if !holds {
			c.record(NodeEnded{At: whole, Outcome: OutcomeSkipped})
			return
		}
	}
	if n.forEach.IsZero() {
		c.start(n, whole)
		return
	}
	if failure := c.openFanOut(f, i); failure != nil {
		c.record(NodeEnded{At: whole, Outcome: OutcomeError, Failure: failure})
		return
	}
	c.record(NodeStarted{At: whole, Repeatable: true, Time: c.now})
}

// failUnit ends a node without for_each, or an element, before anything of it
// began. Of a loop it is the first round that fails: its result is its rounds.
func (c *Core) failUnit(n *node, at Addr, failure *Failure) {
	if n.loops() && (n.forEach.IsZero() || at.Elem != Whole) {
		at.Round = 1
	}
	c.record(NodeEnded{At: at, Outcome: OutcomeError, Failure: failure})
}

// start starts a node without for_each, or an element.
func (c *Core) start(n *node, at Addr) {
	s := c.scopeAt(at)
	if at.Elem != Whole && n.spec.WhenEach {
		holds, failure := c.evalBool("when", n.when, s)
		if failure != nil {
			c.failUnit(n, at, failure)
			return
		}
		if !holds {
			c.record(NodeEnded{At: at, Outcome: OutcomeSkipped})
			return
		}
	}
	if n.spec.Kind == plan.ValueNode && !n.loops() {
		c.startValue(n, at, s)
		return
	}
	limit, failure := c.deadline(n, s)
	if failure != nil {
		c.failUnit(n, at, failure)
		return
	}
	inst := c.instance(at)
	if n.loops() {
		c.goOn(at, inst)
	} else if inst.live == nil {
		c.goOn(at, inst)
	}
	if limit > 0 {
		c.dueBy(at, c.now.Add(limit))
	}
	if !n.loops() {
		c.attemptIn(n, at, s)
		return
	}
	if _, failure := c.rounds(n, at); failure != nil {
		c.failUnit(n, at, failure)
		return
	}
	c.startRound(n, at)
}

// one starts what a node does once: a round of a loop, or an undo.
func (c *Core) one(n *node, at Addr) {
	inst, err := c.reach(at)
	if err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	if n.spec.Kind != plan.ValueNode {
		c.goOn(at, inst)
		if at.Undo > 0 {
			c.dueBy(at, c.now.Add(defaultDeadline))
		}
	}
	c.attempt(n, at)
}
