package check_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// demo is the project that examples are checked in: it has the connection
// demo.main and its snapshot.
const demo = "../../testdata/projects/demo"

// load writes files, a file or a txtar archive, into a folder with the
// connection demo.main and loads it as a project.
func load(t testing.TB, files string) *project.Project {
	t.Helper()
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
	a := txtar.Parse([]byte(files))
	if len(a.Files) == 0 {
		write("main.wf.hcl", []byte(files))
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

// findings are those about a project but for those of package lint, which has its
// own tests: the workflows of these leave much unused.
func findings(p *project.Project) diag.List {
	return slices.DeleteFunc(check.Project(p), func(d diag.Diagnostic) bool { return strings.HasPrefix(string(d.Code), "WFC33") })
}

// show prints findings as a test compares them: the code, the source text that
// the range covers, and the detail.
func show(p *project.Project, l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		src := p.Source(d.Range.File)
		text := ""
		if d.Range.Start.Byte >= 0 && d.Range.End.Byte <= len(src) && d.Range.Start.Byte <= d.Range.End.Byte {
			text = string(src[d.Range.Start.Byte:d.Range.End.Byte])
		}
		fmt.Fprintf(&b, "%s %s:%d `%s`: %s\n", d.Code, d.Range.File, d.Range.Start.Line, text, d.Detail)
	}
	return b.String()
}

// cases are the expressions that the language must accept and refuse.
type cases struct {
	Inputs map[string][]json.RawMessage
	Cases  []struct {
		Expr  string
		Value json.RawMessage
	}
	Rejected []struct{ Expr, Why string }
}

func readCases(t *testing.T) cases {
	t.Helper()
	src, err := os.ReadFile("../../testdata/cases/expressions.json")
	if err != nil {
		t.Fatal(err)
	}
	var c cases
	if err := json.Unmarshal(src, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// withInputs is a workflow with the cases' inputs and one output.
func (c cases) withInputs(t *testing.T, expr string) string {
	var b strings.Builder
	b.WriteString("workflow \"w\" {\n")
	for name, in := range c.Inputs {
		var typ string
		if err := json.Unmarshal(in[0], &typ); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "  input %q {\n    type = %s\n  }\n", name, typ)
	}
	fmt.Fprintf(&b, "  output \"o\" {\n    value = %s\n  }\n}\n", expr)
	return b.String()
}

// snapshotOfDemo is the snapshot of the connection demo.main.
func snapshotOfDemo(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(demo, "catalog/demo.main.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
