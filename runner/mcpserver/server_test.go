package mcpserver_test

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
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/mcpserver"
	"github.com/lda-wf/wfc/runner/service"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// tools are those of the test server that the workflows use.
const tools = `{"name":"counter","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["count"],"properties":{"count":{"type":"integer"}}},"annotations":{"readOnlyHint":false,"destructiveHint":false}}
{"name":"echo","inputSchema":{"type":"object","properties":{"value":true}}}
{"name":"error","inputSchema":{"type":"object","properties":{"code":{"type":"integer"},"message":{"type":"string"}}}}
{"name":"raw","inputSchema":{"type":"object","properties":{"result":{"type":"object"}}}}
{"name":"wait","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}
`

const workflows = `
connection "test" "main" {
  stdio {
    command = env("TESTSERVER")
    args    = ["-list", env("TOOLS")]
  }
}
workflow "count" {
  description = "Counts."
  source "s" {
    bind = connection.test.main
  }
  step "counter" {
    call = s.counter
  }
  output "count" {
    value = step.counter.output.count
  }
}
workflow "say" {
  source "s" {
    bind = connection.test.main
  }
  input "value" {
    type = any
  }
  step "echo" {
    call = s.echo
    args = { value = input.value }
  }
  step "check" {
    value = 1
    depends_on = [step.echo]
  }
  output "text" {
    value = jsonencode(step.echo.output)
  }
}
workflow "fail" {
  source "s" {
    bind = connection.test.main
  }
  input "times" {
    type = integer
  }
  step "find" {
    for_each = range(input.times)
    call = s.error
    args = { code = -32000, message = "not today" }
  }
}
workflow "hang" {
  source "s" {
    bind = connection.test.main
  }
  step "wait" {
    call = s.wait
  }
}
deployment "count" {
  workflow = workflow.count
}
deployment "say" {
  workflow = workflow.say
}
deployment "fail" {
  workflow = workflow.fail
}
deployment "hang" {
  workflow = workflow.hang
}
`

// open opens a host over a project with the test server, and a server of its deployments.
func open(t *testing.T, o mcpserver.Options, more ...string) (*service.Host, *mcpserver.Server, error) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"wfc.hcl": "", "tools.ndjson": tools, "a.wf.hcl": workflows + strings.Join(more, "\n")} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Load(root, project.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	h, err := service.OpenHost(t.Context(), p, service.HostOptions{Options: service.Options{
		Environment: service.Environment{ProjectRoot: root, Lookup: func(name string) (string, bool) {
			v, ok := map[string]string{"TESTSERVER": servertest.Path(t), "TOOLS": filepath.Join(root, "tools.ndjson")}[name]
			return v, ok
		}},
		Version: "1",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := h.RefreshSource(t.Context(), "test.main", service.RefreshOptions{}); err != nil {
		t.Fatal(err)
	}
	o.Version = "1"
	s, err := mcpserver.New(t.Context(), h, o)
	if err == nil {
		t.Cleanup(s.Close)
	}
	return h, s, err
}

// connects are the ways to reach a server, by what they are.
var connects = map[string]func(t *testing.T, s *mcpserver.Server, client *mcp.Client) *mcp.ClientSession{
	"stdio": func(t *testing.T, s *mcpserver.Server, client *mcp.Client) *mcp.ClientSession {
		ours, theirs := pipes(t)
		served := make(chan error, 1)
		go func() { served <- s.ServeStdio(context.Background(), ours.in, ours.out) }()
		session := connect(t, client, &mcp.IOTransport{Reader: theirs.in, Writer: theirs.out}, "")
		t.Cleanup(func() {
			session.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
		return session
	},
	"2025-06-18": overHTTP("2025-06-18"),
	"2025-11-25": overHTTP("2025-11-25"),
	"2026-07-28": overHTTP("2026-07-28"),
}

func overHTTP(version string) func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession {
	return func(t *testing.T, s *mcpserver.Server, client *mcp.Client) *mcp.ClientSession {
		web := httptest.NewServer(s.Handler(nil))
		t.Cleanup(web.Close)
		session := connect(t, client, &mcp.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true, MaxRetries: -1}, version)
		t.Cleanup(func() { session.Close() })
		if got := session.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("the session speaks %s", got)
		}
		return session
	}
}

func connect(t *testing.T, client *mcp.Client, over mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	session, err := client.Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func eachWay(t *testing.T, test func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession)) {
	for way, connect := range connects {
		t.Run(way, func(t *testing.T) { test(t, connect) })
	}
}

func plainClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
}

func text(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func TestEveryDeploymentIsATool(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := connect(t, s, plainClient()).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			schema, _ := json.Marshal(tool.InputSchema)
			if tool.Name == "fail" && !strings.Contains(string(schema), `"times"`) {
				t.Errorf("the input schema of fail is %s", schema)
			}
			a := tool.Annotations
			if readOnly := tool.Name == "hang"; a.ReadOnlyHint != readOnly {
				t.Errorf("%s: readOnlyHint is %t", tool.Name, a.ReadOnlyHint)
			}
		}
		if slices.Sort(names); !slices.Equal(names, []string{"count", "fail", "hang", "say"}) {
			t.Errorf("the tools are %v", names)
		}
	})
}

func TestCallsShareTheSession(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		session := connect(t, s, plainClient())
		for i := range 2 {
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "count"})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(r.StructuredContent)
			if want := fmt.Sprintf(`{"count":%d}`, i+1); string(got) != want || text(r) != want {
				t.Errorf("call %d gave %s and the text %s", i+1, got, text(r))
			}
		}
	})
}

func TestValuesPassExactly(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		args := json.RawMessage(`{"value": 9007199254740993}`)
		r, err := connect(t, s, plainClient()).CallTool(t.Context(), &mcp.CallToolParams{Name: "say", Arguments: args})
		if err != nil || !strings.Contains(text(r), "9007199254740993") {
			t.Errorf("it gave %q, %v", text(r), err)
		}
	})
}

func TestAFailedRunNamesItsStep(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		session := connect(t, s, plainClient())
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail", Arguments: map[string]any{"times": 1}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.IsError || !strings.Contains(text(r), "The step find[0] failed (protocol): ") || !strings.Contains(text(r), "not today") {
			t.Errorf("it gave %q, %v", text(r), err)
		}
		r, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail", Arguments: map[string]any{"tims": 1}})
		if err != nil || !r.IsError || !strings.Contains(text(r), "times") {
			t.Errorf("wrong arguments gave %q, %v", text(r), err)
		}
	})
}

func TestProgressIsToldStepByStep(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan *mcp.ProgressNotificationParams, 16)
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- req.Params },
		})
		params := &mcp.CallToolParams{Name: "say", Arguments: map[string]any{"value": 1}}
		params.SetProgressToken("p")
		if _, err := connect(t, s, client).CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"echo: ok", "check: ok"} {
			if p := <-told; p.Message != want || p.Progress != float64(i+1) || p.Total != 2 {
				t.Errorf("progress %d is %+v", i, p)
			}
		}
	})
}

func TestACancelledCallCancelsItsRun(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		h, s, err := open(t, mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		session := connect(t, s, plainClient())
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "hang"})
			done <- err
		}()
		id := begun(t, h)
		cancel()
		if err := <-done; err == nil {
			t.Error("the call was answered")
		}
		if r, err := h.Wait(t.Context(), id); err != nil || r.Status != "cancelled" {
			t.Errorf("the run is %+v, %v", r, err)
		}
	})
}

// begun returns the one run of a host once its first call is under way.
func begun(t *testing.T, h *service.Host) string {
	t.Helper()
	for {
		runs, err := h.Runs(t.Context(), service.RunFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) == 1 {
			for ev, err := range h.Follow(t.Context(), string(runs[0].Run), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(ev.Event.AppendJSON(nil)), "step.started") {
					return string(runs[0].Run)
				}
			}
		}
	}
}

func TestADeploymentThatIsNoToolSaysWhy(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{}, `
workflow "broken" {
  output "a" {
    value = input.a
  }
  output "b" {
    value = input.b
  }
}
deployment "broken" {
  workflow = workflow.broken
}
`)
		if err != nil {
			t.Fatal(err)
		}
		r, err := connect(t, s, plainClient()).CallTool(t.Context(), &mcp.CallToolParams{Name: "broken"})
		if err != nil || !r.IsError || !strings.Contains(text(r), `"a"`) || !strings.Contains(text(r), `"b"`) || !strings.Contains(text(r), "a.wf.hcl:") {
			t.Errorf("it gave %q, %v", text(r), err)
		}
	})
}

func TestTwoDeploymentsOfOneToolAreRefused(t *testing.T) {
	_, _, err := open(t, mcpserver.Options{Manage: true}, "deployment \"wfc_get_run\" {\n  workflow = workflow.count\n}\n")
	if err == nil || !strings.Contains(err.Error(), "wfc_get_run") {
		t.Errorf("the error is %v", err)
	}
}

func TestManagementToolsAreThereOnRequest(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{Manage: true})
		if err != nil {
			t.Fatal(err)
		}
		session := connect(t, s, plainClient())
		call := func(name, args string) string {
			t.Helper()
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
			if err != nil || r.IsError {
				t.Fatalf("%s: %v, %v", name, text(r), err)
			}
			return text(r)
		}
		if got := call("wfc_list_deployments", `{}`); strings.Count(got, `"status":"ready"`) != 4 {
			t.Errorf("the deployments are %s", got)
		}
		if got := call("wfc_describe_deployment", `{"deployment": "fail"}`); !strings.Contains(got, `"times"`) {
			t.Errorf("fail is %s", got)
		}
		var run struct {
			Run string `json:"run_id"`
		}
		got := call("wfc_run_deployment", `{"deployment": "count", "wait": true}`)
		if err := json.Unmarshal([]byte(got), &run); err != nil || !strings.Contains(got, `"output":{"count":1}`) {
			t.Errorf("the run is %s, %v", got, err)
		}
		if got := call("wfc_get_run", fmt.Sprintf(`{"run_id": %q}`, run.Run)); !strings.Contains(got, `"status":"completed"`) {
			t.Errorf("the run is %s", got)
		}
	})
}

func TestASessionIsItsPrincipals(t *testing.T) {
	_, s, err := open(t, mcpserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler(func(r *http.Request) string { return r.Header.Get("Authorization") }))
	t.Cleanup(web.Close)
	post := func(who, session, body string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": who, "Mcp-Session-Id": session} {
			if v != "" {
				req.Header.Set(name, v)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	first := post("Bearer a", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	id := first.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("initialize was answered %s without a session", first.Status)
	}
	if again := post("Bearer b", id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); again.StatusCode != http.StatusForbidden {
		t.Errorf("the session of another was answered %s", again.Status)
	}
	if again := post("Bearer a", id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); again.StatusCode != http.StatusOK {
		t.Errorf("its own was answered %s", again.Status)
	}
}
