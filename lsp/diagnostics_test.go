package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// pair is a project of a workflow and one that runs it.
const pair = `
-- wfc.hcl --
project {
  language = 1
}
-- parent.wf.hcl --
workflow "parent" {
  step "s" {
    run  = workflow.child
    args = { name = "you" }
  }
  output "o" {
    value = step.s.output.text
  }
}
-- child.wf.hcl --
workflow "child" {
  input "name" {
    type = string
  }
  output "text" {
    value = "hello ${input.name}"
  }
}
`

func TestDiagnosticsFollowTheTextAndGoAway(t *testing.T) {
	s := initialized(t, folder(t, pair), nil)
	uri := s.uri("child.wf.hcl")
	text := s.text("child.wf.hcl")
	s.must(s.Open(uri, 1, text))
	if got := s.codes(uri, 1); got != "" {
		t.Errorf("a clean file has %s", got)
	}
	at := protocol.Range{Start: protocol.Position{Line: 5, Character: 30}, End: protocol.Position{Line: 5, Character: 31}}
	s.must(s.Change(uri, 2, protocol.ContentChange{Range: &at, Text: "x"}))
	if got := s.codes(uri, 2); !strings.Contains(got, "WFC2003") {
		t.Errorf("with a name that does not exist: %s", got)
	}
	s.must(s.Change(uri, 3, protocol.ContentChange{Range: &at, Text: "e"}))
	if got := s.codes(uri, 3); got != "" {
		t.Errorf("mended it has %s", got)
	}
}

func TestADependentFileIsSaidTooAndThatItIsClean(t *testing.T) {
	s := initialized(t, folder(t, pair), nil)
	child, parent := s.uri("child.wf.hcl"), s.uri("parent.wf.hcl")
	text := s.text("child.wf.hcl")
	s.must(s.Open(child, 1, text))
	s.must(s.Change(child, 2, protocol.ContentChange{Text: strings.Replace(text, "type = string", "type = number", 1)}))
	s.untilCodes(parent, "WFC2201") // which is not open
	if p, _ := s.Published(parent); p.Version != nil {
		t.Errorf("a closed file has the version %d", *p.Version)
	}
	s.must(s.Open(parent, 7, s.text("parent.wf.hcl")))
	if got := s.codes(parent, 7); got != "WFC2201" {
		t.Errorf("opened it has %s", got)
	}
	s.must(s.Change(child, 3, protocol.ContentChange{Text: text}))
	s.untilCodes(parent, "")
	// Closed unsaved, the file on disk counts.
	s.must(s.Change(child, 4, protocol.ContentChange{Text: "broken {"}))
	s.untilCodes(parent, "WFC2008")
	s.must(s.Notify("textDocument/didClose", protocol.DidCloseParams{TextDocument: protocol.TextDocumentIdentifier{URI: child}}))
	s.untilCodes(parent, "")
}

func TestWhatADiagnosticSays(t *testing.T) {
	root := folder(t, pair+"-- twice.wf.hcl --\nworkflow \"child\" {\n  input \"idle\" {\n    type = string\n  }\n}\n")
	s := initialized(t, root, func(p *protocol.InitializeParams) {
		p.Capabilities.TextDocument.PublishDiagnostics.DataSupport = true
	})
	uri := s.uri("twice.wf.hcl")
	s.must(s.Open(uri, 1, s.text("twice.wf.hcl")))
	s.untilCodes(uri, "WFC1103")
	p, _ := s.Published(uri)
	twice := p.Diagnostics[0]
	if twice.Severity != protocol.SeverityError || twice.Source != "wfc" || len(twice.RelatedInformation) != 1 ||
		twice.RelatedInformation[0].Location.URI != s.uri("child.wf.hcl") || twice.RelatedInformation[0].Location.Range.End.Character == 0 {
		t.Errorf("what is defined twice: %+v", twice)
	}
	if want := "docs/diagnostics.md#wfc1103-"; twice.CodeDescription == nil || !strings.Contains(twice.CodeDescription.Href, want) {
		t.Errorf("the code is explained at %+v", twice.CodeDescription)
	}
	s.must(s.Change(uri, 2, protocol.ContentChange{Text: "workflow \"x\" {\n  input \"idle\" {\n    type = string\n  }\n}\n"}))
	s.untilCodes(uri, "WFC3301")
	p, _ = s.Published(uri)
	unused := p.Diagnostics[0]
	if unused.Severity != protocol.SeverityWarning || len(unused.Tags) != 1 || unused.Tags[0] != protocol.TagUnnecessary {
		t.Errorf("what is not used: %+v", unused)
	}
	s.must(s.Change(uri, 3, protocol.ContentChange{Text: "workflow \"x\" {\n  output \"o\" {\n    valeu = 1\n  }\n}\n"}))
	s.untilCodes(uri, "WFC1021")
	p, _ = s.Published(uri)
	var data struct {
		Fixes []struct {
			Title string
			Edits map[protocol.DocumentURI][]protocol.TextEdit
		}
	}
	if err := json.Unmarshal(p.Diagnostics[0].Data, &data); err != nil || len(data.Fixes) != 1 || data.Fixes[0].Edits[uri][0].NewText != "value" {
		t.Errorf("the fixes are %s (%v)", p.Diagnostics[0].Data, err)
	}
}

// Links to explanations lead to headings that docs/diagnostics.md has.
func TestCodesAreExplainedWhereTheLinkLeads(t *testing.T) {
	page, err := os.ReadFile("../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			keep := func(c rune) rune {
				switch {
				case c == ' ':
					return '-'
				case strings.ContainsRune(".,:;`'\"“”()/?!’‘*", c):
					return -1
				}
				return c
			}
			anchors[strings.Map(keep, strings.ToLower(heading))] = true
		}
	}
	s := initialized(t, "", nil)
	s.must(s.Open("untitled:a", 0, "workflow \"w\" {\n  input \"i\" {\n    type = string\n  }\n  outptu \"o\" {\n  }\n}\n"))
	found, err := s.Diagnostics(t.Context(), "untitled:a", 0)
	s.must(err)
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	for _, d := range found {
		_, anchor, _ := strings.Cut(d.CodeDescription.Href, "#")
		if !anchors[anchor] {
			t.Errorf("%s is explained at %s, which there is not", d.Code, anchor)
		}
	}
}

const unpinned = `
-- wfc.hcl --
project {
  language = 1
}
-- c.wf.hcl --
connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
}
-- w.wf.hcl --
workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "a" {
    call = demo.greet
    args = { name = "x" }
  }
  step "b" {
    call = demo.greet
    args = { name = step.a.output.text }
  }
  output "o" {
    value = step.b.output
  }
}
`

func TestAConnectionWithoutASnapshotIsOneFinding(t *testing.T) {
	s := initialized(t, folder(t, unpinned), nil)
	s.must(s.Open(s.uri("w.wf.hcl"), 0, s.text("w.wf.hcl")))
	s.untilCodes(s.uri("c.wf.hcl"), "WFC2401")
	if got := s.codes(s.uri("w.wf.hcl"), 0); got != "" {
		t.Errorf("where it is used there is %s", got)
	}
}

func TestChangesOnDiskAreSeen(t *testing.T) {
	snapshot, err := os.ReadFile("../testdata/projects/demo/catalog/demo.main.json")
	if err != nil {
		t.Fatal(err)
	}
	s := initialized(t, folder(t, unpinned), nil)
	w, c := s.uri("w.wf.hcl"), s.uri("c.wf.hcl")
	s.must(s.Open(w, 0, strings.Replace(s.text("w.wf.hcl"), "demo.greet\n    args = { name = \"x\"", "demo.greett\n    args = { name = \"x\"", 1)))
	s.untilCodes(c, "WFC2401")
	changed := func(name string, kind uint32) {
		s.must(s.Notify("workspace/didChangeWatchedFiles", protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{{URI: s.uri(name), Type: kind}}}))
	}
	write(t, filepath.Join(s.root, "catalog/demo.main.json"), string(snapshot))
	changed("catalog/demo.main.json", 1)
	s.untilCodes(c, "")
	s.untilCodes(w, "WFC2002") // now that it is known which tools there are
	write(t, filepath.Join(s.root, "new.wf.hcl"), "workflow \"w\" {\n}\n")
	changed("new.wf.hcl", 1)
	s.untilCodes(s.uri("w.wf.hcl"), "WFC1103 WFC2002")
	if err := os.Remove(filepath.Join(s.root, "new.wf.hcl")); err != nil {
		t.Fatal(err)
	}
	changed("new.wf.hcl", 3)
	s.untilCodes(s.uri("w.wf.hcl"), "WFC2002")
	// A client that watches nothing says that it saved something.
	if err := os.Remove(filepath.Join(s.root, "catalog/demo.main.json")); err != nil {
		t.Fatal(err)
	}
	s.must(s.Notify("textDocument/didSave", protocol.DidSaveParams{TextDocument: protocol.TextDocumentIdentifier{URI: w}}))
	s.untilCodes(c, "WFC2401")
}

func TestASnapshotThatIsOpenCountsUnsaved(t *testing.T) {
	s := initialized(t, folder(t, unpinned), nil)
	s.must(s.Open(s.uri("w.wf.hcl"), 0, s.text("w.wf.hcl")))
	s.untilCodes(s.uri("c.wf.hcl"), "WFC2401")
	snapshot, err := os.ReadFile("../testdata/projects/demo/catalog/demo.main.json")
	if err != nil {
		t.Fatal(err)
	}
	s.must(s.Open(s.uri("catalog/demo.main.json"), 0, string(snapshot)))
	s.untilCodes(s.uri("c.wf.hcl"), "")
	s.must(s.Change(s.uri("catalog/demo.main.json"), 1, protocol.ContentChange{Text: "{"}))
	s.untilCodes(s.uri("c.wf.hcl"), "WFC2405")
}

func TestAFileThatAnExpressionReadsIsSeen(t *testing.T) {
	s := initialized(t, folder(t, "-- wfc.hcl --\n-- w.wf.hcl --\nworkflow \"w\" {\n  output \"o\" {\n    value = file(\"x.txt\")\n  }\n}\n"), nil)
	w := s.uri("w.wf.hcl")
	s.must(s.Open(w, 0, s.text("w.wf.hcl")))
	s.untilCodes(w, "WFC2110")
	write(t, filepath.Join(s.root, "x.txt"), "text")
	s.must(s.Notify("textDocument/didSave", protocol.DidSaveParams{TextDocument: protocol.TextDocumentIdentifier{URI: s.uri("x.txt")}}))
	s.untilCodes(w, "")
}

func TestDocumentsOfNoFile(t *testing.T) {
	s := initialized(t, "", nil)
	for uri, c := range map[protocol.DocumentURI]struct{ language, text, want string }{
		"untitled:Untitled-1":                     {"hcl", "workflow \"w\" {\n  ouptut \"x\" {\n  }\n}\n", "WFC1020 WFC1026"},
		"untitled:x.wfi":                          {"plaintext", "interfaec x {\n}\n", "WFC1503"},
		"inmemory://model/1":                      {"wfc-interface", "interfaec x {\n}\n", "WFC1503"},
		"git:/somewhere/a.wf.hcl?%7B%22a%22%7D":   {"terraform", "workflow \"w\" {\n  ouptut \"x\" {\n  }\n}\n", "WFC1020 WFC1026"},
		"untitled:Untitled-2":                     {"", "workflow \"w\" {\n  output \"o\" {\n    value = file(\"x\")\n  }\n}\n", "WFC2110"},
		"vscode-notebook-cell:/a/b.ipynb#W0sZmls": {"wfc", clean, ""},
	} {
		s.must(s.Notify("textDocument/didOpen", protocol.DidOpenParams{TextDocument: protocol.TextDocumentItem{URI: uri, LanguageID: c.language, Version: 1, Text: c.text}}))
		if got := s.codes(uri, 1); got != c.want {
			t.Errorf("%s has %q, want %q", uri, got, c.want)
		}
	}
	uri := protocol.DocumentURI("untitled:Untitled-1")
	s.must(s.Notify("textDocument/didClose", protocol.DidCloseParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri}}))
	s.untilCodes(uri, "")
}

func TestFilesThatAreNotOursHaveNoDiagnostics(t *testing.T) {
	root := folder(t, "-- main.tf --\nresource {\n-- x.hcl --\nlocals {\n")
	s := initialized(t, root, nil)
	for _, name := range []string{"main.tf", "x.hcl"} {
		s.must(s.Open(s.uri(name), 0, s.text(name)))
	}
	s.quiet()
	s.must(s.Open("untitled:a", 0, clean))
	s.codes("untitled:a", 0)
	for _, name := range []string{"main.tf", "x.hcl"} {
		if p, ok := s.Published(s.uri(name)); ok {
			t.Errorf("%s has %+v", name, p)
		}
	}
}

func TestAFileThatWasNeverSaved(t *testing.T) {
	s := initialized(t, folder(t, pair), nil)
	uri := s.uri("sub/new.wf.hcl")
	s.must(s.Open(uri, 0, "workflow \"new\" {\n  step \"s\" {\n    run  = workflow.child\n    args = { name = \"x\" }\n  }\n  output \"o\" {\n    value = step.s.output.text\n  }\n}\n"))
	if got := s.codes(uri, 0); got != "" {
		t.Errorf("it is no part of the project: %s", got)
	}
}

func TestSeveralRootsAreProjectsOfTheirOwn(t *testing.T) {
	one, two := folder(t, pair), folder(t, strings.ReplaceAll(pair, "hello ${input.name}", "hello ${input.nobody}"))
	s := initialized(t, one, nil)
	at := func(root, name string) protocol.DocumentURI { return document.URI(filepath.Join(root, name)) }
	s.must(s.Open(at(one, "child.wf.hcl"), 0, s.text("child.wf.hcl")))
	if got := s.codes(at(one, "child.wf.hcl"), 0); got != "" {
		t.Errorf("the first has %s", got)
	}
	folders := func(added, removed []protocol.WorkspaceFolder) {
		var p protocol.DidChangeWorkspaceFoldersParams
		p.Event.Added, p.Event.Removed = added, removed
		s.must(s.Notify("workspace/didChangeWorkspaceFolders", p))
	}
	second := []protocol.WorkspaceFolder{{URI: document.URI(two), Name: "two"}}
	folders(second, nil)
	s.untilCodes(at(two, "child.wf.hcl"), "WFC2003")
	folders(nil, second)
	s.untilCodes(at(two, "child.wf.hcl"), "")
}

func TestWithoutARootAFileIsOfTheProjectAboveIt(t *testing.T) {
	root := folder(t, pair)
	s := initialized(t, "", nil)
	s.root = root
	s.must(s.Open(s.uri("parent.wf.hcl"), 0, s.text("parent.wf.hcl")))
	if got := s.codes(s.uri("parent.wf.hcl"), 0); got != "" {
		t.Errorf("the workflow that it runs is not seen: %s", got)
	}
}

// Where a project begins may change while its files are open.
func TestAMarkerThatAppearsMakesAnotherProject(t *testing.T) {
	root := folder(t, "-- a/parent.wf.hcl --\n"+strings.SplitN(strings.SplitN(pair, "-- parent.wf.hcl --\n", 2)[1], "-- child", 2)[0]+
		"-- b/child.wf.hcl --\n"+strings.SplitN(pair, "-- child.wf.hcl --\n", 2)[1])
	s := initialized(t, root, nil)
	parent := s.uri("a/parent.wf.hcl")
	s.must(s.Open(parent, 0, s.text("a/parent.wf.hcl")))
	s.untilCodes(parent, "WFC2008")
	write(t, filepath.Join(root, "wfc.hcl"), "project {\n  language = 1\n}\n")
	s.must(s.Notify("workspace/didChangeWatchedFiles", protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{{URI: s.uri("wfc.hcl"), Type: 1}}}))
	s.untilCodes(parent, "")
}

func TestAClientThatPullsIsSentNothingAndToldWhenToAskAgain(t *testing.T) {
	s := begin(t, folder(t, pair))
	p := protocol.InitializeParams{WorkspaceFolders: []protocol.WorkspaceFolder{{URI: document.URI(s.root)}}}
	p.Capabilities.TextDocument.Diagnostic = &struct {
		RelatedDocumentSupport bool `json:"relatedDocumentSupport,omitempty"`
	}{}
	p.Capabilities.Workspace.Diagnostics.RefreshSupport = true
	r, err := s.Initialize(t.Context(), p)
	s.must(err)
	if r.Capabilities["diagnosticProvider"] == nil {
		t.Fatalf("it is not offered: %v", r.Capabilities)
	}
	child, parent := s.uri("child.wf.hcl"), s.uri("parent.wf.hcl")
	text := s.text("child.wf.hcl")
	s.must(s.Open(child, 0, text))
	s.must(s.Open(parent, 0, s.text("parent.wf.hcl")))
	type report struct {
		Kind, ResultID string
		Items          []protocol.Diagnostic
	}
	pull := func(uri protocol.DocumentURI, before string) report {
		var out report
		s.must(s.Call(t.Context(), "textDocument/diagnostic", protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri}, PreviousResultID: before}, &out))
		return out
	}
	first := pull(parent, "")
	if first.Kind != "full" || len(first.Items) != 0 {
		t.Errorf("at first: %+v", first)
	}
	if again := pull(parent, first.ResultID); again.Kind != "unchanged" {
		t.Errorf("asked again: %+v", again)
	}
	// It has to be known what the client has before something can differ from it.
	s.must(s.Change(child, 1, protocol.ContentChange{Text: strings.Replace(text, "type = string", "type = number", 1)}))
	if now := pull(parent, first.ResultID); now.Kind != "full" || codesOf(now.Items) != "WFC2201" {
		t.Errorf("after the change of another file: %+v", now)
	}
	var all struct {
		Items []struct {
			URI   protocol.DocumentURI
			Kind  string
			Items []protocol.Diagnostic
		}
	}
	s.must(s.Call(t.Context(), "workspace/diagnostic", protocol.WorkspaceDiagnosticParams{PreviousResultIDs: []protocol.PreviousResultID{{URI: child, Value: "x"}, {URI: "file:///gone", Value: "y"}}}, &all))
	got := map[protocol.DocumentURI]string{}
	for _, i := range all.Items {
		got[i.URI] = i.Kind + " " + codesOf(i.Items)
	}
	if got[parent] != "full WFC2201" || got[child] != "full " || got["file:///gone"] != "full " {
		t.Errorf("all files: %v", got)
	}
	if _, ok := s.Published(parent); ok {
		t.Error("diagnostics were sent, too")
	}
}

func TestTheClientIsAskedToWatch(t *testing.T) {
	root := folder(t, "-- wfc.hcl --\n-- w.wf.hcl --\nworkflow \"w\" {\n  output \"o\" {\n    value = file(\"sub/x.txt\")\n  }\n}\n")
	s := initialized(t, root, func(p *protocol.InitializeParams) {
		p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration = true
	})
	for _, want := range []string{"**/catalog/*.json", "**/sub/x.txt"} { // the latter is what an expression reads
		s.must(s.Until(t.Context(), func() bool {
			for _, m := range s.Messages() {
				if m.Method == "client/registerCapability" && strings.Contains(string(m.Params), want) {
					return true
				}
			}
			return false
		}))
	}
}

func TestWorkOnManyFilesIsShown(t *testing.T) {
	files := genproject.Files(200)
	root := t.TempDir()
	for name, src := range files {
		write(t, filepath.Join(root, name), string(src))
	}
	s := initialized(t, root, func(p *protocol.InitializeParams) { p.Capabilities.Window.WorkDoneProgress = true })
	s.must(s.Until(t.Context(), func() bool {
		var got []string
		for _, m := range s.Messages() {
			switch {
			case m.Method == "window/workDoneProgress/create":
				got = append(got, "create")
			case m.Method == "$/progress" && strings.Contains(string(m.Params), `"begin"`):
				got = append(got, "begin")
			case m.Method == "$/progress" && strings.Contains(string(m.Params), `"end"`):
				got = append(got, "end")
			}
		}
		return strings.Join(got, " ") == "create begin end"
	}))
}
