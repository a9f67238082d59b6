package graph

import (
	"fmt"
	"strings"
	"time"
)

// does says what a node does, in a few words: "github.search_issues".
func (n *Node) does() string {
	switch {
	case n.Kind == Input || n.Kind == Output:
		return n.Type
	case n.Workflow != "":
		return "workflow " + n.Workflow
	case n.Tool != "" && n.Kind == "prompt":
		return "prompt " + n.Source + "." + n.Tool
	case n.Tool != "":
		return n.Source + "." + n.Tool
	case n.Source != "":
		return string(n.Kind) + " " + n.Source
	}
	if n.Kind == "ask" {
		return "asks a person"
	}
	return string(n.Kind)
}

// remarks say how a node does it, each in a few words.
func (n *Node) remarks() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if n.Asks != "" {
		add("%s", n.Asks)
	}
	if n.When != "" {
		add("when %s", n.When)
	}
	if n.ForEach != "" {
		add("for each %s", n.ForEach)
	}
	if n.Loop != nil {
		add("loop, at most %s", n.Loop.Max)
	}
	if n.Retry != "" {
		add("up to %s attempts", n.Retry)
	}
	if len(n.OnError) > 0 {
		kinds := strings.Join(n.OnError, ", ")
		if kinds == "*" {
			kinds = "all failures"
		}
		add("tolerates %s", kinds)
	}
	for _, u := range n.Undo {
		add("undo %s", u)
	}
	return out
}

// result says what became of a node, in a few words; "": nothing is known.
func (s *Seen) result() string {
	if s == nil {
		return ""
	}
	parts := []string{s.State}
	if s.Reused {
		parts[0] += ", reused"
	}
	if s.TookMS >= 0 && s.State != "skipped" && s.State != "pending" {
		parts = append(parts, duration(s.TookMS))
	}
	if s.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", s.Attempts))
	}
	if s.Rounds > 0 {
		parts = append(parts, many(s.Rounds, "round"))
	}
	if s.Undone > 0 {
		parts = append(parts, "undone")
	}
	return strings.Join(parts, " · ")
}

// counts says how many elements a step had; "": it is no fan-out.
func (s *Seen) counts() string {
	if s == nil || s.Elements == nil {
		return ""
	}
	total := 0
	for _, n := range s.Elements {
		total += n
	}
	text := many(total, "element")
	for _, state := range states {
		if n := s.Elements[state]; n > 0 && (n < total || state != "ok") {
			text += fmt.Sprintf(", %d %s", n, state)
		}
	}
	return text
}

// states are the states of a step, in the order in which they are counted.
var states = []string{"ok", "error", "skipped", "running", "waiting", "in_doubt", "pending"}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// duration prints milliseconds with three digits at most.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case ms == 0:
		return "0ms"
	case d < time.Second:
		return d.String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// title says what the picture is of.
func (g *Graph) title() string {
	name := "Workflow " + g.Workflow
	if g.Deployment != "" {
		name += " (deployment " + g.Deployment + ")"
	}
	if g.Run != nil {
		name += ", run " + g.Run.ID
	}
	return name
}

// cut shortens a text to a number of characters.
func cut(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:most-1]) + "…"
}
