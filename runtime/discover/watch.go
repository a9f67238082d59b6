package discover

import (
	"context"
	"sync"
	"time"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/pool"
)

// The times of a [Watcher].
const (
	// settleFor is how long a server must say of no further change before its lists are
	// taken: servers that register tools one by one say so for each.
	settleFor = 500 * time.Millisecond
	// settleBy is when they are taken all the same.
	settleBy = 5 * time.Second
	// listFor bounds the listing, which other work of the session waits for.
	listFor = 30 * time.Second
)

// WatcherOptions are what a [Watcher] works with.
type WatcherOptions struct {
	// List lists what the server of a target offers: [Snapshot] of a pool.
	List func(context.Context, pool.Target) (*catalog.Snapshot, error)
	// Changed is told what was listed, one after the other for each target, on the
	// watcher's goroutines. May be nil.
	Changed func(Listed)
}

// Listed is what a server offers after it has said that this changes.
type Listed struct {
	Connection string
	Scope      connection.Scope
	Snapshot   *catalog.Snapshot // nil if it could not be listed
	Err        error             // why not
}

// Watcher keeps in memory what servers offer as they say that it changes. Changes
// that follow one another quickly are one. Close it.
type Watcher struct {
	options WatcherOptions
	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup

	mu     sync.Mutex
	closed bool
	active map[watched]*watch
	latest map[string]*catalog.Snapshot // by connection, of shared sessions
}

// watched is what lists of its own are for.
type watched struct {
	id    string
	scope connection.Scope
}

// watch is a target whose lists have changed and were not taken since.
type watch struct {
	target pool.Target
	again  chan struct{} // they have changed again; has room for one
}

// NewWatcher returns a watcher of nothing yet.
func NewWatcher(o WatcherOptions) *Watcher {
	w := &Watcher{options: o, active: map[watched]*watch{}, latest: map[string]*catalog.Snapshot{}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Notice says that a server's lists have changed. It does not wait.
func (w *Watcher) Notice(t pool.Target) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	key := watched{t.Connection.ID, t.Scope}
	if at := w.active[key]; at != nil {
		at.target = t
		select {
		case at.again <- struct{}{}:
		default:
		}
		return
	}
	at := &watch{target: t, again: make(chan struct{}, 1)}
	w.active[key] = at
	w.working.Go(func() { w.follow(key, at) })
}

// Latest returns what the shared session of a connection was last seen to offer; nil
// if it never said that this changed.
func (w *Watcher) Latest(id string) *catalog.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.latest[id]
}

// Close stops the watcher and waits until it has stopped.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.working.Wait()
}

// follow takes the lists of a target until they change no more.
func (w *Watcher) follow(key watched, at *watch) {
	for w.settled(at) {
		w.mu.Lock()
		target := at.target
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(w.ctx, listFor)
		snap, err := w.options.List(ctx, target)
		cancel()
		if w.ctx.Err() != nil {
			break
		}
		w.mu.Lock()
		if err == nil && key.scope == "" {
			w.latest[key.id] = snap
		}
		w.mu.Unlock()
		if w.options.Changed != nil {
			w.options.Changed(Listed{Connection: key.id, Scope: key.scope, Snapshot: snap, Err: err})
		}
		if w.over(key, at) {
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, key)
}

// over ends the work on a target unless its lists have changed meanwhile.
func (w *Watcher) over(key watched, at *watch) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-at.again:
		return false
	default:
		delete(w.active, key)
		return true
	}
}

// settled waits until the server has said nothing for a while, or for too long. It
// returns false where the watcher is closed before.
func (w *Watcher) settled(at *watch) bool {
	quiet, latest := time.NewTimer(settleFor), time.NewTimer(settleBy)
	defer quiet.Stop()
	defer latest.Stop()
	for {
		select {
		case <-at.again:
			quiet.Reset(settleFor)
		case <-quiet.C:
			return true
		case <-latest.C:
			return true
		case <-w.ctx.Done():
			return false
		}
	}
}
