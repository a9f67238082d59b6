package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// startChild begins an attempt to run another workflow.
func (c *Core) startChild(n *node, at Addr, s *scope) {
	inst := c.instance(at)
	inputs, failure := c.childInputs(n, s)
	if failure == nil {
		_, failure = c.childKeys(n, s)
	}
	var limit time.Duration
	if failure == nil {
		limit, failure = c.duration("timeout", n.timeout, s)
	}
	if failure != nil {
		c.refused(n, at, failure)
		return
	}
	c.inputs = &inputs
	c.record(NodeStarted{At: at, Attempt: inst.attempts + 1, Repeatable: true, Deadline: c.deadlineOf(at), Time: c.now})
	c.inputs = nil
	if limit > 0 {
		c.limitChild(c.instance(at).live, at, c.now.Add(limit))
	}
}

// limitChild sets the timeout of an attempt to run a child.
func (c *Core) limitChild(l *live, at Addr, due time.Time) {
	c.timers.stop(l.timeout)
	l.timeout = c.timers.set(due, at, timerTimeout)
}

// childInputs evaluates what a child is given.
func (c *Core) childInputs(n *node, s *scope) (value.Value, *Failure) {
	s.secret = c.opts.Secret
	defer func() { s.secret = nil }()
	v, failure := c.eval("args", n.args, s)
	if failure != nil {
		return v, failure
	}
	if v.Kind() == value.Object {
		// A null stands for an input that is left out, unless it may be null.
		given := value.NewObject(v.AsObject().Len())
		for name, a := range v.AsObject().All() {
			if !a.IsNull() || n.nullArgs[name] {
				given.Set(name, a)
			}
		}
		v = value.OfObject(given)
	}
	inputs, err := n.child.Inputs(v)
	if err != nil {
		return inputs, expressionFailure("The workflow %s cannot run with these `args`: %s", n.child.plan.Workflow, strings.TrimSpace(err.Error()))
	}
	return inputs, nil
}

// childKeys evaluates which members the sources of a child are.
func (c *Core) childKeys(n *node, s *scope) (map[string]string, *Failure) {
	if len(n.bind) == 0 {
		return nil, nil
	}
	keys := make(map[string]string, len(n.bind))
	for _, b := range n.bind {
		if b.key.IsZero() {
			if key, chosen := s.frame.keys[b.ours]; chosen {
				keys[b.source] = key
			}
			continue
		}
		v, failure := c.eval("bind", b.key, s)
		if failure != nil {
			return nil, failure
		}
		if v.Kind() != value.String {
			return nil, expressionFailure("The key in `bind` for the source %q must be text; it is %s.", b.source, v.Summary(80))
		}
		keys[b.source] = v.AsString()
	}
	return keys, nil
}

// openChild makes the frame of a child that begins.
func (c *Core) openChild(f NodeStarted) error {
	n := c.nodeOf(f.At)
	s := c.scopeAt(f.At)
	var failure *Failure
	inputs := c.inputs
	if inputs == nil {
		var v value.Value
		if v, failure = c.childInputs(n, s); failure == nil {
			inputs = &v
		}
	}
	var keys map[string]string
	if failure == nil {
		keys, failure = c.childKeys(n, s)
	}
	if failure != nil {
		return fmt.Errorf("%s began and cannot begin now: %s", c.Instance(f.At), failure.Message)
	}
	inst := c.instance(f.At)
	child := newFrame(len(c.frames), n.child)
	child.parent, child.inputs, child.keys = f.At, *inputs, keys
	inst.child = child.id
	c.frames = append(c.frames, child)
	if limit, failure := c.duration("timeout", n.timeout, s); failure == nil && limit > 0 && c.inputs == nil {
		c.limitChild(inst.live, f.At, f.Time.Add(limit))
	}
	c.beginFrame(child, f.Time)
	return nil
}

// beginFrame begins a workflow.
func (c *Core) beginFrame(f *frame, at time.Time) {
	c.wake(f)
	if limit, failure := c.duration("deadline", f.prog.deadline, &scope{core: c, frame: f}); failure != nil {
		f.failure = &RunError{Kind: failure.Kind, Message: failure.Message}
	} else if limit > 0 {
		f.deadline = c.timers.set(at.Add(limit), Addr{Frame: f.id, Elem: Whole}, timerFrame)
	}
	f.begin(false)
}

// childEnded makes the end of a child that of the attempt to run it.
func (c *Core) childEnded(f *frame) {
	at := f.parent
	n := c.nodeOf(at)
	if f.outcome == RunOK && f.failure == nil {
		outputs := f.outputs
		c.attemptEnded(n, at, &Answer{Structured: &outputs}, nil, !f.unsafe)
		return
	}
	failed := &CallError{Sent: SentNo, Kind: KindCancelled, Answered: true}
	failed.Message = fmt.Sprintf("The workflow %s was cancelled because %s.", n.child.plan.Workflow, c.because(c.frames[at.Frame]))
	if f.unsafe {
		failed.Sent = SentYes
	}
	if e := f.failure; e != nil && f.refused {
		failed.Kind, failed.Message = e.Kind, e.Message
	} else if e != nil {
		failed.Kind, failed.Code, failed.Answered = e.Kind, e.Code, !e.InDoubt
		failed.Message = fmt.Sprintf("In the workflow %s: %s", n.child.plan.Workflow, e.Message)
	}
	c.attemptEnded(n, at, nil, failed, !f.unsafe)
}

// refuse has the child of an attempt that fails, though the child was ok, undo what
// it did before the next attempt does it again. It reports whether there is anything.
func (c *Core) refuse(inst *instance, failure *Failure) bool {
	child := c.doneChild(inst)
	if child == nil {
		return false
	}
	c.record(Settled{Frame: child.id, Outcome: RunFailed, Err: &RunError{Kind: failure.Kind, Message: failure.Message}})
	return true
}

// closeChild ends the workflow that an instance ran: the attempt is over. What
// can be undone of it is kept.
func (c *Core) closeChild(inst *instance, keep bool) {
	if inst.child == 0 || c.frames[inst.child] == nil {
		return
	}
	f := c.frames[inst.child]
	f.phase = phaseOver
	c.timers.stop(f.deadline)
	if !keep || c.doneChild(inst) == nil {
		// What is commanded still names its steps.
		c.dropped = append(c.dropped, f.id)
	}
}

// drop forgets the children that are over.
func (c *Core) drop() {
	for _, id := range c.dropped {
		c.frames[id] = nil
	}
	c.dropped = c.dropped[:0]
}
