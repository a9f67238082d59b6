package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

// need is a local or step that another refers to.
type need struct {
	local *local
	step  *step // one of them is set
	at    hcl.Range
}

// node returns the local or step.
func (n need) node() any {
	if n.local != nil {
		return n.local
	}
	return n.step
}

// dependencies finds what each local and step refers to, and reports cycles.
func (c *checker) dependencies() {
	for _, l := range c.f.localList {
		c.refer(l.syn.Expr, func(n need) { l.needs = append(l.needs, n) })
	}
	for _, s := range c.f.stepList {
		add := func(n need) { s.needs = append(s.needs, n) }
		s.expressions(func(e expr.Expr) { c.refer(e, add) })
		for _, d := range s.syn.DependsOn {
			if len(d.Path) < 2 {
				continue
			}
			if t := c.f.steps[d.Path[1].Text]; t != nil {
				if t.syn.Finally {
					c.finallyReferred(t.name(), d.Range)
					continue
				}
				add(need{step: t, at: d.Range})
				continue
			}
			at := hcl.TraverseAttr{Name: d.Path[1].Text, SrcRange: d.Path[1].Range}
			c.unknown(codeUnknownStep, "step", c.f.name(), at, keysOf(c.f.steps), c.f.file())
		}
		if w := s.syn.When; w != nil {
			s.whenEach = mentionsEach(w.Expr.Node)
			c.f.guarded = c.f.guarded || !s.whenEach
		}
	}
	c.cycles()
}

// refer calls add for every local and step that e names. Unknown names are
// left to the check of the expression.
func (c *checker) refer(e expr.Expr, add func(need)) {
	eachRoot(e.Node, nil, func(x *hclsyntax.ScopeTraversalExpr) {
		if len(x.Traversal) < 2 {
			return
		}
		var byName func(name string) (need, bool)
		switch x.Traversal.RootName() {
		case "local":
			byName = func(name string) (need, bool) { l := c.f.locals[name]; return need{local: l}, l != nil }
		case "step":
			byName = func(name string) (need, bool) {
				s := c.f.steps[name]
				return need{step: s}, s != nil && !s.syn.Finally // to one of those nothing can refer
			}
		default:
			return
		}
		c.at(e.Source, c.place, func() {
			label, ok := c.firstName(x.Traversal[1:])
			if !ok {
				return
			}
			if n, ok := byName(label.Name); ok {
				n.at = x.SrcRange
				add(n)
			}
		})
	})
}

// mentionsEach reports whether an expression uses each.
func mentionsEach(x hclNode) bool { return mentionsRoot(x, "each") }

// mentionsRoot reports whether an expression uses a root.
func mentionsRoot(x hclNode, name string) bool {
	found := false
	eachRoot(x, nil, func(t *hclsyntax.ScopeTraversalExpr) { found = found || t.Traversal.RootName() == name })
	return found
}

// eachRoot calls f for every traversal of an expression whose root is not one
// of the variables bound by `for`.
func eachRoot(x hclNode, bound []string, f func(*hclsyntax.ScopeTraversalExpr)) {
	switch x := x.(type) {
	case nil:
	case *hclsyntax.ScopeTraversalExpr:
		name := x.Traversal.RootName()
		for _, b := range bound {
			if b == name {
				return
			}
		}
		f(x)
	case *hclsyntax.RelativeTraversalExpr:
		eachRoot(x.Source, bound, f)
	case *hclsyntax.IndexExpr:
		eachRoot(x.Collection, bound, f)
		eachRoot(x.Key, bound, f)
	case *hclsyntax.ParenthesesExpr:
		eachRoot(x.Expression, bound, f)
	case *hclsyntax.TemplateWrapExpr:
		eachRoot(x.Wrapped, bound, f)
	case *hclsyntax.TemplateJoinExpr:
		eachRoot(x.Tuple, bound, f)
	case *hclsyntax.TemplateExpr:
		for _, p := range x.Parts {
			eachRoot(p, bound, f)
		}
	case *hclsyntax.FunctionCallExpr:
		for _, a := range x.Args {
			eachRoot(a, bound, f)
		}
	case *hclsyntax.ConditionalExpr:
		eachRoot(x.Condition, bound, f)
		eachRoot(x.TrueResult, bound, f)
		eachRoot(x.FalseResult, bound, f)
	case *hclsyntax.TupleConsExpr:
		for _, e := range x.Exprs {
			eachRoot(e, bound, f)
		}
	case *hclsyntax.ObjectConsExpr:
		for _, it := range x.Items {
			eachRoot(it.KeyExpr, bound, f)
			eachRoot(it.ValueExpr, bound, f)
		}
	case *hclsyntax.ObjectConsKeyExpr:
		if x.ForceNonLiteral || hcl.ExprAsKeyword(x.Wrapped) == "" {
			eachRoot(x.Wrapped, bound, f)
		}
	case *hclsyntax.ForExpr:
		eachRoot(x.CollExpr, bound, f)
		inner := append(bound[:len(bound):len(bound)], x.ValVar)
		if x.KeyVar != "" {
			inner = append(inner, x.KeyVar)
		}
		if x.KeyExpr != nil {
			eachRoot(x.KeyExpr, inner, f)
		}
		eachRoot(x.ValExpr, inner, f)
		if x.CondExpr != nil {
			eachRoot(x.CondExpr, inner, f)
		}
	case *hclsyntax.SplatExpr:
		eachRoot(x.Source, bound, f)
		eachRoot(x.Each, bound, f)
	case *hclsyntax.BinaryOpExpr:
		eachRoot(x.LHS, bound, f)
		eachRoot(x.RHS, bound, f)
	case *hclsyntax.UnaryOpExpr:
		eachRoot(x.Val, bound, f)
	}
}

// node is a local or step in the search for cycles.
type node struct {
	local *local
	step  *step
}

func (n node) name() string {
	if n.local != nil {
		return "local." + n.local.syn.Name.Text
	}
	return "step." + n.step.name()
}

func (n node) needs() []need {
	if n.local != nil {
		return n.local.needs
	}
	return n.step.needs
}

func (n node) mark() {
	if n.local != nil {
		n.local.cyclic = true
	} else {
		n.step.cyclic = true
	}
}

// maxCycle bounds how many members of a cycle a message names.
const maxCycle = 10

// cycles reports each cycle once, and marks its members: of them nothing more is said.
// It puts the locals and steps into an order in which each comes after those that it refers to.
func (c *checker) cycles() {
	const (
		open = 1
		done = 2
	)
	state := map[node]int{}
	var path []reference
	var visit func(n node, at hcl.Range)
	visit = func(n node, at hcl.Range) {
		switch state[n] {
		case done:
			return
		case open:
			start := len(path) - 1
			for path[start].to != n {
				start--
			}
			for _, e := range path[start:] {
				e.to.mark()
			}
			c.report(cycleOf(path[start:], reference{n, at}))
			return
		}
		state[n] = open
		path = append(path, reference{n, at})
		for _, next := range n.needs() {
			visit(node{next.local, next.step}, next.at)
		}
		path = path[:len(path)-1]
		state[n] = done
		c.f.order = append(c.f.order, n)
	}
	for _, l := range c.f.localList {
		visit(node{local: l}, hcl.Range{})
	}
	for _, s := range c.f.stepList {
		visit(node{step: s}, hcl.Range{})
	}
}

// reference is a node with the place of the reference that led to it.
type reference struct {
	to node
	at hcl.Range
}

// cycleOf says what is wrong with nodes each of which refers to the next, and the
// last to the first again.
func cycleOf(cycle []reference, last reference) diag.Diagnostic {
	if len(cycle) == 1 {
		instead := "refer to something else"
		if last.to.step != nil {
			instead = "what the step itself gives is self, in its result, fail_if, assert and undo and in the conditions of loop and retry"
		}
		return diag.New(codeCycle, last.at, "%s refers to itself. Nothing can be computed from itself; %s.", capitalName(last.to), instead)
	}
	shown := cycle[:min(len(cycle), maxCycle)]
	names := make([]string, 0, len(shown)+2)
	for _, r := range shown {
		names = append(names, r.to.name())
	}
	if n := len(cycle) - len(shown); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	names = append(names, last.to.name())
	d := diag.New(codeCycle, last.at, "These wait for each other, so that none can be the first: %s. Remove one of the references.", strings.Join(names, " → "))
	for i := 1; i < len(shown); i++ {
		d = d.With(shown[i].at, "%s refers to %s here.", shown[i-1].to.name(), shown[i].to.name())
	}
	return d
}

func capitalName(n node) string {
	if n.local != nil {
		return "The local " + strconv.Quote(n.local.syn.Name.Text)
	}
	return "The step " + strconv.Quote(n.step.name())
}
