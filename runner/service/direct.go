package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/redact"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/oneshot"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
)

// Direct says how a direct operation is made: one that no workflow is part of.
type Direct struct {
	// Timeout is how long the operation may take once the session is up. Zero: it is
	// given up after [DirectIdle] without an answer or a progress message.
	Timeout time.Duration
	// OneShot gives the operation a session of its own, which closes behind it, in
	// place of the one that the service keeps.
	OneShot bool
	// Progress gets progress messages, in the order of the wire. It must not block. May
	// be nil.
	Progress func(engine.Progress)
	// Remark gets what a person should know of an operation that got an answer, such as
	// that the server asked somebody and nobody could answer: full sentences. May be nil.
	Remark func(string)
}

// DirectIdle is how long a direct operation without a timeout waits for a sign of
// life. It is the default of a step's idle_timeout.
const DirectIdle = 60 * time.Second

// CallTool calls a tool by the name that its server has for it, with args, an
// object. It needs no snapshot; where there is one, the result is held against the
// tool's output schema. The error says why nothing was tried: all that came of
// trying is in the reply.
func (s *Service) CallTool(ctx context.Context, c *compiler.Reach, tool string, args value.Value, d Direct) (*Reply, error) {
	if by := c.Excluded(tool); by != "" {
		return nil, excluded(c.Connection.ID, tool, by)
	}
	o, err := s.direct(ctx, c, d, "The call of "+c.Connection.ID+"."+tool)
	if err != nil {
		return nil, err
	}
	snap, err := s.project().Snapshot(c.Connection.ID)
	if err != nil {
		snap = nil // it is not needed
	}
	call := session.Call{Tool: tool, Args: value.AppendJSON(nil, args), ReadOnly: isRead(snap, tool), Progress: o.progress(), IdleTimeout: o.idle()}
	ctx, span := s.request(ctx, plan.Call, c.Connection.ID, tool)
	result, err := do(ctx, o, func(ctx context.Context, on server) (*content.Result, error) { return on.CallTool(ctx, call) })
	r := o.reply(result, err, !call.ReadOnly)
	if result != nil && result.IsError {
		r.Output = value.NullValue
		r.Failure = &Failure{Kind: engine.KindTool, Message: fmt.Sprintf("The tool %s.%s answered with an error%s", c.Connection.ID, tool, shown(r.Text))}
	}
	if snap != nil {
		r.compare(c, tool, snap)
	}
	endRequest(span, r.kind())
	return r, nil
}

// ReadResource reads the resource at uri. The error is as of [Service.CallTool].
func (s *Service) ReadResource(ctx context.Context, c *compiler.Reach, uri string, d Direct) (*Reply, error) {
	o, err := s.direct(ctx, c, d, "The reading of "+uri+" from "+c.Connection.ID)
	if err != nil {
		return nil, err
	}
	read := session.Read{URI: uri, Progress: o.progress(), IdleTimeout: o.idle()}
	ctx, span := s.request(ctx, plan.Read, c.Connection.ID, uri)
	result, err := do(ctx, o, func(ctx context.Context, on server) (*content.Result, error) { return on.ReadResource(ctx, read) })
	r := o.reply(result, err, false)
	endRequest(span, r.kind())
	return r, nil
}

// GetPrompt gets a prompt by the name that its server has for it. The error is as
// of [Service.CallTool].
func (s *Service) GetPrompt(ctx context.Context, c *compiler.Reach, name string, args map[string]string, d Direct) (*Reply, error) {
	o, err := s.direct(ctx, c, d, "The getting of the prompt "+c.Connection.ID+"."+name)
	if err != nil {
		return nil, err
	}
	get := session.Get{Prompt: name, Args: args, Progress: o.progress(), IdleTimeout: o.idle()}
	ctx, span := s.request(ctx, plan.Prompt, c.Connection.ID, name)
	result, err := do(ctx, o, func(ctx context.Context, on server) (*content.Result, error) { return on.GetPrompt(ctx, get) })
	r := o.reply(result, err, false)
	endRequest(span, r.kind())
	return r, nil
}

// Invoke sends a request of any method with params, a JSON object or nil, over a
// session of its own, and returns the result as it came but for secrets. The error
// is a *[Failure] where the request was tried.
func (s *Service) Invoke(ctx context.Context, c *compiler.Reach, method string, params json.RawMessage, d Direct) (json.RawMessage, error) {
	if method == "tools/call" {
		if tool := named(params); c.Excluded(tool) != "" {
			return nil, excluded(c.Connection.ID, tool, c.Excluded(tool))
		}
	}
	o, err := s.direct(ctx, c, d, "The request "+method+" of "+c.Connection.ID)
	if err != nil {
		return nil, err
	}
	ctx, tell := o.handling(ctx)
	raw, err := oneshot.Do(ctx, s.session(o.target.Connection), func(ctx context.Context, on oneshot.Server) (json.RawMessage, error) {
		ctx, cancel := o.limit(ctx, cmp.Or(d.Timeout, DirectIdle))
		defer cancel()
		return on.Invoke(ctx, method, params)
	})
	tell(err)
	if err != nil {
		return nil, o.failure(err, true)
	}
	return withoutSecrets(o.secrets, raw)
}

// Notify sends a notification of any kind with params, a JSON object or nil, over a
// session of its own. No server answers one, so that it is written is all that is known.
func (s *Service) Notify(ctx context.Context, c *compiler.Reach, method string, params json.RawMessage) error {
	o, err := s.direct(ctx, c, Direct{}, "The notification "+method+" to "+c.Connection.ID)
	if err != nil {
		return err
	}
	_, err = oneshot.Do(ctx, s.session(o.target.Connection), func(ctx context.Context, on oneshot.Server) (struct{}, error) {
		ctx, cancel := o.limit(ctx, DirectIdle)
		defer cancel()
		return struct{}{}, on.Notify(ctx, method, params)
	})
	if err != nil {
		return o.failure(err, true)
	}
	return nil
}

// Notifiable returns an error, a clause, if method is none that [Service.Notify] can send.
func Notifiable(method string) error { return session.Notifiable(method) }

// Answerable returns an error, a clause, if method is none that [Service.Invoke] can
// send: one that a server answers once.
func Answerable(method string) error { return session.Answerable(method) }

// direct is one direct operation.
type direct struct {
	Direct
	what    string // "The call of github.work.search_issues"
	service *Service
	target  pool.Target
	secrets *redact.Redactor
	model   callback.Sampler // nil: none
}

// direct makes a connection ready for a direct operation.
func (s *Service) direct(ctx context.Context, c *compiler.Reach, d Direct, what string) (*direct, error) {
	live, found, err := s.usable(ctx, c)
	if err != nil {
		return nil, err
	}
	model, err := found.sampler(c.Sampling)
	if err != nil {
		return nil, err
	}
	return &direct{d, what, s, pool.Target{Connection: live}, found.redactor(), model}, nil
}

// usable resolves a connection that is enabled, and the secrets that it names.
func (s *Service) usable(ctx context.Context, c *compiler.Reach) (connection.Connection, *secrets, error) {
	if c.Disabled() {
		return connection.Connection{}, nil, fmt.Errorf("the connection %s is disabled (enabled = false), so that nothing can use it. Enable it in its block", c.Connection.ID)
	}
	found := newSecrets(s.options.Environment, c.Secrets)
	if err := found.check(ctx); err != nil {
		return connection.Connection{}, nil, fmt.Errorf("connection %s: %w", c.Connection.ID, err)
	}
	live, err := found.connect(c.Connection)
	return live, found, err
}

func excluded(id, tool, by string) error {
	if by == "deny" {
		return fmt.Errorf("the connection %s denies the tool %q. Call another tool, or remove it from deny", id, tool)
	}
	return fmt.Errorf("the connection %s allows some tools only, and %q is none of them. Call another tool, or add it to allow", id, tool)
}

// named returns the name in the parameters of a request, which is the last one where
// it comes twice.
func named(params json.RawMessage) string {
	v, err := value.ParseJSON(params)
	if err != nil || v.Kind() != value.Object {
		return ""
	}
	name, _ := v.AsObject().Get("name")
	if name.Kind() != value.String {
		return ""
	}
	return name.AsString()
}

func isRead(snap *catalog.Snapshot, tool string) bool {
	if snap == nil {
		return false
	}
	t := snap.Tool(tool)
	return t != nil && t.Effect == catalog.Read
}

// session is what a session is made of that the pool does not keep.
func (s *Service) session(live connection.Connection) session.Config {
	return session.Config{
		Connection: live,
		ClientInfo: &mcp.Implementation{Name: "wfc", Version: s.options.Version},
		Stderr:     func(line string) { s.serverStderr(live.ID, line) },
		Logged:     s.options.Logged,
		LogLevel:   callback.Warning,
		Opened:     func() { s.opened.Store(live.ID, true) },
	}
}

// server is what an operation is done with: a session of its own, or one that is kept.
type server interface {
	CallTool(context.Context, session.Call) (*content.Result, error)
	ReadResource(context.Context, session.Read) (*content.Result, error)
	GetPrompt(context.Context, session.Get) (*content.Result, error)
}

// do connects, and then gives run its time and what answers the server.
func do(ctx context.Context, o *direct, run func(context.Context, server) (*content.Result, error)) (*content.Result, error) {
	ctx, tell := o.handling(ctx)
	result, err := connected(ctx, o, run)
	tell(err)
	return result, err
}

// handling is [Service.handling] of a direct operation. The function tells the
// remarks; those on one that failed are in its error.
func (o *direct) handling(ctx context.Context) (context.Context, func(error)) {
	ctx, remarks := o.service.handling(ctx, o.model)
	return ctx, func(err error) {
		if err != nil || o.Remark == nil {
			return
		}
		for _, text := range remarks() {
			o.Remark(o.secrets.Text(text))
		}
	}
}

func connected(ctx context.Context, o *direct, run func(context.Context, server) (*content.Result, error)) (*content.Result, error) {
	if o.OneShot {
		return oneshot.Do(ctx, o.service.session(o.target.Connection), func(ctx context.Context, on oneshot.Server) (*content.Result, error) {
			ctx, cancel := o.limit(ctx, o.Timeout)
			defer cancel()
			return run(ctx, on)
		})
	}
	if _, err := o.service.pool.Server(ctx, o.target); err != nil {
		return nil, err
	}
	ctx, cancel := o.limit(ctx, o.Timeout)
	defer cancel()
	return run(ctx, kept{o.service.pool, o.target})
}

// timedOut is the cause of the end of an operation whose time is over.
type timedOut struct{ limit time.Duration }

func (t timedOut) Error() string { return fmt.Sprintf("it took longer than %s", t.limit) }

// limit gives an operation that much time; 0: no limit.
func (o *direct) limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, timedOut{d})
}

func (o *direct) idle() time.Duration {
	if o.Timeout > 0 {
		return 0
	}
	return DirectIdle
}

func (o *direct) progress() func(session.Progress) {
	if o.Progress == nil {
		return nil
	}
	return func(p session.Progress) {
		o.Progress(engine.Progress{Message: o.secrets.Text(p.Message), Progress: p.Progress, Total: p.Total})
	}
}

// kept is a session of the pool as a server.
type kept struct {
	pool   *pool.Pool
	target pool.Target
}

func (k kept) CallTool(ctx context.Context, call session.Call) (*content.Result, error) {
	return k.pool.CallTool(ctx, k.target, call)
}

func (k kept) ReadResource(ctx context.Context, read session.Read) (*content.Result, error) {
	return k.pool.ReadResource(ctx, k.target, read)
}

func (k kept) GetPrompt(ctx context.Context, get session.Get) (*content.Result, error) {
	return k.pool.GetPrompt(ctx, k.target, get)
}
