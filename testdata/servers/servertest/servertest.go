// Package servertest builds the MCP server of testdata/servers for the tests of
// any package, and has what they ask of its processes. Only tests import it.
package servertest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	dir   string
	build = sync.OnceValues(func() (string, error) {
		name := "testserver"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		var err error
		if dir, err = os.MkdirTemp("", "wfc-testserver-"); err != nil {
			return "", err
		}
		path := filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-o", path, "github.com/lda-wf/wfc/testdata/servers/testserver/cmd")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("building the test server: %w\n%s", err, out)
		}
		return path, nil
	})
)

// Main is for TestMain: it runs the tests and removes the server that they built.
func Main(m *testing.M) {
	code := m.Run()
	if dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// Path returns the path of the server, which is built once per test binary.
func Path(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Lines returns the lines of a file that the server writes, none if there is no file.
func Lines(t testing.TB, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(data)))
}

// ours matches a goroutine that the runtime packages started, the thread that
// starts children apart, which lives as long as the process.
var ours = regexp.MustCompile(`created by github\.com/lda-wf/wfc/runtime/(connection\.(\(|new|start)|session\.|pool\.\(\*Pool\))`)

// CheckGoroutines fails t if goroutines of the runtime packages are left. One
// that is just returning gets the processor to do so.
func CheckGoroutines(t testing.TB) {
	t.Helper()
	var left []string
	memory := make([]byte, 1<<20)
	for range 200_000 { // much time, on a machine that is busy with others
		buf := memory[:runtime.Stack(memory, true)]
		left = left[:0]
		for stack := range bytes.SplitSeq(buf, []byte("\n\n")) {
			if ours.Match(stack) {
				left = append(left, string(stack))
			}
		}
		if len(left) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}
