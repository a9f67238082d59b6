package engine

import "fmt"

// record applies a fact that the core decided itself and has it journalled.
func (c *Core) record(f Fact) {
	if err := c.apply(f); err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	c.commands = append(c.commands, Record{f})
}

func (c *Core) apply(f Fact) error {
	switch f := f.(type) {
	case RunCreated:
		return c.applyCreated(f)
	case NodeStarted:
		return c.applyStarted(f)
	case NodeEnded:
		return c.applyEnded(f)
	case CallAnswered:
		return c.applyAnswer(f.At, f.Answer, nil)
	case CallFailed:
		return c.applyAnswer(f.At, nil, f.Err)
	case CancelRequested:
		c.cancel = true
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
	for i := range c.nodes {
		if c.nodes[i].waiting == 0 {
			c.nodes[i].state = StateReady
			c.ready = append(c.ready, i)
		}
	}
	return nil
}

func (c *Core) applyStarted(f NodeStarted) error {
	if c.isFanOut(f.At) {
		n := &c.nodes[f.At.Node]
		if n.fan == nil {
			if failure := c.openFanOut(f.At.Node); failure != nil {
				return fmt.Errorf("the step %q began and cannot begin now: %s", c.Instance(f.At), failure.Message)
			}
		}
		n.state = StateRunning
		if n.fan.left == 0 {
			c.closing = append(c.closing, f.At.Node)
		} else {
			c.queueFill(f.At.Node)
		}
		return nil
	}
	inst := c.instance(f.At)
	if inst == nil {
		return fmt.Errorf("a node began that is not there: %v", f.At)
	}
	if inst.state.ended() {
		return fmt.Errorf("%s began after it had ended", c.Instance(f.At))
	}
	if inst.call == nil {
		c.inCall(f.At, inst, &pendingCall{repeatable: f.Repeatable})
	}
	inst.call.left = true
	inst.attempts = f.Attempt
	return nil
}

// inCall puts a call in flight.
func (c *Core) inCall(at Addr, inst *instance, call *pendingCall) {
	inst.state, inst.call = StateRunning, call
	c.inFlight++
	if fan := c.nodes[at.Node].fan; at.Elem != Whole {
		fan.running++
	} else {
		c.nodes[at.Node].state = StateRunning
	}
}

func (c *Core) applyEnded(f NodeEnded) error {
	if c.isFanOut(f.At) {
		return c.nodeEnded(f.At.Node, f.Outcome.state(), f.Failure, c.failedElement(f))
	}
	inst := c.instance(f.At)
	if inst == nil {
		return fmt.Errorf("a node ended that is not there: %v", f.At)
	}
	if inst.state.ended() {
		return fmt.Errorf("%s ended twice", c.Instance(f.At))
	}
	if inst.call != nil {
		inst.call = nil
		c.inFlight--
		if f.At.Elem != Whole {
			c.nodes[f.At.Node].fan.running--
		}
	}
	inst.state, inst.attempts = f.Outcome.state(), f.Attempts
	inst.output, inst.text, inst.content, inst.failure = f.Output, f.Text, f.Content, f.Failure
	if f.At.Elem == Whole {
		return c.nodeEnded(f.At.Node, inst.state, f.Failure, c.Instance(f.At))
	}
	fan := c.nodes[f.At.Node].fan
	fan.left--
	// While the run stops no `when` is asked: the element was given up.
	fan.cut = fan.cut || f.Outcome == OutcomeSkipped && c.stopping()
	if f.Failure != nil && fan.failed == nil && !c.prog.nodes[f.At.Node].tolerates(f.Failure.Kind) {
		fan.failed, fan.failure = f.Failure, c.Instance(f.At)
		c.fails(fan.failure, f.Failure)
	}
	if fan.left == 0 || fan.failed != nil {
		c.closing = append(c.closing, f.At.Node)
	} else {
		c.queueFill(f.At.Node)
	}
	return nil
}

// failedElement names what is to blame for the end of a fan-out.
func (c *Core) failedElement(f NodeEnded) Instance {
	if fan := c.nodes[f.At.Node].fan; fan != nil && fan.failed != nil {
		return fan.failure
	}
	return c.Instance(f.At)
}

// nodeEnded ends a whole node and makes ready what waited for nothing else.
func (c *Core) nodeEnded(i int, state State, failure *Failure, blame Instance) error {
	n := &c.nodes[i]
	if n.state.ended() {
		return fmt.Errorf("%s ended twice", c.Instance(Addr{i, Whole}))
	}
	n.state = state
	c.open--
	spec := &c.prog.nodes[i]
	// A failure of a fan-out as a whole is never tolerated: there is no result that
	// could carry it (and an element's that is tolerated does not end up here).
	if failure != nil && (!spec.forEach.IsZero() || !spec.tolerates(failure.Kind)) {
		c.fails(blame, failure)
		return nil
	}
	for _, j := range spec.before {
		c.nodes[j].waiting--
		if c.nodes[j].waiting == 0 && c.nodes[j].state == StatePending {
			c.nodes[j].state = StateReady
			c.ready = append(c.ready, j)
		}
	}
	return nil
}

// fails makes the first failure that is not tolerated the run's. After a cancel
// request failures are its consequence.
func (c *Core) fails(at Instance, f *Failure) {
	if c.stopping() {
		return
	}
	c.failure = &RunError{
		At: at, Kind: f.Kind, Code: f.Code, InDoubt: f.InDoubt,
		Message: fmt.Sprintf("Step %s failed: %s", at, f.Message),
	}
}

// applyAnswer makes an answer, or the failure of an attempt, the end of its node.
func (c *Core) applyAnswer(at Addr, answer *Answer, failed *CallError) error {
	inst := c.instance(at)
	if inst == nil || inst.call == nil {
		return fmt.Errorf("an answer came to %v, which is not in flight", at)
	}
	if answer != nil {
		c.record(c.settle(&c.prog.nodes[at.Node], at, answer, inst.attempts, inst.call.args))
		return nil
	}
	if call := inst.call; call.cancelled && !call.left && failed.Sent == SentNo && !failed.Answered {
		// It was given up in the queue, where it is not started yet (LANGUAGE 4).
		c.record(NodeEnded{At: at, Outcome: OutcomeSkipped, Attempts: inst.attempts - 1})
		return nil
	}
	c.record(NodeEnded{
		At: at, Outcome: OutcomeError, Attempts: inst.attempts,
		Failure: &Failure{
			Kind: failed.Kind, Message: failed.Message, Code: failed.Code, Sent: failed.Sent,
			// DURABILITY, "One rule for repeats".
			InDoubt: !inst.call.repeatable && !failed.Answered && failed.Sent != SentNo,
		},
	})
	return nil
}

// applyRunEnded ends the run: what has not ended never ran.
func (c *Core) applyRunEnded(f RunEnded) {
	c.ending = &f
	c.open = 0
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.fan != nil {
			for j := range n.fan.insts {
				if inst := &n.fan.insts[j]; !inst.state.ended() {
					inst.state = StateSkipped
				}
			}
		}
		if !n.state.ended() {
			n.state = StateSkipped
			n.inst.state = StateSkipped
		}
	}
	c.ready, c.fill, c.closing = nil, nil, nil
}

func (c *Core) isFanOut(at Addr) bool {
	return at.Elem == Whole && at.Node >= 0 && at.Node < len(c.nodes) && !c.prog.nodes[at.Node].forEach.IsZero()
}

func (c *Core) queueFill(i int) {
	if fan := c.nodes[i].fan; !fan.queued {
		fan.queued = true
		c.fill = append(c.fill, i)
	}
}
