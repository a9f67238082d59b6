package journal

import (
	"encoding/json"
	"time"
)

// EventKind names what happened. Its text is what the log holds; it never changes.
type EventKind string

// The kinds of events, one for each [Payload] type.
const (
	KindRunCreated      EventKind = "run.created"
	KindNodeStarted     EventKind = "node.started"
	KindNodeCompleted   EventKind = "node.completed"
	KindNodeFailed      EventKind = "node.failed"
	KindNodeSkipped     EventKind = "node.skipped"
	KindSessionOpened   EventKind = "session.opened"
	KindSessionLost     EventKind = "session.lost"
	KindCancelRequested EventKind = "cancel.requested"
	KindRunFinished     EventKind = "run.finished"
)

// Event is one record of a run's history.
type Event struct {
	// Seq is the event's place in the log, which is one for all runs: within a run
	// it grows, with gaps. The store sets it; what is handed to [Run.Append] has none.
	Seq int64
	// Node is the node's id; "" for events of the whole run.
	Node string
	// Instance tells the elements of a fan-out apart: the key or index as JSON
	// text (`0`, `"de"`); "" is the node itself. The store only compares it.
	Instance string
	// Attempt counts from 1; 0 where the event belongs to no attempt.
	Attempt int
	// Time is when it happened; the zero time means the store's clock at Append.
	Time time.Time
	// Data says what happened. It must not be nil.
	Data Payload
}

// Kind returns the kind of the event, which its Data decides.
func (e Event) Kind() EventKind { return e.Data.kind() }

// Payload is the closed set of what an event can say: the types below, as values.
// Whoever appends an event must not change the bytes in it afterwards.
type Payload interface {
	kind() EventKind
	// body returns the part that is kept byte by byte, inline or as a blob; nil: none.
	body() json.RawMessage
}

// RunCreated is the first event of every run; [Store.CreateRun] writes it.
type RunCreated struct {
	PlanDigest string          `json:"plan_digest"`
	Workflow   string          `json:"workflow"`
	Deployment string          `json:"deployment,omitempty"`
	Key        string          `json:"key,omitempty"`
	Inputs     json.RawMessage `json:"-"` // an object; kept byte by byte
}

// NodeStarted is the intent to do what a node does. It is committed before the
// first byte of a request that may have an effect leaves; of a read-only node
// it is only appended.
type NodeStarted struct {
	IdempotencyKey string    `json:"idempotency_key,omitempty"` // see [Store.IdempotencyKey]
	ArgsDigest     string    `json:"args_digest,omitempty"`     // see [Store.ArgsDigest]
	Generation     uint64    `json:"generation,omitempty"`      // of the session; 0: none
	Deadline       time.Time `json:"deadline,omitzero"`         // absolute; zero: none
	// Repeatable: the one rule for repeats allows to do it again when no answer
	// comes (its effect is read, or it is idempotent). A node that is not, and was
	// running when its process died, is in doubt.
	Repeatable bool `json:"repeatable,omitempty"`
}

// NodeCompleted is a node's success.
type NodeCompleted struct {
	// Result is the node's result as JSON, kept byte by byte: inline up to
	// [MaxInline] bytes, else as a blob.
	Result json.RawMessage `json:"-"`
}

// NodeFailed is the failure of one attempt. It ends the node unless RetryAt is set.
type NodeFailed struct {
	Kind    string    `json:"kind"` // a failure kind of LANGUAGE 5
	Message string    `json:"message"`
	Code    *int      `json:"code,omitempty"`
	Sent    string    `json:"sent,omitempty"` // "no", "maybe" or "yes"
	InDoubt bool      `json:"in_doubt,omitempty"`
	RetryAt time.Time `json:"retry_at,omitzero"` // absolute; zero: no further attempt
	// Result is the result that other steps see where the failure is tolerated;
	// nil: none. Kept like [NodeCompleted.Result].
	Result json.RawMessage `json:"-"`
}

// NodeSkipped is a node that has nothing to do.
type NodeSkipped struct {
	Result json.RawMessage `json:"-"` // as in [NodeFailed]
}

// SessionOpened is a new MCP session that the run uses.
type SessionOpened struct {
	Connection string `json:"connection"`
	Generation uint64 `json:"generation"`
}

// SessionLost is a session that died.
type SessionLost struct {
	Connection string `json:"connection"`
	Generation uint64 `json:"generation"`
	Reason     string `json:"reason,omitempty"`
}

// CancelRequested is somebody's wish to end the run.
type CancelRequested struct {
	By string `json:"by,omitempty"` // who asked; "" is unknown
}

// RunFinished is the end of a run.
type RunFinished struct {
	Status  Status          `json:"status"` // Completed, Failed or Cancelled
	Outputs json.RawMessage `json:"-"`      // an object; nil: none. Kept byte by byte
	Error   *Failure        `json:"error,omitempty"`
}

// Failure says why a run or a step failed.
type Failure struct {
	Kind    string          `json:"kind"`
	Message string          `json:"message"`
	Code    *int            `json:"code,omitempty"`
	InDoubt bool            `json:"in_doubt,omitempty"`
	Step    string          `json:"step,omitempty"` // of a run's failure: the step that failed it
	Key     json.RawMessage `json:"key,omitempty"`  // its element's key or index; nil: none
}

func (RunCreated) kind() EventKind      { return KindRunCreated }
func (NodeStarted) kind() EventKind     { return KindNodeStarted }
func (NodeCompleted) kind() EventKind   { return KindNodeCompleted }
func (NodeFailed) kind() EventKind      { return KindNodeFailed }
func (NodeSkipped) kind() EventKind     { return KindNodeSkipped }
func (SessionOpened) kind() EventKind   { return KindSessionOpened }
func (SessionLost) kind() EventKind     { return KindSessionLost }
func (CancelRequested) kind() EventKind { return KindCancelRequested }
func (RunFinished) kind() EventKind     { return KindRunFinished }

func (p RunCreated) body() json.RawMessage    { return p.Inputs }
func (NodeStarted) body() json.RawMessage     { return nil }
func (p NodeCompleted) body() json.RawMessage { return p.Result }
func (p NodeFailed) body() json.RawMessage    { return p.Result }
func (p NodeSkipped) body() json.RawMessage   { return p.Result }
func (SessionOpened) body() json.RawMessage   { return nil }
func (SessionLost) body() json.RawMessage     { return nil }
func (CancelRequested) body() json.RawMessage { return nil }
func (p RunFinished) body() json.RawMessage   { return p.Outputs }
