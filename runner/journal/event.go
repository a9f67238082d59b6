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
	KindRunAdopted      EventKind = "run.adopted"
	KindRunQueued       EventKind = "run.queued"
	KindRunBegun        EventKind = "run.begun"
	KindRunWaiting      EventKind = "run.waiting"
	KindRunSettled      EventKind = "run.settled"
	KindDeadlinePassed  EventKind = "deadline.passed"
	KindNodeStarted     EventKind = "node.started"
	KindNodeCompleted   EventKind = "node.completed"
	KindNodeFailed      EventKind = "node.failed"
	KindNodeSkipped     EventKind = "node.skipped"
	KindNodeWaiting     EventKind = "node.waiting"
	KindNodeResolved    EventKind = "node.resolved"
	KindNodeReset       EventKind = "node.reset"
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
	// Message is the number of the message ([Store.Send]) that became this event, which
	// thereby leaves the run's inbox; 0: none did. What is read from the log has none.
	Message int64
	// Sensitive: the body of Data, and its message, are encrypted on disk.
	Sensitive bool
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
	Queued     bool            `json:"queued,omitempty"`   // nothing of it begins before a RunBegun
	Reuses     RunID           `json:"reuses,omitempty"`   // the run whose results it keeps where they are still right; "": none
	Previous   json.RawMessage `json:"previous,omitempty"` // what the run knows of the one before it; nil: nothing
	Inputs     json.RawMessage `json:"-"`                  // an object; kept byte by byte
}

// RunAdopted says that the run has a new owner; [Store.Adopt] writes it.
type RunAdopted struct {
	Owner Owner `json:"owner"`
}

// RunQueued says that the run waits for its turn. Its status is Queued until a
// RunBegun. [Store.CreateRun] and [Run.Queue] write it.
type RunQueued struct {
	Line string `json:"line"` // see [LineOf]
}

// RunBegun says that the turn of a run that was queued has come.
type RunBegun struct{}

// RunWaiting says that nothing of the run can go on until somebody answers. The
// run's status is Waiting until the next event of a node.
type RunWaiting struct{}

// RunSettled says that all steps have ended, or never will, and how: what is to
// be undone and the finally blocks come now. Its node is the one that runs the
// workflow, "" for the run itself.
type RunSettled struct {
	Outcome string   `json:"outcome"` // "ok", "error" or "cancelled"
	Error   *Failure `json:"error,omitempty"`
}

// DeadlinePassed ends the workflow that its node runs, "" for the run itself.
type DeadlinePassed struct {
	Message string `json:"message"`
}

// NodeStarted is the intent to do what a node does. It is committed before the
// first byte of a request that may have an effect leaves; of a read-only node
// it is only appended.
type NodeStarted struct {
	IdempotencyKey string    `json:"idempotency_key,omitempty"` // see [Store.IdempotencyKey]
	ArgsDigest     string    `json:"args_digest,omitempty"`     // see [Store.ArgsDigest]
	Generation     uint64    `json:"generation,omitempty"`      // of the session; 0: none
	Deadline       time.Time `json:"deadline,omitzero"`         // absolute; zero: none
	// Effect and Connection are of a call that does not only read: what the tool may do,
	// and the connection's id.
	Effect     string `json:"effect,omitempty"`
	Connection string `json:"connection,omitempty"`
	// Repeatable: the one rule for repeats allows to do it again when no answer
	// comes (its effect is read, or it is idempotent). A node that is not, and was
	// running when its process died, is in doubt.
	Repeatable bool `json:"repeatable,omitempty"`
}

// NodeCompleted is a node's success.
type NodeCompleted struct {
	// Reused: the result was kept from the run that this one reuses, and nothing was done.
	Reused bool `json:"reused,omitempty"`
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

// Wait says what a node waits for.
type Wait string

// The waits. That of a retry is part of [NodeFailed].
const (
	WaitRetry    Wait = "retry"    // the time of the next attempt
	WaitTimer    Wait = "timer"    // a time
	WaitQuestion Wait = "question" // a person's answer
	WaitInDoubt  Wait = "in_doubt" // a person's word on what an effect came to
)

// NodeWaiting says that a node waits. Its state is StateInDoubt where it waits
// for a word on its effect, else StateWaiting.
type NodeWaiting struct {
	For  Wait            `json:"for"`
	Due  time.Time       `json:"due,omitzero"` // absolute; zero: until somebody answers
	Note json.RawMessage `json:"-"`            // what the engine wants to know later; nil: nothing. Kept byte by byte
}

// Resolution is a person's word on a node that is in doubt.
type Resolution string

// The resolutions.
const (
	ResolvedOK    Resolution = "ok"    // it had its effect
	ResolvedError Resolution = "error" // it failed
	ResolvedRetry Resolution = "retry" // it is to be done again
)

// NodeResolved is a person's word on a node that is in doubt, which waits for it
// no longer. What the node is then, its next event says.
type NodeResolved struct {
	As     Resolution      `json:"as"`
	By     string          `json:"by,omitempty"` // who says so; "" is unknown
	Output json.RawMessage `json:"-"`            // what the call gave, where that is said; nil: nothing. Kept byte by byte
}

// NodeReset makes a node, or an instance of it, as if nothing had ever happened to it:
// it is to be done again. See [Store.Standing].
type NodeReset struct{}

// SessionOpened is a new MCP session that the run uses.
type SessionOpened struct {
	Connection string `json:"connection"`
	Generation uint64 `json:"generation"`
	Private    bool   `json:"private,omitempty"` // to the run
}

// SessionLost is a session that died.
type SessionLost struct {
	Connection string `json:"connection"`
	Generation uint64 `json:"generation"`
	Reason     string `json:"reason,omitempty"`
	Private    bool   `json:"private,omitempty"` // to the run, for which it is gone for good
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
func (RunAdopted) kind() EventKind      { return KindRunAdopted }
func (RunQueued) kind() EventKind       { return KindRunQueued }
func (RunBegun) kind() EventKind        { return KindRunBegun }
func (RunWaiting) kind() EventKind      { return KindRunWaiting }
func (RunSettled) kind() EventKind      { return KindRunSettled }
func (DeadlinePassed) kind() EventKind  { return KindDeadlinePassed }
func (NodeStarted) kind() EventKind     { return KindNodeStarted }
func (NodeCompleted) kind() EventKind   { return KindNodeCompleted }
func (NodeFailed) kind() EventKind      { return KindNodeFailed }
func (NodeSkipped) kind() EventKind     { return KindNodeSkipped }
func (NodeWaiting) kind() EventKind     { return KindNodeWaiting }
func (NodeResolved) kind() EventKind    { return KindNodeResolved }
func (NodeReset) kind() EventKind       { return KindNodeReset }
func (SessionOpened) kind() EventKind   { return KindSessionOpened }
func (SessionLost) kind() EventKind     { return KindSessionLost }
func (CancelRequested) kind() EventKind { return KindCancelRequested }
func (RunFinished) kind() EventKind     { return KindRunFinished }

func (p RunCreated) body() json.RawMessage    { return p.Inputs }
func (RunAdopted) body() json.RawMessage      { return nil }
func (RunQueued) body() json.RawMessage       { return nil }
func (RunBegun) body() json.RawMessage        { return nil }
func (RunWaiting) body() json.RawMessage      { return nil }
func (RunSettled) body() json.RawMessage      { return nil }
func (DeadlinePassed) body() json.RawMessage  { return nil }
func (NodeStarted) body() json.RawMessage     { return nil }
func (p NodeCompleted) body() json.RawMessage { return p.Result }
func (p NodeFailed) body() json.RawMessage    { return p.Result }
func (p NodeSkipped) body() json.RawMessage   { return p.Result }
func (p NodeWaiting) body() json.RawMessage   { return p.Note }
func (p NodeResolved) body() json.RawMessage  { return p.Output }
func (NodeReset) body() json.RawMessage       { return nil }
func (SessionOpened) body() json.RawMessage   { return nil }
func (SessionLost) body() json.RawMessage     { return nil }
func (CancelRequested) body() json.RawMessage { return nil }
func (p RunFinished) body() json.RawMessage   { return p.Outputs }
