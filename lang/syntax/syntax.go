// Package syntax turns the bytes of HCL files into typed blocks with ranges. It
// is error-tolerant: a file with mistakes still gives every block that can be
// read, and diagnostics for the rest.
//
// Its central type is [File]. It may import lang/diag and lang/expr. It judges
// shape only (which blocks and attributes exist, what is static, what is
// missing); names, types and meaning are the checker's.
package syntax

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
)

// File is one parsed file. Every slice is in file order.
type File struct {
	Name   string // relative to the project's root, forward slashes
	Source []byte

	Project     *Project // of wfc.hcl
	Workflows   []*Workflow
	Connections []*Connection
	Secrets     []*Secret
	Deployments []*Deployment
}

// Label is a block label, or another written name, with its place (without quotes).
type Label struct {
	Text  string
	Range hcl.Range
}

// Ref is a static reference, as in `call = tracker.search`, `bind =
// connection.github.work`, `depends_on = [step.a]`: a root name and steps,
// each an attribute name or a literal string index.
type Ref struct {
	Path  []Label // at least one
	Range hcl.Range
}

// Attribute is an attribute that is written, with the place of its name. Where
// its value could not be read, the node of Expr is an *hclsyntax.ExprSyntaxError
// and there is a diagnostic: such a value passes everywhere in silence.
type Attribute struct {
	Name      string
	NameRange hcl.Range
	Expr      expr.Expr
}

// Duration is a constant duration such as "30s".
type Duration struct {
	D     time.Duration
	Range hcl.Range
}

// Int is a constant whole number.
type Int struct {
	N     int
	Range hcl.Range
}

// Text is a constant string.
type Text struct {
	S     string
	Range hcl.Range
}

// Project is wfc.hcl's project block. Range is the zero range when wfc.hcl is empty.
type Project struct {
	Name        *Text
	Language    *Int
	RequiresWFC *Text
	Range       hcl.Range
}

// Block is what all blocks have.
type Block struct {
	Range  hcl.Range // from the block type to the closing brace
	Header hcl.Range // block type and labels
}

// BlockHeader returns the place of the block's type and labels.
func (b Block) BlockHeader() hcl.Range { return b.Header }

// Workflow is a workflow block.
type Workflow struct {
	Block
	Name        Label
	Description *Text
	Title       *Text
	Sources     []*Source
	Inputs      []*Input
	Locals      []*Local
	Steps       []*Step
	Outputs     []*Output
}

// Source is a source block: a logical source.
type Source struct {
	Block
	Name        Label
	Bind        *Ref  // connection.PROVIDER.ACCOUNT; nil: bound by a deployment
	Session     *Text // "shared" or "run"; nil: the default
	Description *Text
}

// Input is an input block.
type Input struct {
	Block
	Name        Label
	Type        expr.Expr // zero: missing, which has a diagnostic
	Default     *Attribute
	Description *Text
	Validations []*Condition
}

// Condition is a validation (or assert) block.
type Condition struct {
	Block
	Condition    expr.Expr
	ErrorMessage expr.Expr
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

// Step is a step block. Exactly one of Call and Value is set, unless a
// diagnostic says that the action is missing or not built.
type Step struct {
	Block
	Name Label

	Call      *Ref // SOURCE.TOOL; may have one element only while it is being typed
	CallName  hcl.Range
	Value     *Attribute
	Args      *Attribute
	When      *Attribute
	ForEach   *Attribute
	Key       *Attribute
	Result    *Attribute
	FailIf    *Attribute
	Returns   expr.Expr // a type; zero: none
	DependsOn []Ref

	MaxParallel *Attribute // an expression
	Timeout     *Attribute // an expression, a duration as text
	OnError     *OnError
	Decode      *Text

	// Unbuilt is set when an attribute or block of LANGUAGE that is not built yet was reported here.
	Unbuilt bool
}

// Output is an output block.
type Output struct {
	Block
	Name        Label
	Value       expr.Expr // zero: missing, which has a diagnostic
	Type        expr.Expr // a type; zero: none
	Description *Text
}

// Connection is a connection block. Its id is Provider.Text + "." + Account.Text.
type Connection struct {
	Block
	Provider, Account Label
	Stdio             *Stdio // nil: missing, or a transport that is not built, which has a diagnostic
	Timeouts          *Timeouts
	MaxInFlight       *Int
	Tools             []*ToolOverride
}

// ID returns the connection id, such as "github.work".
func (c *Connection) ID() string { return c.Provider.Text + "." + c.Account.Text }

// Stdio is a stdio block. Its expressions may use project.*, env() and secret.*.
type Stdio struct {
	Block
	Command *Attribute
	Args    *Attribute
	Env     *Attribute
	Cwd     *Attribute
}

// Timeouts is a timeouts block; nil: the default.
type Timeouts struct {
	Block
	Connect, Idle, Close *Duration
}

// ToolOverride is a tool block of a connection: what the server does not say about its tool.
type ToolOverride struct {
	Block
	Tool           Label
	Effect         *Attribute // "read", "write", "destructive", or an expression over args
	Idempotent     *bool
	IdempotencyArg *Text
	Open           *bool
	Returns        expr.Expr
	Decode         *Text
	Result         *Attribute
	FailIf         *Attribute
}

// Secret is a secret block.
type Secret struct {
	Block
	Name Label
	Env  *Text
}

// Deployment is a deployment block.
type Deployment struct {
	Block
	Name        Label
	Description *Text
	Workflow    *Ref // workflow.NAME
	Bind        []Binding
	Inputs      *Attribute
}

// Binding is one item of a deployment's bind.
type Binding struct {
	Source     Label
	Connection Ref
}
