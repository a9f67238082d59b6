package syntax

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestFilesWithMistakes reads each *.hcl of the archives in testdata and compares
// the diagnostics, as people see them, and an outline of what could be read,
// with the *.want beside it.
func TestFilesWithMistakes(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]byte{}
		var inputs []txtar.File
		for _, f := range archive.Files {
			if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
				want[name] = f.Data
			} else {
				inputs = append(inputs, f)
			}
		}
		fresh := &txtar.Archive{Comment: archive.Comment}
		for _, f := range inputs {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+f.Name, func(t *testing.T) {
				got := reading(f.Name, f.Data)
				fresh.Files = append(fresh.Files, f, txtar.File{Name: f.Name + ".want", Data: got})
				if !*update && !bytes.Equal(got, want[f.Name]) {
					t.Errorf("got:\n%s\nwant:\n%s", got, want[f.Name])
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// reading is what a file gives: diagnostics and outline.
func reading(name string, src []byte) []byte {
	f, diags := Parse(name, src)
	var out bytes.Buffer
	diag.WriteText(&out, diags, diag.TextOptions{Source: func(string) []byte { return src }})
	out.WriteString(outline(f))
	return out.Bytes()
}

// outline lists the blocks of a file, a workflow's on one line.
func outline(f *File) string {
	var s strings.Builder
	for _, w := range f.Workflows {
		fmt.Fprintf(&s, "workflow %s:", w.Name.Text)
		for _, x := range w.Sources {
			fmt.Fprintf(&s, " source %s", x.Name.Text)
		}
		for _, x := range w.Inputs {
			fmt.Fprintf(&s, " input %s", x.Name.Text)
		}
		for _, x := range w.Locals {
			fmt.Fprintf(&s, " local %s", x.Name.Text)
		}
		for _, x := range w.Steps {
			fmt.Fprintf(&s, " step %s%s", x.Name.Text, action(x))
		}
		for _, x := range w.Finally {
			fmt.Fprintf(&s, " finally %s%s", x.Name.Text, action(x))
		}
		for _, x := range w.Outputs {
			fmt.Fprintf(&s, " output %s", x.Name.Text)
		}
		s.WriteByte('\n')
	}
	for _, x := range f.Providers {
		fmt.Fprintf(&s, "provider %s\n", x.Name.Text)
	}
	for _, c := range f.Connections {
		fmt.Fprintf(&s, "connection %s\n", c.ID())
	}
	for _, x := range f.Secrets {
		fmt.Fprintf(&s, "secret %s\n", x.Name.Text)
	}
	for _, x := range f.Deployments {
		fmt.Fprintf(&s, "deployment %s\n", x.Name.Text)
	}
	for _, x := range f.Tests {
		fmt.Fprintf(&s, "test %s:", x.Name.Text)
		for _, m := range x.Mocks {
			fmt.Fprintf(&s, " mock %s %s", m.Source.Text, m.Tool.Text)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// action says in short what a step does.
func action(s *Step) string {
	ref, what := s.Target(), s.Action
	if s.Run != nil {
		ref = s.Run
	}
	if ref == nil {
		if what == "" {
			return ""
		}
		return "(" + string(what) + ")"
	}
	key := ""
	if !ref.Key.IsZero() {
		key = " of " + expr.Print(ref.Key)
	}
	return fmt.Sprintf("(%s %s%s)", what, joined(ref.Path), key)
}
