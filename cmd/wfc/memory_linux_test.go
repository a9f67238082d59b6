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
			most := int64(0)
			for b.Loop() {
				cmd := exec.Command(wfc, "check", root)
				spend(b, cmd)
				const kilobyte = 1024 // the unit of Maxrss
				most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss*kilobyte)
			}
			b.ReportMetric(float64(most)/1e6, "peak-MB")
		})
	}
}
