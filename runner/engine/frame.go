package engine

import (
	"fmt"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// State is the state of a node, or of an element of a fan-out.
type State uint8

// The states. A node is pending until all it waits for has ended, then ready
// until it is begun. InDoubt: the effect of a call is unknown after a crash, and
// somebody must say what it came to. Waiting: for a time, or a person.
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

// phase is how far a workflow has come.
type phase uint8

const (
	phaseSteps   phase = iota
	phaseUndo          // what was done is undone, if it failed; the steps have ended
	phaseFinally       // its finally blocks run
	phaseOver
)

// frame is the state of one workflow of a run: of the run itself, or of a child.
type frame struct {
	id     int
	prog   *Program
	parent Addr              // of a child: the node that runs it
	keys   map[string]string // of sources that this node chose the member of: the key
	inputs value.Value
	nodes  []nodeState
	locals []cachedLocal

	ready   []int  // nodes to begin, first in first out
	fill    []int  // fan-outs that may have room
	closing []int  // fan-outs that may be over
	turns   []Addr // loops of which a round has ended
	open    int    // steps that have not ended; in the finally phase, finally blocks
	active  int    // instances that go on
	awake   bool   // in Core.awake

	phase    phase
	failure  *RunError // of the first node that fails the workflow
	halt     stopLevel // what runs it stops
	stopSent stopLevel
	late     bool          // its deadline, or the timeout of the attempt to run it, has passed
	unsafe   bool          // a call left that may not be repeated
	errors   []value.Value // run.errors
	deadline *timer

	finished []Addr // what can be undone, in the order in which it ended
	undoing  []Addr // the undo blocks to run, in order
	undone   int    // so many of them have ended
	undos    map[Addr]*instance
	gates    map[gateKey]*gate
	outcome  RunOutcome  // once it is settled
	settled  *RunError   // run.error in its finally blocks
	refused  bool        // it was ok, and the attempt of which it was failed for all that
	outputs  value.Value // of a workflow that is ok
}

func newFrame(id int, prog *Program) *frame {
	f := &frame{
		id: id, prog: prog, open: prog.steps,
		nodes:  make([]nodeState, len(prog.nodes)),
		locals: make([]cachedLocal, len(prog.plan.Locals)),
	}
	for i := range f.nodes {
		f.nodes[i].waiting = prog.nodes[i].after
	}
	return f
}

// begin makes ready what waits for nothing: steps, or finally blocks.
func (f *frame) begin(finally bool) {
	for i := range f.nodes {
		if f.prog.nodes[i].spec.Finally == finally && f.nodes[i].waiting == 0 && f.nodes[i].state == StatePending {
			f.nodes[i].state = StateReady
			f.ready = append(f.ready, i)
		}
	}
}

// stopping reports whether no step may start any more.
func (f *frame) stopping() bool {
	return f.phase == phaseSteps && (f.failure != nil || f.halt > stopNone)
}

// each calls do for every instance that may be going on: nodes, elements, and the
// last rounds of loops after the loops themselves.
func (f *frame) each(do func(Addr, *instance)) {
	unit := func(at Addr, inst *instance) {
		do(at, inst)
		if n := len(inst.rounds); n > 0 {
			at.Round = n
			do(at, &inst.rounds[n-1])
		}
	}
	for i := range f.nodes {
		n := &f.nodes[i]
		switch {
		case n.fan == nil:
			unit(Addr{Frame: f.id, Node: i, Elem: Whole}, &n.inst)
		case n.fan.running > 0:
			for j := range n.fan.insts {
				unit(Addr{Frame: f.id, Node: i, Elem: j}, &n.fan.insts[j])
			}
		}
	}
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

// instance is the state of a node without for_each, of an element, of a round of
// a loop, or of an undo block.
type instance struct {
	state    State
	attempts int
	output   value.Value
	text     string
	content  []value.Value
	failure  *Failure
	rounds   []instance // of a loop
	child    int        // the frame of the workflow that it ran last; 0: none
	live     *live      // while it goes on
}

// waiting is what an instance that goes on waits for.
type waiting uint8

const (
	waitNone  waiting = iota // it has a call in flight, a child, or a round
	waitRetry                // the time of the next attempt
	waitSleep
	waitRound // the time of the next round
	waitDoubt
	waitQuestion // a person's answer
	waitApproval // somebody's approval of a call, see [gate]
)

// live is what the core remembers of an instance that goes on.
type live struct {
	call     *pendingCall // while a call is in flight
	wait     waiting
	waited   *timer
	failures int           // attempts that failed
	last     *Failure      // of the last of them
	digest   string        // of the arguments, as recorded
	key      string        // of the member of a family that was chosen
	since    time.Time     // the doubt
	word     *NodeResolved // on the doubt, until something comes of it
	asking   *asking       // while it waits for an answer
	answer   *NodeAnswered // until something comes of it
	// suspended is since when the clock of the deadline stands because a policy asks;
	// zero: it runs.
	suspended time.Time
	deadline  time.Time // zero: none; of the rounds of a loop that of the loop
	limit     *timer    // the deadline's
	// What most instances need is a part of them.
	onlyCall  pendingCall
	onlyLimit timer
	timeout   *timer   // of an attempt to run a child
	late      bool     // its deadline passed
	max       int      // of a loop; 0: not known yet
	failed    *Failure // of a loop: of the round that fails it
}

// pendingCall is what the core remembers of a call in flight.
type pendingCall struct {
	readOnly, repeatable bool
	left                 bool        // its request may have left
	cancelled            bool        // CancelCall was given
	args                 value.Value // where expressions over the answer ask for them
}

// goOn makes an instance one that goes on.
func (c *Core) goOn(at Addr, inst *instance) *live {
	l := &live{}
	inst.state, inst.live = StateRunning, l
	if at.Undo > 0 {
		return l
	}
	f := c.frames[at.Frame]
	f.active++
	if n := &f.nodes[at.Node]; at.Round == 0 {
		if at.Elem != Whole {
			n.fan.running++
		} else {
			n.state = StateRunning
		}
	}
	return l
}

// goNoFurther ends that an instance goes on.
func (c *Core) goNoFurther(at Addr, inst *instance) {
	l := inst.live
	if l == nil {
		return
	}
	c.noCall(l)
	c.noWait(l)
	c.timers.stop(l.limit)
	c.timers.stop(l.timeout)
	inst.live = nil
	if at.Undo > 0 {
		return
	}
	f := c.frames[at.Frame]
	f.active--
	if at.Round == 0 && at.Elem != Whole {
		f.nodes[at.Node].fan.running--
	}
}

// inCall puts a call of an instance that goes on in flight.
func (c *Core) inCall(l *live, call pendingCall) {
	c.noWait(l)
	l.onlyCall = call
	l.call = &l.onlyCall
	c.inFlight++
}

func (c *Core) noCall(l *live) {
	if l.call != nil {
		l.call = nil
		c.inFlight--
	}
}

// waits has an instance wait, until a time unless that is zero.
func (c *Core) waits(at Addr, l *live, w waiting, until time.Time) {
	c.noCall(l)
	c.noWait(l)
	l.wait = w
	if w == waitDoubt {
		c.doubts++
	}
	if !until.IsZero() {
		l.waited = c.timers.set(until, at, timerWait)
	}
}

func (c *Core) noWait(l *live) {
	if l.wait == waitDoubt {
		c.doubts--
	}
	c.timers.stop(l.waited)
	c.unask(l.asking)
	l.wait, l.waited, l.asking = waitNone, nil, nil
}

// dueBy sets the deadline of a node or an element, which at is a part of, once.
func (c *Core) dueBy(at Addr, deadline time.Time) {
	unit := at
	if at.Undo == 0 {
		unit = at.unit()
	}
	inst := c.instance(unit)
	if l := inst.live; l != nil && l.deadline.IsZero() && !deadline.IsZero() {
		l.deadline = deadline
		l.limit = &l.onlyLimit
		c.timers.setAs(l.limit, deadline, unit, timerDeadline)
	}
}

// deadlineOf returns the deadline that holds for an instance; zero: none.
func (c *Core) deadlineOf(at Addr) time.Time {
	if at.Undo == 0 {
		at = at.unit()
	}
	if inst := c.instance(at); inst != nil && inst.live != nil {
		return inst.live.deadline
	}
	return time.Time{}
}

// unit returns the state of the node or element that at is a part of, as one
// that goes on: what a history tells first of a loop may be a round of it.
func (c *Core) unitOf(at Addr) (*instance, error) {
	unit := at.unit()
	inst := c.instance(unit)
	switch {
	case inst == nil:
		return nil, fmt.Errorf("a node began that is not there: %v", at)
	case inst.state.ended():
		return nil, fmt.Errorf("%s began after it had ended", c.Instance(unit))
	case inst.live == nil:
		c.goOn(unit, inst)
	}
	return inst, nil
}

// reach returns the state of what a fact is about, which it makes where it is a
// new round or an undo.
func (c *Core) reach(at Addr) (*instance, error) {
	if at.Undo > 0 {
		f := c.frames[at.Frame]
		if f.undos[at] == nil {
			if f.undos == nil {
				f.undos = map[Addr]*instance{}
			}
			f.undos[at] = &instance{}
		}
	} else if at.Round > 0 {
		unit, err := c.unitOf(at)
		if err != nil {
			return nil, err
		}
		switch {
		case at.Round == len(unit.rounds)+1:
			c.noWait(unit.live)
			unit.rounds = append(unit.rounds, instance{})
		case at.Round > len(unit.rounds):
			return nil, fmt.Errorf("%s began, and the round before has not", c.Instance(at))
		}
	}
	inst := c.instance(at)
	if inst == nil {
		return nil, fmt.Errorf("a node began that is not there: %v", at)
	}
	if inst.state.ended() {
		return nil, fmt.Errorf("%s began, or ended, after it had ended", c.Instance(at))
	}
	return inst, nil
}
