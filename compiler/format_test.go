package compiler_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/format"
)

// A formatted file means what it meant: the digest of each example's plan, which
// is over meaning only, stays the same.
func TestFormattingChangesNoDigest(t *testing.T) {
	examples, err := filepath.Glob("../testdata/examples/*/wfc.hcl")
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	for _, settings := range examples {
		root, err := filepath.Abs(filepath.Dir(settings))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(root), func(t *testing.T) {
			untidy, tidy := map[string][]byte{}, map[string][]byte{}
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !format.Handles(d.Name()) {
					return err
				}
				src, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				untidy[path] = squeezed(src)
				formatted, found := format.Source(path, untidy[path])
				if found != nil {
					t.Error(found)
				}
				tidy[path] = formatted
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want, got := digests(t, root, untidy), digests(t, root, tidy)
			for name, d := range want {
				if got[name] != d {
					t.Errorf("%s: the digest was %s and is %s", name, d, got[name])
				}
			}
		})
	}
}

// squeezed takes the white space at the beginning of lines and around "=" out of
// a file, as far as it is outside of heredocs.
func squeezed(src []byte) []byte {
	var out []byte
	heredoc := ""
	for line := range bytes.Lines(src) {
		if heredoc != "" {
			if strings.TrimSpace(string(line)) == heredoc {
				heredoc = ""
			}
			out = append(out, line...)
			continue
		}
		if _, marker, ok := strings.Cut(string(line), "<<-"); ok {
			heredoc = strings.TrimSpace(marker)
		}
		line = bytes.TrimLeft(line, " \t")
		if name, value, ok := bytes.Cut(line, []byte(" = ")); ok && bytes.IndexByte(name, '"') < 0 {
			line = append(append(bytes.TrimRight(name, " "), '='), value...)
		}
		out = append(out, line...)
	}
	return out
}

// digests compiles all workflows of a project.
func digests(t *testing.T, root string, overlay map[string][]byte) map[string]string {
	t.Helper()
	p, err := project.Load(root, project.Options{Overlay: overlay})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range p.WorkflowNames() {
		target, err := p.Select("workflow." + name)
		if err != nil {
			t.Fatal(err)
		}
		plan, found := compiler.Compile(p, compiler.Target{Target: target})
		if plan == nil {
			t.Fatal(found)
		}
		out[name] = plan.Digest
	}
	return out
}
