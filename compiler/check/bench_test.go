package check_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// BenchmarkCheck1000 is what `wfc check` does in a project of 1,000 files, and
// BenchmarkParse1000 what hclsyntax alone takes to parse the same bytes: the
// former may take twice as long as the latter. Both collect garbage as cmd/wfc does,
// whose BenchmarkProcessCheck times both as whole processes.
func BenchmarkCheck1000(b *testing.B) {
	benchmarkCheck(b, genproject.Files(1000))
}

// BenchmarkCheckSteps is a workflow of 1,000 steps and one of 10,000: the time and
// the memory of a step are the same in both.
func BenchmarkCheckSteps(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			benchmarkCheck(b, genproject.Steps(n))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
		})
	}
}

// benchmarkCheck loads and checks a project that has no mistakes.
func benchmarkCheck(b *testing.B, files map[string][]byte) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	root := b.TempDir()
	snapshot, err := os.ReadFile(filepath.Join(demo, "catalog", "demo.main.json"))
	if err != nil {
		b.Fatal(err)
	}
	files["catalog/demo.main.json"] = snapshot
	for name, src := range files {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(to, src, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		p, err := project.Load(root, project.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if found := check.Project(p); len(found) > 0 {
			b.Fatalf("%d findings, the first: %v", len(found), found[0])
		}
	}
}

const gcPercent = 135

func BenchmarkParse1000(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
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
