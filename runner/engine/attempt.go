package engine

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// The defaults of deadlines and retries (LANGUAGE 4).
const (
	defaultDeadline    = 30 * time.Minute
	defaultIdleTimeout = 60 * time.Second
	defaultAttempts    = 3
	defaultDelay       = time.Second
	defaultMaxDelay    = 30 * time.Second
)

// retriedKinds are those that a retry without `on` is for.
var retriedKinds = []Kind{KindTransport, KindTimeout, KindRateLimit}

// tolerates reports whether on_error takes a failure of that kind as data.
func (n *node) tolerates(k Kind) bool {
	return slices.Contains(n.spec.OnError, "*") || slices.Contains(n.spec.OnError, string(k))
}

// answered makes an answer, or a failure without one, the end of a call's attempt.
func (c *Core) answered(at Addr, answer *Answer, failed *CallError) error {
	inst := c.instance(at)
	if inst == nil || inst.live == nil || inst.live.call == nil {
		return fmt.Errorf("an answer came to %v, which is not in flight", at)
	}
	l := inst.live
	n := c.nodeOf(at).variant(l.key)
	if call := l.call; answer == nil && call.cancelled && !call.left && failed.Sent == SentNo && !failed.Answered && !c.isLate(at) {
		// It was given up in the queue, where it is not started yet (LANGUAGE 4).
		c.record(NodeEnded{At: at, Outcome: OutcomeSkipped, Attempts: inst.attempts - 1})
		return nil
	}
	c.attemptEnded(n, at, answer, failed, l.call.repeatable)
	return nil
}

// attemptEnded makes what came of an attempt the end of its instance, or the
// beginning of the wait for the next attempt. One of answer and failed is nil.
func (c *Core) attemptEnded(n *node, at Addr, answer *Answer, failed *CallError, repeatable bool) {
	inst := c.instance(at)
	l := inst.live
	args := value.NullValue
	if l.call != nil {
		args = l.call.args
	}
	var end NodeEnded
	if answer != nil {
		end = c.settle(n, at, answer, inst.attempts, args)
	} else {
		end = NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &Failure{
			Kind: failed.Kind, Message: failed.Message, Code: failed.Code, Sent: failed.Sent,
			// DURABILITY, "One rule for repeats".
			InDoubt: !repeatable && !failed.Answered && failed.Sent != SentNo,
		}}
	}
	if f := end.Failure; f != nil && at.Undo == 0 {
		switch {
		case c.isLate(at):
			if failed != nil && (!failed.Answered || n.child != nil) {
				f.Kind = KindTimeout
				f.Message = "The deadline passed. " + f.Message
			}
		default:
			unsent := failed != nil && failed.Sent == SentNo
			var after time.Duration
			if failed != nil {
				after = failed.RetryAfter
			}
			at, note, again := c.retries(n, at, end, args, repeatable || unsent, after)
			if again && answer != nil && c.refuse(inst, f) {
				return
			}
			if again {
				c.record(AttemptFailed{At: end.At, Attempt: end.Attempts, Failure: f, RetryAt: at})
				return
			}
			f.Message = AddSentence(f.Message, note)
		}
	}
	c.ended(n, end, args)
}

// ended records the end of an instance, which a loop may make a failure.
func (c *Core) ended(n *node, end NodeEnded, args value.Value) {
	if n.loops() && end.At.Round > 0 && end.At.Undo == 0 {
		c.limitRounds(n, &end, args)
	}
	c.record(end)
}

// refused ends an instance of which nothing was attempted: what it was to be
// given cannot be evaluated, or it may not be done.
func (c *Core) refused(n *node, at Addr, failure *Failure) {
	if n.usesSecrets && c.opts.Redact != nil {
		failure.Message = c.opts.Redact(failure.Message)
	}
	attempts := 0
	if inst := c.instance(at); inst != nil {
		attempts = inst.attempts
	}
	c.ended(n, NodeEnded{At: at, Outcome: OutcomeError, Attempts: attempts, Failure: failure}, value.NullValue)
}

// AddSentence returns a failure's message with a sentence behind it, maybe "". What
// servers say need not end as a sentence does.
func AddSentence(message, sentence string) string {
	if sentence == "" {
		return message
	}
	message = strings.TrimRight(message, " \n")
	if last, _ := utf8.DecodeLastRuneInString(message); unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("\"'`)]}>", last) {
		message += "."
	}
	return message + " " + sentence
}

// isLate reports whether the deadline of what at is a part of has passed.
func (c *Core) isLate(at Addr) bool {
	inst := c.instance(unitOrUndo(at))
	return inst != nil && inst.live != nil && inst.live.late
}

// retries decides whether another attempt follows one that failed, and when. note
// says why none does, where the author has asked for one.
func (c *Core) retries(n *node, at Addr, end NodeEnded, args value.Value, mayRepeat bool, after time.Duration) (when time.Time, note string, again bool) {
	if n.spec.Retry == nil || c.frames[at.Frame].stopping() {
		return when, "", false
	}
	s := c.scopeAt(at)
	wanted, failure := c.retryWanted(n, s, end, args)
	if failure != nil {
		return when, "Whether to try again cannot be decided: " + failure.Message, false
	}
	if !wanted {
		return when, "", false
	}
	attempts, failure := c.count("attempts", n.retryAttempts, defaultAttempts, s)
	var delay time.Duration
	if failure == nil {
		delay, failure = c.delay(n, at, s, end.Attempts)
	}
	failures := c.instance(at).live.failures + 1
	switch {
	case failure != nil:
		return when, "Whether to try again cannot be decided: " + failure.Message, false
	case failures >= attempts && attempts == 1:
		return when, "", false
	case failures >= attempts:
		return when, fmt.Sprintf("It was tried %d times.", failures), false
	case !mayRepeat && n.child != nil:
		return when, "It was not tried again: a call in it that has left may have had its effect, and nothing says that it may be repeated.", false
	case !mayRepeat:
		return when, fmt.Sprintf("It was not tried again: it may have had its effect, and nothing says that it may be repeated. Where that is harmless, say so in the connection: tool %q { idempotent = true }.", n.spec.Tool), false
	}
	when = c.now.Add(max(delay, after))
	if due := c.deadlineOf(at); !due.IsZero() && !when.Before(due) {
		return when, "It was not tried again: its deadline passes first.", false
	}
	return when, "", true
}

// retryWanted reports whether the author wants another attempt after such a failure.
func (c *Core) retryWanted(n *node, s *scope, end NodeEnded, args value.Value) (bool, *Failure) {
	kinds := retriedKinds
	if !n.retryOn.IsZero() {
		v, failure := c.eval("on", n.retryOn, s)
		if failure != nil {
			return false, failure
		}
		if v.Kind() != value.List {
			return false, expressionFailure("`on` must be a list of kinds of failures; it is %s.", v.Summary(80))
		}
		kinds = nil
		for _, k := range v.AsList() {
			if k.Kind() == value.String {
				kinds = append(kinds, Kind(k.AsString()))
			}
		}
	}
	if !slices.Contains(kinds, end.Failure.Kind) {
		return false, nil
	}
	if n.retryWhen.IsZero() {
		return true, nil
	}
	self := resultOf(end.instance(), s.each)
	s.self, s.args = &self, &args
	defer func() { s.self, s.args = nil, nil }()
	return c.evalBool("when", n.retryWhen, s)
}

// instance is the state that an end gives.
func (f *NodeEnded) instance() *instance {
	return &instance{
		state: f.Outcome.state(), attempts: f.Attempts, output: f.Output, text: f.Text, content: f.Content, failure: f.Failure,
	}
}

// delay is the time from a failed attempt to the next one: twice as long each
// time, up to the longest, and of that at least half, by a number that the run,
// the node and the attempt give: several that fail at once do not come again at once.
func (c *Core) delay(n *node, at Addr, s *scope, attempt int) (time.Duration, *Failure) {
	delay, failure := c.duration("delay", n.retryDelay, s)
	if failure != nil {
		return 0, failure
	}
	longest, failure := c.duration("max_delay", n.retryMaxDelay, s)
	if failure != nil {
		return 0, failure
	}
	if delay == 0 {
		delay = defaultDelay
	}
	if longest == 0 {
		longest = max(defaultMaxDelay, delay)
	}
	for i := c.instance(at).live.failures; i > 0 && delay < longest; i-- {
		delay *= 2
	}
	delay = min(delay, longest)
	h := fnv.New64a()
	in := c.Instance(at)
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%d", c.created.Run, in.Path(), in.Text(), attempt)
	half := delay / 2
	return delay - half + time.Duration(float64(half)*float64(h.Sum64()>>11)/(1<<53)), nil
}

// count evaluates a whole number from 1.
func (c *Core) count(what string, e code, fallback int, s *scope) (int, *Failure) {
	v, failure := c.eval(what, e, s)
	if failure != nil {
		return 0, failure
	}
	if v.IsNull() {
		return fallback, nil
	}
	if v.Kind() == value.Number {
		if k, whole := v.AsNumber().Int64(); whole && k >= 1 {
			return int(min(k, 1<<30)), nil
		}
	}
	return 0, expressionFailure("`%s` must be a whole number from 1; it is %s.", what, v.Summary(80))
}

// deadline evaluates how long a node or an element may take; 0: for ever.
func (c *Core) deadline(n *node, s *scope) (time.Duration, *Failure) {
	if n.deadline.IsZero() {
		if n.asks() && !n.loops() {
			return defaultDeadline, nil
		}
		return 0, nil
	}
	return c.duration("deadline", n.deadline, s)
}

// fire does what a timer is for.
func (c *Core) fire(t *timer) {
	switch t.kind {
	case timerFrame:
		if f := c.frames[t.at.Frame]; f != nil && f.phase == phaseSteps {
			c.record(DeadlinePassed{Frame: f.id, Message: fmt.Sprintf("The workflow %s did not end before its deadline.", f.prog.plan.Workflow)})
		}
		return
	case timerDeadline:
		c.expire(t.at)
		return
	}
	inst := c.instance(t.at)
	if inst == nil || inst.live == nil {
		return
	}
	l := inst.live
	n := c.nodeOf(t.at)
	if t.kind == timerTimeout {
		if f := c.frames[inst.child]; f != nil && f.phase == phaseSteps {
			c.record(DeadlinePassed{Frame: f.id, Message: "It did not end within its timeout."})
		}
		return
	}
	w := l.wait
	c.noWait(l)
	switch w {
	case waitRetry:
		c.attempt(n, t.at)
	case waitSleep:
		null := value.NullValue
		c.attemptEnded(n, t.at, &Answer{Structured: &null}, nil, true)
	case waitRound:
		c.startRound(n, t.at)
	}
}

// expire ends a node or an element whose deadline passed.
func (c *Core) expire(at Addr) {
	inst := c.instance(at)
	if inst == nil || inst.live == nil {
		return
	}
	inst.live.late = true
	if n := len(inst.rounds); n > 0 && at.Undo == 0 {
		round := at
		round.Round = n
		if last := &inst.rounds[n-1]; last.live != nil {
			c.expireOne(round, last)
			return
		}
		if inst.live.wait == waitRound {
			round.Round++
			c.record(NodeEnded{At: round, Outcome: OutcomeError, Failure: &Failure{
				Kind: KindTimeout, Message: "The deadline passed before the next round.",
			}})
		}
		return
	}
	c.expireOne(at, inst)
}

func (c *Core) expireOne(at Addr, inst *instance) {
	l := inst.live
	switch {
	case l.call != nil:
		if !l.call.cancelled {
			l.call.cancelled = true
			c.commands = append(c.commands, CancelCall{At: at, Late: true})
		}
	case l.wait == waitRetry:
		f := *l.last
		f.Kind = KindTimeout
		f.Message = "The deadline passed before the next attempt. The last one failed: " + f.Message
		c.ended(c.nodeOf(at), NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &f}, value.NullValue)
	case l.wait == waitQuestion:
		c.ended(c.nodeOf(at), NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &Failure{
			Kind: KindTimeout, Message: "The deadline passed and nobody had answered.",
		}}, value.NullValue)
	case l.wait == waitSleep:
		c.ended(c.nodeOf(at), NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: &Failure{
			Kind: KindTimeout, Message: "The deadline passed while it waited.",
		}}, value.NullValue)
	case inst.child > 0 && l.wait == waitNone:
		if f := c.frames[inst.child]; f != nil && f.phase == phaseSteps {
			c.record(DeadlinePassed{Frame: f.id, Message: "It did not end in time."})
		}
	}
}

// startValue ends a node that names a value.
func (c *Core) startValue(n *node, at Addr, s *scope) {
	v, failure := c.eval("value", n.value, s)
	if failure != nil {
		c.ended(n, NodeEnded{At: at, Outcome: OutcomeError, Attempts: 1, Failure: failure}, value.NullValue)
		return
	}
	answer := &Answer{Structured: &v}
	if n.spec.Decode != "" && v.Kind() == value.String {
		answer = &Answer{Text: v.AsString()}
	}
	c.ended(n, c.settle(n, at, answer, 1, value.NullValue), value.NullValue)
}

// attempt makes an attempt of what a node does once.
func (c *Core) attempt(n *node, at Addr) { c.attemptIn(n, at, c.scopeAt(at)) }

// attemptIn is attempt where the scope of the instance is at hand.
func (c *Core) attemptIn(n *node, at Addr, s *scope) {
	switch n.spec.Kind {
	case plan.ValueNode:
		c.startValue(n, at, s)
	case plan.Sleep:
		d, failure := c.duration("sleep", n.sleep, s)
		if failure != nil {
			c.refused(n, at, failure)
			return
		}
		c.record(NodeWaiting{At: at, For: WaitSleep, Until: c.now.Add(d), Deadline: c.deadlineOf(at), Time: c.now})
	case plan.AskNode:
		c.startAsk(n, at, s)
	case plan.Run:
		c.startChild(n, at, s)
	default:
		c.startCall(n, at, s)
	}
}

// startCall commands a call, a read or a prompt.
func (c *Core) startCall(n *node, at Addr, s *scope) {
	inst := c.instance(at)
	if at.Undo > 0 {
		self := resultOf(c.instance(at.done()), s.each)
		s.self = &self
	}
	key, failure := c.sourceKey(n, at, s)
	var call StartCall
	var pending pendingCall
	if failure == nil {
		n = n.variant(key)
		if kept, args := c.keep(n, at, s); kept != nil {
			c.ended(n, *kept, args)
			return
		}
		call, pending, failure = c.call(n, at, s)
	}
	if failure != nil {
		// Nothing was attempted: the arguments are the author's.
		c.refused(n, at, failure)
		return
	}
	if !c.passes(n, at, call.Effect) {
		return
	}
	l := inst.live
	l.key = key
	call.Recorded = l.digest
	inst.attempts = call.Attempt
	c.inCall(l, pending)
	c.commands = append(c.commands, call)
}
