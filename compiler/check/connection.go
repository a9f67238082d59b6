package check

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

var connectionPlace = &place{noun: "a connection block", roots: rootSecret | rootProject}

// Connection returns the errors that keep a connection from being opened: of its
// syntax and of its transport, and what of it cannot be run yet. Its snapshot and its tool blocks do not matter.
func Connection(p *project.Project, y *syntax.Connection) diag.List {
	w := newWorld(p)
	c := &checker{w: w}
	written := []hcl.Range{y.Range}
	if conn := w.connections[y.ID()]; conn != nil {
		c.checkSettings(&conn.own.ConnectionSettings, "connection "+y.ID())
	}
	if x := p.Providers[y.Provider.Text]; x != nil {
		c.checkSettings(&x.ConnectionSettings, "provider "+x.Name.Text)
		written = append(written, x.Range)
	}
	c.checkTransport(y)
	if conn := w.connections[y.ID()]; conn != nil && len(c.diags) == 0 {
		laterList{c, map[hcl.Range]bool{}}.opening(conn.syn)
	}
	out := c.diags
	for _, d := range p.Diagnostics {
		for _, at := range written {
			if r := d.Range; r.File == at.Filename && at.Start.Byte <= r.Start.Byte && r.Start.Byte <= at.End.Byte {
				out = append(out, d)
			}
		}
	}
	out = slices.DeleteFunc(out, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	return finish(p, out)
}

// checkSettings checks the expressions of a connection or a provider block.
func (c *checker) checkSettings(s *syntax.ConnectionSettings, whose string) {
	of := func(what string, at *syntax.Attribute, want *types.Type) {
		if at != nil {
			c.check(at.Expr, connectionPlace, nil, want, &subject{plain: "The " + what + " of " + whose})
		}
	}
	if x := s.Stdio; x != nil {
		if x.Command == nil || !c.isCommandLine(x.Command.Expr, whose) {
			of("command", x.Command, types.StringType)
		}
		of("args", x.Args, types.ListOf(types.StringType))
		of("env", x.Env, types.MapOf(types.StringType))
		of("cwd", x.Cwd, types.StringType)
	}
	for _, x := range []*syntax.HTTP{s.HTTP, s.SSE} {
		if x != nil {
			of("url", x.URL, types.StringType)
			c.absoluteURL(x.URL)
			of("headers", x.Headers, types.MapOf(types.StringType))
		}
	}
	if x := s.Auth; x != nil {
		of("token", x.Token, types.StringType)
		of("name", x.Name, types.StringType)
		of("value", x.Value, types.StringType)
		of("username", x.Username, types.StringType)
		of("password", x.Password, types.StringType)
		of("client_id", x.ClientID, types.StringType)
		of("client_secret", x.ClientSecret, types.StringType)
		of("scopes", x.Scopes, types.ListOf(types.StringType))
	}
}

// absoluteURL reports a constant address that no request can be sent to.
func (c *checker) absoluteURL(a *syntax.Attribute) {
	if a == nil {
		return
	}
	text, ok := a.Expr.Text()
	if !ok {
		return
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		c.report(diag.New(codeRuleBroken, a.Expr.Range(), "%q is no address of a server. Write the whole of it, as \"https://mcp.example.com/mcp\".", text))
	}
}

// checkTransport checks that a connection says how its server is reached, with
// what its provider and the defaults add.
func (c *checker) checkTransport(y *syntax.Connection) {
	lacks := func(block string, at syntax.Block, name, what string, has *syntax.Attribute) {
		if has == nil && !c.w.hasFinding(at.Range) {
			c.report(diag.New(codeAttributeNeeded, at.Header, "The %s block of connection %s needs the attribute %q: %s.", block, y.ID(), name, what))
		}
	}
	switch {
	case y.Stdio != nil:
		lacks("stdio", y.Stdio.Block, "command", "the program that is the server", y.Stdio.Command)
		if y.Auth != nil {
			c.report(diag.New(codeAuthWithoutHTTP, y.Auth.Header, "The connection %s starts its server as a process, which has no requests to put credentials into. Give them to it in env of stdio, or as args.", y.ID()))
			return
		}
	case y.HTTP != nil:
		lacks("http", y.HTTP.Block, "url", "the address of the server", y.HTTP.URL)
	case y.SSE != nil:
		lacks("sse", y.SSE.Block, "url", "the address of the server", y.SSE.URL)
	case !c.w.hasFinding(y.Range):
		c.report(diag.New(codeNoTransport, y.Header, "The connection %s does not say how its server is reached. Write a stdio block with the command that starts it, or an http block with its url.", y.ID()))
	}
	if a := y.Auth; a != nil {
		switch a.Kind.Text {
		case "bearer":
			lacks("auth", a.Block, "token", "what is sent with each request", a.Token)
		case "header":
			lacks("auth", a.Block, "name", "the name of the header", a.Name)
			lacks("auth", a.Block, "value", "what the header says", a.Value)
		case "basic":
			lacks("auth", a.Block, "username", "who logs in", a.Username)
			lacks("auth", a.Block, "password", "the password of who logs in", a.Password)
		}
	}
	if x := y.RateLimit; x != nil && !c.w.hasFinding(x.Range) {
		if x.Requests == nil {
			lacks("rate_limit", x.Block, "requests", "how many requests are sent at most", nil)
		} else if x.Per == nil {
			lacks("rate_limit", x.Block, "per", "in which time so many requests are sent, as \"1m\"", nil)
		}
	}
}

// checkProvider checks what a provider block says.
func (c *checker) checkProvider(x *syntax.Provider) {
	c.checkSettings(&x.ConnectionSettings, "provider "+x.Name.Text)
}

// checkConnection checks a connection block and its snapshot.
func (c *checker) checkConnection(conn *connection) {
	y := conn.syn
	c.checkSettings(&conn.own.ConnectionSettings, "connection "+y.ID())
	c.checkTransport(y)
	c.checkSampling(conn)
	if snap, err := conn.load(); err != nil {
		if errors.Is(err, fs.ErrNotExist) && y.Stdio == nil && y.HTTP == nil && y.SSE == nil {
			return // none can be taken before its server can be reached
		}
		c.noSnapshot(conn, err)
	} else {
		c.checkOffers(conn, snap)
		c.checkLists(conn, snap)
	}
	for _, t := range y.Tools {
		if first := conn.tools[t.Tool.Text]; first != t {
			c.twice("tool block", t.Tool, first.Tool)
			continue
		}
		c.checkToolBlock(conn, t)
	}
}

// checkOffers reports a snapshot that was made with other offers than the
// connection has now. A snapshot that does not say is of an answer that was imported.
func (c *checker) checkOffers(conn *connection, snap *catalog.Snapshot) {
	o := conn.syn.Offers
	var had map[string]json.RawMessage
	if o == nil || json.Unmarshal(snap.ClientCapabilities, &had) != nil || had == nil {
		return
	}
	now := map[string]json.RawMessage{}
	for _, t := range o.Items {
		now[t.S] = nil
	}
	for _, name := range []string{"sampling", "elicitation", "roots"} {
		_, was := had[name]
		_, is := now[name]
		if was == is {
			continue
		}
		id := conn.syn.ID()
		what := "did not offer %s when its snapshot was made, and does now"
		if was {
			what = "offered %s when its snapshot was made, and does not now"
		}
		c.report(diag.New(codeOtherOffers, o.Range, "The connection %s "+what+". What the server lists depends on it: make the snapshot anew.\n\n    wfc catalog refresh %s", id, name, id))
		return
	}
}

// checkSampling reports a connection that offers its server a model that the
// project does not have.
func (c *checker) checkSampling(conn *connection) {
	o := conn.syn.Offers
	if s := c.w.project.Settings; o == nil || !contains(o, "sampling") || s != nil && s.Sampling != nil {
		return
	}
	c.report(diag.New(codeNoModel, o.Range, "The connection %s offers its server sampling, and nothing says which model answers then. Write a sampling block into wfc.hcl, with the base_url and the model, or do not offer it; tools that exist only with sampling are gone then.", conn.syn.ID()))
}

// checkLists reports names in allow and deny that are no tools.
func (c *checker) checkLists(conn *connection, snap *catalog.Snapshot) {
	own := &conn.own.ConnectionSettings
	for _, l := range []*syntax.List{own.Allow, own.Deny} {
		if l == nil {
			continue
		}
		for _, t := range l.Items {
			if snap.Tool(t.S) != nil || snap.Needs(t.S) != nil {
				continue
			}
			at := t.Range
			d := unknownName(codeUnknownTool, "tool", "The connection "+conn.syn.ID(), t.S, at, snap.ToolNames())
			if len(d.Fixes) > 0 {
				near, _ := nearest.Name(t.S, snap.ToolNames())
				d.Fixes = nil
				d = d.Fix("Change it to "+near, true, edit(at, quoted(near)))
			}
			c.report(d)
		}
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

// isCommandLine reports a command that is written with its arguments as a list.
func (c *checker) isCommandLine(e expr.Expr, whose string) bool {
	list, ok := e.Node.(*hclsyntax.TupleConsExpr)
	if !ok || len(list.Exprs) == 0 {
		return false
	}
	c.at(e.Source, connectionPlace, func() {
		c.report(diag.New(codeWrongType, e.Range(), "The command of %s is the program alone, and its arguments stand in args: command = %s, and args = […].", whose, c.text(list.Exprs[0].Range())))
	})
	return true
}
