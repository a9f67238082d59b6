package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/redact"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
)

// caller performs a run's calls through the pool.
type caller struct {
	service *Service
	model   callback.Sampler // answers servers that ask for one; nil: none
	redact  *redact.Redactor
	targets map[engine.SessionID]pool.Target
	lists   liveLists
}

// idempotencyMeta is the name of the idempotency key in a request's _meta.
const idempotencyMeta = "wfc/idempotency-key"

// Call implements [engine.Caller].
func (c *caller) Call(ctx context.Context, call engine.Call) (*engine.Answer, error) {
	target, ok := c.targets[call.Session]
	if !ok {
		return nil, &engine.CallError{Kind: engine.KindProtocol, Message: fmt.Sprintf("The connection %q is not part of the plan. This is a bug in wfc.", call.Session.Connection)}
	}
	var meta map[string]any
	if call.IdempotencyKey != "" {
		meta = map[string]any{idempotencyMeta: call.IdempotencyKey}
	}
	var progress func(session.Progress)
	if call.Progress != nil {
		progress = func(p session.Progress) {
			call.Progress(engine.Progress{Message: p.Message, Progress: p.Progress, Total: p.Total})
		}
	}
	ctx, span := c.service.request(ctx, call.Do, target.Connection.ID, call.Tool)
	answer, err := c.call(ctx, target, call, meta, progress)
	kind := engine.Kind("")
	if e := (*engine.CallError)(nil); errors.As(err, &e) {
		kind = e.Kind
	} else if answer != nil && answer.IsError {
		kind = engine.KindTool
	}
	endRequest(span, kind)
	return answer, err
}

// call makes the attempt.
func (c *caller) call(ctx context.Context, target pool.Target, call engine.Call, meta map[string]any, progress func(session.Progress)) (*engine.Answer, error) {
	ctx, remarks := c.service.handling(ctx, c.model)
	pool := c.service.pool
	var result *content.Result
	var err error
	switch call.Do {
	case plan.Read:
		result, err = pool.ReadResource(ctx, target, session.Read{
			URI: call.Tool, Progress: progress, Started: call.BeforeSend, Queued: call.Queued, IdleTimeout: call.IdleTimeout,
		})
	case plan.Prompt:
		result, err = pool.GetPrompt(ctx, target, session.Get{
			Prompt: call.Tool, Args: texts(call.Args), Progress: progress, Started: call.BeforeSend, Queued: call.Queued, IdleTimeout: call.IdleTimeout,
		})
	default:
		result, err = pool.CallTool(ctx, target, session.Call{
			Tool: call.Tool, Args: call.Args, ReadOnly: call.ReadOnly, Meta: meta, Progress: progress,
			Started: call.BeforeSend, Queued: call.Queued, IdleTimeout: call.IdleTimeout,
		})
	}
	if err != nil {
		return nil, callError(target, err)
	}
	if err := c.keep(ctx, result.Blobs, call); err != nil {
		return nil, &engine.CallError{
			Kind: engine.KindLimit, Answered: true, Sent: engine.SentYes, Generation: result.Generation,
			Message: fmt.Sprintf("connection %s, %s: its binary content cannot be stored: %v", target.Connection.ID, call.Tool, err),
		}
	}
	return &engine.Answer{
		IsError:    result.IsError,
		Structured: result.Structured,
		Text:       result.Text,
		Content:    result.Parts,
		Generation: result.Generation,
		Remarks:    remarks(),
	}, nil
}

// texts are the arguments of a prompt, which are all text.
func texts(args []byte) map[string]string {
	v, err := value.ParseJSON(args)
	if err != nil || v.Kind() != value.Object {
		return nil
	}
	out := make(map[string]string, v.AsObject().Len())
	for name, a := range v.AsObject().All() {
		if a.Kind() == value.String {
			out[name] = a.AsString()
		} else {
			out[name] = a.JSON()
		}
	}
	return out
}

// keep stores binary content without secrets before anything refers to it. The
// engine redacts the rest of an answer; it never sees the bytes of a blob.
func (c *caller) keep(ctx context.Context, blobs []content.Blob, call engine.Call) error {
	for _, b := range blobs {
		data := b.Bytes
		if !call.Verbatim {
			data = c.redact.Bytes(data)
		}
		sum, err := call.Keep(ctx, data)
		if err != nil {
			return err
		}
		b.Meta.Size, b.Meta.SHA256 = int64(len(data)), sum
	}
	return nil
}

// callError says a failure of the runtime in the engine's words.
func callError(t pool.Target, err error) *engine.CallError {
	var e *session.Error
	if !errors.As(err, &e) {
		return &engine.CallError{Kind: engine.KindTransport, Message: fmt.Sprintf("connection %s: %v", t.Connection.ID, err)}
	}
	out := &engine.CallError{
		Message:    e.Error(),
		Sent:       sent(e.Sent),
		Answered:   e.Answered(),
		Generation: e.Generation,
		RetryAfter: e.RetryAfter,
	}
	if e.Status != 0 {
		out.Code = &e.Status
	}
	switch e.Reason {
	case session.NotStarted:
		out.Kind, out.SessionOver = engine.KindTransport, true
		if e.Status != 0 {
			out.Kind = kindOf(e.Status)
		}
	case session.Rejected:
		out.Kind = kindOf(e.Status)
	case session.Interrupted:
		out.Kind = engine.KindTransport
	case session.Declined:
		out.Kind = engine.KindTransport
	case session.Lost:
		out.Kind, out.SessionOver = engine.KindTransport, true
		if t.Scope != "" {
			out.Kind = engine.KindSession
		}
	case session.Quiet:
		out.Kind = engine.KindTimeout
	case session.Cancelled:
		out.Kind = engine.KindCancelled
		out.Meanwhile = e.Noise
	case session.Refused:
		out.Kind = engine.KindProtocol
		code := int(e.Code)
		out.Code = &code
	case session.Malformed:
		out.Kind = engine.KindProtocol
	case session.TooLarge:
		out.Kind = engine.KindLimit
	case session.Unanswered:
		out.Kind = engine.KindDeclined
	}
	return out
}

// kindOf is the kind of a failure that is an HTTP status.
func kindOf(status int) engine.Kind {
	switch status {
	case http.StatusTooManyRequests:
		return engine.KindRateLimit
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout: // the server is not reached
		return engine.KindTransport
	}
	return engine.KindProtocol
}

func sent(s session.Sent) engine.Sent {
	switch s {
	case session.SentNo:
		return engine.SentNo
	case session.SentYes:
		return engine.SentYes
	}
	return engine.SentMaybe
}
