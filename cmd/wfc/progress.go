package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/lda-wf/wfc/cmd/wfc/live"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runtime/callback"
)

// progress shows a run to a person: a line for each step that ended and, on a
// terminal, a tree of the steps that are under way below.
type progress struct {
	w     io.Writer
	style style
	now   func() time.Time

	silent bool // nothing of the run is shown: its events are printed as JSON

	mu sync.Mutex // guards what follows, and the writer

	out     strings.Builder // lines that stay and are not written yet
	block   *live.Block     // the tree; nil: this is no terminal, or nothing may be drawn now
	tree    live.Tree
	drawn   string        // what the block shows
	drawnAt time.Time     // when it was drawn last
	halt    chan struct{} // ends the goroutine that draws as time passes; nil: there is none
	halted  chan struct{} // closed when it has ended

	started time.Time
	steps   map[string]*stepProgress // by name, of those that have parts or began
	failed  map[string]bool          // steps and elements whose failure was shown
	said    map[string]string        // by kind and message of a failure, what failed so first
	effects map[string]int           // calls that were made, by effect
	logs    map[string]int           // by connection: log messages
}

// stepProgress is what is known of a step that began.
type stepProgress struct {
	started  time.Time
	effect   string // of a call
	elements int    // of a fan-out; -1: none
	rounds   int    // of a loop
	done     int    // of these parts
	failed   int    // of done
	stopped  int    // of done: cancelled because the run ends
	skipped  int    // of done: their `when` did not hold, or the run ended first
	reused   int    // of done
	retries  int    // that were shown
}

const (
	// mostFailures is how many failed elements of a fan-out, and retries, are shown one
	// by one: of hundreds that fail alike the first few say why.
	mostFailures = 10
	// drawEvery is how often the tree is drawn at most, and looked at as time passes.
	drawEvery = 100 * time.Millisecond
	// mostRows is how many rows the tree has at most.
	mostRows = 20
)

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, style: styleOf(w), now: time.Now}
	p.anew(time.Time{}) // a queued run may end before it begins
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.block = &live.Block{W: w, Size: func() (int, int) {
			columns, rows, err := term.GetSize(int(f.Fd()))
			if err != nil || columns == 0 || rows == 0 {
				return 80, 24 // some terminals do not know
			}
			return columns, rows
		}}
	}
	return p
}

// watch shows one event.
func (p *progress) watch(ev engine.Event) {
	switch ev.(type) {
	case engine.RunFinished, engine.RunWaits:
		p.close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree.Apply(ev)
	switch ev := ev.(type) {
	case engine.RunQueued:
		p.anew(ev.Time)
		fmt.Fprintf(&p.out, "%s %s\n", p.style.bold(cmp.Or(ev.Deployment, ev.Workflow)), p.style.dim("run "+ev.Run+" waits until another run has ended"))
	case engine.RunStarted:
		p.began(ev)
	case engine.RunWarning:
		p.note(p.style.yellow("!"), ev.Message)
	case engine.StepStarted:
		p.begun(ev)
	case engine.StepRetrying:
		p.retries(ev)
	case engine.StepWaiting:
		if ev.Question != nil && p.block == nil {
			p.line("?", live.Title(ev.Step), "asks: "+printable(ev.Question.Message))
		}
	case engine.StepAnswered:
		what := "answered by "
		if ev.Declined {
			what = "declined by "
		}
		p.line("?", live.Title(ev.Step), what+printable(cmp.Or(ev.By, "somebody")))
	case engine.StepFinished:
		p.finished(ev)
	case engine.RunFinished:
		p.ended(ev)
	}
	p.draw(false)
}

func (p *progress) began(ev engine.RunStarted) {
	p.anew(ev.Time)
	fmt.Fprintf(&p.out, "%s %s\n", p.style.bold(cmp.Or(ev.Deployment, ev.Workflow)), p.style.dim("run "+ev.Run))
	if p.block != nil && p.halt == nil {
		p.halt, p.halted = make(chan struct{}), make(chan struct{})
		go p.redraw(p.halt, p.halted)
	}
}

// anew forgets what was of another run.
func (p *progress) anew(since time.Time) {
	p.started = since
	p.steps, p.failed, p.said, p.effects = map[string]*stepProgress{}, map[string]bool{}, map[string]string{}, map[string]int{}
}

// redraw draws the tree as time passes, until halt is closed.
func (p *progress) redraw(halt, halted chan struct{}) {
	defer close(halted)
	ticks := time.NewTicker(drawEvery)
	defer ticks.Stop()
	for {
		select {
		case <-halt:
			return
		case <-ticks.C:
			p.mu.Lock()
			p.draw(true)
			p.mu.Unlock()
		}
	}
}

// close ends what goes on by itself. What is shown stays.
func (p *progress) close() {
	p.mu.Lock()
	halt, halted := p.halt, p.halted
	p.halt = nil
	p.mu.Unlock()
	if halt != nil {
		close(halt)
		<-halted
	}
}

func (p *progress) begun(ev engine.StepStarted) {
	name := ev.Step.String()
	s := p.steps[name]
	if s == nil {
		s = &stepProgress{started: ev.Time, elements: ev.Elements}
		p.steps[name] = s
	}
	s.effect = ev.Effect
	if ev.Step.Round > 0 {
		p.unit(ev.Step, ev.Time)
	}
}

// unit is the step or element that a round is one of.
func (p *progress) unit(in engine.Instance, since time.Time) *stepProgress {
	round := in.Round
	in.Round = 0
	s := p.steps[in.String()]
	if s == nil {
		s = &stepProgress{started: since, elements: -1}
		p.steps[in.String()] = s
	}
	s.rounds = max(s.rounds, round)
	return s
}

// retries says, where there is no tree to show it, that an attempt failed.
func (p *progress) retries(ev engine.StepRetrying) {
	in := ev.Step
	in.Round, in.Key = 0, engine.Instance{}.Key
	s := p.steps[in.String()]
	if p.block != nil || s == nil {
		return
	}
	if s.retries++; s.retries > mostFailures {
		return
	}
	message, _, _ := strings.Cut(ev.Failure.Message, "\n")
	p.line("!", live.Title(ev.Step), fmt.Sprintf("attempt %d failed, the next comes in %s: %s: %s",
		ev.Attempt, elapsed(max(ev.At.Sub(ev.Time), 0)), ev.Failure.Kind, printable(message)))
}

func (p *progress) ended(ev engine.RunFinished) {
	took := elapsed(ev.Time.Sub(p.started)) + p.calls()
	switch {
	case ev.Err == nil:
		fmt.Fprintf(&p.out, "%s in %s\n", p.style.green(string(ev.Status)), took)
		return
	case ev.Status == engine.StatusCancelled:
		fmt.Fprintf(&p.out, "%s in %s\n", p.style.yellow(string(ev.Status)), took)
		return
	}
	why := ev.Err.Error()
	if at := ev.Err.At.String(); p.failed[at] {
		why = "step " + at // which was shown to fail, and why
	}
	fmt.Fprintf(&p.out, "%s in %s: %s\n", p.style.red(string(ev.Status)), took, indentAfter(printable(why), "  "))
}

// calls says on a terminal what was done: " (12 reads, 1 write)".
func (p *progress) calls() string {
	if p.block == nil {
		return ""
	}
	var parts []string
	for _, effect := range []struct{ name, one, many string }{
		{"read", "read", "reads"}, {"write", "write", "writes"},
		{"destructive", "destructive call", "destructive calls"}, {"unknown", "call of unknown effect", "calls of unknown effect"},
	} {
		switch n := p.effects[effect.name]; {
		case n == 1:
			parts = append(parts, "1 "+effect.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, effect.many))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return p.style.dim(" (" + strings.Join(parts, ", ") + ")")
}

// draw writes the lines that stay and, on a terminal, draws the tree below them. With
// nothing to stay it is drawn no more often than [drawEvery].
func (p *progress) draw(inTime bool) {
	text := p.out.String()
	p.out.Reset()
	if p.block == nil {
		if text != "" {
			_, _ = io.WriteString(p.w, text) // as with all that is only shown, an error is nobody's
		}
		return
	}
	now := p.now()
	if text == "" && !inTime && now.Sub(p.drawnAt) < drawEvery && p.halt != nil {
		return // it will be
	}
	lines := p.lines(now)
	shown := strings.Join(lines, "\n")
	if text == "" && shown == p.drawn {
		return
	}
	p.block.Draw(text, lines)
	p.drawn, p.drawnAt = shown, now
}

// lines are those of the tree, as wide as the terminal.
func (p *progress) lines(now time.Time) []string {
	columns, rows := p.block.Size()
	var out []string
	for _, l := range p.tree.Lines(now, max(min(rows-2, mostRows), 1)) {
		mark := map[live.Mark]string{live.Running: p.style.dim("…"), live.Waiting: p.style.yellow("↻"), live.Doubt: p.style.yellow("?")}[l.Mark]
		indent := strings.Repeat("  ", l.Depth+1)
		room := columns - len(indent) - 3 // the mark, a space, and the last column, where some terminals wrap
		name := live.Cut(oneLineOf(l.Name), max(room, 0))
		detail := live.Cut(oneLineOf(l.Detail), max(room-live.Width(name)-2, 0))
		if detail != "" {
			name += "  " + p.style.dim(detail)
		}
		out = append(out, indent+mark+" "+name)
	}
	return out
}

// oneLineOf is a text of others on one line of a terminal.
func oneLineOf(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(printable(s))
}

// serverStderr shows, on a terminal, what a server says while it starts: a first
// start may install something and take minutes.
func (p *progress) serverStderr(connection, line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.block == nil {
		return
	}
	fmt.Fprintf(&p.out, "  %s\n", p.style.dim(connection+": "+printable(line)))
	p.draw(false)
}

// interrupted says on a terminal, where somebody has pressed Ctrl-C, what goes on.
func (p *progress) interrupted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.block == nil || p.halt == nil {
		return // nobody is there, or no run goes on
	}
	p.note(p.style.yellow("!"), "Cancelling: what was done is undone, and the finally blocks run. Ctrl-C again stops at once.")
	p.draw(false)
}

// remark shows something that a person should know.
func (p *progress) remark(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(p.style.yellow("!"), text)
	p.draw(false)
}

func (p *progress) note(mark, text string) {
	fmt.Fprintf(&p.out, "  %s %s\n", mark, indentAfter(printable(text), "    "))
}

// mostLogs is how many log messages of one connection are shown: of a server that
// never stops the first ones say why.
const mostLogs = 50

// logged shows a log message of a server.
func (p *progress) logged(l callback.Log) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.logs == nil {
		p.logs = map[string]int{}
	}
	p.logs[l.Connection]++
	n := p.logs[l.Connection]
	if n > mostLogs+1 {
		return
	}
	defer p.draw(false)
	if n > mostLogs {
		p.note(p.style.yellow("!"), l.Connection+" logs more, which is not shown.")
		return
	}
	who := l.Connection
	if l.Operation != "" {
		who += ", " + l.Operation
	}
	if l.Logger != "" {
		who += ", " + l.Logger
	}
	mark := p.style.yellow("!")
	if l.Level > callback.Warning {
		mark = p.style.red("!")
	}
	p.note(mark, fmt.Sprintf("%s: %s: %s", who, l.Level, l.Text()))
}

// hold keeps what is to be shown back, so that nothing comes between a person and
// what they are asked, until the function that it returns is called.
func (p *progress) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, block := p.w, p.block
	if block != nil {
		block.Draw(p.out.String(), nil)
		p.out.Reset()
		p.drawn = ""
	}
	var held bytes.Buffer
	p.w, p.block = &held, nil
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.w, p.block = w, block
		p.out.Write(held.Bytes())
		p.draw(true)
	}
}

// printable replaces control characters but tabs and line breaks, so that no server writes on the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\ufffd'
		}
		return r
	}, s)
}

// finished shows the end of a step. The elements of a fan-out and the rounds of a
// loop are only counted, except those that failed by themselves.
func (p *progress) finished(ev engine.StepFinished) {
	s := p.steps[ev.Step.String()]
	if s != nil && s.effect != "" && ev.Outcome != engine.OutcomeSkipped {
		p.effects[s.effect]++
	}
	if ev.Step.Undo == 0 {
		whole := ev.Step
		whole.Round = 0
		if ev.Step.Round == 0 {
			whole.Key = engine.Instance{}.Key
		}
		if ev.Step.Round > 0 {
			delete(p.steps, ev.Step.String())
			p.part(p.unit(ev.Step, ev.Time), ev)
			return
		}
		if !ev.Step.Key.IsNull() {
			delete(p.steps, ev.Step.String())
			if of := p.steps[whole.String()]; of != nil {
				p.part(of, ev)
			}
			return
		}
	}
	if ev.Outcome != engine.OutcomeError && p.isOneOfMany(ev.Step) {
		delete(p.steps, ev.Step.String())
		return
	}
	detail := ""
	if s != nil {
		if ev.Outcome == engine.OutcomeError && s.elements > s.done {
			s.skipped += s.elements - s.done // never started
		}
		detail = s.parts() + p.style.dim(elapsed(ev.Time.Sub(s.started)))
	}
	switch ev.Outcome {
	case engine.OutcomeOK:
		if ev.Reused {
			detail = "reused"
		}
		p.line("✓", live.Title(ev.Step), detail)
	case engine.OutcomeSkipped:
		p.line("-", live.Title(ev.Step), "skipped")
	case engine.OutcomeError:
		if s == nil || s.failed+s.stopped == 0 {
			detail = p.failure(ev)
		}
		p.line("✗", live.Title(ev.Step), detail)
	}
}

// isOneOfMany reports whether a step is part of what is only counted: a step of a
// workflow that elements or rounds run, or, after the first ones, an undo of or in them.
func (p *progress) isOneOfMany(in engine.Instance) bool {
	many := !in.Key.IsNull() || in.Round > 0
	for up := in.In; up != nil; up = up.In {
		if up.Key.IsNull() && up.Round == 0 {
			continue
		}
		if in.Undo == 0 {
			return true
		}
		many = true
	}
	if in.Undo == 0 || !many {
		return false
	}
	in = ofAll(in)
	of := p.steps[in.String()]
	if of == nil {
		of = &stepProgress{elements: -1}
		p.steps[in.String()] = of
	}
	of.done++
	return of.done > mostFailures
}

// ofAll names the step of an instance, and those that it is in, without elements
// and rounds.
func ofAll(in engine.Instance) engine.Instance {
	in.Key, in.Round = engine.Instance{}.Key, 0
	if in.In != nil {
		up := ofAll(*in.In)
		in.In = &up
	}
	return in
}

// part counts an element or a round that ended, and shows its failure.
func (p *progress) part(s *stepProgress, ev engine.StepFinished) {
	s.done++
	switch {
	case ev.Reused:
		s.reused++
	case ev.Outcome == engine.OutcomeSkipped:
		s.skipped++
	case ev.Outcome != engine.OutcomeError:
	case ev.Failure != nil && ev.Failure.Kind == engine.KindCancelled:
		s.stopped++
	default:
		s.failed++
		if s.failed <= mostFailures && !p.failed[ev.Step.String()] {
			p.line("✗", live.Title(ev.Step), p.failure(ev))
		}
	}
}

// parts says how the elements of a fan-out fared: "5 elements, 1 failed, 1 skipped ",
// or the rounds of a loop, or nothing of another step.
func (s *stepProgress) parts() string {
	var text string
	switch {
	case s.elements >= 0:
		text = count(s.elements, "element")
	case s.rounds > 0:
		text = count(s.rounds, "round")
	default:
		return ""
	}
	for _, c := range []struct {
		n    int
		what string
	}{{s.reused, "reused"}, {s.failed, "failed"}, {s.skipped, "skipped"}, {s.stopped, "cancelled"}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %d %s", c.n, c.what)
		}
	}
	return text + " "
}

// failure says why a step or element failed. What many fail of, such as the end
// of their server, is told once.
func (p *progress) failure(ev engine.StepFinished) string {
	at, f := ev.Step.String(), ev.Failure
	p.failed[at] = true
	if f == nil {
		return "failed"
	}
	text := string(f.Kind) + ": " + f.Message
	if first, ok := p.said[text]; ok {
		text = string(f.Kind) + ", as " + first
	} else {
		p.said[text] = at
	}
	if f.InDoubt {
		text += inDoubt
	}
	return printable(text)
}

// inDoubt is said of a call that may have taken effect although it failed.
const inDoubt = "\nWhether it took effect is not known (in doubt)."

func (p *progress) line(mark, name, text string) {
	switch mark {
	case "✓":
		mark = p.style.green(mark)
	case "✗":
		mark = p.style.red(mark)
	case "!", "?":
		mark = p.style.yellow(mark)
	}
	fmt.Fprintf(&p.out, "  %s %s\n", mark, strings.TrimRight(printable(name)+"  "+indentAfter(text, "    "), " "))
}

// style colours text where the writer is a terminal and NO_COLOR is not set.
type style struct{ on bool }

func styleOf(w io.Writer) style {
	f, ok := w.(*os.File)
	return style{ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string   { return s.paint("1", t) }
func (s style) dim(t string) string    { return s.paint("2", t) }
func (s style) red(t string) string    { return s.paint("31", t) }
func (s style) green(t string) string  { return s.paint("32", t) }
func (s style) yellow(t string) string { return s.paint("33", t) }
