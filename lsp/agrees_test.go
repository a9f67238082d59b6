package lsp_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// checked returns what check finds in a project, by file, as lines that say all that an
// editor shows of a finding; files without findings are there, too. open are the texts
// that are not on disk, by path. l is a loader for the root.
func checked(t testing.TB, l *project.Loader, root string, open map[string][]byte) map[protocol.DocumentURI]string {
	t.Helper()
	l.Changed()
	p, err := l.Load(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	out := map[protocol.DocumentURI]string{}
	for _, name := range p.FileNames() {
		out[document.URI(filepath.Join(root, name))] = ""
	}
	for _, d := range check.Project(p) {
		text := document.New(p.Source(d.Range.File), document.UTF16)
		uri := document.URI(filepath.Join(root, d.Range.File))
		severity := map[string]protocol.DiagnosticSeverity{"error": 1, "warning": 2, "info": 3}[d.Severity.String()]
		out[uri] += line(severity, string(d.Code), text.Range(d.Range.Start.Byte, d.Range.End.Byte), d.Detail, len(d.Related))
	}
	return out
}

func line(s protocol.DiagnosticSeverity, code string, r protocol.Range, message string, related int) string {
	return fmt.Sprintf("%d %s %v %s (%d)\n", s, code, r, message, related)
}

// shown returns what a client has of a file, as checked does.
func shown(s *running, uri protocol.DocumentURI) string {
	p, _ := s.Published(uri)
	var b strings.Builder
	for _, d := range p.Diagnostics {
		b.WriteString(line(d.Severity, d.Code.(string), d.Range, d.Message, len(d.RelatedInformation)))
	}
	return b.String()
}

// agrees waits until a client has what check finds.
func (s *running) agrees(want map[protocol.DocumentURI]string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	var uri protocol.DocumentURI
	err := s.Until(ctx, func() bool {
		for _, uri = range slices.Sorted(maps.Keys(want)) {
			if shown(s, uri) != want[uri] {
				return false
			}
		}
		return true
	})
	if err != nil {
		s.t.Errorf("%s: %v; the editor has\n%s\nand wfc check says\n%s", uri, err, shown(s, uri), want[uri])
	}
}

// servers returns a folder with the connections of the corpus and their snapshots.
func servers(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"wfc.hcl", "connections.wf.hcl"} {
		src, err := os.ReadFile(filepath.Join("../testdata/projects/corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, name), string(src))
	}
	if err := os.CopyFS(filepath.Join(root, "catalog"), os.DirFS("../testdata/projects/corpus/catalog")); err != nil {
		t.Fatal(err)
	}
	return root
}

// In an editor there is what wfc check finds, in each of the mistakes that the command's
// own tests have, with the files open and not saved.
func TestAnEditorShowsWhatCheckFinds(t *testing.T) {
	archives, err := filepath.Glob("../testdata/script/check/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("there are no scripts", err)
	}
	real := servers(t)
	s := initialized(t, real, nil) // which keeps that project, and its large snapshots
	loader := project.NewLoader(real, "0.1.0")
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(a.Files, func(f txtar.File) bool { return !utf8.Valid(f.Data) }) {
			continue // JSON has no such texts
		}
		disk, l := real, loader
		if !strings.Contains("\n"+string(a.Comment), "\nservers\n") {
			disk = t.TempDir()
			l = project.NewLoader(disk, "0.1.0")
		}
		// The folder that the editor works in has the sources only as the editor does.
		open := map[string][]byte{}
		for _, f := range a.Files {
			if path := filepath.Join(disk, f.Name); project.Belongs(f.Name) {
				open[path] = f.Data
			} else if strings.Contains(f.Name, ".") { // what else a script has is no part of the project
				write(t, path, string(f.Data))
			}
		}
		for _, path := range slices.Sorted(maps.Keys(open)) {
			s.must(s.Open(document.URI(path), 0, string(open[path])))
		}
		want := checked(t, l, disk, open)
		s.agrees(want)
		if t.Failed() {
			t.Fatalf("so it is in %s", path)
		}
		for path := range open {
			s.must(s.Notify("textDocument/didClose", protocol.DidCloseParams{TextDocument: protocol.TextDocumentIdentifier{URI: document.URI(path)}}))
		}
	}
}

func TestAnEditorShowsWhatCheckFindsInProjects(t *testing.T) {
	for _, root := range []string{"../testdata/projects/corpus", "../testdata/projects/demo", "../testdata/projects/test"} {
		t.Run(filepath.Base(root), func(t *testing.T) {
			root, err := filepath.Abs(root)
			if err != nil {
				t.Fatal(err)
			}
			s := initialized(t, root, nil)
			err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && project.Belongs(path) {
					src, err := os.ReadFile(path)
					if err != nil {
						return err
					}
					return s.Open(document.URI(path), 0, string(src))
				}
				return err
			})
			s.must(err)
			s.agrees(checked(t, project.NewLoader(root, "0.1.0"), root, nil))
		})
	}
}
