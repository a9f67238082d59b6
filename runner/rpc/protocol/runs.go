package protocol

import (
	"encoding/json"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// Deployment is what a workflow is run with.
type Deployment struct {
	DeploymentID    string          `json:"deployment_id"`
	ReadOnly        bool            `json:"read_only" doc:"It is one of the project's files."`
	Workflow        string          `json:"workflow"`
	ArtifactID      string          `json:"artifact_id,omitempty" doc:"Left out: it runs a workflow of the project's files."`
	ArtifactVersion string          `json:"artifact_version,omitempty"`
	Title           string          `json:"title,omitempty"`
	Description     string          `json:"description,omitempty"`
	Bindings        []Binding       `json:"bindings"`
	Input           value.Value     `json:"input,omitzero"`
	Policy          *Policy         `json:"policy,omitempty"`
	Schedule        *Schedule       `json:"schedule,omitempty"`
	Revision        int64           `json:"revision,omitempty" doc:"Counts the saves, from 1."`
	Status          string          `json:"status" enum:"ready,stale,invalid" doc:"Whether it can be run now: stale is one that was right when it was saved."`
	Diagnostics     json.RawMessage `json:"diagnostics" doc:"What is wrong with it, as wfc check --format json has it."`
	InputSchema     json.RawMessage `json:"input_schema,omitempty" doc:"The JSON Schema of the inputs of its runs."`
	OutputSchema    json.RawMessage `json:"output_schema,omitempty"`
	CreatedAt       *time.Time      `json:"created_at,omitempty"`
	UpdatedAt       *time.Time      `json:"updated_at,omitempty"`
}

// DeploymentRunParams are the parameters of deployments.run.
type DeploymentRunParams struct {
	DeploymentID string      `json:"deployment_id" doc:"Which deployment."`
	Input        value.Value `json:"input,omitzero" doc:"An object of the inputs that the deployment does not fix."`
	Start
}

// Start says how a run begins.
type Start struct {
	RunKey string `json:"run_key,omitempty" doc:"A name that no other run has. Asked for once more, with the same inputs, the run that has it is returned, and none begins."`
	Wait   bool   `json:"wait,omitempty" doc:"Answer when the run has ended, or waits for a person; else as soon as it has begun."`
}

// RunStartParams are the parameters of runs.start.
type RunStartParams struct {
	Target string            `json:"target" doc:"The name of a deployment or of a workflow of the project, in this order; workflow.NAME means the workflow."`
	Input  value.Value       `json:"input,omitzero" doc:"An object of inputs."`
	Texts  map[string]string `json:"texts,omitempty" doc:"More inputs, as wfc run --input takes them: text for an input that takes text, else JSON. They win."`
	Bind   []Binding         `json:"bindings,omitempty" doc:"What sources are, in place of what the workflow or the deployment says."`
	Reuse  string            `json:"reuse,omitempty" doc:"Keep the results of this run where steps and inputs are the same."`
	Start
}

// RunParams name a run.
type RunParams struct {
	RunID string `json:"run_id" doc:"The id of a run, or a part of it from its beginning or end that no other has."`
}

// RunStatus is what is known of a run in a line.
type RunStatus struct {
	RunID      string     `json:"run_id"`
	Status     string     `json:"status" enum:"queued,running,waiting,interrupted,completed,failed,cancelled"`
	Workflow   string     `json:"workflow"`
	Deployment string     `json:"deployment,omitempty"`
	StartedAt  time.Time  `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at" doc:"Null: not yet."`
	Owner      *Owner     `json:"owner,omitempty" doc:"The process that executes it; left out: none does, as far as can be known."`
}

// Owner is the process that executes a run.
type Owner struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// RunResult is a run.
type RunResult struct {
	RunStatus
	Output    value.Value `json:"output" doc:"The outputs; null unless it is completed."`
	Error     *Failure    `json:"error" doc:"Why it failed; null: it did not."`
	Input     value.Value `json:"input" doc:"The inputs, defaults applied."`
	RunKey    string      `json:"run_key,omitempty"`
	Reuses    string      `json:"reuses,omitempty" doc:"The run whose results it keeps."`
	Steps     []Step      `json:"steps" doc:"In the order of the plan, elements by their index."`
	Plan      string      `json:"plan_digest,omitempty"`
	Questions []Question  `json:"questions,omitempty" doc:"What it asks and waits for, the oldest first."`
	Existing  bool        `json:"existing,omitempty" doc:"The run key was known: this is its run, and none was begun."`
	Cursor    string      `json:"cursor,omitempty" doc:"Behind it come the events of what was begun; left out: from the beginning."`
}

// Step is one step of a run, one element of a fan-out, one round of a loop, or one of
// its undo blocks.
type Step struct {
	Step       string          `json:"step" doc:"With those that it is in: deploy/build."`
	Key        json.RawMessage `json:"key,omitempty" doc:"The element's key or index."`
	Round      int             `json:"round,omitempty"`
	Undo       int             `json:"undo,omitempty"`
	Name       string          `json:"name,omitempty" doc:"As runs.resolve and runs.answer name it, where step and key do not say it all."`
	State      string          `json:"state" enum:"pending,running,ok,error,skipped,in_doubt,waiting"`
	Attempts   int             `json:"attempts"`
	Reused     bool            `json:"reused,omitempty"`
	Connection string          `json:"connection,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Generation uint64          `json:"generation,omitempty" doc:"Of the session that the last attempt used."`
	StartedAt  *time.Time      `json:"started_at,omitempty"`
	FinishedAt *time.Time      `json:"finished_at,omitempty"`
	Error      *Failure        `json:"error,omitempty" doc:"Of the last attempt."`
}

// Question is what a run asks and waits for.
type Question struct {
	Run       string          `json:"run"`
	Step      string          `json:"step"`
	Key       json.RawMessage `json:"key,omitempty" doc:"The element's key or index."`
	Round     int             `json:"round,omitempty"`
	Undo      int             `json:"undo,omitempty"`
	Name      string          `json:"name" doc:"The step as runs.answer names it."`
	Message   string          `json:"message"`
	Answer    string          `json:"answer" doc:"The type of the answer, in the notation of the language."`
	Schema    json.RawMessage `json:"schema" doc:"The same as a JSON Schema."`
	Choices   json.RawMessage `json:"choices,omitempty" doc:"An object: an attribute of the answer, and the list of what it may be."`
	Approvers []string        `json:"approvers" doc:"Who may answer; null: anybody."`
	Approval  json.RawMessage `json:"approval,omitempty" doc:"What a policy asks about: connection, tool, effect, the first calls, and their count."`
	AskedAt   time.Time       `json:"asked_at"`
	Deadline  *time.Time      `json:"deadline,omitempty" doc:"Left out: it waits for ever."`
}

// RunsListParams are the parameters of runs.list.
type RunsListParams struct {
	Workflow   string   `json:"workflow,omitempty" doc:"Those of one workflow only."`
	Deployment string   `json:"deployment,omitempty" doc:"Those of one deployment only."`
	Statuses   []string `json:"statuses,omitempty" enum:"queued,running,waiting,interrupted,completed,failed,cancelled" doc:"Those with one of these statuses only."`
	Page
}

// RunsListResult is the result of runs.list.
type RunsListResult struct {
	Runs []RunStatus `json:"runs"`
	Next string      `json:"next,omitempty" doc:"The cursor of the next page; left out with the last one."`
}

// RunEventsParams are the parameters of runs.events.
type RunEventsParams struct {
	RunID string `json:"run_id" doc:"Which run."`
	After string `json:"after,omitempty" doc:"The cursor of the event before; left out: from the beginning."`
	Limit int    `json:"limit,omitempty" doc:"How many, or a few more, up to one that has a place of its own; 100 if it is left out."`
	Wait  bool   `json:"wait,omitempty" doc:"Where there is no event yet, wait for one that has a place, up to 30 seconds."`
}

// RunEventsResult is the result of runs.events.
type RunEventsResult struct {
	Events []RunEvent `json:"events"`
	End    bool       `json:"end" doc:"There will be no more: the run has ended, or waits for a person."`
}

// RunEvent is an event with its place.
type RunEvent struct {
	Cursor string          `json:"cursor" doc:"That of the last event with a place of its own, up to this one. Starts of steps, progress and warnings have none, and may come again."`
	Event  json.RawMessage `json:"event" doc:"As wfc run --json prints it."`
}

// RunResumeParams are the parameters of runs.resume.
type RunResumeParams struct {
	RunID       string `json:"run_id" doc:"Which run."`
	NewSessions bool   `json:"new_sessions,omitempty" doc:"With new sessions where those private to the run ended with its process."`
	Wait        bool   `json:"wait,omitempty" doc:"Answer when the run has ended, or waits again."`
}

// RunResolveParams are the parameters of runs.resolve.
type RunResolveParams struct {
	RunID       string      `json:"run_id" doc:"Which run."`
	Step        string      `json:"step" doc:"A step in doubt: label, label[0], label[\"de\"]."`
	As          string      `json:"as" enum:"ok,error,retry" doc:"What became of it: it had its effect, it failed, or it is to be done again."`
	Output      value.Value `json:"output,omitzero" doc:"What the step gave, where it had its effect."`
	NewSessions bool        `json:"new_sessions,omitempty" doc:"As of runs.resume."`
	Wait        bool        `json:"wait,omitempty" doc:"Answer when the run has ended, or waits again."`
}

// RunAnswerParams are the parameters of runs.answer.
type RunAnswerParams struct {
	RunID   string      `json:"run_id" doc:"Which run."`
	Step    string      `json:"step" doc:"The step that asks."`
	Data    value.Value `json:"data,omitzero" doc:"The answer; {} where nothing but consent is asked for."`
	Decline bool        `json:"decline,omitempty" doc:"Decline in place of an answer."`
	As      string      `json:"as,omitempty" doc:"Who answers; left out: the name of the token. Another name takes the scope admin."`
	Wait    bool        `json:"wait,omitempty" doc:"Answer when the run has ended, or waits again."`
}

// RunOutputs is the result of runs.outputs.
type RunOutputs struct {
	Output value.Value `json:"output" doc:"An object."`
}
