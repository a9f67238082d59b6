package feature

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// inlayHints answers textDocument/inlayHint: the types of locals, outputs and
// variables, and of each.value, that are written nowhere.
func inlayHints(ctx context.Context, s *workspace.Snapshot, p protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil || !t.isWorkflows() {
		return nil, err
	}
	f := t.syntax()
	if f == nil {
		return nil, nil
	}
	start, end := t.Text.Offsets(p.Range)
	view := check.Look(t.project, t.Name, start, end)
	of := make(map[hclsyntax.Expression]*types.Type, len(view.Sights))
	for _, x := range view.Sights {
		of[x.Node] = x.Type
	}
	out := []protocol.InlayHint{}
	hint := func(at int, label string, ty *types.Type) {
		if ty == nil || ty.IsError() || ty.Underlying().Kind() == types.Any || at < start || at > end {
			return
		}
		out = append(out, protocol.InlayHint{Position: t.Text.Position(at), Label: label + ": " + short(types.Widen(ty)), Kind: protocol.InlayType, PaddingLeft: label != ""})
	}
	for _, wf := range f.Workflows {
		for _, l := range wf.Locals {
			hint(l.Name.Range.End.Byte, "", of[l.Expr.Node])
		}
		for _, x := range wf.Steps {
			if x.ForEach != nil {
				hint(x.ForEach.Expr.Range().End.Byte, "each.value", elementOf(of[x.ForEach.Expr.Node]))
			}
		}
		for _, o := range wf.Outputs {
			if o.Type.IsZero() && !o.Value.IsZero() {
				hint(o.Name.Range.End.Byte+1, "", of[o.Value.Node])
			}
		}
	}
	t.variableHints(view, of, hint)
	slices.SortFunc(out, func(a, b protocol.InlayHint) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Character, b.Position.Character))
	})
	return out, nil
}

// elementOf is what going through a value of a type gives, nil where that is not one type.
func elementOf(t *types.Type) *types.Type {
	if t == nil {
		return nil
	}
	switch u := types.WithoutNull(t).Underlying(); u.Kind() {
	case types.List, types.Map:
		return u.Elem()
	case types.Tuple:
		if one, ok := types.JoinAll(u.Items()...); ok && len(u.Items()) > 0 {
			return one
		}
	}
	return nil
}

// variableHints shows the types of the variables of `for`.
func (t *target) variableHints(view *check.View, of map[hclsyntax.Expression]*types.Type, hint func(int, string, *types.Type)) {
	colls := map[int]*types.Type{} // by where the `for` begins
	for _, x := range view.Sights {
		if f, ok := x.Node.(*hclsyntax.ForExpr); ok && f.KeyVar == "" {
			colls[f.SrcRange.Start.Byte] = of[f.CollExpr]
		}
	}
	for _, o := range t.own() {
		if o.Definition && o.Symbol.Kind == index.Variable {
			if c, ok := colls[o.Block.Start.Byte]; ok {
				hint(o.Range.End.Byte, "", elementOf(c))
			}
		}
	}
}

// foldingRanges answers textDocument/foldingRange: what spans several lines.
func foldingRanges(ctx context.Context, s *workspace.Snapshot, p protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil || !t.isWorkflows() && !t.isInterface() {
		return nil, err
	}
	out := []protocol.FoldingRange{}
	for _, x := range t.outline().Spans {
		first, last := t.Text.Position(x.Start).Line, t.Text.Position(x.End).Line
		if last <= first || x.Kind == outline.Template || x.Kind == outline.Quotes {
			continue
		}
		f := protocol.FoldingRange{StartLine: first, EndLine: last}
		switch x.Kind {
		case outline.Comment:
			f.Kind = "comment"
		case outline.Braces, outline.Brackets, outline.Parens, outline.BlockBody:
			f.EndLine-- // the line of the closing bracket stays
		}
		if f.EndLine > f.StartLine {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b protocol.FoldingRange) int { return cmp.Compare(a.StartLine, b.StartLine) })
	out = slices.CompactFunc(out, func(a, b protocol.FoldingRange) bool { return a.StartLine == b.StartLine })
	if most := s.Client.TextDocument.FoldingRange.RangeLimit; most > 0 && len(out) > int(most) {
		out = out[:most]
	}
	return out, nil
}

// selectionRanges answers textDocument/selectionRange: how a selection grows, from the
// name at a place through expressions, brackets, attributes and blocks to the file.
func selectionRanges(ctx context.Context, s *workspace.Snapshot, p protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	out := make([]protocol.SelectionRange, 0, len(p.Positions))
	for _, at := range p.Positions {
		out = append(out, t.selection(t.Text.Offset(at)))
	}
	return out, nil
}

type stretch struct{ start, end int }

func (t *target) selection(offset int) protocol.SelectionRange {
	all := []stretch{{0, len(t.src)}}
	add := func(start, end int) {
		if start <= offset && offset <= end {
			all = append(all, stretch{start, end})
		}
	}
	if t.isWorkflows() {
		for _, x := range check.Look(t.project, t.Name, offset, offset).At(offset) {
			add(x.Range.Start.Byte, x.Range.End.Byte)
		}
	}
	f := t.outline()
	for _, x := range f.Spans {
		add(x.Start, x.End)
		add(x.Start+1, x.End-1)
	}
	var walk func(b *outline.Block)
	walk = func(b *outline.Block) {
		for _, a := range b.Attributes {
			add(a.Name.Start, a.Name.End)
			add(a.Start, a.End)
			add(a.Name.Start, max(a.End, a.Name.End))
		}
		for _, x := range b.Blocks {
			add(x.Start, x.End)
			for _, l := range x.Labels {
				add(l.Start, l.End)
			}
			walk(x)
		}
	}
	walk(f.Body)
	start, end := wordAround(t.src, offset)
	if start < end {
		add(start, end)
	}
	// From the widest to the narrowest, each within the one before it.
	slices.SortStableFunc(all, func(a, b stretch) int { return cmp.Compare(b.end-b.start, a.end-a.start) })
	one := &protocol.SelectionRange{Range: t.Text.Range(all[0].start, all[0].end)}
	last := all[0]
	for _, x := range all[1:] {
		if x == last || x.start < last.start || x.end > last.end {
			continue
		}
		last = x
		one = &protocol.SelectionRange{Range: t.Text.Range(x.start, x.end), Parent: one}
	}
	return *one
}

// documentLinks answers textDocument/documentLink: files that expressions read, and
// the snapshots of connections.
func documentLinks(ctx context.Context, s *workspace.Snapshot, p protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil || t.Project.Root == "" {
		return nil, err
	}
	out := []protocol.DocumentLink{}
	for _, l := range readFiles(t.src) {
		if _, err := t.project.Content(l.name); err == nil {
			out = append(out, protocol.DocumentLink{Range: t.Text.Range(l.start, l.end), Target: document.URI(t.path(l.name)), Tooltip: l.name})
		}
	}
	if f := t.syntax(); f != nil {
		for _, c := range f.Connections {
			if _, err := t.project.Snapshot(c.ID()); err == nil {
				out = append(out, protocol.DocumentLink{Range: t.rangeOf(c.Account.Range), Target: document.URI(t.path(snapshotFile(c.ID()))), Tooltip: "the snapshot of " + c.ID()})
			}
		}
	}
	return out, nil
}
