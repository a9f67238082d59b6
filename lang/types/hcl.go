package types

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// Parse reads the notation from a text, such as one that a plan keeps.
func Parse(text, filename string, named Resolver) (*Type, diag.List) {
	e, problems := expr.Parse(text, filename)
	if problems.HasErrors() || e.IsZero() {
		return ErrorType, problems
	}
	return FromHCL(e, named)
}

// FromHCL reads a type expression of an HCL attribute. The type is never nil;
// what is wrong has a diagnostic and is [ErrorType] where it stands.
func FromHCL(e expr.Expr, named Resolver) (*Type, diag.List) {
	r := reader{named: named}
	r.diags = append(r.diags, expr.Problems(e)...)
	t := r.read(nodeOf(e))
	return t, r.diags
}

// InputFromHCL reads the type of a workflow's input, where optional(T) says
// that the input may be left out.
func InputFromHCL(e expr.Expr, named Resolver) (t *Type, optional bool, diags diag.List) {
	n := nodeOf(e)
	if n.Kind != CallNode || n.Name != "optional" {
		t, diags = FromHCL(e, named)
		return t, false, diags
	}
	r := reader{named: named}
	r.diags = append(r.diags, expr.Problems(e)...)
	switch len(n.Args) {
	case 1:
		t = r.read(n.Args[0])
	case 2:
		t = r.read(n.Args[0])
		r.report("WFC1302", n.Args[1].Range, "An input has its default in an attribute of its own. Write `default = …` beside `type`, and the type without optional( ).")
	default:
		t = r.arguments(n, "the type of the input", "optional(string)")
	}
	return t, true, r.diags
}

// nodeOf returns what an HCL expression says as a type expression.
func nodeOf(e expr.Expr) *Node {
	for {
		p, ok := e.Node.(*hclsyntax.ParenthesesExpr)
		if !ok {
			break
		}
		e = e.Sub(p.Expression)
	}
	n := &Node{Range: e.Range(), Constant: e.Constant}
	parts := func(xs []hclsyntax.Expression) {
		n.Args = make([]*Node, len(xs))
		for i, x := range xs {
			n.Args[i] = nodeOf(e.Sub(x))
		}
	}
	switch x := e.Node.(type) {
	case *hclsyntax.FunctionCallExpr:
		n.Kind, n.Name, n.NameRange, n.Spread = CallNode, x.Name, x.NameRange, x.ExpandFinal
		parts(x.Args)
	case *hclsyntax.ScopeTraversalExpr:
		n.Kind = NameNode
		if path, ok := e.StaticPath(); ok {
			for _, s := range path {
				n.Path = append(n.Path, s.Text)
			}
		}
	case *hclsyntax.ObjectConsExpr:
		n.Kind = ObjectNode
		n.Items = make([]NodeItem, len(x.Items))
		for i, item := range x.Items {
			it := NodeItem{NameRange: item.KeyExpr.Range(), Value: nodeOf(e.Sub(item.ValueExpr))}
			if k, ok := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); ok {
				it.Name, it.Named = e.ObjectKey(k)
			}
			n.Items[i] = it
		}
	case *hclsyntax.TupleConsExpr:
		n.Kind = ListNode
		parts(x.Exprs)
	case *hclsyntax.ExprSyntaxError:
		n.Lost = true
	case *hclsyntax.TemplateExpr:
		if s, ok := e.Text(); ok {
			n.Kind = TextNode
			n.Constant = func() (value.Value, bool) { return value.OfString(s), true }
		}
	}
	return n
}

// MustParse reads the notation from a text that is known to be right, such as
// a constant of the program; it panics if it is not.
func MustParse(text string) *Type {
	t, problems := Parse(text, "type", nil)
	if problems.HasErrors() {
		panic(fmt.Sprintf("types: %s: %s", text, problems[0].Detail))
	}
	return t
}
