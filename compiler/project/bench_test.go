package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/testdata/genproject"
)

// write puts a project into a temporary folder and returns its root.
func write(t testing.TB, files map[string][]byte) string {
	t.Helper()
	root := t.TempDir()
	for name, src := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// BenchmarkLoad1000 loads a project of 1,000 files; BenchmarkParseConfig1000
// is what hclsyntax alone takes for the same bytes, which wfc is measured against.
func BenchmarkLoad1000(b *testing.B) {
	root := write(b, genproject.Files(1000))
	b.ReportAllocs()
	for b.Loop() {
		p, err := Load(root, Options{})
		if err != nil || len(p.Diagnostics) > 0 || len(p.Files) != 1001 {
			b.Fatal(err, len(p.Files), p.Diagnostics)
		}
	}
}

func BenchmarkParseConfig1000(b *testing.B) {
	files := genproject.Files(1000)
	b.ReportAllocs()
	for b.Loop() {
		for name, src := range files {
			if _, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos); diags.HasErrors() {
				b.Fatal(diags)
			}
		}
	}
}
