package rpc

import (
	"context"
	"errors"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

// retryAfter is after how many seconds a client may try again what is too much now.
const retryAfter = 1

// serviceError is an error of the service as a client sees it; nil: it is none that a
// client is to see.
func serviceError(err error) *jsonrpc.Error {
	var refused *service.Error
	var failed *service.Failure
	switch {
	case errors.As(err, &refused):
		return refusedError(refused)
	case errors.As(err, &failed):
		data := map[string]any{"kind": failed.Kind, "message": failed.Message, "in_doubt": failed.InDoubt}
		if failed.Code != nil {
			data["code"] = *failed.Code
		}
		return &jsonrpc.Error{Code: protocol.CodeFailed, Message: failed.Message, Data: data}
	case errors.Is(err, context.DeadlineExceeded):
		return jsonrpc.Errorf(protocol.CodeTimeout, "The request took longer than it may.")
	case errors.Is(err, context.Canceled):
		return jsonrpc.Errorf(protocol.CodeTimeout, "The client has gone.")
	}
	return nil
}

func refusedError(e *service.Error) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: protocol.CodeRefused, Message: e.Message}
	data := map[string]any{}
	switch e.Kind {
	case service.NotFound:
		out.Code = protocol.CodeNotFound
	case service.Invalid:
		out.Code = protocol.CodeInvalid
		data["diagnostics"] = e.Diagnostics.JSON()
	case service.Conflict:
		out.Code = protocol.CodeConflict
	case service.Refused:
		if len(e.Diagnostics.List) > 0 {
			data["diagnostics"] = e.Diagnostics.JSON()
		}
	case service.Limit:
		out.Code = protocol.CodeBusy
		data["retry_after"] = retryAfter
	case service.Stale:
		out.Code = protocol.CodeStale
		data["diagnostics"] = e.Diagnostics.JSON()
	case service.Closing:
		out.Code = protocol.CodeStopping
		data["retry_after"] = retryAfter
	}
	if e.Run != "" {
		data["run_id"] = e.Run
	}
	if len(data) > 0 {
		out.Data = data
	}
	return out
}
