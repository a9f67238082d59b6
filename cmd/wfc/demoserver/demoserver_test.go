package demoserver

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect runs the server on pipes as `wfc demo-server` does on stdin and stdout.
func connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), serverIn, serverOut)
		serverOut.Close()
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := <-ended; err != nil {
			t.Errorf("Run after the end of its input: %v", err)
		}
	})
	return client
}

func TestTools(t *testing.T) {
	client := connect(t)
	for _, c := range []struct {
		name, tool, args string
		isError          bool
		structured, text string // empty: not compared
	}{
		{"greets in English by default", "greet", `{"name":"Ada"}`, false, `{"greeting":"Hello, Ada!"}`, ""},
		{"greets in the language asked for", "greet", `{"name":"Ada","language":"fr"}`, false, `{"greeting":"Bonjour, Ada!"}`, ""},
		{"refuses a language it does not have", "greet", `{"name":"Ada","language":"nl"}`, true, "", ""},
		{"counts", "counter", `{}`, false, `{"count":1}`, ""},
		{"counts on", "counter", `{}`, false, `{"count":2}`, ""},
		{"lists open tasks", "list_tasks", `{"state":"open","limit":1}`, false, `{"tasks":[{"id":1,"title":"Write the report","done":false,"assignee":"ada"}]}`, ""},
		{"lists done tasks", "list_tasks", `{"state":"done"}`, false, `{"tasks":[{"id":2,"title":"Book the room","done":true}]}`, ""},
		{"adds a label", "add_label", `{"task":1,"label":"urgent"}`, false, `{"task":1,"labels":["urgent"]}`, ""},
		{"keeps a label once", "add_label", `{"task":1,"label":"urgent"}`, false, `{"task":1,"labels":["urgent"]}`, ""},
		{"says which task is missing", "add_label", `{"task":9,"label":"x"}`, true, "", "there is no task 9"},
		{"deletes", "delete_task", `{"task":3}`, false, `{"deleted":true}`, ""},
		{"says that nothing was deleted", "delete_task", `{"task":3}`, false, `{"deleted":false}`, ""},
		{"echoes as text", "echo", `{"text":"a\r\nb"}`, false, "null", "a\r\nb"},
		{"refuses an echo of no text", "echo", `{"text":1}`, true, "", `The argument "text" is no string.`},
		{"inspects a list", "inspect", `{"value":[1.50,null]}`, false, "", `{"value":[1.50,null]}`},
		{"inspects a number beyond 2^53", "inspect", `{"value":9007199254740993}`, false, "", `{"value":9007199254740993}`},
		{"names an unknown argument", "inspect", `{"value":1,"more":2}`, true, "", `There is no argument "more". Known: value.`},
		{"names a missing argument", "inspect", `{}`, true, "", `The argument "value" is missing.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.args)})
			if err != nil {
				t.Fatal(err)
			}
			structured, _ := json.Marshal(r.StructuredContent)
			var text string
			if len(r.Content) > 0 {
				text = r.Content[0].(*mcp.TextContent).Text
			}
			if r.IsError != c.isError {
				t.Errorf("isError = %v, text %q", r.IsError, text)
			}
			if c.structured != "" && !sameJSON(string(structured), c.structured) {
				t.Errorf("structured content %s, want %s", structured, c.structured)
			}
			if c.text != "" && text != c.text {
				t.Errorf("text %q, want %q", text, c.text)
			}
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

func TestResourcesAndPrompts(t *testing.T) {
	client := connect(t)
	read := func(uri string) string {
		r, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err.Error()
		}
		return r.Contents[0].Text
	}
	if got := read("demo://readme"); got != "# wfc-demo\n\nA server to try wfc with.\n" {
		t.Errorf("readme: %q", got)
	}
	if got := read("demo://tasks/2"); got != `{"id":2,"title":"Book the room","done":true}` {
		t.Errorf("task 2: %s", got)
	}
	p, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "summarise", Arguments: map[string]string{"topic": "tides"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Messages[0].Content.(*mcp.TextContent).Text; got != "Summarise tides in three sentences." {
		t.Errorf("prompt: %q", got)
	}
	if p, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "summarise"}); err == nil || !strings.Contains(err.Error(), "The argument topic is missing.") {
		t.Errorf("a prompt without its argument: %v, %v", p, err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, in, io.Discard) }()
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestWhatWasReadIsAnsweredBeforeTheEnd(t *testing.T) {
	const requests = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"counter","arguments":{}}}
{"jsonrpc":"2.0","id":"three","method":"tools/list"}
{"jsonrpc":"2.0","id":4,"method":"no/such"}
`
	for _, in := range []string{requests, strings.TrimSuffix(requests, "\n"), requests + "{ no JSON\n"} {
		var out strings.Builder
		_ = Run(t.Context(), strings.NewReader(in), &out)
		var ids []string
		for line := range strings.Lines(out.String()) {
			var m struct {
				ID json.RawMessage `json:"id"`
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			if m.ID != nil {
				ids = append(ids, string(m.ID))
			}
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != `"three" 1 2 4` {
			t.Errorf("the answers are %s:\n%s", got, out.String())
		}
	}
}

func TestAnInputThatEndsWhenNobodyReadsTheOutputEndsTheServer(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"
	_ = Run(t.Context(), strings.NewReader(in), brokenPipe{})
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
