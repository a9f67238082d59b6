package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runtime/callback"
)

// progress shows a run to a person: a line for each step that ended and, on a
// terminal, a last line that says what is going on.
type progress struct {
	w     io.Writer
	width int // of the terminal; 0: none, so no status line
	style style

	mu sync.Mutex // guards what follows, and the writer

	name    string // of the workflow or deployment
	started time.Time
	running []string // steps in flight, in the order they began
	steps   map[string]*stepProgress
	failed  map[string]bool   // steps and elements whose failure was shown
	said    map[string]string // by kind and message of a failure, what failed so first
	shown   bool              // a status line is there to be cleared
	logs    map[string]int    // by connection: log messages
}

// stepProgress is what is known of a step that began.
type stepProgress struct {
	started  time.Time
	elements int // of a fan-out; -1: none
	done     int
	failed   int // of done
	stopped  int // of done: cancelled because the run ends
	skipped  int // of done: their `when` did not hold, or the run ended first
	message  string
}

// mostFailures is how many failed elements of a fan-out are shown one by one: of
// hundreds that fail alike the first few say why.
const mostFailures = 10

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, style: styleOf(w)}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && os.Getenv("TERM") != "dumb" {
			p.width = width
		}
	}
	return p
}

// watch shows one event.
func (p *progress) watch(ev engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	switch ev := ev.(type) {
	case engine.RunStarted:
		p.started, p.running = ev.Time, nil
		p.steps, p.failed, p.said = map[string]*stepProgress{}, map[string]bool{}, map[string]string{}
		p.name = ev.Workflow
		if ev.Deployment != "" {
			p.name = ev.Deployment
		}
		fmt.Fprintf(p.w, "%s %s\n", p.style.bold(p.name), p.style.dim("run "+ev.Run))
	case engine.RunWarning:
		p.note(p.style.yellow("!"), ev.Message)
	case engine.StepStarted:
		if ev.Step.Key.IsNull() {
			p.steps[ev.Step.Step] = &stepProgress{started: ev.Time, elements: ev.Elements}
			p.running = append(p.running, ev.Step.Step)
		}
	case engine.StepProgress:
		if s := p.steps[ev.Step.Step]; s != nil {
			s.message = progressText(ev.Progress)
		}
	case engine.StepFinished:
		p.finished(ev)
	case engine.RunFinished:
		took := elapsed(ev.Time.Sub(p.started))
		switch {
		case ev.Err == nil:
			fmt.Fprintf(p.w, "%s in %s\n", p.style.green(string(ev.Status)), took)
			return
		case ev.Status == engine.StatusCancelled:
			fmt.Fprintf(p.w, "%s in %s\n", p.style.yellow(string(ev.Status)), took)
			return
		}
		why := ev.Err.Error()
		if at := ev.Err.At.String(); p.failed[at] {
			why = "step " + at // which was shown to fail, and why
		}
		fmt.Fprintf(p.w, "%s in %s: %s\n", p.style.red(string(ev.Status)), took, indentAfter(printable(why), "  "))
		return
	}
	p.status()
}

// serverStderr shows, on a terminal, what a server says while it starts: a first
// start may install something and take minutes.
func (p *progress) serverStderr(connection, line string) {
	if p.width == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, "  %s\n", p.style.dim(connection+": "+printable(line)))
	p.status()
}

// remark shows something that a person should know.
func (p *progress) remark(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.note(p.style.yellow("!"), text)
	p.status()
}

func (p *progress) note(mark, text string) {
	fmt.Fprintf(p.w, "  %s %s\n", mark, indentAfter(printable(text), "    "))
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
	p.clear()
	defer p.status()
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
	p.clear()
	w, width := p.w, p.width
	var held bytes.Buffer
	p.w, p.width = &held, 0
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.w, p.width = w, width
		_, _ = held.WriteTo(w) // as with all that is shown, an error is nobody's
		p.status()
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

// finished shows the end of a step. The elements of a fan-out are only
// counted, except those that failed by themselves.
func (p *progress) finished(ev engine.StepFinished) {
	s := p.steps[ev.Step.Step]
	if !ev.Step.Key.IsNull() {
		if s != nil {
			p.element(s, ev)
		}
		return
	}
	for i, name := range p.running {
		if name == ev.Step.Step {
			p.running = append(p.running[:i:i], p.running[i+1:]...)
			break
		}
	}
	detail := ""
	if s != nil {
		if ev.Outcome == engine.OutcomeError && s.elements > s.done {
			s.skipped += s.elements - s.done // never started
		}
		detail = s.elementCount() + p.style.dim(elapsed(ev.Time.Sub(s.started)))
	}
	switch ev.Outcome {
	case engine.OutcomeOK:
		if ev.Reused {
			detail = "reused"
		}
		p.line("✓", titleOf(ev.Step), detail)
	case engine.OutcomeSkipped:
		p.line("-", titleOf(ev.Step), "skipped")
	case engine.OutcomeError:
		if s == nil || s.failed+s.stopped == 0 {
			detail = p.failure(ev)
		}
		p.line("✗", titleOf(ev.Step), detail)
	}
}

// element counts an element that ended, and shows its failure.
func (p *progress) element(s *stepProgress, ev engine.StepFinished) {
	s.done++
	switch {
	case ev.Outcome == engine.OutcomeSkipped:
		s.skipped++
	case ev.Outcome != engine.OutcomeError:
	case ev.Failure != nil && ev.Failure.Kind == engine.KindCancelled:
		s.stopped++
	default:
		s.failed++
		if s.failed <= mostFailures {
			p.line("✗", titleOf(ev.Step), p.failure(ev))
		}
	}
}

// elementCount says how the elements of a fan-out fared: "5 elements, 1 failed, 1 skipped ",
// or nothing of another step.
func (s *stepProgress) elementCount() string {
	if s.elements < 0 {
		return ""
	}
	text := count(s.elements, "element")
	if s.failed > 0 {
		text += fmt.Sprintf(", %d failed", s.failed)
	}
	if s.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", s.skipped)
	}
	if s.stopped > 0 {
		text += fmt.Sprintf(", %d cancelled", s.stopped)
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
	}
	fmt.Fprintf(p.w, "  %s %s\n", mark, strings.TrimRight(printable(name)+"  "+indentAfter(text, "    "), " "))
}

// titleOf is a step as progress names it.
func titleOf(in engine.Instance) string {
	undo := in.Undo
	if undo == 0 {
		return in.String()
	}
	in.Undo = 0
	if undo == 1 {
		return "undo " + in.String()
	}
	return fmt.Sprintf("undo %s (%d)", in, undo)
}

func progressText(p engine.Progress) string {
	text := p.Message
	if p.Total > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s %.0f %%", text, 100*p.Progress/p.Total))
	}
	return text
}

// status writes the status line, on a terminal.
func (p *progress) status() {
	if p.width == 0 || len(p.running) == 0 {
		return
	}
	parts := make([]string, 0, len(p.running))
	for _, name := range p.running {
		s := p.steps[name]
		part := name
		if s.elements >= 0 {
			part += fmt.Sprintf(" %d/%d", s.done, s.elements)
		}
		if s.message != "" {
			part += " (" + s.message + ")"
		}
		parts = append(parts, part)
	}
	text := []rune("  … " + strings.ReplaceAll(printable(strings.Join(parts, ", ")), "\n", " "))
	if len(text) >= p.width {
		text = append(text[:max(p.width-2, 0)], '…')
	}
	fmt.Fprint(p.w, string(text))
	p.shown = true
}

// clear takes the status line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
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
