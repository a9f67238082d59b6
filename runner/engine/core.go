package engine

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// State is the state of a node, or of an element of a fan-out.
type State uint8

// The states. A node is pending until all it waits for has ended, then ready
// until it is begun. InDoubt and Waiting are of later versions: the effect of a
// call is unknown after a crash; a person is asked.
const (
	StatePending State = iota
	StateReady
	StateRunning
	StateOK
	StateError
	StateSkipped
	StateInDoubt
	StateWaiting
)

// String returns the state as `wfc runs show` names it.
func (s State) String() string {
	return [...]string{"pending", "ready", "running", "ok", "error", "skipped", "in_doubt", "waiting"}[s]
}

func (s State) ended() bool { return s == StateOK || s == StateError || s == StateSkipped }

func (s State) outcome() StepOutcome {
	switch s {
	case StateOK:
		return OutcomeOK
	case StateError:
		return OutcomeError
	default:
		return OutcomeSkipped
	}
}

func (o StepOutcome) state() State {
	switch o {
	case OutcomeOK:
		return StateOK
	case OutcomeError:
		return StateError
	default:
		return StateSkipped
	}
}

// Core is the scheduler of one run: a state machine that turns facts into
// commands. It knows no clock, no randomness, no I/O, and iterates over no map:
// the same facts always give the same commands.
//
// A driver hands every fact to [Core.Step] and does what it returns, in order.
// To go on with a run from its journal, hand its history to [Core.Replay], fact by
// fact, and then call [Core.Next] once.
//
// A Core may be used by one goroutine at a time.
type Core struct {
	prog *Program
	opts CoreOptions

	created *RunCreated
	nodes   []nodeState
	locals  []cachedLocal

	ready    []int // nodes to begin, first in first out
	fill     []int // fan-outs that may have room
	closing  []int // fan-outs that may be over
	open     int   // nodes that have not ended
	inFlight int   // calls

	failure  *RunError // of the first node that fails the run
	cancel   bool      // somebody asked to end the run
	ending   *RunEnded
	stopSent stopLevel
	commands []Command
}

// stopLevel is which calls were told to stop.
type stopLevel uint8

const (
	stopNone   stopLevel = iota
	stopUseful           // reads, and what has not left yet: the run fails
	stopAll              // all: the run is cancelled
)

// CoreOptions are the pure functions that a core is given.
type CoreOptions struct {
	// Secret gives the value of secret.NAME, the same each time. Nil: the plan has none.
	Secret func(name string) (string, error)
	// IdempotencyKey gives the key of a node's effect, the same in every attempt and
	// resumption of the run. Nil: calls carry none.
	IdempotencyKey func(Instance) string
	// Redact takes the values of secrets out of a message. Nil: nothing is taken out.
	Redact func(string) string
	// Blob gives the bytes of a blob that goes into arguments. Nil: none can.
	Blob func(*value.BlobValue) ([]byte, error)
}

// nodeState is the state of a node.
type nodeState struct {
	state   State
	waiting int // nodes it waits for that have not ended
	inst    instance
	fan     *fanOut // nil: no for_each, or not reached
	result  value.Value
	built   bool // result is there
}

// instance is the state of a node without for_each, or of an element.
type instance struct {
	state    State
	attempts int
	output   value.Value
	text     string
	content  []value.Value
	failure  *Failure
	call     *pendingCall // while a call is in flight
}

// pendingCall is what the core remembers of a call in flight.
type pendingCall struct {
	readOnly, repeatable bool
	left                 bool        // its request may have left
	cancelled            bool        // CancelCall was given
	args                 value.Value // where expressions over the answer ask for them
}

// NewCore returns the core of a run that has not begun.
func NewCore(prog *Program, opts CoreOptions) *Core {
	c := &Core{
		prog:   prog,
		opts:   opts,
		nodes:  make([]nodeState, len(prog.nodes)),
		locals: make([]cachedLocal, len(prog.plan.Locals)),
		open:   len(prog.nodes),
	}
	for i := range c.nodes {
		c.nodes[i].waiting = prog.nodes[i].after
	}
	return c
}

// Step takes a fact and returns what to do now, in order. An error means that
// the fact does not fit the run, which is a fault of the driver or the journal.
func (c *Core) Step(f Fact) ([]Command, error) {
	if err := c.apply(f); err != nil {
		return nil, err
	}
	return c.Next(), nil
}

// Replay takes a fact of the run's history, for which nothing is to be done.
func (c *Core) Replay(f Fact) error { return c.apply(f) }

// Next returns what to do now, in order. It is of use after [Core.Replay];
// after [Core.Step] it returns nothing.
func (c *Core) Next() []Command {
	if c.created == nil || c.ending != nil {
		return nil
	}
	for !c.stopping() {
		if len(c.ready) > 0 {
			i := c.ready[0]
			c.ready = c.ready[1:]
			if c.nodes[i].state == StateReady {
				c.begin(i)
			}
		} else if len(c.fill) > 0 {
			i := c.fill[0]
			c.fill = c.fill[1:]
			c.fillUp(i)
		} else if !c.closeFanOuts() {
			break
		}
	}
	if c.stopping() {
		c.stop()
		c.closeFanOuts()
	}
	if c.inFlight == 0 && (c.stopping() || c.open == 0) {
		c.end()
	}
	out := c.commands
	c.commands = nil
	return out
}

// stopping reports whether nothing new may start.
func (c *Core) stopping() bool { return c.cancel || c.failure != nil }

// MayLeave reports whether the request of a call may leave now: not when the
// run stops, nor when the call was cancelled or is over.
func (c *Core) MayLeave(at Addr) bool {
	inst := c.instance(at)
	return inst != nil && inst.call != nil && !inst.call.cancelled && !c.stopping()
}

// Ended returns the end of the run, or nil while it goes on.
func (c *Core) Ended() *RunEnded { return c.ending }

// State returns the state of a node or of an element. A fan-out that is not reached has no elements.
func (c *Core) State(at Addr) State {
	if at.Elem == Whole {
		return c.nodes[at.Node].state
	}
	return c.instance(at).state
}

// Elements returns how many elements a node's fan-out has; -1 where it has no
// for_each or is not reached yet.
func (c *Core) Elements(node int) int {
	if f := c.nodes[node].fan; f != nil {
		return len(f.insts)
	}
	return -1
}

// Instance names what an address means.
func (c *Core) Instance(at Addr) Instance {
	in := Instance{Step: c.prog.nodes[at.Node].spec.ID}
	if at.Elem != Whole {
		in.Key = c.nodes[at.Node].fan.element(at.Elem).key
	}
	return in
}

// Find returns the address of a step, or of the element that text, a key or
// index as JSON, names; "" is the step itself. It opens the fan-out where it
// must, so what the step refers to must have ended.
func (c *Core) Find(step, text string) (Addr, error) {
	i, ok := c.prog.index[step]
	if !ok {
		return Addr{}, fmt.Errorf("the plan has no step %q", step)
	}
	if text == "" {
		return Addr{i, Whole}, nil
	}
	if c.prog.nodes[i].forEach.IsZero() {
		return Addr{}, fmt.Errorf("the step %q has no elements", step)
	}
	if c.nodes[i].fan == nil {
		if failure := c.openFanOut(i); failure != nil {
			return Addr{}, fmt.Errorf("the step %q: %s", step, failure.Message)
		}
	}
	j, ok := c.nodes[i].fan.elementIndex(text)
	if !ok {
		return Addr{}, fmt.Errorf("the step %q has no element %s", step, text)
	}
	return Addr{i, j}, nil
}

// instance returns the state of a node without for_each or of an element; nil
// where there is none.
func (c *Core) instance(at Addr) *instance {
	if at.Node < 0 || at.Node >= len(c.nodes) {
		return nil
	}
	n := &c.nodes[at.Node]
	if at.Elem == Whole {
		if c.prog.nodes[at.Node].forEach.IsZero() {
			return &n.inst
		}
		return nil
	}
	if n.fan == nil || at.Elem < 0 || at.Elem >= len(n.fan.insts) {
		return nil
	}
	return &n.fan.insts[at.Elem]
}

// stop tells calls in flight to end: all when the run is cancelled; when it
// fails, reads, and calls whose request has not left, which have no effect yet.
func (c *Core) stop() {
	level := stopUseful
	if c.cancel {
		level = stopAll
	}
	if level <= c.stopSent {
		return
	}
	c.stopSent = level
	cancel := func(at Addr, inst *instance) {
		if call := inst.call; call != nil && !call.cancelled && (level == stopAll || call.readOnly || !call.left) {
			call.cancelled = true
			c.commands = append(c.commands, CancelCall{at})
		}
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		cancel(Addr{i, Whole}, &n.inst)
		if n.fan != nil && n.fan.running > 0 {
			for j := range n.fan.insts {
				cancel(Addr{i, j}, &n.fan.insts[j])
			}
		}
	}
}

// end evaluates the outputs and ends the run.
func (c *Core) end() {
	for i := range c.nodes {
		if n := &c.nodes[i]; n.fan != nil && !n.state.ended() {
			c.record(NodeEnded{At: Addr{i, Whole}, Outcome: OutcomeSkipped})
		}
	}
	ended := RunEnded{Status: StatusCompleted}
	switch {
	case c.failure != nil:
		ended.Status, ended.Err = StatusFailed, c.failure
	case c.cancel:
		ended.Status, ended.Err = StatusCancelled, &RunError{Kind: KindCancelled, Message: "The run was cancelled."}
	default:
		outputs, err := c.outputs()
		if err != nil {
			ended.Status, ended.Err = StatusFailed, err
		} else {
			ended.Outputs = outputs
		}
	}
	c.record(ended)
}
