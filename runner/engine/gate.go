package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// gate holds the calls of a node that may destroy something until somebody has
// approved them, where the policy wants that. A node has one for all its elements,
// rounds and attempts, and one for each of its undo blocks.
type gate struct {
	state gateState
	since time.Time // when it was asked about
	by    string    // who answered; "" is unknown
	held  []Addr    // the calls that wait, in order
}

type gateState uint8

const (
	gateShut     gateState = iota // nobody was asked yet
	gateAsks                      // somebody is
	gateOpen                      // it was approved
	gateDeclined                  // it was not
)

// gateKey names a gate of a frame.
type gateKey struct{ node, undo int }

// mostShownCalls bounds how many calls a question shows: of thousands the first
// ones say what is meant, and the count how many there are.
const mostShownCalls = 20

// gateAt is the address of the gate that a call has to pass.
func gateAt(at Addr) Addr { return Addr{Frame: at.Frame, Node: at.Node, Elem: Whole, Undo: at.Undo} }

func (c *Core) gate(at Addr) *gate {
	f := c.frames[at.Frame]
	key := gateKey{at.Node, at.Undo}
	if f.gates[key] == nil {
		if f.gates == nil {
			f.gates = map[gateKey]*gate{}
		}
		f.gates[key] = &gate{}
	}
	return f.gates[key]
}

// passes reports whether a call may be made as far as the deployment's policy goes.
// Else it waits for somebody's approval now, or has failed because that was declined.
func (c *Core) passes(n *node, at Addr, effect string) bool {
	if c.prog.policy.Destructive != "ask" || !mayDestroy(effect) {
		return true
	}
	g := c.gate(at)
	switch g.state {
	case gateOpen:
		return true
	case gateDeclined:
		failure := declined(g.by)
		failure.Message = fmt.Sprintf("The call of %s.%s was to be approved first. %s", n.connection, n.spec.Tool, failure.Message)
		c.refused(n, at, failure)
		return false
	case gateShut:
		c.record(NodeWaiting{At: gateAt(at), For: WaitQuestion, Question: c.approval(at), Time: c.now})
	}
	inst := c.instance(at)
	inst.live.wait = waitApproval
	inst.state = StateWaiting
	c.suspend(unitOrUndo(at), c.now)
	g.held = append(g.held, at)
	return false
}

func mayDestroy(effect string) bool { return effect == "destructive" || effect == "unknown" }

// suspend stops the clock of the deadline of a node, an element, or an undo.
func (c *Core) suspend(at Addr, now time.Time) {
	if inst := c.instance(at); inst != nil && inst.live != nil && inst.live.suspended.IsZero() {
		inst.live.suspended = now
		c.timers.stop(inst.live.limit)
	}
}

// proceed lets the clock of a deadline go on.
func (c *Core) proceed(at Addr, now time.Time) {
	inst := c.instance(at)
	if inst == nil || inst.live == nil || inst.live.suspended.IsZero() {
		return
	}
	l := inst.live
	if !l.deadline.IsZero() {
		l.deadline = l.deadline.Add(max(now.Sub(l.suspended), 0))
		l.limit = c.timers.set(l.deadline, at, timerDeadline)
	}
	l.suspended = time.Time{}
}

// units calls do for the parts of a node that have a deadline of their own.
func (c *Core) units(at Addr, do func(Addr)) {
	f := c.frames[at.Frame]
	switch fan := f.nodes[at.Node].fan; {
	case at.Undo > 0:
		// They are done by the workflow that failed, which may be one above.
		for up := f; ; up = c.frames[up.parent.Frame] {
			for _, u := range up.undoing {
				if gateAt(u) == at {
					do(u)
				}
			}
			if up.id == 0 {
				return
			}
		}
	case fan == nil:
		do(at)
	default:
		for i := range fan.insts {
			do(Addr{Frame: at.Frame, Node: at.Node, Elem: i})
		}
	}
}

func (c *Core) gateAsked(q *asking) {
	g := c.gate(q.at)
	g.state, g.since = gateAsks, q.since
	c.units(q.at, func(at Addr) { c.suspend(at, q.since) })
}

func (c *Core) gateAnswered(f NodeAnswered) {
	g := c.gate(f.At)
	g.state, g.by = gateOpen, f.By
	if f.Declined {
		g.state = gateDeclined
	}
	c.units(f.At, func(at Addr) { c.proceed(at, f.Time) })
	c.replies = append(c.replies, f.At)
}

// openGate lets what was held go on.
func (c *Core) openGate(at Addr) {
	g := c.gate(at)
	held := g.held
	g.held = nil
	for _, call := range held {
		inst := c.instance(call)
		if inst == nil || inst.live == nil || inst.live.wait != waitApproval {
			continue // the run has stopped meanwhile
		}
		c.noWait(inst.live)
		inst.state = StateRunning
		c.attempt(c.nodeOf(call), call)
	}
}

// shutGates ends what a frame asks for its policy: it stops.
func (c *Core) shutGates(f *frame) {
	for _, q := range append([]*asking(nil), c.asking...) {
		if q.at.Frame == f.id && q.at.Undo == 0 && c.isGate(q.at) {
			c.unask(q)
			g := c.gate(q.at)
			g.state, g.held = gateShut, nil
		}
	}
}

// approval is the question whether calls may be made, of which at is the first.
func (c *Core) approval(at Addr) *journal.Asked {
	n := c.nodeOf(at)
	about := &journal.Approval{Connection: n.connection, Tool: n.spec.Tool, Effect: n.spec.Effect, Calls: []journal.ApprovalCall{}}
	if n.variants != nil {
		about.Connection = ""
	}
	hides := c.isSensitive(at)
	c.toApprove(at, func(key value.Value, args value.Value) {
		if about.Count++; about.Count > mostShownCalls {
			return
		}
		call := journal.ApprovalCall{Args: json.RawMessage(`"(sensitive)"`)}
		if !hides {
			call.Args = value.AppendJSON(nil, shortened(args))
		}
		if !key.IsNull() {
			call.Key = value.AppendJSON(nil, key)
		}
		about.Calls = append(about.Calls, call)
	})
	what := "is destructive"
	if about.Effect == "unknown" {
		what = "does not say what effect it has, and counts as destructive"
	}
	name := n.spec.Source + "." + n.spec.Tool
	if about.Connection != "" {
		name = n.what()
	}
	message := fmt.Sprintf("May the tool %s be called", name)
	if at.Undo > 0 {
		message += ", to take back what the step did"
	}
	if c.frames[at.Frame].nodes[at.Node].fan != nil {
		message += fmt.Sprintf(", for %d %s", about.Count, plural("element", about.Count))
	}
	message += "? It " + what + "."
	return &journal.Asked{Message: message, Answer: "object({})", Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`), Approval: about}
}

// toApprove tells of each call that passes the gate of which at is the first: the
// element's key, null of the step itself, and the arguments. Calls that cannot be
// told, since their expressions fail, fail later by themselves.
func (c *Core) toApprove(at Addr, tell func(key, args value.Value)) {
	n := c.nodeOf(at)
	c.units(gateAt(at), func(unit Addr) {
		call := unit
		if unit.Undo > 0 {
			if inst := c.instance(unit); inst != nil && inst.state.ended() || c.instance(unit.done()).state != StateOK {
				return
			}
		} else {
			inst := c.instance(unit)
			if inst.state.ended() {
				return
			}
			if n.loops() {
				call.Round = max(len(inst.rounds), 1)
			}
		}
		if unit == unitOrUndo(at) {
			call = at
		}
		s := c.scopeAt(call)
		if call.Elem != Whole && n.spec.WhenEach && call.Undo == 0 {
			if holds, failure := c.evalBool("when", n.when, s); failure != nil || !holds {
				return
			}
		}
		key, failure := c.sourceKey(n, call, s)
		if failure != nil {
			return
		}
		v := n.variant(key)
		if kept := c.wouldKeep(v, call); kept {
			return
		}
		idempotency := ""
		if c.opts.IdempotencyKey != nil && n.spec.Kind == plan.Call {
			idempotency = c.opts.IdempotencyKey(c.Instance(call))
		}
		args, failure := c.given(v, call, s, idempotency, secretReference)
		if failure != nil {
			return
		}
		effect, failure := c.effect(v, s, args)
		if failure != nil || !mayDestroy(effect) {
			return
		}
		each := value.NullValue
		if s.each != nil {
			each = s.each.key
		}
		tell(each, args)
	})
}

// wouldKeep reports whether the result of a call is one of an earlier run.
func (c *Core) wouldKeep(n *node, at Addr) bool {
	if c.opts.Past == nil {
		return false
	}
	kept, _ := c.keep(n, at, c.scopeAt(at))
	return kept != nil
}

// mostShownText bounds a text in what is shown of arguments: who approves that a
// file is written need not read all of it.
const mostShownText = 500

// shortened is a value with long texts cut.
func shortened(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		text := []rune(v.AsString())
		if len(text) > mostShownText {
			return value.OfString(fmt.Sprintf("%s… (%d bytes)", string(text[:mostShownText]), len(v.AsString())))
		}
	case value.List:
		list := make([]value.Value, len(v.AsList()))
		for i, e := range v.AsList() {
			list[i] = shortened(e)
		}
		return value.OfList(list)
	case value.Object:
		obj := value.NewObject(v.AsObject().Len())
		for k, a := range v.AsObject().All() {
			obj.Set(k, shortened(a))
		}
		return value.OfObject(obj)
	}
	return v
}
