package syntax

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
)

// Workflow is a workflow block.
type Workflow struct {
	Block
	Name        Label
	Description *Text
	Title       *Text
	Deadline    *Attribute // a duration as text
	Concurrency *Concurrency
	Sources     []*Source
	Inputs      []*Input
	Locals      []*Local
	Steps       []*Step
	Finally     []*Step // its finally blocks, whose names are steps' names
	Outputs     []*Output
}

// Concurrency is a workflow's concurrency block: how many of its runs go on at once.
type Concurrency struct {
	Block
	Key        *Attribute // runs with equal keys are counted together; nil: all
	Limit      *Attribute
	OnConflict *Text // "queue", "cancel" or "reject"; nil: queue
}

// Source is a source block: a logical source.
type Source struct {
	Block
	Name        Label
	Interface   *Ref    // interface.NAME; nil: whatever the connection offers
	Bind        *Ref    // connection.PROVIDER.ACCOUNT; nil: bound by a deployment, or a family
	Misbound    bool    // a bind is written that is no such reference, and has its diagnostic
	Family      *Family // nil: one connection
	Session     *Text   // "shared" or "run"; nil: the default
	Description *Text
}

// Family is a source's family: connections by key.
type Family struct {
	Members   []Member
	NameRange hcl.Range
}

// Member is one connection of a family.
type Member struct {
	Key        Label
	Connection Ref
}

// Input is an input block.
type Input struct {
	Block
	Name        Label
	Type        expr.Expr // zero: missing, which has a diagnostic
	Default     *Attribute
	Description *Text
	Sensitive   *bool
	Validations []*Condition
}

// Condition is a validation or an assert block.
type Condition struct {
	Block
	Condition    expr.Expr // zero: missing, which has a diagnostic
	ErrorMessage expr.Expr // the same
}

// Local is one attribute of a locals block.
type Local struct {
	Name Label
	Expr expr.Expr
}

// OnError is a step's on_error.
type OnError struct {
	Continue bool     // "continue"
	Kinds    []string // a list of kinds; nil otherwise
	Range    hcl.Range
}

// Action is what a step does.
type Action string

// The actions.
const (
	CallAction   Action = "call"
	ReadAction   Action = "read"
	PromptAction Action = "prompt"
	RunAction    Action = "run"
	ValueAction  Action = "value"
	AskAction    Action = "ask"
	SleepAction  Action = "sleep"
)

// Step is a step or a finally block. The field of its action is set unless a
// diagnostic says what is wrong with it.
type Step struct {
	Block
	Name    Label
	Finally bool

	Action     Action    // "": none, or several, which has a diagnostic
	ActionName hcl.Range // of the attribute's name or the block's type; zero without an action

	Call   *Ref // SOURCE.TOOL; may have one element only while it is being typed
	Read   *Ref // SOURCE or SOURCE.TEMPLATE
	Prompt *Ref // SOURCE.PROMPT; may have one element only while it is being typed
	Run    *Ref // workflow.NAME
	Value  *Attribute
	Ask    *Ask
	Sleep  *Attribute // a duration as text

	Args      *Attribute
	URI       *Attribute
	Bind      []SourceBinding
	When      *Attribute
	ForEach   *Attribute
	Key       *Attribute
	Loop      *Loop
	Result    *Attribute
	FailIf    *Attribute
	Returns   expr.Expr // a type; zero: none
	DependsOn []Ref
	Retry     *Retry
	Asserts   []*Condition
	Undo      []*Undo

	MaxParallel *Attribute
	Timeout     *Attribute // a duration as text, as are the next two
	IdleTimeout *Attribute
	Deadline    *Attribute
	OnError     *OnError
	Decode      *Text
	// Unclear says that on_error or decode is written and cannot be read, which has
	// its diagnostic: what the step gives is not known.
	Unclear bool
}

// Target returns what the step calls, reads or prompts, nil where it does
// something else.
func (s *Step) Target() *Ref {
	switch {
	case s.Call != nil:
		return s.Call
	case s.Read != nil:
		return s.Read
	}
	return s.Prompt
}

// SourceBinding is one item of the bind of a step that runs a workflow: its
// source Child is our source Ours (a name, or FAMILY[KEY]).
type SourceBinding struct {
	Child Label
	Ours  Ref
}

// Ask is an ask block: a question to a person.
type Ask struct {
	Block
	Message   *Attribute
	Answer    expr.Expr  // a type; zero: none
	Choices   *Attribute // an object: attribute of the answer → list of what it may be
	Approvers *Attribute // a list of names
}

// Loop is a loop block.
type Loop struct {
	Block
	While *Attribute // nil: missing, which has a diagnostic
	Max   *Attribute // the same
	Delay *Attribute // a duration as text
}

// Retry is a retry block.
type Retry struct {
	Block
	Attempts *Attribute
	Delay    *Attribute // a duration as text, as is the next
	MaxDelay *Attribute
	On       *Attribute // a list of kinds of failures
	When     *Attribute
}

// Undo is an undo block: a call that takes back what the step did.
type Undo struct {
	Block
	Call *Ref // nil: missing or unreadable, which has a diagnostic
	Args *Attribute
}

// Output is an output block.
type Output struct {
	Block
	Name        Label
	Value       expr.Expr // zero: missing, which has a diagnostic
	Type        expr.Expr // a type; zero: none
	Description *Text
	Sensitive   *bool
}
