package engine

import (
	"encoding/json"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// Addr names a node of a run, or one element of its fan-out, by place: the same
// in every run of a plan.
type Addr struct {
	Node int // index in the plan
	Elem int // index of the element; [Whole] for the node itself
}

// Whole is the Elem of an address that means the node itself.
const Whole = -1

// Instance names what an [Addr] means, as people and the journal know it.
type Instance struct {
	Step string
	// Key is the element's key under a map, an object or a list with `key`, else its
	// index; null for the step itself.
	Key value.Value
}

// Text returns the element's key or index as JSON text, which is how the
// journal tells elements apart; "" for the step itself.
func (i Instance) Text() string {
	if i.Key.IsNull() {
		return ""
	}
	return i.Key.JSON()
}

// String returns the step as messages and commands name it: label, label[0], label["de"].
func (i Instance) String() string {
	if i.Key.IsNull() {
		return i.Step
	}
	return i.Step + "[" + i.Key.JSON() + "]"
}

// StepOutcome is how a node ended.
type StepOutcome string

// The outcomes (LANGUAGE 5).
const (
	OutcomeOK      StepOutcome = "ok"
	OutcomeError   StepOutcome = "error"
	OutcomeSkipped StepOutcome = "skipped"
)

// Status is how a run ended.
type Status string

// The statuses of a run that has ended.
const (
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
)

// Failure says why a node failed.
type Failure struct {
	Kind    Kind
	Message string // full sentences; names the connection and has the server's text
	Code    *int   // a JSON-RPC or HTTP code; nil: none
	// Sent says whether the request may have been received; of calls only.
	Sent    Sent
	InDoubt bool // its effect is unknown
}

// RunError says why a run did not complete.
type RunError struct {
	At      Instance // Step is "" where no step is to blame
	Kind    Kind
	Message string // full sentences; names step, element and connection and has the server's text
	Code    *int
	InDoubt bool
}

func (e *RunError) Error() string { return e.Message }

// Fact is something that happened, as the core is told it. The first group
// below is what the journal keeps: from it alone a core is where it was.
type Fact interface{ fact() }

// RunCreated begins a run.
type RunCreated struct {
	Run       string
	StartedAt time.Time
	Inputs    value.Value // an object, as [Program.Inputs] gives it
}

// NodeStarted says that the request of a call leaves now, or that a fan-out begins.
type NodeStarted struct {
	At         Addr
	Attempt    int // from 1; 0 of a fan-out
	Generation uint64
	Repeatable bool // see [StartCall]
}

// NodeEnded says how a node, or an element, ended.
type NodeEnded struct {
	At       Addr
	Outcome  StepOutcome
	Attempts int
	Output   value.Value // null unless OK
	Text     string
	Content  []value.Value // parts; nil: none
	Failure  *Failure      // nil unless Outcome is error
}

// CancelRequested is somebody's wish to end the run.
type CancelRequested struct{ By string }

// RunEnded is the end of a run.
type RunEnded struct {
	Status  Status
	Outputs value.Value // an object; null unless completed
	Err     *RunError   // nil if completed
}

// CallAnswered brings a call's answer; it makes a NodeEnded.
type CallAnswered struct {
	At     Addr
	Answer *Answer
}

// CallFailed brings the failure of a call's attempt; it makes a NodeEnded. A call
// that was cancelled before its request left is skipped.
type CallFailed struct {
	At  Addr
	Err *CallError
}

func (RunCreated) fact()      {}
func (NodeStarted) fact()     {}
func (NodeEnded) fact()       {}
func (CancelRequested) fact() {}
func (RunEnded) fact()        {}
func (CallAnswered) fact()    {}
func (CallFailed) fact()      {}

// Command is something that the core wants done.
type Command interface{ command() }

// Record wants a fact journalled. The core knows it already.
type Record struct{ Fact Fact }

// StartCall wants one attempt of a call made. The driver tells [NodeStarted]
// when its request leaves, and at last CallAnswered or CallFailed.
type StartCall struct {
	At      Addr
	Attempt int
	Source  string // logical
	Tool    string
	Args    json.RawMessage // for the wire
	// Digested is Args with references in place of secrets, for the journal's digest.
	Digested json.RawMessage
	ReadOnly bool
	// Repeatable: the one rule for repeats allows to do it again when no answer comes.
	Repeatable     bool
	IdempotencyKey string
	Timeout        time.Duration // of this attempt; 0: none
}

// CancelCall wants a call ended on the wire. Its end is told as CallFailed, or
// as CallAnswered where the answer was faster.
type CancelCall struct{ At Addr }

func (Record) command()     {}
func (StartCall) command()  {}
func (CancelCall) command() {}
