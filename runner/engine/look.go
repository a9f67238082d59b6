package engine

import (
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/value"
)

// What a driver that shows or judges a run asks of its core.

// Spec returns what the plan says of what an address means: of an undo that of its
// block. It is not to be changed.
func (c *Core) Spec(at Addr) *plan.NodeSpec { return c.nodeOf(at).spec }

// PlanOf returns the plan of the workflow that an address is in: the run's or a
// child's. It is not to be changed.
func (c *Core) PlanOf(at Addr) *plan.Plan { return c.frames[at.Frame].prog.plan }

// Stopping reports whether the workflow that an address is in has failed or is
// cancelled, so that nothing new starts in it.
func (c *Core) Stopping(at Addr) bool { return c.frames[at.Frame].stopping() }

// Scope gives the names of LANGUAGE 3 as an expression knows them that stands in none
// of the run's steps. Once the run has ended it has run.outcome, run.error and
// run.errors, and all steps.
func (c *Core) Scope() eval.Scope { return &scope{core: c, frame: c.frames[0]} }

// Result returns step.NAME of the run; one that has not ended yet reads as skipped,
// with what has ended of it. ok is false where there is no such step.
func (c *Core) Result(step string) (_ value.Value, ok bool) {
	f := c.frames[0]
	i, ok := f.prog.index[step]
	if !ok {
		return value.NullValue, false
	}
	n := &f.nodes[i]
	if n.state.ended() {
		return c.result(f, i), true
	}
	v := c.result(f, i)
	n.built, n.result = false, value.NullValue // it goes on
	return v, true
}

// Rounds returns how many rounds of a loop have begun; at is the loop's.
func (c *Core) Rounds(at Addr) int {
	inst := c.instance(at)
	if inst == nil {
		return 0
	}
	return len(inst.rounds)
}

// Asks reports whether a question at an address waits for its answer.
func (c *Core) Asks(at Addr) bool { return c.openAt(at) != nil }

// Reply takes a reply to the question that is asked at an address, and returns what to
// do now. An error, in full sentences, means that nothing changed: the question waits on.
func (c *Core) Reply(now time.Time, at Addr, r Reply) ([]Command, error) {
	open := c.openAt(at)
	if open == nil {
		return nil, sentence("The step %s asks nothing.", c.Instance(at))
	}
	q := c.questionOf(open)
	r.Step = q.Name
	answer, err := taken(&q, r)
	if err != nil {
		return nil, err
	}
	f := NodeAnswered{At: at, Declined: r.Decline, By: r.By, Time: now}
	if !r.Decline {
		f.Data = &answer
	}
	return c.Answer(f)
}
