package engine

import (
	"cmp"
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// advance does what can be done of a workflow now.
func (c *Core) advance(f *frame) {
	for f.phase != phaseOver && c.ending == nil {
		c.schedule(f)
		switch {
		case f.phase == phaseUndo:
			if c.undoNext(f) {
				return
			}
			f.phase = phaseFinally
			f.begin(true)
		case f.active > 0:
			return
		case f.phase == phaseSteps && !f.stopping() && f.open > 0:
			return
		case f.phase == phaseSteps:
			c.settleFrame(f)
		case f.open > 0:
			return
		default:
			c.endFrame(f)
		}
	}
}

// schedule starts all that may start.
func (c *Core) schedule(f *frame) {
	for {
		switch {
		case len(f.turns) > 0:
			at := f.turns[0]
			f.turns = f.turns[1:]
			c.turn(f, at)
		case f.stopping():
			c.stop(f)
			if !c.closeFanOuts(f) && len(f.turns) == 0 {
				return
			}
		case f.phase == phaseUndo:
			return
		case len(f.ready) > 0:
			i := f.ready[0]
			f.ready = f.ready[1:]
			if f.nodes[i].state == StateReady {
				c.begin(f, i)
			}
		case len(f.fill) > 0:
			i := f.fill[0]
			f.fill = f.fill[1:]
			c.fillUp(f, i)
		case !c.closeFanOuts(f):
			return
		}
	}
}

// stop tells what goes on to end: all where the workflow is cancelled; where it
// fails, reads, and calls whose request has not left, which have no effect yet.
// What waits ends at once.
func (c *Core) stop(f *frame) {
	level := max(stopUseful, f.halt)
	if level <= f.stopSent {
		return
	}
	f.stopSent = level
	c.shutGates(f)
	var going []Addr
	f.each(func(at Addr, inst *instance) {
		if inst.live != nil {
			going = append(going, at)
		}
	})
	for _, at := range going {
		inst := c.instance(at)
		if inst == nil || inst.live == nil {
			continue // it was of what has just ended
		}
		c.stopOne(at, inst, level)
	}
}

func (c *Core) stopOne(at Addr, inst *instance, level stopLevel) {
	l := inst.live
	end := func(failure *Failure) {
		c.record(NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: failure})
	}
	switch l.wait {
	case waitRetry:
		end(l.last)
	case waitSleep:
		end(&Failure{Kind: KindCancelled, Message: "It was cancelled because " + c.because(c.frames[at.Frame]) + "."})
	case waitRound:
		c.record(NodeEnded{At: at, Outcome: OutcomeSkipped})
	case waitQuestion:
		end(&Failure{Kind: KindCancelled, Message: "It was cancelled because " + c.because(c.frames[at.Frame]) + "."})
	case waitApproval:
		// Nothing of it has begun, as of a call that is given up in the queue.
		c.record(NodeEnded{At: at, Outcome: OutcomeSkipped, Attempts: inst.attempts})
	case waitDoubt:
		end(&Failure{Kind: KindTransport, Message: doubtful, Sent: SentMaybe, InDoubt: true})
	case waitNone:
		if call := l.call; call != nil && !call.cancelled && (level == stopAll || call.readOnly || !call.left) {
			call.cancelled = true
			c.commands = append(c.commands, CancelCall{At: at, Because: c.because(c.frames[at.Frame])})
		}
		if call := l.call; call == nil && inst.child > 0 {
			c.stopFrame(c.frames[inst.child], level)
		}
	}
}

// because says why what goes on in a workflow is stopped: a clause.
func (c *Core) because(f *frame) string {
	switch {
	case f.late:
		return fmt.Sprintf("the workflow %s did not end in time", f.prog.plan.Workflow)
	case f.id == 0:
		return theRunStops
	case f.halt == stopNone:
		return fmt.Sprintf("the workflow %s stops", f.prog.plan.Workflow)
	}
	return c.because(c.frames[f.parent.Frame])
}

// theRunStops is why most of what is stopped is: a clause.
const theRunStops = "the run stops"

// settleFrame decides how a workflow ended whose steps have ended, or never will.
func (c *Core) settleFrame(f *frame) {
	for i := range f.nodes {
		if n := &f.nodes[i]; n.fan != nil && !n.state.ended() && !f.prog.nodes[i].spec.Finally {
			c.record(NodeEnded{At: Addr{Frame: f.id, Node: i, Elem: Whole}, Outcome: OutcomeSkipped})
		}
	}
	fact := Settled{Frame: f.id, Outcome: RunOK}
	switch {
	case f.failure != nil:
		fact.Outcome, fact.Err = RunFailed, f.failure
	case f.halt > stopNone:
		fact.Outcome = RunCancelled
	default:
		if outputs, err := c.outputs(f); err != nil {
			fact.Outcome, fact.Err = RunFailed, err
		} else {
			f.outputs = outputs
		}
	}
	// That a child is done is told where it can be undone, since the step that runs
	// it may fail for all that.
	if f.prog.steps < len(f.nodes) || len(f.finished) > 0 && (fact.Outcome != RunOK || f.id != 0) {
		c.record(fact)
	} else if err := c.applySettled(fact); err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
}

func (c *Core) applySettled(s Settled) error {
	f := c.frames[s.Frame]
	f.refused = f.outcome == RunOK && s.Outcome != RunOK
	f.outcome, f.failure, f.settled = s.Outcome, s.Err, s.Err
	f.phase = phaseUndo
	c.timers.stop(f.deadline)
	if s.Outcome == RunOK && f.outputs.IsNull() {
		// What finally blocks do is no part of them.
		var err *RunError
		if f.outputs, err = c.outputs(f); err != nil {
			return fmt.Errorf("the outputs cannot be computed again: %w", err)
		}
	}
	f.skipRest()
	for i := range f.nodes {
		if !f.nodes[i].state.ended() {
			f.open++ // a finally block
		}
	}
	if s.Outcome != RunOK {
		f.undoing = c.undoList(f, nil)
	}
	c.wake(f)
	return nil
}

// endFrame ends a workflow whose finally blocks have ended.
func (c *Core) endFrame(f *frame) {
	f.phase = phaseOver
	if f.id != 0 {
		c.childEnded(f)
		return
	}
	ended := RunEnded{Status: StatusCompleted, Outputs: f.outputs}
	switch {
	case f.failure != nil:
		ended = RunEnded{Status: StatusFailed, Err: f.failure}
	case f.outcome == RunCancelled:
		ended = RunEnded{Status: StatusCancelled, Err: &RunError{Kind: KindCancelled, Message: "The run was cancelled."}}
	}
	c.record(ended)
}

// undoList lists the undo blocks of what a workflow did, last first, after to.
func (c *Core) undoList(f *frame, to []Addr) []Addr {
	for i := len(f.finished) - 1; i >= 0; i-- {
		at := f.finished[i]
		inst := c.instance(at)
		if inst.mayBeUndone() {
			for u := range f.prog.nodes[at.Node].undo {
				at.Undo = u + 1
				to = append(to, at)
			}
		}
		if child := c.doneChild(inst); child != nil {
			to = c.undoList(child, to)
		}
	}
	return to
}

// mayBeUndone reports whether an instance that has ended did, or may have done,
// what its undo blocks are for.
func (i *instance) mayBeUndone() bool {
	return i.state == StateOK || i.failure != nil && i.failure.InDoubt
}

// doneChild returns the workflow that an instance ran, where that came to its end
// and can be undone; else nil. What failed or was cancelled has undone itself.
func (c *Core) doneChild(i *instance) *frame {
	if i.child == 0 {
		return nil
	}
	f := c.frames[i.child]
	if f == nil || f.outcome != RunOK || len(f.finished) == 0 {
		return nil
	}
	return f
}

// undoNext begins the next undo block and reports whether one is on its way. One
// of what is in doubt is skipped: what it would undo may never have been.
func (c *Core) undoNext(f *frame) bool {
	for f.undone < len(f.undoing) {
		at := f.undoing[f.undone]
		inst := c.instance(at)
		switch {
		case inst != nil && inst.state.ended():
			f.undone++
		case inst != nil && inst.live != nil:
			return true
		case c.instance(at.done()).state != StateOK:
			c.record(NodeEnded{At: at, Outcome: OutcomeSkipped})
		default:
			c.one(c.nodeOf(at), at)
		}
	}
	return false
}

// undoEnded has the workflow looked at that undoes, which may be one that ran the
// workflow of what is undone.
func (c *Core) undoEnded(at Addr) {
	f := c.frames[at.Frame]
	for c.wake(f); f.id != 0; c.wake(f) {
		f = c.frames[f.parent.Frame]
	}
}

// runError is run.error: an item of run.errors, or null.
func runError(e *RunError) value.Value {
	if e == nil {
		return value.NullValue
	}
	return errorValue(e.At, cmp.Or(e.Kind, KindCancelled), e.Message)
}
