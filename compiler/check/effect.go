package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// effectType is what the effect of a tool block may be.
var effectType = enum("read", "write", "destructive")

// effectOf returns the strongest effect that a call with such arguments may
// have: the snapshot's, or what the tool block says in its place.
func (c *checker) effectOf(t *catalog.Tool, b *syntax.ToolOverride, args *types.Type) (e catalog.Effect) {
	if b == nil || b.Effect == nil {
		return t.Effect
	}
	p := &place{noun: "the effect of a tool block", roots: rootArgs, args: args}
	// The connection's own check reports what is wrong in it.
	c.silently(func() {
		c.at(b.Effect.Expr.Source, p, func() { e = c.strongest(b.Effect.Expr.Node) })
	})
	return e
}

// strongest returns the strongest effect that an expression may name.
func (c *checker) strongest(x hclNode) catalog.Effect {
	if v := c.ofArgs(x); v != nil && v.Kind() == value.String {
		return effectNamed(v.AsString())
	}
	switch x := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.strongest(x.Expression)
	case *hclsyntax.ConditionalExpr:
		switch holds, known := c.decide(x.Condition); {
		case !known:
			return max(c.strongest(x.TrueResult), c.strongest(x.FalseResult))
		case holds:
			return c.strongest(x.TrueResult)
		default:
			return c.strongest(x.FalseResult)
		}
	}
	names := literalNames(c.infer(x, nil))
	if names == nil {
		return catalog.Unknown
	}
	var e catalog.Effect
	for _, n := range names {
		e = max(e, effectNamed(n))
	}
	return e
}

func effectNamed(name string) catalog.Effect {
	for e := catalog.Read; e < catalog.Unknown; e++ {
		if e.String() == name {
			return e
		}
	}
	return catalog.Unknown
}

// argsAs returns the type of the arguments of a call as an expression reads
// them: those that are given, and the declared ones that are not, which are
// null. known says that it is certain which are not.
func argsAs(declared, given *types.Type, known bool) *types.Type {
	d, g := declared.Underlying(), given.Underlying()
	if given.IsError() || g.Kind() != types.Object || d.Kind() != types.Object {
		return declared
	}
	attrs := append([]types.Attr(nil), g.Attrs()...)
	for _, a := range d.Attrs() {
		if g.Attr(a.Name) != nil {
			continue
		}
		if known && g.Rest() == nil {
			a.Type = types.NullType
		}
		a.Optional = true
		attrs = append(attrs, a)
	}
	return g.WithAttrs(attrs)
}

// decide returns whether a condition is known to hold from types alone.
func (c *checker) decide(x hclNode) (holds, known bool) {
	if v := c.ofArgs(x); v != nil && v.Kind() == value.Bool {
		return v.AsBool(), true
	}
	switch x := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.decide(x.Expression)
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpLogicalNot {
			h, k := c.decide(x.Val)
			return !h, k
		}
	case *hclsyntax.BinaryOpExpr:
		switch x.Op {
		case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
			or := x.Op == hclsyntax.OpLogicalOr
			l, lk := c.decide(x.LHS)
			if lk && l == or {
				return or, true
			}
			r, rk := c.decide(x.RHS)
			if rk && r == or {
				return or, true
			}
			return !or, lk && rk
		case hclsyntax.OpEqual, hclsyntax.OpNotEqual:
			l, r := c.infer(x.LHS, nil).Underlying(), c.infer(x.RHS, nil).Underlying()
			equal := x.Op == hclsyntax.OpEqual
			if !types.Overlap(l, r) {
				return !equal, true
			}
			if l.Kind() == types.Literal && r.Kind() == types.Literal {
				return value.Equal(l.Lit(), r.Lit()) == equal, true
			}
		}
	}
	return false, false
}

// ofArgs returns the value of an expression all of whose names are arguments with
// known values; nil where it has others, or fails.
func (c *checker) ofArgs(x hclNode) *value.Value {
	e := c.sub(x)
	known := value.NewObject(4)
	args := c.place.args.Underlying()
	for _, r := range e.Refs() {
		if r.Root != "args" || r.Name == "" || args.Kind() != types.Object {
			return nil
		}
		a := args.Attr(r.Name)
		if a == nil || a.Optional && a.Type.Kind() != types.Null {
			return nil
		}
		v := single(a.Type)
		if v == nil {
			return nil
		}
		known.Set(r.Name, *v)
	}
	r, err := eval.Eval(e, argsOnly{value.OfObject(known)})
	if err != nil {
		return nil
	}
	return &r.Value
}

// single returns the value of a type that has only one, nil for others. Objects
// are left out: what arrives may have more than is declared.
func single(t *types.Type) *value.Value {
	switch u := t.Underlying(); u.Kind() {
	case types.Null:
		v := value.NullValue
		return &v
	case types.Literal:
		v := u.Lit()
		return &v
	case types.Tuple:
		elems := make([]value.Value, len(u.Items()))
		for i, item := range u.Items() {
			v := single(item)
			if v == nil {
				return nil
			}
			elems[i] = *v
		}
		v := value.OfList(elems)
		return &v
	}
	return nil
}

// argsOnly is the scope of an effect.
type argsOnly struct{ args value.Value }

func (a argsOnly) Root(name string) (value.Value, error) {
	if name != "args" {
		return value.Value{}, errNoNames
	}
	return a.args, nil
}

func (a argsOnly) Member(string, string) (value.Value, bool, error) {
	return value.Value{}, false, nil
}
