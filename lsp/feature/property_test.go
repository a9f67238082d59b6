package feature_test

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// corpusEditor has the corpus open, a copy of it.
func corpusEditor(t testing.TB) (*editor, *project.Project) {
	t.Helper()
	from := filepath.Join("..", "..", "testdata", "projects", "corpus")
	files := map[string]string{}
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		rel, _ := filepath.Rel(from, path)
		files[filepath.ToSlash(rel)] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files["demo_connection.wf.hcl"] = "connection \"demo\" \"main\" {\n  stdio {\n    command = \"demo\"\n  }\n}\n"
	e := newEditor(t, files, false)
	p, err := project.Load(e.root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e, p
}

// codes are how often each code is found.
func codes(l diag.List) map[diag.Code]int {
	out := map[diag.Code]int{}
	for _, d := range l {
		out[d.Code]++
	}
	return out
}

// TestRenamingLeavesTheFindingsAsTheyAre renames symbols of the corpus: one of each
// kind, and then every few.
func TestRenamingLeavesTheFindingsAsTheyAre(t *testing.T) {
	e, p := corpusEditor(t)
	before := codes(check.Project(p))
	seen := map[index.Kind]bool{}
	n := 0
	for _, f := range p.Files {
		for _, o := range index.File(p, f) {
			if !o.Definition {
				continue
			}
			n++
			every := 25
			if testing.Short() {
				every = 100
			}
			kind := o.Symbol.Kind
			if seen[kind] && n%every != 0 {
				continue
			}
			seen[kind] = true
			params := protocol.RenameParams{NewName: "renamed_by_test"}
			params.TextDocument.URI = e.uri(f.Name)
			params.Position = e.text(f.Name).Position(o.Range.Start.Byte)
			edit, err := ask[*protocol.WorkspaceEdit](e, "textDocument/rename", params)
			if err != nil {
				t.Errorf("%s %q of %q: %v", o.Symbol.Kind, o.Symbol.Name, o.Symbol.Owner, err)
				continue
			}
			texts := e.edited(edit)
			if after := codes(e.findings(texts)); len(after) != len(before) {
				t.Errorf("%s %q of %q: found %v, before %v", o.Symbol.Kind, o.Symbol.Name, o.Symbol.Owner, after, before)
			}
		}
	}
}

// TestWhatIsOfferedFirstPasses takes an expression away and puts what completion
// offers first in its place: the check finds no error of types or names that was not
// there. What is a call or an object that goes on is not put in.
func TestWhatIsOfferedFirstPasses(t *testing.T) {
	e, p := corpusEditor(t)
	before := codes(check.Project(p))
	every := 31
	if testing.Short() {
		every = 101
	}
	n, tried, offered := 0, 0, 0
	for _, f := range p.Files {
		view := check.Look(p, f.Name, 0, len(f.Source))
		places := map[int]int{}
		for _, s := range view.Sights {
			switch s.Node.(type) {
			case *hclsyntax.ScopeTraversalExpr:
				places[s.Range.Start.Byte] = max(places[s.Range.Start.Byte], s.Range.End.Byte)
			}
		}
		starts := make([]int, 0, len(places))
		for at := range places {
			starts = append(starts, at)
		}
		sort.Ints(starts)
		for _, at := range starts {
			if n++; n%every != 0 {
				continue
			}
			src := string(f.Source[:at]) + string(f.Source[places[at]:])
			e.change(f.Name, src)
			params := protocol.CompletionParams{}
			params.TextDocument.URI = e.uri(f.Name)
			params.Position = e.text(f.Name).Position(at)
			list, err := ask[*protocol.CompletionList](e, "textDocument/completion", params)
			e.change(f.Name, string(f.Source))
			if err != nil {
				t.Fatal(err)
			}
			tried++
			if list == nil {
				continue
			}
			var first []protocol.CompletionItem
			for _, i := range list.Items {
				if strings.HasPrefix(i.SortText, "0") && !strings.HasSuffix(i.TextEdit.NewText, "= ") {
					first = append(first, i)
				}
			}
			if len(first) > 0 {
				offered++
			}
			for k, i := range first {
				if k >= 3 && k != len(first)-1 { // the first few and the last
					continue
				}
				now := src[:at] + i.TextEdit.NewText + src[at:]
				found := check.Project(p.With(f.Name, []byte(now)))
				for _, d := range found {
					// What follows elsewhere from another type of this expression is not its mistake.
					there := d.Range.File == f.Name && d.Range.Start.Byte <= at+len(i.TextEdit.NewText) && at <= d.Range.End.Byte
					if c := codes(found); (there || d.Code == "WFC2303") && strings.HasPrefix(string(d.Code), "WFC2") && c[d.Code] > before[d.Code] {
						t.Errorf("%s, line %d: %q is offered first, and then: %s %s", f.Name, 1+strings.Count(src[:at], "\n"), i.Label, d.Code, d.Detail)
						break
					}
				}
			}
		}
	}
	if offered*3 < tried {
		t.Errorf("of %d places something is offered first at %d", tried, offered)
	}
}

// TestEveryPlaceOfTheCorpusIsAnswered asks everything at many places: nothing fails.
func TestEveryPlaceOfTheCorpusIsAnswered(t *testing.T) {
	e, p := corpusEditor(t)
	step := 397
	if testing.Short() {
		step = 997
	}
	names := slices.Clone(p.FileNames())
	for _, name := range names {
		text := e.text(name)
		for at := 0; at <= len(text.Bytes()); at += step {
			where := protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}, Position: text.Position(at)}
			for _, method := range []string{
				"textDocument/completion", "textDocument/hover", "textDocument/definition", "textDocument/documentHighlight", "textDocument/signatureHelp",
			} {
				if _, err := ask[any](e, method, where); err != nil {
					t.Errorf("%s:%d: %s: %v", name, at, method, err)
				}
			}
		}
	}
}
