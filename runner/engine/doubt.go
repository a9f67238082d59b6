package engine

import (
	"fmt"
	"time"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// doubtful is what is said of a call that had left when its process died.
const doubtful = "The process that ran the workflow ended after the request had left and before an answer came: whether it had its effect is not known."

// Doubt makes the calls in the history that may not be repeated, and may have no
// end, ones in doubt, where the policy is to ask; it starts nothing. It returns
// what is to be journalled.
func (c *Core) Doubt(now time.Time) []Command {
	c.now = now
	if c.prog.policy.InDoubt == "ask" {
		for _, at := range c.lost {
			inst := c.instance(at)
			if inst != nil && inst.live != nil && inst.live.call != nil && !inst.live.call.repeatable && !c.stops(at) {
				c.record(NodeWaiting{At: at, For: WaitInDoubt, Time: now})
			}
		}
	}
	out := c.commands
	c.commands = nil
	return out
}

// stops reports whether nothing of what at is a part of is to go on. What is undone
// is no part of the steps that stop.
func (c *Core) stops(at Addr) bool { return at.Undo == 0 && c.frames[at.Frame].stopping() }

// judgeLost decides what becomes of calls that had left and have no end: those
// that may be repeated are made again, with the same key; others are in doubt.
func (c *Core) judgeLost() {
	lost := c.lost
	c.lost = nil
	for _, at := range lost {
		inst := c.instance(at)
		if inst == nil || inst.live == nil || inst.live.call == nil || !inst.live.call.left {
			continue
		}
		n, l := c.nodeOf(at), inst.live
		stopping := c.stops(at)
		policy := c.prog.policy.InDoubt
		switch repeatable := l.call.repeatable; {
		case stopping && repeatable:
			c.record(NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &Failure{
				Kind: KindCancelled, Message: "It was cancelled because " + c.because(c.frames[at.Frame]) + ".", Sent: SentMaybe,
			}})
		case repeatable || policy == "retry" && !stopping:
			c.noCall(l)
			c.attempt(n, at)
		case stopping || policy == "fail":
			c.record(NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &Failure{
				Kind: KindTransport, Message: doubtful, Sent: SentMaybe, InDoubt: true,
			}})
		default:
			c.record(NodeWaiting{At: at, For: WaitInDoubt, Time: c.now})
		}
	}
}

// Resolve takes somebody's word on a node in doubt and returns what to do now. An
// error means that nothing changed: the node is not in doubt,
// or the output is not of its type.
func (c *Core) Resolve(r NodeResolved) ([]Command, error) {
	c.now = r.Time
	inst := c.instance(r.At)
	if inst == nil || inst.live == nil || inst.live.wait != waitDoubt {
		state := StatePending
		if inst != nil {
			state = inst.state
		}
		return nil, sentence("The step %s is not in doubt: its state is %s.", c.Instance(r.At), state)
	}
	n := c.nodeOf(r.At).variant(inst.live.key)
	output := value.NullValue
	if r.Output != nil {
		output = *r.Output
	}
	switch r.As {
	case journal.ResolvedOK:
		want := n.returns
		if want == nil {
			want = n.resultType
		}
		if want != nil && r.At.Undo == 0 { // nobody asks what an undo block gave
			if m := types.Conforms(want, output); m != nil {
				return nil, sentence("The output of the step %s must be of the type %s: %s.", c.Instance(r.At), types.Print(want), m.Error())
			}
		}
	case journal.ResolvedError, journal.ResolvedRetry:
	default:
		return nil, sentence("A step in doubt is resolved as ok, error or retry, not as %q.", r.As)
	}
	c.record(r)
	c.takeWords()
	return c.next(), nil
}

func (c *Core) applyResolved(f NodeResolved) error {
	inst := c.instance(f.At)
	if inst == nil || inst.live == nil || inst.live.wait != waitDoubt {
		return fmt.Errorf("%s was resolved and was not in doubt", c.Instance(f.At))
	}
	l := inst.live
	inst.state = StateRunning
	if unit := c.instance(unitOrUndo(f.At)); unit.live != nil && !unit.live.deadline.IsZero() {
		// The clock of the deadline goes on.
		u := unit.live
		u.deadline = u.deadline.Add(max(f.Time.Sub(l.since), time.Duration(0)))
		c.timers.stop(u.limit)
		u.limit = c.timers.set(u.deadline, unitOrUndo(f.At), timerDeadline)
	}
	c.noWait(l)
	l.word = &f
	c.words = append(c.words, f.At)
	return nil
}

// takeWords makes what was said of instances in doubt their end, or their next attempt.
func (c *Core) takeWords() {
	words := c.words
	c.words = nil
	for _, at := range words {
		if inst := c.instance(at); inst != nil && inst.live != nil && inst.live.word != nil {
			c.conclude(at, inst)
		}
	}
}

func (c *Core) conclude(at Addr, inst *instance) {
	n := c.nodeOf(at)
	word := inst.live.word
	inst.live.word = nil
	by := ""
	if word.By != "" {
		by = " by " + word.By
	}
	switch word.As {
	case journal.ResolvedOK:
		end := NodeEnded{At: at, Outcome: OutcomeOK, Attempts: inst.attempts}
		if word.Output != nil {
			end.Output = *word.Output
		}
		c.ended(n, end, value.NullValue)
	case journal.ResolvedError:
		c.ended(n, NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &Failure{
			Kind: KindTransport, Sent: SentMaybe, Message: "The process that ran the workflow ended while the call was on its way. It was resolved" + by + " as an error.",
		}}, value.NullValue)
	case journal.ResolvedRetry:
		c.attempt(n, at)
	}
}

// sentence is an error that is told as it is: full sentences.
func sentence(format string, args ...any) error { return fmt.Errorf(format, args...) }
