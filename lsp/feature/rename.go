package feature

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

func renameOptions(c *workspace.Client) any {
	if c.TextDocument.Rename.PrepareSupport {
		return map[string]any{"prepareProvider": true}
	}
	return true // options are for clients that know of preparing
}

// prepareRename answers textDocument/prepareRename: the name at a place, or why it
// cannot be renamed; nil where there is none.
func prepareRename(ctx context.Context, s *workspace.Snapshot, p protocol.PrepareRenameParams) (*protocol.PrepareRenameResult, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	names := t.named(t.Text.Offset(p.Position))
	if len(names) == 0 {
		return nil, nil
	}
	o := names[0]
	if err := t.canRename(names); err != nil {
		return nil, err
	}
	return &protocol.PrepareRenameResult{Range: t.rangeOf(o.Range), Placeholder: written(o.Symbol)}, nil
}

// written is a symbol's name as it is written where it stands.
func written(s index.Symbol) string {
	if s.Kind == index.Connection {
		_, account, _ := strings.Cut(s.Name, ".")
		return account
	}
	return s.Name
}

// refuse is an error that the client shows.
func refuse(format string, args ...any) error {
	return protocol.Errorf(protocol.RequestFailed, format, args...)
}

// canRename returns why what stands at a place cannot be renamed.
func (t *target) canRename(names []index.Occurrence) error {
	for _, o := range names {
		if o.Symbol.Kind != index.Capability {
			continue
		}
		for _, s := range index.Resolve(t.project, o.Symbol) {
			if !strings.HasPrefix(s.Owner, "interface.") {
				return refuse("%q is the name that the server gives. What the workflow calls can be changed, and not what it is called.", s.Name)
			}
		}
		return refuse("%q is declared by an interface, and the servers behind it have the same name for it. Change the call and the declaration where another tool is meant.", o.Symbol.Name)
	}
	return nil
}

// rename answers textDocument/rename. What it returns leaves the project with the
// findings that it has; a name that cannot be given is refused with a sentence.
func rename(ctx context.Context, s *workspace.Snapshot, p protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	names := t.named(t.Text.Offset(p.Position))
	if len(names) == 0 {
		return nil, refuse("There is no name here that can be changed.")
	}
	if err := t.canRename(names); err != nil {
		return nil, err
	}
	r := renaming{target: t, client: s.Client, symbol: names[0].Symbol, to: p.NewName, edits: map[string][]diag.Edit{}, moves: map[string]string{}}
	if written(r.symbol) == r.to {
		return &protocol.WorkspaceEdit{}, nil
	}
	if err := r.allowed(); err != nil {
		return nil, err
	}
	if err := r.collect(ctx); err != nil {
		return nil, err
	}
	if err := r.verify(ctx); err != nil {
		return nil, err
	}
	return r.edit(ctx)
}

// renaming is a name that is changed in all its places.
type renaming struct {
	*target
	client *workspace.Client
	symbol index.Symbol
	to     string

	edits map[string][]diag.Edit // by file
	moves map[string]string      // snapshot files, by their old names
}

// allowed returns why the new name cannot be given.
func (r *renaming) allowed() error {
	noun := string(r.symbol.Kind)
	if !hclsyntax.ValidIdentifier(r.to) {
		return refuse("%q cannot be the name of a %s: a name is made of letters, digits, _ and -, and begins with a letter or _.", r.to, noun)
	}
	if r.symbol.Kind == index.InterfaceType && types.IsReserved(r.to) {
		return refuse("%q is a word of the notation of types and cannot name one.", r.to)
	}
	wanted := r.renamed(r.symbol)
	for _, file := range r.all() {
		for _, o := range file {
			if o.Definition && o.Symbol == wanted {
				return refuse("There is a %s %q already, in %s, line %d.", noun, r.to, o.Range.Filename, o.Range.Start.Line)
			}
			// Steps and finally blocks share their names, which one kind has.
			if r.symbol.Kind == index.Variable && o.Symbol.Kind == index.Variable && o.Symbol.Name == r.to && overlap(o, r.symbol) {
				return refuse("There is a variable %q here already.", r.to)
			}
		}
	}
	if r.symbol.Kind == index.Variable {
		for _, root := range []string{"input", "local", "step", "each", "self", "args", "loop", "run", "secret", "project", "calls", "call", "question"} {
			if root == r.to {
				return refuse("%q is what expressions begin with, and would be hidden by a variable of this name.", root)
			}
		}
	}
	return nil
}

// overlap reports whether a variable stands in the same `for`.
func overlap(o index.Occurrence, s index.Symbol) bool {
	at := func(owner string) string { i := strings.LastIndexByte(owner, ':'); return owner[:max(i, 0)] }
	return at(o.Symbol.Owner) == at(s.Owner)
}

// renamed is a symbol with the new name.
func (r *renaming) renamed(s index.Symbol) index.Symbol {
	s.Name = r.to
	if s.Kind == index.Connection {
		provider, _, _ := strings.Cut(r.symbol.Name, ".")
		s.Name = provider + "." + r.to
	}
	return s
}

// collect finds all places. The error is the context's, or a refusal.
func (r *renaming) collect(ctx context.Context) error {
	for _, file := range r.all() {
		for _, o := range file {
			if o.Symbol == r.symbol {
				r.replace(o.Range, r.spelt(o))
			}
		}
	}
	if r.symbol.Kind == index.Output {
		for _, o := range r.outputReadings(r.symbol) {
			r.replace(o.Range, r.spelt(o))
		}
	}
	switch r.symbol.Kind {
	case index.Connection:
		return r.moveSnapshot(ctx, r.symbol.Name, r.renamed(r.symbol).Name)
	case index.Provider:
		for _, id := range r.project.ConnectionIDs() {
			if account, ok := strings.CutPrefix(id, r.symbol.Name+"."); ok {
				if err := r.moveSnapshot(ctx, id, r.to+"."+account); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// spelt is the new name as it is written in a place.
func (r *renaming) spelt(o index.Occurrence) string {
	if o.Quoted || hclsyntax.ValidIdentifier(r.to) {
		return r.to
	}
	return strconv.Quote(r.to)
}

func (r *renaming) replace(at hcl.Range, text string) {
	e := diag.Edit{Range: diag.RangeOf(at), Text: text}
	for _, x := range r.edits[at.Filename] {
		if x.Range.Start.Byte == e.Range.Start.Byte && x.Range.End.Byte == e.Range.End.Byte {
			return
		}
	}
	r.edits[at.Filename] = append(r.edits[at.Filename], e)
}

// moveSnapshot gives the snapshot file of a connection its new name, in it and by it.
func (r *renaming) moveSnapshot(_ context.Context, old, now string) error {
	if _, err := r.project.Snapshot(old); err != nil {
		return nil // there is none, or none that can be used
	}
	ops := r.client.Workspace.WorkspaceEdit
	if !ops.DocumentChanges || !slices.Contains(ops.ResourceOperations, "rename") {
		return refuse("The snapshot of the connection %s has its name, and this editor cannot rename files with an edit. Rename %s to %s, and connection %q in it, first.", old, project.SnapshotFile(old), project.SnapshotFile(now), old)
	}
	file := project.SnapshotFile(old)
	src := r.project.Source(file)
	key := []byte(`"connection"`)
	at := bytes.Index(src, key)
	value := -1
	if at >= 0 {
		value = bytes.Index(src[at+len(key):], []byte(strconv.Quote(old)))
	}
	if value < 0 {
		return refuse("%s does not name its connection where it is looked for.", file)
	}
	start := at + len(key) + value + 1
	r.edits[file] = append(r.edits[file], diag.Edit{Range: diag.Range{File: file, Start: diag.Pos{Byte: start}, End: diag.Pos{Byte: start + len(old)}}, Text: now})
	r.moves[file] = project.SnapshotFile(now)
	return nil
}

// verify checks the project as it would be, and refuses what would be found then and
// is not now.
func (r *renaming) verify(ctx context.Context) error {
	before, err := r.Project.Findings(ctx)
	if err != nil {
		return err
	}
	texts := map[string][]byte{}
	for file, edits := range r.edits {
		to := file
		if moved, ok := r.moves[file]; ok {
			to = moved
		}
		texts[to] = applied(r.project.Source(file), edits)
	}
	tried, after, err := r.Project.Try(ctx, texts)
	if err != nil {
		return err
	}
	if !slices.Equal(meaning(r.all()), meaning(indexed(tried))) {
		return refuse("%q would mean something else in some place of it: another thing there has the name.", r.to)
	}
	if len(after) > len(before) {
		had := map[diag.Code]int{}
		for _, d := range before {
			had[d.Code]++
		}
		for _, d := range after {
			if had[d.Code]--; had[d.Code] < 0 {
				return refuse("With the name %q the check would find something new: %s", r.to, d.Detail)
			}
		}
	}
	return nil
}

// path is where a file of the project is.
func (t *target) path(name string) string {
	if t.Project.Root == "" {
		return name
	}
	return filepath.Join(t.Project.Root, filepath.FromSlash(name))
}

// indexed returns the names in all files of a project.
func indexed(p *project.Project) [][]index.Occurrence {
	var out [][]index.Occurrence
	if p.Settings != nil {
		out = append(out, index.File(p, p.Settings))
	}
	for _, f := range p.Files {
		out = append(out, index.File(p, f))
	}
	for _, f := range p.InterfaceFiles {
		out = append(out, index.InterfaceFile(f))
	}
	return out
}

// meaning says of each place of a name which thing it means: the how-manieth of all
// that are met in the order of the places.
func meaning(files [][]index.Occurrence) []int {
	number := map[index.Symbol]int{}
	var out []int
	for _, file := range files {
		for _, o := range file {
			n, known := number[o.Symbol]
			if !known {
				n = len(number)
				number[o.Symbol] = n
			}
			out = append(out, n)
		}
	}
	return out
}

// applied returns a text with edits, which do not overlap.
func applied(src []byte, edits []diag.Edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, func(a, b diag.Edit) int { return a.Range.Start.Byte - b.Range.Start.Byte })
	var out []byte
	at := 0
	for _, e := range sorted {
		out = append(append(out, src[at:e.Range.Start.Byte]...), e.Text...)
		at = e.Range.End.Byte
	}
	return append(out, src[at:]...)
}

// edit returns the edits as the client takes them.
func (r *renaming) edit(ctx context.Context) (*protocol.WorkspaceEdit, error) {
	out, err := r.workspaceEdit(ctx, r.client, r.edits)
	if err != nil {
		return nil, err
	}
	for _, from := range slices.Sorted(maps.Keys(r.moves)) {
		out.DocumentChanges = append(out.DocumentChanges, protocol.RenameFile{Kind: "rename", OldURI: r.Project.URI(from), NewURI: r.Project.URI(r.moves[from])})
	}
	return out, nil
}

// workspaceEdit returns edits of files of the project as the client takes them. The
// error is the context's.
func (t *target) workspaceEdit(ctx context.Context, client *workspace.Client, edits map[string][]diag.Edit) (*protocol.WorkspaceEdit, error) {
	out := &protocol.WorkspaceEdit{}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		f, err := t.Project.File(ctx, name)
		if err != nil {
			return nil, err
		}
		if f == nil {
			return nil, fmt.Errorf("the file %s of the project is not there", name)
		}
		var list []protocol.TextEdit
		for _, e := range edits[name] {
			list = append(list, protocol.TextEdit{Range: f.Text.Range(e.Range.Start.Byte, e.Range.End.Byte), NewText: e.Text})
		}
		if !client.Workspace.WorkspaceEdit.DocumentChanges {
			if out.Changes == nil {
				out.Changes = map[protocol.DocumentURI][]protocol.TextEdit{}
			}
			out.Changes[f.URI] = list
			continue
		}
		out.DocumentChanges = append(out.DocumentChanges, protocol.TextDocumentEdit{
			TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{URI: f.URI, Version: f.Version}, Edits: list,
		})
	}
	return out, nil
}
