package feature

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// hover answers textDocument/hover: what stands at a place; nil for nothing.
func hover(ctx context.Context, s *workspace.Snapshot, p protocol.HoverParams) (*protocol.Hover, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	h := hoverer{target: t, offset: t.Text.Offset(p.Position)}
	text, at := h.find()
	if text == "" {
		return nil, ctx.Err()
	}
	r := t.rangeOf(at)
	return &protocol.Hover{Contents: *markdown(s.Client.TextDocument.Hover.ContentFormat, text), Range: &r}, nil
}

type hoverer struct {
	*target
	offset int
	view   *check.View
}

// find returns what is said of the place, as Markdown, and what it is said of.
func (h *hoverer) find() (string, hcl.Range) {
	if h.offset < len(h.src) && isSpace(h.src[h.offset]) && (h.offset == 0 || !isNameByte(h.src[h.offset-1])) {
		return "", hcl.Range{}
	}
	if !h.isInterface() {
		if !h.isWorkflows() {
			return "", hcl.Range{}
		}
		h.view = check.Look(h.project, h.Name, h.offset, h.offset)
	} else {
		h.view = &check.View{}
	}
	for _, o := range h.named(h.offset) {
		if text := h.symbol(o); text != "" {
			return text, o.Range
		}
	}
	for _, r := range h.view.Readings {
		if within(r.Range, h.offset) {
			return h.reading(r), r.Range
		}
	}
	if text, at := h.function(); text != "" {
		return text, at
	}
	if text, at := h.loopVariable(); text != "" {
		return text, at
	}
	if text, at := h.key(); text != "" {
		return text, at
	}
	if text, at := h.keyword(); text != "" {
		return text, at
	}
	return h.expression()
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func within(r hcl.Range, offset int) bool { return r.Start.Byte <= offset && offset <= r.End.Byte }

// code is a block of code.
func code(language, text string) string { return "```" + language + "\n" + text + "\n```" }

// para puts paragraphs together, without empty ones.
func para(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}

// typed is a name with its type.
func typed(name string, t *types.Type) string {
	if t == nil || t.IsError() {
		return code("hcl", name)
	}
	const width = 80
	return code("hcl", name+": "+types.PrintIndentedAt(t, len(name)+2, width))
}

func (h *hoverer) reading(r check.Reading) string {
	doc := rootDocs[r.Root]
	if r.Of != nil {
		doc = ""
		for _, a := range readable(r.Of) {
			if a.Name == r.Name {
				doc = a.Description
			}
		}
	}
	return para(typed(r.Name, r.Type), doc)
}

// function says what a function is, where its name stands at the place.
func (h *hoverer) function() (string, hcl.Range) {
	for _, s := range h.view.Sights {
		x, ok := s.Node.(*hclsyntax.FunctionCallExpr)
		if !ok || !within(x.NameRange, h.offset) {
			continue
		}
		f := funcs.Lookup(x.Name)
		if f == nil {
			continue
		}
		given := ""
		if !s.Type.IsError() && s.Type.Kind() != types.Any {
			given = "Here it gives `" + short(s.Type) + "`."
		}
		return para(code("hcl", f.Signature()), f.Doc, code("hcl", f.Example+" # "+f.Gives), given), x.NameRange
	}
	return "", hcl.Range{}
}

// loopVariable says what a variable of a `for` is, where the `for` names it.
func (h *hoverer) loopVariable() (string, hcl.Range) {
	start, end := wordAround(h.src, h.offset)
	name := string(h.src[start:end])
	for _, s := range h.view.At(h.offset) {
		x, ok := s.Node.(*hclsyntax.ForExpr)
		if !ok || name == "" || x.KeyVar != name && x.ValVar != name || start < x.OpenRange.End.Byte || end > x.CollExpr.Range().Start.Byte {
			continue
		}
		at := x.ValExpr.Range().Start.Byte
		for _, inner := range check.Look(h.project, h.Name, at, at).At(at) {
			if inner.Range.Start.Byte != at {
				continue
			}
			for _, n := range inner.Begin() {
				if n.Variable && n.Text == name {
					return typed(name, n.Type), hcl.Range{Filename: h.Name, Start: hcl.Pos{Byte: start}, End: hcl.Pos{Byte: end}}
				}
			}
		}
	}
	return "", hcl.Range{}
}

// key says what an attribute of an object is, where its key stands at the place.
func (h *hoverer) key() (string, hcl.Range) {
	for i := len(h.view.Sights) - 1; i >= 0; i-- {
		s := h.view.Sights[i]
		x, ok := s.Node.(*hclsyntax.ObjectConsExpr)
		if !ok {
			continue
		}
		for _, it := range x.Items {
			r := it.KeyExpr.Range()
			if !within(r, h.offset) {
				continue
			}
			name := keyOf(h.src, it.KeyExpr)
			if want := objectIn(s.Want); want != nil {
				if a := want.Attr(name); a != nil {
					return para(typed(attrText(*a), a.Type), a.Description), r
				}
			}
			if o := objectIn(s.Type); o != nil {
				if a := o.Attr(name); a != nil {
					return typed(name, a.Type), r
				}
			}
		}
	}
	return "", hcl.Range{}
}

// attrText is the name of an attribute with whether it may be left out.
func attrText(a types.Attr) string {
	name := types.Key(a.Name)
	if a.Optional {
		name += "?"
	}
	return name
}

// keyword says what a block type or an attribute is.
func (h *hoverer) keyword() (string, hcl.Range) {
	if h.isInterface() {
		return "", hcl.Range{}
	}
	_, place := outline.Scan(h.src, h.offset, nests)
	if place.Comment {
		return "", hcl.Range{}
	}
	start, end := wordAround(h.src, h.offset)
	at := hcl.Range{Filename: h.Name, Start: hcl.Pos{Byte: start}, End: hcl.Pos{Byte: end}}
	name := string(h.src[start:end])
	if name == "" || place.Attribute.Text != "" || len(place.Words) > 0 || len(place.Frames) > 0 {
		return "", hcl.Range{}
	}
	schema := schemaOf(h.Name, place.Block)
	if schema == nil {
		return "", hcl.Range{}
	}
	if a := schema.Attribute(name); a != nil {
		head := name + " = " + formText(*a)
		if a.Required {
			head += " # required"
		}
		return para(code("hcl", head), a.Doc), at
	}
	if b := schema.Block(name); b != nil {
		head := name
		for _, l := range b.Labels {
			head += fmt.Sprintf(" %q", strings.ToUpper(l))
		}
		return para(code("hcl", head+" { … }"), b.Doc), at
	}
	return "", hcl.Range{}
}

// expression says what the innermost expression gives.
func (h *hoverer) expression() (string, hcl.Range) {
	sights := h.view.At(h.offset)
	for i := len(sights) - 1; i >= 0; i-- {
		s := sights[i]
		if s.Type.IsError() || h.offset == s.Range.End.Byte && i > 0 {
			continue
		}
		switch s.Node.(type) {
		case *hclsyntax.LiteralValueExpr, *hclsyntax.TemplateExpr, *hclsyntax.ObjectConsKeyExpr:
			return "", hcl.Range{}
		}
		const width = 80
		return code("hcl", types.PrintIndented(s.Type, width)), s.Range
	}
	return "", hcl.Range{}
}

// symbol says what a named thing is.
func (h *hoverer) symbol(o index.Occurrence) string {
	name := o.Symbol.Name
	switch o.Symbol.Kind {
	case index.Workflow:
		return h.workflow(name)
	case index.Source, index.Input, index.Output, index.Local, index.Step:
		return h.ofWorkflow(o)
	case index.Connection:
		return h.connection(name)
	case index.Provider:
		return h.provider(name)
	case index.Secret:
		return h.secret(name)
	case index.Interface:
		if i := h.project.Interfaces.Interface(name); i != nil {
			return para(code("wfi", clip(printInterface(i))), i.Doc)
		}
	case index.InterfaceType:
		if t, _ := h.project.Interfaces.Type([]string{"interface", o.Symbol.Owner, name}); t != nil {
			const width = 80
			return code("wfi", "type "+name+" = "+types.PrintIndentedAt(t.Underlying(), len(name)+8, width))
		}
	case index.Capability:
		return h.capability(o)
	case index.Deployment:
		if d := h.project.Deployments[name]; d != nil && d.Description != nil {
			return para(code("hcl", fmt.Sprintf("deployment %q", name)), d.Description.S)
		}
	}
	return ""
}

// clip shortens a long text to a number of lines that a hover can show.
func clip(text string) string {
	const most = 40
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return strings.Join(lines, "\n")
}
