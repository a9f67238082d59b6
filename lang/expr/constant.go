package expr

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/value"
)

// Constant returns the value of an expression that is a literal, a text
// without sequences, a negative number, or a list or object of such. ok is
// false for everything else, and where the value is an error: a number beyond
// the limits, a key that comes twice.
func (e Expr) Constant() (v value.Value, ok bool) {
	switch n := e.Node.(type) {
	case *hclsyntax.LiteralValueExpr:
		v, ok, err := e.Literal(n)
		return v, ok && err == nil
	case *hclsyntax.ParenthesesExpr:
		return e.Sub(n.Expression).Constant()
	case *hclsyntax.TemplateWrapExpr:
		return e.Sub(n.Wrapped).Constant()
	case *hclsyntax.TemplateExpr:
		s, ok := e.constantText(n)
		return value.OfString(s), ok
	case *hclsyntax.UnaryOpExpr:
		d, ok := e.negative(n)
		return value.OfNumber(d), ok
	case *hclsyntax.TupleConsExpr:
		elems := make([]value.Value, len(n.Exprs))
		for i, x := range n.Exprs {
			if elems[i], ok = e.Sub(x).Constant(); !ok {
				return value.NullValue, false
			}
		}
		return value.OfList(elems), true
	case *hclsyntax.ObjectConsExpr:
		o := value.NewObject(len(n.Items))
		for _, item := range n.Items {
			key, ok := e.constantKey(item.KeyExpr)
			if !ok {
				return value.NullValue, false
			}
			v, ok := e.Sub(item.ValueExpr).Constant()
			if _, twice := o.Get(key); !ok || twice {
				return value.NullValue, false
			}
			o.Set(key, v)
		}
		return value.OfObject(o), true
	}
	return value.NullValue, false
}

func (e Expr) constantKey(node hclsyntax.Expression) (string, bool) {
	k, ok := node.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		return "", false
	}
	if name, ok := e.ObjectKey(k); ok {
		return name, true
	}
	if !k.ForceNonLiteral {
		return "", false
	}
	v, ok := e.Sub(k.Wrapped).Constant()
	if !ok || v.Kind() != value.String {
		return "", false
	}
	return v.AsString(), true
}

// negative returns the number that a minus before a number literal makes, with
// its text. Zero has no sign.
func (e Expr) negative(n *hclsyntax.UnaryOpExpr) (value.Decimal, bool) {
	lit, ok := bare(n.Val).(*hclsyntax.LiteralValueExpr)
	if !ok || n.Op != hclsyntax.OpNegate {
		return value.Decimal{}, false
	}
	v, ok, err := e.Literal(lit)
	if !ok || err != nil || v.Kind() != value.Number {
		return value.Decimal{}, false
	}
	if v.AsNumber().Sign() == 0 {
		return v.AsNumber(), true
	}
	d, err := value.ParseDecimal("-" + v.AsNumber().String())
	return d, err == nil
}

// Negative returns the number of an expression that is a minus before a number
// literal: -1.50 keeps its text, which computing it would not.
func (e Expr) Negative() (value.Decimal, bool) {
	if n, ok := e.Node.(*hclsyntax.UnaryOpExpr); ok {
		return e.negative(n)
	}
	return value.Decimal{}, false
}
