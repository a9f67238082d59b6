package eval

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/value"
)

// maxDepth bounds the nodes inside of each other. What passed expr.Guard stays far below.
const maxDepth = 10_000

type compiler struct {
	e      expr.Expr
	bound  []binding
	slots  int
	depth  int
	strict bool // inside of try or can, where reading an absent attribute fails
}

// binding is a name that a `for` or splat binds; for a splat, its node stands for the name.
type binding struct {
	name string
	item *hclsyntax.AnonSymbolExpr
	from hcl.Pos // where the source of the splat begins
}

func fail(at hcl.Range, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Range: at}
}

func quote(s string) string { return strconv.Quote(s) }

// bind adds names to the scope and returns the slot of the first.
func (c *compiler) bind(bindings ...binding) int {
	slot := len(c.bound)
	c.bound = append(c.bound, bindings...)
	c.slots = max(c.slots, len(c.bound))
	return slot
}

func (c *compiler) unbind(slot int) { c.bound = c.bound[:slot] }

// slot returns the slot of the innermost binding of a name.
func (c *compiler) slot(name string) (int, bool) {
	for i := len(c.bound) - 1; i >= 0; i-- {
		if c.bound[i].item == nil && c.bound[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// source returns what is written from one place to another, for messages.
func (c *compiler) source(from, to hcl.Pos) string {
	if from.Byte < 0 || to.Byte > len(c.e.Source) || from.Byte >= to.Byte {
		return "this"
	}
	s := strings.Join(strings.Fields(string(c.e.Source[from.Byte:to.Byte])), " ")
	if len(s) > 60 {
		return "this"
	}
	return s
}

// rangeOf returns where an expression is written; the element of a splat is
// written as the splat.
func (c *compiler) rangeOf(n hclsyntax.Expression) hcl.Range {
	at := n.Range()
	for _, b := range c.bound {
		if b.item != nil && n == hclsyntax.Expression(b.item) {
			at.Start = b.from
		}
	}
	return at
}

func (c *compiler) text(n hclsyntax.Expression) string {
	at := c.rangeOf(n)
	return c.source(at.Start, at.End)
}

func (c *compiler) compile(n hclsyntax.Expression) node {
	if c.depth++; c.depth > maxDepth {
		return failure{fail(n.Range(), "The expression is nested too deeply to be evaluated.")}
	}
	defer func() { c.depth-- }()
	switch n := n.(type) {
	case nil:
		return constant{}
	case *hclsyntax.LiteralValueExpr:
		v, ok, err := c.e.Literal(n)
		if err != nil {
			return failure{fail(n.SrcRange, "This number cannot be used: %v.", err)}
		}
		if !ok {
			return failure{fail(n.SrcRange, "The expression has an error and cannot be evaluated.")}
		}
		return constant{v}
	case *hclsyntax.ParenthesesExpr:
		return c.compile(n.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return c.compile(n.Wrapped)
	case *hclsyntax.TemplateExpr:
		return c.template(n)
	case *hclsyntax.ScopeTraversalExpr:
		return c.scopeTraversal(n)
	case *hclsyntax.RelativeTraversalExpr:
		return c.traverse(c.compile(n.Source), c.rangeOf(n.Source), n.Traversal)
	case *hclsyntax.AnonSymbolExpr:
		for i := len(c.bound) - 1; i >= 0; i-- {
			if c.bound[i].item == n {
				return variable{slot: i}
			}
		}
	case *hclsyntax.FunctionCallExpr:
		return c.call(n)
	case *hclsyntax.ConditionalExpr:
		return &conditional{
			cond: c.compile(n.Condition), then: c.compile(n.TrueResult), otherwise: c.compile(n.FalseResult),
			at: n.Condition.Range(),
		}
	case *hclsyntax.IndexExpr:
		return &index{
			source: c.compile(n.Collection), key: c.compile(n.Key),
			text: c.text(n.Collection), at: n.SrcRange, keyAt: n.Key.Range(),
		}
	case *hclsyntax.TupleConsExpr:
		return c.list(n)
	case *hclsyntax.ObjectConsExpr:
		return c.object(n)
	case *hclsyntax.ForExpr:
		return c.loop(n)
	case *hclsyntax.SplatExpr:
		return c.splat(n)
	case *hclsyntax.BinaryOpExpr:
		return c.binary(n)
	case *hclsyntax.UnaryOpExpr:
		if d, ok := c.e.Sub(n).Negative(); ok {
			return constant{value.OfNumber(d)}
		}
		if n.Op == hclsyntax.OpNegate {
			return &negation{operand: c.compile(n.Val), at: n.Val.Range()}
		}
		return &inversion{operand: c.compile(n.Val), at: n.Val.Range()}
	}
	return failure{fail(n.Range(), "The expression has an error and cannot be evaluated.")}
}

func (c *compiler) list(n *hclsyntax.TupleConsExpr) node {
	l := &list{elems: make([]node, len(n.Exprs))}
	values := make([]value.Value, len(n.Exprs))
	known := true
	for i, x := range n.Exprs {
		l.elems[i] = c.compile(x)
		if k, ok := l.elems[i].(constant); ok {
			values[i] = k.v
		} else {
			known = false
		}
	}
	if known {
		return constant{value.OfList(values)}
	}
	return l
}

func (c *compiler) object(n *hclsyntax.ObjectConsExpr) node {
	o := &object{attrs: make([]attribute, len(n.Items))}
	values := value.NewObject(len(n.Items))
	known := true
	for i, item := range n.Items {
		a := &o.attrs[i]
		a.at = item.KeyExpr.Range()
		a.value = c.compile(item.ValueExpr)
		key, ok := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr)
		if !ok {
			return failure{fail(a.at, "The expression has an error and cannot be evaluated.")}
		}
		if a.name, ok = c.e.ObjectKey(key); !ok {
			if t, isRef := key.Wrapped.(*hclsyntax.ScopeTraversalExpr); isRef && !key.ForceNonLiteral && len(t.Traversal) > 1 {
				return failure{fail(a.at, "This key could be a name with a dot in it or a reference. Write a name in quotes, and a reference in parentheses.")}
			}
			a.key = c.compile(key.Wrapped)
			known = false
			continue
		}
		k, ok := a.value.(constant)
		if _, twice := values.Get(a.name); !ok || twice {
			known = false
			continue
		}
		values.Set(a.name, k.v)
	}
	if known {
		return constant{value.OfObject(values)}
	}
	return o
}

func (c *compiler) loop(n *hclsyntax.ForExpr) node {
	l := &loop{source: c.compile(n.CollExpr), group: n.Group, sourceText: c.text(n.CollExpr), sourceAt: n.CollExpr.Range()}
	l.slot = c.bind(binding{name: n.KeyVar}, binding{name: n.ValVar})
	defer c.unbind(l.slot)
	if n.KeyExpr != nil {
		l.key, l.keyAt = c.compile(n.KeyExpr), n.KeyExpr.Range()
	}
	l.value = c.compile(n.ValExpr)
	if n.CondExpr != nil {
		l.cond, l.condAt = c.compile(n.CondExpr), n.CondExpr.Range()
	}
	return l
}

func (c *compiler) splat(n *hclsyntax.SplatExpr) node {
	s := &splat{source: c.compile(n.Source)}
	s.slot = c.bind(binding{item: n.Item, from: n.Source.Range().Start})
	defer c.unbind(s.slot)
	s.each = c.compile(n.Each)
	return s
}

func (c *compiler) scopeTraversal(n *hclsyntax.ScopeTraversalExpr) node {
	name, at := n.Traversal.RootName(), n.Traversal[0].SourceRange()
	if slot, ok := c.slot(name); ok {
		return c.traverse(variable{slot: slot}, at, n.Traversal[1:])
	}
	r := &root{name: name, at: at}
	rest := n.Traversal[1:]
	if len(rest) > 0 {
		switch step := rest[0].(type) {
		case hcl.TraverseAttr:
			r.member, r.hasMember = step.Name, true
		case hcl.TraverseIndex:
			r.member, r.hasMember = c.e.IndexName(step)
		}
	}
	if !r.hasMember {
		return c.traverse(r, at, rest)
	}
	r.memberAt = hcl.RangeBetween(at, rest[0].SourceRange())
	r.step = c.step(rest[0], c.source(at.Start, at.End), r.memberAt)
	return c.traverse(r, r.memberAt, rest[1:])
}

// traverse adds traversal steps to a source that is written at a place.
func (c *compiler) traverse(source node, at hcl.Range, steps hcl.Traversal) node {
	if len(steps) == 0 {
		return source
	}
	t := &traversal{source: source, steps: make([]step, len(steps))}
	for i, s := range steps {
		before := c.source(at.Start, at.End)
		at = hcl.RangeBetween(at, s.SourceRange())
		t.steps[i] = c.step(s, before, at)
	}
	return t
}

// step compiles one traversal step; of is the text of what it reads from, and
// at the place of both.
func (c *compiler) step(t hcl.Traverser, of string, at hcl.Range) step {
	s := step{of: of, at: at, strict: c.strict}
	switch t := t.(type) {
	case hcl.TraverseAttr:
		s.attr = t.Name
	case hcl.TraverseIndex:
		key, err := c.e.IndexKey(t)
		if err != nil {
			s.broken = fail(t.SrcRange, "This number cannot be used: %v.", err)
		}
		s.key, s.isIndex = key, true
	default:
		s.broken = fail(at, "The expression has an error and cannot be evaluated.")
	}
	return s
}

func (c *compiler) call(n *hclsyntax.FunctionCallExpr) node {
	f := funcs.Lookup(n.Name)
	call := &call{name: n.Name, f: f, expand: n.ExpandFinal, at: n.Range()}
	outer := c.strict
	if f != nil && (f.Form == funcs.Try || f.Form == funcs.Can) {
		c.strict = true
	}
	for _, a := range n.Args {
		call.args = append(call.args, c.compile(a))
	}
	c.strict = outer
	if f == nil || f.Form == funcs.Strict {
		return call
	}
	if n.ExpandFinal && f.Form != funcs.Coalesce {
		return failure{fail(call.at, "%s: its arguments are expressions, so that a list cannot be spread over them with \"...\".", n.Name)}
	}
	if len(n.Args) == 0 || f.Form == funcs.Can && len(n.Args) > 1 {
		return failure{fail(call.at, "%s: it has the wrong number of arguments.", n.Name)}
	}
	switch f.Form {
	case funcs.Try:
		return &try{args: call.args, at: call.at}
	case funcs.Can:
		return &can{arg: call.args[0]}
	default:
		return &coalesce{args: call.args, expand: n.ExpandFinal, at: call.at}
	}
}

func (c *compiler) template(n *hclsyntax.TemplateExpr) node {
	parts := c.parts(c.e.TemplateParts(n))
	if len(parts) == 0 {
		return constant{value.OfString("")}
	}
	if len(parts) == 1 {
		if t, ok := parts[0].(literalPart); ok {
			return constant{value.OfString(string(t))}
		}
	}
	return &template{parts: parts}
}

func (c *compiler) parts(parts []expr.Part) []part {
	out := make([]part, 0, len(parts))
	for _, p := range parts {
		switch {
		case p.Expr != nil:
			out = append(out, &exprPart{node: c.compile(p.Expr), text: c.text(p.Expr), at: p.Expr.Range()})
		case p.If != nil:
			out = append(out, &ifPart{
				cond: c.compile(p.If.Cond), at: p.If.Cond.Range(),
				then: c.parts(p.If.Then), otherwise: c.parts(p.If.Else),
			})
		case p.For != nil:
			f := &forPart{source: c.compile(p.For.Coll), sourceText: c.text(p.For.Coll), sourceAt: p.For.Coll.Range()}
			f.slot = c.bind(binding{name: p.For.KeyVar}, binding{name: p.For.ValVar})
			f.body = c.parts(p.For.Body)
			c.unbind(f.slot)
			out = append(out, f)
		default:
			out = append(out, literalPart(p.Text))
		}
	}
	return out
}

func (c *compiler) binary(n *hclsyntax.BinaryOpExpr) node {
	b := operands{lhs: c.compile(n.LHS), rhs: c.compile(n.RHS), lhsAt: n.LHS.Range(), rhsAt: n.RHS.Range(), symbol: expr.OperatorSymbol(n.Op)}
	switch n.Op {
	case hclsyntax.OpLogicalAnd:
		return &logical{operands: b, decides: false}
	case hclsyntax.OpLogicalOr:
		return &logical{operands: b, decides: true}
	case hclsyntax.OpEqual:
		return &equality{operands: b, equal: true}
	case hclsyntax.OpNotEqual:
		return &equality{operands: b, equal: false}
	}
	if compare := comparisons[n.Op]; compare != nil {
		return &comparison{operands: b, holds: compare}
	}
	return &arithmetic{operands: b, compute: calculations[n.Op], at: n.SrcRange}
}
