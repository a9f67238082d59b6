package session

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/connection"
)

// maxRounds is how often a server may ask for input in the course of one operation:
// a dialogue is a few questions long, and a server that never ends is broken.
const maxRounds = 20

// maxBusy is how often in a row a server may say that it has no time, by asking for
// input and naming none.
const maxBusy = 3

// input is what a server asked for in place of an answer (SEP-2322), for the next
// round. The zero input is that of the first.
type input struct {
	responses mcp.InputResponseMap
	state     string
}

// converse is perform for an operation in whose course the server may ask for input.
// From 2026-07-28 on it does so by its answer, and the request is made again with
// what it asked for. The SDK would do that, too, but from types that lose digits,
// and could not tell who answers.
func (c *Client) converse(ctx context.Context, label string, progress func(Progress), request func(context.Context, int64, input) error) (json.RawMessage, Sent, error) {
	x := c.channel.Begin(progress)
	return c.exchange(ctx, x, label, func(ctx context.Context, token int64) error {
		var in input
		busy := 0
		for round := 1; ; round++ {
			err := answered(request(ctx, token, in))
			var next *input
			if err != nil {
				next, err = c.callbacks.visit(ctx, x, err)
			} else if c.server.ProtocolVersion >= modernVersion {
				next, err = c.callbacks.required(ctx, x)
			}
			if err != nil || next == nil {
				return err
			}
			if busy++; len(next.responses) > 0 {
				busy = 0
			}
			if busy >= maxBusy {
				return refuse(0, "The server has no time: it asked %d times in a row to be asked again.", maxBusy)
			}
			if round >= maxRounds {
				return refuse(0, "The server asked for input %d times and gave no answer.", maxRounds)
			}
			in = *next
		}
	})
}

// required answers what the latest result of x asks for. It returns nil if that is
// an answer. The error is a *refusal.
func (cb *callbacks) required(ctx context.Context, x *connection.Exchange) (*input, error) {
	raw := x.Result()
	if !bytes.Contains(raw, []byte(`"input_required"`)) {
		return nil, nil
	}
	v, err := value.ParseJSON(raw)
	if err != nil || v.Kind() != value.Object {
		return nil, nil // whoever reads it says so
	}
	kind, _ := v.AsObject().Get("resultType")
	if kind.Kind() != value.String || kind.AsString() != "input_required" {
		return nil, nil
	}
	next := &input{responses: mcp.InputResponseMap{}}
	if state, ok := v.AsObject().Get("requestState"); ok {
		if state.Kind() != value.String {
			return nil, refuse(0, "The server asked for input, and its requestState is no text.")
		}
		next.state = state.AsString()
	}
	requests, ok := v.AsObject().Get("inputRequests")
	if !ok || requests.IsNull() {
		return next, nil
	}
	if requests.Kind() != value.Object {
		return nil, refuse(0, "The server asked for input, and its inputRequests are no object.")
	}
	cb.mu.Lock()
	of := cb.inquiries[x]
	cb.mu.Unlock()
	for name, r := range requests.AsObject().All() {
		if r.Kind() != value.Object {
			return nil, refuse(0, "The server asked for input, and its request %q is no object.", name)
		}
		method, _ := r.AsObject().Get("method")
		if method.Kind() != value.String {
			return nil, refuse(0, "The server asked for input, and its request %q has no method.", name)
		}
		q := question{of: of, method: method.AsString()}
		if params, ok := r.AsObject().Get("params"); ok {
			q.params = value.AppendJSON(nil, params)
		}
		if next.responses[name], err = cb.answer(ctx, q); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// visit answers a server that refuses an operation until a person has gone to some
// URLs (-32042). It returns err itself if it is none of these, or if nobody goes.
func (cb *callbacks) visit(ctx context.Context, x *connection.Exchange, err error) (*input, error) {
	wire := (*jsonrpc.Error)(nil)
	if !errors.As(err, &wire) || wire.Code != mcp.CodeURLElicitationRequired {
		return nil, err
	}
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(wire.Data, &data) != nil || len(data.Elicitations) == 0 {
		return nil, err
	}
	cb.mu.Lock()
	of := cb.inquiries[x]
	cb.mu.Unlock()
	for _, params := range data.Elicitations {
		answer, refused := cb.answer(ctx, question{of: of, method: "elicitation/create", params: params})
		if result, ok := answer.(*mcp.ElicitResult); refused != nil || !ok || result.Action != "accept" {
			return nil, err
		}
	}
	return &input{}, nil
}

// remarked is the error of an operation beside which something happened that
// somebody should know.
type remarked struct {
	error
	remarks []string // full sentences, redacted
}

func (e *remarked) Unwrap() error { return e.error }

// meta returns the _meta of a request: what the caller sends, the progress token and,
// from 2026-07-28 on, which log messages are wanted.
func (c *Client) meta(own map[string]any, token int64) mcp.Meta {
	all := withToken(own, token)
	if c.logs && c.server.ProtocolVersion >= modernVersion {
		all[mcp.MetaKeyLogLevel] = c.callbacks.cfg.LogLevel.String()
	}
	return all
}

// logs reports whether the server says that it logs.
func (s *Server) logs() bool {
	var capabilities struct {
		Logging json.RawMessage `json:"logging"`
	}
	return json.Unmarshal(s.Capabilities, &capabilities) == nil && capabilities.Logging != nil
}

// setLogLevel tells a server of before 2026-07-28 that logs which messages are
// wanted, before anything else, so that none of the first call is missing. What
// comes of it does not matter: what is unwanted is dropped.
func (c *Client) setLogLevel(ctx context.Context) {
	if !c.logs || c.server.ProtocolVersion >= modernVersion {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.callbacks.cfg.probeBudget)
	defer cancel()
	_, _, _ = c.perform(ctx, nil, func(ctx context.Context, token int64) error {
		return c.sdk.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Meta: withToken(nil, token), Level: mcp.LoggingLevel(c.callbacks.cfg.LogLevel.String())})
	})
}

// remarks returns what happened beside the operation that err is the error of, as
// the sentences that go on its text. It has a leading space unless it is empty.
func remarks(err error) string {
	var text string
	if r := (*remarked)(nil); errors.As(err, &r) {
		for _, remark := range r.remarks {
			text += fmt.Sprintf(" %s", remark)
		}
	}
	return text
}
