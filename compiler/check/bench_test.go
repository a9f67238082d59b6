package check_test

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

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

// BenchmarkCheckSteps is a workflow of 1,000 steps and one of 10,000: the time of a
// step is the same in both. They are checked in turn, ten of the former for each of the
// latter; the figures are medians, and ratio is the second divided by the first.
func BenchmarkCheckSteps(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	short, long := projectFolder(b, genproject.Steps(1000)), projectFolder(b, genproject.Steps(10000))
	var shorts, longs []float64 // nanoseconds a step
	for b.Loop() {
		for range 10 {
			start := time.Now()
			checkFolder(b, short)
			shorts = append(shorts, float64(time.Since(start).Nanoseconds())/1000)
		}
		start := time.Now()
		checkFolder(b, long)
		longs = append(longs, float64(time.Since(start).Nanoseconds())/10000)
	}
	slices.Sort(shorts)
	slices.Sort(longs)
	one, ten := shorts[len(shorts)/2], longs[len(longs)/2]
	b.ReportMetric(one, "ns/step-of-1000")
	b.ReportMetric(ten, "ns/step-of-10000")
	b.ReportMetric(ten/one, "ratio")
	b.ReportMetric(0, "ns/op")
}

// benchmarkCheck loads and checks a project that has no mistakes.
func benchmarkCheck(b *testing.B, files map[string][]byte) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	root := projectFolder(b, files)
	b.ReportAllocs()
	for b.Loop() {
		checkFolder(b, root)
	}
}

// projectFolder writes a project that uses the demo server and returns its root.
func projectFolder(t testing.TB, files map[string][]byte) string {
	t.Helper()
	root := t.TempDir()
	snapshot, err := os.ReadFile(filepath.Join(demo, "catalog", "demo.main.json"))
	if err != nil {
		t.Fatal(err)
	}
	files["catalog/demo.main.json"] = snapshot
	for name, src := range files {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// checkFolder loads and checks a project that has no mistakes.
func checkFolder(t testing.TB, root string) {
	t.Helper()
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found := check.Project(p); len(found) > 0 {
		t.Fatalf("%d findings, the first: %v", len(found), found[0])
	}
}

const gcPercent = 400

func TestAStepCostsTheSameInALongWorkflow(t *testing.T) {
	// Garbage and its collection are most of what can grow with the length. Time
	// says nothing on a machine that does other things.
	type cost struct{ allocs, bytes float64 }
	of := func(steps int) cost {
		root := projectFolder(t, genproject.Steps(steps))
		checkFolder(t, root)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		checkFolder(t, root)
		runtime.ReadMemStats(&after)
		return cost{float64(after.Mallocs-before.Mallocs) / float64(steps), float64(after.TotalAlloc-before.TotalAlloc) / float64(steps)}
	}
	one, ten := of(1000), of(10000)
	if ten.allocs > one.allocs*1.03 || ten.bytes > one.bytes*1.1 {
		t.Errorf("a step of 1,000 costs %.1f allocations and %.0f bytes, one of 10,000 %.1f and %.0f", one.allocs, one.bytes, ten.allocs, ten.bytes)
	}
}

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
