package feature_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// TestHover reads lines such as "hover MARK: text", a part of what is said there, or
// "nothing".
func TestHover(t *testing.T) {
	archives(t, "hover_", func(t *testing.T, comment string, files map[string]string) {
		e := newEditor(t, files, false)
		for _, x := range expectations(comment, "hover") {
			got, err := ask[*protocol.Hover](e, "textDocument/hover", protocol.HoverParams{TextDocumentPositionParams: e.at(x.mark)})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case x.text == "nothing":
				if got != nil {
					t.Errorf("%s\n\tsays %s", x.line, got.Contents.Value)
				}
			case got == nil:
				t.Errorf("%s\n\tsays nothing", x.line)
			case !strings.Contains(got.Contents.Value, x.text):
				t.Errorf("%s\n\tsays %s", x.line, got.Contents.Value)
			}
		}
	})
}

// place writes where a location begins, as FILE:LINE:COLUMN counted from 1.
func (e *editor) place(l protocol.Location) string {
	return fmt.Sprintf("%s:%d:%d", e.name(l.URI), l.Range.Start.Line+1, l.Range.Start.Character+1)
}

// marked is the same of a mark.
func (e *editor) marked(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	p := e.at(name)
	return e.place(protocol.Location{URI: p.TextDocument.URI, Range: protocol.Range{Start: p.Position}})
}

// TestNavigation reads lines "define MARK: MARK…" and "refer MARK: MARK…", where a
// mark stands at the beginning of a name, or is FILE:LINE:COLUMN.
func TestNavigation(t *testing.T) {
	archives(t, "navigation_", func(t *testing.T, comment string, files map[string]string) {
		e := newEditor(t, files, false)
		compare := func(x expectation, got []protocol.Location) {
			var have, want []string
			for _, l := range got {
				have = append(have, e.place(l))
			}
			for _, w := range x.words {
				want = append(want, e.marked(w))
			}
			slices.Sort(have)
			slices.Sort(want)
			if !slices.Equal(have, want) {
				t.Errorf("%s\n\tgot  %q\n\twant %q", x.line, have, want)
			}
		}
		for _, x := range expectations(comment, "define") {
			got, err := ask[[]protocol.Location](e, "textDocument/definition", protocol.DefinitionParams{TextDocumentPositionParams: e.at(x.mark)})
			if err != nil {
				t.Fatal(err)
			}
			compare(x, got)
		}
		for _, x := range expectations(comment, "refer") {
			got, err := ask[[]protocol.Location](e, "textDocument/references", protocol.ReferenceParams{TextDocumentPositionParams: e.at(x.mark), Context: protocol.ReferenceContext{IncludeDeclaration: true}})
			if err != nil {
				t.Fatal(err)
			}
			compare(x, got)
		}
	})
}

// edited returns the texts of the files after an edit, and which of them were moved.
func (e *editor) edited(edit *protocol.WorkspaceEdit) (texts map[string]string) {
	e.t.Helper()
	texts = map[string]string{}
	for n, s := range e.texts {
		texts[n] = s
	}
	if edit == nil {
		return texts
	}
	change := func(uri protocol.DocumentURI, edits []protocol.TextEdit) {
		name := e.name(uri)
		text := e.text(name)
		slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int { return text.Offset(b.Range.Start) - text.Offset(a.Range.Start) })
		src := texts[name]
		for _, x := range edits {
			start, end := text.Offsets(x.Range)
			src = src[:start] + x.NewText + src[end:]
		}
		texts[name] = src
	}
	for uri, edits := range edit.Changes {
		change(uri, edits)
	}
	for _, c := range edit.DocumentChanges {
		raw, err := json.Marshal(c)
		if err != nil {
			e.t.Fatal(err)
		}
		var x struct {
			Kind           string
			OldURI, NewURI protocol.DocumentURI
			protocol.TextDocumentEdit
		}
		if err := json.Unmarshal(raw, &x); err != nil {
			e.t.Fatal(err)
		}
		switch x.Kind {
		case "rename":
			texts[e.name(x.NewURI)] = texts[e.name(x.OldURI)]
			delete(texts, e.name(x.OldURI))
		case "create":
			texts[e.name(x.NewURI)] = ""
		default:
			change(x.TextDocument.URI, x.Edits)
		}
	}
	return texts
}

// TestRename reads lines "rename MARK NEW: refused TEXT" and "rename MARK NEW: FILE TEXT",
// a line that the file has then.
func TestRename(t *testing.T) {
	archives(t, "rename_", func(t *testing.T, comment string, files map[string]string) {
		e := newEditor(t, files, false)
		for _, x := range expectations(comment, "rename") {
			edit, err := ask[*protocol.WorkspaceEdit](e, "textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: e.at(x.mark), NewName: x.args[0]})
			first, rest, _ := strings.Cut(x.text, " ")
			if first == "refused" {
				if err == nil || !strings.Contains(err.Error(), rest) {
					t.Errorf("%s\n\tgot %v", x.line, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s\n\tgot %v", x.line, err)
				continue
			}
			got := e.edited(edit)
			found := false
			for line := range strings.SplitSeq(got[first], "\n") {
				found = found || strings.Join(strings.Fields(line), " ") == rest
			}
			if !found {
				t.Errorf("%s\n\tgot %s", x.line, got[first])
			}
		}
	})
}
