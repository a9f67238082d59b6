package syntax

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
)

// transports are the blocks one of which a connection has.
var transports = []string{"stdio", "http", "sse"}

func (r *reader) connection(b *hclsyntax.Block) *Connection {
	labels := r.labels(connectionShape, b)
	r.examine(connectionShape, b.Body, b)
	return &Connection{Block: block(b), Provider: labels[0], Account: labels[1], ConnectionSettings: r.connectionSettings(b)}
}

func (r *reader) provider(b *hclsyntax.Block) *Provider {
	r.examine(providerShape, b.Body, b)
	return &Provider{Block: block(b), Name: r.labels(providerShape, b)[0], ConnectionSettings: r.connectionSettings(b)}
}

// connectionSettings reads what a connection or a provider block says.
func (r *reader) connectionSettings(b *hclsyntax.Block) ConnectionSettings {
	c := ConnectionSettings{
		MaxInFlight: r.integer(b.Body, "max_in_flight", 1),
		IdleTimeout: r.duration(b.Body, "idle_timeout", true),
		Session:     r.choice(b.Body, "session", "shared", "run"),
		Protocol:    r.choice(b.Body, "protocol", protocols...),
		Offers:      r.offers(b.Body),
		Allow:       r.list(b.Body, "allow", toolNames),
		Deny:        r.list(b.Body, "deny", toolNames),
		Enabled:     r.truth(b.Body, "enabled"),
		Trust:       r.choice(b.Body, "trust", "trusted", "untrusted"),
		Data:        r.choice(b.Body, "data", "public", "private"),
		Reach:       r.choice(b.Body, "reach", "internal", "external"),
	}
	tools := map[string]*hclsyntax.Block{}
	var transport *hclsyntax.Block
	for _, in := range b.Body.Blocks {
		if slices.Contains(transports, in.Type) {
			if transport != nil && transport.Type != in.Type {
				r.report(diag.New(codeSeveralTransports, in.DefRange(),
					"%s has %q and %q, but a connection reaches its server in one way. Keep one of them.", capital(describe(b)), transport.Type, in.Type).
					With(transport.DefRange(), "the first one"))
				continue
			}
			transport = in
		}
		// A second block of a kind has its diagnostic.
		switch in.Type {
		case "stdio":
			if c.Stdio == nil {
				c.Stdio = r.stdio(in)
			}
		case "http":
			if c.HTTP == nil {
				c.HTTP = r.http(httpShape, in)
			}
		case "sse":
			if c.SSE == nil {
				c.SSE = r.http(sseShape, in)
			}
		case "auth":
			if c.Auth == nil {
				c.Auth = r.auth(in)
			}
		case "timeouts":
			if c.Timeouts == nil {
				c.Timeouts = r.timeouts(in)
			}
		case "rate_limit":
			if c.RateLimit == nil {
				c.RateLimit = r.rateLimit(in)
			}
		case "tool":
			t := r.tool(in)
			if first := tools[t.Tool.Text]; first != nil {
				r.report(diag.New(codeBlockTwice, in.DefRange(), "The tool %q has a block already. Put everything into one of them.", t.Tool.Text).
					With(first.DefRange(), "the first block of this tool"))
				continue
			}
			tools[t.Tool.Text] = in
			c.Tools = append(c.Tools, t)
		}
	}
	return c
}

// protocols are the values of protocol: the revisions of MCP that wfc speaks.
var protocols = []string{"auto", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// offers reads the client capabilities that are offered to a server.
func (r *reader) offers(body *hclsyntax.Body) *List {
	return r.choices(body, "offers", "sampling", "elicitation", "roots")
}

const toolNames = `a list of tools' names, as ["search", "read_file"]`

func (r *reader) http(s *shape, b *hclsyntax.Block) *HTTP {
	r.labels(s, b)
	r.examine(s, b.Body, b)
	return &HTTP{Block: block(b), URL: r.attribute(b.Body, "url"), Headers: r.attribute(b.Body, "headers")}
}

// auth reads an auth block, whose label says which attributes it has.
func (r *reader) auth(b *hclsyntax.Block) *Auth {
	a := &Auth{Block: block(b), Kind: r.labels(authShape, b)[0]}
	s := authShapes[a.Kind.Text]
	if s == nil {
		if len(b.Labels) == 1 {
			kinds := []string{"bearer", "header", "basic", "oauth"}
			d := diag.New(codeInvalidChoice, a.Kind.Range, "There is no kind of auth %q. It is one of %s.", a.Kind.Text, quoted(kinds))
			if near, ok := nearest.Name(a.Kind.Text, kinds); ok {
				d = d.Fix("Change it to "+quote(near), false, diag.Edit{Range: diag.RangeOf(a.Kind.Range), Text: near})
			}
			r.report(d)
		}
		s = authShape
	}
	r.examine(s, b.Body, b)
	a.Token = r.attribute(b.Body, "token")
	a.Name, a.Value = r.attribute(b.Body, "name"), r.attribute(b.Body, "value")
	a.Username, a.Password = r.attribute(b.Body, "username"), r.attribute(b.Body, "password")
	a.ClientID, a.ClientSecret, a.Scopes = r.attribute(b.Body, "client_id"), r.attribute(b.Body, "client_secret"), r.attribute(b.Body, "scopes")
	return a
}

func (r *reader) rateLimit(b *hclsyntax.Block) *RateLimit {
	r.labels(rateShape, b)
	r.examine(rateShape, b.Body, b)
	return &RateLimit{Block: block(b), Requests: r.integer(b.Body, "requests", 1), Per: r.duration(b.Body, "per", true)}
}

func (r *reader) stdio(b *hclsyntax.Block) *Stdio {
	r.labels(stdioShape, b)
	r.examine(stdioShape, b.Body, b)
	return &Stdio{
		Block:   block(b),
		Command: r.attribute(b.Body, "command"),
		Args:    r.attribute(b.Body, "args"),
		Env:     r.attribute(b.Body, "env"),
		Cwd:     r.attribute(b.Body, "cwd"),
	}
}

func (r *reader) timeouts(b *hclsyntax.Block) *Timeouts {
	r.labels(timeoutsShape, b)
	r.examine(timeoutsShape, b.Body, b)
	return &Timeouts{
		Block:   block(b),
		Connect: r.duration(b.Body, "connect", true),
		Idle:    r.duration(b.Body, "idle", false),
		Close:   r.duration(b.Body, "close", false),
	}
}

func (r *reader) tool(b *hclsyntax.Block) *ToolOverride {
	r.examine(toolShape, b.Body, b)
	return &ToolOverride{
		Block:          block(b),
		Tool:           r.labels(toolShape, b)[0],
		Effect:         r.effect(b.Body),
		Idempotent:     r.boolean(b.Body, "idempotent"),
		IdempotencyArg: r.text(b.Body, "idempotency_arg"),
		Open:           r.boolean(b.Body, "open"),
		Sensitive:      r.boolean(b.Body, "sensitive"),
		IdleTimeout:    r.duration(b.Body, "idle_timeout", true),
		Returns:        r.value(b.Body, "returns"),
		Decode:         r.choice(b.Body, "decode", Decodings...),
		Result:         r.attribute(b.Body, "result"),
		FailIf:         r.attribute(b.Body, "fail_if"),
	}
}

// effect reads an effect: a word, or an expression over args.
func (r *reader) effect(body *hclsyntax.Body) *Attribute {
	at := r.attribute(body, "effect")
	if at == nil {
		return nil
	}
	if isConstant(unparen(at.Expr.Node)) {
		if t := r.text(body, "effect"); t == nil || !r.oneOf("effect", t, []string{"read", "write", "destructive"}) {
			return nil
		}
	}
	return at
}

func (r *reader) secret(b *hclsyntax.Block) *Secret {
	r.examine(secretShape, b.Body, b)
	s := &Secret{
		Block:   block(b),
		Name:    r.labels(secretShape, b)[0],
		Env:     r.text(b.Body, "env"),
		File:    r.text(b.Body, "file"),
		Command: r.list(b.Body, "command", `the program and its arguments, as ["pass", "show", "github"]`),
		Keyring: r.text(b.Body, "keyring"),
	}
	var found []*hclsyntax.Attribute
	for _, at := range inOrder(b.Body.Attributes) {
		if secretShape.attrs[at.Name] != 0 {
			found = append(found, at)
		}
	}
	switch {
	case len(found) == 0 && len(b.Body.Attributes) == 0 && !r.unfinished(b):
		r.report(diag.New(codeMissingAttribute, b.DefRange(),
			"%s does not say where its value comes from. Write env = \"NAME\" with the name of an environment variable.", capital(describe(b))))
	case len(found) > 1:
		r.report(diag.New(codeSeveralOrigins, found[1].NameRange,
			"%s has %q and %q, but a secret comes from one place. Keep one of them.", capital(describe(b)), found[0].Name, found[1].Name).
			With(found[0].NameRange, "the first one"))
	case s.Env != nil && s.Env.S == "":
		r.report(diag.New(codeWrongConstant, s.Env.Range, "The name of an environment variable cannot be empty."))
		s.Env = nil
	case s.File != nil && s.File.S == "":
		r.report(diag.New(codeWrongConstant, s.File.Range, "The path of a secret's file cannot be empty."))
		s.File = nil
	case s.Command != nil && (len(s.Command.Items) == 0 || s.Command.Items[0].S == ""):
		r.report(diag.New(codeWrongConstant, s.Command.Range, "The command of a secret names at least a program, as [\"pass\", \"show\", \"github\"]."))
		s.Command = nil
	case s.Keyring != nil && !keyringEntry(s.Keyring.S):
		r.report(diag.New(codeWrongConstant, s.Keyring.Range, "An entry of the keyring is written as \"service/account\"."))
		s.Keyring = nil
	}
	return s
}

// keyringEntry reports whether s is service/account.
func keyringEntry(s string) bool {
	service, account, ok := strings.Cut(s, "/")
	return ok && service != "" && account != ""
}
