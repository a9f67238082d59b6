package session

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// Call is one call of a tool.
type Call struct {
	Tool     string          // as the server names it
	Args     json.RawMessage // a JSON object; nil: {}
	ReadOnly bool            // may overlap other read-only operations
	Meta     map[string]any  // sent in _meta
	// Progress is called in the order of the wire, before the answer is seen, on the
	// goroutine that reads from the server: it must not block. When a call is given
	// up, it may be running still. May be nil.
	Progress func(Progress)
	// Started is called once the call's turn has come and before its first byte
	// leaves, with the session's generation. An error from it ends the call with
	// Sent = no. May be nil.
	Started func(generation uint64) error
	// Queued is called once the call has its place in the session's queue: what is
	// submitted afterwards comes after it. It must not block. May be nil.
	Queued func()
	// IdleTimeout is how long nothing may be heard of the call, neither its answer nor
	// a progress message, before it is cancelled with the reason [Quiet]. It counts
	// from when the request leaves, and not while the server has asked us something.
	// Zero: for ever.
	IdleTimeout time.Duration
}

// Read is one reading of a resource. The fields beside URI are those of [Call].
type Read struct {
	URI         string
	Meta        map[string]any
	Progress    func(Progress)
	Started     func(generation uint64) error
	Queued      func()
	IdleTimeout time.Duration
}

func (r Read) how() Call {
	return Call{ReadOnly: true, Meta: r.Meta, Progress: r.Progress, Started: r.Started, Queued: r.Queued, IdleTimeout: r.IdleTimeout}
}

// Get is one getting of a prompt. The fields beside Prompt and Args are those of [Call].
type Get struct {
	Prompt      string            // as the server names it
	Args        map[string]string // nil: none
	Meta        map[string]any
	Progress    func(Progress)
	Started     func(generation uint64) error
	Queued      func()
	IdleTimeout time.Duration
}

func (g Get) how() Call {
	return Call{ReadOnly: true, Meta: g.Meta, Progress: g.Progress, Started: g.Started, Queued: g.Queued, IdleTimeout: g.IdleTimeout}
}

// Completion asks a server how an argument of a prompt or of a resource template
// goes on. One of Prompt and Template is set.
type Completion struct {
	Prompt   string // as the server names it
	Template string // a URI template
	Argument string // its name
	Value    string // what is typed so far
	// Known are the other arguments as far as they are there. May be nil.
	Known map[string]string
}

// Completions are what a server proposes.
type Completions struct {
	Values []string
	Total  int  // how many there are; 0 if the server does not say
	More   bool // there are more than Values
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
	tapped  mcp.Connection // what sdk writes to
	server  Server
	clocks  *clocks // those of callbacks

	headers   headers
	callbacks *callbacks
	logs      bool // the server logs, and somebody wants to see it
}

// perform runs one request of the SDK and returns its raw result, and whether
// the request may have been received.
func (c *Client) perform(ctx context.Context, progress func(Progress), request func(context.Context, int64) error) (json.RawMessage, Sent, error) {
	return c.exchange(ctx, c.channel.Begin(progress), "", request)
}

// exchange is perform for an exchange that has begun, of an operation with a label. It finishes x.
func (c *Client) exchange(ctx context.Context, x *connection.Exchange, label string, request func(context.Context, int64) error) (_ json.RawMessage, _ Sent, err error) {
	c.callbacks.enter(ctx, x, label)
	defer func() {
		if remarks := c.callbacks.leave(x); err != nil && len(remarks) > 0 {
			err = &remarked{err, remarks}
		}
	}()
	err = answered(request(x.Context(ctx), x.Token))
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
	if failure := x.Failure(); failure != nil {
		err = failure // what the SDK has is made up
	}
	if lines, first := x.Noise(); lines > 0 {
		err = &beside{err, printed("The server", lines, first)}
	}
	// Giving up may have kept the request from leaving.
	return nil, min(sent, x.Sent()), err
}

// answered returns the error of a request of the SDK, nil where there is a result.
func answered(err error) error {
	if errors.Is(err, connection.ErrAnswered) {
		return nil
	}
	return err
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
	once := func(ctx context.Context, token int64, in input) error {
		_, err := c.sdk.CallTool(c.headers.with(ctx, call.Tool, args), &mcp.CallToolParams{
			Meta: c.meta(call.Meta, token), Name: call.Tool, Arguments: args, InputResponses: in.responses, RequestState: in.state,
		})
		return err
	}
	raw, sent, err := c.converse(ctx, "tools/call "+call.Tool, call.Progress, once)
	if err != nil && c.learn(ctx, call.Tool, err) {
		return c.converse(ctx, "tools/call "+call.Tool, call.Progress, once)
	}
	return raw, sent, err
}

// ReadResource reads a resource and returns the raw ReadResourceResult.
func (c *Client) ReadResource(ctx context.Context, read Read) (json.RawMessage, Sent, error) {
	return c.converse(ctx, "resources/read "+read.URI, read.Progress, func(ctx context.Context, token int64, in input) error {
		_, err := c.sdk.ReadResource(ctx, &mcp.ReadResourceParams{
			Meta: c.meta(read.Meta, token), URI: read.URI, InputResponses: in.responses, RequestState: in.state,
		})
		return err
	})
}

// GetPrompt gets a prompt and returns the raw GetPromptResult.
func (c *Client) GetPrompt(ctx context.Context, get Get) (json.RawMessage, Sent, error) {
	return c.converse(ctx, "prompts/get "+get.Prompt, get.Progress, func(ctx context.Context, token int64, in input) error {
		_, err := c.sdk.GetPrompt(ctx, &mcp.GetPromptParams{
			Meta: c.meta(get.Meta, token), Name: get.Prompt, Arguments: get.Args, InputResponses: in.responses, RequestState: in.state,
		})
		return err
	})
}

// Complete returns the raw CompleteResult.
func (c *Client) Complete(ctx context.Context, what Completion) (json.RawMessage, Sent, error) {
	ref := &mcp.CompleteReference{Type: "ref/prompt", Name: what.Prompt}
	if what.Template != "" {
		ref = &mcp.CompleteReference{Type: "ref/resource", URI: what.Template}
	}
	return c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		params := &mcp.CompleteParams{
			Meta: withToken(nil, token), Ref: ref, Argument: mcp.CompleteParamsArgument{Name: what.Argument, Value: what.Value},
		}
		if len(what.Known) > 0 {
			params.Context = &mcp.CompleteContext{Arguments: what.Known}
		}
		_, err := c.sdk.Complete(ctx, params)
		return err
	})
}

// Ping asks for a sign of life: with ping, or, from 2026-07-28 on, which has none,
// with server/discover.
func (c *Client) Ping(ctx context.Context) (Sent, error) {
	if c.server.ProtocolVersion >= modernVersion {
		_, sent, err := c.Invoke(ctx, "server/discover", nil)
		return sent, err
	}
	_, sent, err := c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		return c.sdk.Ping(ctx, &mcp.PingParams{Meta: withToken(nil, token)})
	})
	return sent, err
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
