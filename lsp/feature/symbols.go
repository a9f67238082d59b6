package feature

import (
	"context"
	"strings"
	"unicode"

	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// documentSymbols answers textDocument/documentSymbol: the blocks of a file, in each
// other, or flat for a client that wants them so.
func documentSymbols(ctx context.Context, s *workspace.Snapshot, p protocol.DocumentSymbolParams) (any, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	list := []protocol.DocumentSymbol{}
	switch f := t.interfaces(); {
	case f != nil:
		for _, d := range f.Outline() {
			list = append(list, t.declared(d))
		}
	case t.isWorkflows():
		for _, b := range t.outline().Body.Blocks {
			list = append(list, t.blockSymbol(b))
		}
	}
	if s.Client.TextDocument.DocumentSymbol.HierarchicalDocumentSymbolSupport {
		return list, nil
	}
	flat := []protocol.SymbolInformation{}
	var walk func(in string, list []protocol.DocumentSymbol)
	walk = func(in string, list []protocol.DocumentSymbol) {
		for _, d := range list {
			flat = append(flat, protocol.SymbolInformation{Name: d.Name, Kind: d.Kind, ContainerName: in, Location: protocol.Location{URI: t.URI, Range: d.SelectionRange}})
			walk(d.Name, d.Children)
		}
	}
	walk("", list)
	return flat, nil
}

// blockKinds decide the icons of blocks.
var blockKinds = map[string]protocol.SymbolKind{
	"workflow": protocol.SymbolModule, "source": protocol.SymbolInterface, "input": protocol.SymbolField, "step": protocol.SymbolFunction,
	"finally": protocol.SymbolFunction, "output": protocol.SymbolProperty, "connection": protocol.SymbolNamespace, "provider": protocol.SymbolPackage,
	"secret": protocol.SymbolConstant, "deployment": protocol.SymbolClass, "test": protocol.SymbolMethod, "mock": protocol.SymbolObject,
	"tool": protocol.SymbolMethod, "interface": protocol.SymbolInterface, "type": protocol.SymbolStruct, "resource": protocol.SymbolProperty,
	"prompt": protocol.SymbolEvent,
}

func blockKind(kind string) protocol.SymbolKind {
	if k, ok := blockKinds[kind]; ok {
		return k
	}
	return protocol.SymbolObject
}

func (t *target) blockSymbol(b *outline.Block) protocol.DocumentSymbol {
	d := protocol.DocumentSymbol{
		Name: b.Type.Text, Kind: blockKind(b.Type.Text),
		Range: t.Text.Range(b.Start, b.End), SelectionRange: t.Text.Range(b.Type.Start, b.Type.End),
	}
	if len(b.Labels) > 0 {
		var names []string
		for _, l := range b.Labels {
			if l.Text != "" {
				names = append(names, l.Text)
			}
		}
		if len(names) > 0 {
			last := b.Labels[len(b.Labels)-1]
			d.Name, d.Detail = strings.Join(names, "."), b.Type.Text
			d.SelectionRange = t.Text.Range(b.Labels[0].Start, last.End)
		}
	}
	if b.Type.Text == "locals" {
		for _, a := range b.Attributes {
			d.Children = append(d.Children, protocol.DocumentSymbol{
				Name: a.Name.Text, Kind: protocol.SymbolVariable,
				Range: t.Text.Range(a.Name.Start, max(a.End, a.Name.End)), SelectionRange: t.Text.Range(a.Name.Start, a.Name.End),
			})
		}
	}
	for _, x := range b.Blocks {
		d.Children = append(d.Children, t.blockSymbol(x))
	}
	return d
}

func (t *target) declared(x iface.Declared) protocol.DocumentSymbol {
	d := protocol.DocumentSymbol{Name: x.Name.Text, Detail: x.Kind, Kind: blockKind(x.Kind), Range: t.rangeOf(x.Span), SelectionRange: t.rangeOf(x.Name.Range)}
	if d.Name == "" {
		d.Name = x.Kind
	}
	for _, m := range x.Members {
		d.Children = append(d.Children, t.declared(m))
	}
	return d
}

// mostSymbols bounds what a search gives; who gets more types another letter.
const mostSymbols = 500

// workspaceSymbols answers workspace/symbol: the definitions of all projects whose
// names have the letters of the query in its order.
func workspaceSymbols(ctx context.Context, s *workspace.Snapshot, p protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	out := []protocol.SymbolInformation{}
	for _, w := range s.Projects() {
		loaded, err := w.Load(ctx)
		if err != nil {
			return nil, err
		}
		t := &target{File: &workspace.File{Project: w}, project: loaded}
		for _, file := range t.all() {
			for _, o := range file {
				if !o.Definition || o.Symbol.Kind == index.Variable || !matches(p.Query, o.Symbol.Name) {
					continue
				}
				l, err := t.location(ctx, o.Range)
				if err != nil {
					return nil, err
				}
				out = append(out, protocol.SymbolInformation{
					Name: o.Symbol.Name, Kind: blockKind(string(o.Symbol.Kind)), Location: l, ContainerName: strings.TrimPrefix(o.Symbol.Owner, "interface."),
				})
				if len(out) == mostSymbols {
					return out, nil
				}
			}
		}
	}
	return out, nil
}

// matches reports whether a name has the letters of a query, in its order.
func matches(query, name string) bool {
	rest := []rune(name)
next:
	for _, q := range query {
		for i, r := range rest {
			if unicode.ToLower(r) == unicode.ToLower(q) {
				rest = rest[i+1:]
				continue next
			}
		}
		return false
	}
	return true
}
