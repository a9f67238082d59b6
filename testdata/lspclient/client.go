// Package lspclient is a client of the Language Server Protocol for tests and
// benchmarks: what it gets is kept, and waited for without polling.
//
// Its central type is [Client].
package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"sync"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// Client is one session with a server. It is safe for concurrent use.
type Client struct {
	w    io.Writer
	done chan struct{} // the server's output has ended

	writing sync.Mutex

	mu        sync.Mutex
	last      int
	calls     map[protocol.ID]chan *protocol.Message
	published map[protocol.DocumentURI]protocol.PublishDiagnosticsParams
	messages  []*protocol.Message // all but responses, in order
	strange   []string            // what no server should send
	changed   chan struct{}       // closed and replaced when something came
	err       error               // why the output has ended; nil: it has not
}

// New returns a client that reads what a server writes, until that ends, and writes what
// it reads.
func New(r io.Reader, w io.Writer) *Client {
	c := &Client{
		w: w, done: make(chan struct{}), calls: map[protocol.ID]chan *protocol.Message{},
		published: map[protocol.DocumentURI]protocol.PublishDiagnosticsParams{}, changed: make(chan struct{}),
	}
	go c.read(protocol.NewReader(r))
	return c
}

// Wait waits for the end of the server's output.
func (c *Client) Wait() { <-c.done }

func (c *Client) read(r *protocol.Reader) {
	defer close(c.done)
	for {
		src, err := r.Read()
		if err != nil {
			c.mu.Lock()
			c.err = err
			for id, answer := range c.calls {
				delete(c.calls, id)
				close(answer)
			}
			c.note()
			c.mu.Unlock()
			return
		}
		c.take(src)
	}
}

// note wakes whoever waits; c.mu is held.
func (c *Client) note() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Client) take(src []byte) {
	m, err := protocol.Decode(src)
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.note()
	switch {
	case err != nil:
		c.strange = append(c.strange, err.Error())
	case m.IsResponse():
		answer := c.calls[m.ID]
		if answer == nil {
			c.strange = append(c.strange, fmt.Sprintf("an answer to %q, which nobody waits for: %s", m.ID, src))
			return
		}
		delete(c.calls, m.ID)
		answer <- m
	default:
		c.messages = append(c.messages, m)
		if m.Method == "textDocument/publishDiagnostics" {
			if p, err := protocol.Params[protocol.PublishDiagnosticsParams](m); err == nil {
				c.published[p.URI] = p
			}
		}
		if m.IsRequest() {
			answer, _ := protocol.Response(m.ID, nil, nil) // null can be encoded
			go func() { _ = c.Send(answer) }()             // the server may wait for us to read
		}
	}
}

// Send sends a message.
func (c *Client) Send(m *protocol.Message) error {
	src, err := m.Encode()
	if err != nil {
		return err
	}
	return c.Raw(protocol.Frame(src))
}

// Raw sends bytes.
func (c *Client) Raw(src []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.w.Write(src)
	return err
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	m, err := protocol.Notification(method, params)
	if err != nil {
		return err
	}
	return c.Send(m)
}

// Begin sends a request. What it returns gives its answer, or is closed where the
// server ended before.
func (c *Client) Begin(method string, params any) (protocol.ID, <-chan *protocol.Message, error) {
	c.mu.Lock()
	c.last++
	id := protocol.ID(strconv.Itoa(c.last))
	answer := make(chan *protocol.Message, 1)
	c.calls[id] = answer
	ended := c.err
	c.mu.Unlock()
	if ended != nil {
		return id, nil, ended
	}
	m, err := protocol.Request(id, method, params)
	if err != nil {
		return id, nil, err
	}
	return id, answer, c.Send(m)
}

// Call sends a request and waits for its answer, which it reads into result (nil: it is
// dropped). An error answer is a *protocol.Error.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	_, answer, err := c.Begin(method, params)
	if err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return errors.New("the server ended before it answered " + method)
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// Until waits for something to be true of what has come, which is asked after each
// message.
func (c *Client) Until(ctx context.Context, is func() bool) error {
	for {
		c.mu.Lock()
		changed, ended := c.changed, c.err
		c.mu.Unlock()
		if is() {
			return nil
		}
		if ended != nil {
			return fmt.Errorf("the server ended: %w", ended)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Diagnostics waits for the diagnostics of a version of a document, and returns them.
func (c *Client) Diagnostics(ctx context.Context, uri protocol.DocumentURI, version int32) ([]protocol.Diagnostic, error) {
	err := c.Until(ctx, func() bool {
		p, ok := c.Published(uri)
		return ok && p.Version != nil && *p.Version >= version
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for the diagnostics of %s: %w", uri, err)
	}
	p, _ := c.Published(uri)
	return p.Diagnostics, nil
}

// Published returns the last diagnostics of a document that came.
func (c *Client) Published(uri protocol.DocumentURI) (protocol.PublishDiagnosticsParams, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.published[uri]
	return p, ok
}

// All returns the last diagnostics of all documents that some came of.
func (c *Client) All() map[protocol.DocumentURI]protocol.PublishDiagnosticsParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.published)
}

// Messages returns the notifications and requests that came, in order.
func (c *Client) Messages() []*protocol.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*protocol.Message{}, c.messages...)
}

// Strange returns what came that no server should send: what is no message, or
// answers what was not asked or was answered.
func (c *Client) Strange() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.strange...)
}

// Initialize begins the session.
func (c *Client) Initialize(ctx context.Context, p protocol.InitializeParams) (protocol.InitializeResult, error) {
	var r protocol.InitializeResult
	if err := c.Call(ctx, "initialize", p, &r); err != nil {
		return r, err
	}
	return r, c.Notify("initialized", struct{}{})
}

// Open opens a document.
func (c *Client) Open(uri protocol.DocumentURI, version int32, text string) error {
	return c.Notify("textDocument/didOpen", protocol.DidOpenParams{TextDocument: protocol.TextDocumentItem{URI: uri, LanguageID: "wfc", Version: version, Text: text}})
}

// Change changes a document; without a range, all of it.
func (c *Client) Change(uri protocol.DocumentURI, version int32, changes ...protocol.ContentChange) error {
	return c.Notify("textDocument/didChange", protocol.DidChangeParams{
		TextDocument: protocol.VersionedTextDocumentIdentifier{URI: uri, Version: version}, ContentChanges: changes,
	})
}
