package journal

import (
	"encoding/json"
	"time"
)

// RunID is the address of a run in its journal: time-sortable, lower-case
// letters, digits and one dash ("06d3k7mx-x2f9").
type RunID string

// Status is the state of a run as the command line names it.
type Status string

// The statuses. Interrupted is never stored: it is what a reader sees of a
// running or queued run whose owner is gone.
const (
	Queued      Status = "queued"
	Running     Status = "running"
	Waiting     Status = "waiting"
	Interrupted Status = "interrupted"
	Completed   Status = "completed"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
)

// State is the state of a node as the command line names it.
type State string

// The states.
const (
	StatePending State = "pending"
	StateRunning State = "running"
	StateOK      State = "ok"
	StateError   State = "error"
	StateSkipped State = "skipped"
	StateInDoubt State = "in_doubt"
	StateWaiting State = "waiting"
)

// RunSummary is a line of `wfc runs list`.
type RunSummary struct {
	Run        RunID      `json:"run"`
	Workflow   string     `json:"workflow"`
	Deployment string     `json:"deployment,omitempty"`
	Status     Status     `json:"status"`
	StartedAt  time.Time  `json:"started_at"`      // UTC
	FinishedAt *time.Time `json:"finished_at"`     // UTC; nil: not yet
	Owner      *Owner     `json:"owner,omitempty"` // the process that executes it; nil: none does, as far as can be known
}

// RunRecord is what `wfc runs show --json` prints.
type RunRecord struct {
	RunSummary
	PlanDigest string          `json:"plan_digest"`
	Key        string          `json:"key,omitempty"`    // the run key; "" is none
	Reuses     RunID           `json:"reuses,omitempty"` // the run whose results it keeps where they are still right
	Inputs     json.RawMessage `json:"inputs"`
	Outputs    json.RawMessage `json:"outputs"` // nil, printed as null: none
	Error      *Failure        `json:"error"`
	Reads      int             `json:"reads,omitempty"`     // how often tools were called that only read
	Effects    []ToolEffects   `json:"effects,omitempty"`   // what was done with others, in the order in which they were called first
	Questions  []Question      `json:"questions,omitempty"` // what it asks and waits for, the oldest first
	// Private are the connections with which it had sessions of its own, of a run that
	// has not ended; nil: none.
	Private []string     `json:"private_sessions,omitempty"`
	Steps   []StepRecord `json:"steps"` // in the plan's order, elements by their index, or in the order they began; never nil
}

// StepRecord is one step, one element of a fan-out, one round of a loop, or one of
// its undo blocks.
type StepRecord struct {
	Step       string          `json:"step"`            // with those that it is in: "deploy/build"
	Key        json.RawMessage `json:"key,omitempty"`   // the element's key or index; nil: the step itself
	Round      int             `json:"round,omitempty"` // from 1; 0: all of them
	Undo       int             `json:"undo,omitempty"`  // which undo block, from 1; 0: the step itself
	Name       string          `json:"name,omitempty"`  // as commands name it, where step and key do not say it all: deploy["x"]/build, poll#2
	State      State           `json:"state"`
	Attempts   int             `json:"attempts"`
	Reused     bool            `json:"reused,omitempty"` // kept from the run that this one reuses
	Connection string          `json:"connection,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Generation uint64          `json:"generation,omitempty"` // of the session that the last attempt used
	StartedAt  *time.Time      `json:"started_at,omitempty"` // of the first attempt, UTC
	FinishedAt *time.Time      `json:"finished_at,omitempty"`
	Error      *Failure        `json:"error,omitempty"` // of the last attempt
	// Result is the node's result as it was appended; nil: none.
	Result json.RawMessage `json:"-"`
}

// Filter chooses runs. The zero Filter is all of them.
type Filter struct {
	Workflow   string // "": all
	Deployment string // "": all
	Statuses   []Status
	Before     RunID // those that are older than this run; "": all. An [Error] of [ErrNotFound] where there is none
	Limit      int   // 0: all
}

// NewRun is what a run is made of.
type NewRun struct {
	Plan       []byte          // canonical JSON; kept once for each digest
	PlanDigest string          // of Plan
	Workflow   string          // its name
	Deployment string          // "": none
	Inputs     json.RawMessage // an object, defaults applied
	Sensitive  bool            // Inputs and Previous are encrypted on disk
	// Seals: sensitive events will follow. The run's key is made at once, so that a key
	// that cannot be had is told before anything is done.
	Seals bool
	Key   string // unique among all runs; "": none
	// Line is where the run waits for its turn (see [LineOf]), which nothing of it
	// begins before; "": it begins at once.
	Line     string
	Reuses   RunID           // the run whose results it keeps where they are still right; "": none
	Previous json.RawMessage // what the run knows of the one before it; nil: nothing
}
