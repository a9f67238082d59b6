// Package feature answers the requests of editors from snapshots: one file a
// feature, each a function over a [workspace.Snapshot] and the request's parameters.
//
// Its central type is [Feature]; [All] is the table of them, which the server's
// capabilities come from. It may import the compiler, lang and the packages of lsp
// but lsp itself.
package feature

import (
	"context"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// Feature is one request that the server answers.
type Feature struct {
	Method string
	// Capability is its name in the server's capabilities; "": it has none of its own.
	Capability string
	// Options is what the capability says, for a client; nil: true. Where it
	// returns nil, the server does not say that it can do this.
	Options func(*workspace.Client) any
	// Call answers a request. An error that is a *protocol.Error is sent as it is, the
	// context's as a cancelled request, any other as an internal one.
	Call func(context.Context, *workspace.Snapshot, *protocol.Message) (any, error)
}

// on returns a feature whose handler takes typed parameters. A handler that has
// nothing to say of a place returns a nil result, which the client gets as null;
// that is no error.
func on[P, R any](method, capability string, options func(*workspace.Client) any, handle func(context.Context, *workspace.Snapshot, P) (R, error)) Feature {
	return Feature{method, capability, options, func(ctx context.Context, s *workspace.Snapshot, m *protocol.Message) (any, error) {
		params, err := protocol.Params[P](m)
		if err != nil {
			return nil, err
		}
		return handle(ctx, s, params)
	}}
}

// All returns the table of features.
func All() []Feature {
	return append([]Feature{
		on("textDocument/diagnostic", "diagnosticProvider", diagnosticOptions, documentDiagnostic),
		on("workspace/diagnostic", "", nil, workspaceDiagnostic),
	}, language()...)
}
