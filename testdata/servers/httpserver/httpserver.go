// Package httpserver is an MCP server over HTTP for tests: the SDK's, with tools that
// show what a client must get right, behind a layer that answers in its place as no
// good server would. Only tests import it.
package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say what kind of server it is. The zero value has sessions, speaks the
// revisions before 2026-07-28, and answers with event streams.
type Options struct {
	Stateless bool // without sessions; speaks 2026-07-28 as well
	JSON      bool // answers with JSON
	SSE       bool // the transport of before 2025-03-26
	// Token is what every request must carry as a bearer token; "" for none.
	Token string
}

// Server is an http.Handler. All methods are safe for concurrent use.
type Server struct {
	options Options
	before  func(kind string) http.HandlerFunc // answers in its place if it is not nil and what it returns is not; of [Main]

	turn sync.Mutex // of before

	mu     sync.Mutex
	inner  http.Handler
	faults map[string][]http.HandlerFunc
	seen   []string
	token  string
	came   *sync.Cond    // a request
	held   chan struct{} // closed: the tool hold returns
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{options: o, faults: map[string][]http.HandlerFunc{}, token: o.Token, held: make(chan struct{})}
	s.came = sync.NewCond(&s.mu)
	s.Forget()
	return s
}

// Forget makes the server forget all sessions, as one that was started again.
func (s *Server) Forget() {
	get := func(*http.Request) *mcp.Server { return s.server() }
	var inner http.Handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: s.options.Stateless, JSONResponse: s.options.JSON,
		DisableLocalhostProtection: true, // it is a proxy, too
	})
	if s.options.SSE {
		inner = mcp.NewSSEHandler(get, nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inner = inner
}

// SetToken replaces the token that requests must carry.
func (s *Server) SetToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// Fault has the next request of a kind answered by f. The kind is the method of
// JSON-RPC, or the one of HTTP for a request without a message.
func (s *Server) Fault(kind string, f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[kind] = append(s.faults[kind], f)
}

// Release lets the tool hold return.
func (s *Server) Release() { close(s.held) }

// Seen returns the kinds of the requests so far, as of [Server.Fault].
func (s *Server) Seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.seen...)
}

// Await returns once a request of a kind has come.
func (s *Server) Await(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !slices.Contains(s.seen, kind) {
		s.came.Wait()
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct{ Method string }
	if json.Unmarshal(body, &m) != nil || m.Method == "" {
		m.Method = r.Method
	}
	var fault http.HandlerFunc
	s.turn.Lock()
	if s.before != nil {
		fault = s.before(m.Method)
	}
	s.turn.Unlock()
	s.mu.Lock()
	s.seen = append(s.seen, m.Method)
	s.came.Broadcast()
	if waiting := s.faults[m.Method]; len(waiting) > 0 {
		fault, s.faults[m.Method] = waiting[0], waiting[1:]
	}
	inner, token := s.inner, s.token
	s.mu.Unlock()
	switch {
	case fault != nil:
		fault(w, r)
	case token != "" && r.Header.Get("Authorization") != "Bearer "+token:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="The token is unknown"`)
		w.WriteHeader(http.StatusUnauthorized)
	default:
		inner.ServeHTTP(w, r)
	}
}

// server returns the MCP server of one session.
func (s *Server) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "httpserver", Version: "1"}, nil)
	var count atomic.Int64
	add := func(name string, readOnly bool, run func(context.Context, *mcp.CallToolRequest) (string, error)) {
		tool := &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}}
		server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			structured, err := run(ctx, req)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: json.RawMessage(structured)}, nil
		})
	}
	add("counter", false, func(context.Context, *mcp.CallToolRequest) (string, error) {
		return fmt.Sprintf(`{"count":%d}`, count.Add(1)), nil
	})
	add("echo", true, func(_ context.Context, req *mcp.CallToolRequest) (string, error) {
		return string(req.Params.Arguments), nil
	})
	routed := &mcp.Tool{Name: "routed", InputSchema: json.RawMessage(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"to":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}`)}
	server.AddTool(routed, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		said := fmt.Sprintf(`{"region":%q,"n":%q}`, req.Extra.Header.Get("Mcp-Param-Region"), req.Extra.Header.Get("Mcp-Param-N"))
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: json.RawMessage(said)}, nil
	})
	add("headers", true, func(_ context.Context, req *mcp.CallToolRequest) (string, error) {
		headers := map[string]string{}
		for name, values := range req.Extra.Header {
			headers[name] = strings.Join(values, ", ")
		}
		out, err := json.Marshal(headers)
		return string(out), err
	})
	add("big", true, func(_ context.Context, req *mcp.CallToolRequest) (string, error) {
		var args struct{ N int }
		if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
			return "", err
		}
		return `{"text":"` + strings.Repeat("x", args.N) + `"}`, nil
	})
	add("progress", true, func(ctx context.Context, req *mcp.CallToolRequest) (string, error) {
		for i := range 10 {
			// Without an event stream there is no way for it, which is an error.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Message: fmt.Sprintf("part %d", i+1), Progress: float64(i + 1), Total: 10,
			})
		}
		return `{}`, nil
	})
	add("wait", true, func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	add("hold", true, func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		select {
		case <-s.held:
		case <-ctx.Done():
		}
		return `{}`, nil
	})
	addAsking(server)
	return server
}
