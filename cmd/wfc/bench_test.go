package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
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
// tool with the answer of the one before, the journal included: wfc may take 1.3
// times as long as the bare client with its 100 calls.
func BenchmarkProcessChain(b *testing.B) { benchmarkChain(b, 100) }

// BenchmarkProcessWrites is the same of a tool that changes something: wfc may take
// 1.5 times as long as a bare client that commits one row before each call.
func BenchmarkProcessWrites(b *testing.B) {
	wfc, bare := program(b, "cmd/wfc"), program(b, "testdata/servers/barewriter")
	root := b.TempDir()
	writeProject(b, root, steps(100, "add_label", `{ task = %s, label = "bench" }`, "1", "step.%s.output.task"))
	compare(b,
		func() *exec.Cmd { return exec.Command(wfc, "run", root) },
		func() *exec.Cmd {
			return exec.Command(bare, filepath.Join(root, "bare.db"), "100", "add_label", `{"task": 1, "label": "bench"}`, wfc, "demo-server")
		})
}

// BenchmarkProcessFanOut is one step of n calls of a read-only tool, of which 8 are
// in flight: a call takes the same time however many there are, and wfc makes 60 %
// of the calls in a time that a bare client with as many in flight does (ratio: 1.67).
func BenchmarkProcessFanOut(b *testing.B) {
	wfc, bare := program(b, "cmd/wfc"), program(b, "testdata/servers/bareclient")
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := b.TempDir()
			writeProject(b, root, fanOut(n))
			compare(b,
				func() *exec.Cmd { return exec.Command(wfc, "run", root) },
				func() *exec.Cmd {
					return exec.Command(bare, "-in-flight", "8", fmt.Sprint(n), "echo", `{"text": "hello"}`, wfc, "demo-server")
				})
		})
	}
}

// BenchmarkFirstRequest is how long it takes from the start of the process until the
// first call of a tool has reached its server: wfc may take 60 ms longer than the
// bare client, which does nothing but to start the server (extra-ms).
func BenchmarkFirstRequest(b *testing.B) {
	wfc, bare, server := program(b, "cmd/wfc"), program(b, "testdata/servers/bareclient"), program(b, "testdata/servers/stampserver")
	root := b.TempDir()
	stamp := filepath.Join(root, "stamp")
	files := chain(1)
	files["connections.wf.hcl"] = fmt.Appendf(nil, "connection \"demo\" \"main\" {\n  stdio {\n    command = %q\n    args    = [%q, project.wfc, \"demo-server\"]\n  }\n}\n", server, stamp)
	writeProject(b, root, files)
	sides := [2]func() *exec.Cmd{
		func() *exec.Cmd { return exec.Command(wfc, "run", root) },
		func() *exec.Cmd {
			return exec.Command(bare, "1", "echo", `{"text": "hello"}`, server, stamp, wfc, "demo-server")
		},
	}
	var took [2][]float64
	for i := 0; b.Loop(); i++ {
		for k := range sides {
			k ^= i & 1
			start := time.Now()
			spend(b, sides[k]())
			text, err := os.ReadFile(stamp)
			if err != nil {
				b.Fatal(err)
			}
			reached, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			took[k] = append(took[k], time.Unix(0, reached).Sub(start).Seconds()*1000)
		}
	}
	extra := make([]float64, len(took[0]))
	for i := range extra {
		extra[i] = took[0][i] - took[1][i]
	}
	b.ReportMetric(median(took[0]), "wfc-ms")
	b.ReportMetric(median(took[1]), "bare-ms")
	b.ReportMetric(median(extra), "extra-ms")
	b.ReportMetric(0, "ns/op")
}

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
	return steps(n, "echo", `{ text = %s }`, `"hello"`, "step.%s.text")
}

// steps returns a project whose workflow has n steps, which call a tool of the demo
// server with args, a format: of the first value, and then of what next makes of the
// name of the step before.
func steps(n int, tool, args, first, next string) map[string][]byte {
	var w strings.Builder
	w.WriteString("workflow \"chain\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n")
	v := first
	for i := range n {
		name := fmt.Sprintf("s%d", i)
		fmt.Fprintf(&w, "  step %q {\n    call = demo.%s\n    args = %s\n  }\n", name, tool, fmt.Sprintf(args, v))
		v = fmt.Sprintf(next, name)
	}
	fmt.Fprintf(&w, "  output \"last\" {\n    value = %s\n  }\n}\n", v)
	return demoProject(w.String())
}

// fanOut returns a project whose workflow has one step with n elements.
func fanOut(n int) map[string][]byte {
	return demoProject(fmt.Sprintf(`workflow "fan" {
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
`, n))
}

func demoProject(workflow string) map[string][]byte {
	return map[string][]byte{
		"wfc.hcl":            []byte("project {\n  name = \"bench\"\n}\n"),
		"connections.wf.hcl": []byte("connection \"demo\" \"main\" {\n  stdio {\n    command = project.wfc\n    args    = [\"demo-server\"]\n  }\n}\n"),
		"main.wf.hcl":        []byte(workflow),
	}
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
