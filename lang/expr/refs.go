package expr

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Reference is one use of a root name.
type Reference struct {
	Root string // "step"
	// Name is the first attribute or literal string index after the root
	// ("search" of step.search.output); "" where there is none, as in `step` alone and `step[x]`.
	Name      string
	Range     hcl.Range // of the whole traversal
	RootRange hcl.Range
	NameRange hcl.Range // of Name without dot, brackets or quotes; zero where there is none
	Node      *hclsyntax.ScopeTraversalExpr
}

// Refs returns the references of e in the order of the source. Names that a
// `for` binds, in templates too, are none.
func (e Expr) Refs() []Reference {
	var refs []Reference
	if e.Node != nil {
		w := refWalker{e: e, refs: &refs}
		w.walk(e.Node)
	}
	return refs
}

type refWalker struct {
	e     Expr
	bound []string
	refs  *[]Reference
}

func (w *refWalker) isBound(name string) bool {
	for _, b := range w.bound {
		if b == name {
			return true
		}
	}
	return false
}

func (w *refWalker) walk(node hclsyntax.Expression) {
	switch n := node.(type) {
	case nil:
	case *hclsyntax.ScopeTraversalExpr:
		if !w.isBound(n.Traversal.RootName()) {
			*w.refs = append(*w.refs, w.e.reference(n))
		}
	case *hclsyntax.ForExpr:
		w.walk(n.CollExpr)
		outer := w.bound
		w.bound = append(outer[:len(outer):len(outer)], n.ValVar)
		if n.KeyVar != "" {
			w.bound = append(w.bound, n.KeyVar)
		}
		for _, part := range []hclsyntax.Expression{n.KeyExpr, n.ValExpr, n.CondExpr} {
			w.walk(part)
		}
		w.bound = outer
	case *hclsyntax.ObjectConsKeyExpr:
		if _, literal := w.e.ObjectKey(n); !literal && !ambiguousKey(n) {
			w.walk(n.Wrapped)
		}
	default:
		for child := range Children(node) {
			w.walk(child)
		}
	}
}

func (e Expr) reference(n *hclsyntax.ScopeTraversalExpr) Reference {
	ref := Reference{Root: n.Traversal.RootName(), Range: n.SrcRange, RootRange: n.Traversal[0].SourceRange(), Node: n}
	if len(n.Traversal) > 1 {
		if s, ok := e.segment(n.Traversal[1]); ok {
			ref.Name, ref.NameRange = s.Text, s.Range
		}
	}
	return ref
}

// Segment is one name of a static path.
type Segment struct {
	Text  string
	Range hcl.Range // of the name without dot, brackets or quotes
	Index bool      // written in brackets: x["name"]
}

// segment returns the name of a traversal step that is an attribute or a literal string index.
func (e Expr) segment(step hcl.Traverser) (Segment, bool) {
	switch s := step.(type) {
	case hcl.TraverseRoot:
		return Segment{Text: s.Name, Range: s.SrcRange}, true
	case hcl.TraverseAttr:
		return Segment{Text: s.Name, Range: tail(s.SrcRange, len(s.Name), 0)}, true
	case hcl.TraverseIndex:
		name, ok := e.IndexName(s)
		if !ok {
			return Segment{}, false
		}
		at := s.SrcRange
		if src := e.bytes(at); len(src) >= 4 && src[1] == '"' && src[len(src)-2] == '"' {
			at = tail(at, len(src)-4, 2)
		}
		return Segment{Text: name, Range: at, Index: true}, true
	}
	return Segment{}, false
}

// tail returns the range of the n bytes that end `after` bytes before r does.
// Columns are only right where each byte is a column, which diag.List.Locate mends.
func tail(r hcl.Range, n, after int) hcl.Range {
	r.End.Byte -= after
	r.End.Column -= after
	r.Start = r.End
	r.Start.Byte -= n
	r.Start.Column = max(r.Start.Column-n, 1)
	return r
}

// StaticPath returns the names of a reference that is a root with attributes
// and literal string indexes only, such as connection.github.work and
// tracker["repo/search.v2"]. ok is false for every other expression.
func (e Expr) StaticPath() (path []Segment, ok bool) {
	t, ok := e.Node.(*hclsyntax.ScopeTraversalExpr)
	if !ok {
		return nil, false
	}
	for _, step := range t.Traversal {
		s, ok := e.segment(step)
		if !ok {
			return nil, false
		}
		path = append(path, s)
	}
	return path, true
}

// Children iterates over the expressions that node directly consists of, in the order of
// the source. An object key that is a bare name has none.
func Children(node hclsyntax.Expression) func(yield func(hclsyntax.Expression) bool) {
	return func(yield func(hclsyntax.Expression) bool) {
		all := func(nodes ...hclsyntax.Expression) bool {
			for _, n := range nodes {
				if n != nil && !yield(n) {
					return false
				}
			}
			return true
		}
		switch n := node.(type) {
		case *hclsyntax.ParenthesesExpr:
			all(n.Expression)
		case *hclsyntax.RelativeTraversalExpr:
			all(n.Source)
		case *hclsyntax.FunctionCallExpr:
			all(n.Args...)
		case *hclsyntax.ConditionalExpr:
			all(n.Condition, n.TrueResult, n.FalseResult)
		case *hclsyntax.IndexExpr:
			all(n.Collection, n.Key)
		case *hclsyntax.TupleConsExpr:
			all(n.Exprs...)
		case *hclsyntax.ObjectConsExpr:
			for _, item := range n.Items {
				if !all(item.KeyExpr, item.ValueExpr) {
					return
				}
			}
		case *hclsyntax.ObjectConsKeyExpr:
			if n.ForceNonLiteral || hcl.ExprAsKeyword(n.Wrapped) == "" {
				all(n.Wrapped)
			}
		case *hclsyntax.ForExpr:
			all(n.CollExpr, n.KeyExpr, n.ValExpr, n.CondExpr)
		case *hclsyntax.SplatExpr:
			all(n.Source, n.Each)
		case *hclsyntax.BinaryOpExpr:
			all(n.LHS, n.RHS)
		case *hclsyntax.UnaryOpExpr:
			all(n.Val)
		case *hclsyntax.TemplateExpr:
			all(n.Parts...)
		case *hclsyntax.TemplateWrapExpr:
			all(n.Wrapped)
		case *hclsyntax.TemplateJoinExpr:
			all(n.Tuple)
		}
	}
}
