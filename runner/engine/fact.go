package engine

import (
	"encoding/json"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// StepOutcome is how a node ended.
type StepOutcome string

// The outcomes (LANGUAGE 5).
const (
	OutcomeOK      StepOutcome = "ok"
	OutcomeError   StepOutcome = "error"
	OutcomeSkipped StepOutcome = "skipped"
)

// Status is how a run ended, or why it goes on no further for now.
type Status string

// The statuses. A run that waits has not ended: somebody must say what an effect
// came to, or answer a question.
const (
	StatusWaiting Status = "waiting"
	// StatusInterrupted: the process that had it left it where it was (see [Options]).
	StatusInterrupted Status = "interrupted"
	StatusCompleted   Status = "completed"
	StatusFailed      Status = "failed"
	StatusCancelled   Status = "cancelled"
)

// Failure says why a node, or an attempt of one, failed.
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
// below is what the journal keeps: from it alone a core is where it was. All times
// in them are absolute.
type Fact interface{ fact() }

// RunCreated begins a run.
type RunCreated struct {
	Run       string
	StartedAt time.Time
	Inputs    value.Value // an object, as [Program.Inputs] gives it
	// Previous is run.previous: an object, or null.
	Previous value.Value
	// Queued: nothing of it begins before a RunBegun.
	Queued bool
}

// RunBegun says that the turn of a run that was queued has come.
type RunBegun struct{ Time time.Time }

// NodeStarted says that the request of a call leaves now, or that a fan-out or
// the run of another workflow begins.
type NodeStarted struct {
	At         Addr
	Attempt    int // from 1; 0 of a fan-out
	Generation uint64
	Repeatable bool      // see [StartCall]
	Effect     string    // of a call: read, write, destructive, or unknown
	Connection string    // its id; of a call
	ArgsDigest string    // of a call; "": not known
	Deadline   time.Time // of the node or element; zero: none
	Time       time.Time
}

// AttemptFailed says that an attempt failed and that another one follows.
type AttemptFailed struct {
	At      Addr
	Attempt int
	Failure *Failure
	RetryAt time.Time
}

// Wait is what a node waits for.
type Wait uint8

// The waits. That of a retry is an [AttemptFailed].
const (
	WaitSleep    Wait = iota + 1
	WaitRound         // the next round of a loop
	WaitInDoubt       // somebody's word on what its effect came to
	WaitQuestion      // a person's answer
)

// NodeWaiting says that a node waits.
type NodeWaiting struct {
	At       Addr
	For      Wait
	Until    time.Time // zero of WaitInDoubt and WaitQuestion
	Deadline time.Time // of the node or element; zero: none
	Time     time.Time
	Question *journal.Asked // of WaitQuestion; else nil
}

// NodeResolved is somebody's word on a node in doubt.
type NodeResolved struct {
	At     Addr
	As     journal.Resolution
	Output *value.Value // nil: null
	By     string
	Time   time.Time
}

// NodeAnswered is a person's answer to a question of a node, or of the policy about
// its calls.
type NodeAnswered struct {
	At       Addr
	Declined bool
	Data     *value.Value // nil where it is declined
	By       string
	Time     time.Time
}

// NodeEnded says how a node, an element, a round, or an undo ended.
type NodeEnded struct {
	At       Addr
	Outcome  StepOutcome
	Attempts int
	Output   value.Value // null unless OK
	Text     string
	Content  []value.Value // parts; nil: none
	Failure  *Failure      // nil unless Outcome is error
	Reused   bool          // kept from the run that this one reuses: nothing was done
}

// CancelRequested is somebody's wish to end the run.
type CancelRequested struct{ By string }

// DeadlinePassed ends a workflow, the run's or a child's, with a failure of the
// kind timeout.
type DeadlinePassed struct {
	Frame   int
	Message string
}

// Settled says that all steps of a workflow have ended, or never will, and how:
// what is to be undone and the finally blocks come now. A workflow with neither has none.
type Settled struct {
	Frame   int
	Outcome RunOutcome
	Err     *RunError // nil if ok
}

// RunOutcome is run.outcome in a finally block.
type RunOutcome string

// The outcomes of a run.
const (
	RunOK        RunOutcome = "ok"
	RunFailed    RunOutcome = "error"
	RunCancelled RunOutcome = "cancelled"
)

// SessionGone says that a session private to the run ended with the process that
// had it: what it kept cannot be had again.
type SessionGone struct{ Connection string }

// RunEnded is the end of a run.
type RunEnded struct {
	Status  Status
	Outputs value.Value // an object; null unless completed
	Err     *RunError   // nil if completed
}

// CallAnswered brings a call's answer.
type CallAnswered struct {
	At     Addr
	Answer *Answer
}

// CallFailed brings the failure of a call's attempt. A call that was cancelled
// before its request left is skipped.
type CallFailed struct {
	At  Addr
	Err *CallError
}

func (RunCreated) fact()      {}
func (RunBegun) fact()        {}
func (NodeStarted) fact()     {}
func (AttemptFailed) fact()   {}
func (NodeWaiting) fact()     {}
func (NodeResolved) fact()    {}
func (NodeAnswered) fact()    {}
func (NodeEnded) fact()       {}
func (CancelRequested) fact() {}
func (DeadlinePassed) fact()  {}
func (Settled) fact()         {}
func (SessionGone) fact()     {}
func (RunEnded) fact()        {}
func (CallAnswered) fact()    {}
func (CallFailed) fact()      {}

// Command is something that the core wants done.
type Command interface{ command() }

// Record wants a fact journalled. The core knows it already.
type Record struct{ Fact Fact }

// StartCall wants one attempt of a call, a read or a prompt made. The driver tells
// [NodeStarted] when its request leaves, and at last CallAnswered or CallFailed.
type StartCall struct {
	At      Addr
	Attempt int
	Do      plan.NodeKind // plan.Call, plan.Read or plan.Prompt
	Session SessionID
	Tool    string          // or the prompt; of a read its URI
	Digest  string          // of the tool in the snapshot; "": not known
	Args    json.RawMessage // for the wire
	// Digested is Args with references in place of secrets, for the journal's digest.
	Digested json.RawMessage
	// Recorded is the digest of an earlier attempt's arguments, which are the same; "": not known.
	Recorded string
	Effect   string // read, write, destructive, or unknown
	ReadOnly bool
	// Sensitive: what comes of it is to be kept encrypted.
	Sensitive bool
	// Verbatim: what comes of it is declared sensitive, so that secrets in it stay.
	Verbatim bool
	// Repeatable: the one rule for repeats allows to do it again when no answer comes.
	Repeatable     bool
	IdempotencyKey string
	Timeout        time.Duration // of this attempt; 0: none
	IdleTimeout    time.Duration // without an answer or a progress message; 0: none
	Deadline       time.Time     // of all attempts; zero: none
}

// SessionID tells the sessions of a run apart.
type SessionID struct {
	Connection string
	Private    bool // to the run
}

// CancelCall wants a call ended on the wire. Its end is told as CallFailed, or
// as CallAnswered where the answer was faster.
type CancelCall struct {
	At Addr
	// Late: its deadline passed.
	Late    bool
	Because string // it is not late, and this is why: a clause
}

func (Record) command()     {}
func (StartCall) command()  {}
func (CancelCall) command() {}
