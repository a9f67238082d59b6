package compiler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// The defaults of connections (LANGUAGE 4, "Connections").
const (
	defaultConnectMS   = 60_000
	defaultIdleMS      = 600_000
	defaultCloseMS     = 2_000
	defaultMaxInFlight = 8
)

// linker writes the plan of a checked workflow: of the one that is compiled, or of
// a child.
type linker struct {
	project *project.Project
	checked *check.Workflow
	plan    *plan.Plan
	locals  map[int]bool // in use

	// root writes the plan that the others are children of; it has what all share.
	root        *linker
	secrets     map[string]bool            // in use
	connections map[string]bool            // written
	digests     map[*byte]string           // of schemas, by where they begin: steps of one tool share them
	children    map[*check.Workflow]string // their digests
}

// newLinker returns a linker of w; root is nil for the one that is compiled.
func newLinker(p *project.Project, w *check.Workflow, root *linker) *linker {
	l := &linker{project: p, checked: w, root: root, locals: map[int]bool{}, plan: &plan.Plan{
		FormatVersion: plan.FormatVersion,
		Language:      1,
		Functions:     funcs.Version,
		Workflow:      w.Syntax.Name.Text,
		Ranges:        map[string]plan.Range{},
	}}
	if s := p.Settings; s != nil && s.Project.Language != nil {
		l.plan.Language = s.Project.Language.N
	}
	if root == nil {
		l.root = l
		l.secrets, l.connections, l.digests = map[string]bool{}, map[string]bool{}, map[*byte]string{}
		l.children = map[*check.Workflow]string{}
	}
	return l
}

func (l *linker) link() {
	l.workflow()
	l.usedSecrets()
}

// workflow writes all but what is shared.
func (l *linker) workflow() {
	l.inputs()
	l.nodes()
	l.outputs()
	l.usedLocals()
	l.sources()
	y := l.checked.Syntax
	l.plan.Deadline = l.attribute(y.Deadline, "/deadline")
	if c := y.Concurrency; c != nil {
		l.plan.Concurrency = &plan.Concurrency{
			Key: l.attribute(c.Key, "/concurrency/key"), Limit: l.attribute(c.Limit, "/concurrency/limit"),
			OnConflict: cmp.Or(text(c.OnConflict), "queue"),
		}
	}
}

// child writes the plan of a workflow that a node runs, once, and returns its digest.
func (l *linker) child(w *check.Workflow) string {
	if digest, ok := l.root.children[w]; ok {
		return digest
	}
	c := newLinker(l.project, w, l.root)
	c.workflow()
	c.plan.Seal()
	root := l.root.plan
	if root.Children == nil {
		root.Children = map[string]*plan.Plan{}
	}
	root.Children[c.plan.Digest] = c.plan
	l.root.children[w] = c.plan.Digest
	return c.plan.Digest
}

func (l *linker) policy(y *syntax.Policy) {
	if y == nil {
		return
	}
	l.plan.Policy = &plan.Policy{
		Destructive: cmp.Or(text(y.Destructive), "allow"),
		Drift:       cmp.Or(text(y.Drift), "fail"),
		InDoubt:     cmp.Or(text(y.InDoubt), "ask"),
	}
}

// print gives an expression in canonical print and notes its place and the
// secrets that it names.
func (l *linker) print(e expr.Expr, at string, parts ...any) plan.Expr {
	if e.IsZero() {
		return ""
	}
	l.place(e.Range(), at, parts...)
	for _, r := range e.Refs() {
		if r.Root == "secret" {
			l.root.secrets[r.Name] = true
		}
		if r.Root == "run" && (r.Name == "previous" || r.Name == "") {
			l.root.plan.Previous = true
		}
	}
	return plan.Expr(expr.Print(withFiles(l.project, e)))
}

func (l *linker) attribute(a *syntax.Attribute, at string, parts ...any) plan.Expr {
	if a == nil {
		return ""
	}
	return l.print(a.Expr, at, parts...)
}

// place notes where in the source something is, by JSON pointer into the plan.
func (l *linker) place(r hcl.Range, at string, parts ...any) {
	if r.Filename == "" {
		return
	}
	column := r.Start.Column
	if src := l.project.Source(r.Filename); src != nil {
		end := min(max(r.Start.Byte, 0), len(src))
		start := end
		for start > 0 && src[start-1] != '\n' {
			start--
		}
		column = utf8.RuneCount(src[start:end]) + 1
	}
	l.plan.Ranges[fmt.Sprintf(at, parts...)] = plan.Range{File: r.Filename, Line: r.Start.Line, Column: column}
}

func (l *linker) inputs() {
	for i, in := range l.checked.Inputs {
		l.place(in.Syntax.Header, "/inputs/%d", i)
		out := plan.Input{
			Name:        in.Syntax.Name.Text,
			Type:        types.PrintClosed(in.Type),
			Optional:    in.Optional,
			Default:     constant(in.Default),
			Fixed:       constant(in.Fixed),
			Description: text(in.Syntax.Description),
			Sensitive:   is(in.Syntax.Sensitive),
		}
		for j, v := range in.Syntax.Validations {
			out.Validations = append(out.Validations, plan.Condition{
				Condition:    l.print(v.Condition, "/inputs/%d/validations/%d/condition", i, j),
				ErrorMessage: l.print(v.ErrorMessage, "/inputs/%d/validations/%d/error_message", i, j),
			})
		}
		l.plan.Inputs = append(l.plan.Inputs, out)
	}
}

func constant(v *value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	return value.AppendJSON(nil, *v)
}

func is(b *bool) bool { return b != nil && *b }

func text(t *syntax.Text) string {
	if t == nil {
		return ""
	}
	return t.S
}

func (l *linker) nodes() {
	order := orderOf(l.checked)
	for i, index := range order.steps {
		s := l.checked.Steps[index]
		for _, n := range s.Needs.Locals {
			l.useLocal(n)
		}
		node := l.node(i, s)
		for _, a := range order.after[index] {
			// All steps have ended when a finally block begins.
			if before := l.checked.Steps[a].Syntax; before.Finally == node.Finally {
				node.After = append(node.After, before.Name.Text)
			}
		}
		l.plan.Nodes = append(l.plan.Nodes, node)
	}
}

func (l *linker) node(i int, s check.Step) plan.NodeSpec {
	y := s.Syntax
	at := fmt.Sprintf("/nodes/%d", i)
	l.place(y.Header, "%s", at)
	e := func(a *syntax.Attribute, field string) plan.Expr { return l.attribute(a, "%s/%s", at, field) }
	n := plan.NodeSpec{
		ID:          y.Name.Text,
		Kind:        plan.ValueNode,
		Finally:     y.Finally,
		Value:       e(y.Value, "value"),
		Sleep:       e(y.Sleep, "sleep"),
		URI:         e(y.URI, "uri"),
		URITemplate: s.Template,
		Args:        e(y.Args, "args"),
		NullArgs:    s.NullArgs,
		When:        e(y.When, "when"),
		WhenEach:    s.WhenEach,
		ForEach:     e(y.ForEach, "for_each"),
		EachMap:     s.EachMap,
		Key:         e(y.Key, "key"),
		MaxParallel: l.maxParallel(y, i),
		Timeout:     l.timeout(y, i),
		Deadline:    l.deadline(y, at),
		OnError:     tolerated(y.OnError),
		Decode:      text(y.Decode),
		Result:      e(y.Result, "result"),
		FailIf:      e(y.FailIf, "fail_if"),
		Retry:       l.retry(y, at),
	}
	if x := y.Loop; x != nil {
		n.Loop = &plan.Loop{While: e(x.While, "loop/while"), Max: e(x.Max, "loop/max"), Delay: e(x.Delay, "loop/delay")}
	}
	for j, x := range y.Asserts {
		n.Asserts = append(n.Asserts, plan.Condition{
			Condition:    l.print(x.Condition, "%s/asserts/%d/condition", at, j),
			ErrorMessage: l.print(x.ErrorMessage, "%s/asserts/%d/error_message", at, j),
		})
	}
	if s.Returns != nil && s.Returns.Kind() != types.Any {
		n.Returns = types.PrintClosed(s.Returns)
	}
	if s.Output != nil && s.Output.Kind() != types.Any {
		n.ResultType = types.PrintClosed(s.Output)
	}
	if k := s.Contract; k != nil {
		n.Contract = &plan.Contract{Interface: k.Interface, Type: types.PrintClosed(k.Type), AfterResult: k.AfterResult}
	}
	if s.Child != nil {
		l.runs(&n, s, at)
	} else if y.Sleep != nil {
		n.Kind = plan.Sleep
	}
	for j := range s.Undo {
		n.Undo = append(n.Undo, l.undo(&n, &s.Undo[j], fmt.Sprintf("%s/undo/%d", at, j)))
	}
	ref := y.Target()
	if ref == nil {
		return n
	}
	switch {
	case y.Call != nil:
		n.Kind = plan.Call
	case y.Read != nil:
		n.Kind, n.Effect = plan.Read, catalog.Read.String()
	default:
		n.Kind, n.Effect, n.Tool = plan.Prompt, catalog.Read.String(), ref.Path[1].Text
	}
	l.asks(&n, ref, s.Calls, s.Effect, at)
	n.IdleTimeout = e(y.IdleTimeout, "idle_timeout")
	l.override(&n, at, s.Block)
	l.variants(&n, s.Calls, y.IdleTimeout == nil, at)
	return n
}

// asks writes which source a node asks, and of a call what the first connection
// that a key may choose has.
func (l *linker) asks(n *plan.NodeSpec, ref *syntax.Ref, calls []check.Called, effect catalog.Effect, at string) {
	n.Source = ref.Path[0].Text
	n.SourceKey = l.print(ref.Key, "%s/source_key", at)
	if n.SourceKey == "" && n.Kind == plan.Read && n.URITemplate == "" && len(ref.Path) == 2 {
		n.SourceKey = plan.Expr(fmt.Sprintf("%q", ref.Path[1].Text)) // FAMILY["key"]
	}
	if n.Kind == plan.Call && len(calls) > 0 {
		n.Tool, n.Effect = calls[0].Tool.Name, effect.String()
		l.called(n, &calls[0], at)
	}
}

// called writes what one connection has of the tool.
func (l *linker) called(n *plan.NodeSpec, c *check.Called, at string) {
	n.Tool, n.ToolDigest = c.Tool.Name, c.Tool.Digest
	n.Idempotent = is(c.Tool.Idempotent)
	n.InputSchema, n.OutputSchema = l.schema(c.InputSchema), l.schema(c.OutputSchema)
	n.EffectExpr, n.IdempotencyArg, n.Sensitive = "", "", false
	b := c.Block
	if b == nil {
		return
	}
	if b.Effect != nil {
		if _, fixed := b.Effect.Expr.Text(); !fixed {
			n.EffectExpr = l.attribute(b.Effect, "%s/effect_expr", at)
		}
	}
	if b.Idempotent != nil {
		n.Idempotent = *b.Idempotent
	}
	n.IdempotencyArg = text(b.IdempotencyArg)
	n.Sensitive = is(b.Sensitive)
}

// override merges the connection's tool block in: a step's attribute stands for
// the block's.
func (l *linker) override(n *plan.NodeSpec, at string, b *syntax.ToolOverride) {
	if b == nil {
		return
	}
	if n.Decode == "" {
		n.Decode = text(b.Decode)
	}
	if n.Result == "" {
		n.Result = l.attribute(b.Result, "%s/result", at)
	}
	if n.FailIf == "" {
		n.FailIf = l.attribute(b.FailIf, "%s/fail_if", at)
	}
}

// variants writes what differs between the members that a key may choose; idle
// says that the idle_timeout is theirs to say.
func (l *linker) variants(n *plan.NodeSpec, calls []check.Called, idle bool, at string) {
	src := l.source(n.Source)
	if idle && len(src.Members) > 0 {
		n.IdleTimeout = l.idleTimeout(src.Members[0].Connection, calls, 0)
	}
	if len(src.Members) < 2 {
		return
	}
	n.Variants = map[string]plan.NodeSpec{}
	for i, m := range src.Members {
		v := *n
		v.Variants = nil
		j := slices.IndexFunc(calls, func(c check.Called) bool { return c.Key == m.Key })
		if j >= 0 {
			l.called(&v, &calls[j], at)
		}
		if idle {
			v.IdleTimeout = l.idleTimeout(m.Connection, calls, j)
		}
		if i > 0 && (j > 0 || v.IdleTimeout != n.IdleTimeout) {
			n.Variants[m.Key] = v
		}
	}
	if len(n.Variants) == 0 {
		n.Variants = nil
	}
}

// idleTimeout is that of the i-th tool block, else of the connection, else of the
// project's defaults; "" is the language's.
func (l *linker) idleTimeout(c *syntax.Connection, calls []check.Called, i int) plan.Expr {
	switch d := l.defaults(); {
	case i >= 0 && i < len(calls) && calls[i].Block != nil && calls[i].Block.IdleTimeout != nil:
		return duration(calls[i].Block.IdleTimeout)
	case c != nil && c.IdleTimeout != nil:
		return duration(c.IdleTimeout)
	case d.IdleTimeout != nil:
		return duration(d.IdleTimeout)
	}
	return ""
}

// duration is a constant duration as an expression.
func duration(d *syntax.Duration) plan.Expr {
	return plan.Expr(fmt.Sprintf("%q", fmt.Sprint(d.D.Milliseconds(), "ms")))
}

// source returns a source of the workflow, an empty one where there is none.
func (l *linker) source(name string) *check.Source {
	for i := range l.checked.Sources {
		if l.checked.Sources[i].Syntax.Name.Text == name {
			return &l.checked.Sources[i]
		}
	}
	return &check.Source{}
}

// undo writes a call that takes back what a node did.
func (l *linker) undo(of *plan.NodeSpec, u *check.Undo, at string) plan.NodeSpec {
	n := plan.NodeSpec{ID: of.ID, Kind: plan.Call, Args: l.attribute(u.Syntax.Args, "%s/args", at), NullArgs: u.NullArgs}
	l.place(u.Syntax.Header, "%s", at)
	l.asks(&n, u.Syntax.Call, u.Calls, u.Effect, at)
	l.variants(&n, u.Calls, true, at)
	return n
}

// runs writes which workflow a node runs and what that gets of our sources.
func (l *linker) runs(n *plan.NodeSpec, s check.Step, at string) {
	n.Kind = plan.Run
	n.Child = l.child(s.Child)
	for i, in := range s.Child.Inputs {
		if in.Type.Nullable() {
			n.NullArgs = append(n.NullArgs, s.Child.Syntax.Inputs[i].Name.Text)
		}
	}
	for i, h := range s.Handed {
		src := l.source(h.Ours)
		switch {
		case !h.Key.IsZero():
			n.Bind = append(n.Bind, plan.Bind{Source: h.Child, Key: l.print(h.Key, "%s/bind/%d/key", at, i)})
		case len(src.Members) > 1 && !src.Family:
			n.Bind = append(n.Bind, plan.Bind{Source: h.Child, Ours: h.Ours})
		}
	}
}

// retry is the step's own, else, of what it has a meaning for, that of the
// project's defaults.
func (l *linker) retry(y *syntax.Step, at string) *plan.Retry {
	r := y.Retry
	if d := l.defaults(); r == nil && d.Retry != nil && (y.Target() != nil || y.Run != nil) {
		r = d.Retry
	}
	if r == nil {
		return nil
	}
	e := func(a *syntax.Attribute, field string) plan.Expr { return l.attribute(a, "%s/retry/%s", at, field) }
	return &plan.Retry{
		Attempts: e(r.Attempts, "attempts"), Delay: e(r.Delay, "delay"), MaxDelay: e(r.MaxDelay, "max_delay"),
		On: e(r.On, "on"), When: e(r.When, "when"),
	}
}

// deadline is the step's own, else, where there is one by default, that of the
// project's defaults.
func (l *linker) deadline(y *syntax.Step, at string) plan.Expr {
	if d := l.defaults(); y.Deadline == nil && y.Target() != nil && y.Loop == nil && d.Deadline != nil {
		return duration(d.Deadline)
	}
	return l.attribute(y.Deadline, "%s/deadline", at)
}

func tolerated(o *syntax.OnError) []string {
	switch {
	case o == nil:
		return nil
	case o.Continue:
		return []string{"*"}
	}
	kinds := slices.Clone(o.Kinds)
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// schema stores a JSON Schema and returns its digest, "" for none.
func (l *linker) schema(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if digest, ok := l.root.digests[&raw[0]]; ok {
		return digest
	}
	canonical, err := plan.CanonicalJSON(raw)
	if err != nil {
		return "" // a broken schema is a problem of its tool, whose type is any
	}
	digest := plan.SchemaDigest(canonical)
	root := l.root
	if root.plan.Schemas == nil {
		root.plan.Schemas = map[string]json.RawMessage{}
	}
	root.plan.Schemas[digest] = canonical
	root.digests[&raw[0]] = digest
	return digest
}

func (l *linker) outputs() {
	for i, o := range l.checked.Outputs {
		for _, n := range o.Needs.Locals {
			l.useLocal(n)
		}
		l.place(o.Syntax.Header, "/outputs/%d", i)
		out := plan.Output{Name: o.Syntax.Name.Text, Value: l.print(o.Syntax.Value, "/outputs/%d/value", i), Sensitive: is(o.Syntax.Sensitive)}
		if o.Type != nil {
			out.Type = types.PrintClosed(o.Type)
		}
		l.plan.Outputs = append(l.plan.Outputs, out)
	}
}

// useLocal notes that a local, and those that it refers to, are in use.
func (l *linker) useLocal(i int) {
	if l.locals[i] {
		return
	}
	l.locals[i] = true
	for _, n := range l.checked.Locals[i].Needs.Locals {
		l.useLocal(n)
	}
}

func (l *linker) usedLocals() {
	for i, x := range l.checked.Locals {
		if l.locals[i] {
			n := len(l.plan.Locals)
			l.plan.Locals = append(l.plan.Locals, plan.Local{Name: x.Syntax.Name.Text, Value: l.print(x.Syntax.Expr, "/locals/%d/value", n)})
		}
	}
}

// sources writes the sources that a node asks, and their connections, once each.
func (l *linker) sources() {
	asked := map[string]bool{}
	for _, n := range l.plan.Nodes {
		asked[n.Source] = true
		for _, u := range n.Undo {
			asked[u.Source] = true
		}
	}
	for _, s := range l.checked.Sources {
		if !asked[s.Syntax.Name.Text] {
			continue
		}
		l.place(s.Syntax.Header, "/sources/%d", len(l.plan.Sources))
		out := plan.Source{Name: s.Syntax.Name.Text}
		for _, m := range s.Members {
			session := cmp.Or(s.Session, text(m.Connection.Session), "shared")
			if out.Session == "" {
				out.Session = session
			}
			out.Members = append(out.Members, plan.Member{Key: m.Key, Connection: m.Connection.ID(), Session: session})
			if id := m.Connection.ID(); !l.root.connections[id] {
				l.root.connections[id] = true
				l.root.connection(m.Connection, m.Snapshot)
			}
		}
		if len(out.Members) == 1 && !s.Family {
			out.Connection, out.Members = out.Members[0].Connection, nil
		}
		l.plan.Sources = append(l.plan.Sources, out)
	}
}

// maxParallel is the step's own, else that of the project's defaults.
func (l *linker) maxParallel(y *syntax.Step, i int) plan.Expr {
	if d := l.defaults(); y.MaxParallel == nil && y.ForEach != nil && d.MaxParallel != nil {
		return plan.Expr(strconv.Itoa(d.MaxParallel.N))
	}
	return l.attribute(y.MaxParallel, "/nodes/%d/max_parallel", i)
}

// timeout is the step's own, else, of what asks a server, that of the project's defaults.
func (l *linker) timeout(y *syntax.Step, i int) plan.Expr {
	if d := l.defaults(); y.Timeout == nil && y.Target() != nil && d.Timeout != nil {
		return duration(d.Timeout)
	}
	return l.attribute(y.Timeout, "/nodes/%d/timeout", i)
}

// defaults is the project's defaults block, an empty one where there is none.
func (l *linker) defaults() *syntax.Defaults {
	if s := l.project.Settings; s != nil && s.Defaults != nil {
		return s.Defaults
	}
	return &syntax.Defaults{}
}

// connection writes how a connection is reached; snap may be nil.
func (l *linker) connection(y *syntax.Connection, snap *catalog.Snapshot) {
	i := len(l.plan.Connections)
	l.place(y.Header, "/connections/%d", i)
	c := plan.Connection{ID: y.ID(), ConnectMS: defaultConnectMS, IdleMS: defaultIdleMS, CloseMS: defaultCloseMS, MaxInFlight: defaultMaxInFlight}
	if st := y.Stdio; st != nil {
		c.Stdio = &plan.Stdio{
			Command: l.attribute(st.Command, "/connections/%d/stdio/command", i),
			Args:    l.attribute(st.Args, "/connections/%d/stdio/args", i),
			Env:     l.attribute(st.Env, "/connections/%d/stdio/env", i),
			Cwd:     l.attribute(st.Cwd, "/connections/%d/stdio/cwd", i),
		}
	}
	c.HTTP, c.SSE = l.web(y.HTTP, "http", i), l.web(y.SSE, "sse", i)
	if a := y.Auth; a != nil {
		e := func(a *syntax.Attribute, name string) plan.Expr {
			return l.attribute(a, "/connections/%d/auth/"+name, i)
		}
		c.Auth = &plan.Auth{
			Kind: a.Kind.Text, Token: e(a.Token, "token"), Name: e(a.Name, "name"), Value: e(a.Value, "value"),
			Username: e(a.Username, "username"), Password: e(a.Password, "password"),
		}
	}
	if t := y.Timeouts; t != nil {
		for _, d := range []struct {
			from *syntax.Duration
			to   *int64
		}{{t.Connect, &c.ConnectMS}, {t.Idle, &c.IdleMS}, {t.Close, &c.CloseMS}} {
			if d.from != nil {
				*d.to = d.from.D.Milliseconds()
			}
		}
	}
	if y.MaxInFlight != nil {
		c.MaxInFlight = y.MaxInFlight.N
	}
	c.Offers = offers(y)
	if slices.Contains(c.Offers, "sampling") {
		l.sampling()
	}
	if r := y.RateLimit; r != nil && r.Requests != nil && r.Per != nil {
		c.RateLimit = &plan.RateLimit{Requests: r.Requests.N, PerMS: r.Per.D.Milliseconds()}
	}
	if y.Protocol != nil && y.Protocol.S != "auto" {
		c.Protocol = y.Protocol.S
	} else if snap != nil {
		c.ProtocolVersion = snap.ProtocolVersion
	}
	l.plan.Connections = append(l.plan.Connections, c)
}

// web writes how a server at a URL is reached; nil if h is.
func (l *linker) web(h *syntax.HTTP, block string, i int) *plan.HTTP {
	if h == nil {
		return nil
	}
	return &plan.HTTP{
		URL:     l.attribute(h.URL, "/connections/%d/"+block+"/url", i),
		Headers: l.attribute(h.Headers, "/connections/%d/"+block+"/headers", i),
	}
}

// offers returns the client capabilities that a connection offers, sorted.
func offers(y *syntax.Connection) []string {
	if y.Offers == nil {
		return []string{"elicitation"}
	}
	out := make([]string, len(y.Offers.Items))
	for i, t := range y.Offers.Items {
		out[i] = t.S
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sampling writes how the model is reached that answers servers.
func (l *linker) sampling() {
	s := l.project.Settings
	if s == nil || s.Sampling == nil || l.plan.Sampling != nil {
		return
	}
	l.place(s.Sampling.Header, "/sampling")
	l.plan.Sampling = &plan.Sampling{
		BaseURL: l.attribute(s.Sampling.BaseURL, "/sampling/base_url"),
		Model:   l.attribute(s.Sampling.Model, "/sampling/model"),
		APIKey:  l.attribute(s.Sampling.APIKey, "/sampling/api_key"),
	}
}

func (l *linker) usedSecrets() {
	names := make([]string, 0, len(l.secrets))
	for n := range l.secrets {
		names = append(names, n)
	}
	slices.Sort(names)
	for i, n := range names {
		s := l.project.Secrets[n]
		l.place(s.Header, "/secrets/%d", i)
		secret := plan.Secret{Name: n, Env: text(s.Env), File: text(s.File)}
		if s.Command != nil {
			for _, word := range s.Command.Items {
				secret.Command = append(secret.Command, word.S)
			}
		}
		l.plan.Secrets = append(l.plan.Secrets, secret)
	}
}
