// Package session holds one live MCP session: a queue that hands its operations
// out in their order, and an owner goroutine that connects, waits and closes.
//
// Its central type is [Session]. Of wfc it imports runtime/callback and
// runtime/connection, and lang/value for what servers ask and log.
package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
)

// Config is what a session is made of.
type Config struct {
	Connection connection.Connection
	ClientInfo *mcp.Implementation // never nil
	Generation uint64              // counts the sessions of one connection and scope, from 1
	// Stderr gets the lines of the server's stderr, redacted. May be nil.
	Stderr func(line string)
	// Logged gets the log messages of the server of LogLevel and graver, in wire order
	// on the goroutine that reads: it must not block. Those that belong to an operation
	// go to its handlers if it has any. May be nil.
	Logged   func(callback.Log)
	LogLevel callback.Level
	// Wait is how long to wait before connecting: a server that keeps dying is
	// not started at once again.
	Wait time.Duration
	// Admit is called with each operation whose turn has come, and returns when its
	// request may leave. Its error, a clause, is ctx's cause said in its words. May be nil.
	Admit func(ctx context.Context) error
	// ListChanged is called when the server says that what it lists has changed. It must
	// not block. May be nil.
	ListChanged func()
	// Started is called once the channel to the server is open: a process runs then.
	// It is called again where the server is started again, because it did not survive
	// the question for its era. May be nil.
	Started func()
	// Opened is called by the owner goroutine once the handshake is done. May be nil.
	Opened func()
	// Private: it belongs to one run, so it does not close for want of use, and when
	// it is lost, its state is.
	Private bool
	// Idled is called when the last operation that the session had is over. It must
	// not block. May be nil.
	Idled func()

	redact       func(string) string
	probeBudget  time.Duration     // zero: the constant of this name
	restartAfter time.Duration     // zero: the function of this name
	silent       func(unread bool) // for tests: called when restartAfter has passed
	queued       func(n int)       // for tests: n operations wait
}

// operation is one queued piece of work.
type operation struct {
	name       string // "tools/call search": for errors only, never used to dispatch
	connection string // its id, likewise
	sequence   uint64
	submitted  time.Time
	run        func(context.Context, *Client) error

	readOnly bool
	cancel   context.CancelCauseFunc // of the context that run gets
	turn     chan turn               // its turn, or why it never comes; one value
	given    atomic.Bool             // turn has its value, or the caller gave up: whoever sets it decides
}

// turn lets an operation run.
type turn struct {
	client *Client
	err    error // not nil: it never runs
}

// Session is a live session, or one that connects. It never connects again:
// whoever wants to go on opens another with the next generation.
type Session struct {
	cfg Config

	turns   *turns
	drain   chan struct{}
	stop    chan struct{}
	kill    chan struct{}
	drained atomic.Bool
	stopped atomic.Bool
	killed  atomic.Bool
	ended   chan struct{}

	sequence  atomic.Uint64
	busy      atomic.Int64 // operations that were submitted and are not over
	used      atomic.Int64 // when the last one was over, or the session was opened; Unix nanoseconds
	reached   atomic.Bool  // a request may have left
	connected atomic.Bool  // the handshake is done
	// up and down are when the handshake was done and when the session ended; set
	// before ended is closed. Up is zero if there was no handshake.
	up, down time.Time
	// end is how the channel ended; set before ended is closed.
	end connection.End
	// err is why it ended; set before ended is closed. Nil: it was idle or closed by us.
	err error
}

// Open begins to connect and returns at once. Every session must be closed, or
// have ended.
func Open(cfg Config) *Session {
	s := newSession(cfg)
	go s.own()
	return s
}

// newSession returns a session that nobody owns yet.
func newSession(cfg Config) *Session {
	cfg.redact = cfg.Connection.Redactor()
	if cfg.probeBudget == 0 {
		cfg.probeBudget = probeBudget
	}
	if cfg.restartAfter == 0 {
		cfg.restartAfter = restartAfter(cfg.Connection)
	}
	s := &Session{
		cfg: cfg, drain: make(chan struct{}), stop: make(chan struct{}), kill: make(chan struct{}), ended: make(chan struct{}),
	}
	s.turns = newTurns(s)
	s.used.Store(time.Now().UnixNano())
	return s
}

// Ended is closed once the session and all that belongs to it is gone.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Err returns why the session ended: nil if it was idle, drained or closed.
// It waits for Ended.
func (s *Session) Err() error {
	<-s.ended
	return s.err
}

// Reached reports whether a request may have left: the server may have state.
func (s *Session) Reached() bool { return s.reached.Load() }

// Uptime returns for how long operations could be performed. It waits for Ended.
func (s *Session) Uptime() time.Duration {
	<-s.ended
	if s.up.IsZero() {
		return 0
	}
	return s.down.Sub(s.up)
}

// Idle reports whether the session has no operation now, and since when.
func (s *Session) Idle() (since time.Time, idle bool) {
	return time.Unix(0, s.used.Load()), s.busy.Load() == 0
}

// Draining reports whether the session takes no more operations.
func (s *Session) Draining() bool { return s.drained.Load() || s.stopped.Load() }

// Used reports whether any operation was submitted.
func (s *Session) Used() bool { return s.sequence.Load() > 0 }

// End returns how the channel to the server ended; the zero End if there was no
// handshake. It waits for Ended.
func (s *Session) End() connection.End {
	<-s.ended
	return s.end
}

// Generation returns the session's generation.
func (s *Session) Generation() uint64 { return s.cfg.Generation }

// Drain makes the session take no more operations and close once the queue is done.
func (s *Session) Drain() { once(&s.drained, s.drain) }

// Close begins to close: operations fail, calls in flight are cancelled on the
// wire, and the server has the close timeout to end. See [Session.Ended].
func (s *Session) Close() { once(&s.stopped, s.stop) }

// Kill is Close without the patience.
func (s *Session) Kill() {
	s.Close()
	once(&s.killed, s.kill)
}

func once(done *atomic.Bool, ch chan struct{}) {
	if done.CompareAndSwap(false, true) {
		close(ch)
	}
}

// do submits an operation and runs it when its turn comes, in the caller's
// goroutine. queued, which may be nil, is called once it has its place in the
// queue. It returns when ctx is done, whatever the server does. The error is an
// *[Error], or says [ErrEnded].
func (s *Session) do(ctx context.Context, label string, readOnly bool, queued func(), run func(context.Context, *Client) error) error {
	s.busy.Add(1)
	defer s.leave()
	runCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	op := &operation{name: label, connection: s.cfg.Connection.ID, sequence: s.sequence.Add(1), submitted: time.Now(), run: run,
		readOnly: readOnly, cancel: cancel, turn: make(chan turn, 1)}
	if ctx.Err() != nil {
		return s.gaveUp(ctx, op)
	}
	if s.drained.Load() {
		return errEnded
	}
	if err := s.turns.submit(op); err != nil {
		return err
	}
	if queued != nil {
		queued()
	}
	select {
	case t := <-op.turn:
		return s.perform(runCtx, op, t)
	case <-ctx.Done():
		if !op.given.CompareAndSwap(false, true) {
			return s.perform(runCtx, op, <-op.turn) // its turn came in this moment
		}
		s.turns.tidy()
		return s.gaveUp(ctx, op)
	}
}

func (s *Session) perform(ctx context.Context, op *operation, t turn) error {
	if t.err != nil {
		return t.err
	}
	defer s.turns.finish(op)
	return op.run(ctx, t.client)
}

// leave says that an operation is over.
func (s *Session) leave() {
	s.used.Store(time.Now().UnixNano())
	if s.busy.Add(-1) == 0 && s.cfg.Idled != nil {
		s.cfg.Idled()
	}
}

// tooLate is the error of an operation that came after the end. A session that
// never came to be was opened for it, too.
func (s *Session) tooLate(op *operation) error {
	if e := (*Error)(nil); errors.As(s.err, &e) && e.Reason == NotStarted {
		return named(op, e)
	}
	return errEnded
}

func (s *Session) gaveUp(ctx context.Context, op *operation) error {
	e := &Error{Connection: op.connection, Operation: op.name, Reason: Cancelled, Cause: context.Cause(ctx), Generation: s.cfg.Generation}
	if !s.connected.Load() {
		return e.describe(s.cfg.redact, fmt.Sprintf("It was given up while the server was still being connected to, after %s; nothing was sent: %s.",
			time.Since(op.submitted).Round(time.Millisecond), e.Cause), "")
	}
	return e.describe(s.cfg.redact, fmt.Sprintf("It was given up after it had waited %s for its turn, as operation %d of the session; nothing was sent: %s.",
		time.Since(op.submitted).Round(time.Millisecond), op.sequence, e.Cause), "")
}
