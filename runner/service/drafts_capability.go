package service

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// CreateDraftFromCapability makes a draft of a workflow of one step that uses a
// capability: its inputs are the capability's arguments, and its output what that
// gives. workflow is its name; "": one that says what it does. Source of n does not count.
func (h *Host) CreateDraftFromCapability(ctx context.Context, n NewDraft, capability, workflow string) (*Draft, error) {
	w := h.now()
	c, err := h.Capability(ctx, capability)
	if err != nil {
		return nil, err
	}
	if workflow != "" && !hclsyntax.ValidIdentifier(workflow) {
		return nil, refuse(Invalid, "%q is no name of a workflow: write letters, digits, underscores and dashes, a letter first.", shortName(workflow))
	}
	if n.Source, err = w.oneStep(c, workflow, n.Title); err != nil {
		return nil, err
	}
	return h.CreateDraft(ctx, n)
}

// oneStep writes the workflow that uses a capability. Where a type of an argument
// cannot be written, or is more than the checker can follow, it is any: then it is
// held against the schema when the call is made.
func (w *world) oneStep(c *Capability, name, title string) (string, error) {
	o := oneStep{capability: c, name: name, title: title}
	snap, err := w.project.Snapshot(c.Connection)
	if err != nil {
		return "", &Error{Kind: Refused, Message: sentence(err), Cause: err}
	}
	switch c.Kind {
	case ToolCapability:
		o.args = snap.Tool(c.Local).Args
	case PromptCapability:
		o.args = snap.Prompt(c.Local).Args
	case TemplateCapability:
		o.args = snap.Template(c.Local).Args
	}
	if o.name == "" {
		o.name = identifier(lastWord(c))
	}
	var source string
	for _, try := range []oneStep{o, o.with(true, false), o.with(false, true), o.with(true, true)} {
		source = try.write()
		if j := w.judge(draftFile("new"), []byte(source)); !j.found.HasErrors() {
			return source, nil
		}
	}
	// It is shown with what is wrong: a tool that cannot be called, or a connection.
	return o.write(), nil
}

func lastWord(c *Capability) string {
	if c.Kind == ResourceCapability {
		return "read_" + c.Connection
	}
	return c.Local
}

// oneStep is a workflow of one step that is being written.
type oneStep struct {
	capability  *Capability
	name, title string
	args        *types.Type // an object; nil: there are none
	anything    bool        // inputs are any
	sensitive   bool        // so is the output
	b           strings.Builder
}

func (o oneStep) with(anything, sensitive bool) oneStep {
	o.anything, o.sensitive = anything, sensitive
	return o
}

func (o oneStep) write() string {
	c := o.capability
	source := identifier(strings.Split(c.Connection, ".")[0])
	o.line("workflow %s {", quoted(o.name))
	if o.title != "" {
		o.line("title = %s", quoted(catalog.OneLine(o.title)))
	}
	if text := catalog.OneLine(c.Description); text != "" {
		o.line("description = %s", quoted(cut(text, 200)))
	}
	o.line("\nsource %s {\nbind = connection.%s\n}", quoted(source), c.Connection)
	inputs := o.inputs()
	o.line("\nstep %s {", quoted(o.stepName()))
	switch c.Kind {
	case ToolCapability:
		o.line("call = %s", member(source, c.Local))
	case PromptCapability:
		o.line("prompt = %s", member(source, c.Local))
	case TemplateCapability:
		o.line("read = %s", member(source, c.Local))
	case ResourceCapability:
		o.line("read = %s\nuri = %s", source, quoted(c.URI))
	}
	if len(inputs) > 0 {
		o.line("args = {")
		for i, a := range o.args.Attrs() {
			o.line("%s = input.%s", types.Key(a.Name), inputs[i])
		}
		o.line("}")
	}
	o.line("}\n\noutput \"result\" {\nvalue = step.%s.output", o.stepName())
	if o.sensitive {
		o.line("sensitive = true")
	}
	o.line("}\n}")
	src := o.b.String()
	if laid, _ := format.Source("draft.wf.hcl", []byte(src)); laid != nil {
		return string(laid)
	}
	return src
}

func (o *oneStep) line(text string, args ...any) {
	fmt.Fprintf(&o.b, text+"\n", args...)
}

func (o *oneStep) stepName() string {
	if o.capability.Kind == ResourceCapability {
		return "read"
	}
	return identifier(o.capability.Local)
}

// inputs writes an input for each argument, and returns their names.
func (o *oneStep) inputs() []string {
	if o.args == nil {
		return nil
	}
	var names []string
	for _, a := range o.args.Attrs() {
		name := identifier(a.Name)
		for n := 2; slices.Contains(names, name); n++ {
			name = fmt.Sprintf("%s_%d", identifier(a.Name), n)
		}
		names = append(names, name)
		text := "any"
		if !o.anything {
			text = types.Print(types.Widen(a.Type))
			if a.Type.Kind() == types.Union || a.Type.Kind() == types.Literal {
				text = types.Print(a.Type)
			}
			if _, found := types.Parse(text, "draft", nil); found.HasErrors() {
				text = "any"
			}
		}
		if a.Optional {
			text = "optional(" + text + ")"
		}
		o.line("\ninput %s {\ntype = %s", quoted(name), text)
		if d := catalog.OneLine(a.Description); d != "" {
			o.line("description = %s", quoted(cut(d, 200)))
		}
		o.line("}")
	}
	return names
}

// member is what a source offers under a name: source.name, or by index where the
// name is no identifier.
func member(source, name string) string {
	if hclsyntax.ValidIdentifier(name) {
		return source + "." + name
	}
	return source + "[" + quoted(name) + "]"
}

// quoted is a text as HCL writes it.
func quoted(s string) string { return types.Notation(value.OfString(s)) }

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// identifier makes a name of a text that may hold anything.
func identifier(s string) string {
	var b strings.Builder
	for _, r := range s {
		if next := b.String() + string(r); hclsyntax.ValidIdentifier(next) || b.Len() == 0 && hclsyntax.ValidIdentifier("x"+string(r)) && r < 128 {
			if b.Len() == 0 && !hclsyntax.ValidIdentifier(string(r)) {
				b.WriteByte('n')
			}
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	out := strings.TrimRight(b.String(), "_-")
	if !hclsyntax.ValidIdentifier(out) || types.IsReserved(out) {
		out = "n_" + out
	}
	if !hclsyntax.ValidIdentifier(out) {
		return "value"
	}
	return out
}
