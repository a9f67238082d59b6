package follow

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

type node = hclsyntax.Expression

// env is a chain of the variables that are bound at a place.
type env struct {
	up    *env
	name  string
	anon  *hclsyntax.AnonSymbolExpr
	shape *shape
}

func (e *env) variable(name string) *env {
	for ; e != nil; e = e.up {
		if e.name == name && e.anon == nil {
			return e
		}
	}
	return nil
}

// expr returns the shape of what an expression gives.
func (a *analysis) expr(x node, en *env) *shape {
	switch x := x.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return a.traversal(x, en)
	case *hclsyntax.RelativeTraversalExpr:
		return a.walk(a.expr(x.Source, en), x.Traversal)
	case *hclsyntax.IndexExpr:
		s := a.expr(x.Collection, en)
		if key, ok := (expr.Expr{Node: x.Key, Source: a.src}).Constant(); ok {
			return s.part(keyText(key))
		}
		return s.element()
	case *hclsyntax.ParenthesesExpr:
		return a.expr(x.Expression, en)
	case *hclsyntax.TemplateWrapExpr:
		return a.expr(x.Wrapped, en)
	case *hclsyntax.TemplateExpr:
		var marks []mark
		for _, p := range x.Parts {
			marks = union(marks, a.expr(p, en).all())
		}
		return whole(marks)
	case *hclsyntax.TemplateJoinExpr:
		return whole(a.expr(x.Tuple, en).all())
	case *hclsyntax.FunctionCallExpr:
		return a.call(x, en)
	case *hclsyntax.ConditionalExpr:
		return join(a.expr(x.TrueResult, en), a.expr(x.FalseResult, en))
	case *hclsyntax.TupleConsExpr:
		parts := map[string]*shape{}
		for i, e := range x.Exprs {
			if p := a.expr(e, en); p != nil {
				parts[keyText(value.OfInt(int64(i)))] = p
			}
		}
		return compose(nil, parts, nil)
	case *hclsyntax.ObjectConsExpr:
		return a.object(x, en)
	case *hclsyntax.ObjectConsKeyExpr:
		return a.expr(x.Wrapped, en)
	case *hclsyntax.ForExpr:
		return a.forExpr(x, en)
	case *hclsyntax.SplatExpr:
		inner := &env{up: en, anon: x.Item, shape: a.expr(x.Source, en).element()}
		return list(a.expr(x.Each, inner))
	case *hclsyntax.AnonSymbolExpr:
		for e := en; e != nil; e = e.up {
			if e.anon == x {
				return e.shape
			}
		}
	case *hclsyntax.BinaryOpExpr:
		switch x.Op {
		case hclsyntax.OpAdd, hclsyntax.OpSubtract, hclsyntax.OpMultiply, hclsyntax.OpDivide, hclsyntax.OpModulo:
			return whole(union(a.expr(x.LHS, en).all(), a.expr(x.RHS, en).all()))
		}
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpNegate {
			return whole(a.expr(x.Val, en).all())
		}
	}
	return nil
}

// keyText is how a part is called in a shape.
func keyText(key value.Value) string {
	if key.Kind() == value.String {
		return key.AsString()
	}
	return key.JSON()
}

// object follows an object literal. A key that is computed marks the whole.
func (a *analysis) object(x *hclsyntax.ObjectConsExpr, en *env) *shape {
	attrs := map[string]*shape{}
	var rest *shape
	var marks []mark
	for _, it := range x.Items {
		v := a.expr(it.ValueExpr, en)
		if name, ok := a.keyName(it.KeyExpr); ok {
			attrs[name] = v
			continue
		}
		marks = union(marks, a.expr(it.KeyExpr, en).all())
		rest = join(rest, v)
	}
	return compose(marks, attrs, rest)
}

func (a *analysis) keyName(key node) (string, bool) {
	k, ok := key.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		return "", false
	}
	return expr.Expr{Node: k, Source: a.src}.ObjectKey(k)
}

func (a *analysis) forExpr(x *hclsyntax.ForExpr, en *env) *shape {
	coll := a.expr(x.CollExpr, en)
	inner := en
	if x.KeyVar != "" {
		inner = &env{up: inner, name: x.KeyVar, shape: keysOf(coll)}
	}
	inner = &env{up: inner, name: x.ValVar, shape: coll.element()}
	elem := a.expr(x.ValExpr, inner)
	if x.KeyExpr == nil {
		return list(elem)
	}
	if x.Group {
		elem = list(elem)
	}
	return list(elem).with(a.expr(x.KeyExpr, inner).all())
}

// keysOf returns the shape of each key of a collection: it is not followed by
// name, so that only a mark of the whole marks them.
func keysOf(coll *shape) *shape {
	if coll == nil {
		return nil
	}
	return whole(coll.marks)
}

// walk reads attributes and literal indexes.
func (a *analysis) walk(s *shape, rest hcl.Traversal) *shape {
	for _, st := range rest {
		if s == nil {
			return nil
		}
		switch st := st.(type) {
		case hcl.TraverseAttr:
			s = s.part(st.Name)
		case hcl.TraverseIndex:
			key, err := expr.Expr{Source: a.src}.IndexKey(st)
			if err != nil {
				return nil
			}
			s = s.part(keyText(key))
		default:
			return nil
		}
	}
	return s
}

// traversal follows a name with attributes and indexes, where it is read.
func (a *analysis) traversal(x *hclsyntax.ScopeTraversalExpr, en *env) *shape {
	root, rest := x.Traversal.RootName(), x.Traversal[1:]
	if v := en.variable(root); v != nil {
		return a.walk(v.shape, rest)
	}
	var s *shape
	switch root {
	case "self":
		s = a.self
	case "args":
		s = a.args
	case "each":
		s = a.each()
	case "run":
		return a.previous(x)
	default:
		name, ok := a.nameOf(rest)
		if !ok {
			return nil
		}
		rest = rest[1:]
		s = a.named(root, name)
	}
	return a.walk(s, rest).read(x.SrcRange)
}

// nameOf returns the name that begins a traversal.
func (a *analysis) nameOf(rest hcl.Traversal) (string, bool) {
	if len(rest) == 0 {
		return "", false
	}
	switch s := rest[0].(type) {
	case hcl.TraverseAttr:
		return s.Name, true
	case hcl.TraverseIndex:
		return expr.Expr{Source: a.src}.IndexName(s)
	}
	return "", false
}
