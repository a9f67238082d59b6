package lsp_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/feature"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// pieces are what somebody types, pastes or leaves behind.
var pieces = []string{
	"", "\n", "\r\n", " ", "å", "😀", "\"", "${", "}", "{", "[", "(", "]", ")", "%{ if ", "<<EOT\n", ".", ",", "=", "#", "/*", "x", "0",
	"input.", "local.x", "step.", "workflow \"w\" {\n", "step \"s\" {\n", "  value = 1\n", "each.value", "interface i {\n", "tool t(a: string)\n",
	"call = demo.", "args = { ", "for_each = ", "\x00", "\u2028", "\ufeff", "# wfc:ignore WFC3305 why\n", strings.Repeat("(", 300),
}

// Whatever is done in whatever order at whatever places, every request is answered
// once, and in the end a client has what a server finds that sees the last texts only.
func TestSessions(t *testing.T) {
	files := genproject.Files(2)
	files["greeter.wfi"] = []byte("interface greeter {\n  \"Greet somebody.\"\n  @read\n  tool greet(name: string) -> object({ greeting = string }, any)\n}\n")
	files["runs.wf.hcl"] = []byte("workflow \"runs\" {\n  step \"one\" {\n    run = workflow." + genproject.Name(0) + "\n  }\n  output \"o\" {\n    value = step.one.output\n  }\n}\n")
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	root := t.TempDir()
	snapshot, err := os.ReadFile("../testdata/projects/demo/catalog/demo.main.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "catalog", "demo.main.json"), string(snapshot))
	for name, src := range files {
		write(t, filepath.Join(root, name), string(src))
	}
	rapid.Check(t, func(r *rapid.T) {
		f := &session{r: r, texts: map[string]*document.Text{}, versions: map[string]int32{}, files: files, names: names}
		f.data = rapid.Bool().Draw(r, "data")
		f.encoding = rapid.SampledFrom([]document.Encoding{document.UTF8, document.UTF16, document.UTF32}).Draw(r, "encoding")
		f.running = initialized(t, root, f.client)
		for range rapid.IntRange(1, 12).Draw(r, "operations") {
			f.operation()
		}
		f.end()
	})
}

// session is a session that does at random what editors do.
type session struct {
	*running
	r        *rapid.T
	data     bool
	encoding document.Encoding
	files    map[string][]byte
	names    []string
	texts    map[string]*document.Text // of the open documents
	versions map[string]int32
	answers  []<-chan *protocol.Message
	methods  []string
}

// client says what the client can do.
func (f *session) client(p *protocol.InitializeParams) {
	p.Capabilities.TextDocument.PublishDiagnostics.DataSupport = f.data
	p.Capabilities.General.PositionEncodings = []string{string(f.encoding)}
}

// operation does one thing.
func (f *session) operation() {
	name := rapid.SampledFrom(f.names).Draw(f.r, "file")
	uri := f.uri(name)
	text := f.texts[name]
	what := rapid.SampledFrom([]string{"open", "change", "change", "change", "ask", "ask", "ask", "cancel", "close", "save", "disk"}).Draw(f.r, "operation")
	switch {
	case what == "ask" || what == "cancel":
		method := rapid.SampledFrom(methods()).Draw(f.r, "method")
		id, answer, err := f.Begin(method, f.params(uri))
		f.must(err)
		f.answers, f.methods = append(f.answers, answer), append(f.methods, method)
		if what == "cancel" {
			f.must(f.Notify("$/cancelRequest", protocol.CancelParams{ID: id}))
		}
	case what == "disk":
		f.must(f.Notify("workspace/didChangeWatchedFiles", protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{{URI: uri, Type: 2}}}))
	case text == nil:
		f.texts[name] = document.New(f.files[name], f.encoding)
		f.versions[name]++
		f.must(f.Open(uri, f.versions[name], string(f.files[name])))
	case what == "close":
		delete(f.texts, name)
		f.must(f.Notify("textDocument/didClose", protocol.TextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri}}))
	case what == "save":
		f.must(f.Notify("textDocument/didSave", protocol.TextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri}}))
	default:
		f.change(name, text)
	}
}

// change edits a document: at any place, or all of it.
func (f *session) change(name string, text *document.Text) {
	var changes []protocol.ContentChange
	for range rapid.IntRange(1, 3).Draw(f.r, "changes") {
		c := protocol.ContentChange{Text: rapid.SampledFrom(pieces).Draw(f.r, "text")}
		if rapid.IntRange(0, 9).Draw(f.r, "all") == 0 {
			c.Text = string(f.files[rapid.SampledFrom(f.names).Draw(f.r, "as")]) + c.Text
		} else {
			// Lines and characters of no text at all are places, too.
			from := protocol.Position{Line: rapid.Uint32Range(0, 200).Draw(f.r, "line"), Character: rapid.Uint32Range(0, 60).Draw(f.r, "character")}
			to := protocol.Position{Line: from.Line + rapid.Uint32Range(0, 3).Draw(f.r, "lines"), Character: rapid.Uint32Range(0, 60).Draw(f.r, "character")}
			c.Range = &protocol.Range{Start: from, End: to}
		}
		changes = append(changes, c)
	}
	f.versions[name]++
	f.must(f.Change(f.uri(name), f.versions[name], changes...))
	next, err := text.Apply(changes, 1<<20)
	f.must(err)
	f.texts[name] = next
}

// params are those of any request about a document: at any place.
func (f *session) params(uri protocol.DocumentURI) map[string]any {
	at := protocol.Position{Line: rapid.Uint32Range(0, 200).Draw(f.r, "line"), Character: rapid.Uint32Range(0, 80).Draw(f.r, "character")}
	to := protocol.Position{Line: at.Line + rapid.Uint32Range(0, 200).Draw(f.r, "lines"), Character: 0}
	return map[string]any{
		"textDocument": protocol.TextDocumentIdentifier{URI: uri}, "position": at, "positions": []protocol.Position{at, to},
		"range": protocol.Range{Start: at, End: to}, "context": map[string]any{"diagnostics": []any{}, "includeDeclaration": true, "triggerKind": 1},
		"newName": rapid.SampledFrom([]string{"renamed", "x y", "", "ü"}).Draw(f.r, "name"), "query": "s", "options": map[string]any{"tabSize": 2},
		"previousResultId": "1", "previousResultIds": []any{}, "label": "x", "command": "x",
		"item": map[string]any{"name": "x", "uri": uri, "range": protocol.Range{Start: at, End: to}, "selectionRange": protocol.Range{Start: at, End: at}},
	}
}

// methods are those of all features.
func methods() []string {
	var out []string
	for _, f := range feature.All() {
		out = append(out, f.Method)
	}
	return out
}

// end looks at all answers, and at what the client has against a fresh server.
func (f *session) end() {
	for i, answer := range f.answers {
		m, ok := <-answer
		if !ok {
			f.r.Fatalf("%s was not answered\n%s", f.methods[i], f.log)
		}
		if m.Error != nil && m.Error.Code == protocol.InternalError {
			f.r.Fatalf("%s: %s\n%s", f.methods[i], m.Error.Message, f.log)
		}
	}
	fresh := initialized(f.t, f.root, f.client)
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		f.must(fresh.Open(f.uri(name), f.versions[name], string(f.texts[name].Bytes())))
	}
	want := fresh.pulled()
	if got := f.pulled(); got != want {
		f.r.Fatalf("in the end the server says\n%s\nand a fresh one\n%s", got, want)
	}
	// What was sent comes to be the same.
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	defer cancel()
	var got string
	if err := f.Until(ctx, func() bool { got = f.sent(); return got == want }); err != nil {
		f.r.Fatalf("%v: in the end the client has\n%s\nand a fresh server says\n%s", err, got, want)
	}
	fresh.finish()
	f.finish()
}

// pulled asks for all diagnostics, and returns them as text.
func (s *running) pulled() string {
	s.t.Helper()
	var all struct {
		Items []struct {
			URI   protocol.DocumentURI
			Items []protocol.Diagnostic
		}
	}
	s.must(s.Call(s.t.Context(), "workspace/diagnostic", protocol.WorkspaceDiagnosticParams{}, &all))
	var out []string
	for _, i := range all.Items {
		if len(i.Items) > 0 {
			out = append(out, listed(i.URI, i.Items))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// sent returns what the client was sent, as pulled does.
func (s *running) sent() string {
	var out []string
	for uri := range s.All() {
		if p, _ := s.Published(uri); len(p.Diagnostics) > 0 {
			out = append(out, listed(uri, p.Diagnostics))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func listed(uri protocol.DocumentURI, list []protocol.Diagnostic) string {
	var b strings.Builder
	fmt.Fprintln(&b, uri)
	for _, d := range list {
		fmt.Fprintf(&b, "  %s%s", line(d.Severity, d.Code.(string), d.Range, d.Message, len(d.RelatedInformation)), d.Data)
	}
	return b.String()
}
