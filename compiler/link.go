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

// linker writes the plan of a checked workflow.
type linker struct {
	project *project.Project
	checked *check.Workflow
	plan    *plan.Plan

	secrets map[string]bool // in use
	locals  map[int]bool
	digests map[*byte]string // of schemas, by where they begin: steps of one tool share them
}

func (l *linker) link() {
	l.secrets, l.locals, l.digests = map[string]bool{}, map[int]bool{}, map[*byte]string{}
	l.inputs()
	l.nodes()
	l.outputs()
	l.usedLocals()
	l.sources()
	l.usedSecrets()
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
			l.secrets[r.Name] = true
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
			node.After = append(node.After, l.checked.Steps[a].Syntax.Name.Text)
		}
		l.plan.Nodes = append(l.plan.Nodes, node)
	}
}

func (l *linker) node(i int, s check.Step) plan.NodeSpec {
	y := s.Syntax
	l.place(y.Header, "/nodes/%d", i)
	n := plan.NodeSpec{
		ID:          y.Name.Text,
		Kind:        plan.ValueNode,
		Value:       l.attribute(y.Value, "/nodes/%d/value", i),
		Args:        l.attribute(y.Args, "/nodes/%d/args", i),
		NullArgs:    s.NullArgs,
		When:        l.attribute(y.When, "/nodes/%d/when", i),
		WhenEach:    s.WhenEach,
		ForEach:     l.attribute(y.ForEach, "/nodes/%d/for_each", i),
		EachMap:     s.EachMap,
		Key:         l.attribute(y.Key, "/nodes/%d/key", i),
		MaxParallel: l.maxParallel(y, i),
		Timeout:     l.timeout(y, i),
		OnError:     tolerated(y.OnError),
		Decode:      text(y.Decode),
		Result:      l.attribute(y.Result, "/nodes/%d/result", i),
		FailIf:      l.attribute(y.FailIf, "/nodes/%d/fail_if", i),
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
	if s.Tool == nil {
		return n
	}
	n.Kind = plan.Call
	n.Source, n.Tool, n.ToolDigest = y.Call.Path[0].Text, s.Tool.Name, s.Tool.Digest
	n.Effect = s.Effect.String()
	n.Idempotent = s.Tool.Idempotent != nil && *s.Tool.Idempotent
	n.InputSchema, n.OutputSchema = l.schema(s.InputSchema), l.schema(s.OutputSchema)
	if b := s.Block; b != nil {
		l.override(&n, i, b)
	}
	return n
}

// override merges the connection's tool block in: a step's attribute stands for
// the block's.
func (l *linker) override(n *plan.NodeSpec, i int, b *syntax.ToolOverride) {
	if n.Decode == "" {
		n.Decode = text(b.Decode)
	}
	if n.Result == "" {
		n.Result = l.attribute(b.Result, "/nodes/%d/result", i)
	}
	if n.FailIf == "" {
		n.FailIf = l.attribute(b.FailIf, "/nodes/%d/fail_if", i)
	}
	if b.Effect != nil {
		if _, fixed := b.Effect.Expr.Text(); !fixed {
			n.EffectExpr = l.attribute(b.Effect, "/nodes/%d/effect_expr", i)
		}
	}
	if b.Idempotent != nil {
		n.Idempotent = *b.Idempotent
	}
	n.IdempotencyArg = text(b.IdempotencyArg)
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
	if digest, ok := l.digests[&raw[0]]; ok {
		return digest
	}
	canonical, err := plan.CanonicalJSON(raw)
	if err != nil {
		return "" // a broken schema is a problem of its tool, whose type is any
	}
	digest := plan.SchemaDigest(canonical)
	if l.plan.Schemas == nil {
		l.plan.Schemas = map[string]json.RawMessage{}
	}
	l.plan.Schemas[digest] = canonical
	l.digests[&raw[0]] = digest
	return digest
}

func (l *linker) outputs() {
	for i, o := range l.checked.Outputs {
		for _, n := range o.Needs.Locals {
			l.useLocal(n)
		}
		l.place(o.Syntax.Header, "/outputs/%d", i)
		out := plan.Output{Name: o.Syntax.Name.Text, Value: l.print(o.Syntax.Value, "/outputs/%d/value", i)}
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

// sources writes the sources that a step calls, and their connections, once each.
func (l *linker) sources() {
	called := map[string]bool{}
	for _, n := range l.plan.Nodes {
		called[n.Source] = true
	}
	done := map[string]bool{}
	for _, s := range l.checked.Sources {
		if !called[s.Syntax.Name.Text] {
			continue
		}
		l.place(s.Syntax.Header, "/sources/%d", len(l.plan.Sources))
		session := cmp.Or(text(s.Syntax.Session), text(s.Connection.Session), "shared")
		l.plan.Sources = append(l.plan.Sources, plan.Source{Name: s.Syntax.Name.Text, Connection: s.Connection.ID(), Session: session})
		if !done[s.Connection.ID()] {
			done[s.Connection.ID()] = true
			l.connection(s.Connection, s.Snapshot)
		}
	}
}

// maxParallel is the step's own, else that of the project's defaults.
func (l *linker) maxParallel(y *syntax.Step, i int) plan.Expr {
	if d := l.defaults(); y.MaxParallel == nil && y.ForEach != nil && d.MaxParallel != nil {
		return plan.Expr(strconv.Itoa(d.MaxParallel.N))
	}
	return l.attribute(y.MaxParallel, "/nodes/%d/max_parallel", i)
}

// timeout is the step's own, else, of a call, that of the project's defaults.
func (l *linker) timeout(y *syntax.Step, i int) plan.Expr {
	if d := l.defaults(); y.Timeout == nil && y.Call != nil && d.Timeout != nil {
		return plan.Expr(fmt.Sprintf("%q", fmt.Sprint(d.Timeout.D.Milliseconds(), "ms")))
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

func (l *linker) usedSecrets() {
	names := make([]string, 0, len(l.secrets))
	for n := range l.secrets {
		names = append(names, n)
	}
	slices.Sort(names)
	for i, n := range names {
		s := l.project.Secrets[n]
		l.place(s.Header, "/secrets/%d", i)
		l.plan.Secrets = append(l.plan.Secrets, plan.Secret{Name: n, Env: text(s.Env)})
	}
}
