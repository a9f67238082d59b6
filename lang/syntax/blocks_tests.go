package syntax

// Test is a test block.
type Test struct {
	Block
	Name Label
	// Workflow and Deployment say what it runs: workflow.NAME, or deployment.NAME. Both
	// are nil where that cannot be read; where both are written, which has its diagnostic,
	// Deployment is nil.
	Workflow   *Ref
	Deployment *Ref
	Inputs     *Attribute
	Previous   *Attribute // run.previous; nil: there is none
	Mocks      []*Mock
	Answers    []*TestAnswer
	Expect     *Expect
	Asserts    []*Condition
}

// Mock is a mock block: what a tool, a prompt, a resource or a resource
// template of a source answers in a test.
type Mock struct {
	Block
	Source, Tool Label
	When         *Attribute // over args and call
	Output       *Attribute
	Text         *Attribute
	Content      *Attribute // a list of parts, with binary content in base64
	Error        *Attribute
	Delay        *Duration // how long the answer takes, in the test's own time; nil: no time
	Times        *Int      // how many calls it answers; nil: any number
}

// TestAnswer is an answer block: what a person answers to the question of a step
// in a test.
type TestAnswer struct {
	Block
	Step    Label
	When    *Attribute // over question
	Data    *Attribute
	Decline *Bool
	As      *Text // who answers; nil: nobody in particular
	Delay   *Duration
	Times   *Int
}

// Expect is an expect block: how the run of a test ends.
type Expect struct {
	Block
	Outcome *Text // "ok", "error", "cancelled" or "waiting"; nil: ok, or error where Error says so
	Outputs *Attribute
	Error   *Text // the kind of the failure
}
