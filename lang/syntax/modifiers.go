package syntax

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// modifier is an attribute or block of a step that has no meaning with some
// actions.
type modifier struct {
	name string
	with []Action // that it has a meaning with
	is   string   // what it is, after its name
}

// modifiers say what goes with what. What goes with every action is not listed.
var modifiers = []modifier{
	{"args", []Action{CallAction, ReadAction, PromptAction, RunAction}, "are the arguments of a tool, a resource template, a prompt or a workflow"},
	{"uri", []Action{ReadAction}, "is the address of a resource that is read"},
	{"bind", []Action{RunAction}, "hands sources on to a workflow that is run"},
	{"timeout", []Action{CallAction, ReadAction, PromptAction, RunAction}, "limits one attempt of a call"},
	{"idle_timeout", []Action{CallAction, ReadAction, PromptAction}, "limits how long a server says nothing"},
	{"retry", []Action{CallAction, ReadAction, PromptAction, RunAction}, "repeats what may succeed another time"},
	{"decode", []Action{CallAction, ReadAction, ValueAction}, "reads text as something else"},
	{"returns", []Action{CallAction, ReadAction, PromptAction, RunAction, ValueAction}, "is the type of what comes back"},
	{"result", []Action{CallAction, ReadAction, PromptAction, RunAction, ValueAction, AskAction}, "makes the output out of what came back"},
	{"fail_if", []Action{CallAction, ReadAction, PromptAction, RunAction, ValueAction, AskAction}, "looks at what came back"},
	{"assert", []Action{CallAction, ReadAction, PromptAction, RunAction, ValueAction, AskAction}, "looks at what came back"},
	{"loop", []Action{CallAction, ReadAction, PromptAction, RunAction, ValueAction, AskAction}, "looks at what came back"},
}

// does says what a step with an action does.
var does = map[Action]string{
	CallAction: "calls a tool", ReadAction: "reads a resource", PromptAction: "renders a prompt", RunAction: "runs a workflow",
	ValueAction: "names a value", AskAction: "asks a person", SleepAction: "waits",
}

// modifiers reports what has no meaning with the step's action, or without for_each.
func (r *reader) modifiers(b *hclsyntax.Block, s *Step) {
	at := func(name string) (found bool, d diag.Diagnostic) {
		if a := b.Body.Attributes[name]; a != nil {
			return true, diag.New(codeMisfit, a.NameRange, "")
		}
		for _, c := range b.Body.Blocks {
			if c.Type == name {
				return true, diag.New(codeMisfit, c.TypeRange, "")
			}
		}
		return false, d
	}
	for _, m := range modifiers {
		if slices.Contains(m.with, s.Action) {
			continue
		}
		found, d := at(m.name)
		if !found {
			continue
		}
		d.Detail = quote(m.name) + " " + m.is + ", and this step " + does[s.Action] + ". Remove it."
		switch {
		case m.name == "timeout" && (s.Action == AskAction || s.Action == SleepAction):
			d.Detail = `"timeout" limits one attempt of a call, and this step ` + does[s.Action] + `. Its limit is called "deadline".`
		case m.name == "returns" && s.Action == AskAction:
			d.Detail = `What a person answers has the type that "answer" in the ask block says. Remove "returns".`
		}
		r.report(d)
	}
	if s.ForEach == nil && b.Body.Attributes["for_each"] == nil {
		for _, a := range []struct {
			at  *Attribute
			why string
		}{
			{s.Key, `"key" names the elements of "for_each", which this step does not have. Remove "key", or write "for_each".`},
			{s.MaxParallel, `"max_parallel" limits the elements of "for_each", which this step does not have. Remove "max_parallel", or write "for_each".`},
		} {
			if a.at != nil {
				r.report(diag.New(codeMisfit, a.at.NameRange, "%s", a.why))
			}
		}
	}
}
