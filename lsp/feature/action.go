package feature

import (
	"context"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/fix"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

func actionOptions(*workspace.Client) any {
	return map[string]any{"codeActionKinds": []protocol.CodeActionKind{protocol.QuickFix, protocol.RefactorExtract, protocol.RefactorRewrite, protocol.SourceFixAll}}
}

// action is something that can be done with a part of a file.
type action struct {
	title   string
	kind    protocol.CodeActionKind
	of      *diag.Diagnostic // the finding that it mends; nil: none
	certain bool
	edits   map[string][]diag.Edit // by file
}

// codeActions answers textDocument/codeAction.
func codeActions(ctx context.Context, s *workspace.Snapshot, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	found, err := t.Project.Findings(ctx)
	if err != nil {
		return nil, err
	}
	start, end := t.Text.Offsets(p.Range)
	a := actor{target: t, start: start, end: end}
	for i := range found {
		d := &found[i]
		if d.Range.File == t.Name && d.Range.Start.Byte <= end && start <= d.Range.End.Byte {
			a.mend(d)
		}
	}
	a.extract()
	if wants(p.Context.Only, protocol.SourceFixAll) && len(p.Context.Only) > 0 || a.mends() {
		a.all(ctx, found)
	}
	out := []protocol.CodeAction{}
	for _, x := range a.out {
		if !wants(p.Context.Only, x.kind) {
			continue
		}
		edit, err := t.workspaceEdit(ctx, s.Client, x.edits)
		if err != nil {
			return nil, err
		}
		c := protocol.CodeAction{Title: x.title, Kind: x.kind, Edit: edit}
		if x.of != nil {
			c.IsPreferred = x.certain
			for _, shown := range p.Context.Diagnostics {
				if shown.Code == string(x.of.Code) && shown.Range == t.Text.Range(x.of.Range.Start.Byte, x.of.Range.End.Byte) {
					c.Diagnostics = append(c.Diagnostics, shown)
				}
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// wants reports whether a client asks for a kind of actions: nothing asks for all.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return true
	}
	return slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || o == kind || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// actor finds what can be done with the part of a file between two offsets.
type actor struct {
	*target
	start, end int
	out        []action
}

func (a *actor) add(x action) { a.out = append(a.out, x) }

// mends reports whether there is a certain fix among the actions.
func (a *actor) mends() bool {
	return slices.ContainsFunc(a.out, func(x action) bool { return x.certain })
}

// mend offers what mends a finding.
func (a *actor) mend(d *diag.Diagnostic) {
	for _, f := range d.Fixes {
		edits := map[string][]diag.Edit{}
		for _, e := range f.Edits {
			edits[e.Range.File] = append(edits[e.Range.File], e)
		}
		a.add(action{title: f.Title, kind: protocol.QuickFix, of: d, certain: f.Certain, edits: edits})
	}
	if a.isWorkflows() {
		switch d.Code {
		case "WFC2101", "WFC2211":
			a.missing(d)
		case "WFC2403":
			a.missingInputs(d)
		case "WFC2003":
			a.newInput(d)
		case "WFC2302":
			a.guard(d)
		}
	}
	if d.Severity != diag.Error {
		a.suppress(d)
	}
}

// one is an action's edits of the file itself.
func (a *actor) one(edits ...diag.Edit) map[string][]diag.Edit {
	return map[string][]diag.Edit{a.Name: edits}
}

// at is an edit of the file.
func (a *actor) at(start, end int, text string) diag.Edit {
	return diag.Edit{Range: diag.Range{File: a.Name, Start: diag.Pos{Byte: start}, End: diag.Pos{Byte: end}}, Text: text}
}

// all offers all certain fixes of the file at once.
func (a *actor) all(ctx context.Context, found diag.List) {
	if a.Project.Root == "" {
		return // its texts are in no folder that they could be read from again
	}
	has := slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return d.Range.File == a.Name && slices.ContainsFunc(d.Fixes, func(f diag.Fix) bool { return f.Certain })
	})
	if !has {
		return
	}
	overlay := map[string][]byte{}
	for _, name := range a.Project.Open() {
		if f, err := a.Project.File(ctx, name); err == nil && f != nil {
			overlay[a.path(name)] = f.Text.Bytes()
		}
	}
	r, err := fix.Project(a.project, project.Options{Root: a.Project.Root, Overlay: overlay}, func(file string) bool { return file == a.Name })
	if err != nil || r.Files[a.Name] == nil {
		return
	}
	// Of the whole text only what differs.
	now := r.Files[a.Name]
	start := 0
	for start < len(a.src) && start < len(now) && a.src[start] == now[start] {
		start++
	}
	end := 0
	for end < len(a.src)-start && end < len(now)-start && a.src[len(a.src)-1-end] == now[len(now)-1-end] {
		end++
	}
	for start > 0 && start < len(a.src) && !startsRune(a.src[start]) {
		start--
	}
	for end > 0 && !startsRune(a.src[len(a.src)-end]) {
		end--
	}
	a.add(action{
		title: "Fix all that has one certain fix", kind: protocol.SourceFixAll,
		edits: a.one(a.at(start, len(a.src)-end, string(now[start:len(now)-end]))),
	})
}

// startsRune reports whether a byte begins a character.
func startsRune(c byte) bool { return c&0xC0 != 0x80 }
