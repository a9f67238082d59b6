package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lda-wf/wfc/testdata/genproject"
)

// BenchmarkProcessMemory is the most memory that `wfc check` has at once, as the
// system counts it: of 1,000 files with 165,000 lines it may be 300 MB. That of
// 10,000 steps in one workflow is no more than ten times that of 1,000.
func BenchmarkProcessMemory(b *testing.B) {
	wfc := program(b, "cmd/wfc")
	for _, p := range []struct {
		name  string
		files map[string][]byte
	}{
		{"files-1000", genproject.Files(1000)},
		{"steps-1000", genproject.Steps(1000)},
		{"steps-10000", genproject.Steps(10000)},
	} {
		b.Run(p.name, func(b *testing.B) {
			root := b.TempDir()
			writeProject(b, root, p.files)
			most := 0.0
			for b.Loop() {
				most = max(most, peak(b, wfc, "check", root))
			}
			b.ReportMetric(most, "peak-MB")
		})
	}
}

func init() { programs["peak"] = peakMain }

// peakMain is "peak PROGRAM ARGS": it runs the program and prints the most memory that
// it had at once, in bytes.
func peakMain() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", cmd, err, out)
		os.Exit(1)
	}
	const kilobyte = 1024 // the unit of Maxrss
	fmt.Println(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * kilobyte)
}

// peak runs a program and returns the most memory that it has at once, in MB.
//
// The system counts what the process that starts another has as the other's, until that
// has a program of its own. So it is a small one that starts it: the tests have had
// more, at some time, than what they measure.
func peak(t testing.TB, program string, args ...string) float64 {
	t.Helper()
	cmd := exec.Command("peak", append([]string{program}, args...)...)
	cmd.Stderr = new(strings.Builder)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, cmd.Stderr)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n / 1e6
}

// What the tests themselves have does not count.
func TestPeakIsThatOfTheProgramAlone(t *testing.T) {
	const large = 300 << 20
	held := make([]byte, large)
	for i := 0; i < len(held); i += os.Getpagesize() {
		held[i] = 1
	}
	if got := peak(t, program(t, "cmd/wfc"), "version"); got > 100 {
		t.Errorf("it takes %.0f MB", got)
	}
	runtime.KeepAlive(held)
}

func TestACheckOf1000FilesTakesLittleMemory(t *testing.T) {
	root := t.TempDir()
	writeProject(t, root, genproject.Files(1000))
	if got := peak(t, program(t, "cmd/wfc"), "check", root); got > 300 {
		t.Errorf("it takes %.0f MB", got)
	}
}

// A step of 10,000 elements keeps their results, and little else. What the system
// counts includes the server, if that has more.
func TestAStepOf10000ElementsTakesLittleMemory(t *testing.T) {
	root := t.TempDir()
	writeProject(t, root, fanOut(10000))
	if got := peak(t, program(t, "cmd/wfc"), "run", root); got > 200 {
		t.Errorf("it takes %.0f MB", got)
	}
}
