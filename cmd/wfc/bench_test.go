package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/testdata/genproject"
)

// The benchmarks of this file time wfc as its users meet it, whole processes
// from their start to their end, beside a bare program that does only what must
// be done. The two run in turn; the figures are medians:
//
//	wfc-ms      wfc's time in milliseconds
//	bare-ms     the bare program's
//	ratio       wfc's time divided by the bare program's, pair by pair
//	cpu-ratio   the same of processor time, servers included
//
//	go test ./cmd/wfc -run '^$' -bench Process -benchtime 30x

// BenchmarkProcessCold is one call of a read-only tool, from nothing to
// nothing: wfc may take three times as long as the bare client.
func BenchmarkProcessCold(b *testing.B) { benchmarkChain(b, 1) }

// BenchmarkProcessChain is a chain of 100 steps, each of which calls a read-only
// tool with the answer of the one before, the journal included: wfc may take 1.5
// times as long as the bare client with its 100 calls.
func BenchmarkProcessChain(b *testing.B) { benchmarkChain(b, 100) }

// BenchmarkProcessCheck is `wfc check` of 1,000 files with 165,000 lines: it may
// take twice as long as to parse them.
func BenchmarkProcessCheck(b *testing.B) {
	root := b.TempDir()
	writeProject(b, root, genproject.Files(1000))
	wfc, bare := program(b, "cmd/wfc"), program(b, "testdata/bareparse")
	compare(b,
		func() *exec.Cmd { return exec.Command(wfc, "check", root) },
		func() *exec.Cmd { return exec.Command(bare, root) })
}

// BenchmarkProcessLargeCatalog is `wfc check` of a workflow that uses two of the
// 344 tools of a snapshot of 2 MB, beside the same of a snapshot of seven tools.
func BenchmarkProcessLargeCatalog(b *testing.B) {
	wfc := program(b, "cmd/wfc")
	small, large := b.TempDir(), b.TempDir()
	writeProject(b, small, chain(2))
	writeProject(b, large, map[string][]byte{"wfc.hcl": []byte("project {\n  name = \"large\"\n}\n"), "large.wf.hcl": []byte(`
connection "ms" "main" {
  stdio {
    command = "ms-365-mcp-server"
  }
}

workflow "large" {
  source "ms" {
    bind = connection.ms.main
  }
  step "list" {
    call = ms.list-mail-messages
  }
  step "get" {
    call = ms.get-mail-message
    args = { messageId = step.list.text }
  }
  output "text" {
    value = step.get.text
  }
}
`)})
	importing := exec.Command(wfc, "--project", large, "catalog", "import", "ms.main", repository(b, "testdata/catalogs/ms-365-mcp-server.json"))
	if out, err := importing.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", importing, err, out)
	}
	compare(b,
		func() *exec.Cmd { return exec.Command(wfc, "check", large) },
		func() *exec.Cmd { return exec.Command(wfc, "check", small) })
}

func benchmarkChain(b *testing.B, n int) {
	wfc, bare := program(b, "cmd/wfc"), program(b, "testdata/servers/bareclient")
	root := b.TempDir()
	writeProject(b, root, chain(n))
	compare(b,
		func() *exec.Cmd { return exec.Command(wfc, "run", root) },
		func() *exec.Cmd {
			return exec.Command(bare, fmt.Sprint(n), "echo", `{"text": "hello"}`, wfc, "demo-server")
		})
}

// BenchmarkRepeat is what a run of one call takes on a session that is there:
// `wfc run --repeat 50`, a fiftieth of it.
func BenchmarkRepeat(b *testing.B) {
	wfc := program(b, "cmd/wfc")
	root := b.TempDir()
	writeProject(b, root, chain(1))
	for b.Loop() {
		spend(b, exec.Command(wfc, "run", root, "--repeat", "50"))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/50/float64(b.N), "ms/run")
}

// BenchmarkFanOut is a step of n calls of a read-only tool: the time of one call
// stays the same however many there are.
func BenchmarkFanOut(b *testing.B) {
	wfc := program(b, "cmd/wfc")
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := b.TempDir()
			files := chain(0)
			files["fan.wf.hcl"] = fmt.Appendf(nil, `workflow "fan" {
  source "demo" {
    bind = connection.demo.main
  }
  step "each" {
    for_each = range(%d)
    call     = demo.echo
    args     = { text = tostring(each.value) }
  }
  output "n" {
    value = length([for r in step.each : r.text if r.outcome == "ok"])
  }
}
`, n)
			writeProject(b, root, files)
			for b.Loop() {
				spend(b, exec.Command(wfc, "run", root))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n)/float64(b.N), "µs/call")
		})
	}
}

// compare times two commands in turn, each first every other time, after one run
// of each that does not count.
func compare(b *testing.B, wfc, bare func() *exec.Cmd) {
	sides := [2]func() *exec.Cmd{wfc, bare}
	for _, side := range sides {
		spend(b, side())
	}
	var wall, cpu [2][]float64
	for i := 0; b.Loop(); i++ {
		for k := range sides {
			k ^= i & 1
			w, c := spend(b, sides[k]())
			wall[k], cpu[k] = append(wall[k], w.Seconds()), append(cpu[k], c.Seconds())
		}
	}
	b.ReportMetric(1000*median(wall[0]), "wfc-ms")
	b.ReportMetric(1000*median(wall[1]), "bare-ms")
	b.ReportMetric(median(ratios(wall)), "ratio")
	b.ReportMetric(median(ratios(cpu)), "cpu-ratio")
	b.ReportMetric(0, "ns/op") // the sum of both says nothing
}

// spend runs a command and returns how long it took and what it spent of the
// processors, the processes that it started included.
func spend(b *testing.B, cmd *exec.Cmd) (wall, cpu time.Duration) {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall = time.Since(start)
	if err != nil {
		b.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	return wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func ratios(of [2][]float64) []float64 {
	out := make([]float64, len(of[0]))
	for i := range out {
		out[i] = of[0][i] / of[1][i]
	}
	return out
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	if len(of) == 0 {
		return 0
	}
	return (of[len(of)/2] + of[(len(of)-1)/2]) / 2
}

// chain returns a project whose workflow has n steps, each of which sends what
// the one before got.
func chain(n int) map[string][]byte {
	files := map[string][]byte{
		"wfc.hcl":            []byte("project {\n  name = \"bench\"\n}\n"),
		"connections.wf.hcl": []byte("connection \"demo\" \"main\" {\n  stdio {\n    command = project.wfc\n    args    = [\"demo-server\"]\n  }\n}\n"),
	}
	if n == 0 {
		return files
	}
	var w strings.Builder
	w.WriteString("workflow \"chain\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n")
	text := `"hello"`
	for i := range n {
		fmt.Fprintf(&w, "  step \"s%d\" {\n    call = demo.echo\n    args = { text = %s }\n  }\n", i, text)
		text = fmt.Sprintf("step.s%d.text", i)
	}
	fmt.Fprintf(&w, "  output \"text\" {\n    value = %s\n  }\n}\n", text)
	files["chain.wf.hcl"] = []byte(w.String())
	return files
}

// writeProject writes files, and the snapshot of the demo server, below root.
func writeProject(b testing.TB, root string, files map[string][]byte) {
	b.Helper()
	snapshot, err := os.ReadFile(repository(b, "testdata/projects/demo/catalog/demo.main.json"))
	if err != nil {
		b.Fatal(err)
	}
	write := func(name string, src []byte) {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(to, src, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for name, src := range files {
		write(name, src)
	}
	write("catalog/demo.main.json", snapshot)
}

// repository returns the absolute path of a file of this repository.
func repository(b testing.TB, name string) string {
	path, err := filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// program builds a command of this repository and returns its path.
func program(b testing.TB, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, repository(b, pkg)).CombinedOutput(); err != nil {
		b.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return path
}
