package wftest

import (
	"context"
	"fmt"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// Limits of one test, so that one that never ends is a failure and not a hang. No
// test that a person writes comes near them.
const (
	maxCalls   = 20_000
	maxRounds  = 20_000
	maxVirtual = 10 * 365 * 24 * time.Hour
)

// runID and epoch are run.id and run.started_at of every test.
const runID = "test"

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// simulation runs a workflow against mocks in time of its own: the calls of each
// session take their turns as they do in a pool, an answer comes at once or after the
// delay of its mock, and where nothing can happen now the clock goes to the next
// thing that will. It is for one goroutine.
type simulation struct {
	test     *compiler.Test
	shared   *shared
	core     *engine.Core
	inputs   value.Value
	previous value.Value // run.previous: an object, or null
	mocks    []mock
	answers  []answering
	live     liveCaller // answers what no mock does; nil: nothing does
	ctx      context.Context

	now      time.Time
	lanes    []*lane // in the order in which they were first used
	replies  []pendingReply
	blobs    map[string][]byte // binary content, by SHA-256
	ended    []engine.Fact     // of calls that were cancelled
	calls    []call
	rounds   int
	coverage *coverage
	problems []Failure // because of which the run is not gone on with
}

// liveCaller makes a call that no mock answers.
type liveCaller func(ctx context.Context, c call) (*engine.Answer, *engine.CallError)

// call is an attempt that the run made.
type call struct {
	engine.StartCall
	step       engine.Instance
	source     string // as mocks know it
	spec       *plan.NodeSpec
	args       value.Value // as mocks and asserts see them
	connection string
}

// lane is the queue of one session.
type lane struct {
	session engine.SessionID
	most    int // calls that only read at once
	queue   []engine.StartCall
	flying  []*flight
}

// flight is a call on its way.
type flight struct {
	call engine.StartCall
	ends time.Time
	fact engine.Fact // what its end is told as
}

// run runs the workflow until it ends, waits for somebody, or cannot go on.
func (s *simulation) run() {
	s.step(engine.RunCreated{Run: runID, StartedAt: epoch, Inputs: s.inputs, Previous: s.previous})
	for s.core.Ended() == nil && len(s.problems) == 0 {
		if s.ctx.Err() != nil {
			s.problem(s.header(), "The test was interrupted.")
			return
		}
		if len(s.ended) > 0 {
			f := s.ended[0]
			s.ended = s.ended[1:]
			s.step(f)
			continue
		}
		if s.dispatch() {
			continue
		}
		if !s.pass() {
			return
		}
	}
}

// pass lets the next thing happen that takes time. It returns false where there is none.
func (s *simulation) pass() bool {
	var lane *lane
	next := -1
	for _, l := range s.lanes {
		for i, f := range l.flying {
			if next < 0 || f.ends.Before(lane.flying[next].ends) {
				lane, next = l, i
			}
		}
	}
	due := s.core.Timer()
	reply := s.nextReply()
	var comes time.Time
	if reply >= 0 {
		comes = s.replies[reply].comes
	}
	switch {
	case reply >= 0 && (due.IsZero() || !comes.After(due)) && (next < 0 || comes.Before(lane.flying[next].ends)):
		s.later(comes)
		s.arrive(reply)
	case next >= 0 && (due.IsZero() || !lane.flying[next].ends.After(due)):
		f := lane.flying[next]
		lane.land(next)
		s.later(f.ends)
		s.step(f.fact)
	case !due.IsZero():
		s.later(due)
		s.obey(s.core.Tick(s.now))
	default:
		if !s.core.Waiting() {
			s.problem(s.header(), "The run neither goes on nor ends. This is a bug in wfc.")
		}
		return false
	}
	if s.now.Sub(epoch) > maxVirtual {
		s.problem(s.header(), "The run does not end: after ten years of its own time it still goes on.")
	}
	return true
}

// later lets time pass up to t: at once, but for a run that makes calls for real, since
// the servers' time is not the test's.
func (s *simulation) later(t time.Time) {
	if !t.After(s.now) {
		return
	}
	if s.live != nil {
		timer := time.NewTimer(t.Sub(s.now))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ctx.Done():
		}
	}
	s.now = t
}

// step hands a fact to the core and does what it says.
func (s *simulation) step(f engine.Fact) {
	if started, ok := f.(engine.NodeStarted); ok {
		s.coverage.started(s.core, started)
	}
	commands, err := s.core.Step(s.now, f)
	if err != nil {
		panic("wftest: " + err.Error() + " (this is a bug in wfc)")
	}
	s.obey(commands)
}

func (s *simulation) obey(commands []engine.Command) {
	for _, c := range commands {
		switch c := c.(type) {
		case engine.Record:
			s.coverage.recorded(s.core, c.Fact)
			if f, ok := c.Fact.(engine.NodeWaiting); ok && f.Question != nil {
				s.asked(f)
			}
		case engine.StartCall:
			l := s.lane(c.Session)
			l.queue = append(l.queue, c)
		case engine.CancelCall:
			s.cancel(c)
		}
	}
}

// lane returns the queue of a session.
func (s *simulation) lane(id engine.SessionID) *lane {
	for _, l := range s.lanes {
		if l.session == id {
			return l
		}
	}
	l := &lane{session: id, most: 1}
	for _, c := range s.test.Plan.Connections {
		if c.ID == id.Connection {
			l.most = max(c.MaxInFlight, 1)
		}
	}
	s.lanes = append(s.lanes, l)
	return l
}

// land takes a flight off the lane.
func (l *lane) land(i int) { l.flying = append(l.flying[:i:i], l.flying[i+1:]...) }

// free reports whether a call may leave now (LANGUAGE 4, "Concurrency is safe by default").
func (l *lane) free(c engine.StartCall) bool {
	switch {
	case len(l.flying) == 0:
		return true
	case !c.ReadOnly || !l.flying[0].call.ReadOnly:
		return false
	}
	return len(l.flying) < l.most
}

// dispatch lets the calls leave whose turn has come, and reports whether one did.
func (s *simulation) dispatch() (any bool) {
	for i := 0; i < len(s.lanes); i++ {
		l := s.lanes[i]
		for len(l.queue) > 0 && l.free(l.queue[0]) {
			c := l.queue[0]
			l.queue = l.queue[1:]
			any = true
			if !s.core.MayLeave(c.At) {
				s.step(engine.CallFailed{At: c.At, Err: &engine.CallError{Kind: engine.KindCancelled, Message: "It was cancelled because the run stops."}})
				continue
			}
			s.leave(l, c)
			if len(s.calls) > maxCalls {
				return any
			}
		}
	}
	return any
}

// leave sends a call and finds out what comes of it.
func (s *simulation) leave(l *lane, c engine.StartCall) {
	x := s.describe(c)
	s.calls = append(s.calls, x)
	if len(s.calls) > maxCalls {
		s.problem(s.header(), fmt.Sprintf("The run has made %d calls, and a test makes no more: it does not end, or it has too many elements for a test.", maxCalls))
		return
	}
	s.step(engine.NodeStarted{At: c.At, Attempt: c.Attempt, Generation: 1, Repeatable: c.Repeatable, Deadline: c.Deadline, Time: s.now})
	if s.core.Ended() != nil {
		return
	}
	r, ok := s.answer(x)
	if !ok {
		return
	}
	f := &flight{call: c, ends: s.now.Add(r.delay), fact: r.fact(c.At)}
	if limit, what := patience(c); limit > 0 && r.delay > limit {
		f.ends = s.now.Add(limit)
		f.fact = engine.CallFailed{At: c.At, Err: &engine.CallError{
			Kind: engine.KindTimeout, Sent: engine.SentMaybe,
			Message: fmt.Sprintf("The call of %s had no answer within %s (its %s) and was cancelled.", x.name(), limit, what),
		}}
	}
	l.flying = append(l.flying, f)
}

// patience is how long an attempt waits for its answer, and what says so; 0: forever.
// A mock's answer comes without a sign of life before it.
func patience(c engine.StartCall) (time.Duration, string) {
	if c.IdleTimeout > 0 && (c.Timeout == 0 || c.IdleTimeout < c.Timeout) {
		return c.IdleTimeout, "idle_timeout"
	}
	return c.Timeout, "timeout"
}

// cancel ends a call as a server's session does.
func (s *simulation) cancel(c engine.CancelCall) {
	failed := &engine.CallError{Kind: engine.KindCancelled, Message: "It was cancelled because the run stops."}
	if c.Late {
		failed = &engine.CallError{Kind: engine.KindTimeout, Message: "The call had no answer by then and was cancelled."}
	}
	for _, l := range s.lanes {
		for i, f := range l.flying {
			if f.call.At == c.At {
				l.land(i)
				failed.Sent = engine.SentMaybe
				s.ended = append(s.ended, engine.CallFailed{At: c.At, Err: failed})
				return
			}
		}
		for i, q := range l.queue {
			if q.At == c.At {
				l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
				s.ended = append(s.ended, engine.CallFailed{At: c.At, Err: failed})
				return
			}
		}
	}
}

// describe says what a call is as mocks and asserts know it.
func (s *simulation) describe(c engine.StartCall) call {
	x := call{StartCall: c, step: s.core.Instance(c.At), spec: s.core.Spec(c.At), connection: c.Session.Connection}
	var steps []string
	for in := x.step.In; in != nil; in = in.In {
		steps = append([]string{in.Step}, steps...)
	}
	x.source = s.test.Source(steps, x.spec.Source)
	args, err := value.ParseJSON(c.Args)
	if err != nil || args.Kind() != value.Object {
		args = value.OfObject(nil)
	}
	if c.Do == plan.Read {
		o := value.NewObject(args.AsObject().Len() + 1)
		o.Set("uri", value.OfString(c.Tool))
		for name, v := range args.AsObject().All() {
			o.Set(name, v)
		}
		args = value.OfObject(o)
	}
	x.args = args
	return x
}

// name is what is called, for messages.
func (c *call) name() string {
	if c.Do == plan.Read {
		return c.connection + " " + c.Tool
	}
	return c.connection + "." + c.Tool
}
