// Package service is the one Go API of the toolchain's running side: the command
// line and every other front end are thin over it. It turns checked connection
// blocks into live connections, and plans into runs.
//
// Its central type is [Service]. It may import the compiler, the runtime and
// the other runner packages.
package service

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/discover"
	"github.com/lda-wf/wfc/runtime/pool"
)

// StateFolder is the folder of a project that holds its journal.
const StateFolder = ".wfc"

// closeWait bounds how long Close lets servers end by themselves; each has its
// connection's close timeout within it.
const closeWait = 10 * time.Second

// Options of a service.
type Options struct {
	Environment Environment
	Version     string // what servers are told of us
	// Folder is that of the journal, whose parent must exist; "": [StateFolder] in the project.
	Folder string
	// Stderr gets the lines of servers' stderr while they start, redacted. May be nil.
	// It is called from several goroutines.
	Stderr func(connection, line string)
	// Answerer answers servers that ask a person. Nil: nobody is there, and such
	// questions are declined.
	Answerer callback.Answerer
	// Ask has a person here answer a question of a run that this process executes. again
	// says why the last answer was not taken; nil: this is the first. It returns nil where
	// nobody here will answer, or ctx is done: somebody else has answered, or nothing is
	// asked any more. Nil: nobody is here, and a run that asks stops to wait.
	Ask func(ctx context.Context, q journal.Question, again error) *engine.Reply
	// Logged gets the warnings of servers, and what is graver, redacted, in the order of
	// the wire; it must not block. May be nil. It is called from several goroutines.
	Logged func(callback.Log)
	// Keys holds the key that sensitive results are encrypted with; nil: a file in the
	// user's configuration ([journal.KeyFile]).
	Keys journal.Keys
	// JournalPoint is [journal.Options].At, for tests that end the process there.
	JournalPoint func(journal.Point)
	// Listed is told what a server offers after it has said that this changes, while the
	// service keeps a session with it. Without it nobody listens. May be nil. It is
	// called from several goroutines.
	Listed func(discover.Listed)
	// Tracer makes spans of what servers are asked, and of a host's runs and steps; nil:
	// nothing is traced.
	Tracer trace.Tracer
	// ProcessEnds says that this process ends once the service is closed, which
	// then leaves the journal as [journal.Store.Leave] does.
	ProcessEnds bool
}

// Service runs the workflows of one project in this process. It owns a session
// pool, which outlives runs, and the project's journal. Close it.
type Service struct {
	loaded  atomic.Pointer[project.Project] // what the project is now; see use
	options Options
	pool    *pool.Pool
	watcher *discover.Watcher // nil: nobody wants to know of changed lists

	opened sync.Map // connection id → true once it has been up

	opening sync.Once // of the journal; or its closing, if it was never opened
	store   *journal.Store
	openErr error
}

// New returns a service. It starts nothing and opens nothing yet.
func New(p *project.Project, o Options) *Service {
	if o.Environment.ProjectRoot == "" {
		o.Environment.ProjectRoot = p.Root
	}
	s := &Service{options: o}
	s.use(p)
	options := pool.Options{
		ClientInfo: &mcp.Implementation{Name: "wfc", Version: o.Version},
		Log:        s.sessionEvent,
		Stderr:     s.serverStderr,
		Logged:     o.Logged,
		LogLevel:   callback.Warning,
	}
	if o.Listed != nil {
		s.watcher = discover.NewWatcher(discover.WatcherOptions{List: s.list, Changed: o.Listed})
		options.ListChanged = s.watcher.Notice
	}
	s.pool = pool.New(options)
	return s
}

// project returns the project as it was loaded last.
func (s *Service) project() *project.Project { return s.loaded.Load() }

// use has what begins from now on take the project as p has it. Its root stays.
func (s *Service) use(p *project.Project) { s.loaded.Store(p) }

// list lists what the server of a target offers, over the session that is kept.
func (s *Service) list(ctx context.Context, t pool.Target) (*catalog.Snapshot, error) {
	return discover.Snapshot(ctx, s.pool, t)
}

func (s *Service) sessionEvent(ev pool.Event) {
	if ev.Kind == pool.Opened {
		s.opened.Store(ev.Connection, true)
	}
}

// serverStderr passes on what a server prints until it is up: later it is its
// own business, and shown when it fails.
func (s *Service) serverStderr(connection, line string) {
	if s.options.Stderr == nil {
		return
	}
	if _, up := s.opened.Load(connection); !up {
		s.options.Stderr(connection, line)
	}
}

var errClosed = errors.New("the service is closed")

// Close closes all sessions and the journal, side by side: no run is going on
// any more. It returns when no process and no goroutine of them is left.
func (s *Service) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	var journalErr error
	var closing sync.WaitGroup
	closing.Go(func() {
		s.opening.Do(func() { s.openErr = errClosed })
		if s.store != nil {
			if s.options.ProcessEnds {
				journalErr = s.store.Leave()
			} else {
				journalErr = s.store.Close()
			}
		}
	})
	if s.watcher != nil {
		s.watcher.Close()
	}
	err := s.pool.Close(ctx)
	closing.Wait()
	return errors.Join(err, journalErr)
}
