package main

import (
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// screen is a terminal: a carriage return with "erase the line" takes its last line away.
type screen struct {
	lines []string // all but the last were ended
	last  string
	seen  []string // status lines
}

func (s *screen) Write(p []byte) (int, error) {
	for _, part := range strings.SplitAfter(string(p), "\n") {
		if rest, erased := strings.CutPrefix(part, "\r\x1b[K"); erased {
			s.last, part = "", rest
		}
		s.last += part
		if line, ended := strings.CutSuffix(s.last, "\n"); ended {
			s.lines, s.last = append(s.lines, line), ""
		}
	}
	if s.last != "" {
		s.seen = append(s.seen, s.last)
	}
	return len(p), nil
}

func (s *screen) check(t *testing.T, rule string, lines, status []string) {
	t.Helper()
	if got, want := strings.Join(s.lines, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("%s: lines\n%s\nwant\n%s", rule, got, want)
	}
	if got, want := strings.Join(s.seen, "\n"), strings.Join(status, "\n"); got != want {
		t.Errorf("%s: status lines\n%s\nwant\n%s", rule, got, want)
	}
	if s.last != "" {
		t.Errorf("%s: a status line is left: %q", rule, s.last)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	step := func(name string) engine.Instance { return engine.Instance{Step: name} }
	element := func(name string, i int) engine.Instance {
		return engine.Instance{Step: name, Key: value.OfInt(int64(i))}
	}
	failed := func(kind engine.Kind, message string, doubt bool) *engine.Failure {
		return &engine.Failure{Kind: kind, Message: message, InDoubt: doubt}
	}
	began := engine.RunStarted{Run: "08hy0000-0000", Workflow: "w", Time: start}
	for _, c := range []struct {
		rule          string
		events        []engine.Event
		lines, status []string
	}{
		{"a status line says what is going on, and leaves nothing", []engine.Event{
			began,
			engine.StepStarted{Step: step("a"), Elements: -1, Attempt: 1, Time: start},
			engine.StepProgress{Step: step("a"), Progress: engine.Progress{Message: "half\x1b[31m", Progress: 1, Total: 2}},
			engine.StepStarted{Step: step("b"), Elements: 3, Time: start},
			engine.StepStarted{Step: element("b", 0), Elements: -1, Attempt: 1, Time: start},
			engine.StepFinished{Step: element("b", 0), Outcome: engine.OutcomeSkipped, Time: start},
			engine.StepFinished{Step: step("a"), Outcome: engine.OutcomeOK, Time: start.Add(1500 * time.Millisecond)},
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeOK, Time: start.Add(90 * time.Second)},
			engine.RunFinished{Status: engine.StatusCompleted, Time: start.Add(90 * time.Second)},
		}, []string{"w run 08hy0000-0000", "  ✓ a  1.5s", "  ✓ b  3 elements, 1 skipped 1m30s", "completed in 1m30s"},
			[]string{
				"  … a",
				"  … a (half\ufffd[31m 50 %)",
				"  … a (half\ufffd[31m 50 %), b 0/3", // of the fan-out
				"  … a (half\ufffd[31m 50 %), b 0/3", // of its element
				"  … a (half\ufffd[31m 50 %), b 1/3",
				"  … b 1/3",
			}},
		{"a failure is told once, and what only stopped with it is counted", []engine.Event{
			began,
			engine.StepStarted{Step: step("b"), Elements: 3, Time: start},
			engine.StepFinished{Step: element("b", 0), Outcome: engine.OutcomeError, Failure: failed(engine.KindTransport, "gone.\nlast words", true), Time: start},
			engine.StepFinished{Step: element("b", 1), Outcome: engine.OutcomeError, Failure: failed(engine.KindTransport, "gone.\nlast words", false), Time: start},
			engine.StepFinished{Step: element("b", 2), Outcome: engine.OutcomeError, Failure: failed(engine.KindCancelled, "stopped", false), Time: start},
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeError, Failure: failed(engine.KindTransport, "gone.\nlast words", true), Time: start},
			engine.RunFinished{Status: engine.StatusFailed, Err: &engine.RunError{At: element("b", 0), Kind: engine.KindTransport, Message: "gone."}, Time: start},
		}, []string{
			"w run 08hy0000-0000",
			"  ✗ b[0]  transport: gone.", "    last words", "    Whether it took effect is not known (in doubt).",
			"  ✗ b[1]  transport, as b[0]",
			"  ✗ b  3 elements, 2 failed, 1 cancelled 0s",
			"failed in 0s: step b[0]",
		}, []string{"  … b 0/3", "  … b 1/3", "  … b 2/3", "  … b 3/3"}},
		{"elements that never started are skipped", []engine.Event{
			began,
			engine.StepStarted{Step: step("b"), Elements: 10, Time: start},
			engine.StepFinished{Step: element("b", 0), Outcome: engine.OutcomeOK, Time: start},
			engine.StepFinished{Step: element("b", 1), Outcome: engine.OutcomeError, Failure: failed(engine.KindTool, "no.", false), Time: start},
			engine.StepFinished{Step: element("b", 2), Outcome: engine.OutcomeSkipped, Time: start},
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeError, Failure: failed(engine.KindTool, "no.", false), Time: start},
			engine.RunFinished{Status: engine.StatusFailed, Err: &engine.RunError{At: element("b", 1), Kind: engine.KindTool, Message: "no."}, Time: start},
		}, []string{"w run 08hy0000-0000", "  ✗ b[1]  tool: no.", "  ✗ b  10 elements, 1 failed, 8 skipped 0s", "failed in 0s: step b[1]"},
			[]string{"  … b 0/10", "  … b 1/10", "  … b 2/10", "  … b 3/10"}},
		{"what no step is to blame for is told at the end", []engine.Event{
			began,
			engine.RunFinished{Status: engine.StatusFailed, Err: &engine.RunError{Kind: engine.KindExpression, Message: "In the output \"x\": no."}, Time: start},
		}, []string{"w run 08hy0000-0000", `failed in 0s: In the output "x": no.`}, nil},
		{"a second run begins anew", []engine.Event{
			began,
			engine.StepStarted{Step: step("a"), Elements: -1, Attempt: 1, Time: start},
			engine.RunFinished{Status: engine.StatusCancelled, Err: &engine.RunError{Kind: engine.KindCancelled, Message: "The run was cancelled."}, Time: start},
			began,
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeSkipped, Time: start},
			engine.RunFinished{Status: engine.StatusCompleted, Time: start},
		}, []string{"w run 08hy0000-0000", "cancelled in 0s", "w run 08hy0000-0000", "  - b  skipped", "completed in 0s"}, []string{"  … a"}},
	} {
		var s screen
		p := &progress{w: &s, width: 80}
		for _, ev := range c.events {
			p.watch(ev)
		}
		s.check(t, c.rule, c.lines, c.status)
	}
}

func TestProgressShowsAFewOfManyFailures(t *testing.T) {
	var s screen
	p := &progress{w: &s}
	p.watch(engine.RunStarted{Workflow: "w"})
	p.watch(engine.StepStarted{Step: engine.Instance{Step: "b"}, Elements: 500})
	for i := range 500 {
		p.watch(engine.StepFinished{
			Step: engine.Instance{Step: "b", Key: value.OfInt(int64(i))}, Outcome: engine.OutcomeError,
			Failure: &engine.Failure{Kind: engine.KindTool, Message: strings.Repeat("x", i)},
		})
	}
	p.watch(engine.StepFinished{Step: engine.Instance{Step: "b"}, Outcome: engine.OutcomeOK})
	if n := len(s.lines); n != mostFailures+2 {
		t.Errorf("%d lines:\n%s", n, strings.Join(s.lines, "\n"))
	}
	if last := s.lines[len(s.lines)-1]; last != "  ✓ b  500 elements, 500 failed 0s" {
		t.Errorf("the last line is %q", last)
	}
}

func TestProgressIsCutToTheTerminal(t *testing.T) {
	var s screen
	p := &progress{w: &s, width: 12}
	p.watch(engine.RunStarted{Workflow: "w"})
	p.watch(engine.StepStarted{Step: engine.Instance{Step: "a_long_name"}, Elements: -1, Attempt: 1})
	if s.last != "  … a_long…" {
		t.Errorf("got %q", s.last)
	}
}
