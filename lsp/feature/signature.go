package feature

import (
	"context"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

func signatureOptions(*workspace.Client) any {
	return map[string]any{"triggerCharacters": []string{"(", ",", "{", "="}, "retriggerCharacters": []string{")", "}"}}
}

// signatureHelp answers textDocument/signatureHelp: the function whose arguments the
// place stands in, or what is called where it stands in args.
func signatureHelp(ctx context.Context, s *workspace.Snapshot, p protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil || !t.isWorkflows() {
		return nil, err
	}
	offset := t.Text.Offset(p.Position)
	_, place := outline.Scan(t.src, offset, nests)
	formats := s.Client.TextDocument.SignatureHelp.SignatureInformation.DocumentationFormat
	for i := len(place.Frames) - 1; i >= 0; i-- {
		f := place.Frames[i]
		if f.Kind == outline.Parens && f.Func != "" {
			if fn := funcs.Lookup(f.Func); fn != nil {
				return functionHelp(formats, fn, f.Args), nil
			}
		}
	}
	if place.Attribute.Text != "args" || len(place.Frames) == 0 {
		return nil, nil
	}
	view := check.Look(t.project, t.Name, offset, offset)
	for _, c := range view.Callees {
		if place.Block.Start == c.Block.Start.Byte {
			return callHelp(formats, c.Offer, place.Frames[0].Key), nil
		}
	}
	return nil, nil
}

func functionHelp(formats []protocol.MarkupKind, f *funcs.Func, arg int) *protocol.SignatureHelp {
	info := protocol.SignatureInformation{Label: f.Signature(), Documentation: markdown(formats, functionDoc(f))}
	params := slices.Concat(f.Params, f.Optional)
	if f.Variadic != nil {
		params = append(params, *f.Variadic)
	}
	for _, p := range params {
		info.Parameters = append(info.Parameters, protocol.ParameterInformation{Label: p.Name})
	}
	active := uint32(min(arg, max(len(params)-1, 0)))
	return &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{info}, ActiveSignature: 0, ActiveParameter: &active}
}

func callHelp(formats []protocol.MarkupKind, o check.Offer, key string) *protocol.SignatureHelp {
	var label strings.Builder
	label.WriteString(o.Name + "(")
	info := protocol.SignatureInformation{}
	active := uint32(0)
	attrs := o.Args.Underlying().Attrs()
	for i, a := range attrs {
		if i > 0 {
			label.WriteString(", ")
		}
		part := attrText(a) + ": " + short(a.Type)
		label.WriteString(part)
		p := protocol.ParameterInformation{Label: part}
		if a.Description != "" {
			p.Documentation = markdown(formats, catalog.OneLine(a.Description))
		}
		info.Parameters = append(info.Parameters, p)
		if a.Name == key {
			active = uint32(i)
		}
	}
	label.WriteString(")")
	if o.Kind != check.OfferPrompt && o.Result.Kind() != types.Any {
		label.WriteString(" -> " + short(o.Result))
	}
	info.Label = label.String()
	if doc := o.Doc(); doc != "" {
		info.Documentation = markdown(formats, doc)
	}
	return &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{info}, ActiveParameter: &active}
}
