package syntax

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// transports are the blocks one of which a connection has.
var transports = []string{"stdio", "http", "sse"}

func (r *reader) connection(b *hclsyntax.Block) *Connection {
	r.examine(connectionShape, b.Body, b)
	labels := r.labels(connectionShape, b)
	c := &Connection{
		Block:       block(b),
		Provider:    labels[0],
		Account:     labels[1],
		MaxInFlight: r.integer(b.Body, "max_in_flight", 1),
	}
	tools := map[string]*hclsyntax.Block{}
	var transport *hclsyntax.Block
	for _, in := range b.Body.Blocks {
		if slices.Contains(transports, in.Type) {
			if transport != nil && transport.Type != in.Type {
				r.report(diag.New(codeSeveralTransports, in.DefRange(),
					"%s has %q and %q, but a connection reaches its server in one way. Keep one of them.", capital(describe(b)), transport.Type, in.Type).
					With(transport.DefRange(), "the first one"))
			}
			transport = in
		}
		switch in.Type {
		case "stdio":
			if c.Stdio == nil {
				c.Stdio = r.stdio(in)
			}
		case "timeouts":
			if c.Timeouts == nil {
				c.Timeouts = r.timeouts(in)
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
	if transport == nil && !r.unfinished(b) && !r.transportAsAttribute(b.Body) {
		r.report(diag.New(codeNoTransport, b.DefRange(),
			"%s does not say how its server is reached. Write a stdio block with the command that starts it.", capital(describe(b))))
	}
	return c
}

// transportAsAttribute: `stdio = { … }` is reported as such, not as a missing transport.
func (r *reader) transportAsAttribute(body *hclsyntax.Body) bool {
	for _, t := range transports {
		if body.Attributes[t] != nil {
			return true
		}
	}
	return false
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
	if isConstant(unparen(at.Expr.Node)) && r.choice(body, "effect", "read", "write", "destructive") == nil {
		return nil
	}
	return at
}

func (r *reader) secret(b *hclsyntax.Block) *Secret {
	r.examine(secretShape, b.Body, b)
	s := &Secret{Block: block(b), Name: r.labels(secretShape, b)[0], Env: r.text(b.Body, "env")}
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
	}
	return s
}

func (r *reader) project(b *hclsyntax.Block) *Project {
	r.labels(projectShape, b)
	r.examine(projectShape, b.Body, b)
	return &Project{
		Name:        r.text(b.Body, "name"),
		Language:    r.integer(b.Body, "language", 1),
		RequiresWFC: r.text(b.Body, "requires_wfc"),
		Range:       block(b).Range,
	}
}
