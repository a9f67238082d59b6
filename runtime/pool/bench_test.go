package pool

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

var benchArgs = json.RawMessage(`{"value":{"id":1,"title":"Write the report","labels":["a","b"]}}`)

func BenchmarkCallBare(b *testing.B) {
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).
		Connect(b.Context(), &mcp.CommandTransport{Command: exec.Command("/tmp/testserver")}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for b.Loop() {
		if _, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: "echo", Arguments: benchArgs}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallPool(b *testing.B) {
	p := New(Options{})
	defer p.Close(b.Context())
	t := Target{Connection: connection.Connection{ID: "bench.main", Stdio: &connection.Stdio{Command: "/tmp/testserver"}, ProtocolVersion: "2025-11-25"}}
	p.Warm(t)
	for b.Loop() {
		if _, err := p.CallTool(b.Context(), t, session.Call{Tool: "echo", Args: benchArgs, ReadOnly: true}); err != nil {
			b.Fatal(err)
		}
	}
}
