package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/npm"
)

// realServer is a target on a server of the npm registry.
func realServer(t *testing.T, id, command string, env map[string]string, args ...string) Target {
	bin := npm.Bin(t)
	all := map[string]string{"PATH": bin + string(filepath.ListSeparator) + os.Getenv("PATH")}
	for name, v := range env {
		all[name] = v
	}
	return Target{Connection: connection.Connection{ID: id, Stdio: &connection.Stdio{Command: command, Args: args, Env: all, Dir: t.TempDir()}}}
}

func closing(t *testing.T, p *Pool) {
	t.Cleanup(func() {
		begin := time.Now()
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if d := time.Since(begin); d > 10*connection.DefaultClose {
			t.Errorf("closing took %s", d)
		}
	})
}

// 40 parallel calls of server-memory's create_entities all succeed, and one survives:
// it reads its file, changes it and writes it. Ours are one after the other.
func TestOverlappingWritesOfARealServerAreNotLost(t *testing.T) {
	const n = 40
	target := realServer(t, "memory.main", "mcp-server-memory", map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")})
	p := New(Options{})
	closing(t, p)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			args := fmt.Sprintf(`{"entities":[{"name":"e%d","entityType":"t","observations":[]}]}`, i)
			if r, err := p.CallTool(t.Context(), target, session.Call{Tool: "create_entities", Args: json.RawMessage(args)}); err != nil || r.IsError {
				t.Errorf("entity %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	r, err := p.CallTool(t.Context(), target, session.Call{Tool: "read_graph", ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(r.Text, `"entityType"`); got != n {
		t.Errorf("%d of %d entities are there", got, n)
	}
}

// The everything server asks clients that offer roots for them, and then takes 5 s to end.
func TestARealServerKeepsItsStateAndEndsSoon(t *testing.T) {
	for name, target := range map[string]Target{
		"everything":          realServer(t, "everything.main", "mcp-server-everything", nil),
		"sequential-thinking": realServer(t, "thinking.main", "mcp-server-sequential-thinking", nil),
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Options{})
			closing(t, p)
			server, err := p.Server(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			if server.ProtocolVersion != "2025-11-25" {
				t.Errorf("revision %s", server.ProtocolVersion)
			}
			if name == "everything" {
				if _, err := p.CallTool(t.Context(), target, session.Call{Tool: "echo", Args: json.RawMessage(`{"message":"é"}`), ReadOnly: true}); err != nil {
					t.Error(err)
				}
				return
			}
			for i := 1; i <= 3; i++ {
				args := fmt.Sprintf(`{"thought":"t","nextThoughtNeeded":true,"thoughtNumber":%d,"totalThoughts":3}`, i)
				r, err := p.CallTool(t.Context(), target, session.Call{Tool: "sequentialthinking", Args: json.RawMessage(args)})
				if err != nil || !strings.Contains(structured(r), fmt.Sprintf(`"thoughtHistoryLength":%d`, i)) {
					t.Errorf("thought %d: %v %v", i, r, err)
				}
			}
		})
	}
}
