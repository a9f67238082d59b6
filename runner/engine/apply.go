package engine

import (
	"fmt"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

func (c *Core) apply(f Fact) error {
	switch f := f.(type) {
	case RunCreated:
		return c.applyCreated(f)
	case RunBegun:
		return c.applyBegun(f.Time)
	case NodeStarted:
		return c.applyStarted(f)
	case AttemptFailed:
		return c.applyAttemptFailed(f)
	case NodeWaiting:
		return c.applyWaiting(f)
	case NodeResolved:
		return c.applyResolved(f)
	case NodeAnswered:
		return c.applyAnswered(f)
	case NodeEnded:
		return c.applyEnded(f)
	case CallAnswered:
		return c.answered(f.At, f.Answer, nil)
	case CallFailed:
		return c.answered(f.At, nil, f.Err)
	case CancelRequested:
		c.cancel = true
		c.stopFrame(c.frames[0], stopAll)
		return nil
	case DeadlinePassed:
		return c.applyDeadlinePassed(f)
	case Settled:
		return c.applySettled(f)
	case SessionGone:
		if c.gone == nil {
			c.gone = map[string]bool{}
		}
		c.gone[f.Connection] = true
		return nil
	case RunEnded:
		c.applyRunEnded(f)
		return nil
	}
	return fmt.Errorf("there is no fact of the type %T", f)
}

func (c *Core) applyCreated(f RunCreated) error {
	if c.created != nil {
		return fmt.Errorf("the run was created twice")
	}
	c.created = &f
	c.frames[0].inputs = f.Inputs
	if f.Queued {
		return nil
	}
	return c.applyBegun(f.StartedAt)
}

// applyBegun begins a run, whose turn may come again when it is resumed.
func (c *Core) applyBegun(at time.Time) error {
	if c.began.IsZero() {
		c.began = at
		c.beginFrame(c.frames[0], at)
	}
	return nil
}

// stopFrame has a workflow stop. In its finally phase it ends by itself.
func (c *Core) stopFrame(f *frame, level stopLevel) {
	if f.phase == phaseSteps && f.halt < level {
		f.halt = level
		c.wake(f)
	}
}

func (c *Core) applyStarted(f NodeStarted) error {
	if c.isFanOut(f.At) {
		return c.fanOutStarted(f)
	}
	inst, err := c.reach(f.At)
	if err != nil {
		return err
	}
	if inst.live == nil {
		c.goOn(f.At, inst)
	}
	l := inst.live
	l.word = nil
	inst.attempts = f.Attempt
	c.dueBy(f.At, f.Deadline)
	if c.nodeOf(f.At).spec.Kind == plan.Run {
		c.noWait(l)
		return c.openChild(f)
	}
	if l.call == nil {
		c.inCall(l, pendingCall{repeatable: f.Repeatable})
		c.lost = append(c.lost, f.At)
	}
	l.call.left = true
	if f.ArgsDigest != "" {
		l.digest = f.ArgsDigest
	}
	if f.At.Undo == 0 && !f.Repeatable {
		c.isUnsafe(c.frames[f.At.Frame])
	}
	return nil
}

// isUnsafe notes that what a frame did may not be repeated.
func (c *Core) isUnsafe(f *frame) {
	for f.unsafe = true; f.id != 0; f.unsafe = true {
		f = c.frames[f.parent.Frame]
	}
}

func (c *Core) fanOutStarted(f NodeStarted) error {
	fr := c.frames[f.At.Frame]
	n := &fr.nodes[f.At.Node]
	if n.fan == nil {
		if failure := c.openFanOut(fr, f.At.Node); failure != nil {
			return fmt.Errorf("the step %s began and cannot begin now: %s", c.Instance(f.At), failure.Message)
		}
	}
	n.state = StateRunning
	if n.fan.left == 0 {
		fr.closing = append(fr.closing, f.At.Node)
		c.wake(fr)
	} else {
		c.queueFill(fr, f.At.Node)
	}
	return nil
}

func (c *Core) applyAttemptFailed(f AttemptFailed) error {
	inst, err := c.reach(f.At)
	if err != nil {
		return err
	}
	if inst.live == nil {
		c.goOn(f.At, inst)
	}
	l := inst.live
	l.word = nil
	inst.attempts = f.Attempt
	l.failures++
	l.last = f.Failure
	c.timers.stop(l.timeout)
	c.closeChild(inst, false)
	c.waits(f.At, l, waitRetry, f.RetryAt)
	c.wake(c.frames[f.At.Frame])
	return nil
}

func (c *Core) applyWaiting(f NodeWaiting) error {
	if f.For == WaitQuestion {
		return c.applyAsked(f)
	}
	inst, err := c.reach(f.At)
	if err != nil {
		return err
	}
	if inst.live == nil {
		c.goOn(f.At, inst)
	}
	l := inst.live
	l.word = nil
	c.dueBy(f.At, f.Deadline)
	switch f.For {
	case WaitSleep:
		inst.attempts = 1
		c.waits(f.At, l, waitSleep, f.Until)
	case WaitRound:
		c.waits(f.At, l, waitRound, f.Until)
	case WaitInDoubt:
		// The clock of the deadline stands while somebody is asked.
		c.waits(f.At, l, waitDoubt, f.Until)
		l.since = f.Time
		inst.state = StateInDoubt
		if unit := c.instance(unitOrUndo(f.At)); unit != nil && unit.live != nil {
			c.timers.stop(unit.live.limit)
		}
	default:
		return fmt.Errorf("%s waits for something that this wfc does not know", c.Instance(f.At))
	}
	return nil
}

// unitOrUndo is what has a deadline: a node, an element, or an undo.
func unitOrUndo(at Addr) Addr {
	if at.Undo > 0 {
		return at
	}
	return at.unit()
}

func (c *Core) applyEnded(f NodeEnded) error {
	fr := c.frames[f.At.Frame]
	if c.isFanOut(f.At) {
		return c.nodeEnded(fr, f.At.Node, f.Outcome.state(), f.Failure, c.blamed(f))
	}
	inst, err := c.reach(f.At)
	if err != nil {
		return err
	}
	c.goNoFurther(f.At, inst)
	inst.state, inst.attempts = f.Outcome.state(), f.Attempts
	if child := c.frames[inst.child]; inst.child > 0 && child != nil && f.Outcome == OutcomeOK {
		child.outcome = RunOK // its own end is in no history where nothing asks for it
	}
	c.closeChild(inst, true)
	if f.At.Undo > 0 {
		inst.failure = f.Failure
		c.noteError(fr, f.At, f.Failure)
		c.undoEnded(f.At)
		return nil
	}
	n := &fr.prog.nodes[f.At.Node]
	loop := n.loops() && f.At.Round == 0
	if !loop {
		inst.output, inst.text, inst.content, inst.failure = f.Output, f.Text, f.Content, f.Failure
		c.noteError(fr, f.At, f.Failure)
		c.noteFinished(fr, f.At, n, inst)
	}
	c.wake(fr)
	switch {
	case f.At.Round > 0:
		return c.roundEnded(fr, n, f)
	case f.At.Elem == Whole:
		return c.nodeEnded(fr, f.At.Node, inst.state, f.Failure, c.blamed(f))
	}
	fan := fr.nodes[f.At.Node].fan
	fan.left--
	// While the run stops no `when` is asked: the element was given up.
	fan.cut = fan.cut || f.Outcome == OutcomeSkipped && fr.stopping()
	if f.Failure != nil && fan.failed == nil && !n.tolerates(f.Failure.Kind) {
		fan.failed, fan.failure = f.Failure, c.blamed(f)
		c.fails(fr, fan.failure, f.Failure)
	}
	if fan.left == 0 || fan.failed != nil {
		fr.closing = append(fr.closing, f.At.Node)
	} else {
		c.queueFill(fr, f.At.Node)
	}
	return nil
}

func (c *Core) roundEnded(fr *frame, n *node, f NodeEnded) error {
	unit, err := c.unitOf(f.At)
	if err != nil {
		return err
	}
	if f.Failure != nil && !n.tolerates(f.Failure.Kind) {
		unit.live.failed = f.Failure
		if f.At.Elem == Whole {
			c.fails(fr, c.Instance(f.At), f.Failure)
		}
	}
	fr.turns = append(fr.turns, f.At.unit())
	return nil
}

// noteFinished remembers what can be undone.
func (c *Core) noteFinished(fr *frame, at Addr, n *node, inst *instance) {
	if len(n.undo) > 0 && inst.mayBeUndone() || c.doneChild(inst) != nil {
		fr.finished = append(fr.finished, at)
	}
}

// noteError adds a failure to run.errors.
func (c *Core) noteError(fr *frame, at Addr, f *Failure) {
	if f == nil {
		return
	}
	in := c.Instance(at)
	fr.errors = append(fr.errors, errorValue(in, f.Kind, f.Message))
}

// errorValue is an item of run.errors, and run.error.
func errorValue(at Instance, kind Kind, message string) value.Value {
	obj := value.NewObject(4)
	obj.Set("step", value.OfString(at.Step))
	obj.Set("key", at.Key)
	obj.Set("kind", value.OfString(string(kind)))
	obj.Set("message", value.OfString(message))
	return value.OfObject(obj)
}

// blamed names what is to blame for an end: of a fan-out its element, of a loop
// its round.
func (c *Core) blamed(f NodeEnded) Instance {
	if c.isFanOut(f.At) {
		if fan := c.frames[f.At.Frame].nodes[f.At.Node].fan; fan != nil && fan.failed != nil {
			return fan.failure
		}
		return c.Instance(f.At)
	}
	if inst := c.instance(f.At); f.At.Round == 0 && f.Failure != nil && len(inst.rounds) > 0 {
		f.At.Round = len(inst.rounds)
	}
	return c.Instance(f.At)
}

// nodeEnded ends a whole node and makes ready what waited for nothing else.
func (c *Core) nodeEnded(fr *frame, i int, state State, failure *Failure, blame Instance) error {
	n := &fr.nodes[i]
	if n.state.ended() {
		return fmt.Errorf("%s ended twice", c.Instance(Addr{Frame: fr.id, Node: i, Elem: Whole}))
	}
	n.state = state
	fr.open--
	c.wake(fr)
	spec := &fr.prog.nodes[i]
	// A failure of a fan-out as a whole is never tolerated: there is no result that
	// could carry it (and an element's that is tolerated does not end up here).
	if failure != nil && (!spec.forEach.IsZero() || !spec.tolerates(failure.Kind)) {
		c.fails(fr, blame, failure)
		if !spec.spec.Finally {
			return nil
		}
	}
	for _, j := range spec.before {
		fr.nodes[j].waiting--
		if fr.nodes[j].waiting == 0 && fr.nodes[j].state == StatePending {
			fr.nodes[j].state = StateReady
			fr.ready = append(fr.ready, j)
		}
	}
	return nil
}

// fails makes the first failure that is not tolerated the workflow's. After a
// cancel request failures are its consequence.
func (c *Core) fails(fr *frame, at Instance, f *Failure) {
	if fr.failure != nil || fr.phase == phaseSteps && fr.halt > stopNone || fr.outcome == RunCancelled {
		return
	}
	at.In = nil // whoever runs the workflow names itself
	fr.failure = &RunError{
		At: at, Kind: f.Kind, Code: f.Code, InDoubt: f.InDoubt,
		Message: fmt.Sprintf("Step %s failed: %s", at, f.Message),
	}
	c.wake(fr)
}

func (c *Core) applyDeadlinePassed(f DeadlinePassed) error {
	fr := c.frames[f.Frame]
	if fr == nil || fr.phase != phaseSteps {
		return fmt.Errorf("a deadline passed of what had ended: %s", f.Message)
	}
	if fr.failure == nil && fr.halt == stopNone {
		fr.failure = &RunError{Kind: KindTimeout, Message: f.Message}
	}
	fr.halt, fr.late = stopAll, true
	c.timers.stop(fr.deadline)
	c.wake(fr)
	return nil
}

// applyRunEnded ends the run: what has not ended never ran.
func (c *Core) applyRunEnded(f RunEnded) {
	c.ending = &f
	fr := c.frames[0]
	fr.phase = phaseOver
	fr.skipRest()
	for _, n := range fr.nodes {
		if n.fan == nil {
			continue
		}
		for j := range n.fan.insts {
			if inst := &n.fan.insts[j]; !inst.state.ended() {
				inst.state = StateSkipped
			}
		}
	}
}

// skipRest makes skipped what has not ended.
func (f *frame) skipRest() {
	for i := range f.nodes {
		if n := &f.nodes[i]; !n.state.ended() && (f.phase == phaseOver || !f.prog.nodes[i].spec.Finally) {
			n.state, n.inst.state = StateSkipped, StateSkipped
		}
	}
	f.open = 0
	f.ready, f.fill, f.closing, f.turns = nil, nil, nil, nil
}

// isFanOut reports whether an address is that of a whole fan-out.
func (c *Core) isFanOut(at Addr) bool {
	if at.Elem != Whole || at.Round > 0 || at.Undo > 0 || c.frames[at.Frame] == nil {
		return false
	}
	nodes := c.frames[at.Frame].prog.nodes
	return at.Node >= 0 && at.Node < len(nodes) && !nodes[at.Node].forEach.IsZero()
}

func (c *Core) queueFill(f *frame, i int) {
	if fan := f.nodes[i].fan; !fan.queued {
		fan.queued = true
		f.fill = append(f.fill, i)
		c.wake(f)
	}
}
