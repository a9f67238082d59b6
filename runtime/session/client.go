package session

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// Call is one call of a tool.
type Call struct {
	Tool     string          // as the server names it
	Args     json.RawMessage // a JSON object; nil: {}
	ReadOnly bool            // may overlap other read-only operations
	Meta     map[string]any  // sent in _meta
	// Progress is called in the order of the wire, before the call returns, on the
	// goroutine that reads from the server: it must not block. May be nil.
	Progress func(Progress)
	// Started is called once the call's turn has come and before its first byte
	// leaves, with the session's generation. An error from it ends the call with
	// Sent = no. May be nil.
	Started func(generation uint64) error
	// Queued is called once the call has its place in the session's queue: what is
	// submitted afterwards comes after it. It must not block. May be nil.
	Queued func()
}

// Progress is one progress message of a call.
type Progress = connection.Progress

// Server is what a server said of itself in the handshake, raw.
type Server struct {
	Info            json.RawMessage // serverInfo; nil if it gave none
	ProtocolVersion string
	Instructions    string
	Capabilities    json.RawMessage
	// ClientCapabilities are what we offered.
	ClientCapabilities json.RawMessage
}

// Page is one page of a list: raw objects as the server sent them.
type Page struct {
	Items []json.RawMessage
	Next  string // the cursor of the next page; empty: this is the last
}

// Client performs operations on a connected session. It wraps the SDK's
// session, which it never hands out, and returns raw results, because the
// SDK's types lose digits, text and unknown fields. It is safe for concurrent use.
type Client struct {
	channel connection.Channel
	client  *mcp.Client
	sdk     *mcp.ClientSession
	server  Server
}

// perform runs one request of the SDK and returns its raw result, and whether
// the request may have been received.
func (c *Client) perform(ctx context.Context, progress func(Progress), request func(context.Context, int64) error) (json.RawMessage, Sent, error) {
	return c.exchange(ctx, c.channel.Begin(progress), request)
}

// exchange is perform for an exchange that has begun. It finishes x.
func (c *Client) exchange(ctx context.Context, x *connection.Exchange, request func(context.Context, int64) error) (json.RawMessage, Sent, error) {
	err := request(x.Context(ctx), x.Token)
	sent := x.Sent()
	if err == nil {
		c.channel.Finish(x, "")
		return x.Result(), sent, nil
	}
	reason := "the caller gave up"
	if cause := context.Cause(ctx); cause != nil {
		reason = cause.Error()
	}
	c.channel.Finish(x, reason)
	if lines, first := x.Noise(); lines > 0 {
		err = &beside{err, printed("The server", lines, first)}
	}
	// Giving up may have kept the request from leaving.
	return nil, min(sent, x.Sent()), err
}

func withToken(meta map[string]any, token int64) mcp.Meta {
	all := make(mcp.Meta, len(meta)+4)
	maps.Copy(all, meta)
	all["progressToken"] = token
	return all
}

var noArgs = json.RawMessage(`{}`)

// CallTool calls a tool and returns the raw CallToolResult.
func (c *Client) CallTool(ctx context.Context, call Call) (json.RawMessage, Sent, error) {
	args := call.Args
	if args == nil {
		args = noArgs
	}
	return c.perform(ctx, call.Progress, func(ctx context.Context, token int64) error {
		_, err := c.sdk.CallTool(ctx, &mcp.CallToolParams{Meta: withToken(call.Meta, token), Name: call.Tool, Arguments: args})
		return err
	})
}

// ReadResource reads a resource and returns the raw ReadResourceResult.
func (c *Client) ReadResource(ctx context.Context, uri string) (json.RawMessage, Sent, error) {
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		_, err := c.sdk.ReadResource(ctx, &mcp.ReadResourceParams{Meta: withToken(nil, token), URI: uri})
		return err
	})
}

// GetPrompt gets a prompt and returns the raw GetPromptResult.
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string) (json.RawMessage, Sent, error) {
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		_, err := c.sdk.GetPrompt(ctx, &mcp.GetPromptParams{Meta: withToken(nil, token), Name: name, Arguments: args})
		return err
	})
}

// ListTools returns the raw ListToolsResult of one page.
func (c *Client) ListTools(ctx context.Context, cursor string) (json.RawMessage, Sent, error) {
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		_, err := c.sdk.ListTools(ctx, &mcp.ListToolsParams{Meta: withToken(nil, token), Cursor: cursor})
		return err
	})
}

// ListResources returns the raw ListResourcesResult of one page.
func (c *Client) ListResources(ctx context.Context, cursor string) (json.RawMessage, Sent, error) {
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		_, err := c.sdk.ListResources(ctx, &mcp.ListResourcesParams{Meta: withToken(nil, token), Cursor: cursor})
		return err
	})
}

// ListResourceTemplates returns the raw ListResourceTemplatesResult of one page.
func (c *Client) ListResourceTemplates(ctx context.Context, cursor string) (json.RawMessage, Sent, error) {
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		_, err := c.sdk.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Meta: withToken(nil, token), Cursor: cursor})
		return err
	})
}

// ListPrompts returns the raw ListPromptsResult of one page.
func (c *Client) ListPrompts(ctx context.Context, cursor string) (json.RawMessage, Sent, error) {
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		_, err := c.sdk.ListPrompts(ctx, &mcp.ListPromptsParams{Meta: withToken(nil, token), Cursor: cursor})
		return err
	})
}

// Server returns what the server said of itself.
func (c *Client) Server() Server { return c.server }
