package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// isSetting reports whether an expression reads constants by the names of locals,
// or elements of such: what somebody sets there today, and may set otherwise
// tomorrow. What it is today is no mistake where it is compared.
func (c *checker) isSetting(x hclNode, en *env) bool {
	settings := 0
	for _, r := range c.sub(x).Refs() {
		switch v := en.variable(r.Root); {
		case v != nil:
			if v.elements == nil || !c.isSetting(v.elements, v.up) {
				return false
			}
		case r.Root == "local":
			if l := c.localOf(&hclsyntax.ScopeTraversalExpr{Traversal: r.Node.Traversal[:min(2, len(r.Node.Traversal))]}, en); l == nil || !c.isConstantLocal(l) {
				return false
			}
		case r.Root == "each":
			s := c.place.step
			if s == nil || s.syn.ForEach == nil {
				return false
			}
			of := false
			c.at(s.syn.ForEach.Expr.Source, c.place, func() { of = c.isSetting(s.syn.ForEach.Expr.Node, nil) })
			if !of {
				return false
			}
		default:
			return false
		}
		settings++
	}
	return settings > 0
}

// isConstantLocal reports whether a local reads nothing but such locals.
func (c *checker) isConstantLocal(l *local) bool {
	if l.cyclic {
		return false
	}
	refs := l.syn.Expr.Refs()
	if len(refs) == 0 {
		return true
	}
	constant := false
	c.at(l.syn.Expr.Source, c.place, func() { constant = c.isSetting(l.syn.Expr.Node, nil) })
	return constant
}

// mayBecomeEqual reports whether two expressions whose values are never equal
// would be of one type if a setting among them were another one. A text that is
// nearly what it is compared with is a slip all the same.
func (c *checker) mayBecomeEqual(l, r *types.Type, lx, rx hclNode, en *env) bool {
	if !c.isSetting(lx, en) && !c.isSetting(rx, en) {
		return false
	}
	for _, side := range [][2]*types.Type{{l, r}, {r, l}} {
		if lit := literalNames(side[0]); len(lit) == 1 {
			if _, slip := nearest.Name(lit[0], literalNames(types.WithoutNull(side[1]))); slip {
				return false
			}
		}
	}
	return types.Overlap(types.Widen(l), types.Widen(r))
}

// anElement returns what an element of a list is.
func anElement(list *types.Type) *types.Type {
	switch u := list.Underlying(); u.Kind() {
	case types.List:
		return u.Elem()
	case types.Tuple:
		return types.UnionOf(u.Items()...)
	}
	return types.AnyType
}
