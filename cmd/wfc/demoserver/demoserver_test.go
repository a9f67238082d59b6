package demoserver

import (
	"context"
	"encoding/json"
	"io"
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
