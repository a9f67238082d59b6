package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// rule is what one rule says of a workflow: the body of one with the source
// "demo", or a txtar archive of files, and the source text of each finding.
type rule struct {
	name string
	body string
	want []string
}

// runRules checks projects and looks at the findings of one code; others are
// the matter of other rules, errors are a fault of the test.
func runRules(t *testing.T, code diag.Code, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			p := load(t, r.body)
			var got []string
			for _, d := range check.Project(p) {
				if d.Severity == diag.Error && !strings.Contains(r.name, "mistake") {
					t.Errorf("a mistake in the test: %s at line %d: %s", d.Code, d.Range.Start.Line, d.Detail)
				}
				if d.Code == code {
					got = append(got, string(p.Source(d.Range.File)[d.Range.Start.Byte:d.Range.End.Byte]))
					mended(t, p, d)
				}
			}
			if strings.Join(got, "\n") != strings.Join(r.want, "\n") {
				t.Errorf("found %q, want %q", got, r.want)
			}
		})
	}
}

// mended applies the fixes of a finding, after which the file is still one without
// new errors and without the finding.
func mended(t *testing.T, p *project.Project, d diag.Diagnostic) {
	t.Helper()
	for _, f := range d.Fixes {
		src := string(p.Source(d.Range.File))
		for i := len(f.Edits) - 1; i >= 0; i-- {
			e := f.Edits[i]
			src = src[:e.Range.Start.Byte] + e.Text + src[e.Range.End.Byte:]
		}
		again, err := project.Load(p.Root, project.Options{Overlay: map[string][]byte{filepath.Join(p.Root, d.Range.File): []byte(src)}})
		if err != nil {
			t.Fatal(err)
		}
		was, _ := check.Project(p).Count()
		now := check.Project(again)
		if errors, _ := now.Count(); errors > was {
			t.Errorf("after %q there are errors: %v", f.Title, now)
		}
		for _, x := range now {
			if x.Code == d.Code && x.Detail == d.Detail && x.Range.Start == d.Range.Start {
				t.Errorf("after %q: %s: %s\n%s", f.Title, x.Code, x.Detail, src)
			}
		}
	}
}

// load makes a project of a body or an archive, with the connection demo.main.
func load(t *testing.T, body string) *project.Project {
	t.Helper()
	const demo = "../../../testdata/projects/demo"
	root := t.TempDir()
	write := func(name string, src []byte) {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"wfc.hcl", "demo.wf.hcl", "catalog/demo.main.json"} {
		src, err := os.ReadFile(filepath.Join(demo, name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, src)
	}
	a := txtar.Parse([]byte(body))
	if len(a.Files) == 0 {
		write("main.wf.hcl", []byte("workflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n"+body+"\n}\n"))
	}
	for _, f := range a.Files {
		write(f.Name, f.Data)
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
