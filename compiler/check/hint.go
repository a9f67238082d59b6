package check

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/types"
)

// hint says how what is written becomes what is wanted, where that is likely
// to be meant and no function converts it. It is "" or a sentence after a space.
func (c *checker) hint(x hclNode, want, t *types.Type, s *subject) string {
	w, g := types.WithoutNull(want), types.WithoutNull(t).Underlying()
	text := c.text(x.Range())
	switch w.Underlying().Kind() {
	case types.Bool:
		if call, ok := x.(*hclsyntax.FunctionCallExpr); ok && call.Name == "regex" {
			return fmt.Sprintf(" Write can(%s) for whether the pattern matches.", text)
		}
		if t.Nullable() {
			return fmt.Sprintf(" Write %s != null for whether there is one.", text)
		}
	case types.Number:
		if s == sumSubject && types.Widen(g).Underlying().Kind() == types.String {
			return " The operator + adds numbers only; texts are joined in a template, as in \"${a}${b}\"."
		}
	}
	if g.Kind() == types.Object && isReading(x) {
		return c.fittingAttributes(text, w, g)
	}
	return ""
}

// fittingAttributes names the attributes of an object that are what is wanted.
func (c *checker) fittingAttributes(text string, want, object *types.Type) string {
	if c.resultOf(object) != nil {
		if out := object.Attr("output"); out != nil && types.Assignable(want, types.WithoutNull(out.Type)) == nil {
			return fmt.Sprintf(" The output of the step is %s.output.", text)
		}
		return ""
	}
	var fit []string
	for _, a := range object.Attrs() {
		if !isAny(a.Type) && types.Assignable(want, types.WithoutNull(a.Type)) == nil {
			fit = append(fit, text+"."+a.Name)
		}
	}
	const most = 3 // more of them say nothing
	if len(fit) == 0 || len(fit) > most {
		return ""
	}
	return " Do you mean " + strings.Join(fit, " or ") + "?"
}

// isCollection reports whether t, where it is not null, is a list, a map or an object.
func isCollection(t *types.Type) bool {
	switch types.WithoutNull(t).Underlying().Kind() {
	case types.List, types.Tuple, types.Map, types.Object:
		return true
	}
	return false
}

// isReading reports whether x reads a name, so that an attribute can be read of it.
func isReading(x hclNode) bool {
	switch x.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.RelativeTraversalExpr, *hclsyntax.IndexExpr:
		return true
	}
	return false
}

// neverMissing says of an element that is compared with null what happens where
// it is not there.
func (c *checker) neverMissing(x hclNode) string {
	if !c.ofIndex(x) {
		return ""
	}
	return " Where there is no such element, reading it fails; for null instead write try(…, null) around the reading."
}

// ofIndex reports whether x is an element read by an index or key, or a local
// that is one.
func (c *checker) ofIndex(x hclNode) bool {
	if s, ok := x.(*hclsyntax.ScopeTraversalExpr); ok {
		if l := c.localOf(s, nil); l != nil {
			x = l.syn.Expr.Node
		}
	}
	switch x := x.(type) {
	case *hclsyntax.IndexExpr:
		return true
	case *hclsyntax.ScopeTraversalExpr:
		_, ok := x.Traversal[len(x.Traversal)-1].(hcl.TraverseIndex)
		return ok
	}
	return false
}
