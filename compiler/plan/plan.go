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

	// Sampling is the model that answers the servers that ask for one; nil if there is
	// none, or no connection offers it.
	Sampling *Sampling `json:"sampling,omitempty"`

	Deadline    Expr         `json:"deadline,omitempty"` // of a whole run
	Concurrency *Concurrency `json:"concurrency,omitempty"`
	Policy      *Policy      `json:"policy,omitempty"`   // the deployment's
	Previous    bool         `json:"previous,omitempty"` // an expression refers to run.previous

	// Children are the workflows that nodes run, and those that these run, by digest.
	// A child has the schemas, connections and secrets of the plan that it is in, and no
	// children of its own. A node names its child by digest, so that this map is not
	// part of the plan's digest.
	Children map[string]*Plan `json:"children,omitempty"`

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
	Sensitive   bool            `json:"sensitive,omitempty"`
	Validations []Condition     `json:"validations,omitempty"`
}

// Concurrency says how many runs go on at once.
type Concurrency struct {
	Key        Expr   `json:"key,omitempty"`   // runs with equal keys are counted together; "": all of the workflow
	Limit      Expr   `json:"limit,omitempty"` // "": 1
	OnConflict string `json:"on_conflict"`     // "queue", "cancel" or "reject"
}

// Policy is what a deployment says of risks.
type Policy struct {
	Destructive string `json:"destructive"` // "allow", "ask" or "deny"
	Drift       string `json:"drift"`       // "fail", "warn" or "ignore"
	InDoubt     string `json:"in_doubt"`    // "ask", "fail" or "retry"
}

// Condition is a validation, or an assertion of a node.
type Condition struct {
	Condition    Expr `json:"condition"`
	ErrorMessage Expr `json:"error_message"`
}

// Local is a named expression, evaluated where it is used.
type Local struct {
	Name  string `json:"name"`
	Value Expr   `json:"value"`
}

// Source is a logical source bound to a connection, or to several of which a key
// chooses one.
type Source struct {
	Name       string   `json:"name"`
	Connection string   `json:"connection,omitempty"` // its id; "" where there are members
	Session    string   `json:"session"`              // "shared" or "run"
	Members    []Member `json:"members,omitempty"`
}

// Member is one connection of a source.
type Member struct {
	Key        string `json:"key"`
	Connection string `json:"connection"` // its id
	Session    string `json:"session"`    // "shared" or "run"
}

// Connection is how to reach a concrete source. Its expressions may use
// project.*, env() and secret.* and are evaluated when it opens.
type Connection struct {
	ID          string `json:"id"`
	Stdio       *Stdio `json:"stdio,omitempty"` // of Stdio, HTTP and SSE one is not nil (but see [Connection.StandsIn])
	HTTP        *HTTP  `json:"http,omitempty"`
	SSE         *HTTP  `json:"sse,omitempty"`
	Auth        *Auth  `json:"auth,omitempty"` // of HTTP and SSE; nil: none
	ConnectMS   int64  `json:"connect_ms"`     // timeouts, milliseconds
	IdleMS      int64  `json:"idle_ms"`
	CloseMS     int64  `json:"close_ms"`
	MaxInFlight int    `json:"max_in_flight"`
	// Offers are the client capabilities that the server is told of, sorted:
	// "elicitation", "roots", "sampling". Nil, of plans of earlier versions: elicitation.
	Offers []string `json:"offers"`
	// RateLimit bounds the requests of all sessions together; nil: no limit.
	RateLimit *RateLimit `json:"rate_limit,omitempty"`
	// Protocol is the MCP revision that the connection pins; "": any.
	Protocol string `json:"protocol,omitempty"`
	// ProtocolVersion is the snapshot's: the era seen when it was taken; "" if unknown.
	ProtocolVersion string `json:"protocol_version,omitempty"`
}

// StandsIn reports whether it is no connection, but stands for what a source needs that
// is bound to none. A plan with such a one cannot be run.
func (c *Connection) StandsIn() bool { return c.Stdio == nil && c.HTTP == nil && c.SSE == nil }

// RateLimit allows so many requests in any stretch of time of that length.
type RateLimit struct {
	Requests int   `json:"requests"`
	PerMS    int64 `json:"per_ms"`
}

// Sampling is how to reach a model over OpenAI's HTTP interface. Its expressions may
// use project.* and secret.* and are evaluated when a run is prepared.
type Sampling struct {
	BaseURL Expr `json:"base_url"`
	Model   Expr `json:"model"`
	APIKey  Expr `json:"api_key,omitempty"` // "": none is sent
}

// Stdio is a child process.
type Stdio struct {
	Command Expr `json:"command"`
	Args    Expr `json:"args,omitempty"`
	Env     Expr `json:"env,omitempty"`
	Cwd     Expr `json:"cwd,omitempty"`
}

// HTTP is a server at a URL.
type HTTP struct {
	URL     Expr `json:"url"`
	Headers Expr `json:"headers,omitempty"`
}

// Auth is what requests are authorised with. Its expressions are evaluated for each.
type Auth struct {
	Kind     string `json:"kind"` // "bearer", "header" or "basic", which has the following
	Token    Expr   `json:"token,omitempty"`
	Name     Expr   `json:"name,omitempty"`
	Value    Expr   `json:"value,omitempty"`
	Username Expr   `json:"username,omitempty"`
	Password Expr   `json:"password,omitempty"`
}

// Secret is a reference; its value is resolved when a connection opens or a call is made.
type Secret struct {
	Name    string   `json:"name"`
	Env     string   `json:"env,omitempty"`     // of Env, File and Command one is set
	File    string   `json:"file,omitempty"`    // a path, from the project's root unless it is absolute
	Command []string `json:"command,omitempty"` // a program and its arguments
}

// NodeKind is what a node does.
type NodeKind string

// The kinds.
const (
	Call      NodeKind = "call"
	Read      NodeKind = "read"
	Prompt    NodeKind = "prompt"
	Run       NodeKind = "run"
	ValueNode NodeKind = "value"
	Sleep     NodeKind = "sleep"
	AskNode   NodeKind = "ask"
)

// NodeSpec is everything the runner needs to know of a step.
type NodeSpec struct {
	ID   string   `json:"id"` // the step's name
	Kind NodeKind `json:"kind"`

	Finally bool `json:"finally,omitempty"` // runs when all others have ended

	Source     string `json:"source,omitempty"`      // logical
	SourceKey  Expr   `json:"source_key,omitempty"`  // which member of the source
	Tool       string `json:"tool,omitempty"`        // or the prompt
	ToolDigest string `json:"tool_digest,omitempty"` // of the snapshot's object
	// Variants say what else holds where a key chooses another member than the first:
	// the fields that a connection decides are theirs.
	Variants map[string]NodeSpec `json:"variants,omitempty"`

	URI         Expr   `json:"uri,omitempty"`          // of a read
	URITemplate string `json:"uri_template,omitempty"` // RFC 6570, expanded with args
	Child       string `json:"child,omitempty"`        // of a run: its digest in Plan.Children
	Bind        []Bind `json:"bind,omitempty"`         // which members the child's sources are
	Sleep       Expr   `json:"sleep,omitempty"`
	Ask         *Ask   `json:"ask,omitempty"`

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
	IdleTimeout Expr     `json:"idle_timeout,omitempty"`
	Deadline    Expr     `json:"deadline,omitempty"`
	Loop        *Loop    `json:"loop,omitempty"`
	Retry       *Retry   `json:"retry,omitempty"`

	Asserts []Condition `json:"asserts,omitempty"`
	// Undo are the calls that take back what the node did, in order. Of each the
	// fields of a call count.
	Undo []NodeSpec `json:"undo,omitempty"`

	Returns string `json:"returns,omitempty"` // types.PrintClosed; "" is any

	Contract *Contract `json:"contract,omitempty"` // of the source's interface

	// What a connection's tool block says is merged in already: a step's attribute replaces the tool's.

	Effect         string `json:"effect,omitempty"`      // read, write, destructive, unknown: the strongest that may be
	EffectExpr     Expr   `json:"effect_expr,omitempty"` // over args, where the tool block gives one
	Idempotent     bool   `json:"idempotent,omitempty"`
	IdempotencyArg string `json:"idempotency_arg,omitempty"`
	InputSchema    string `json:"input_schema,omitempty"`  // digest in Plan.Schemas; "" where the argument type guards exactly
	OutputSchema   string `json:"output_schema,omitempty"` // likewise, of structured content
	ResultType     string `json:"result_type,omitempty"`   // types.Print of output
	Sensitive      bool   `json:"sensitive,omitempty"`     // its result is to be kept encrypted
}

// Ask is a question to a person.
type Ask struct {
	Message   Expr   `json:"message"`
	Answer    string `json:"answer"`              // types.PrintClosed, with the defaults that are filled in
	Choices   Expr   `json:"choices,omitempty"`   // an object: an attribute of the answer → the list of what it may be
	Approvers Expr   `json:"approvers,omitempty"` // a list of names; "": anybody
}

// Bind says which member a source of a child is.
type Bind struct {
	Source string `json:"source"` // the child's
	Key    Expr   `json:"key,omitempty"`
	Ours   string `json:"ours,omitempty"` // or, the source of ours of which a member was chosen already
}

// Loop says how often a node is done again.
type Loop struct {
	While Expr `json:"while"`
	Max   Expr `json:"max"`
	Delay Expr `json:"delay,omitempty"`
}

// Retry says when a failed attempt is followed by another one.
type Retry struct {
	Attempts Expr `json:"attempts,omitempty"`
	Delay    Expr `json:"delay,omitempty"`
	MaxDelay Expr `json:"max_delay,omitempty"`
	On       Expr `json:"on,omitempty"` // a list of kinds
	When     Expr `json:"when,omitempty"`
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

	Sensitive bool `json:"sensitive,omitempty"`
}
