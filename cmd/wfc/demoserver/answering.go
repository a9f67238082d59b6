package demoserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answering is a transport whose input ends only when what was read of it is
// answered. The SDK writes no answer once it has read the end, so that requests
// that a shell pipes in would get none.
type answering struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (t answering) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answeringConn{Connection: c, open: map[jsonrpc.ID]bool{}, quiet: make(chan struct{})}, nil
}

type answeringConn struct {
	mcp.Connection

	mu     sync.Mutex
	open   map[jsonrpc.ID]bool // requests without an answer
	ending bool                // the input has ended
	over   bool                // nothing is written any more
	quiet  chan struct{}       // closed when it has ended, or is over, and nothing is open
	told   bool                // quiet is closed
}

// Read implements mcp.Connection.
func (c *answeringConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil && req.IsCall() {
		c.change(func() { c.open[req.ID] = true })
	}
	if err != nil {
		c.change(func() { c.ending = true })
		select {
		case <-c.quiet:
		case <-ctx.Done():
		}
	}
	return msg, err
}

// Write implements mcp.Connection.
func (c *answeringConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	c.change(func() {
		if answer, ok := msg.(*jsonrpc.Response); ok {
			delete(c.open, answer.ID)
		}
		c.over = c.over || err != nil && ctx.Err() == nil
	})
	return err
}

// Close implements mcp.Connection.
func (c *answeringConn) Close() error {
	c.change(func() { c.over = true })
	return c.Connection.Close()
}

// change changes what is known, and tells a Read that waits for it.
func (c *answeringConn) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	if !c.told && (c.over || c.ending && len(c.open) == 0) {
		c.told = true
		close(c.quiet)
	}
}
