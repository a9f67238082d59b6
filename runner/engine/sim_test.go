package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// tool answers a call of a scripted server.
type tool func(args value.Value) (*Answer, *CallError)

// world is what a test's workflow runs in: scripted tools by name.
type world map[string]tool

// sim drives a core by hand: commands are answered one by one, oldest first
// unless the test chooses.
type sim struct {
	t       *testing.T
	core    *Core
	tools   world
	waiting []StartCall // in flight
	trace   []string    // what was commanded: "start a", "cancel b[0]", "ok a", "end completed"
	facts   []Fact      // the history
	now     time.Time
	because []string // why calls were cancelled
}

func program(t testing.TB, p *plan.Plan) *Program {
	t.Helper()
	prog, err := NewProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// planOf makes a plan of nodes; each waits for the steps that After names, and
// calls go to the source "s" on the connection demo.main.
func planOf(nodes ...plan.NodeSpec) *plan.Plan {
	p := &plan.Plan{
		FormatVersion: plan.FormatVersion, Workflow: "w", Nodes: nodes,
		Sources: []plan.Source{{Name: "s", Connection: "demo.main", Session: "shared"}},
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		for j := range n.Undo {
			n.Undo[j].Kind, n.Undo[j].Source = plan.Call, "s"
			if n.Undo[j].Effect == "" {
				n.Undo[j].Effect = "write"
			}
		}
		switch {
		case n.Kind != "":
			if n.Kind == plan.Read || n.Kind == plan.Prompt {
				n.Source, n.Effect = "s", "read"
			}
		case n.Tool != "":
			n.Kind, n.Source = plan.Call, "s"
			if n.Effect == "" {
				n.Effect = "read"
			}
		default:
			n.Kind = plan.ValueNode
		}
	}
	return p
}

func outputs(p *plan.Plan, pairs ...string) *plan.Plan {
	for i := 0; i < len(pairs); i += 2 {
		p.Outputs = append(p.Outputs, plan.Output{Name: pairs[i], Value: plan.Expr(pairs[i+1])})
	}
	return p
}

func newSim(t *testing.T, p *plan.Plan, tools world) *sim {
	return &sim{t: t, core: NewCore(program(t, p), CoreOptions{}), tools: tools, now: testTime}
}

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (s *sim) created() RunCreated {
	return RunCreated{Run: "run-1", StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Inputs: value.OfObject(nil), Queued: s.core.prog.plan.Concurrency != nil}
}

// begin creates the run.
func (s *sim) begin() *sim {
	s.step(s.created(), true)
	s.comes()
	return s
}

// comes lets the turn of a run come that is queued.
func (s *sim) comes() {
	s.t.Helper()
	if s.core.created.Queued && s.core.began.IsZero() {
		s.step(RunBegun{Time: s.now}, true)
	}
}

// step feeds a fact; kept says that it is part of the history.
func (s *sim) step(f Fact, kept bool) {
	s.t.Helper()
	if kept {
		s.facts = append(s.facts, f)
	}
	commands, err := s.core.Step(s.now, f)
	if err != nil {
		s.t.Fatalf("%T: %v", f, err)
	}
	s.obey(commands)
}

// pass lets time pass.
func (s *sim) pass(d time.Duration) *sim {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.obey(s.core.Tick(s.now))
	return s
}

// wait lets the time of the next timer come.
func (s *sim) wait() *sim {
	s.t.Helper()
	if s.core.Timer().IsZero() {
		s.t.Fatalf("there is no time to wait for; the trace is %v", s.trace)
	}
	return s.pass(s.core.Timer().Sub(s.now))
}

// restart goes on in a core that has only the history.
func (s *sim) restart() *sim {
	s.t.Helper()
	s.core = NewCore(s.core.prog, s.core.opts)
	for _, f := range s.facts {
		if err := s.core.Replay(f); err != nil {
			s.t.Fatalf("%T: %v", f, err)
		}
	}
	s.waiting = nil
	s.comes()
	s.obey(s.core.Resume(s.now))
	return s
}

// obey notes what is commanded.
func (s *sim) obey(commands []Command) {
	for _, c := range commands {
		switch c := c.(type) {
		case Record:
			s.facts = append(s.facts, c.Fact)
			switch f := c.Fact.(type) {
			case AttemptFailed:
				s.trace = append(s.trace, fmt.Sprintf("retry %s (%s)", s.core.Instance(f.At), f.Failure.Kind))
			case NodeWaiting:
				s.trace = append(s.trace, "wait "+s.core.Instance(f.At).String())
			case Settled:
				s.trace = append(s.trace, "settled "+string(f.Outcome))
			case DeadlinePassed:
				s.trace = append(s.trace, "deadline")
			case NodeEnded:
				line := fmt.Sprintf("%s %s", f.Outcome, s.core.Instance(f.At))
				if f.Failure != nil {
					line += " (" + string(f.Failure.Kind) + ")"
				}
				s.trace = append(s.trace, line)
			case RunEnded:
				s.trace = append(s.trace, "end "+string(f.Status))
			}
		case StartCall:
			s.waiting = append(s.waiting, c)
			s.trace = append(s.trace, "start "+s.core.Instance(c.At).String())
		case CancelCall:
			s.because = append(s.because, c.Because)
			s.trace = append(s.trace, "cancel "+s.core.Instance(c.At).String())
		}
	}
}

// send says that the request of the named call leaves.
func (s *sim) send(name string) *sim {
	s.t.Helper()
	c := s.find(name)
	s.step(NodeStarted{At: c.At, Attempt: c.Attempt, Repeatable: c.Repeatable, Deadline: c.Deadline, Time: s.now}, true)
	return s
}

// answer lets the named call's tool answer.
func (s *sim) answer(name string) *sim {
	s.t.Helper()
	c := s.find(name)
	args, err := value.ParseJSON(c.Args)
	if err != nil {
		s.t.Fatalf("%s: the arguments are no JSON: %v", name, err)
	}
	answer, failed := s.tools[c.Tool](args)
	s.drop(name)
	if failed != nil {
		s.step(CallFailed{c.At, failed}, false)
	} else {
		s.step(CallAnswered{c.At, answer}, false)
	}
	return s
}

// reply answers the question of the named step, with JSON; "": it is declined, by "bob".
func (s *sim) reply(name, answer string) *sim {
	s.t.Helper()
	path, instance, err := ParseInstance(name)
	if err != nil {
		s.t.Fatal(err)
	}
	at, err := s.core.Find(path, instance)
	if err != nil {
		s.t.Fatal(err)
	}
	f := NodeAnswered{At: at, Declined: answer == "", By: "bob", Time: s.now}
	if answer != "" {
		f.Data = structured(answer).Structured
	}
	commands, err := s.core.Answer(f)
	if err != nil {
		s.t.Fatalf("%s: %v; the trace is %v", name, err, s.trace)
	}
	s.obey(commands)
	return s
}

// fail ends the named call as a driver does that cancelled it.
func (s *sim) fail(name string, kind Kind, sent Sent) *sim {
	s.t.Helper()
	c := s.find(name)
	s.drop(name)
	s.step(CallFailed{c.At, &CallError{Kind: kind, Message: "demo.main: it broke.", Sent: sent}}, false)
	return s
}

func (s *sim) find(name string) StartCall {
	s.t.Helper()
	for _, c := range s.waiting {
		if s.core.Instance(c.At).String() == name {
			return c
		}
	}
	s.t.Fatalf("%s is not in flight; the trace is %v", name, s.trace)
	panic("unreachable")
}

func (s *sim) drop(name string) {
	for i, c := range s.waiting {
		if s.core.Instance(c.At).String() == name {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			return
		}
	}
}

// finish sends and answers all calls, oldest first, until the run ends.
func (s *sim) finish() *RunEnded {
	s.t.Helper()
	for s.core.Ended() == nil {
		if len(s.waiting) == 0 {
			if s.core.Waiting() || s.core.Timer().IsZero() {
				s.t.Fatalf("the run neither ends nor waits for a call; the trace is %v", s.trace)
			}
			s.wait()
			continue
		}
		name := s.core.Instance(s.waiting[0].At).String()
		if s.core.MayLeave(s.waiting[0].At) {
			s.send(name)
		}
		s.answer(name)
	}
	return s.core.Ended()
}

func (s *sim) wantTrace(want ...string) {
	s.t.Helper()
	if got, want := strings.Join(s.trace, "; "), strings.Join(want, "; "); got != want {
		s.t.Errorf("what happened is\n     %s\nwant %s", got, want)
	}
}

// give answers every call with structured content.
func give(text string) tool {
	return func(value.Value) (*Answer, *CallError) { return structured(text), nil }
}

func structured(text string) *Answer {
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return &Answer{Structured: &v, Text: text, Content: []value.Value{textPart(text)}}
}

// say answers every call with text.
func say(text string) tool {
	return func(value.Value) (*Answer, *CallError) {
		return &Answer{Text: text, Content: []value.Value{textPart(text)}}, nil
	}
}

// refuse answers every call with an error.
func refuse(text string) tool {
	return func(value.Value) (*Answer, *CallError) {
		return &Answer{IsError: true, Text: text, Content: []value.Value{textPart(text)}}, nil
	}
}

// echo answers with the arguments.
func echo(args value.Value) (*Answer, *CallError) { return structured(args.JSON()), nil }

// breaks fails every attempt.
func breaks(kind Kind, sent Sent) tool {
	return func(value.Value) (*Answer, *CallError) {
		return nil, &CallError{Kind: kind, Message: "demo.main broke.", Sent: sent}
	}
}

func raw(v string) json.RawMessage { return json.RawMessage(v) }
