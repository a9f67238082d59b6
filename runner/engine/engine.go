// Package engine executes plans. Its core is a pure state machine,
// step(state, event) → commands, without clock, randomness or I/O; [Run]
// drives it against the local process.
//
// Its central types are [Program], [Core] and [Options]. Of wfc it imports lang,
// compiler/plan, runner/journal and runner/redact.
package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// Caller performs the calls of a run. runner/service implements it over the
// session pool; the engine knows no MCP.
type Caller interface {
	// Call makes one attempt of a call, a read or a prompt. It returns when the answer
	// is in, the attempt failed, or ctx is done. An error is a *CallError.
	Call(ctx context.Context, c Call) (*Answer, error)
}

// Drifter is a Caller that can compare what a server has now with the snapshot.
type Drifter interface {
	// Drift compares a tool's live definition with that of the snapshot, whose digest
	// is given. It returns nil where they are the same. An error is a *CallError.
	Drift(ctx context.Context, id SessionID, tool, digest string) (*Drift, error)
}

// Drift says how a tool differs from the snapshot.
type Drift struct {
	// Breaking: what was checked against the snapshot may not hold any more.
	Breaking bool
	Message  string // full sentences that name the tool
}

// Call is one attempt of a call, a read or a prompt.
type Call struct {
	Do             plan.NodeKind // plan.Call, plan.Read or plan.Prompt
	Session        SessionID
	Tool           string // or the prompt, as the server names it; of a read its URI
	Args           json.RawMessage
	ReadOnly       bool          // may overlap other read-only calls
	IdempotencyKey string        // sent in _meta; "": none
	IdleTimeout    time.Duration // without an answer or a progress message; 0: none
	// BeforeSend is called once the call's turn has come and before its first byte leaves, with the
	// session's generation. An error from it ends the attempt with Sent = no.
	BeforeSend func(generation uint64) error
	// Queued is called once the call has its place in the connection's queue, and no
	// later than BeforeSend. The next call of the connection is made only then, or
	// when this one has returned.
	Queued   func()
	Progress func(Progress)
	Verbatim bool // see [StartCall]
	// Keep keeps binary content of the answer, unless it is Verbatim without secrets,
	// and returns its SHA-256 in lower-case hex. It is durable then.
	Keep func(ctx context.Context, data []byte) (string, error)
}

// Progress is a progress message of a call.
type Progress struct {
	Message  string
	Progress float64
	Total    float64 // 0: unknown
}

// Answer is what a server answered, error answers (isError) included.
type Answer struct {
	IsError    bool
	Structured *value.Value  // nil: none
	Text       string        // all text content, joined by newlines
	Content    []value.Value // parts (LANGUAGE 5)
	Generation uint64
	// Remarks are what a person should know of how the answer came about: full sentences.
	Remarks []string
}

// Sent says whether a request may have been received.
type Sent uint8

// The values of Sent (DURABILITY, "One rule for repeats").
const (
	SentNo Sent = iota
	SentMaybe
	SentYes
)

// String returns "no", "maybe" or "yes".
func (s Sent) String() string { return [...]string{"no", "maybe", "yes"}[s] }

// Kind is a failure kind (LANGUAGE 5).
type Kind string

// The kinds.
const (
	KindTool       Kind = "tool"
	KindProtocol   Kind = "protocol"
	KindTransport  Kind = "transport"
	KindSession    Kind = "session"
	KindTimeout    Kind = "timeout"
	KindRateLimit  Kind = "rate_limit"
	KindCancelled  Kind = "cancelled"
	KindDecode     Kind = "decode"
	KindExpression Kind = "expression"
	KindAssert     Kind = "assert"
	KindLimit      Kind = "limit"
	KindDeclined   Kind = "declined"
	KindPolicy     Kind = "policy"
)

// CallError is a failed attempt.
type CallError struct {
	Kind    Kind
	Message string // full sentences that name the connection
	Code    *int   // a JSON-RPC or HTTP code
	Sent    Sent
	// Answered: the server answered with a failure, which is never in doubt.
	Answered bool
	// SessionOver: the session has ended, and each call that it had or that waited
	// for it fails now. The error of a call then waits for those of the calls before it.
	SessionOver bool
	Generation  uint64
	RetryAfter  time.Duration // how long the server wants to be left alone; 0: it does not say
	// Meanwhile says what the server did in place of answering, which a timeout's
	// message goes on with: full sentences. "": nothing is known.
	Meanwhile string
}

func (e *CallError) Error() string { return e.Message }
