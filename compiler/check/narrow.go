package check

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// assume returns en with what a condition says where it holds (or does not).
func (c *checker) assume(cond hclNode, holds bool, en *env) *env {
	if c.learnt == nil {
		c.learnt = new(int)
		defer func() { c.learnt = nil }()
	}
	return c.conclude(cond, holds, en.onASide())
}

// mostLearnt bounds how many steps' conditions are looked at for one condition. Each
// may name several steps, whose conditions name others: guards of guards go a few
// deep, and who chains thousands asks for the last.
const mostLearnt = 16

func (c *checker) conclude(cond hclNode, holds bool, en *env) *env {
	switch x := cond.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.conclude(x.Expression, holds, en)
	case *hclsyntax.TemplateWrapExpr:
		return c.conclude(x.Wrapped, holds, en)
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpLogicalNot {
			return c.conclude(x.Val, !holds, en)
		}
	case *hclsyntax.BinaryOpExpr:
		switch x.Op {
		case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
			if holds == (x.Op == hclsyntax.OpLogicalAnd) {
				// Both sides are as the whole is.
				return c.conclude(x.RHS, holds, c.conclude(x.LHS, holds, en))
			}
			return c.know(x, holds, en)
		case hclsyntax.OpEqual:
			return c.know(x, holds, c.learn(en, c.equality(x.LHS, x.RHS, holds, en)))
		case hclsyntax.OpNotEqual:
			return c.know(x, holds, c.learn(en, c.equality(x.LHS, x.RHS, !holds, en)))
		}
	case *hclsyntax.FunctionCallExpr:
		if x.Name == "can" && len(x.Args) == 1 && holds {
			return c.know(x, holds, c.learn(en, c.readable(x.Args[0], en)))
		}
	case *hclsyntax.ScopeTraversalExpr:
		if l := c.localOf(x, en); l != nil && !l.cyclic && !en.shadowsRoot() {
			// What a local's expression says, its name says too. Its own names are the
			// workflow's, so that no variable of this place is confused with one of it.
			c.at(l.syn.Expr.Source, c.place, func() { en = c.conclude(l.syn.Expr.Node, holds, en) })
		}
		if p := c.pathOf(x, en); p != "" {
			en = en.assuming(fact{p, isValue, value.OfBool(holds)})
		}
	case *hclsyntax.RelativeTraversalExpr, *hclsyntax.IndexExpr:
		if p := c.pathOf(x, en); p != "" {
			en = en.assuming(fact{p, isValue, value.OfBool(holds)})
		}
	}
	return c.know(cond, holds, en)
}

// learn returns en with facts and what follows from them: that a step ran says
// that its when held.
func (c *checker) learn(en *env, facts []fact) *env {
	out := en.assuming(facts...)
	if c.f == nil || !c.f.guarded || en.shadowsRoot() {
		return out
	}
	for _, f := range facts {
		name, ok := strings.CutPrefix(f.path, "step.")
		if !ok {
			continue
		}
		name, part, _ := strings.Cut(name, ".")
		s := c.f.steps[name]
		if s == nil || !hasRun(part, f) || s.cyclic || s.syn.When == nil || s.whenEach || s.syn.ForEach != nil || s.syn.Loop != nil {
			continue
		}
		when := s.syn.When.Expr
		if *c.learnt >= mostLearnt || c.isKnown(when.Node, when.Source, true, out) {
			continue
		}
		*c.learnt++
		c.at(when.Source, c.place, func() { out = c.conclude(when.Node, true, out) })
	}
	return out
}

// hasRun reports whether a fact about a part of a step's result says that the step ran.
func hasRun(part string, f fact) bool {
	skipped := value.OfString("skipped")
	switch {
	case part == "outcome" && f.rel == isValue:
		return !value.Equal(f.value, skipped)
	case part == "outcome" && f.rel == notValue:
		return value.Equal(f.value, skipped)
	case part == "output" || part == "error":
		return f.rel == notNull || f.rel == isValue
	}
	return false
}

// know records a condition as a whole, where that can matter: a step's `when`
// says of the same condition elsewhere that the step ran.
func (c *checker) know(cond hclNode, holds bool, en *env) *env {
	if c.f == nil || !c.f.guarded || en.shadowsRoot() {
		return en
	}
	return en.knowing(cond, c.source, holds)
}

// equality returns what `a == b` (or, with holds false, `a != b`) says.
func (c *checker) equality(a, b hclNode, holds bool, en *env) []fact {
	v := c.constant(b)
	if v == nil {
		a, b = b, a
		if v = c.constant(b); v == nil {
			return nil
		}
	}
	p := c.pathOf(a, en)
	if p == "" {
		return nil
	}
	switch v.Kind() {
	case value.Null:
		if holds {
			return []fact{{p, isNull, *v}}
		}
		return []fact{{p, notNull, *v}}
	case value.Bool, value.Number, value.String:
		if holds {
			return []fact{{p, isValue, *v}}
		}
		return []fact{{p, notValue, *v}}
	}
	return nil
}

// readable returns what can(x) says where it holds: everything on the way to
// the last attribute was there, and it too.
func (c *checker) readable(x hclNode, en *env) []fact {
	p := c.pathOf(x, en)
	if p == "" {
		return nil
	}
	facts := []fact{{path: p, rel: isThere}}
	for i := len(p) - 1; i > 0; i-- {
		if p[i] == '.' || p[i] == '[' {
			facts = append(facts, fact{path: p[:i], rel: notNull})
		}
	}
	return facts
}

// pathOf returns the path of an expression that can be narrowed: a root with
// attributes and indexes that are literals or paths themselves. Else "".
func (c *checker) pathOf(x hclNode, en *env) string {
	switch x := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.pathOf(x.Expression, en)
	case *hclsyntax.ScopeTraversalExpr:
		name := x.Traversal.RootName()
		if v := en.variable(name); v != nil {
			return c.pathSteps(variablePath(v), x.Traversal[1:])
		}
		if _, ok := rootNames[name]; !ok {
			return ""
		}
		return c.pathSteps(name, x.Traversal[1:])
	case *hclsyntax.RelativeTraversalExpr:
		return c.pathSteps(c.pathOf(x.Source, en), x.Traversal)
	case *hclsyntax.IndexExpr:
		p := c.pathOf(x.Collection, en)
		if p == "" {
			return ""
		}
		if v := c.constant(x.Key); v != nil {
			if k := v.Kind(); k == value.String || k == value.Number {
				return p + literalStep(*v)
			}
			return ""
		}
		if k := c.pathOf(x.Key, en); k != "" {
			return p + "[" + k + "]"
		}
	}
	return ""
}

func (c *checker) pathSteps(p string, rest hcl.Traversal) string {
	if p == "" {
		return ""
	}
	for _, step := range rest {
		switch s := step.(type) {
		case hcl.TraverseAttr:
			p += "." + c.attrName(s)
		case hcl.TraverseIndex:
			k, ok := c.indexKey(s)
			if !ok {
				return ""
			}
			p += literalStep(k)
		default:
			return ""
		}
	}
	return p
}

// narrow applies what is known of a path to the type read there.
func (c *checker) narrow(en *env, path string, t typed) typed {
	for e := en; e != nil && e.anyFacts; e = e.up {
		for _, f := range e.facts {
			if f.path != path {
				continue
			}
			if f.rel == isThere {
				if t.present != nil {
					t = of(t.present)
				}
				continue
			}
			t.t = narrowBy(t.t, f)
			if f.rel == notNull || f.rel == isValue {
				t.present, t.cause = nil, nil
			}
		}
	}
	if t.t.Underlying().Kind() == types.Union {
		t.t = c.discriminate(en, path, t.t)
	}
	if k := c.resultOf(t.t); k != nil {
		t.t = c.narrowResult(en, path, k)
	}
	return t
}

// narrowBy applies one fact to a type. What can never be leaves the type as it
// is: the place is not reached.
func narrowBy(t *types.Type, f fact) *types.Type {
	var out *types.Type
	switch f.rel {
	case notNull:
		out = types.WithoutNull(t)
	case isNull:
		if !t.Nullable() {
			return t
		}
		out = types.NullType
	case isValue:
		lit := types.LiteralOf(f.value)
		if isAny(t) || !types.Overlap(t, lit) {
			return t
		}
		out = lit
	case notValue:
		out = without(t, f.value)
	}
	if out == nil || out.Kind() == types.Never {
		return t
	}
	return out
}

// without removes a literal from a type that lists it.
func without(t *types.Type, v value.Value) *types.Type {
	u := t.Underlying()
	switch u.Kind() {
	case types.Bool:
		if v.Kind() == value.Bool {
			return types.LiteralOf(value.OfBool(!v.AsBool()))
		}
	case types.Literal:
		if value.Equal(u.Lit(), v) {
			return types.NeverType
		}
	case types.Union:
		out := make([]*types.Type, 0, len(u.Items()))
		for _, m := range u.Items() {
			out = append(out, without(m, v))
		}
		return types.UnionOf(out...)
	}
	return t
}

// discriminate keeps the members of a union of objects that what is known of
// their attributes allows.
func (c *checker) discriminate(en *env, path string, t *types.Type) *types.Type {
	u := t.Underlying()
	kept := u.Items()
	for e := en; e != nil && e.anyFacts; e = e.up {
		for _, f := range e.facts {
			name, ok := strings.CutPrefix(f.path, path+".")
			if !ok || strings.ContainsAny(name, ".[") {
				continue
			}
			next := make([]*types.Type, 0, len(kept))
			for _, m := range kept {
				if mayHold(m, name, f) {
					next = append(next, m)
				}
			}
			kept = next
		}
	}
	if len(kept) == 0 || len(kept) == len(u.Items()) {
		return t
	}
	return types.UnionOf(kept...)
}

// mayHold reports whether a value of t may have an attribute as f says.
func mayHold(t *types.Type, name string, f fact) bool {
	u := t.Underlying()
	if u.Kind() != types.Object {
		return u.Kind() != types.Null
	}
	a := u.Attr(name)
	if a == nil {
		return true
	}
	switch f.rel {
	case isNull:
		return a.Optional || a.Type.Nullable()
	case notNull:
		return types.WithoutNull(a.Type).Kind() != types.Never
	case isValue:
		return types.Overlap(a.Type, types.LiteralOf(f.value))
	case notValue:
		return a.Optional || without(a.Type, f.value).Kind() != types.Never
	}
	return true
}

// narrowParts applies what is known of the attributes below a path to the
// object type read there, so that it keeps that when it is passed on whole.
func (c *checker) narrowParts(en *env, path string, t *types.Type) *types.Type {
	u := t.Underlying()
	if u.Kind() != types.Object || c.resultOf(t) != nil {
		return t
	}
	var attrs []types.Attr
	for i, a := range u.Attrs() {
		below := path + "." + a.Name
		if !mentions(en, below) {
			continue
		}
		got := c.narrow(en, below, typed{t: a.Type, present: a.Type})
		narrowed := c.narrowParts(en, below, got.t)
		there := got.present == nil && a.Optional
		if narrowed == a.Type && !there {
			continue
		}
		if attrs == nil {
			attrs = append(attrs, u.Attrs()...)
		}
		attrs[i].Type = narrowed
		if there {
			attrs[i].Optional = false
		}
	}
	if attrs == nil {
		return t
	}
	return u.WithAttrs(attrs)
}

// mentions reports whether anything is known of a path or of one below it.
func mentions(en *env, path string) bool {
	for e := en; e != nil && e.anyFacts; e = e.up {
		for _, f := range e.facts {
			if rest, ok := strings.CutPrefix(f.path, path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return true
			}
		}
	}
	return false
}

// follows reports whether what is known implies that a condition holds (or,
// with holds false, that it does not).
func (c *checker) follows(cond hclNode, source []byte, holds bool, en *env, depth int) bool {
	if c.isKnown(cond, source, holds, en) {
		return true
	}
	switch x := cond.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.follows(x.Expression, source, holds, en, depth)
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpLogicalNot {
			return c.follows(x.Val, source, !holds, en, depth)
		}
	case *hclsyntax.BinaryOpExpr:
		switch x.Op {
		case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
			left := c.follows(x.LHS, source, holds, en, depth)
			if holds == (x.Op == hclsyntax.OpLogicalAnd) {
				return left && c.follows(x.RHS, source, holds, en, depth)
			}
			return left || c.follows(x.RHS, source, holds, en, depth)
		}
	case *hclsyntax.ScopeTraversalExpr:
		if l := c.localOf(x, nil); l != nil && !l.cyclic && depth > 0 {
			return c.follows(l.syn.Expr.Node, l.syn.Expr.Source, holds, en, depth-1)
		}
	}
	return false
}

// isKnown reports whether a condition is among those known, as it is or as the
// negation of its operator.
func (c *checker) isKnown(cond hclNode, source []byte, holds bool, en *env) bool {
	text, flip := c.condition(cond, source)
	for e := en; e != nil && e.anyKnown; e = e.up {
		if e.known == nil {
			continue
		}
		if t, f := c.condition(e.known, e.source); t == text && (e.holds != f) == (holds != flip) {
			return true
		}
	}
	return false
}

// condition returns the canonical text of a condition, of `a == b` for
// `a != b`; flip says that it is the negation.
func (c *checker) condition(cond hclNode, source []byte) (text string, flip bool) {
	b, ok := cond.(*hclsyntax.BinaryOpExpr)
	if ok && b.Op == hclsyntax.OpNotEqual {
		flip = true
	}
	if t, ok := c.printed[cond]; ok {
		return t, flip
	}
	if flip {
		text = expr.Print(expr.Expr{Source: source, Node: &hclsyntax.BinaryOpExpr{LHS: b.LHS, Op: hclsyntax.OpEqual, RHS: b.RHS, SrcRange: b.SrcRange}})
	} else {
		text = expr.Print(expr.Expr{Source: source, Node: cond})
	}
	if c.printed == nil {
		c.printed = map[hclNode]string{}
	}
	c.printed[cond] = text
	return text, flip
}
