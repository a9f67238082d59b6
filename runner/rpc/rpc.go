// Package rpc offers a project's workflows over HTTP: JSON-RPC 2.0 at POST /rpc, the
// events of runs as server-sent events, and what operators look at. It is thin over
// runner/service: it reads requests, asks who sends them, and writes answers.
//
// Its central type is [Server]. Of wfc it imports runner/service and what that gives,
// and its own subpackages.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// methodTable has what answers the methods, by their names.
type methodTable map[string]method

type method struct {
	spec protocol.Spec
	call func(context.Context, json.RawMessage) (any, error)
}

// bind gives a method its implementation.
func bind[P, R any](t methodTable, m protocol.Method[P, R], do func(context.Context, P) (R, error)) {
	t[m.Name] = method{m.Spec, func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := protocol.Decode[P](params)
		if err != nil {
			return nil, err
		}
		return do(ctx, p)
	}}
}

// missing names a method of the protocol without an implementation; "": all have one.
func (t methodTable) missing() string {
	for _, spec := range protocol.Methods() {
		if _, ok := t[spec.Name]; !ok {
			return spec.Name
		}
	}
	return ""
}

// dispatcher answers requests.
type dispatcher struct {
	methods  methodTable
	stopping func() bool // what everything needs is closed, or is about to be
	log      *slog.Logger
	observe  func(method string, code int, took time.Duration) // code 0: it was answered without an error
}

// answer answers one request of a caller. What a client sees of an error holds nothing of the inside.
func (d *dispatcher) answer(ctx context.Context, who caller, r jsonrpc.Request) jsonrpc.Response {
	begun := time.Now()
	result, err := d.perform(ctx, who, r)
	out := jsonrpc.Response{ID: r.ID, Result: result}
	if err != nil {
		out.Result, out.Err = nil, d.told(ctx, r.Method, err)
	}
	name := r.Method
	if _, known := d.methods[name]; !known {
		name = "unknown" // names of others would be metrics without end
	}
	code := 0
	if out.Err != nil {
		code = out.Err.Code
	}
	took := time.Since(begun)
	d.observe(name, code, took)
	d.log.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("method", name), slog.Int("code", code), slog.Duration("took", took), slog.String("token", who.token))
	return out
}

func (d *dispatcher) perform(ctx context.Context, who caller, r jsonrpc.Request) (result any, err error) {
	if r.Err != nil {
		return nil, r.Err
	}
	m, ok := d.methods[r.Method]
	if !ok {
		names := make([]string, 0, len(d.methods))
		for _, spec := range protocol.Methods() {
			names = append(names, spec.Name)
		}
		e := jsonrpc.Errorf(jsonrpc.CodeNoMethod, "There is no method %q. The method rpc.discover lists all.", cut(r.Method))
		if near, ok := nearest.Name(r.Method, names); ok {
			e.Message = fmt.Sprintf("There is no method %q. Did you mean %q?", cut(r.Method), near)
		}
		return nil, e
	}
	if !who.scope.Allows(m.spec.Scope) {
		return nil, &jsonrpc.Error{
			Code:    protocol.CodeForbidden,
			Message: fmt.Sprintf("The method %s needs a token with the scope %s; this one has %s.", m.spec.Name, m.spec.Scope, who.scope),
			Data:    map[string]any{"scope": m.spec.Scope},
		}
	}
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &panicked{p, debug.Stack()}
		}
	}()
	return m.call(ctx, r.Params)
}

// panicked is the panic of a method.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// told is an error as a client sees it. One that no code is for is a bug of wfc: the
// client gets a number by which the log has it.
func (d *dispatcher) told(ctx context.Context, name string, err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e
	}
	// What fails while the server stops fails because of that: what it needed is closed.
	known := serviceError(err)
	if p := (*panicked)(nil); d.stopping() && (known == nil || errors.Is(err, context.Canceled)) && !errors.As(err, &p) {
		d.log.LogAttrs(ctx, slog.LevelDebug, "request while stopping", slog.String("method", name), slog.String("error", err.Error()))
		return &jsonrpc.Error{Code: protocol.CodeStopping, Message: "The server is stopping.", Data: map[string]any{"retry_after": retryAfter}}
	}
	if known != nil {
		return known
	}
	request := newRequestID()
	attrs := []slog.Attr{slog.String("request", request), slog.String("method", name), slog.String("error", err.Error())}
	if p := (*panicked)(nil); errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	d.log.LogAttrs(ctx, slog.LevelError, "internal fault", attrs...)
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: "This is a bug in wfc. The server's log says more under the request " + request + ".",
		Data:    map[string]any{"request": request},
	}
}

// cut is a text of others in a message.
func cut(s string) string {
	const most = 100
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
