package feature

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// definition answers textDocument/definition: where the name at a place is defined.
// A tool is defined in the snapshot of its connection, or in an interface file.
func definition(ctx context.Context, s *workspace.Snapshot, p protocol.DefinitionParams) ([]protocol.Location, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	offset := t.Text.Offset(p.Position)
	names := t.meant(offset)
	if len(names) == 0 && t.isWorkflows() {
		names = t.outputAt(offset)
	}
	var out []protocol.Location
	for _, o := range names {
		for _, sym := range index.Resolve(t.project, o.Symbol) {
			at, err := t.definitions(ctx, sym)
			if err != nil {
				return nil, err
			}
			for _, l := range at {
				if !slices.Contains(out, l) {
					out = append(out, l)
				}
			}
		}
	}
	return out, nil
}

// definitions returns where a symbol is defined. The error is the context's.
func (t *target) definitions(ctx context.Context, s index.Symbol) ([]protocol.Location, error) {
	var out []protocol.Location
	for _, file := range t.all() {
		for _, o := range file {
			if o.Definition && o.Symbol == s {
				l, err := t.location(ctx, o.Range)
				if err != nil {
					return nil, err
				}
				out = append(out, l)
			}
		}
	}
	if len(out) == 0 && s.Kind == index.Capability {
		return t.inSnapshot(ctx, s)
	}
	if len(out) == 0 && s.Kind == index.Provider {
		for _, file := range t.all() {
			for _, o := range file {
				if o.Definition && o.Symbol.Kind == index.Connection && strings.HasPrefix(o.Symbol.Name, s.Name+".") {
					l, err := t.location(ctx, o.Range)
					if err != nil {
						return nil, err
					}
					out = append(out, l)
				}
			}
		}
	}
	return out, nil
}

// inSnapshot returns where the snapshot of a connection has a tool, prompt or
// template. The error is the context's.
func (t *target) inSnapshot(ctx context.Context, s index.Symbol) ([]protocol.Location, error) {
	if t.project.Connections[s.Owner] == nil {
		return nil, nil
	}
	if _, err := t.project.Snapshot(s.Owner); err != nil {
		return nil, nil
	}
	f, err := t.Project.File(ctx, project.SnapshotFile(s.Owner))
	if f == nil || err != nil {
		return nil, err
	}
	at, end, ok := entryOf(f.Text.Bytes(), s.Name)
	if !ok {
		return nil, nil
	}
	return []protocol.Location{{URI: f.URI, Range: f.Text.Range(at, end)}}, nil
}

// entryOf returns the place of the name of a tool, prompt or template in a snapshot
// file, without quotes.
func entryOf(src []byte, name string) (start, end int, ok bool) {
	written, err := json.Marshal(name)
	if err != nil {
		return 0, 0, false
	}
	key := []byte(`"name":`)
	for at := 0; ; {
		n := bytes.Index(src[at:], key)
		if n < 0 {
			return 0, 0, false
		}
		at += n + len(key)
		// Of a property that is called name, the value is an object.
		value := bytes.TrimLeft(src[at:], " \t\r\n")
		if bytes.HasPrefix(value, written) {
			start = len(src) - len(value) + 1
			return start, start + len(written) - 2, true
		}
	}
}

// references answers textDocument/references: all places of the name at a place.
func references(ctx context.Context, s *workspace.Snapshot, p protocol.ReferenceParams) ([]protocol.Location, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	names := t.meant(t.Text.Offset(p.Position))
	if len(names) == 0 {
		return nil, nil
	}
	var out []protocol.Location
	for _, o := range t.places(names) {
		if o.Definition && !p.Context.IncludeDeclaration {
			continue
		}
		l, err := t.location(ctx, o.Range)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	if p.Context.IncludeDeclaration {
		for _, o := range names {
			for _, sym := range index.Resolve(t.project, o.Symbol) {
				if sym.Kind != index.Capability {
					continue
				}
				at, err := t.inSnapshot(ctx, sym)
				if err != nil {
					return nil, err
				}
				out = append(out, at...)
			}
		}
	}
	return unique(out), nil
}

func unique(list []protocol.Location) []protocol.Location {
	var out []protocol.Location
	seen := map[protocol.Location]bool{}
	for _, l := range list {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

// places returns all places of the symbols that stand at some place.
func (t *target) places(names []index.Occurrence) []index.Occurrence {
	var out []index.Occurrence
	for _, file := range t.all() {
		for _, o := range file {
			if slices.ContainsFunc(names, func(n index.Occurrence) bool { return index.Same(t.project, n.Symbol, o.Symbol) }) {
				out = append(out, o)
			}
		}
	}
	for _, n := range names {
		if n.Symbol.Kind == index.Output {
			out = append(out, t.outputReadings(n.Symbol)...)
		}
	}
	return out
}

// outputReadings returns where an output is read of a result, through variables and
// elements too, which only the checker can tell.
func (t *target) outputReadings(s index.Symbol) []index.Occurrence {
	var out []index.Occurrence
	for _, f := range t.project.Files {
		if !slices.ContainsFunc(f.Workflows, func(wf *syntax.Workflow) bool { return runs(wf, s.Owner) }) {
			continue
		}
		for _, r := range check.Look(t.project, f.Name, 0, len(f.Source)).Readings {
			if r.Workflow == s.Owner && r.Name == s.Name {
				out = append(out, index.Occurrence{Symbol: s, Range: r.Range})
			}
		}
	}
	return out
}

// runs reports whether a step of a workflow runs another one.
func runs(wf *syntax.Workflow, name string) bool {
	return slices.ContainsFunc(runsOf(wf), func(r *syntax.Ref) bool { return len(r.Path) == 2 && r.Path[1].Text == name })
}

// highlights answers textDocument/documentHighlight: the places of a name in the file.
func highlights(ctx context.Context, s *workspace.Snapshot, p protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	names := t.meant(t.Text.Offset(p.Position))
	var out []protocol.DocumentHighlight
	var last hcl.Range
	for _, o := range t.own() {
		if o.Range == last || !slices.ContainsFunc(names, func(n index.Occurrence) bool { return index.Same(t.project, n.Symbol, o.Symbol) }) {
			continue
		}
		last = o.Range
		kind := protocol.HighlightRead
		if o.Definition {
			kind = protocol.HighlightWrite
		}
		out = append(out, protocol.DocumentHighlight{Range: t.rangeOf(o.Range), Kind: kind})
	}
	return out, nil
}

// outputAt returns the output that is read at an offset, if one is.
func (t *target) outputAt(offset int) []index.Occurrence {
	for _, r := range check.Look(t.project, t.Name, offset, offset).Readings {
		if r.Workflow != "" && within(r.Range, offset) {
			return []index.Occurrence{{Symbol: index.Symbol{Kind: index.Output, Owner: r.Workflow, Name: r.Name}, Range: r.Range}}
		}
	}
	return nil
}
