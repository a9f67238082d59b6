package feature_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// findings is what check finds in the texts of an editor.
func (e *editor) findings(texts map[string]string) diag.List {
	e.t.Helper()
	overlay := map[string][]byte{}
	for name, text := range texts {
		overlay[filepath.Join(e.root, filepath.FromSlash(name))] = []byte(text)
	}
	if e.loader == nil {
		e.loader = project.NewLoader(e.root, "")
	}
	p, err := e.loader.Load(context.Background(), overlay)
	if err != nil {
		e.t.Fatal(err)
	}
	return check.Project(p)
}

// TestCodeActions reads lines "action MARK [MARK]: TITLE => TEXT", a line that the
// file has then, and "action MARK: not TITLE". What an action changes leaves no
// error that was not there, and not the finding that it is for.
func TestCodeActions(t *testing.T) {
	archives(t, "action_", func(t *testing.T, comment string, files map[string]string) {
		e := newEditor(t, files, false)
		before := e.findings(e.texts)
		for _, x := range expectations(comment, "action") {
			at := e.at(x.mark)
			r := protocol.Range{Start: at.Position, End: at.Position}
			if len(x.args) > 0 {
				r.End = e.at(x.args[0]).Position
			}
			got, err := ask[[]protocol.CodeAction](e, "textDocument/codeAction", protocol.CodeActionParams{TextDocument: at.TextDocument, Range: r})
			if err != nil {
				t.Fatal(err)
			}
			want, line, _ := strings.Cut(x.text, " => ")
			unwanted := strings.HasPrefix(want, "not ")
			want = strings.TrimPrefix(want, "not ")
			var titles []string
			found := false
			for _, a := range got {
				titles = append(titles, a.Title)
				if !strings.HasPrefix(a.Title, want) {
					continue
				}
				found = true
				if unwanted {
					continue
				}
				texts := e.edited(a.Edit)
				file := e.marks[x.mark].file
				has := false
				for l := range strings.SplitSeq(texts[file], "\n") {
					has = has || strings.Join(strings.Fields(l), " ") == line
				}
				if !has {
					t.Errorf("%s\n\tgives\n%s", x.line, texts[file])
				}
				after := e.findings(texts)
				if len(after) > len(before) || a.Kind == protocol.QuickFix && len(after) == len(before) {
					t.Errorf("%s\n\tleaves %d findings of %d, the last %+v", x.line, len(after), len(before), after[len(after)-1])
				}
				break
			}
			if found == unwanted {
				t.Errorf("%s\n\toffered: %q", x.line, titles)
			}
		}
	})
}
