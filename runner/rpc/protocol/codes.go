package protocol

import "github.com/lda-wf/wfc/runner/rpc/jsonrpc"

// Codes of errors beside those of JSON-RPC itself.
const (
	CodeNotFound     = -32001
	CodeInvalid      = -32002
	CodeConflict     = -32003
	CodeRefused      = -32004
	CodeBusy         = -32005
	CodeUnauthorized = -32006
	CodeForbidden    = -32007
	CodeFailed       = -32008
	CodeStopping     = -32009
	CodeTimeout      = -32010
	CodeStale        = -32011
)

// Code is what a code means.
type Code struct {
	Code int
	Name string // a word for programs and people: "not found"
	Doc  string // when it comes and what its data has, in full sentences
}

// Codes returns all codes that a client may see.
func Codes() []Code {
	return []Code{
		{jsonrpc.CodeParse, "parse error", "The body is no JSON."},
		{jsonrpc.CodeInvalidRequest, "invalid request", "The body is JSON and no request: its form is wrong, it is nested too deeply, a key comes twice, or it is too large."},
		{jsonrpc.CodeNoMethod, "method not found", "There is no such method; the message names the nearest."},
		{jsonrpc.CodeInvalidParams, "invalid params", "A parameter is missing, is unknown, or has another type. The message names it."},
		{jsonrpc.CodeInternal, "internal error", "This is a bug in wfc. The log of the server has it under the `request` in the data."},
		{CodeNotFound, "not found", "What an id or a name means is not there. The message names the nearest."},
		{CodeInvalid, "invalid", "What was given is not right: a source that does not compile, inputs that the workflow does not take. Data: `diagnostics`, as `wfc check --format json` has them; it may be empty."},
		{CodeConflict, "conflict", "It is there already and differs, has changed meanwhile, or is in a state that does not allow it. Data: `run_id` where it is a run."},
		{CodeRefused, "refused", "The project's own rules forbid it: what HCL files define is read-only, a connection is disabled, a tool is denied."},
		{CodeBusy, "busy", "The server does as much as it may. Data: `retry_after`, in seconds."},
		{CodeUnauthorized, "unauthorized", "A token is needed, or the one given is unknown, revoked or expired. HTTP status 401."},
		{CodeForbidden, "forbidden", "The token does not allow the method. Data: `scope`, the one that is needed. HTTP status 403."},
		{CodeFailed, "failed", "The server of a source failed, or could not be reached. Data: `kind`, `message`, `in_doubt`, and `code` where there is one."},
		{CodeStopping, "stopping", "The server stops and begins nothing new. What was begun goes on at its next start. Data: `retry_after`, in seconds."},
		{CodeTimeout, "timeout", "The request took longer than it may. A run that it began goes on."},
		{CodeStale, "stale", "The deployment was right when it was saved and is not any more, since what it uses has changed. Data: `diagnostics`."},
	}
}
