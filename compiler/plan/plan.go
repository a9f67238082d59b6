// Package plan has the compiled form of a workflow: the Plan and its NodeSpecs,
// their JSON, and the digest. A plan can be run from the journal alone and
// holds no secret.
//
// Its central type is [Plan]. It imports nothing of wfc but lang.
package plan

import (
	"encoding/json"
)

// FormatVersion is the version of the plan's JSON.
const FormatVersion = 1

// Expr is an expression in canonical print (lang/expr.Print); "" is none.
type Expr string

// Plan is a workflow linked to its concrete sources.
type Plan struct {
	FormatVersion int    `json:"format_version"`
	Language      int    `json:"language"`  // language version
	Functions     int    `json:"functions"` // version of the function table
	Digest        string `json:"digest"`    // SHA-256 in hex over everything but Digest, Ranges and descriptions

	Workflow   string `json:"workflow"`
	Deployment string `json:"deployment,omitempty"`

	Inputs      []Input                    `json:"inputs"`
	Locals      []Local                    `json:"locals"` // only those that are used
	Sources     []Source                   `json:"sources"`
	Connections []Connection               `json:"connections"`
	Secrets     []Secret                   `json:"secrets"`
	Nodes       []NodeSpec                 `json:"nodes"` // in the first topological order in file order
	Outputs     []Output                   `json:"outputs"`
	Schemas     map[string]json.RawMessage `json:"schemas"` // JSON Schemas by digest, once each

	// Ranges says where things are in the source, by JSON pointer into the
	// plan ("/nodes/0/args"). It is not part of the digest.
	Ranges map[string]Range `json:"ranges,omitempty"`
}

// Range is a place in a source file: "file:line:column" parts, from 1.
type Range struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Input is a workflow input.
type Input struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`               // types.Print
	Optional    bool            `json:"optional,omitempty"` // may be left out without a default
	Default     json.RawMessage `json:"default,omitempty"`  // constant; with the deployment's own value in its place
	Fixed       json.RawMessage `json:"fixed,omitempty"`    // the deployment's value
	Description string          `json:"description,omitempty"`
	Validations []Condition     `json:"validations,omitempty"`
}

// Condition is a validation.
type Condition struct {
	Condition    Expr `json:"condition"`
	ErrorMessage Expr `json:"error_message"`
}

// Local is a named expression, evaluated where it is used.
type Local struct {
	Name  string `json:"name"`
	Value Expr   `json:"value"`
}

// Source is a logical source bound to a connection.
type Source struct {
	Name       string `json:"name"`
	Connection string `json:"connection"` // its id
	Session    string `json:"session"`    // "shared" or "run"
}

// Connection is how to reach a concrete source. Its expressions may use
// project.*, env() and secret.* and are evaluated when it opens.
type Connection struct {
	ID          string `json:"id"`
	Stdio       *Stdio `json:"stdio,omitempty"`
	ConnectMS   int64  `json:"connect_ms"` // timeouts, milliseconds
	IdleMS      int64  `json:"idle_ms"`
	CloseMS     int64  `json:"close_ms"`
	MaxInFlight int    `json:"max_in_flight"`
	// ProtocolVersion is the snapshot's: the era seen when it was taken; "" if unknown.
	ProtocolVersion string `json:"protocol_version,omitempty"`
}

// Stdio is a child process.
type Stdio struct {
	Command Expr `json:"command"`
	Args    Expr `json:"args,omitempty"`
	Env     Expr `json:"env,omitempty"`
	Cwd     Expr `json:"cwd,omitempty"`
}

// Secret is a reference; its value is resolved when a connection opens or a call is made.
type Secret struct {
	Name string `json:"name"`
	Env  string `json:"env"`
}

// NodeKind is what a node does.
type NodeKind string

// The kinds.
const (
	Call      NodeKind = "call"
	ValueNode NodeKind = "value"
)

// NodeSpec is everything the runner needs to know of a step.
type NodeSpec struct {
	ID   string   `json:"id"` // the step's name
	Kind NodeKind `json:"kind"`

	Source     string `json:"source,omitempty"` // logical
	Tool       string `json:"tool,omitempty"`
	ToolDigest string `json:"tool_digest,omitempty"` // of the snapshot's object

	Value Expr `json:"value,omitempty"`
	Args  Expr `json:"args,omitempty"` // an object expression
	// NullArgs lists how a null argument is sent: arguments not named here leave a null out.
	NullArgs []string `json:"null_args,omitempty"`

	After []string `json:"after,omitempty"` // nodes that must have ended: references, depends_on and the order of effects

	When        Expr     `json:"when,omitempty"`
	WhenEach    bool     `json:"when_each,omitempty"` // when mentions each: asked per element
	ForEach     Expr     `json:"for_each,omitempty"`
	EachMap     bool     `json:"each_map,omitempty"` // step.ID is a map, not a list: for_each goes over a map or object, or there is a key
	Key         Expr     `json:"key,omitempty"`
	MaxParallel Expr     `json:"max_parallel,omitempty"`
	Timeout     Expr     `json:"timeout,omitempty"`
	OnError     []string `json:"on_error,omitempty"` // tolerated kinds; ["*"]: all
	Decode      string   `json:"decode,omitempty"`
	Result      Expr     `json:"result,omitempty"`
	FailIf      Expr     `json:"fail_if,omitempty"`
	Returns     string   `json:"returns,omitempty"` // types.PrintClosed; "" is any

	Contract *Contract `json:"contract,omitempty"` // of the source's interface

	// DecodeResult and the like of a connection's tool block are merged in already: a step's attribute replaces the tool's.

	Effect         string `json:"effect,omitempty"`      // read, write, destructive, unknown: the strongest that may be
	EffectExpr     Expr   `json:"effect_expr,omitempty"` // over args, where the tool block gives one
	Idempotent     bool   `json:"idempotent,omitempty"`
	IdempotencyArg string `json:"idempotency_arg,omitempty"`
	InputSchema    string `json:"input_schema,omitempty"`  // digest in Plan.Schemas; "" where the argument type guards exactly
	OutputSchema   string `json:"output_schema,omitempty"` // likewise, of structured content
	ResultType     string `json:"result_type,omitempty"`   // types.Print of output
}

// Contract is what the interface of a node's source says that the call gives.
type Contract struct {
	Interface   string `json:"interface"`              // interface.NAME
	Type        string `json:"type"`                   // types.PrintClosed
	AfterResult bool   `json:"after_result,omitempty"` // it is of what Result gives, which is the connection's
}

// Output is a workflow output.
type Output struct {
	Name  string `json:"name"`
	Value Expr   `json:"value"`
	Type  string `json:"type,omitempty"` // types.Print; what it must be
}
