package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runner/mcpserver"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// counting is an MCP server in this process whose tool counter counts in each session.
type counting struct {
	*httptest.Server

	mu    sync.Mutex
	count map[string]int // by session
	calls []string       // the arguments of each call of counter
}

func newCounting(t *testing.T) *counting {
	c := &counting{count: map[string]int{}}
	server := mcp.NewServer(&mcp.Implementation{Name: "counting", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{
		Name: "counter", InputSchema: json.RawMessage(`{"type":"object"}`),
		OutputSchema: json.RawMessage(`{"type":"object","required":["count"],"properties":{"count":{"type":"integer"}}}`),
	}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.count[req.Session.ID()]++
		c.calls = append(c.calls, string(req.Params.Arguments))
		return &mcp.CallToolResult{StructuredContent: map[string]int{"count": c.count[req.Session.ID()]}}, nil
	})
	server.AddResource(&mcp.Resource{Name: "a", URI: "test://a"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c.seen(req.Session)
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://a", Text: "a"}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "summarise"}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		c.seen(req.Session)
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "x"}}}}, nil
	})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if s, ok := req.GetSession().(*mcp.ServerSession); ok {
				c.seen(s)
			}
			return next(ctx, method, req)
		}
	})
	c.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(c.Server.Close)
	return c
}

// seen counts a session.
func (c *counting) seen(s *mcp.ServerSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count[s.ID()] += 0
}

func (c *counting) sessions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.count)
}

func (c *counting) arguments() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

// One session with a source serves all: discovery, drafts made of it, runs of deployments,
// single calls, resources, prompts, and agents. The source is a server in this process,
// and a real process over stdio.
func TestOneSessionServesTheWholeStack(t *testing.T) {
	for _, source := range []string{"in this process", "a process"} {
		t.Run(source, func(t *testing.T) {
			s := newServerTest(t, Options{})
			sessions := func() int { return len(servertest.Lines(t, filepath.Join(s.root, "starts"))) }
			arguments := func() (all []string) {
				for _, line := range servertest.Lines(t, filepath.Join(s.root, "log")) {
					if args, ok := strings.CutPrefix(strings.TrimSpace(line), "call counter "); ok {
						all = append(all, args)
					}
				}
				return all
			}
			if source == "in this process" {
				c := newCounting(t)
				sessions, arguments = c.sessions, c.arguments
				connection := fmt.Sprintf("connection \"fixture\" \"default\" {\n  protocol = \"2025-11-25\"\n  http {\n    url = %q\n  }\n}\n", c.URL)
				must(t, os.WriteFile(filepath.Join(s.root, "a.wf.hcl"), []byte(connection), 0o600))
				must(t, s.host.Reload(t.Context()))
			}
			c := s.client()
			refreshed := call(t, c, protocol.SourcesRefresh, protocol.RefreshParams{Source: "fixture.default"})
			if refreshed.Change != "created" {
				t.Errorf("the snapshot is %s", refreshed.Change)
			}
			draft := call(t, c, protocol.DraftsCreateFromCapability, protocol.DraftFromCapabilityParams{WorkspaceID: "count", Capability: "fixture.default.counter", Name: "count"})
			if draft.Status != "valid" {
				t.Fatalf("the draft is %s: %v", draft.Status, draft.Diagnostics)
			}
			artifact := call(t, c, protocol.ArtifactsCreateFromDraft, protocol.ArtifactFromDraftParams{WorkspaceID: "count", ArtifactID: "count", Version: "1.0.0"})
			if !slices.Equal(artifact.RequiredLogicalSources, []string{"fixture"}) || !slices.Equal(artifact.Outcomes, []string{"ok", "error"}) {
				t.Errorf("the artifact needs %v and ends %v", artifact.RequiredLogicalSources, artifact.Outcomes)
			}
			call(t, c, protocol.DeploymentsSave, protocol.DeploymentSaveParams{
				ID: "count", ArtifactID: "count", ArtifactVersion: "1.0.0", Bindings: []protocol.Binding{{LogicalSource: "fixture", ConcreteSource: "fixture.default"}},
			})
			for _, want := range []string{`{"result":{"count":1}}`, `{"result":{"count":2}}`} {
				run := call(t, c, protocol.DeploymentsRun, protocol.DeploymentRunParams{DeploymentID: "count", Start: protocol.Start{Wait: true}})
				if run.Status != "completed" || run.Output.JSON() != want {
					t.Errorf("the run is %s with %s, want %s", run.Status, run.Output.JSON(), want)
				}
			}
			if n, args := sessions(), arguments(); n != 1 || !slices.Equal(args, []string{"{}", "{}"}) {
				t.Errorf("there were %d sessions and calls with %q", n, args)
			}

			// The rest goes on in the same session.
			for _, want := range []string{`{"count":3}`, `{"count":4}`} {
				if r := call(t, c, protocol.CapabilitiesCall, protocol.CallParams{Capability: "fixture.default.counter"}); r.Output.JSON() != want {
					t.Errorf("the call gives %s, want %s", r.Output.JSON(), want)
				}
			}
			call(t, c, protocol.ResourcesRead, protocol.ReadParams{Connection: "fixture.default", URI: "test://a"})
			call(t, c, protocol.PromptsRender, protocol.PromptParams{Prompt: "fixture.default.summarise"})
			agents, err := mcpserver.New(t.Context(), s.host, mcpserver.Options{})
			must(t, err)
			web := httptest.NewServer(agents.Handler(nil))
			defer web.Close()
			defer agents.Close()
			for _, want := range []string{"5", "6"} { // each request is an agent of its own
				agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true}, nil)
				must(t, err)
				r, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "count"})
				must(t, err)
				if got := r.Content[0].(*mcp.TextContent).Text; got != `{"result":{"count":`+want+`}}` {
					t.Errorf("the agent gets %s, want count %s", got, want)
				}
				must(t, agent.Close())
			}
			if n := sessions(); n != 1 {
				t.Errorf("there were %d sessions", n)
			}
		})
	}
}
