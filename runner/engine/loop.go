package engine

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// startRound begins the next round of a loop that goes on; at is the loop's.
func (c *Core) startRound(n *node, at Addr) {
	at.Round = len(c.instance(at).rounds) + 1
	c.one(n, at)
}

// limitRounds makes the last round that is allowed a failure where `while` still
// holds of it, and any round of which `while` cannot be asked.
func (c *Core) limitRounds(n *node, end *NodeEnded, args value.Value) {
	if end.Outcome == OutcomeSkipped || end.Failure != nil && !n.tolerates(end.Failure.Kind) {
		return
	}
	again, failure := c.again(n, end.At, end.instance(), args)
	if failure == nil && again {
		var rounds int
		if rounds, failure = c.rounds(n, end.At); failure == nil && end.At.Round >= rounds {
			failure = &Failure{Kind: KindLimit, Message: fmt.Sprintf("Its `while` holds still after %d %s, which is the `max` of its loop.", rounds, plural("round", rounds))}
		}
	}
	if failure != nil {
		if n.asks() {
			failure.Sent = SentYes
		}
		end.Outcome, end.Output, end.Failure = OutcomeError, value.NullValue, failure
	}
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// again reports whether `while` holds of a round.
func (c *Core) again(n *node, at Addr, round *instance, args value.Value) (bool, *Failure) {
	s := c.scopeAt(at)
	self := resultOf(round, s.each)
	if n.while.refersTo("args") && args.IsNull() {
		var failure *Failure
		if args, failure = c.shownArgs(n, at); failure != nil {
			return false, failure
		}
	}
	s.self, s.args = &self, &args
	return c.evalBool("while", n.while, s)
}

// rounds evaluates how many rounds a loop may have, once.
func (c *Core) rounds(n *node, at Addr) (int, *Failure) {
	l := c.instance(at.unit()).live
	if l.max > 0 {
		return l.max, nil
	}
	rounds, failure := c.count("max", n.loopMax, 0, c.scopeAt(at.unit()))
	if failure == nil && rounds == 0 {
		failure = expressionFailure("`max` must be a whole number from 1; it is null.")
	}
	if failure == nil {
		l.max = rounds
	}
	return rounds, failure
}

// turn decides what follows a round of a loop: another one, or its end.
func (c *Core) turn(f *frame, at Addr) {
	unit := c.instance(at)
	if unit == nil || unit.live == nil || unit.live.wait != waitNone || len(unit.rounds) == 0 {
		return
	}
	n := &f.prog.nodes[at.Node]
	last := &unit.rounds[len(unit.rounds)-1]
	round := at
	round.Round = len(unit.rounds)
	switch {
	case !last.state.ended():
		return
	case unit.live.failed != nil:
		c.record(NodeEnded{At: at, Outcome: OutcomeError, Failure: unit.live.failed})
		return
	case f.stopping():
		c.record(NodeEnded{At: at, Outcome: OutcomeSkipped})
		return
	case unit.live.late:
		c.record(NodeEnded{At: at, Outcome: OutcomeOK})
		return
	}
	if unit.live.deadline.IsZero() {
		// Rounds that only compute say nothing of it in the history.
		if limit, failure := c.deadline(n, c.scopeAt(at)); failure == nil && limit > 0 {
			c.dueBy(at, c.now.Add(limit))
		}
	}
	again, failure := c.again(n, round, last, value.NullValue)
	if failure != nil {
		// The round has ended with this failure, which is tolerated.
		again = false
	}
	if rounds, failure := c.rounds(n, round); again && (failure != nil || len(unit.rounds) >= rounds) {
		again = false
	}
	if !again {
		c.record(NodeEnded{At: at, Outcome: OutcomeOK})
		return
	}
	if c.opts.Interrupted != nil {
		if failure := c.opts.Interrupted(); failure != nil {
			round.Round++
			c.refused(n, round, failure)
			return
		}
	}
	if !n.loopDelay.IsZero() {
		d, failure := c.duration("delay", n.loopDelay, c.scopeAt(round))
		if failure != nil {
			round.Round++
			c.refused(n, round, failure)
			return
		}
		if d > 0 {
			c.record(NodeWaiting{At: at, For: WaitRound, Until: c.now.Add(d), Deadline: unit.live.deadline, Time: c.now})
			return
		}
	}
	c.startRound(n, at)
}
