package engine

import (
	"fmt"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Core is the scheduler of one run: a state machine that turns facts into
// commands. It knows no clock, no randomness, no I/O, and iterates over no map:
// the same facts at the same times always give the same commands.
//
// A driver hands every fact to [Core.Step] and does what it returns, in order. When
// the time of [Core.Timer] comes, it calls [Core.Tick]. To go on with a run from its
// journal, hand its history to [Core.Replay], fact by fact, and then call
// [Core.Resume] once.
//
// A Core may be used by one goroutine at a time.
type Core struct {
	prog *Program
	opts CoreOptions

	now     time.Time // of the step in hand
	created *RunCreated
	began   time.Time // of the run; zero: it is queued
	frames  []*frame  // the workflow itself, then its children in the order in which they began
	awake   []*frame  // those that may have something to do, first in first out
	timers  timers

	inFlight int             // calls
	doubts   int             // nodes that wait for somebody's word
	lost     []Addr          // calls in the history that may have no end
	words    []Addr          // nodes that were in doubt and of which somebody said what they came to
	asking   []*asking       // questions that wait, the oldest first
	replies  []Addr          // nodes and gates whose question was answered
	gone     map[string]bool // connections whose private session is gone

	cancel   bool // somebody asked to end the run
	ending   *RunEnded
	commands []Command
	dropped  []int        // frames that nothing asks for any more
	inputs   *value.Value // of the child that is about to begin, to evaluate them once
	meanings map[*node]meaning
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
	// MaxResult is the number of bytes up to which a result may be kept; 0: any number.
	MaxResult int64
	// Past is an earlier run whose results are kept where they are still right; nil: none.
	Past *Past
	// Interrupted is asked before each further round of a loop. A failure that it
	// returns is the round's. Nil: loops go on as far as they say.
	Interrupted func() *Failure
}

// NewCore returns the core of a run that has not begun.
func NewCore(prog *Program, opts CoreOptions) *Core {
	c := &Core{prog: prog, opts: opts}
	c.frames = []*frame{newFrame(0, prog)}
	return c
}

// Step takes a fact and returns what to do now, in order. An error means that
// the fact does not fit the run, which is a fault of the driver or the journal.
func (c *Core) Step(now time.Time, f Fact) ([]Command, error) {
	c.now = now
	c.drop()
	if err := c.apply(f); err != nil {
		return nil, err
	}
	return c.next(), nil
}

// Tick does what is due and returns what to do now, in order.
func (c *Core) Tick(now time.Time) []Command {
	c.now = now
	c.drop()
	for t := c.timers.next(); t != nil && !t.due.After(now) && c.ending == nil; t = c.timers.next() {
		c.timers.stop(t)
		c.fire(t)
	}
	return c.next()
}

// Timer returns the earliest time at which there is something to do; zero: none.
func (c *Core) Timer() time.Time {
	if t := c.timers.next(); t != nil && c.ending == nil {
		return t.due
	}
	return time.Time{}
}

// Replay takes a fact of the run's history, for which nothing is to be done.
func (c *Core) Replay(f Fact) error { return c.apply(f) }

// Resume goes on after [Core.Replay]: it decides what becomes of the calls that had
// left and have no end, does what is overdue, and returns what to do now, in order.
func (c *Core) Resume(now time.Time) []Command {
	c.now = now
	c.takeWords()
	c.takeAnswers()
	c.judgeLost()
	return c.Tick(now)
}

// Next returns what to do now, in order. It is of use after [Core.Replay], where
// the calls that had left go on elsewhere.
func (c *Core) Next(now time.Time) []Command {
	c.now = now
	return c.next()
}

func (c *Core) next() []Command {
	if c.created == nil || c.ending != nil {
		out := c.commands
		c.commands = nil
		return out
	}
	for len(c.awake) > 0 && c.ending == nil {
		f := c.awake[0]
		c.awake = c.awake[1:]
		f.awake = false
		c.advance(f)
	}
	out := c.commands
	c.commands = nil
	return out
}

// wake has the frame looked at before the core returns.
func (c *Core) wake(f *frame) {
	if !f.awake {
		f.awake = true
		c.awake = append(c.awake, f)
	}
}

// MayLeave reports whether the request of a call may leave now: not when the
// run stops, nor when the call was cancelled or is over.
func (c *Core) MayLeave(at Addr) bool {
	inst := c.instance(at)
	if inst == nil || inst.live == nil || inst.live.call == nil || inst.live.call.cancelled {
		return false
	}
	return at.Undo > 0 || !c.frames[at.Frame].stopping()
}

// Ended returns the end of the run, or nil while it goes on.
func (c *Core) Ended() *RunEnded { return c.ending }

// Waiting reports whether nothing can go on before somebody says what the effect
// of a call came to, or answers a question.
func (c *Core) Waiting() bool {
	return c.ending == nil && c.doubts+len(c.asking) > 0 && c.inFlight == 0 && c.timers.waits == 0
}

// Doubts returns the nodes that wait for somebody's word on their effect.
func (c *Core) Doubts() []Instance {
	var out []Instance
	for _, f := range c.frames {
		if f == nil {
			continue
		}
		doubts := func(at Addr, inst *instance) {
			if inst != nil && inst.live != nil && inst.live.wait == waitDoubt {
				out = append(out, c.Instance(at))
			}
		}
		f.each(doubts)
		for _, at := range f.undoing {
			doubts(at, c.instance(at))
		}
	}
	return out
}

// State returns the state of a node, an element or a round. A fan-out that is not
// reached has no elements.
func (c *Core) State(at Addr) State {
	if at.Elem == Whole && at.Round == 0 && at.Undo == 0 {
		return c.frames[at.Frame].nodes[at.Node].state
	}
	return c.instance(at).state
}

// Elements returns how many elements a node's fan-out has; -1 where it has no
// for_each or is not reached yet, and of its elements.
func (c *Core) Elements(at Addr) int {
	if f := c.frames[at.Frame].nodes[at.Node].fan; f != nil && at.Elem == Whole {
		return len(f.insts)
	}
	return -1
}

// Instance names what an address means.
func (c *Core) Instance(at Addr) Instance {
	f := c.frames[at.Frame]
	in := Instance{Step: f.prog.nodes[at.Node].spec.ID, Round: at.Round, Undo: at.Undo}
	if at.Elem != Whole {
		in.Key = f.nodes[at.Node].fan.element(at.Elem).key
	}
	if f.id != 0 {
		up := c.Instance(f.parent)
		in.In = &up
	}
	return in
}

// Find returns the address that the journal names by a path and an instance. It
// opens the fan-out where it must, so what the step refers to must have ended.
func (c *Core) Find(path, instance string) (Addr, error) {
	texts, err := journal.Parts(instance)
	if err != nil {
		return Addr{}, err
	}
	frame := 0
	for depth := 0; ; depth++ {
		step, rest, deeper := cutPath(path)
		var p journal.Part
		if depth < len(texts) {
			p = texts[depth]
		}
		at, err := c.findIn(c.frames[frame], step, p)
		if err != nil || !deeper {
			return at, err
		}
		inst := c.instance(at)
		if inst == nil || inst.child == 0 {
			return Addr{}, fmt.Errorf("%s runs no workflow", c.Instance(at))
		}
		if c.frames[inst.child] == nil {
			return Addr{}, fmt.Errorf("the workflow that %s ran is over", c.Instance(at))
		}
		frame, path = inst.child, rest
	}
}

func cutPath(path string) (step, rest string, deeper bool) {
	for i := range len(path) {
		if path[i] == '/' {
			return path[:i], path[i+1:], true
		}
	}
	return path, "", false
}

func (c *Core) findIn(f *frame, step string, p journal.Part) (Addr, error) {
	i, ok := f.prog.index[step]
	if !ok {
		return Addr{}, fmt.Errorf("the plan has no step %q", step)
	}
	at := Addr{Frame: f.id, Node: i, Elem: Whole, Round: p.Round, Undo: p.Undo}
	n := &f.prog.nodes[i]
	switch {
	case p.Round > 0 && !n.loops():
		return Addr{}, fmt.Errorf("the step %q has no rounds", step)
	case p.Undo > len(n.undo):
		return Addr{}, fmt.Errorf("the step %q has no undo block %d", step, p.Undo)
	case p.Key == "":
		return at, nil
	case n.forEach.IsZero():
		return Addr{}, fmt.Errorf("the step %q has no elements", step)
	}
	if f.nodes[i].fan == nil {
		if failure := c.openFanOut(f, i); failure != nil {
			return Addr{}, fmt.Errorf("the step %q: %s", step, failure.Message)
		}
	}
	j, ok := f.nodes[i].fan.elementIndex(p.Key)
	if !ok {
		return Addr{}, fmt.Errorf("the step %q has no element %s", step, p.Key)
	}
	at.Elem = j
	return at, nil
}

// nodeOf returns what the plan says of an address: the step, or its undo block.
func (c *Core) nodeOf(at Addr) *node {
	n := &c.frames[at.Frame].prog.nodes[at.Node]
	if at.Undo > 0 {
		return n.undo[at.Undo-1]
	}
	return n
}

// instance returns the state of a node without for_each, of an element, a round
// or an undo; nil where there is none.
func (c *Core) instance(at Addr) *instance {
	if at.Frame < 0 || at.Frame >= len(c.frames) || c.frames[at.Frame] == nil {
		return nil
	}
	f := c.frames[at.Frame]
	if at.Node < 0 || at.Node >= len(f.nodes) {
		return nil
	}
	if at.Undo > 0 {
		return f.undos[at]
	}
	n := &f.nodes[at.Node]
	var inst *instance
	switch {
	case at.Elem == Whole && f.prog.nodes[at.Node].forEach.IsZero():
		inst = &n.inst
	case at.Elem == Whole || n.fan == nil || at.Elem < 0 || at.Elem >= len(n.fan.insts):
		return nil
	default:
		inst = &n.fan.insts[at.Elem]
	}
	if at.Round == 0 {
		return inst
	}
	if at.Round > len(inst.rounds) {
		return nil
	}
	return &inst.rounds[at.Round-1]
}

// record applies a fact that the core decided itself and has it journalled.
func (c *Core) record(f Fact) {
	if err := c.apply(f); err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	c.commands = append(c.commands, Record{f})
}
