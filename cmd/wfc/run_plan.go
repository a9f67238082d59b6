package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/preview"
	"github.com/lda-wf/wfc/runner/service"
)

// previewRun says what a run will do.
func previewRun(std streams, g *globals, arg string, f runFlags) error {
	_, plan, err := compile(std, g, arg, f.binds)
	if err != nil {
		return err
	}
	inputs, err := service.Inputs(plan, f.inputFile, f.inputs)
	if err != nil {
		return failed(err)
	}
	p, err := service.Preview(plan, inputs)
	if err != nil {
		return failed(err)
	}
	if f.json {
		return failed(printJSON(std.out, p))
	}
	return failed(writePlan(std.out, p))
}

// writePlan tells a person what a run will do.
func writePlan(w io.Writer, p *preview.Preview) error {
	var t planText
	name := p.Workflow
	if p.Deployment != "" {
		name += " (" + p.Deployment + ")"
	}
	t.line("plan of %s: nothing is called, and nothing started", name)
	t.line("")
	t.line("inputs   %s", printable(oneLine(p.Inputs)))
	for _, s := range slices.Sorted(maps.Keys(p.Sources)) {
		t.line("source   %s → %s", s, printable(p.Sources[s]))
	}
	if len(p.Secrets) > 0 {
		t.line("secrets  %s", strings.Join(p.Secrets, ", "))
	}
	if p.Policy != nil {
		t.line("policy   destructive %s, drift %s, in doubt %s", p.Policy.Destructive, p.Policy.Drift, p.Policy.InDoubt)
	}
	t.line("")
	t.steps(p.Steps, "  ")
	if len(p.Outputs) > 0 {
		t.line("")
		for _, o := range p.Outputs {
			t.line("output   %s  %s", o.Name, known(o.Known))
		}
	}
	t.line("")
	t.line("%s", callsOf(p.Totals))
	if n := p.Totals.Asks; n > 0 {
		t.line("At %s somebody may be asked.", count(n, "step"))
	}
	_, err := w.Write(t.b.Bytes())
	return err
}

// planText is the text of a plan.
type planText struct {
	b bytes.Buffer
}

func (t *planText) line(format string, args ...any) {
	fmt.Fprintln(&t.b, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// marks are what stands before a step, by what is known of it.
var marks = map[preview.Will]string{preview.Runs: "+", preview.Skips: "-", preview.Depends: "?", preview.Fails: "✗"}

func (t *planText) steps(steps []preview.Step, indent string) {
	final := false
	for _, s := range steps {
		if s.Finally && !final {
			final = true
			t.line("%sfinally", indent)
		}
		t.step(s, indent)
	}
}

func (t *planText) step(s preview.Step, indent string) {
	name := s.Step[strings.LastIndexByte(s.Step, '/')+1:]
	head := fmt.Sprintf("%s%s %s  %s", indent, marks[s.Will], name, does(s))
	if e := effectOf(s.Effect, s.EffectIf); e != "" {
		head += "  " + e
	}
	t.line("%s", head)
	inner := indent + "    "
	switch s.Will {
	case preview.Skips:
		t.line("%sskipped: when %s", inner, printable(s.When))
		return
	case preview.Fails:
		for _, b := range s.Because {
			t.line("%swill fail: %s", inner, printable(b))
		}
	default:
		if s.When != "" {
			t.line("%swhen      %s%s", inner, printable(s.When), after(s.Because))
		}
	}
	if s.Asks != "" {
		t.line("%sasks      %s", inner, s.Asks)
	}
	if q := s.Question; q != nil {
		t.line("%smessage   %s", inner, known(q.Message))
		t.line("%sanswer    %s", inner, printable(q.Answer))
		if q.Choices != nil {
			t.line("%schoices   %s", inner, known(*q.Choices))
		}
		if q.Approvers != nil {
			t.line("%sapprovers %s", inner, known(*q.Approvers))
		}
	}
	t.forEach(s, inner)
	t.arguments(s, inner)
	if s.Loop != "" {
		t.line("%sloop      at most %s rounds", inner, printable(s.Loop))
	}
	if s.Retry != "" {
		t.line("%sretry     at most %s attempts", inner, printable(s.Retry))
	}
	for _, u := range s.Undo {
		t.line("%sundo      %s", inner, u)
	}
	t.steps(s.Steps, inner)
}

// forEach tells of the elements of a fan-out.
func (t *planText) forEach(s preview.Step, indent string) {
	if s.ForEach == "" {
		return
	}
	switch {
	case s.Count == nil:
		t.line("%sfor each  %s%s", indent, printable(s.ForEach), after(s.Because))
		return
	default:
		t.line("%sfor each  %s: %s", indent, printable(s.ForEach), count(*s.Count, "element"))
	}
	const shown = 5
	for i, e := range s.Elements {
		if i == shown && *s.Count > shown+1 {
			t.line("%s… and %d more", indent, *s.Count-shown)
			return
		}
		head := fmt.Sprintf("%s%s [%s]", indent, marks[e.Will], printable(oneLine(e.Key)))
		if e.Connection != "" && e.Connection != s.Connection {
			head += "  " + e.Connection
		}
		if e.Effect != "" && e.Effect != s.Effect {
			head += "  " + e.Effect
		}
		switch {
		case e.Will == preview.Skips:
			head += "  skipped"
		case e.Will == preview.Fails:
			head += "  will fail: " + printable(strings.Join(e.Because, " "))
		case len(e.Because) > 0:
			head += after(e.Because)
		}
		if len(e.Args) > 0 {
			head += "  " + inline(e.Args)
		}
		if e.Value != nil {
			head += "  " + known(*e.Value)
		}
		t.line("%s", head)
		t.steps(e.Steps, indent+"    ")
	}
}

// arguments tells what a step is given.
func (t *planText) arguments(s preview.Step, indent string) {
	if s.Value != nil {
		label := "value"
		switch s.Kind {
		case "sleep":
			label = "for"
		case "read":
			label = "uri"
		}
		t.line("%s%-8s  %s", indent, label, known(*s.Value))
	}
	label := "args"
	for _, a := range s.Args {
		text := known(a.Known)
		if a.Name != "" {
			text = a.Name + " = " + text
		}
		t.line("%s%-8s  %s", indent, label, printable(text))
		label = ""
	}
}

// inline writes arguments on one line.
func inline(args []preview.Arg) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.Name + " = " + known(a.Known)
	}
	return printable(strings.Join(parts, ", "))
}

// known writes a value, or what gives it.
func known(k preview.Known) string {
	switch {
	case k.Error != "":
		return "(will fail: " + printable(k.Error) + ")"
	case k.Sensitive && k.Expr != "" && strings.HasPrefix(k.Expr, "secret."):
		return "(" + k.Expr + ")"
	case k.Sensitive:
		return "(sensitive)"
	case k.Value != nil:
		return printable(oneLine(k.Value))
	}
	return printable(cutText(k.Expr)) + after(k.After)
}

// cutText shortens an expression, as [oneLine] does values.
func cutText(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// after says what tells a value.
func after(what []string) string {
	if len(what) == 0 {
		return ""
	}
	return "  (after " + printable(strings.Join(what, ", ")) + ")"
}

// does says what a step does.
func does(s preview.Step) string {
	at := cmp.Or(s.Connection, s.Source)
	switch {
	case s.Workflow != "":
		return "runs workflow " + s.Workflow
	case s.Tool != "" && s.Kind == "prompt":
		return "prompt " + printable(at+"."+s.Tool)
	case s.Tool != "":
		return printable(at + "." + s.Tool)
	case s.Source != "":
		return s.Kind + " " + at
	case s.Kind == "ask":
		return "asks a person"
	}
	return s.Kind
}

func effectOf(effect string, depends bool) string {
	switch {
	case effect == "":
		return ""
	case effect == "unknown":
		effect = "unknown effect"
	}
	if depends {
		effect = "up to " + effect
	}
	return "[" + effect + "]"
}

// callsOf says how many calls there will be, by effect.
func callsOf(t preview.Totals) string {
	var parts []string
	for _, e := range []string{"read", "write", "unknown", "destructive"} {
		n, more := t.Calls[e], slices.Contains(t.More, e)
		name := e
		if e == "unknown" {
			name = "of unknown effect"
		}
		switch {
		case n > 0 && more:
			parts = append(parts, fmt.Sprintf("at least %d %s", n, name))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		case more:
			parts = append(parts, "any number "+name)
		}
	}
	if len(parts) == 0 {
		return "No calls."
	}
	return "Calls: " + strings.Join(parts, ", ") + "."
}
