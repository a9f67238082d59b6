package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// publisher sends the diagnostics of each new state, on one goroutine. A newer state
// cancels the work on an older one.
type publisher struct {
	s     *Server
	pulls bool // the client asks for diagnostics; it is told when to
	wake  chan struct{}
	done  chan struct{}

	mu       sync.Mutex
	snapshot *workspace.Snapshot
	dirty    map[string]bool    // keys of projects
	cancel   context.CancelFunc // of the round in hand
	stopped  bool

	// Of run's goroutine.
	checked map[string]bool                          // projects that were checked whole
	watched map[string]bool                          // patterns of files that expressions read
	sent    map[string]map[protocol.DocumentURI]sent // by project; of a client that asks, what it would get
	again   bool                                     // it has to ask again
}

// sent is what the client has of a document.
type sent struct {
	version     int32 // -1: the document is not open
	diagnostics []byte
}

func newPublisher(s *Server) *publisher {
	p := &publisher{
		s: s, pulls: workspace.Pulls(s.client), wake: make(chan struct{}, 1), done: make(chan struct{}),
		dirty: map[string]bool{}, sent: map[string]map[protocol.DocumentURI]sent{}, checked: map[string]bool{}, watched: map[string]bool{}, cancel: func() {},
	}
	go p.run()
	return p
}

// changed has the diagnostics of projects sent, as a snapshot has them.
func (p *publisher) changed(s *workspace.Snapshot, projects []string) {
	p.mu.Lock()
	p.snapshot = s
	for _, key := range projects {
		p.dirty[key] = true
	}
	p.cancel()
	p.mu.Unlock()
	signal(p.wake)
}

// stop ends the work.
func (p *publisher) stop() {
	p.mu.Lock()
	p.stopped = true
	p.cancel()
	p.mu.Unlock()
	signal(p.wake)
}

// wait waits for the end of the work, which it brings about.
func (p *publisher) wait() {
	p.stop()
	<-p.done
}

func (p *publisher) run() {
	defer close(p.done)
	for range p.wake {
		for p.round() {
		}
		p.mu.Lock()
		stopped := p.stopped
		p.mu.Unlock()
		if stopped {
			return
		}
	}
}

// round sends the diagnostics of one project that has changed. It returns false where
// none has.
func (p *publisher) round() bool {
	p.mu.Lock()
	if p.stopped || len(p.dirty) == 0 {
		p.mu.Unlock()
		return false
	}
	ctx, cancel := context.WithCancel(p.s.ctx)
	defer cancel()
	snapshot := p.snapshot
	p.cancel = cancel
	key := p.next()
	delete(p.dirty, key)
	p.mu.Unlock()

	if err := p.project(ctx, snapshot, key); err != nil && ctx.Err() != nil {
		p.mu.Lock()
		p.dirty[key] = true // its newer state is next
		stopped := p.stopped || p.s.ctx.Err() != nil
		p.mu.Unlock()
		return !stopped
	}
	return true
}

// next chooses a project: one with open documents before others.
func (p *publisher) next() string {
	keys := slices.Sorted(maps.Keys(p.dirty))
	for _, key := range keys {
		if x := p.snapshot.Project(key); x != nil && len(x.Open()) > 0 {
			return key
		}
	}
	return keys[0]
}

// manyFiles is how many files take so long to check the first time that a person wants to
// know why the other files have no findings yet.
const manyFiles = 200

// project sends the diagnostics of a project. The error is the context's.
func (p *publisher) project(ctx context.Context, s *workspace.Snapshot, key string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			p.s.fault("the diagnostics", fault)
			err = nil
		}
	}()
	x := s.Project(key)
	if x == nil {
		for uri := range p.sent[key] {
			p.send(key, uri, nil, nil)
		}
		delete(p.sent, key)
		delete(p.checked, key)
		return nil
	}
	first := !p.checked[key]
	if first && !p.pulls {
		// The first time, what is open comes before the rest.
		found, err := s.OpenDiagnostics(ctx, x)
		if err != nil {
			return err
		}
		for _, d := range found {
			p.send(key, d.URI, d.Version, d.Diagnostics)
		}
	}
	if first && x.Files() >= manyFiles {
		defer p.s.progress("Checking " + filepath.Base(x.Root))()
	}
	found, err := s.Diagnostics(ctx, x)
	if err != nil {
		return err
	}
	p.checked[key] = true
	p.watch(ctx, x)
	now := map[protocol.DocumentURI]bool{}
	for _, d := range found {
		now[d.URI] = true
		p.send(key, d.URI, d.Version, d.Diagnostics)
	}
	for uri := range p.sent[key] {
		if !now[uri] {
			p.send(key, uri, nil, nil)
			delete(p.sent[key], uri)
		}
	}
	if p.again {
		p.again = false
		p.s.ask("workspace/diagnostic/refresh", nil)
	}
	return nil
}

// watch has the client say when a file changes that an expression reads, which may have
// any name.
func (p *publisher) watch(ctx context.Context, x *workspace.Project) {
	loaded, err := x.Load(ctx)
	if err != nil {
		return // a newer state does it
	}
	var patterns []string
	for _, name := range loaded.Reads() {
		if pattern := "**/" + name; !p.watched[pattern] {
			p.watched[pattern] = true
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns) > 0 {
		p.s.watch(patterns...)
	}
}

// send sends the diagnostics of a document, unless the client has them.
func (p *publisher) send(key string, uri protocol.DocumentURI, version *int32, list []protocol.Diagnostic) {
	if list == nil {
		list = []protocol.Diagnostic{}
	}
	src, err := json.Marshal(list)
	if err != nil {
		p.s.log.printf("This is a bug in wfc: %v.", err)
		return
	}
	n := sent{-1, src}
	if version != nil {
		n.version = *version
	}
	if p.sent[key] == nil {
		p.sent[key] = map[protocol.DocumentURI]sent{}
	}
	was, has := p.sent[key][uri]
	if has && was.version == n.version && bytes.Equal(was.diagnostics, n.diagnostics) {
		return
	}
	if !has && version == nil && len(list) == 0 {
		return
	}
	p.sent[key][uri] = n
	if p.pulls {
		// Of the document that the client changed itself it asks anyway.
		p.again = p.again || has && was.version == n.version
		return
	}
	p.s.notify("textDocument/publishDiagnostics", "diagnostics "+string(uri),
		protocol.PublishDiagnosticsParams{URI: uri, Version: version, Diagnostics: list})
}
