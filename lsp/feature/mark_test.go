package feature_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/feature"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// editor is a client with a project on disk, all files of which are open.
type editor struct {
	t      testing.TB
	root   string
	client *workspace.Client
	space  *workspace.Workspace
	marks  map[string]mark
	texts  map[string]string // by name, without marks
	loader *project.Loader   // of what edits make of the texts
}

// mark is a place in a file.
type mark struct {
	file   string
	offset int
}

// markPattern is how a place is marked: ‹name›, which is no part of the text.
var markPattern = regexp.MustCompile(`‹[a-z0-9_]+›`)

// newEditor writes files, with the demo connection beside them, and opens them.
func newEditor(t testing.TB, files map[string]string, snippets bool) *editor {
	t.Helper()
	e := &editor{t: t, root: t.TempDir(), marks: map[string]mark{}, texts: map[string]string{}}
	e.client = &workspace.Client{Encoding: document.UTF16}
	e.client.TextDocument.Completion.CompletionItem.SnippetSupport = snippets
	e.client.TextDocument.DocumentSymbol.HierarchicalDocumentSymbolSupport = true
	e.client.Workspace.WorkspaceEdit.DocumentChanges = true
	e.client.Workspace.WorkspaceEdit.ResourceOperations = []string{"create", "rename", "delete"}
	demo, err := os.ReadFile(filepath.Join("..", "..", "testdata", "projects", "demo", "catalog", "demo.main.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"wfc.hcl": "project {\n  name = \"p\"\n}\n", "catalog/demo.main.json": string(demo)}
	connected := false
	for name, text := range files {
		all[name] = text
		connected = connected || strings.Contains(markPattern.ReplaceAllString(text, ""), `connection "demo" "main"`)
	}
	if !connected {
		all["demo.wf.hcl"] = "connection \"demo\" \"main\" {\n  stdio {\n    command = \"demo\"\n  }\n}\n"
	}
	for name, text := range all {
		all[name] = e.unmark(name, text)
		to := filepath.Join(e.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(all[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e.texts = all
	e.open()
	return e
}

// open opens the files of the editor anew.
func (e *editor) open() {
	e.space = workspace.New(e.client)
	for name, text := range e.texts {
		if strings.HasSuffix(name, ".json") {
			continue
		}
		if err := e.space.Open(protocol.TextDocumentItem{URI: e.uri(name), LanguageID: "wfc", Version: 1, Text: text}); err != nil {
			e.t.Fatal(err)
		}
	}
}

// change gives an open file another text.
func (e *editor) change(name, text string) {
	e.t.Helper()
	e.texts[name] = text
	doc := protocol.VersionedTextDocumentIdentifier{URI: e.uri(name), Version: 2}
	if err := e.space.Change(protocol.DidChangeParams{TextDocument: doc, ContentChanges: []protocol.ContentChange{{Text: text}}}); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) uri(name string) protocol.DocumentURI {
	return document.URI(filepath.Join(e.root, filepath.FromSlash(name)))
}

// name is the file of a URI.
func (e *editor) name(uri protocol.DocumentURI) string {
	path, _ := document.Path(uri)
	rel, err := filepath.Rel(e.root, path)
	if err != nil {
		e.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// unmark takes the marks out of a text and notes them.
func (e *editor) unmark(name, text string) string {
	for {
		at := markPattern.FindStringIndex(text)
		if at == nil {
			return text
		}
		e.marks[strings.Trim(text[at[0]:at[1]], "‹›")] = mark{name, at[0]}
		text = text[:at[0]] + text[at[1]:]
	}
}

func (e *editor) text(name string) *document.Text {
	return document.New([]byte(e.texts[name]), e.client.Encoding)
}

// at is a marked place as requests have it.
func (e *editor) at(name string) protocol.TextDocumentPositionParams {
	e.t.Helper()
	m, ok := e.marks[name]
	if !ok {
		e.t.Fatalf("there is no mark %q", name)
	}
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(m.file)},
		Position:     e.text(m.file).Position(m.offset),
	}
}

// ask makes a request as a server gets it, and decodes the answer.
func ask[R any](e *editor, method string, params any) (R, error) {
	e.t.Helper()
	var out R
	m, err := protocol.Request("1", method, params)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, f := range feature.All() {
		if f.Method != method {
			continue
		}
		result, err := f.Call(context.Background(), e.space.Snapshot(), m)
		if err != nil {
			return out, err
		}
		raw, err := json.Marshal(result)
		if err != nil {
			e.t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			e.t.Fatalf("%s: %v\n%s", method, err, raw)
		}
		return out, nil
	}
	e.t.Fatalf("there is no %s", method)
	return out, nil
}

// archives calls f for each txtar file of lsp/testdata whose name begins with a prefix.
func archives(t *testing.T, prefix string, f func(t *testing.T, comment string, files map[string]string)) {
	paths, err := filepath.Glob(filepath.Join("..", "testdata", prefix+"*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no files %s*: %v", prefix, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(src)
			files := map[string]string{}
			for _, x := range a.Files {
				files[x.Name] = string(x.Data)
			}
			f(t, string(bytes.TrimSpace(a.Comment)), files)
		})
	}
}

// expectations are the lines of an archive's comment of the form "VERB MARK: …".
func expectations(comment string, verb string) (out []expectation) {
	for line := range strings.SplitSeq(comment, "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), verb+" ")
		if !ok {
			continue
		}
		head, tail, _ := strings.Cut(rest, ":")
		fields := strings.Fields(head)
		out = append(out, expectation{line: line, mark: fields[0], args: fields[1:], words: strings.Fields(tail), text: strings.TrimSpace(tail)})
	}
	return out
}

type expectation struct {
	line, mark string
	args       []string // behind the mark
	words      []string // behind the colon
	text       string
}
