// Package pool keeps live sessions: fingerprint of a connection and scope →
// session. Its methods are typed operations, each a submit to the session that
// the target needs now. What the server asks and logs in the course of one goes to
// the handlers in its context: see [callback.With].
//
// Its central type is [Pool]. Of wfc it imports the other runtime packages and lang.
package pool

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/session"
)

// Options of a pool. The zero value is usable.
type Options struct {
	// ClientInfo is what servers are told about us; nil: wfc without a version.
	ClientInfo *mcp.Implementation
	// MaxSessions bounds the sessions that live at once, MaxPerConnection those of one
	// connection in all scopes: each may be a process. Zero: 64, and 16. See [ErrFull].
	MaxSessions, MaxPerConnection int
	// Log gets what happens to sessions, on their goroutines: it must not block. May be nil.
	Log func(Event)
	// Stderr gets each line of a server's stderr, redacted, as it comes. May be nil.
	Stderr func(connID, line string)
	// Logged gets the log messages of servers of LogLevel and graver: see
	// [session.Config]. May be nil.
	Logged   func(callback.Log)
	LogLevel callback.Level
	// ListChanged is told when a server says that what it lists has changed. It must not
	// block. Without it, servers of 2026-07-28 are not listened to. May be nil.
	ListChanged func(Target)
}

// EventKind is a kind of [Event].
type EventKind uint8

// The kinds of events.
const (
	Opened EventKind = iota // the handshake is done
	Lost                    // it ended without our will, or could not be opened; Err says why
	Closed                  // we closed it: idle, replaced or at the end
)

// String returns "opened", "lost" or "closed".
func (k EventKind) String() string { return [...]string{"opened", "lost", "closed"}[k] }

// Event is something that happened to a session.
type Event struct {
	Kind       EventKind
	Connection string
	Scope      connection.Scope
	Generation uint64
	Err        error // of Lost: a *session.Error
}

// Target says which session an operation is for.
type Target struct {
	Connection connection.Connection
	Scope      connection.Scope
}

// ErrClosed is returned by operations on a closed pool.
var ErrClosed = errors.New("the session pool is closed")

// Pool is a set of live sessions. It is safe for concurrent use. Close it, or
// processes stay.
type Pool struct {
	options Options

	mu     sync.Mutex
	closed bool
	slots  map[slotKey]*slot
	rates  map[string]*rate            // by connection
	alive  map[*session.Session]Target // not ended, current or not
	wait   sync.WaitGroup              // a watcher for each of alive
	room   room
}

// The bounds where [Options] say nothing: a server on Node takes some 50 to 100 MB.
const (
	defaultSessions      = 64
	defaultPerConnection = 16
)

// New returns an empty pool.
func New(options Options) *Pool {
	if options.MaxSessions <= 0 {
		options.MaxSessions = defaultSessions
	}
	if options.MaxPerConnection <= 0 {
		options.MaxPerConnection = defaultPerConnection
	}
	if options.ClientInfo == nil {
		options.ClientInfo = &mcp.Implementation{Name: "wfc", Version: "0"}
	}
	return &Pool{options: options, slots: map[slotKey]*slot{}, rates: map[string]*rate{}, alive: map[*session.Session]Target{}}
}

// acquire returns the session that t needs, which may still be connecting. An
// error of the session that t had before is for an operation, not for Warm. Where
// there is no room for it, the error is errFull, and one that is idle begins to close.
func (p *Pool) acquire(t Target, warm bool) (*session.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	key := slotKey{t.Connection.ID, t.Scope}
	s := p.slots[key]
	if s == nil {
		s = &slot{}
		p.slots[key] = s
	}
	if s.session != nil {
		select {
		case <-s.session.Ended():
			s.settle()
		default:
		}
	}
	if s.session != nil && s.target.Connection.Same(t.Connection) {
		return s.session, nil
	}
	if s.lost != nil {
		return nil, s.lost
	}
	fingerprint := t.Connection.Fingerprint(t.Scope)
	if s.session != nil && s.fingerprint == fingerprint {
		s.target = t
		return s.session, nil
	}
	if s.session != nil {
		s.session.Drain()
	}
	if s.fingerprint == fingerprint && s.failed != nil && !warm && time.Since(s.failedAt) < warmFailure {
		failed := s.failed
		s.failed = nil
		return nil, failed
	}
	if !p.makeRoom(t.Connection.ID, warm) {
		return nil, errFull
	}
	s.failed = nil
	if s.fingerprint != fingerprint {
		s.deaths = 0
	}
	s.target, s.fingerprint = t, fingerprint
	p.open(s)
	return s.session, nil
}

// open opens the next session of s. p.mu is held.
func (p *Pool) open(s *slot) {
	s.generation++
	event := Event{Connection: s.target.Connection.ID, Scope: s.target.Scope, Generation: s.generation}
	cfg := session.Config{
		Connection: s.target.Connection, ClientInfo: p.options.ClientInfo, Generation: s.generation, Wait: s.delay(),
		Private: s.target.Scope != "",
		Opened:  func() { p.log(event) },
		Idled:   p.room.changed,
	}
	if limit := s.target.Connection.RateLimit; limit.Requests > 0 {
		r := p.rates[event.Connection]
		if r == nil {
			r = newRate()
			p.rates[event.Connection] = r
		}
		r.set(limit)
		cfg.Admit = r.wait
	}
	if told := p.options.ListChanged; told != nil {
		target := s.target
		cfg.ListChanged = func() { told(target) }
	}
	cfg.Logged, cfg.LogLevel = p.options.Logged, p.options.LogLevel
	if sink := p.options.Stderr; sink != nil {
		cfg.Stderr = func(line string) { sink(event.Connection, line) }
	}
	opened := session.Open(cfg)
	s.session = opened
	p.alive[opened] = s.target
	p.wait.Go(func() {
		<-opened.Ended()
		p.mu.Lock()
		delete(p.alive, opened)
		if s.session == opened {
			s.settle()
		}
		p.mu.Unlock()
		p.room.changed()
		event := event
		if event.Kind, event.Err = Closed, opened.Err(); event.Err != nil {
			event.Kind = Lost
		}
		p.log(event)
	})
}

func (p *Pool) log(e Event) {
	if p.options.Log != nil {
		p.options.Log(e)
	}
}

// Warm begins to connect in the background. Errors surface at the first use.
func (p *Pool) Warm(t Target) { _, _ = p.acquire(t, true) }

// do runs an operation on the session of t. A session that is about to end for
// want of use is awaited and replaced: nothing of the operation was started, and
// two servers with the same arguments may be in each other's way.
func do[R any](ctx context.Context, p *Pool, t Target, operation func(*session.Session) (R, error)) (R, error) {
	var none R
	var full patience
	defer full.end()
	for {
		room := p.room.watch(full.waits())
		s, err := p.acquire(t, false)
		if err == errFull {
			if err = full.wait(ctx, p, t, room); err == nil {
				continue
			}
		}
		if err != nil {
			return none, err
		}
		r, err := operation(s)
		if err == nil || !session.ErrEnded(err) {
			return r, err
		}
		select {
		case <-s.Ended():
		case <-ctx.Done():
			return operation(s) // says that ctx is done, in its own words
		}
	}
}

// CallTool calls a tool. The error is a *[session.Error], or [ErrClosed].
func (p *Pool) CallTool(ctx context.Context, t Target, call session.Call) (*content.Result, error) {
	return do(ctx, p, t, func(s *session.Session) (*content.Result, error) {
		raw, err := s.CallTool(ctx, call)
		return parsed(s, "tools/call "+call.Tool, raw, err, content.ParseCall)
	})
}

// ReadResource reads a resource.
func (p *Pool) ReadResource(ctx context.Context, t Target, read session.Read) (*content.Result, error) {
	return do(ctx, p, t, func(s *session.Session) (*content.Result, error) {
		raw, err := s.ReadResource(ctx, read)
		return parsed(s, "resources/read "+read.URI, raw, err, content.ParseRead)
	})
}

// GetPrompt gets a prompt.
func (p *Pool) GetPrompt(ctx context.Context, t Target, get session.Get) (*content.Result, error) {
	return do(ctx, p, t, func(s *session.Session) (*content.Result, error) {
		raw, err := s.GetPrompt(ctx, get)
		return parsed(s, "prompts/get "+get.Prompt, raw, err, content.ParsePrompt)
	})
}

// Complete asks how an argument of a prompt or of a resource template goes on.
func (p *Pool) Complete(ctx context.Context, t Target, what session.Completion) (*session.Completions, error) {
	return do(ctx, p, t, func(s *session.Session) (*session.Completions, error) { return s.Complete(ctx, what) })
}

// Ping asks whether the server lives. See [session.Session.Ping].
func (p *Pool) Ping(ctx context.Context, t Target) error {
	_, err := do(ctx, p, t, func(s *session.Session) (struct{}, error) { return struct{}{}, s.Ping(ctx) })
	return err
}

func parsed(s *session.Session, label string, raw []byte, err error, parse func([]byte) (*content.Result, error)) (*content.Result, error) {
	if err != nil {
		return nil, err
	}
	r, err := parse(raw)
	if err != nil {
		return nil, s.Malformed(label, err)
	}
	r.Generation = s.Generation()
	return r, nil
}

// ListTools lists one page of tools; cursor is empty for the first.
func (p *Pool) ListTools(ctx context.Context, t Target, cursor string) (*session.Page, error) {
	return do(ctx, p, t, func(s *session.Session) (*session.Page, error) { return s.ListTools(ctx, cursor) })
}

// ListResources lists one page of resources.
func (p *Pool) ListResources(ctx context.Context, t Target, cursor string) (*session.Page, error) {
	return do(ctx, p, t, func(s *session.Session) (*session.Page, error) { return s.ListResources(ctx, cursor) })
}

// ListResourceTemplates lists one page of resource templates.
func (p *Pool) ListResourceTemplates(ctx context.Context, t Target, cursor string) (*session.Page, error) {
	return do(ctx, p, t, func(s *session.Session) (*session.Page, error) { return s.ListResourceTemplates(ctx, cursor) })
}

// ListPrompts lists one page of prompts.
func (p *Pool) ListPrompts(ctx context.Context, t Target, cursor string) (*session.Page, error) {
	return do(ctx, p, t, func(s *session.Session) (*session.Page, error) { return s.ListPrompts(ctx, cursor) })
}

// Server connects if need be and returns what the server said of itself.
func (p *Pool) Server(ctx context.Context, t Target) (session.Server, error) {
	return do(ctx, p, t, func(s *session.Session) (session.Server, error) { return s.Server(ctx) })
}

// Release begins to close all sessions of scope: its run is over.
func (p *Pool) Release(scope connection.Scope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, s := range p.slots {
		if key.scope == scope {
			if s.session != nil {
				s.session.Drain()
			}
			delete(p.slots, key)
		}
	}
}

// BeginClose begins what [Pool.Close] does, which has to follow, and returns at once.
func (p *Pool) BeginClose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for s := range p.alive {
		s.Close()
	}
}

// Close closes all sessions: calls in flight are cancelled on the wire and
// fail, servers get their close timeout to end, and what then lives is killed.
// It returns when no goroutine and no process is left. Once ctx is done, it
// kills at once and returns the cause. Further calls wait likewise.
func (p *Pool) Close(ctx context.Context) error {
	p.BeginClose()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.wait.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	for s := range p.alive {
		s.Kill()
	}
	p.mu.Unlock()
	<-done
	return context.Cause(ctx)
}
