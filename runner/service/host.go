package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/registry"
)

// The defaults of a host.
const (
	// DefaultMaxRuns bounds the runs that go on at once: each holds results in memory.
	DefaultMaxRuns = 64
	// DefaultMaxQueued bounds the runs that wait for their turn.
	DefaultMaxQueued = 10_000
	// DefaultDrain is how long a host that closes waits for the calls in flight.
	DefaultDrain = 30 * time.Second
)

// HostOptions are the options of a [Host].
type HostOptions struct {
	// Options are those of the service. Folder, the data folder, has journal and
	// registry. ProcessEnds counts as it is.
	Options
	// Load loads the project, when the host opens and whenever it is to see what has
	// changed; nil: from the root folder of the project that it was opened with.
	Load func() (*project.Project, error)

	// Shared lets the host live beside others in its data folder, of a server or of other
	// clients' processes: it goes on with its own runs only.
	Shared bool

	MaxRuns   int           // at once; 0: [DefaultMaxRuns]
	MaxQueued int           // 0: [DefaultMaxQueued]; negative: none may wait
	Drain     time.Duration // 0: [DefaultDrain]

	// Log gets what happens to runs, without values. Nil: nothing is logged.
	Log *slog.Logger
}

// Host is a service that lives long: the Go API that every front end of a server is
// thin over. Beside what a [Service] does it has drafts, artifacts and deployments,
// and runs that go on by themselves. It owns its data folder: there is one host in a
// folder at a time, in whatever process, and any number of those that share it.
//
// Its methods may be used by several goroutines. What they refuse is an *[Error].
// Values are lang/value; times are UTC.
type Host struct {
	service  *Service
	store    *journal.Store
	registry *registry.Store
	alone    *journal.Slot
	options  HostOptions
	log      *slog.Logger

	reloading sync.Mutex // one reload at a time
	changing  sync.Mutex // one save or deletion of a deployment at a time

	mu    sync.Mutex
	world *world // as it was loaded last

	runs    runTable
	metrics hostMetrics
}

// OpenHost opens a host for a project, which was loaded from its root. The data
// folder is o.Folder, or the project's own. Runs of an earlier host that did not end
// go on at once; the error of a folder that another host has is of the kind [Conflict].
func OpenHost(ctx context.Context, p *project.Project, o HostOptions) (*Host, error) {
	if o.Folder == "" {
		o.Folder = filepath.Join(p.Root, StateFolder)
	}
	if o.Load == nil {
		o.Load = func() (*project.Project, error) { return project.Load(p.Root, project.Options{Root: p.Root}) }
	}
	if o.MaxRuns <= 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	if o.MaxQueued == 0 {
		o.MaxQueued = DefaultMaxQueued
	}
	if o.Drain <= 0 {
		o.Drain = DefaultDrain
	}
	h := &Host{options: o, log: o.Log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.service = New(p, o.Options)
	h.metrics.open(h)
	if err := h.open(ctx, p); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *Host) open(ctx context.Context, p *project.Project) (err error) {
	if h.store, err = h.service.journal(); err != nil {
		return err
	}
	if h.registry, err = registry.Open(ctx, h.options.Folder, registry.Options{}); err != nil {
		return err
	}
	if h.options.Shared {
		h.world = newWorld(h, p)
		h.runs.open(h)
		return nil
	}
	if h.alone, err = h.store.Exclusive("server"); err != nil {
		return err
	}
	if h.alone == nil {
		pid, since, err := h.registry.Server(ctx)
		if err != nil || pid == 0 {
			return refuse(Conflict, "Another server has the data folder %s. Stop it, or give this one a folder of its own with --data.", h.options.Folder)
		}
		return refuse(Conflict, "Another server has the data folder %s: the process %d, since %s. Stop it, or give this one a folder of its own with --data.",
			h.options.Folder, pid, since.Local().Format(time.DateTime))
	}
	if err := h.registry.Serving(ctx, os.Getpid()); err != nil {
		return err
	}
	h.world = newWorld(h, p)
	h.runs.open(h)
	return h.goOn(ctx)
}

// Close ends the host in good order: nothing new begins, calls in flight are given
// their time to end (see [HostOptions]), and runs are parked where they are, to go on
// in the next host. When that is over, or ctx is done, calls in flight are given up at once: what may be repeated will
// be, and the rest is in doubt then. It returns when nothing of the host is left.
func (h *Host) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.options.Drain)
	defer cancel()
	h.runs.close(ctx)
	return h.close()
}

func (h *Host) close() error {
	var err error
	if h.registry != nil {
		err = h.registry.Close()
	}
	h.alone.Give()
	return errors.Join(h.service.Close(), err)
}

// Service returns the service of the host, for what needs no more than that.
func (h *Host) Service() *Service { return h.service }

// Root returns the root folder of the project.
func (h *Host) Root() string { return h.options.Environment.ProjectRoot }

// Reload loads the project anew: what its files say now is what counts from now on.
// Runs that go on keep their plans. Deployments that were saved and do not fit any
// more become stale. The error says why the project cannot be loaded at all; then
// nothing has changed.
func (h *Host) Reload(context.Context) error {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	p, err := h.options.Load()
	if err != nil {
		return fmt.Errorf("the project cannot be loaded: %w", err)
	}
	h.service.use(p)
	w := newWorld(h, p)
	h.mu.Lock()
	h.world = w
	h.mu.Unlock()
	return nil
}

// Reads returns the names of the files of the project that expressions have read so far.
func (h *Host) Reads() []string { return h.now().project.Reads() }

// now returns the world as it was loaded last.
func (h *Host) now() *world {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.world
}
