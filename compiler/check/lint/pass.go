package lint

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
)

type node = hclsyntax.Expression

// pass is one look at a workflow: all expressions once, then the rules about what
// they refer to.
type pass struct {
	flow  *Flow
	found diag.List

	steps  map[string]*step
	locals map[string]*local
	list   []*step
	inputs map[string]bool // that something but their own validation refers to

	conditions []node // every condition of the workflow
	indexes    []emptyIndex

	src []byte // of the file

	// Of the expression in hand:
	owner  owner
	bound  []string // the variables of `for`
	guards []node   // the conditions around
	caught int      // inside so many try and can that catch a failure
}

// owner is what the expression in hand belongs to. All nil: an output or the like.
type owner struct {
	input *syntax.Input // its validation
	local *local
	step  *step
}

type step struct {
	Step
	refs   map[string]bool // the steps that it refers to by expressions, not through locals
	locals map[string]bool // and the locals
	each   bool            // it mentions each
	used   bool            // something refers to it
}

type local struct {
	syntax *syntax.Local
	refs   map[string]bool
	locals map[string]bool
	used   bool
}

func newPass(f *Flow) *pass {
	p := &pass{
		flow:   f,
		steps:  make(map[string]*step, len(f.Steps)),
		locals: make(map[string]*local, len(f.Syntax.Locals)),
		inputs: make(map[string]bool, len(f.Syntax.Inputs)),
	}
	for _, s := range f.Steps {
		st := &step{Step: s}
		p.list = append(p.list, st)
		p.steps[s.Syntax.Name.Text] = st
	}
	for _, l := range f.Syntax.Locals {
		p.locals[l.Name.Text] = &local{syntax: l}
	}
	return p
}

func (p *pass) report(d diag.Diagnostic) { p.found = append(p.found, d) }

// walk looks at every expression of the workflow.
func (p *pass) walk() {
	y := p.flow.Syntax
	for _, in := range y.Inputs {
		p.owner = owner{input: in}
		for _, v := range in.Validations {
			p.condition(v.Condition)
			p.expr(v.ErrorMessage)
		}
	}
	for _, l := range y.Locals {
		p.owner = owner{local: p.locals[l.Name.Text]}
		p.expr(l.Expr)
	}
	for _, s := range p.list {
		p.step(s)
	}
	p.owner = owner{}
	for _, o := range y.Outputs {
		p.expr(o.Value)
	}
	p.attribute(y.Deadline)
	if c := y.Concurrency; c != nil {
		p.attribute(c.Key)
		p.attribute(c.Limit)
	}
}

// step looks at the expressions of a step.
func (p *pass) step(s *step) {
	y := s.Syntax
	p.owner = owner{step: s}
	if y.When != nil {
		p.condition(y.When.Expr)
		p.guards = append(p.guards, y.When.Expr.Node)
	}
	if y.ForEach != nil {
		p.guards = append(p.guards, y.ForEach.Expr.Node) // there is an element
	}
	defer func() { p.guards = p.guards[:0] }()
	for _, a := range []*syntax.Attribute{
		y.Value, y.Sleep, y.Args, y.URI, y.ForEach, y.Key, y.Result, y.MaxParallel, y.Timeout, y.IdleTimeout, y.Deadline,
	} {
		p.attribute(a)
	}
	if t := y.Target(); t != nil {
		p.expr(t.Key)
	}
	for _, b := range y.Bind {
		p.expr(b.Ours.Key)
	}
	p.conditionOf(y.FailIf)
	if a := y.Ask; a != nil {
		p.attribute(a.Message)
		p.attribute(a.Choices)
		p.attribute(a.Approvers)
	}
	if l := y.Loop; l != nil {
		p.conditionOf(l.While)
		p.attribute(l.Max)
		p.attribute(l.Delay)
	}
	if r := y.Retry; r != nil {
		p.attribute(r.Attempts)
		p.attribute(r.Delay)
		p.attribute(r.MaxDelay)
		p.attribute(r.On)
		p.conditionOf(r.When)
	}
	for _, a := range y.Asserts {
		p.condition(a.Condition)
		p.expr(a.ErrorMessage)
	}
	for _, u := range y.Undo {
		p.attribute(u.Args)
		if u.Call != nil {
			p.expr(u.Call.Key)
		}
	}
	for _, d := range y.DependsOn {
		if len(d.Path) == 2 {
			if on := p.steps[d.Path[1].Text]; on != nil {
				on.used = true
			}
		}
	}
}

func (p *pass) attribute(a *syntax.Attribute) {
	if a != nil {
		p.expr(a.Expr)
	}
}

func (p *pass) conditionOf(a *syntax.Attribute) {
	if a != nil {
		p.condition(a.Expr)
	}
}

// condition looks at a whole expression that is a condition.
func (p *pass) condition(e expr.Expr) {
	p.expr(e)
	if !e.IsZero() {
		p.conditions = append(p.conditions, e.Node)
		p.constantCondition(e.Node)
	}
}

// expr looks at a whole expression.
func (p *pass) expr(e expr.Expr) {
	if !e.IsZero() {
		p.src = e.Source
		p.visit(e.Node)
	}
}

// visit looks at a node and what is below it.
func (p *pass) visit(x node) {
	switch x := x.(type) {
	case nil:
	case *hclsyntax.ScopeTraversalExpr:
		p.refer(x)
	case *hclsyntax.ObjectConsKeyExpr:
		if x.ForceNonLiteral || hcl.ExprAsKeyword(x.Wrapped) == "" {
			p.visit(x.Wrapped)
		}
	case *hclsyntax.ForExpr:
		p.forExpr(x)
	case *hclsyntax.ConditionalExpr:
		p.constantCondition(x.Condition)
		p.identicalBranches(x)
		p.visit(x.Condition)
		p.under(x.Condition, x.TrueResult, x.FalseResult)
	case *hclsyntax.BinaryOpExpr:
		p.visit(x.LHS)
		if x.Op == hclsyntax.OpLogicalAnd || x.Op == hclsyntax.OpLogicalOr {
			p.under(x.LHS, x.RHS)
		} else {
			p.visit(x.RHS)
		}
	case *hclsyntax.IndexExpr:
		p.indexed(x.Collection, x.Key)
		p.visit(x.Collection)
		p.visit(x.Key)
	case *hclsyntax.RelativeTraversalExpr:
		p.traversed(x.Source, x.Traversal)
		p.visit(x.Source)
	case *hclsyntax.FunctionCallExpr:
		p.call(x)
	case *hclsyntax.TemplateExpr:
		p.foreignTemplate(x)
		for _, part := range x.Parts {
			p.visit(part)
		}
	case *hclsyntax.LiteralValueExpr:
	default:
		for child := range expr.Children(x) {
			p.visit(child)
		}
	}
}

// under looks at nodes that are only evaluated as a condition says.
func (p *pass) under(cond node, nodes ...node) {
	p.conditions = append(p.conditions, cond)
	p.guards = append(p.guards, cond)
	for _, n := range nodes {
		p.visit(n)
	}
	p.guards = p.guards[:len(p.guards)-1]
}

func (p *pass) forExpr(x *hclsyntax.ForExpr) {
	p.visit(x.CollExpr)
	outer := p.bound
	p.bound = append(outer[:len(outer):len(outer)], x.ValVar)
	if x.KeyVar != "" {
		p.bound = append(p.bound, x.KeyVar)
	}
	p.guards = append(p.guards, x.CollExpr) // there is an element
	if x.CondExpr == nil {
		p.visit(x.KeyExpr)
		p.visit(x.ValExpr)
	} else {
		p.visit(x.CondExpr)
		p.constantCondition(x.CondExpr)
		p.under(x.CondExpr, x.KeyExpr, x.ValExpr)
	}
	p.guards = p.guards[:len(p.guards)-1]
	p.bound = outer
}

// call looks at a function call: try and can catch what fails in their arguments,
// but for the last of try.
func (p *pass) call(x *hclsyntax.FunctionCallExpr) {
	for i, a := range x.Args {
		catches := x.Name == "can" || x.Name == "try" && i < len(x.Args)-1
		if catches {
			p.caught++
		}
		p.visit(a)
		if catches {
			p.caught--
		}
	}
}

// refer notes what a traversal refers to.
func (p *pass) refer(x *hclsyntax.ScopeTraversalExpr) {
	root := x.Traversal.RootName()
	for _, b := range p.bound {
		if b == root {
			return
		}
	}
	if root == "each" && p.owner.step != nil {
		p.owner.step.each = true
		return
	}
	name, ok := p.nameOf(x)
	if !ok {
		return
	}
	switch root {
	case "input":
		if p.owner.input == nil || p.owner.input.Name.Text != name {
			p.inputs[name] = true
		}
	case "local":
		if l := p.locals[name]; l != nil {
			l.used = true
			p.indexedLocal(x, l)
		}
		p.note(func(refs, locals *map[string]bool) { set(locals, name) })
	case "step":
		if s := p.steps[name]; s != nil && s != p.owner.step {
			s.used = true
		}
		p.note(func(refs, locals *map[string]bool) { set(refs, name) })
	}
}

// note records a reference of the local or step in hand.
func (p *pass) note(f func(refs, locals *map[string]bool)) {
	switch {
	case p.owner.step != nil:
		f(&p.owner.step.refs, &p.owner.step.locals)
	case p.owner.local != nil:
		f(&p.owner.local.refs, &p.owner.local.locals)
	}
}

func set(m *map[string]bool, name string) {
	if *m == nil {
		*m = map[string]bool{}
	}
	(*m)[name] = true
}

// nameOf returns the name after the root of a traversal.
func (p *pass) nameOf(x *hclsyntax.ScopeTraversalExpr) (string, bool) {
	if len(x.Traversal) < 2 {
		return "", false
	}
	switch s := x.Traversal[1].(type) {
	case hcl.TraverseAttr:
		for i := range len(s.Name) {
			if s.Name[i] >= 0x80 { // the parser normalises it; what is written counts
				return strings.TrimLeft(textIn(p.src, s.SrcRange), ". \t\r\n"), true
			}
		}
		return s.Name, true
	case hcl.TraverseIndex:
		return expr.Expr{Source: p.src}.IndexName(s)
	}
	return "", false
}

// text is the source of a node of the workflow.
func (p *pass) text(x node) string { return textIn(p.src, x.Range()) }

func textIn(src []byte, r hcl.Range) string {
	if r.Start.Byte < 0 || r.End.Byte > len(src) || r.Start.Byte > r.End.Byte {
		return ""
	}
	return string(src[r.Start.Byte:r.End.Byte])
}

func unparen(x node) node {
	for {
		p, ok := x.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return x
		}
		x = p.Expression
	}
}
