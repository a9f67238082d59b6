package session

import (
	"context"
	"encoding/json"
	"fmt"
)

// CallTool submits a call and returns the raw CallToolResult. The error of all
// operations is an *[Error], or says [ErrEnded].
func (s *Session) CallTool(ctx context.Context, call Call) (json.RawMessage, error) {
	return s.request(ctx, "tools/call "+call.Tool, call, func(ctx context.Context, c *Client) (json.RawMessage, Sent, error) {
		return c.CallTool(ctx, call)
	})
}

// ReadResource submits the reading of a resource and returns the raw ReadResourceResult.
func (s *Session) ReadResource(ctx context.Context, uri string) (json.RawMessage, error) {
	return s.request(ctx, "resources/read "+uri, reading, func(ctx context.Context, c *Client) (json.RawMessage, Sent, error) {
		return c.ReadResource(ctx, uri)
	})
}

// GetPrompt submits the getting of a prompt and returns the raw GetPromptResult.
func (s *Session) GetPrompt(ctx context.Context, name string, args map[string]string) (json.RawMessage, error) {
	return s.request(ctx, "prompts/get "+name, reading, func(ctx context.Context, c *Client) (json.RawMessage, Sent, error) {
		return c.GetPrompt(ctx, name, args)
	})
}

// ListTools submits the listing of one page of tools.
func (s *Session) ListTools(ctx context.Context, cursor string) (*Page, error) {
	return s.list(ctx, "tools/list", "tools", cursor, (*Client).ListTools)
}

// ListResources submits the listing of one page of resources.
func (s *Session) ListResources(ctx context.Context, cursor string) (*Page, error) {
	return s.list(ctx, "resources/list", "resources", cursor, (*Client).ListResources)
}

// ListResourceTemplates submits the listing of one page of resource templates.
func (s *Session) ListResourceTemplates(ctx context.Context, cursor string) (*Page, error) {
	return s.list(ctx, "resources/templates/list", "resourceTemplates", cursor, (*Client).ListResourceTemplates)
}

// ListPrompts submits the listing of one page of prompts.
func (s *Session) ListPrompts(ctx context.Context, cursor string) (*Page, error) {
	return s.list(ctx, "prompts/list", "prompts", cursor, (*Client).ListPrompts)
}

// Server waits for the handshake and returns what the server said of itself.
func (s *Session) Server(ctx context.Context) (server Server, err error) {
	err = s.do(ctx, "initialize", true, nil, func(_ context.Context, c *Client) error {
		server = c.server
		return nil
	})
	return server, err
}

// reading is how what is no call is submitted.
var reading = Call{ReadOnly: true}

// request submits one request in the way that how says, whose Started may keep it
// from being sent.
func (s *Session) request(ctx context.Context, label string, how Call,
	send func(context.Context, *Client) (json.RawMessage, Sent, error)) (raw json.RawMessage, err error) {
	err = s.do(ctx, label, how.ReadOnly, how.Queued, func(ctx context.Context, c *Client) error {
		if how.Started != nil {
			if err := how.Started(s.cfg.Generation); err != nil {
				e := &Error{Connection: s.cfg.Connection.ID, Operation: label, Reason: Declined, Cause: err, Generation: s.cfg.Generation}
				return e.describe(s.cfg.redact, fmt.Sprintf("It was not sent: %s.", err), "")
			}
		}
		var sent Sent
		var err error
		raw, sent, err = send(ctx, c)
		return s.classify(ctx, c, label, sent, err)
	})
	return raw, err
}

// list submits one page of a list whose result has the objects under key.
func (s *Session) list(ctx context.Context, label, key, cursor string,
	send func(*Client, context.Context, string) (json.RawMessage, Sent, error)) (*Page, error) {
	raw, err := s.request(ctx, label, reading, func(ctx context.Context, c *Client) (json.RawMessage, Sent, error) {
		return send(c, ctx, cursor)
	})
	if err != nil {
		return nil, err
	}
	page, err := readPage(raw, key)
	if err != nil {
		return nil, s.Malformed(label, err)
	}
	return page, nil
}

func readPage(raw json.RawMessage, key string) (*Page, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	page := &Page{}
	if items := members[key]; items == nil {
		return nil, fmt.Errorf("it has no list %q", key)
	} else if err := json.Unmarshal(items, &page.Items); err != nil {
		return nil, fmt.Errorf("%q is no list", key)
	}
	if next := members["nextCursor"]; next != nil {
		var cursor *string
		if err := json.Unmarshal(next, &cursor); err != nil {
			return nil, fmt.Errorf("nextCursor is no text")
		}
		if cursor != nil {
			page.Next = *cursor
		}
	}
	return page, nil
}

// Malformed returns the error of an answer that is not as the protocol says.
func (s *Session) Malformed(label string, cause error) error {
	e := &Error{Connection: s.cfg.Connection.ID, Operation: label, Reason: Malformed, Cause: cause, Sent: SentYes, Generation: s.cfg.Generation}
	return e.describe(s.cfg.redact, fmt.Sprintf("The answer is not as MCP says: %s.", cause), "")
}
