// Package preview says before a run what it will do, as far as its inputs tell:
// which steps run, with how many elements and which arguments, what they may do to the
// world, who will be asked, and what nobody can know before. It evaluates what depends
// on inputs alone; it calls nothing and knows no secret.
//
// Its central type is Preview. It imports lang and compiler/plan.
package preview

import (
	"encoding/json"

	"github.com/lda-wf/wfc/compiler/plan"
)

// FormatVersion is the version of the JSON (docs/cli.md).
const FormatVersion = "1.0"

// Will says whether something happens.
type Will string

// What may be known of a step before the run.
const (
	Runs    Will = "run"
	Skips   Will = "skip"
	Depends Will = "depends" // on what only the run tells
	Fails   Will = "fail"    // an expression cannot be evaluated, or the policy denies it
)

// Preview is what a run will do.
type Preview struct {
	FormatVersion string            `json:"format_version"`
	Workflow      string            `json:"workflow"`
	Deployment    string            `json:"deployment,omitempty"`
	Digest        string            `json:"plan_digest"`
	Inputs        json.RawMessage   `json:"inputs"`           // an object; sensitive ones are "(sensitive)"
	Sources       map[string]string `json:"sources"`          // the connection of each; of a family "KEY=CONNECTION, …"
	Secrets       []string          `json:"secrets"`          // names; never nil
	Policy        *plan.Policy      `json:"policy,omitempty"` // of the deployment
	Steps         []Step            `json:"steps"`            // never nil
	Outputs       []Output          `json:"outputs"`          // never nil
	Totals        Totals            `json:"totals"`           // of the whole
}

// Step is a step, or a finally block.
type Step struct {
	Step       string   `json:"step"` // with those that it is in: deploy/build
	Kind       string   `json:"kind"`
	Finally    bool     `json:"finally,omitempty"`
	Will       Will     `json:"will"`
	When       string   `json:"when,omitempty"`
	Because    []string `json:"because,omitempty"` // what it depends on, or why it fails
	Source     string   `json:"source,omitempty"`
	Connection string   `json:"connection,omitempty"` // of a family that is not decided: all, with commas
	Tool       string   `json:"tool,omitempty"`
	Workflow   string   `json:"workflow,omitempty"`
	Effect     string   `json:"effect,omitempty"` // the strongest that it may have
	// EffectIf: which effect it has is decided by arguments that only the run tells.
	EffectIf bool      `json:"effect_depends,omitempty"`
	Asks     string    `json:"asks,omitempty"`     // whom it asks what
	Question *Question `json:"question,omitempty"` // of an ask, without for_each or of all its elements
	Args     []Arg     `json:"args,omitempty"`     // of a step without for_each
	Value    *Known    `json:"value,omitempty"`    // of a value, a sleep, a read's address
	ForEach  string    `json:"for_each,omitempty"`
	// Count is how many elements there are; nil: there are none, or only the run tells.
	Count    *int      `json:"count,omitempty"`
	Elements []Element `json:"elements,omitempty"` // the first of them
	Loop     string    `json:"loop,omitempty"`     // how many rounds at most
	Retry    string    `json:"retry,omitempty"`    // how many attempts at most
	Undo     []string  `json:"undo,omitempty"`     // SOURCE.TOOL
	After    []string  `json:"after,omitempty"`
	Steps    []Step    `json:"steps,omitempty"` // of the workflow that it runs
}

// Question is what a person will be asked.
type Question struct {
	Message   Known  `json:"message"`
	Answer    string `json:"answer"`              // its type
	Choices   *Known `json:"choices,omitempty"`   // nil: what the type says
	Approvers *Known `json:"approvers,omitempty"` // who may answer; nil: anybody
}

// Element is one element of a fan-out.
type Element struct {
	Key        json.RawMessage `json:"key"`
	Will       Will            `json:"will"`
	Because    []string        `json:"because,omitempty"`
	Connection string          `json:"connection,omitempty"`
	Effect     string          `json:"effect,omitempty"`
	Question   *Question       `json:"question,omitempty"`
	Args       []Arg           `json:"args,omitempty"`
	Value      *Known          `json:"value,omitempty"`
	Steps      []Step          `json:"steps,omitempty"`
}

// Arg is one argument.
type Arg struct {
	Name string `json:"name"`
	Known
}

// Known is a value, or why it is not known.
type Known struct {
	Value json.RawMessage `json:"value,omitempty"` // nil: not known, or sensitive
	Expr  string          `json:"expr,omitempty"`  // what gives it, where it is not known
	After []string        `json:"after,omitempty"` // what tells it
	// Sensitive: it is known, or will be, and is not shown.
	Sensitive bool   `json:"sensitive,omitempty"`
	Error     string `json:"error,omitempty"` // why it will fail
}

// Output is one output of the workflow.
type Output struct {
	Name string `json:"name"`
	Known
}

// Totals counts the calls, reads and prompts by their effects: those that will be
// made, whatever happens, and whether there may be more.
type Totals struct {
	Calls map[string]int `json:"calls"`    // by effect
	More  []string       `json:"may_call"` // effects of which there may be more calls than counted; never nil
	Asks  int            `json:"asks"`     // steps at which somebody may be asked
}
