package feature

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

func textOrNone(t *syntax.Text) string {
	if t == nil {
		return ""
	}
	return t.S
}

// workflow says what a workflow takes and gives.
func (h *hoverer) workflow(name string) string {
	wf := h.project.Workflows[name]
	if wf == nil {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "workflow %q", name)
	for _, in := range wf.Inputs {
		fmt.Fprintf(&s, "\n  input %s", in.Name.Text)
		if !in.Type.IsZero() {
			s.WriteString(": " + sourceOf(in.Type.Range().SliceBytes(in.Type.Source)))
		}
		if in.Default != nil {
			s.WriteString(" = " + sourceOf(in.Default.Expr.Range().SliceBytes(in.Default.Expr.Source)))
		}
	}
	for _, o := range wf.Outputs {
		fmt.Fprintf(&s, "\n  output %s", o.Name.Text)
	}
	return para(code("hcl", clip(s.String())), textOrNone(wf.Description))
}

// sourceOf is source text on one line.
func sourceOf(src []byte) string {
	const most = 60
	s := strings.Join(strings.Fields(string(src)), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// ofWorkflow says what an input, local, step, source or output is.
func (h *hoverer) ofWorkflow(o index.Occurrence) string {
	name := o.Symbol.Name
	wf := h.project.Workflows[o.Symbol.Owner]
	if wf == nil {
		return ""
	}
	// Where it is read, it is what the place knows of it.
	for _, r := range h.view.Readings {
		if r.Range.Start.Byte == o.Range.Start.Byte && !r.Type.IsError() {
			return para(typed(string(o.Symbol.Kind)+" "+name, r.Type), h.docOf(wf, o.Symbol))
		}
	}
	switch o.Symbol.Kind {
	case index.Source:
		return h.source(wf, name)
	case index.Input:
		for _, in := range wf.Inputs {
			if in.Name.Text == name && !in.Type.IsZero() {
				return para(code("hcl", "input "+name+": "+sourceOf(in.Type.Range().SliceBytes(in.Type.Source))), textOrNone(in.Description))
			}
		}
	case index.Output:
		for _, x := range wf.Outputs {
			if x.Name.Text == name {
				view := check.Look(h.project, x.Range.Filename, x.Value.Range().Start.Byte, x.Value.Range().End.Byte)
				for _, s := range view.Sights {
					if s.Node == x.Value.Node {
						return para(typed("output "+name, s.Type), textOrNone(x.Description))
					}
				}
			}
		}
	case index.Local, index.Step:
		return h.result(wf, o.Symbol)
	}
	return ""
}

func (h *hoverer) docOf(wf *syntax.Workflow, s index.Symbol) string {
	if s.Kind == index.Input {
		for _, in := range wf.Inputs {
			if in.Name.Text == s.Name {
				return textOrNone(in.Description)
			}
		}
	}
	return ""
}

// result says of what type a local or a step's result is, as another place reads it.
func (h *hoverer) result(wf *syntax.Workflow, s index.Symbol) string {
	view := check.Look(h.project, wf.Header.Filename, wf.Header.Start.Byte, wf.Header.End.Byte)
	for _, f := range view.Flows {
		if f.Syntax == wf {
			return typed(string(s.Kind)+" "+s.Name, f.TypeOf(string(s.Kind), s.Name))
		}
	}
	return ""
}

func (h *hoverer) source(wf *syntax.Workflow, name string) string {
	view := check.Look(h.project, wf.Header.Filename, wf.Header.Start.Byte, wf.Header.End.Byte)
	for _, f := range view.Flows {
		s, ok := f.Source(name)
		if !ok {
			continue
		}
		head := "source " + name
		if len(s.Connections) > 0 {
			head += " = connection." + strings.Join(s.Connections, ", connection.")
		}
		if s.Interface != nil {
			head += "\n  " + s.Interface.Reference()
		}
		names := s.Names(check.OfferTool)
		tools := ""
		if len(names) > 0 {
			tools = fmt.Sprintf("%d tools: %s", len(names), strings.Join(names[:min(len(names), 12)], ", "))
			if len(names) > 12 {
				tools += ", …"
			}
		}
		return para(code("hcl", head), textOrNone(s.Syntax.Description), tools)
	}
	return ""
}

func (h *hoverer) connection(id string) string {
	c := h.project.Connections[id]
	if c == nil {
		return ""
	}
	about := ""
	if snap, err := h.project.Snapshot(id); err == nil {
		var server struct{ Name, Title, Version string }
		_ = json.Unmarshal(snap.ServerInfo, &server) // what it does not say is not shown
		about = fmt.Sprintf("%d tools, %d prompts, %d resource templates", len(snap.ToolNames()), len(snap.PromptNames()), len(snap.TemplateNames()))
		if server.Name != "" {
			about = catalog.OneLine(strings.TrimSpace(server.Name+" "+server.Version)) + ": " + about
		}
	} else {
		about = "It has no snapshot that can be used: `wfc catalog refresh " + id + "`"
	}
	return para(code("hcl", "connection "+id+" # "+transportOf(c)), about)
}

// provider says which connections of a provider there are.
func (h *hoverer) provider(name string) string {
	var s strings.Builder
	s.WriteString("provider " + name)
	for _, id := range keys(h.project.Connections) {
		if strings.HasPrefix(id, name+".") {
			s.WriteString("\nconnection " + id + " # " + transportOf(h.project.Connections[id]))
		}
	}
	return code("hcl", s.String())
}

func (h *hoverer) secret(name string) string {
	s := h.project.Secrets[name]
	if s == nil {
		return ""
	}
	origin := ""
	switch {
	case s.Env != nil:
		origin = "the variable " + s.Env.S + " of the environment"
	case s.File != nil:
		origin = "the file " + s.File.S
	case s.Command != nil:
		origin = "what a command writes"
	case s.Keyring != nil:
		origin = "the keyring"
	}
	return para(code("hcl", "secret "+name), "A text that is read from "+origin+" when a connection opens.")
}

// capability says what a tool, a prompt or a resource is.
func (h *hoverer) capability(o index.Occurrence) string {
	for _, c := range h.view.Callees {
		if c.Name.Start.Byte <= o.Range.End.Byte && o.Range.Start.Byte <= c.Name.End.Byte {
			return offerText(c.Offer)
		}
	}
	for _, f := range h.view.Flows {
		for _, s := range f.Sources() {
			if !slices.Contains(s.Connections, o.Symbol.Owner) && "source."+f.Syntax.Name.Text+"."+s.Syntax.Name.Text != o.Symbol.Owner {
				continue
			}
			for _, k := range []check.OfferKind{check.OfferTool, check.OfferPrompt, check.OfferTemplate} {
				if x, ok := s.Offer(k, o.Symbol.Name); ok {
					return offerText(x)
				}
			}
		}
	}
	if name, ok := strings.CutPrefix(o.Symbol.Owner, "interface."); ok {
		if i := h.project.Interfaces.Interface(name); i != nil {
			if t := i.Tool(o.Symbol.Name); t != nil {
				return offerText(check.Offer{Kind: check.OfferTool, Name: t.Name.Text, Args: t.Params, Result: t.Result, Effect: t.Effect, Declared: t})
			}
		}
		return ""
	}
	if snap, err := h.project.Snapshot(o.Symbol.Owner); err == nil {
		if t := snap.Tool(o.Symbol.Name); t != nil {
			x := check.Offer{Kind: check.OfferTool, Name: t.Name, Connections: []string{o.Symbol.Owner}, Args: t.Args, Result: types.AnyType, Effect: t.Effect, Tool: t}
			if t.Output != nil {
				x.Result = t.Output
			}
			return offerText(x)
		}
	}
	return ""
}

// offerText says what a tool, a prompt, a template or a workflow is: its signature in
// the interface language, what is said of it, its effect, its schema.
func offerText(o check.Offer) string {
	var s strings.Builder
	if o.Kind == check.OfferTool && o.Effect != catalog.Unknown {
		s.WriteString("@" + effectText(o.Effect) + "\n")
	}
	word := map[check.OfferKind]string{check.OfferTool: "tool", check.OfferPrompt: "prompt", check.OfferTemplate: "resource", check.OfferWorkflow: "workflow"}[o.Kind]
	s.WriteString(word + " " + types.Key(o.Name))
	if o.Kind == check.OfferTemplate && o.URI != "" {
		fmt.Fprintf(&s, " %q", o.URI)
	}
	parameters(&s, o.Args)
	if o.Kind != check.OfferPrompt {
		const width = 80
		s.WriteString(" -> " + types.PrintIndented(o.Result, width))
	}
	var args strings.Builder
	for _, a := range o.Args.Underlying().Attrs() {
		if a.Description != "" {
			fmt.Fprintf(&args, "- `%s`: %s\n", attrText(a), catalog.OneLine(a.Description))
		}
	}
	where := ""
	if len(o.Connections) > 0 {
		where = "of " + strings.Join(o.Connections, ", ")
	}
	if o.Kind == check.OfferTool && o.Effect == catalog.Unknown {
		where = strings.TrimSpace(where + "; its effect is not known")
	}
	return para(code("wfi", clip(s.String())), o.Doc(), args.String(), where, schemaText(o.Tool), o.Unusable)
}

// parameters writes the parameters of a signature, on lines of their own where they
// do not fit on one.
func parameters(s *strings.Builder, t *types.Type) {
	var parts []string
	u := t.Underlying()
	for _, a := range u.Attrs() {
		text := types.Print(a.Type)
		if a.Optional {
			if a.Default != nil {
				text = "optional(" + text + ", " + types.Notation(*a.Default) + ")"
			} else {
				text = "optional(" + text + ")"
			}
		}
		parts = append(parts, types.Key(a.Name)+": "+text)
	}
	if u.Kind() == types.Object && u.Rest() != nil {
		parts = append(parts, "...")
	}
	const width = 60
	if one := strings.Join(parts, ", "); len(one) <= width {
		s.WriteString("(" + one + ")")
		return
	}
	s.WriteString("(\n  " + strings.Join(parts, ",\n  ") + "\n)")
}

// schemaText is a part of the schema of a tool's arguments, where the type does not say all of it.
func schemaText(t *catalog.Tool) string {
	if t == nil || len(t.InputSchema) == 0 || t.ArgsReport.Exact() {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, t.InputSchema, "", "  ") != nil {
		return ""
	}
	return "The schema says more of the arguments than the types do:\n\n" + code("json", clip(out.String()))
}

func printInterface(i *iface.Interface) string { return iface.Print(i) }
