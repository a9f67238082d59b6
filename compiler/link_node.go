package compiler

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

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
	} else if x := y.Ask; x != nil {
		n.Kind = plan.AskNode
		n.Ask = &plan.Ask{
			Message: e(x.Message, "ask/message"), Answer: types.PrintClosed(s.Answer),
			Choices: e(x.Choices, "ask/choices"), Approvers: e(x.Approvers, "ask/approvers"),
		}
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
