// Package proxy serves the connections of a project as one MCP server, transparently:
// messages pass as they are, and only ids, progress tokens, names and URIs are
// replaced where they must be.
//
// Its central type is [Proxy]. A client of it and each connection that the client uses
// have a session of their own ([client], [upstream]), which nothing else shares. Of wfc
// it imports lang and runtime/connection; which tools may be seen it is told.
package proxy

import (
	"context"
	"crypto/rand"
	"io"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
)

// The revisions of the protocol that matter here.
const (
	modern = "2026-07-28" // the first without initialize
	legacy = "2025-11-25" // the last with it
)

// versions are the revisions that a client may speak.
var versions = []string{modern, legacy, "2025-06-18", "2025-03-26", "2024-11-05"}

// Source is one connection that clients see.
type Source struct {
	Connection connection.Connection
	// Hidden says why a tool does not exist for clients, as a clause such as "deny of
	// the connection names it"; "" if it does. Nil hides none.
	Hidden func(tool string) string
	// Tools and Prompts are the names that are known before any server runs. They
	// decide which names clash.
	Tools, Prompts []string
}

// Options of a [Proxy].
type Options struct {
	Sources []Source
	Prefix  Prefix
	Version string // of wfc, as clients are told it
	// Idle is how long a client over HTTP may be silent before its session ends. Zero
	// means [DefaultIdle].
	Idle time.Duration
	// Remark gets what a person should know, in full sentences, and the lines that
	// servers write on stderr. It is called on many goroutines. Nil drops it.
	Remark func(string)
	// Record, which may be nil, gets a line of JSON for every message that passes, with
	// the secrets of the connections replaced.
	Record io.Writer
}

// DefaultIdle is how long a silent client over HTTP is remembered.
const DefaultIdle = 30 * time.Minute

// Proxy serves clients. Make it with [New].
type Proxy struct {
	opts    Options
	sources []*source
	names   *names
	record  *recorder // nil: nothing is recorded

	mu      sync.Mutex
	clients map[string]*client // over HTTP, by session id
	shared  *client            // of 2026-07-28; nil before the first
	closed  bool
	work    sync.WaitGroup // clients that have not ended
}

// source is a connection and what clients see of it.
type source struct {
	Source
	index  int
	id     string
	uri    string // what its URIs begin with; "": they are as they are
	redact func(string) string
}

// hidden says why a tool of s does not exist for clients, "" if it does.
func (s *source) hidden(tool string) string {
	if s.Hidden == nil {
		return ""
	}
	return s.Hidden(tool)
}

// New returns a proxy. The error names the two tools or prompts that clients could not
// tell apart.
func New(o Options) (*Proxy, error) {
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	if o.Remark == nil {
		o.Remark = func(string) {}
	}
	p := &Proxy{opts: o, clients: map[string]*client{}}
	for i, s := range o.Sources {
		p.sources = append(p.sources, &source{Source: s, index: i, id: s.Connection.ID, redact: s.Connection.Redactor()})
	}
	nameURIs(p.sources)
	var err error
	if p.names, err = newNames(o.Prefix, p.sources); err != nil {
		return nil, err
	}
	if o.Record != nil {
		p.record = newRecorder(o.Record, p.sources)
	}
	return p, nil
}

// closeWait is how long the end of a client may take: one on a pipe that does not read
// can hold it up for ever.
const closeWait = 10 * time.Second

// Close ends all clients and waits until the servers they had are gone, for 10 s at most.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	all := make([]*client, 0, len(p.clients)+1)
	for _, c := range p.clients {
		all = append(all, c)
	}
	if p.shared != nil {
		all = append(all, p.shared)
	}
	p.mu.Unlock()
	for _, c := range all {
		c.end(errClosing)
	}
	ended := make(chan struct{})
	go func() { // ends with the clients
		p.work.Wait()
		close(ended)
	}()
	within(closeWait, ended)
}

// within waits until done is closed, or d has passed.
func within(d time.Duration, done <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// Recorded returns why a message could not be recorded, nil if all were.
func (p *Proxy) Recorded() error {
	if p.record == nil {
		return nil
	}
	return p.record.failed()
}

// newest returns the client that all of 2026-07-28 share, nil if there was none yet.
func (p *Proxy) newest() *client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shared
}

// newClient returns a client that nobody knows yet, nil if the proxy is closing.
func (p *Proxy) newClient(newer bool, standing sink) *client {
	c := &client{
		proxy: p, modern: newer, standing: standing, ups: make([]*upstream, len(p.sources)),
		asked: map[int64]*question{}, requests: map[string]*request{}, held: map[string]*call{}, ended: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.work.Add(1)
	return c
}

// stateless returns the one client that all of 2026-07-28 share, nil if the proxy is
// closing.
func (p *Proxy) stateless() *client {
	p.mu.Lock()
	c := p.shared
	p.mu.Unlock()
	if c != nil {
		return c
	}
	c = p.newClient(true, nowhere{})
	if c == nil {
		return nil
	}
	p.mu.Lock()
	other := p.shared
	if other == nil {
		p.shared = c
	}
	p.mu.Unlock()
	if other != nil {
		c.end(errClosing)
		return other
	}
	return c
}

// state returns a text that nobody guesses, for a session or what a client gives back.
func state() string { return rand.Text() }
