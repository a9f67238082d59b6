package pool

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// A call through the pool must cost at most 50 µs more than one through a bare
// SDK session. Both benchmarks talk to the same server:
//
//	go test -run '^$' -bench Call ./runtime/pool

var (
	smallArgs = json.RawMessage(`{"value":{"id":1,"title":"Write the report","labels":["a","b"]}}`)
	largeArgs = json.RawMessage(`{"n":1048576}`)
)

func benchmarkBare(b *testing.B, tool string, args json.RawMessage) {
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).
		Connect(b.Context(), &mcp.CommandTransport{Command: exec.Command(servertest.Path(b))}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for b.Loop() {
		if _, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkPool(b *testing.B, tool string, args json.RawMessage) {
	p := New(Options{})
	t := Target{Connection: connection.Connection{ID: "bench.main", Stdio: &connection.Stdio{Command: servertest.Path(b)}, ProtocolVersion: "2025-11-25"}}
	p.Warm(t)
	for b.Loop() {
		if _, err := p.CallTool(b.Context(), t, session.Call{Tool: tool, Args: args, ReadOnly: true}); err != nil {
			b.Fatal(err)
		}
	}
	if err := p.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkCallBare(b *testing.B)      { benchmarkBare(b, "echo", smallArgs) }
func BenchmarkCallPool(b *testing.B)      { benchmarkPool(b, "echo", smallArgs) }
func BenchmarkCallLargeBare(b *testing.B) { benchmarkBare(b, "big", largeArgs) }
func BenchmarkCallLargePool(b *testing.B) { benchmarkPool(b, "big", largeArgs) }
