package proxy_test

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// asServer makes the test binary be an MCP server on stdio, for tests that need one in
// a process of its own.
const asServer = "WFC_PROXY_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		syscall.Exit(0) // without the race detector's sleep
	}
	servertest.Main(m)
}

// serveHTTP serves the server over HTTP: with a server for each session, or with one
// for all and no sessions.
func serveHTTP(t testing.TB, stateless bool) string {
	t.Helper()
	one := newServer()
	return serveHTTPAs(t, mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true}, func() *mcp.Server {
		if stateless {
			return one
		}
		return newServer() // it is asked for with every request, and used for the first of a session
	})
}

func serveHTTPAs(t testing.TB, o mcp.StreamableHTTPOptions, get func() *mcp.Server) string {
	t.Helper()
	s := httptest.NewServer(heard(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return get() }, &o)))
	t.Cleanup(func() {
		s.CloseClientConnections() // of handlers that wait
		s.Close()
	})
	return s.URL
}

// heard has the tool "grow" wait until the session has its standing stream: what a server
// says before that is lost, and a client need not wait for it.
func heard(h http.Handler) http.Handler {
	var sessions sync.Map // id → chan struct{}, closed once there is the stream
	of := func(r *http.Request) chan struct{} {
		ch, _ := sessions.LoadOrStore(r.Header.Get("Mcp-Session-Id"), make(chan struct{}))
		return ch.(chan struct{})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet:
			ch := of(r)
			w = &telling{w, sync.OnceFunc(func() { close(ch) })}
		case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") != "":
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte(`"name":"grow"`)) {
				select {
				case <-of(r):
				case <-r.Context().Done():
				}
			}
		}
		h.ServeHTTP(w, r)
	})
}

// telling tells before something is written.
type telling struct {
	http.ResponseWriter
	tell func()
}

// Write implements io.Writer.
func (w *telling) Write(p []byte) (int, error) {
	w.tell()
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *telling) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

const longName = "a_tool_whose_name_is_longer_than_the_sixty_four_characters_that_all_clients_take"

// newServer returns a server that does all that MCP has.
func newServer() *mcp.Server {
	var mu sync.Mutex
	memory := ""
	s := mcp.NewServer(&mcp.Implementation{Name: "everything", Version: "1"}, &mcp.ServerOptions{
		Instructions:       "Be kind.",
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Ref.Type + " " + r.Params.Ref.Name + r.Params.Ref.URI + " " + r.Params.Argument.Value}}}, nil
		},
	})
	add := func(name string, f func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args map[string]any
			_ = json.Unmarshal(r.Params.Arguments, &args)
			return f(ctx, r, args)
		})
	}
	say := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object","properties":{"value":{}},"x-more":9007199254740993}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: json.RawMessage(r.Params.Arguments)}, nil
		})
	add("fail", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "it failed"}}}, nil
	})
	add("remember", func(_ context.Context, _ *mcp.CallToolRequest, a map[string]any) (*mcp.CallToolResult, error) {
		mu.Lock()
		defer mu.Unlock()
		memory, _ = a["value"].(string)
		return say("noted"), nil
	})
	add("recall", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		mu.Lock()
		defer mu.Unlock()
		return say(memory), nil
	})
	add("whoami", func(_ context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		p := r.Session.InitializeParams()
		return say(fmt.Sprintf("%s elicitation=%t sampling=%t", p.ClientInfo.Name, p.Capabilities.Elicitation != nil, p.Capabilities.Sampling != nil)), nil
	})
	add("progress", func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Message: fmt.Sprint("part ", i+1)}); err != nil {
				return nil, err
			}
		}
		return say("done"), nil
	})
	add("log", func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		for _, level := range []mcp.LoggingLevel{"debug", "warning"} {
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Logger: "l", Data: "just text"}); err != nil {
				return nil, err
			}
		}
		return say("logged"), nil
	})
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)
	add("ask", func(_ context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		got, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: schema}}, RequestState: "asked"}, nil
		}
		return say(fmt.Sprintf("%s %v", got.Action, got.Content["name"])), nil
	})
	add("ask_directly", func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		got, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: schema})
		if err != nil {
			return nil, err
		}
		return say(fmt.Sprintf("%s %v", got.Action, got.Content["name"])), nil
	})
	add("sample", func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		got, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 9, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}})
		if err != nil {
			return nil, err
		}
		return say(got.Content.(*mcp.TextContent).Text), nil
	})
	add("roots", func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		got, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		var all []string
		for _, root := range got.Roots {
			all = append(all, root.URI)
		}
		return say(strings.Join(all, " ")), nil
	})
	add("grow", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		add("grown", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
			return say("new"), nil
		})
		return say("grown"), nil
	})
	add("touch", func(ctx context.Context, _ *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		return say("touched"), s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "file:///a"})
	})
	add("wait", func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1}); err != nil {
			return nil, err
		}
		<-ctx.Done()
		mu.Lock()
		memory = "cancelled"
		mu.Unlock()
		return nil, ctx.Err()
	})
	met := make(chan struct{})
	arrived := 0
	add("meet", func(ctx context.Context, _ *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, error) {
		mu.Lock()
		if arrived++; arrived == 4 {
			close(met)
		}
		mu.Unlock()
		select {
		case <-met:
			return say("met"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	add("link", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: "file:///a", Name: "a"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a", Text: "text of file:///a"}}}}, nil
	})
	add("big", func(_ context.Context, _ *mcp.CallToolRequest, a map[string]any) (*mcp.CallToolResult, error) {
		n, _ := a["n"].(float64)
		return say(strings.Repeat("x", int(n))), nil
	})
	add(longName, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return say("long"), nil
	})
	add("dotted.name", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		return say("dotted"), nil
	})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if strings.HasSuffix(r.Params.URI, "none") {
			return nil, errors.New("no such thing")
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "text of " + r.Params.URI}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "a", URI: "file:///a"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "t", URITemplate: "file:///t/{name}"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who"}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "Hello " + r.Params.Arguments["who"]}},
			{Role: "user", Content: &mcp.ResourceLink{URI: "file:///a", Name: "a"}},
		}}, nil
	})
	return s
}
