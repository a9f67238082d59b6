package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
)

// hint says how what is written becomes what is wanted, where that is likely
// to be meant and no function converts it. It is "" or a sentence after a space.
func (c *checker) hint(x hclNode, want, t *types.Type, s *subject) string {
	w, g := types.WithoutNull(want), types.WithoutNull(t).Underlying()
	text := c.text(x.Range())
	switch w.Underlying().Kind() {
	case types.Bool:
		if k := types.Widen(g).Underlying().Kind(); k == types.Number || k == types.Integer {
			return fmt.Sprintf(" Write what is asked of it, as in %s > 0.", text)
		}
		if lit, ok := c.quotedReading(x); ok {
			return fmt.Sprintf(" In quotes it is a text: write %s without them.", lit)
		}
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
	if g.Kind() == types.Blob && types.Assignable(w, types.StringType) == nil {
		return fmt.Sprintf(" Its content as a text is text(%s), where it is one; base64encode(%s) is it for any blob.", text, text)
	}
	if s == partSubject {
		return intoText(text, g)
	}
	if names := literalNames(w); len(names) > 0 && types.Widen(g).Underlying().Kind() == types.String {
		if in := c.inputRead(x); in != "" {
			return fmt.Sprintf(" Where the input may be no other, say so: type = %s in the input %q.", types.Print(w), in)
		}
	}
	if g.Kind() == types.Object && isReading(x) {
		return c.fittingAttributes(text, w, g)
	}
	return ""
}

// quotedReading returns what a text says that is written like the reading of a
// name, as in "input.urgent".
func (c *checker) quotedReading(x hclNode) (string, bool) {
	if !isText(x) {
		return "", false
	}
	text, ok := c.sub(x).Text()
	if !ok {
		return "", false
	}
	root, _, dotted := strings.Cut(strings.TrimLeft(text, "!"), ".")
	_, known := rootNames[root]
	return text, dotted && known
}

// intoText says how what is no text is put into one.
func intoText(text string, t *types.Type) string {
	switch t.Kind() {
	case types.List, types.Tuple:
		if t.Kind() == types.List && types.Assignable(printable, t.Elem()) != nil {
			break
		}
		return fmt.Sprintf(" Write join(\", \", %s) for its elements one after the other, or jsonencode(%s) for JSON.", text, text)
	case types.Map, types.Object:
	default:
		return ""
	}
	return fmt.Sprintf(" Write jsonencode(%s) for JSON, or say what of it is to be shown.", text)
}

// throughWhat says how what is no collection is gone through.
func throughWhat(text string, t *types.Type) string {
	switch types.Widen(t).Underlying().Kind() {
	case types.String:
		return fmt.Sprintf(" Where it holds several things, take it apart, as in split(\",\", %s).", text)
	case types.Integer:
		return fmt.Sprintf(" To do something so many times, go through range(%s).", text)
	}
	return ""
}

// inputRead returns the name of the input that x reads as a whole, or "".
func (c *checker) inputRead(x hclNode) string {
	t, ok := x.(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(t.Traversal) != 2 || t.Traversal.RootName() != "input" {
		return ""
	}
	name, _ := c.firstName(t.Traversal[1:])
	return name.Name
}

// fittingAttributes names the attributes of an object that are what is wanted.
func (c *checker) fittingAttributes(text string, want, object *types.Type) string {
	if c.resultOf(object) != nil {
		if out := object.Attr("output"); out != nil && types.Assignable(want, types.WithoutNull(out.Type)) == nil {
			return fmt.Sprintf(" The output of the step is %s.output.", text)
		} else if out != nil {
			if o := types.WithoutNull(out.Type).Underlying(); o.Kind() == types.Object {
				return c.fittingAttributes(text+".output", want, o)
			}
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

// ofSomeMembers reports an attribute that only some members of a union have, and
// what tells them from the others.
func (c *checker) ofSomeMembers(r reading, of, name string, at hcl.Range) bool {
	u := r.t.Underlying()
	if u.Kind() != types.Union {
		return false
	}
	var with, without []*types.Type
	for _, m := range u.Items() {
		if m = m.Underlying(); m.Kind() == types.Object && m.Attr(name) != nil {
			with = append(with, m)
		} else {
			without = append(without, m)
		}
	}
	if len(with) == 0 {
		return false
	}
	detail := fmt.Sprintf("%s has the attribute %q in some of its forms only: it is %s.", of, name, types.Describe(u))
	if tag, v := mark(with, without); tag != "" {
		detail = fmt.Sprintf("%s has the attribute %q only where its %s is %s. Read it where that holds, as in %s.%s == %s ? … : ….", of, name, tag, v, of, tag, v)
	}
	c.report(diag.New(codeUnknownAttribute, at, "%s", detail))
	return true
}

// mark finds an attribute that is a constant, the same in all of with and in
// none of without, and returns it with its value as it is written.
func mark(with, without []*types.Type) (attr, written string) {
	for _, a := range with[0].Attrs() {
		u := a.Type.Underlying()
		if a.Optional || u.Kind() != types.Literal {
			continue
		}
		has := func(m *types.Type) bool {
			b := m.Attr(a.Name)
			return b == nil || b.Optional || types.Assignable(b.Type, u) == nil
		}
		same := func(m *types.Type) bool {
			b := m.Attr(a.Name)
			return b != nil && !b.Optional && types.Assignable(u, b.Type) == nil
		}
		others := func(m *types.Type) bool { return m.Kind() != types.Object || has(m) }
		if !slices.ContainsFunc(without, others) && !slices.ContainsFunc(with, func(m *types.Type) bool { return !same(m) }) {
			return a.Name, types.Describe(u)
		}
	}
	return "", ""
}

// isBareAnswer reports whether a text reads the output of an ask without a type.
func (c *checker) isBareAnswer(text string) bool {
	name, ok := strings.CutSuffix(strings.TrimPrefix(text, "step."), ".output")
	if !ok || c.f == nil || c.f.steps[name] == nil {
		return false
	}
	a := c.f.steps[name].syn.Ask
	return a != nil && a.Answer.IsZero()
}
