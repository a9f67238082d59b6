package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Invoke submits a request of any method and returns the result as it came.
// params is a JSON object, or nil for none; what a server of 2026-07-28 wants in
// _meta is added where it is missing. A method that gets no answer, or more than
// one, cannot be invoked; see [Answerable].
func (s *Session) Invoke(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return s.request(ctx, method, Call{}, func(ctx context.Context, c *Client, _ Call) (json.RawMessage, Sent, error) {
		return c.Invoke(ctx, method, params)
	})
}

// Answerable returns an error, a clause, if method is none that a server answers
// once.
func Answerable(method string) error {
	switch {
	case method == "":
		return fmt.Errorf("the method is empty")
	case strings.HasPrefix(method, "notifications/"):
		return fmt.Errorf("%s is a notification, which no server answers", method)
	case method == "subscriptions/listen":
		return fmt.Errorf("%s is answered by a stream of notifications, not by a result", method)
	}
	return nil
}

// Invoke sends a request of any method and returns the raw result.
func (c *Client) Invoke(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, Sent, error) {
	if err := Answerable(method); err != nil {
		return nil, SentNo, err
	}
	// The error says that the SDK knows the method, which is fine.
	_ = mcp.AddSendingCustomMethod[*rawParams, *rawResult](c.client, method)
	return c.exchange(ctx, c.channel.Begin(nil), method, func(ctx context.Context, _ int64) error {
		_, err := mcp.CallCustomMethod[*rawParams, mcp.Result](ctx, c.sdk, method, &rawParams{members: params})
		return err
	})
}

// rawResult is what the SDK makes of a result that it does not see.
type rawResult struct{ mcp.ResultBase }

// rawParams are the parameters of a request as the caller wrote them.
type rawParams struct {
	mcp.ParamsBase
	members json.RawMessage // an object; nil: none
}

// MarshalJSON returns the members, with what the SDK adds to their _meta.
func (p *rawParams) MarshalJSON() ([]byte, error) {
	own := p.members
	if len(own) == 0 {
		own = noArgs
	}
	if len(p.Meta) == 0 {
		return own, nil
	}
	var all, meta map[string]json.RawMessage
	if err := json.Unmarshal(own, &all); err != nil {
		return nil, err
	}
	if written, ok := all["_meta"]; ok {
		if err := json.Unmarshal(written, &meta); err != nil {
			return nil, fmt.Errorf("_meta is no object: %w", err)
		}
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	for name, v := range p.Meta {
		if _, ok := meta[name]; ok {
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		meta[name] = raw
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	all["_meta"] = raw
	return json.Marshal(all)
}
