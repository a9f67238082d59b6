package main

import (
	"os/exec"
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
				most = max(most, peak(b, exec.Command(wfc, "check", root)))
			}
			b.ReportMetric(most, "peak-MB")
		})
	}
}

// peak runs a command and returns the most memory that it has at once, in MB.
func peak(t testing.TB, cmd *exec.Cmd) float64 {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	const kilobyte = 1024 // the unit of Maxrss
	return float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss*kilobyte) / 1e6
}

func TestACheckOf1000FilesTakesLittleMemory(t *testing.T) {
	root := t.TempDir()
	writeProject(t, root, genproject.Files(1000))
	if got := peak(t, exec.Command(program(t, "cmd/wfc"), "check", root)); got > 300 {
		t.Errorf("it takes %.0f MB", got)
	}
}

// A step of 10,000 elements keeps their results, and little else. What the system
// counts includes the server, if that has more.
func TestAStepOf10000ElementsTakesLittleMemory(t *testing.T) {
	root := t.TempDir()
	writeProject(t, root, fanOut(10000))
	if got := peak(t, exec.Command(program(t, "cmd/wfc"), "run", root)); got > 200 {
		t.Errorf("it takes %.0f MB", got)
	}
}
