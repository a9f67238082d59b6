package expr

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// Duplicate is a key that an object has twice as it is written.
type Duplicate struct {
	Key           string
	First, Second hcl.Range
}

// DuplicateKeys returns the literal keys that an object expression in e has more than
// once, each with its first place.
func DuplicateKeys(e Expr) []Duplicate {
	var found []Duplicate
	walk(e.Node, func(node hclsyntax.Expression) {
		o, ok := node.(*hclsyntax.ObjectConsExpr)
		if !ok || len(o.Items) < 2 {
			return
		}
		first := make(map[string]hcl.Range, len(o.Items))
		for _, item := range o.Items {
			key, ok := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr)
			if !ok {
				continue
			}
			name, ok := e.ObjectKey(key)
			if !ok {
				continue
			}
			if at, twice := first[name]; twice {
				found = append(found, Duplicate{Key: name, First: at, Second: key.Range()})
			} else {
				first[name] = key.Range()
			}
		}
	})
	return found
}

// Problems returns what is wrong with the text of an expression itself, whatever its
// names and types are: numbers beyond the limits, object keys written twice and keys
// that could be a name or a reference.
func Problems(e Expr) diag.List {
	var list diag.List
	for _, d := range DuplicateKeys(e) {
		list = append(list, diag.New("WFC1204", d.Second, "This object has the key %q already. Remove one of the two, or give it another name.", d.Key).
			With(d.First, "%q is set here first.", d.Key))
	}
	number := func(at hcl.Range, err error) {
		if err != nil {
			list = append(list, diag.New("WFC1203", at, "This number cannot be used: %v. Write it as a text in quotes if its digits are what counts.", err))
		}
	}
	walk(e.Node, func(node hclsyntax.Expression) {
		var steps hcl.Traversal
		switch n := node.(type) {
		case *hclsyntax.LiteralValueExpr:
			_, _, err := e.Literal(n)
			number(n.SrcRange, err)
		case *hclsyntax.ScopeTraversalExpr:
			steps = n.Traversal
		case *hclsyntax.RelativeTraversalExpr:
			steps = n.Traversal
		case *hclsyntax.ObjectConsKeyExpr:
			if ambiguousKey(n) {
				list = append(list, diag.New("WFC1205", n.Range(), "This key could be a name with a dot in it or a reference. "+
					"Write a name in quotes, and a reference in parentheses."))
			}
		}
		for _, step := range steps {
			if index, ok := step.(hcl.TraverseIndex); ok {
				_, err := e.IndexKey(index)
				number(index.SrcRange, err)
			}
		}
	})
	return list
}

// ambiguousKey reports whether an object's key is a reference with a dot that
// stands neither in quotes nor in parentheses.
func ambiguousKey(k *hclsyntax.ObjectConsKeyExpr) bool {
	t, ok := k.Wrapped.(*hclsyntax.ScopeTraversalExpr)
	return ok && !k.ForceNonLiteral && len(t.Traversal) > 1
}

// walk calls visit for node and everything in it.
func walk(node hclsyntax.Expression, visit func(hclsyntax.Expression)) {
	if node == nil {
		return
	}
	visit(node)
	for child := range Children(node) {
		walk(child, visit)
	}
}
