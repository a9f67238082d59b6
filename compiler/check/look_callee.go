package check

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// Callee is what a step, an undo block or a mock calls, reads, prompts or runs.
type Callee struct {
	Ref    hcl.Range // the whole reference
	Name   hcl.Range // of the tool, prompt, template or workflow, as a label has it
	Source string    // the source's name; "" of a run
	Offer  Offer
	Args   *syntax.Attribute // as they are written; nil: not written
	Block  hcl.Range         // of the step, undo or mock block
}

// Offer is a tool, a prompt, a resource template or a workflow that can be named.
type Offer struct {
	Kind        OfferKind
	Name        string
	Connections []string // the ids of those that have it; of a family several
	Args        *types.Type
	Result      *types.Type // what it gives before the step's own attributes; never nil
	Effect      catalog.Effect

	Tool     *catalog.Tool     // the first connection's; nil: nothing is known
	Declared *iface.Tool       // by the interface of the source; nil without one
	Prompt   *catalog.Prompt   // of a prompt that no interface declares
	Template *catalog.Template // the same of a template
	URI      string            // of a template or a resource
	Workflow *syntax.Workflow  // of a run

	Unusable string // why it cannot be called, in a sentence; "" where it can
}

// OfferKind is what an offer is.
type OfferKind string

// The kinds of offers.
const (
	OfferTool     OfferKind = "tool"
	OfferPrompt   OfferKind = "prompt"
	OfferTemplate OfferKind = "resource template"
	OfferWorkflow OfferKind = "workflow"
)

// Doc returns what the server, or the interface, says of it; "" for nothing.
func (o Offer) Doc() string {
	switch {
	case o.Declared != nil && o.Declared.Doc != "":
		return o.Declared.Doc
	case o.Tool != nil && o.Tool.Description != "":
		return o.Tool.Description
	case o.Tool != nil:
		return o.Tool.Title
	case o.Prompt != nil && o.Prompt.Description != "":
		return o.Prompt.Description
	case o.Prompt != nil:
		return o.Prompt.Title
	case o.Template != nil && o.Template.Description != "":
		return o.Template.Description
	case o.Template != nil:
		return o.Template.Title
	case o.Workflow != nil && o.Workflow.Description != nil:
		return o.Workflow.Description.S
	}
	return ""
}

// Flow is a workflow that was looked at.
type Flow struct {
	Syntax  *syntax.Workflow
	checker *checker
	flow    *flow
}

// SourceView is what a source of a workflow has.
type SourceView struct {
	Syntax      *syntax.Source
	Connections []string // the ids of what it is bound to
	Keys        []string // of a family
	Interface   *iface.Interface

	c   *checker
	src *source
}

func (c *checker) noteFlow() {
	if c.rec != nil && c.f != nil {
		c.rec.view.Flows = append(c.rec.view.Flows, &Flow{c.f.wf, c, c.f})
	}
}

// Sources returns the sources of the workflow, in file order.
func (f *Flow) Sources() []SourceView {
	var out []SourceView
	for _, s := range f.flow.sourceList {
		v := SourceView{Syntax: s.syn, Interface: s.iface, c: f.checker, src: s}
		for _, m := range s.members {
			v.Connections = append(v.Connections, m.conn.syn.ID())
			if s.family {
				v.Keys = append(v.Keys, m.key)
			}
		}
		out = append(out, v)
	}
	return out
}

// Source returns a source of the workflow by its name.
func (f *Flow) Source(name string) (SourceView, bool) {
	for _, s := range f.Sources() {
		if s.Syntax.Name.Text == name {
			return s, true
		}
	}
	return SourceView{}, false
}

// kindsOf are the kinds of what a source has, by their names here.
var kindsOf = map[OfferKind]kindOf{OfferTool: tools, OfferPrompt: prompts, OfferTemplate: templates}

// Names returns the names of a kind that can be used of the source: those that the
// interface declares, or that all connections have, sorted.
func (v SourceView) Names(kind OfferKind) []string {
	if v.Interface != nil {
		return declaredNames(v.Interface, kind)
	}
	if len(v.src.members) == 1 {
		m := v.src.members[0]
		if snap := m.conn.open(); snap != nil {
			return kindsOf[kind].names(m.conn, snap)
		}
		return nil
	}
	return common(v.src.members, kindsOf[kind])
}

func declaredNames(i *iface.Interface, kind OfferKind) []string {
	var out []string
	switch kind {
	case OfferTool:
		out = i.ToolNames()
	case OfferPrompt:
		for _, p := range i.Prompts {
			out = append(out, p.Name.Text)
		}
	case OfferTemplate:
		for _, r := range i.Resources {
			out = append(out, r.Name.Text)
		}
	}
	return out
}

// Offer returns what the source has of a name.
func (v SourceView) Offer(kind OfferKind, name string) (Offer, bool) {
	c := v.c
	ref := &syntax.Ref{Path: []syntax.Label{v.Syntax.Name, {Text: name}}}
	outer, rec := c.f, c.rec
	c.rec = nil
	defer func() { c.f, c.rec = outer, rec }()
	var k capability
	found := false
	c.silently(func() {
		members := v.src.members
		k = capability{source: v.src}
		if v.src.iface != nil {
			k = c.resolveDeclared(k, ref, kindsOf[kind], members)
			found = !k.wrong
			return
		}
		for _, m := range members {
			snap := m.conn.open()
			if snap == nil {
				continue
			}
			o, has := kindsOf[kind].find(m.conn, snap, name)
			if !has {
				return
			}
			o.key = m.key
			k.of = append(k.of, o)
			found = true
		}
		if found {
			k.args = k.of[0].args
		}
	})
	if !found {
		return Offer{}, false
	}
	return c.offerOf(kind, name, k), true
}

// offerOf describes a capability.
func (c *checker) offerOf(kind OfferKind, name string, k capability) Offer {
	out := Offer{Kind: kind, Name: name, Args: k.args, Result: types.AnyType, Effect: catalog.Read, Declared: k.declared, URI: k.uri}
	for _, o := range k.of {
		out.Connections = append(out.Connections, o.conn.syn.ID())
		if out.Tool == nil {
			out.Tool = o.tool
		}
		if out.URI == "" {
			out.URI = o.uri
		}
		if o.tool != nil && o.tool.TaskRequired {
			out.Unusable = "It can only be called as a task, which wfc does not support."
		}
		if o.problem != "" && out.Unusable == "" && o.tool == nil {
			out.Unusable = o.problem
		}
	}
	if out.Args == nil {
		out.Args = objectOfAnything
	}
	if k.source != nil && len(k.of) > 0 && k.declared == nil {
		if snap := k.of[0].conn.open(); snap != nil {
			switch kind {
			case OfferPrompt:
				out.Prompt = snap.Prompt(name)
			case OfferTemplate:
				out.Template = snap.Template(name)
			}
		}
	}
	switch kind {
	case OfferTool:
		out.Effect = catalog.Unknown
		if len(k.of) > 0 || k.declared != nil {
			c.silently(func() { out.Effect = c.effect(k, types.AnyType) })
		}
		if k.declared != nil {
			out.Result = k.declared.Result
		} else if t := k.output(); len(k.of) > 0 && t != nil {
			out.Result = t
		}
	case OfferPrompt:
		out.Result = promptType
	case OfferTemplate:
		out.Result = types.StringType
	}
	return out
}

// noteCalls notes what a step calls.
func (c *checker) noteCalls(s *step) {
	y := s.syn
	note := func(kind OfferKind, ref *syntax.Ref, k capability, args *syntax.Attribute, block hcl.Range) {
		if ref == nil || len(ref.Path) == 0 || k.wrong && k.args == nil {
			return
		}
		name := ref.Path[len(ref.Path)-1]
		offer := c.offerOf(kind, name.Text, k)
		c.rec.view.Callees = append(c.rec.view.Callees, Callee{Ref: ref.Range, Name: name.Range, Source: ref.Path[0].Text, Offer: offer, Args: args, Block: block})
	}
	switch {
	case y.Call != nil:
		note(OfferTool, y.Call, s.does, y.Args, y.Range)
	case y.Prompt != nil:
		note(OfferPrompt, y.Prompt, s.does, y.Args, y.Range)
	case y.Read != nil && !s.whole:
		note(OfferTemplate, y.Read, s.does, y.Args, y.Range)
	case y.Run != nil && s.child != nil && len(y.Run.Path) == 2:
		wf := c.w.project.Workflows[y.Run.Path[1].Text]
		c.rec.view.Callees = append(c.rec.view.Callees, Callee{
			Ref: y.Run.Range, Name: y.Run.Path[1].Range, Args: y.Args, Block: y.Range,
			Offer: Offer{Kind: OfferWorkflow, Name: y.Run.Path[1].Text, Args: s.child.inputs, Result: s.child.outputs, Effect: s.effect, Workflow: wf},
		})
	}
	for i, u := range y.Undo {
		if u.Call != nil && i < len(s.undo) {
			note(OfferTool, u.Call, s.undo[i], u.Args, u.Range)
		}
	}
}

// TypeOf returns the type of input.NAME, local.NAME or step.NAME as a local of the
// workflow reads it; types.ErrorType where it is not known.
func (f *Flow) TypeOf(root, name string) *types.Type {
	s := Sight{c: f.checker, f: f.flow, place: localPlace}
	t, _ := s.Path(root, name)
	return t
}

// AsLocal returns the type that an expression of the workflow has as a local of it, or
// false where it cannot be one: it reads what is there in its place alone.
func (f *Flow) AsLocal(e expr.Expr) (t *types.Type, ok bool) {
	s := Sight{c: f.checker, f: f.flow}
	s.silently(e.Source, func(c *checker) { t = c.check(e, localPlace, nil, nil, nil) })
	return t, !t.IsError()
}
