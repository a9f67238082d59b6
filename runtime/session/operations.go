package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// CallTool submits a call and returns the raw CallToolResult. The error of all
// operations is an *[Error], or says [ErrEnded].
func (s *Session) CallTool(ctx context.Context, call Call) (json.RawMessage, error) {
	return s.request(ctx, "tools/call "+call.Tool, call, func(ctx context.Context, c *Client, how Call) (json.RawMessage, Sent, error) {
		return c.CallTool(ctx, how)
	})
}

// ReadResource submits the reading of a resource and returns the raw ReadResourceResult.
func (s *Session) ReadResource(ctx context.Context, read Read) (json.RawMessage, error) {
	return s.request(ctx, "resources/read "+read.URI, read.how(), func(ctx context.Context, c *Client, how Call) (json.RawMessage, Sent, error) {
		read.Progress = how.Progress
		return c.ReadResource(ctx, read)
	})
}

// GetPrompt submits the getting of a prompt and returns the raw GetPromptResult.
func (s *Session) GetPrompt(ctx context.Context, get Get) (json.RawMessage, error) {
	return s.request(ctx, "prompts/get "+get.Prompt, get.how(), func(ctx context.Context, c *Client, how Call) (json.RawMessage, Sent, error) {
		get.Progress = how.Progress
		return c.GetPrompt(ctx, get)
	})
}

// Complete submits the question how an argument goes on.
func (s *Session) Complete(ctx context.Context, what Completion) (*Completions, error) {
	const label = "completion/complete"
	raw, err := s.request(ctx, label, reading, func(ctx context.Context, c *Client, _ Call) (json.RawMessage, Sent, error) {
		return c.Complete(ctx, what)
	})
	if err != nil {
		return nil, err
	}
	var r struct {
		Completion *struct {
			Values  []string `json:"values"`
			Total   int      `json:"total"`
			HasMore bool     `json:"hasMore"`
		} `json:"completion"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, s.Malformed(label, err)
	}
	if r.Completion == nil {
		return nil, s.Malformed(label, fmt.Errorf("it has no completion"))
	}
	return &Completions{Values: r.Completion.Values, Total: r.Completion.Total, More: r.Completion.HasMore}, nil
}

// Ping submits the question whether the server lives. In 2026-07-28, which has no
// ping, it is asked for what it is.
func (s *Session) Ping(ctx context.Context) error {
	_, err := s.request(ctx, "ping", reading, func(ctx context.Context, c *Client, _ Call) (json.RawMessage, Sent, error) {
		sent, err := c.Ping(ctx)
		return nil, sent, err
	})
	return err
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

// quietFor is how long a list may be silent, and what else has no setting of its own:
// without a limit, a server that forgets to answer holds up whoever asks for ever.
const quietFor = 60 * time.Second

// reading is how what is no call is submitted.
var reading = Call{ReadOnly: true, IdleTimeout: quietFor}

// request submits one request in the way that how says, whose Started may keep it
// from being sent. send gets how with a Progress that sees what is heard.
func (s *Session) request(ctx context.Context, label string, how Call,
	send func(context.Context, *Client, Call) (json.RawMessage, Sent, error)) (raw json.RawMessage, err error) {
	err = s.do(ctx, label, how.ReadOnly, how.Queued, func(ctx context.Context, c *Client) error {
		if s.cfg.Admit != nil {
			if err := s.cfg.Admit(ctx); err != nil {
				return s.unsent(ctx, label, err)
			}
		}
		if how.Started != nil {
			if err := how.Started(s.cfg.Generation); err != nil {
				e := &Error{Connection: s.cfg.Connection.ID, Operation: label, Reason: Declined, Cause: err, Generation: s.cfg.Generation}
				return e.describe(s.cfg.redact, fmt.Sprintf("It was not sent: %s.", err), "")
			}
		}
		if !s.reached.Load() {
			s.reached.Store(true)
		}
		how := how
		if how.IdleTimeout > 0 {
			idleCtx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			clock := c.clocks.begin(how.IdleTimeout, cancel)
			defer c.clocks.end(clock)
			ctx, how.Progress = idleCtx, heard(clock, how.Progress)
		}
		var sent Sent
		var err error
		raw, sent, err = send(ctx, c, how)
		return s.classify(ctx, c, label, sent, err)
	})
	return raw, err
}

// heard restarts clock with each progress message.
func heard(clock *idleClock, progress func(Progress)) func(Progress) {
	return func(p Progress) {
		clock.restart()
		if progress != nil {
			progress(p)
		}
	}
}

// unsent is the error of an operation whose turn had come and that was given up
// before it was sent: why, a clause.
func (s *Session) unsent(ctx context.Context, label string, why error) error {
	if lost := (*Error)(nil); errors.As(context.Cause(ctx), &lost) { // the owner cancelled it
		return lost.of(label, SentNo)
	}
	e := &Error{Connection: s.cfg.Connection.ID, Operation: label, Reason: Cancelled, Cause: why, Generation: s.cfg.Generation}
	return e.describe(s.cfg.redact, fmt.Sprintf("It was given up, and nothing was sent: %s.", why), "")
}

// list submits one page of a list whose result has the objects under key.
func (s *Session) list(ctx context.Context, label, key, cursor string,
	send func(*Client, context.Context, string) (json.RawMessage, Sent, error)) (*Page, error) {
	raw, err := s.request(ctx, label, reading, func(ctx context.Context, c *Client, _ Call) (json.RawMessage, Sent, error) {
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
