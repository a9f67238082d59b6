package feature

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// callItem is what an item of a call hierarchy is found by.
type callItem struct {
	Kind string `json:"kind"` // "workflow", "deployment" or "test"
	Name string `json:"name"`
}

// prepareCalls answers textDocument/prepareCallHierarchy: the workflow at a place.
func prepareCalls(ctx context.Context, s *workspace.Snapshot, p protocol.CallHierarchyPrepareParams) ([]protocol.CallHierarchyItem, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	for _, o := range t.named(t.Text.Offset(p.Position)) {
		if wf := t.project.Workflows[o.Symbol.Name]; o.Symbol.Kind == index.Workflow && wf != nil {
			item, err := t.callItem(ctx, "workflow", wf.Name, wf.Block)
			if err != nil {
				return nil, err
			}
			return []protocol.CallHierarchyItem{item}, nil
		}
	}
	return nil, nil
}

func (t *target) callItem(ctx context.Context, kind string, name syntax.Label, b syntax.Block) (protocol.CallHierarchyItem, error) {
	whole, err := t.location(ctx, b.Range)
	if err != nil {
		return protocol.CallHierarchyItem{}, err
	}
	at, err := t.location(ctx, name.Range)
	if err != nil {
		return protocol.CallHierarchyItem{}, err
	}
	data, err := json.Marshal(callItem{kind, name.Text})
	if err != nil {
		return protocol.CallHierarchyItem{}, fmt.Errorf("an item of a call hierarchy: %w", err)
	}
	return protocol.CallHierarchyItem{Name: name.Text, Detail: kind, Kind: blockKind(kind), URI: whole.URI, Range: whole.Range, SelectionRange: at.Range, Data: data}, nil
}

// called returns the file of an item and which item it is.
func called(ctx context.Context, s *workspace.Snapshot, item protocol.CallHierarchyItem) (*target, callItem, error) {
	t, err := targetOf(ctx, s, item.URI)
	var c callItem
	if t == nil || err != nil || len(item.Data) == 0 || json.Unmarshal(item.Data, &c) != nil {
		return nil, c, err
	}
	return t, c, nil
}

// incomingCalls answers callHierarchy/incomingCalls: workflows with steps that run
// the item, deployments and tests of it.
func incomingCalls(ctx context.Context, s *workspace.Snapshot, p protocol.CallHierarchyParams) ([]protocol.CallHierarchyIncomingCall, error) {
	t, c, err := called(ctx, s, p.Item)
	if t == nil || err != nil || c.Kind != "workflow" {
		return nil, err
	}
	out := []protocol.CallHierarchyIncomingCall{}
	add := func(kind string, name syntax.Label, b syntax.Block, refs []*syntax.Ref) error {
		var from []protocol.Range
		for _, r := range refs {
			if r != nil && len(r.Path) == 2 && r.Path[1].Text == c.Name {
				l, err := t.location(ctx, r.Range)
				if err != nil {
					return err
				}
				from = append(from, l.Range)
			}
		}
		if len(from) == 0 {
			return nil
		}
		item, err := t.callItem(ctx, kind, name, b)
		if err != nil {
			return err
		}
		out = append(out, protocol.CallHierarchyIncomingCall{From: item, FromRanges: from})
		return nil
	}
	for _, f := range t.project.Files {
		for _, wf := range f.Workflows {
			if err := add("workflow", wf.Name, wf.Block, runsOf(wf)); err != nil {
				return nil, err
			}
		}
		for _, d := range f.Deployments {
			if err := add("deployment", d.Name, d.Block, []*syntax.Ref{d.Workflow}); err != nil {
				return nil, err
			}
		}
		for _, x := range f.Tests {
			if err := add("test", x.Name, x.Block, []*syntax.Ref{x.Workflow}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// runsOf returns what the steps of a workflow run.
func runsOf(wf *syntax.Workflow) []*syntax.Ref {
	var out []*syntax.Ref
	for _, s := range slices.Concat(wf.Steps, wf.Finally) {
		if s.Run != nil {
			out = append(out, s.Run)
		}
	}
	return out
}

// outgoingCalls answers callHierarchy/outgoingCalls: the workflows that the item runs.
func outgoingCalls(ctx context.Context, s *workspace.Snapshot, p protocol.CallHierarchyParams) ([]protocol.CallHierarchyOutgoingCall, error) {
	t, c, err := called(ctx, s, p.Item)
	if t == nil || err != nil {
		return nil, err
	}
	var refs []*syntax.Ref
	switch c.Kind {
	case "workflow":
		if wf := t.project.Workflows[c.Name]; wf != nil {
			refs = runsOf(wf)
		}
	case "deployment":
		if d := t.project.Deployments[c.Name]; d != nil {
			refs = []*syntax.Ref{d.Workflow}
		}
	}
	out := []protocol.CallHierarchyOutgoingCall{}
	at := map[string]int{}
	for _, r := range refs {
		if r == nil || len(r.Path) != 2 {
			continue
		}
		wf := t.project.Workflows[r.Path[1].Text]
		if wf == nil {
			continue
		}
		l, err := t.location(ctx, r.Range)
		if err != nil {
			return nil, err
		}
		if i, again := at[wf.Name.Text]; again {
			out[i].FromRanges = append(out[i].FromRanges, l.Range)
			continue
		}
		item, err := t.callItem(ctx, "workflow", wf.Name, wf.Block)
		if err != nil {
			return nil, err
		}
		at[wf.Name.Text] = len(out)
		out = append(out, protocol.CallHierarchyOutgoingCall{To: item, FromRanges: []protocol.Range{l.Range}})
	}
	return out, nil
}

// codeLenses answers textDocument/codeLens: run a workflow, draw it, and how often it
// and interfaces are referred to. The commands are the client's: the server runs nothing.
func codeLenses(ctx context.Context, s *workspace.Snapshot, p protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	out := []protocol.CodeLens{}
	count := map[index.Symbol]int{}
	for _, file := range t.all() {
		for _, o := range file {
			if !o.Definition && (o.Symbol.Kind == index.Workflow || o.Symbol.Kind == index.Interface) {
				count[o.Symbol]++
			}
		}
	}
	lens := func(r hcl.Range, title, command string, args ...any) {
		out = append(out, protocol.CodeLens{Range: t.rangeOf(r), Command: &protocol.Command{Title: title, Command: command, Arguments: args}})
	}
	for _, o := range t.own() {
		if !o.Definition || o.Symbol.Kind != index.Workflow && o.Symbol.Kind != index.Interface {
			continue
		}
		if o.Symbol.Kind == index.Workflow {
			lens(o.Range, "run", "wfc.run", t.URI, o.Symbol.Name)
			lens(o.Range, "graph", "wfc.graph", t.URI, o.Symbol.Name)
		}
		title := fmt.Sprintf("%d references", count[o.Symbol])
		if count[o.Symbol] == 1 {
			title = "1 reference"
		}
		lens(o.Range, title, "wfc.references", t.URI, t.rangeOf(o.Range).Start)
	}
	return out, nil
}
