package syntax

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
)

// Connection is a connection block. Its id is Provider.Text + "." + Account.Text.
// As a project has it, what its provider block and the defaults of wfc.hcl say
// is merged in; as a file has it, it is what is written there.
type Connection struct {
	Block
	Provider, Account Label
	ConnectionSettings
}

// ID returns the connection id, such as "github.work".
func (c *Connection) ID() string { return c.Provider.Text + "." + c.Account.Text }

// Provider is a provider block: what the connections of one provider share.
type Provider struct {
	Block
	Name Label
	ConnectionSettings
}

// ConnectionSettings are what a connection block and a provider block may say. One of Stdio,
// HTTP and SSE is set in a merged connection, unless a diagnostic says that
// there is none.
type ConnectionSettings struct {
	Stdio       *Stdio
	HTTP        *HTTP
	SSE         *HTTP
	Auth        *Auth
	Timeouts    *Timeouts
	RateLimit   *RateLimit
	MaxInFlight *Int
	IdleTimeout *Duration // of one attempt of a step
	Session     *Text     // "shared" or "run"; nil: shared
	Protocol    *Text     // "auto" or a revision of MCP; nil: auto
	Offers      *List     // of client capabilities; nil: elicitation
	Allow       *List     // of tools; nil: all
	Deny        *List     // of tools; nil: none
	Enabled     *Bool     // nil: true
	Trust       *Text     // "trusted" or "untrusted"; nil: not said
	Data        *Text     // "public" or "private"; nil: not said
	Reach       *Text     // "internal" or "external"; nil: not said
	Tools       []*ToolOverride
}

// Stdio is a stdio block. Its expressions may use project.*, env() and secret.*,
// as may those of HTTP and Auth.
type Stdio struct {
	Block
	Command *Attribute
	Args    *Attribute
	Env     *Attribute
	Cwd     *Attribute
}

// HTTP is an http or an sse block.
type HTTP struct {
	Block
	URL     *Attribute
	Headers *Attribute
}

// Auth is an auth block. Which attributes it may have depends on its kind; the
// others are nil.
type Auth struct {
	Block
	Kind Label // "bearer", "header", "basic" or "oauth"

	Token              *Attribute // bearer
	Name, Value        *Attribute // header
	Username, Password *Attribute // basic

	// oauth. All may be missing: the server says where to log in then, and wfc registers itself.
	ClientID     *Attribute
	ClientSecret *Attribute
	Scopes       *Attribute // a list
}

// Timeouts is a timeouts block; nil: the default.
type Timeouts struct {
	Block
	Connect, Idle, Close *Duration
}

// RateLimit is a rate_limit block: so many requests in each stretch of time.
type RateLimit struct {
	Block
	Requests *Int
	Per      *Duration
}

// ToolOverride is a tool block of a connection: what the server does not say about its tool.
type ToolOverride struct {
	Block
	Tool           Label
	Effect         *Attribute // "read", "write", "destructive", or an expression over args
	Idempotent     *bool
	IdempotencyArg *Text
	Open           *bool
	Sensitive      *bool
	Returns        expr.Expr
	Decode         *Text
	Result         *Attribute
	FailIf         *Attribute
	IdleTimeout    *Duration
}

// Secret is a secret block. Exactly one of its origins is set, unless a
// diagnostic says that there is none or that there are several.
type Secret struct {
	Block
	Name    Label
	Env     *Text // the name of an environment variable
	File    *Text // a path, from the project's root unless it is absolute
	Command *List // a program and its arguments; its output, without the last line break, is the secret
	Keyring *Text // service/account in the system's keyring
}

// Deployment is a deployment block.
type Deployment struct {
	Block
	Name        Label
	Description *Text
	Workflow    *Ref // workflow.NAME
	Bind        []Binding
	Inputs      *Attribute
	Policy      *Policy
	Schedule    *Schedule
	Webhook     *Webhook
}

// Binding is one item of a deployment's bind.
type Binding struct {
	Source     Label
	Connection Ref // without a path: something else is written, which has its diagnostic
}

// Policy is a deployment's policy block.
type Policy struct {
	Block
	Destructive *Text // "allow", "ask" or "deny"; nil: allow
	Drift       *Text // "fail", "warn" or "ignore"; nil: fail
	InDoubt     *Text // "ask", "fail" or "retry"; nil: ask
}

// Schedule is a deployment's schedule block.
type Schedule struct {
	Block
	Cron     *Text // nil: missing, which has a diagnostic
	Timezone *Text // nil: UTC
	Overlap  *Text // "skip", "queue" or "cancel"; nil: skip
	Missed   *Text // "skip" or "run_once"; nil: skip
}

// Webhook is a deployment's webhook block.
type Webhook struct {
	Block
	Path    *Text
	Input   *Label     // the input that receives the body
	Secret  *Attribute // what signs or authorises requests
	MaxBody *Size
}

// Bool is a constant true or false.
type Bool struct {
	B     bool
	Range hcl.Range
}

// List is a constant list of texts.
type List struct {
	Items []Text
	Range hcl.Range
}

// Size is a constant size in bytes, such as "10MB" or 4096.
type Size struct {
	Bytes int64
	Range hcl.Range
}
