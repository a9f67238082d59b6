package main

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/cmd/wfc/live"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// screen is a terminal of so many columns, as far as progress uses it.
type screen struct {
	columns, rows int
	cells         [][]rune
	row, column   int
	shown         []string // what stood there after each write
}

func (s *screen) Write(p []byte) (int, error) {
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		s.grow()
		switch r := text[i]; r {
		case '\n':
			s.row, s.column = s.row+1, 0
			s.grow()
		case '\r':
			s.column = 0
		case '\x1b':
			n, end := 0, i+2
			for ; text[end] >= '0' && text[end] <= '9'; end++ {
				n = 10*n + int(text[end]-'0')
			}
			switch text[end] {
			case 'A':
				s.row -= max(n, 1)
			case 'K':
				s.cells[s.row] = s.cells[s.row][:min(s.column, len(s.cells[s.row]))]
			case 'J':
				s.cells = s.cells[:s.row+1]
				s.cells[s.row] = s.cells[s.row][:min(s.column, len(s.cells[s.row]))]
			}
			i = end
		default:
			if s.column == s.columns {
				s.row, s.column = s.row+1, 0
				s.grow()
			}
			line := s.cells[s.row]
			for len(line) <= s.column {
				line = append(line, ' ')
			}
			line[s.column] = r
			s.cells[s.row] = line
			s.column++
		}
	}
	s.shown = append(s.shown, s.text())
	return len(p), nil
}

func (s *screen) grow() {
	for len(s.cells) <= s.row {
		s.cells = append(s.cells, nil)
	}
}

func (s *screen) text() string {
	var lines []string
	for _, line := range s.cells {
		lines = append(lines, strings.TrimRight(string(line), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// onScreen is progress on a terminal whose time is told.
func onScreen(s *screen, now *time.Time) *progress {
	p := newProgress(s)
	p.now = func() time.Time { return *now }
	p.block = &live.Block{W: s, Size: func() (int, int) { return s.columns, s.rows }}
	return p
}

func TestProgressShowsWhatIsUnderWayBelowWhatHasEnded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &screen{columns: 80, rows: 24}
	p := onScreen(s, &now)
	step := func(name string) engine.Instance { return engine.Instance{Step: name} }
	element := func(name, key string) engine.Instance {
		return engine.Instance{Step: name, Key: value.OfString(key)}
	}
	child := func(up engine.Instance, name string) engine.Instance { return engine.Instance{Step: name, In: &up} }
	failure := &engine.Failure{Kind: engine.KindTimeout, Message: "no answer.\nlast words"}
	for _, c := range []struct {
		after time.Duration
		event engine.Event
		want  string // the screen's lines, of which those that stay are not repeated
	}{
		{0, engine.RunStarted{Run: "08hy0000-0000", Workflow: "w"}, "w run 08hy0000-0000"},
		{0, engine.StepStarted{Step: step("a"), Elements: -1, Attempt: 1, Effect: "read"}, "w run 08hy0000-0000\n  … a"},
		{0, engine.StepProgress{Step: step("a"), Progress: engine.Progress{Message: "half\x1b[31m", Progress: 1, Total: 2}},
			"w run 08hy0000-0000\n  … a  half\ufffd[31m 50 %"},
		{1500 * time.Millisecond, engine.StepFinished{Step: step("a"), Outcome: engine.OutcomeOK}, "w run 08hy0000-0000\n  ✓ a  1.5s"},
		{0, engine.StepStarted{Step: step("b"), Elements: 3}, "✓ a  1.5s\n  … b  0/3"},
		{0, engine.StepStarted{Step: element("b", "x"), Elements: -1, Attempt: 1, Effect: "write"}, "✓ a  1.5s\n  … b  0/3\n    … b[\"x\"]"},
		{0, engine.StepStarted{Step: element("b", "y"), Elements: -1, Attempt: 1, Effect: "write"}, "… b[\"x\"]\n    … b[\"y\"]"},
		{2 * time.Second, engine.StepFinished{Step: element("b", "x"), Outcome: engine.OutcomeOK}, "✓ a  1.5s\n  … b  1/3  2s\n    … b[\"y\"]  2s"},
		{0, engine.StepRetrying{Step: element("b", "y"), Attempt: 1, Failure: failure, At: now.Add(6500 * time.Millisecond)},
			"  … b  1/3  2s\n    ↻ b[\"y\"]  attempt 1 failed, next in 3s: timeout: no answer."},
		{time.Second, engine.StepStarted{Step: element("b", "y"), Elements: -1, Attempt: 2, Effect: "write"}, "    … b[\"y\"]  attempt 2  3s"},
		{0, engine.StepWaiting{Step: step("pause"), Until: now.Add(10 * time.Second)}, "    … b[\"y\"]  attempt 2  3s\n  ↻ pause  waits 6s"},
		{0, engine.StepStarted{Step: step("deploy"), Elements: -1, Attempt: 1}, "  ↻ pause  waits 6s\n  … deploy"},
		{0, engine.StepStarted{Step: child(step("deploy"), "build"), Elements: -1, Attempt: 1, Effect: "read"}, "  … deploy\n    … deploy/build"},
		{0, engine.StepWaiting{Step: child(step("deploy"), "build"), InDoubt: true}, "  … deploy\n    ? deploy/build  in doubt"},
		{0, engine.StepFinished{Step: step("deploy"), Outcome: engine.OutcomeError, Failure: failure},
			"✓ a  1.5s\n  ✗ deploy  timeout: no answer.\n    last words\n  … b  1/3  3s\n    … b[\"y\"]  attempt 2  3s\n  ↻ pause  waits 6s"},
		{0, engine.StepFinished{Step: element("b", "y"), Outcome: engine.OutcomeOK}, "  … b  2/3  3s\n  ↻ pause  waits 6s"},
		{0, engine.StepFinished{Step: element("b", "z"), Outcome: engine.OutcomeSkipped}, "  … b  3/3  3s\n  ↻ pause  waits 6s"},
		{0, engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeOK}, "last words\n  ✓ b  3 elements, 1 skipped 3s\n  ↻ pause  waits 6s"},
		{0, engine.RunFinished{Status: engine.StatusFailed, Err: &engine.RunError{At: step("deploy"), Message: "no"}},
			"  ✓ b  3 elements, 1 skipped 3s\nfailed in 4.5s (1 read, 2 writes): step deploy"},
	} {
		now = now.Add(c.after)
		ev := at(c.event, now)
		p.watch(ev)
		p.mu.Lock()
		p.draw(true)
		p.mu.Unlock()
		if got := s.text(); got != c.want && !strings.HasSuffix(got, "\n"+c.want) && !strings.HasSuffix(got, c.want) {
			t.Fatalf("after %T %+v the screen is\n%s\nwant the end\n%s", ev, ev, got, c.want)
		}
	}
	if p.halt != nil {
		t.Error("it goes on drawing")
	}
}

// at gives an event its time.
func at(ev engine.Event, now time.Time) engine.Event {
	switch ev := ev.(type) {
	case engine.RunStarted:
		ev.Time = now
		return ev
	case engine.StepStarted:
		ev.Time = now
		return ev
	case engine.StepRetrying:
		ev.Time = now
		return ev
	case engine.StepWaiting:
		ev.Time = now
		return ev
	case engine.StepFinished:
		ev.Time = now
		return ev
	case engine.RunFinished:
		ev.Time = now
		return ev
	}
	return ev
}

func TestProgressInLines(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	step := func(name string) engine.Instance { return engine.Instance{Step: name} }
	element := func(name string, i int) engine.Instance {
		return engine.Instance{Step: name, Key: value.OfInt(int64(i))}
	}
	below := func(up engine.Instance, name string) engine.Instance { return engine.Instance{Step: name, In: &up} }
	round := func(name string, n int) engine.Instance { return engine.Instance{Step: name, Round: n} }
	failed := func(kind engine.Kind, message string, doubt bool) *engine.Failure {
		return &engine.Failure{Kind: kind, Message: message, InDoubt: doubt}
	}
	began := engine.RunStarted{Run: "08hy0000-0000", Workflow: "w", Time: start}
	for _, c := range []struct {
		rule   string
		events []engine.Event
		lines  []string
	}{
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
		}},
		{"elements that never started are skipped", []engine.Event{
			began,
			engine.StepStarted{Step: step("b"), Elements: 10, Time: start},
			engine.StepFinished{Step: element("b", 0), Outcome: engine.OutcomeOK, Time: start},
			engine.StepFinished{Step: element("b", 1), Outcome: engine.OutcomeError, Failure: failed(engine.KindTool, "no.", false), Time: start},
			engine.StepFinished{Step: element("b", 2), Outcome: engine.OutcomeSkipped, Time: start},
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeError, Failure: failed(engine.KindTool, "no.", false), Time: start},
			engine.RunFinished{Status: engine.StatusFailed, Err: &engine.RunError{At: element("b", 1), Kind: engine.KindTool, Message: "no."}, Time: start},
		}, []string{"w run 08hy0000-0000", "  ✗ b[1]  tool: no.", "  ✗ b  10 elements, 1 failed, 8 skipped 0s", "failed in 0s: step b[1]"}},
		{"rounds are counted", []engine.Event{
			began,
			engine.StepStarted{Step: round("poll", 1), Elements: -1, Attempt: 1, Time: start},
			engine.StepFinished{Step: round("poll", 1), Outcome: engine.OutcomeOK, Time: start},
			engine.StepStarted{Step: round("poll", 2), Elements: -1, Attempt: 1, Time: start.Add(time.Second)},
			engine.StepFinished{Step: round("poll", 2), Outcome: engine.OutcomeOK, Time: start.Add(time.Second)},
			engine.StepFinished{Step: step("poll"), Outcome: engine.OutcomeOK, Time: start.Add(time.Second)},
		}, []string{"w run 08hy0000-0000", "  ✓ poll  2 rounds 1s"}},
		{"attempts that failed are told", []engine.Event{
			began,
			engine.StepStarted{Step: step("a"), Elements: -1, Attempt: 1, Time: start},
			engine.StepRetrying{Step: step("a"), Attempt: 1, Failure: failed(engine.KindTimeout, "late.", false), At: start.Add(2 * time.Second), Time: start},
			engine.StepStarted{Step: step("a"), Elements: -1, Attempt: 2, Time: start.Add(2 * time.Second)},
			engine.StepFinished{Step: step("a"), Outcome: engine.OutcomeOK, Time: start.Add(3 * time.Second)},
		}, []string{"w run 08hy0000-0000", "  ! a  attempt 1 failed, the next comes in 2s: timeout: late.", "  ✓ a  3s"}},
		{"what was kept is told", []engine.Event{
			began,
			engine.StepStarted{Step: step("b"), Elements: 2, Time: start},
			engine.StepFinished{Step: element("b", 0), Outcome: engine.OutcomeOK, Reused: true, Time: start},
			engine.StepFinished{Step: element("b", 1), Outcome: engine.OutcomeOK, Time: start},
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeOK, Time: start},
			engine.StepFinished{Step: step("c"), Outcome: engine.OutcomeOK, Reused: true, Time: start},
		}, []string{"w run 08hy0000-0000", "  ✓ b  2 elements, 1 reused 0s", "  ✓ c  reused"}},
		{"undo blocks below elements are told", []engine.Event{
			began,
			engine.StepStarted{Step: element("b", 0), Elements: -1, Attempt: 1, Time: start},
			engine.StepFinished{Step: below(element("b", 0), "made"), Outcome: engine.OutcomeOK, Time: start},
			engine.StepFinished{Step: engine.Instance{Step: "made", Undo: 1, In: &engine.Instance{Step: "b", Key: value.OfInt(0)}}, Outcome: engine.OutcomeOK, Time: start},
		}, []string{"w run 08hy0000-0000", "  ✓ undo b[0]/made"}},
		{"a run that is cancelled before it begins", []engine.Event{
			engine.RunQueued{Run: "08hy0000-0000", Workflow: "w", Time: start},
			engine.RunFinished{Status: engine.StatusCancelled, Err: &engine.RunError{Kind: engine.KindCancelled, Message: "no."}, Time: start},
		}, []string{"w run 08hy0000-0000 waits until another run has ended", "cancelled in 0s"}},
		{"what no step is to blame for is told at the end", []engine.Event{
			began,
			engine.RunFinished{Status: engine.StatusFailed, Err: &engine.RunError{Kind: engine.KindExpression, Message: "In the output \"x\": no."}, Time: start},
		}, []string{"w run 08hy0000-0000", `failed in 0s: In the output "x": no.`}},
		{"a second run begins anew", []engine.Event{
			began,
			engine.StepStarted{Step: step("a"), Elements: -1, Attempt: 1, Time: start},
			engine.RunFinished{Status: engine.StatusCancelled, Err: &engine.RunError{Kind: engine.KindCancelled, Message: "The run was cancelled."}, Time: start},
			began,
			engine.StepFinished{Step: step("b"), Outcome: engine.OutcomeSkipped, Time: start},
			engine.RunFinished{Status: engine.StatusCompleted, Time: start},
		}, []string{"w run 08hy0000-0000", "cancelled in 0s", "w run 08hy0000-0000", "  - b  skipped", "completed in 0s"}},
	} {
		var out strings.Builder
		p := newProgress(&out)
		for _, ev := range c.events {
			p.watch(ev)
		}
		if got, want := out.String(), strings.Join(c.lines, "\n")+"\n"; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.rule, got, want)
		}
	}
}

func TestProgressShowsAFewOfManyFailures(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out)
	p.watch(engine.RunStarted{Workflow: "w"})
	p.watch(engine.StepStarted{Step: engine.Instance{Step: "b"}, Elements: 500})
	for i := range 500 {
		p.watch(engine.StepFinished{
			Step: engine.Instance{Step: "b", Key: value.OfInt(int64(i))}, Outcome: engine.OutcomeError,
			Failure: &engine.Failure{Kind: engine.KindTool, Message: strings.Repeat("x", i)},
		})
	}
	p.watch(engine.StepFinished{Step: engine.Instance{Step: "b"}, Outcome: engine.OutcomeOK})
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if n := len(lines); n != mostFailures+2 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
	if last := lines[len(lines)-1]; last != "  ✓ b  500 elements, 500 failed 0s" {
		t.Errorf("the last line is %q", last)
	}
}

func TestProgressIsCutToTheTerminal(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &screen{columns: 16, rows: 6}
	p := onScreen(s, &now)
	p.watch(engine.RunStarted{Workflow: "w"})
	p.watch(engine.StepStarted{Step: engine.Instance{Step: "a_rather_long_name"}, Elements: -1, Attempt: 1, Time: now})
	p.watch(engine.StepStarted{Step: engine.Instance{Step: "界界界界界界"}, Elements: -1, Attempt: 1, Time: now})
	for i := range 10 {
		p.watch(engine.StepStarted{Step: engine.Instance{Step: string(rune('a' + i))}, Elements: -1, Attempt: 1, Time: now})
	}
	p.mu.Lock()
	p.draw(true)
	p.mu.Unlock()
	if got, want := s.text(), "w run\n  … a_rather_l…\n  … 界界界界界…\n  … a\n  … and 9 more"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.close()
}

func TestProgressDrawsNoMoreOftenThanOneCanSee(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &screen{columns: 80, rows: 24}
	p := onScreen(s, &now)
	p.halt = make(chan struct{}) // as while the goroutine runs that draws in time
	p.steps, p.failed, p.said, p.effects = map[string]*stepProgress{}, map[string]bool{}, map[string]string{}, map[string]int{}
	p.watch(engine.StepStarted{Step: engine.Instance{Step: "b"}, Elements: 10000})
	for i := range 10000 {
		in := engine.Instance{Step: "b", Key: value.OfInt(int64(i))}
		p.watch(engine.StepStarted{Step: in, Elements: -1, Attempt: 1})
		p.watch(engine.StepFinished{Step: in, Outcome: engine.OutcomeOK})
	}
	if n := len(s.shown); n != 1 {
		t.Errorf("it was drawn %d times", n)
	}
	if n := len(p.steps); n != 1 {
		t.Errorf("it remembers %d steps", n)
	}
}

// Whatever happened before a process died may be missing of what is told of the run
// that goes on, and nothing of that is a fault of who shows it.
func TestProgressShowsAnyPartOfAnyHistory(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	instance := rapid.Custom(func(t *rapid.T) engine.Instance {
		var in *engine.Instance
		for range rapid.IntRange(1, 3).Draw(t, "depth") {
			x := engine.Instance{Step: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "step"), In: in}
			switch rapid.IntRange(0, 2).Draw(t, "key") {
			case 1:
				x.Key = value.OfInt(int64(rapid.IntRange(0, 2).Draw(t, "index")))
			case 2:
				x.Key = value.OfString("x")
			}
			x.Round, x.Undo = rapid.IntRange(0, 2).Draw(t, "round"), rapid.IntRange(0, 2).Draw(t, "undo")
			in = &x
		}
		return *in
	})
	event := rapid.Custom(func(t *rapid.T) engine.Event {
		in := instance.Draw(t, "step")
		failure := &engine.Failure{Kind: engine.KindTool, Message: "no."}
		switch rapid.IntRange(0, 9).Draw(t, "event") {
		case 0:
			return engine.RunQueued{Run: "r", Workflow: "w", Time: now}
		case 1:
			return engine.RunStarted{Run: "r", Workflow: "w", Time: now}
		case 2:
			return engine.StepStarted{Step: in, Elements: rapid.IntRange(-1, 2).Draw(t, "elements"), Attempt: 1, Effect: "write", Time: now}
		case 3:
			return engine.StepProgress{Step: in}
		case 4:
			return engine.StepRetrying{Step: in, Attempt: 1, Failure: failure, At: now, Time: now}
		case 5:
			return engine.StepWaiting{Step: in, InDoubt: rapid.Bool().Draw(t, "in doubt"), Time: now}
		case 6:
			return engine.RunFinished{Run: "r", Status: engine.StatusFailed, Err: &engine.RunError{At: in, Message: "no."}, Time: now}
		case 7:
			return engine.RunWaits{Run: "r", Steps: []engine.Instance{in}, Time: now}
		case 8:
			return engine.StepFinished{Step: in, Outcome: engine.OutcomeError, Failure: failure, Time: now}
		}
		return engine.StepFinished{Step: in, Outcome: rapid.SampledFrom([]engine.StepOutcome{engine.OutcomeOK, engine.OutcomeSkipped}).Draw(t, "outcome"), Time: now}
	})
	rapid.Check(t, func(t *rapid.T) {
		screen := &screen{columns: 80, rows: 24}
		shown := onScreen(screen, &now)
		defer shown.close()
		var lines strings.Builder
		plain := newProgress(&lines)
		for _, ev := range rapid.SliceOf(event).Draw(t, "events") {
			shown.watch(ev)
			plain.watch(ev)
		}
	})
}
