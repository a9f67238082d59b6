package check

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

var connectionPlace = &place{noun: "a connection block", roots: rootSecret | rootProject}

// Connection returns the errors that keep a connection from being opened: of its
// syntax and of its transport. Its snapshot and its tool blocks do not matter.
func Connection(p *project.Project, y *syntax.Connection) diag.List {
	w := newWorld(p)
	c := &checker{w: w}
	c.checkTransport(y)
	out := c.diags
	for _, d := range p.Diagnostics {
		if r := d.Range; r.File == y.Range.Filename && y.Range.Start.Byte <= r.Start.Byte && r.Start.Byte <= y.Range.End.Byte {
			out = append(out, d)
		}
	}
	out = slices.DeleteFunc(out, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	return finish(p, out)
}

// checkTransport checks how a connection is reached.
func (c *checker) checkTransport(y *syntax.Connection) {
	s := y.Stdio
	if s == nil {
		return
	}
	for _, a := range []struct {
		at   *syntax.Attribute
		want *types.Type
		what string
	}{
		{s.Command, types.StringType, "command"},
		{s.Args, types.ListOf(types.StringType), "args"},
		{s.Env, types.MapOf(types.StringType), "env"},
		{s.Cwd, types.StringType, "cwd"},
	} {
		if a.at != nil {
			c.check(a.at.Expr, connectionPlace, nil, a.want, &subject{plain: "The " + a.what + " of connection " + y.ID()})
		}
	}
}

// checkConnection checks a connection block and its snapshot.
func (c *checker) checkConnection(conn *connection) {
	y := conn.syn
	c.checkTransport(y)
	if _, err := conn.load(); err != nil {
		c.noSnapshot(conn, err)
	}
	for _, t := range y.Tools {
		if first := conn.tools[t.Tool.Text]; first != t {
			c.twice("tool block", t.Tool, first.Tool)
			continue
		}
		c.checkToolBlock(conn, t)
	}
}

// noSnapshot reports a connection of whose tools nothing is known.
func (c *checker) noSnapshot(conn *connection, err error) {
	id := conn.syn.ID()
	if errors.Is(err, fs.ErrNotExist) {
		c.report(diag.New(codeNoSnapshot, conn.syn.Header, "What the connection %s offers is not known, so that nothing of it can be checked. Connect to it once, and commit the file:\n\n    wfc catalog refresh %s", id, id))
		return
	}
	c.report(diag.New(codeBadSnapshot, conn.syn.Header, "The snapshot of the connection %s cannot be used: %s Make it anew:\n\n    wfc catalog refresh %s", id, sentence(err.Error()), id))
}

// sentence returns text as a sentence of its own.
func sentence(s string) string {
	s = capital(s)
	if n := len(s); n > 0 && s[n-1] != '.' {
		s += "."
	}
	return s
}

// checkToolBlock checks what a connection says of one of its tools.
func (c *checker) checkToolBlock(conn *connection, b *syntax.ToolOverride) {
	args, output := types.AnyType, types.AnyType
	if snap := conn.open(); snap != nil {
		t := snap.Tool(b.Tool.Text)
		if t == nil {
			c.report(unknownName(codeUnknownTool, "tool", "The connection "+conn.syn.ID(), b.Tool.Text, b.Tool.Range, snap.ToolNames()))
		} else {
			args = conn.args(t)
			if t.Output != nil {
				output = t.Output
			}
			c.checkIdempotencyArg(conn, b, args)
		}
	}
	if b.Effect != nil {
		p := &place{noun: "the effect of a tool block", roots: rootArgs, args: args}
		c.check(b.Effect.Expr, p, nil, effectType, &subject{plain: "The effect"})
	}
	if !b.Returns.IsZero() {
		c.typeOf(b.Returns)
	}
	if b.Result == nil && b.FailIf == nil {
		return
	}
	if b.Decode != nil {
		output = decoded(b.Decode.S, output)
	}
	// The results of a tool block belong to whichever step calls the tool.
	c.f = &flow{results: map[*types.Type]*result{}}
	self := c.newResult(nil, output, nil, outcomeOK)
	p := &place{noun: "the result and fail_if of a tool block", roots: rootSelf | rootArgs, self: self.t, args: args}
	if b.FailIf != nil {
		c.check(b.FailIf.Expr, p, nil, types.BoolType, failIfSubject)
	}
	if b.Result != nil {
		c.check(b.Result.Expr, p, nil, nil, nil)
	}
	c.f = nil
}

func (c *checker) checkIdempotencyArg(conn *connection, b *syntax.ToolOverride, args *types.Type) {
	a := b.IdempotencyArg
	u := args.Underlying()
	if a == nil || u.Kind() != types.Object || u.Attr(a.S) != nil || u.Rest() != nil {
		return
	}
	d := diag.New(codeUnknownArgument, a.Range, "The tool %s.%s has no argument %q.", conn.syn.ID(), b.Tool.Text, a.S)
	near, ok := nearest.Name(a.S, attrNames(u))
	d.Detail += suggestion(near, ok, "argument", attrNames(u))
	if ok {
		d = d.Fix("Change it to "+near, true, edit(a.Range, quoted(near)))
	}
	c.report(d)
}
