// Package live shows what goes on in a run at the bottom of a terminal: a tree of
// the steps that are under way, drawn over itself, below lines that stay.
//
// Its central types are [Tree], which turns the events of a run into lines and
// knows no terminal, and [Block], which draws lines. Of wfc it imports
// runner/engine.
package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/runner/engine"
)

// mostParts is how many elements of a fan-out are shown one by one.
const mostParts = 8

// Tree is the steps of a run that are under way. The zero Tree has none.
type Tree struct {
	roots []*node
	nodes map[string]*node // by name
}

// node is a step, an element, a round, or an undo block.
type node struct {
	name     string
	title    string
	part     bool // an element, or a round
	up       *node
	down     []*node
	started  time.Time
	elements int // of a fan-out; -1: none
	done     int // of them
	rounds   int // that began
	attempt  int
	progress string
	doubt    bool
	asks     string    // what a person is asked; "": nothing
	until    time.Time // of what it waits for; zero: it does not wait
	why      string    // it waits: the failure of its last attempt; "": for a time
}

// Mark says what state a line is in.
type Mark uint8

// The marks.
const (
	Running Mark = iota
	Waiting      // for a time
	Doubt        // for somebody's word
)

// Line is a line of the view.
type Line struct {
	Depth  int // of the step in the tree
	Mark   Mark
	Name   string
	Detail string // "": none; may have any characters but line breaks
}

// Apply takes an event.
func (t *Tree) Apply(ev engine.Event) {
	switch ev := ev.(type) {
	case engine.RunStarted:
		*t = Tree{}
	case engine.StepStarted:
		n := t.at(ev.Step, ev.Time)
		n.attempt, n.until, n.why, n.progress, n.doubt, n.asks = ev.Attempt, time.Time{}, "", "", false, ""
		if ev.Elements >= 0 {
			n.elements = ev.Elements
		}
	case engine.StepProgress:
		if n := t.nodes[ev.Step.String()]; n != nil {
			n.progress = ProgressText(ev.Progress)
		}
	case engine.StepRetrying:
		n := t.at(ev.Step, ev.Time)
		n.until, n.why, n.progress = ev.At, firstLine(string(ev.Failure.Kind)+": "+ev.Failure.Message), ""
		n.attempt = ev.Attempt
	case engine.StepWaiting:
		n := t.at(ev.Step, ev.Time)
		n.doubt, n.until, n.why = ev.InDoubt, ev.Until, ""
		if q := ev.Question; q != nil {
			n.asks = q.Message
			if len(q.Approvers) > 0 {
				n.asks += " (for " + strings.Join(q.Approvers, ", ") + ")"
			}
		}
	case engine.StepAnswered:
		if n := t.nodes[ev.Step.String()]; n != nil {
			n.asks = ""
		}
	case engine.StepFinished:
		if n := t.nodes[ev.Step.String()]; n != nil {
			t.remove(n)
			if n.part && n.up != nil {
				n.up.done++
			}
		} else if up := above(ev.Step); up != nil && up.Path() == ev.Step.Path() && ev.Step.Round == 0 {
			if of := t.nodes[up.String()]; of != nil {
				of.done++ // an element that never began
			}
		}
	case engine.RunFinished, engine.RunWaits:
		*t = Tree{}
	}
}

// Title is a step as people read it.
func Title(in engine.Instance) string {
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

// ProgressText is a progress message for people: "indexing 40 %".
func ProgressText(p engine.Progress) string {
	text := p.Message
	if p.Total > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s %.0f %%", text, 100*p.Progress/p.Total))
	}
	return text
}

// above is the step that an instance is a part of, or in; nil: it is a step of the
// run itself.
func above(in engine.Instance) *engine.Instance {
	switch {
	case in.Round > 0 && in.Undo == 0:
		in.Round = 0
	case !in.Key.IsNull() && in.Undo == 0:
		in.Key = null
	default:
		return in.In
	}
	return &in
}

// null is no key.
var null = engine.Instance{}.Key

// at returns the node of an instance, which it makes with those above it.
func (t *Tree) at(in engine.Instance, since time.Time) *node {
	name := in.String()
	if n := t.nodes[name]; n != nil {
		return n
	}
	n := &node{name: name, title: Title(in), started: since, elements: -1}
	if up := above(in); up != nil {
		n.up = t.at(*up, since)
		n.part = up.Path() == in.Path()
		if in.Round > 0 {
			n.up.rounds = max(n.up.rounds, in.Round)
		}
		n.up.down = append(n.up.down, n)
	} else {
		t.roots = append(t.roots, n)
	}
	if t.nodes == nil {
		t.nodes = map[string]*node{}
	}
	t.nodes[name] = n
	return n
}

// remove takes a node away, with all below it.
func (t *Tree) remove(n *node) {
	from := &t.roots
	if n.up != nil {
		from = &n.up.down
	}
	*from = slices.DeleteFunc(*from, func(o *node) bool { return o == n })
	t.forget(n)
}

func (t *Tree) forget(n *node) {
	delete(t.nodes, n.name)
	for _, d := range n.down {
		t.forget(d)
	}
}

// Lines returns what is under way at a time, at most so many lines: where there
// are more, the last one says how many.
func (t *Tree) Lines(now time.Time, most int) []Line {
	var lines []Line
	for _, n := range t.roots {
		lines = n.lines(lines, 0, now)
	}
	if len(lines) > most && most > 0 {
		more := len(lines) - most + 1
		lines = append(lines[:most-1:most-1], Line{Name: fmt.Sprintf("and %d more", more)})
	}
	return lines
}

func (n *node) lines(to []Line, depth int, now time.Time) []Line {
	line := Line{Depth: depth, Name: n.title}
	var details []string
	add := func(format string, args ...any) { details = append(details, fmt.Sprintf(format, args...)) }
	if n.elements >= 0 {
		add("%d/%d", n.done, n.elements)
	}
	if n.rounds > 0 {
		add("round %d", n.rounds)
	}
	if n.progress != "" {
		add("%s", firstLine(n.progress))
	}
	switch {
	case n.doubt:
		line.Mark = Doubt
		add("in doubt")
	case n.asks != "":
		line.Mark = Doubt
		add("asks: %s", firstLine(n.asks))
	case !n.until.IsZero() && n.why != "":
		line.Mark = Waiting
		add("attempt %d failed, next in %s: %s", n.attempt, left(n.until, now), n.why)
	case !n.until.IsZero():
		line.Mark = Waiting
		add("waits %s", left(n.until, now))
	case n.attempt > 1:
		add("attempt %d", n.attempt)
	}
	if took := now.Sub(n.started); took >= time.Second && n.until.IsZero() {
		add("%s", seconds(took))
	}
	line.Detail = strings.Join(details, "  ")
	to = append(to, line)
	shown := 0
	for _, d := range n.down {
		if d.part && n.elements > 0 {
			if shown++; shown > mostParts {
				continue
			}
		}
		to = d.lines(to, depth+1, now)
	}
	return to
}

// left is how long it is until a time, in whole seconds.
func left(until, now time.Time) string {
	return seconds(max(until.Sub(now), 0) + time.Second - 1)
}

func seconds(d time.Duration) string { return d.Truncate(time.Second).String() }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
