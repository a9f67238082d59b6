package proxy_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy"
	"github.com/lda-wf/wfc/testdata/npm"
)

// The MCP conformance suite says the same of the SDK's everything-server directly and
// through the proxy.
func TestConformance(t *testing.T) {
	if os.Getenv("WFC_E2E") != "full" {
		t.Skip("WFC_E2E is not full")
	}
	suite := npm.Conformance(t)
	server := filepath.Join(t.TempDir(), "everything-server")
	build := exec.Command("go", "build", "-o", server, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	proxied, _ := serve(t, proxy.Options{Sources: []proxy.Source{{Connection: connection.Connection{ID: "every.thing", Stdio: &connection.Stdio{Command: server}}}}})
	for _, c := range []struct {
		name, program, stateless string
		args                     []string
	}{
		{"before 2026-07-28", suite.Release, "false", []string{"--suite", "all"}},
		{"2026-07-28", suite.Modern, "true", []string{"--spec-version", "2026-07-28"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			verdict := func(url string) []string {
				out, _ := exec.Command(suite.Node, append([]string{c.program, "server", "--url", url + "/mcp"}, c.args...)...).CombinedOutput() // its status says that something failed, as the lines do
				var lines []string
				for line := range strings.Lines(string(out)) {
					if strings.HasPrefix(line, "✓") || strings.HasPrefix(line, "✗") || strings.HasPrefix(line, "Total") {
						lines = append(lines, strings.TrimSpace(line))
					}
				}
				if len(lines) < 20 {
					t.Fatalf("the suite did not run:\n%s", out)
				}
				return lines
			}
			direct := verdict(everything(t, server, c.stateless))
			through := verdict(proxied)
			t.Log(direct[len(direct)-1])
			if !slices.Equal(direct, through) {
				t.Errorf("directly:\n%s\n\nthrough the proxy:\n%s", strings.Join(direct, "\n"), strings.Join(through, "\n"))
			}
		})
	}
}

// everything starts the server over HTTP and returns its address.
func everything(t *testing.T, program, stateless string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-http", address, "-stateless="+stateless)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	lines.Scan() // it listens
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() {
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait()
	})
	return "http://" + address
}
