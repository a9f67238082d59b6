package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func step(name string) engine.Instance { return engine.Instance{Step: name} }

func element(name string, i int) engine.Instance {
	return engine.Instance{Step: name, Key: value.OfInt(int64(i))}
}

// shown is the tree as text, with the marks … ↻ ?.
func shown(t *Tree) string {
	var lines []string
	for _, l := range t.Lines(at, 20) {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%s %s  %s", strings.Repeat("  ", l.Depth), [...]string{"…", "↻", "?"}[l.Mark], l.Name, l.Detail), " "))
	}
	return strings.Join(lines, "\n")
}

func TestQuestionsStandInTheTree(t *testing.T) {
	ask := func(in engine.Instance, message string, approvers ...string) engine.StepWaiting {
		return engine.StepWaiting{Step: in, Question: &journal.Question{Asked: journal.Asked{Message: message, Approvers: approvers}}, Time: at}
	}
	var tree Tree
	for _, c := range []struct {
		rule   string
		events []engine.Event
		want   string
	}{
		{"a step that asks", []engine.Event{ask(step("confirm"), "Go on?\nIt takes long.")}, "? confirm  asks: Go on?"},
		{"with who may answer", []engine.Event{ask(step("approve"), "Sure?", "ann", "bob")}, "? confirm  asks: Go on?\n? approve  asks: Sure? (for ann, bob)"},
		{"until it is answered, and ends",
			[]engine.Event{engine.StepAnswered{Step: step("confirm"), Time: at}, engine.StepFinished{Step: step("confirm"), Outcome: engine.OutcomeOK, Time: at}, engine.StepFinished{Step: step("approve"), Outcome: engine.OutcomeError, Time: at}}, ""},
		{"a policy asks for a fan-out",
			[]engine.Event{engine.StepStarted{Step: step("wipe"), Elements: 2, Time: at}, ask(step("wipe"), "May it?")}, "? wipe  0/2  asks: May it?"},
		{"and its calls begin when it is answered",
			[]engine.Event{engine.StepAnswered{Step: step("wipe"), Time: at}, engine.StepStarted{Step: element("wipe", 0), Elements: -1, Attempt: 1, Time: at}}, "… wipe  0/2\n  … wipe[0]"},
		{"nothing is left when the run stops to wait", []engine.Event{ask(step("more"), "?"), engine.RunWaits{Time: at}}, ""},
	} {
		for _, ev := range c.events {
			tree.Apply(ev)
		}
		if got := shown(&tree); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.rule, got, c.want)
		}
	}
}
