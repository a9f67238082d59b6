// Package mcpserver offers the deployments of a project as MCP tools: who calls one
// runs it. It is thin over runner/service and serves all revisions, over stdio and
// streamable HTTP, with sessions and without.
//
// Its central type is [Server]. Of wfc it imports runner/service and what that gives.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/service"
)

// Options of a server.
type Options struct {
	Version string // what clients are told of us
	// Manage offers the tools that list, describe, run and watch, beside the deployments.
	Manage bool
	// User is who answers questions where a client shows no token: whoever started the
	// server. "": nobody knows.
	User string
	// Log gets what clients are not told of; nil: nothing is logged.
	Log *slog.Logger
}

// Server offers the deployments of a host. Its methods may be used by several
// goroutines. Close it before the host: calls in flight end then, and their runs go on.
type Server struct {
	host    *service.Host
	options Options
	log     *slog.Logger
	mcp     *mcp.Server
	seal    *seal

	end    context.Context // done once the server closes
	closed context.CancelCauseFunc

	calls sync.WaitGroup // those that are being answered

	mu    sync.Mutex
	tools map[string]tool // by name
	// unready says of tools that there would be why their deployments cannot be run.
	unready map[string]string
}

// tool is a deployment as clients see it.
type tool struct {
	deployment string
	seen       string // all that clients see of it
	steps      int
}

// New returns a server. The error names two deployments that would have the same tool.
func New(ctx context.Context, host *service.Host, o Options) (*Server, error) {
	s := &Server{host: host, options: o, log: o.Log, tools: map[string]tool{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.end, s.closed = context.WithCancelCause(context.Background())
	s.seal = newSeal()
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "wfc", Title: "wfc workflows", Version: o.Version}, &mcp.ServerOptions{
		Instructions: "Each tool runs a workflow to its end and returns its outputs. A call may take minutes; progress is told as it goes.",
		Logger:       s.log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{}},
		PageSize:     pageSize,
	})
	s.mcp.AddReceivingMiddleware(s.recovering, s.refreshing)
	s.addBlobs()
	if o.Manage {
		s.addManagement()
	}
	twice, err := s.refresh(ctx)
	if err == nil && twice != nil {
		err = twice
	}
	if err != nil {
		s.closed(err)
		return nil, err
	}
	return s, nil
}

// pageSize is how many tools a page of the list has: clients that read one page only
// see all tools of most projects.
const pageSize = 500

// Close ends all sessions. Runs that were begun by a call go on.
func (s *Server) Close() {
	s.closed(errClosing)
	for session := range s.mcp.Sessions() {
		_ = session.Close() // it ends whatever it says
	}
}

var errClosing = &service.Error{Kind: service.Closing, Message: "The server closes. The run goes on, or will with the next server."}

// refreshing looks for changed deployments before clients see what there is.
func (s *Server) refreshing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, isCall := req.(*mcp.CallToolRequest)
		if method == "tools/list" || isCall && !s.has(call.Params.Name) {
			if err := s.Refresh(ctx); err != nil {
				return nil, err
			}
		}
		if isCall && !s.has(call.Params.Name) {
			if why := s.without(call.Params.Name); why != "" {
				return failed(why, ""), nil
			}
		}
		return next(ctx, method, req)
	}
}

// recovering keeps the server up where handling a request panics.
func (s *Server) recovering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("internal fault", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, errors.New("This is a bug in wfc. The server's log says more")
			}
		}()
		return next(ctx, method, req)
	}
}

func (s *Server) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools[name] != (tool{}) || s.options.Manage && managementTools[name]
}

// without says why there is no tool of a name: the deployment that it would be of
// cannot be run. "": there is no such deployment.
func (s *Server) without(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unready[name]
}

// Refresh looks at the deployments anew, and tells clients if their tools have changed.
func (s *Server) Refresh(ctx context.Context) error {
	twice, err := s.refresh(ctx)
	if twice != nil {
		s.log.Warn("a deployment is not offered as a tool", "why", twice.Error())
	}
	return err
}

// twiceError says that two deployments would have one tool; first is "" where it is one
// of wfc itself.
type twiceError struct{ name, first, second string }

func (e *twiceError) Error() string {
	if e.first == "" {
		return fmt.Sprintf("the deployment %q would be the tool %q, which is one of wfc itself. Give it another name", e.second, e.name)
	}
	return fmt.Sprintf("the deployments %q and %q would both be the tool %q. Give one of them another name", e.first, e.second, e.name)
}

// refresh brings the tools up to date. Of deployments that would have the same tool
// the first is offered, and the error says so.
func (s *Server) refresh(ctx context.Context) (twice, err error) {
	deployments, err := s.host.Deployments(ctx, service.Page{})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := map[string]string{}
	for name := range managementTools {
		if s.options.Manage {
			owner[name] = ""
		}
	}
	// Whoever has a name already keeps it.
	for name, t := range s.tools {
		owner[name] = t.deployment
	}
	now, unready := map[string]tool{}, map[string]string{}
	for _, d := range deployments {
		name := service.ToolName(d.ID)
		if err := d.Refusal(); err != nil {
			if unready[name] = whyNot(err); s.unready[name] != unready[name] {
				s.log.Warn("a deployment is not offered as a tool", "why", unready[name])
			}
			continue
		}
		if first, taken := owner[name]; taken && first != d.ID {
			twice = &twiceError{name, first, d.ID}
			continue
		}
		owner[name] = d.ID
		spec := describe(name, d)
		seen, err := json.Marshal(spec)
		if err != nil {
			return nil, fmt.Errorf("the deployment %s cannot be described: %w", d.ID, err)
		}
		t := tool{deployment: d.ID, seen: string(seen), steps: len(d.Plan.Nodes)}
		if s.tools[name] != t {
			s.mcp.AddTool(spec, s.handler(name))
		}
		now[name] = t
	}
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		if now[name] == (tool{}) {
			s.mcp.RemoveTools(name)
		}
	}
	s.tools, s.unready = now, unready
	return twice, nil
}

// maxFindings bounds the findings in a text.
const maxFindings = 5

// whyNot says why a deployment cannot be run, with its errors where there are several.
func whyNot(err error) string {
	text := err.Error()
	refused := (*service.Error)(nil)
	if !errors.As(err, &refused) {
		return text
	}
	findings := refused.Diagnostics.List
	if n, _ := findings.Count(); n < 2 {
		return text
	}
	shown := 0
	for _, f := range findings {
		if f.Severity == diag.Error && shown < maxFindings {
			shown++
			text += fmt.Sprintf("\n%s:%d: %s", f.Range.File, f.Range.Start.Line, f.Detail)
		}
	}
	return text
}

// describe returns what clients see of a deployment.
func describe(name string, d *service.Deployment) *mcp.Tool {
	e := effectsOf(d.Plan)
	t := &mcp.Tool{
		Name: name, Title: d.Title, Description: d.Description,
		InputSchema: d.InputSchema, OutputSchema: d.OutputSchema,
		Annotations: &mcp.ToolAnnotations{Title: d.Title, ReadOnlyHint: e.readOnly, IdempotentHint: e.repeatable, DestructiveHint: &e.destructive},
	}
	if t.Description == "" {
		t.Description = fmt.Sprintf("Runs the workflow %s.", d.Workflow)
	}
	return t
}
