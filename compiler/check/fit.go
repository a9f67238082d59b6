package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// fit checks what an expression has against what is wanted of it and returns
// the former; the error type once a mismatch is reported.
func (c *checker) fit(x hclNode, en *env, want *types.Type, got typed, s *subject) typed {
	if want == nil || got.t.IsError() {
		return got
	}
	t := got.t
	if got.present != nil && s.isAttribute() {
		if !s.mayBeAbsent {
			c.mayBeAbsent(x, s)
			return failed
		}
		t = got.present
	}
	m := types.Assignable(want, t)
	if there := types.WithoutNull(t); m != nil && en.inDoubt() && there.Kind() != types.Never {
		t, m = there, types.Assignable(want, there)
	}
	if m != nil && s.isSent() {
		t = onWire(t)
		m = types.Assignable(want, t)
	}
	if m != nil && m.Cause != types.Refined {
		c.mismatch(x, want, got, t, m, s)
		return failed
	}
	if isAny(t) && got.mayBeNull() && !isAny(want) && !want.Nullable() && !en.inDoubt() {
		c.mayBeNull(x, got, s)
		return failed
	}
	if !c.obeys(x, want, t, s) {
		return failed
	}
	if c.w.strict {
		c.trustWhole(x, want, t, s)
	}
	return got
}

// onWire returns what a value of type t is when it is sent: a blob is a text. A
// named type, which may contain itself, stays as it is.
func onWire(t *types.Type) *types.Type {
	switch u := t; u.Kind() {
	case types.Blob:
		return types.StringType
	case types.List:
		if e := onWire(u.Elem()); e != u.Elem() {
			return types.ListOf(e)
		}
	case types.Map:
		if e := onWire(u.Elem()); e != u.Elem() {
			return types.MapOf(e)
		}
	case types.Tuple, types.Union:
		items := slices.Clone(u.Items())
		for i, m := range items {
			items[i] = onWire(m)
		}
		switch {
		case slices.Equal(items, u.Items()):
		case u.Kind() == types.Tuple:
			return types.TupleOf(items...)
		default:
			return types.UnionOf(items...)
		}
	case types.Object:
		attrs := slices.Clone(u.Attrs())
		changed := false
		for i, a := range attrs {
			attrs[i].Type = onWire(a.Type)
			changed = changed || attrs[i].Type != a.Type
		}
		if changed {
			return u.WithAttrs(attrs)
		}
	}
	return t
}

// obeys checks a constant against the refinements of what is wanted.
func (c *checker) obeys(x hclNode, want, t *types.Type, s *subject) bool {
	if !refined(want) {
		return true
	}
	var v value.Value
	if u := t.Underlying(); u.Kind() == types.Literal {
		v = u.Lit()
	} else if k := c.constant(x); k != nil {
		v = *k
	} else {
		return true
	}
	m := types.Conforms(want, v)
	if m == nil {
		return true
	}
	c.report(diag.New(codeRuleBroken, x.Range(), "%s breaks a rule of its type: %s.", s.phrase(m.Path), m.Reason))
	return false
}

// refined reports whether a type, or a member of a union, has a refinement at its top.
func refined(t *types.Type) bool {
	u := t.Underlying()
	if t.Refinement() != nil || u.Refinement() != nil {
		return true
	}
	if u.Kind() == types.Union {
		for _, m := range u.Items() {
			if refined(m) {
				return true
			}
		}
	}
	return false
}

// mismatch reports that an expression of type t is not what is wanted.
func (c *checker) mismatch(x hclNode, want *types.Type, got typed, t *types.Type, m *types.Mismatch, s *subject) {
	if t.Nullable() && m.Path == "" && !want.Nullable() && (t.Underlying().Kind() == types.Null || types.Assignable(want, types.WithoutNull(t)) == nil) {
		c.mayBeNull(x, got, s)
		return
	}
	at := x.Range()
	if m.Path == "" {
		if m.Cause == types.NotMember {
			c.notMember(x, t, m, s)
			return
		}
		if types.WithoutNull(want).Kind() == types.Never && !want.Nullable() {
			c.report(diag.New(codeWrongType, at, "%s must be left out: no value is allowed for it.", s.phrase("")))
			return
		}
		d := diag.New(codeWrongType, at, "%s must be %s, and this is %s.", s.phrase(""), describeWanted(want), describe(t))
		if u := types.WithoutNull(want).Underlying(); u.Kind() == types.Union && t.Underlying().Kind() == types.Object {
			if none := fitsNone(u, t); none != "" {
				c.report(diag.New(codeWrongType, at, "%s has one of several forms, and this object fits none: %s.", s.phrase(""), none))
				return
			}
		}
		if s != sumSubject || isText(x) || types.Widen(t).Underlying().Kind() != types.String {
			d = c.conversion(d, x, want, t) // texts that are added are hardly meant to be numbers
		}
		if s.isSent() && got.present == nil {
			t = got.t // results are known by their types
		}
		d.Detail += c.hint(x, want, t, s)
		c.report(d)
		return
	}
	reason, _, _ := strings.Cut(m.Reason, " (did you mean") // which is said at the end
	detail := fmt.Sprintf("%s does not fit: %s.", s.phrase(m.Path), reason)
	code := codeWrongType
	switch m.Cause {
	case types.Missing, types.MayBeAbsent:
		if s.isArguments() && topLevel(m.Path) {
			code = codeMissingArgument
		}
		detail = fmt.Sprintf("%s is required, and what is given may not have it: %s.", s.phrase(m.Path), reason)
	case types.Undeclared:
		if s.isArguments() && topLevel(m.Path) {
			code = codeUnknownArgument
		}
		detail = fmt.Sprintf("%s is not declared, so that it cannot be given: %s.", s.phrase(m.Path), reason)
	}
	if m.Suggestion != "" {
		detail += fmt.Sprintf(" Did you mean %q?", m.Suggestion)
	}
	c.report(diag.New(code, at, "%s", detail))
}

// fitsNone says of each of the objects in a union why t does not fit it. It is ""
// where there are none, or too many to be told.
func fitsNone(u, t *types.Type) string {
	const most = 4
	var out []string
	for _, form := range u.Items() {
		if form.Underlying().Kind() != types.Object {
			continue
		}
		m := types.Assignable(form, t)
		if m == nil {
			return ""
		}
		out = append(out, fmt.Sprintf("for %s, %s", brief(form), m.Error()))
	}
	if len(out) > most {
		return ""
	}
	return strings.Join(out, "; ")
}

// topLevel reports whether a path is one attribute.
func topLevel(path string) bool { return strings.LastIndexAny(path, ".[") == 0 }

// notMember reports a constant that an enum does not have.
func (c *checker) notMember(x hclNode, t *types.Type, m *types.Mismatch, s *subject) {
	detail := fmt.Sprintf("%s must be %s, and this is %s.", s.phrase(""), describeWanted(m.Want), describe(t))
	if m.Suggestion == "" {
		c.report(diag.New(codeWrongType, x.Range(), "%s", detail))
		return
	}
	d := diag.New(codeWrongType, x.Range(), "%s Did you mean %q?", detail, m.Suggestion)
	if isText(x) {
		d = d.Fix("Change it to "+m.Suggestion, true, edit(x.Range(), strconv.Quote(m.Suggestion)))
	}
	c.report(d)
}

// isText reports whether x is literal text in quotes.
func isText(x hclNode) bool {
	t, ok := x.(*hclsyntax.TemplateExpr)
	return ok && t.IsStringLiteral()
}

// conversion adds how to convert, where a function does: there are no silent
// conversions.
func (c *checker) conversion(d diag.Diagnostic, x hclNode, want, t *types.Type) diag.Diagnostic {
	w, g := types.Widen(types.WithoutNull(want)).Underlying(), types.Widen(t).Underlying()
	wrap := func(f string, certain bool) diag.Diagnostic {
		d.Detail += fmt.Sprintf(" Nothing is converted silently; write %s(%s).", f, c.text(x.Range()))
		return d.Fix("Convert it with "+f, certain, before(x.Range(), f+"("), after(x.Range(), ")"))
	}
	number := g.Kind() == types.Number || g.Kind() == types.Integer
	switch {
	case w.Kind() == types.String && number:
		if lit := t.Underlying(); lit.Kind() == types.Literal {
			if _, ok := x.(*hclsyntax.LiteralValueExpr); ok {
				text := strconv.Quote(lit.Lit().AsNumber().String())
				d.Detail += fmt.Sprintf(" Nothing is converted silently; write %s, or tostring(…) around an expression.", text)
				return d.Fix("Put it in quotes", true, edit(x.Range(), text))
			}
		}
		return wrap("tostring", true)
	case w.Kind() == types.String && g.Kind() == types.Bool:
		return wrap("tostring", true)
	case w.Kind() == types.Integer && g.Kind() == types.Number:
		if t.Underlying().Kind() == types.Literal {
			d.Detail += " Write a whole number."
			return d
		}
		text := c.text(x.Range())
		d.Detail += fmt.Sprintf(" Write floor(%s) or ceil(%s), which round, or toint(%s), which fails where it is not whole.", text, text, text)
		return d.Fix("Round it down", false, before(x.Range(), "floor("), after(x.Range(), ")"))
	case (w.Kind() == types.Number || w.Kind() == types.Integer) && g.Kind() == types.String:
		if lit := t.Underlying(); lit.Kind() == types.Literal && isText(x) {
			if n, err := value.ParseDecimal(lit.Lit().AsString()); err == nil && (w.Kind() == types.Number || n.IsInteger()) {
				d.Detail += " Write the number without quotes."
				return d.Fix("Remove the quotes", true, edit(x.Range(), n.String()))
			}
			return d
		}
		return wrap("tonumber", false)
	case w.Kind() == types.List && (g.Kind() == types.Map || g.Kind() == types.Object) && isAny(w.Elem()):
		d.Detail += fmt.Sprintf(" Its values are values(%s), and its keys keys(%s).", c.text(x.Range()), c.text(x.Range()))
		return d
	case w.Kind() == types.List && !isAny(w.Elem()) && types.Assignable(w.Elem(), t) == nil:
		d.Detail += fmt.Sprintf(" Write [%s] for a list of one.", c.text(x.Range()))
		return d.Fix("Make it a list", false, before(x.Range(), "["), after(x.Range(), "]"))
	case w.Kind() == types.Bool && g.Kind() == types.String && isText(x):
		if v := t.Underlying().Lit().AsString(); v == "true" || v == "false" {
			d.Detail += " Write it without quotes."
			return d.Fix("Remove the quotes", true, edit(x.Range(), v))
		}
	}
	return d
}

// describeWanted describes what is wanted of something that is not null: that
// null would do, too, is no help.
func describeWanted(want *types.Type) string {
	if t := types.WithoutNull(want); t.Kind() != types.Never {
		want = t
	}
	return types.Describe(want)
}

// describe describes what an expression has: its kind, and which literal.
func describe(t *types.Type) string {
	u := t.Underlying()
	if u.Kind() == types.Literal {
		switch u.Lit().Kind() {
		case value.String:
			return "the string " + types.Describe(u)
		case value.Number:
			return "the number " + types.Describe(u)
		}
	}
	return types.Describe(t)
}

// noCommonType reports parts of an expression that fit no type together.
func (c *checker) noCommonType(x hclNode, a, b *types.Type, at hclNode, noun string) {
	one, this := types.Describe(types.Widen(a)), types.Describe(types.Widen(b))
	if one == this {
		one, this = brief(general(a)), brief(general(b))
	}
	c.report(diag.New(codeNoCommonType, at.Range(), "The %s of this expression must fit one type: one is %s, and this is %s. Make them alike, or convert one.", noun, one, this).
		With(x.Range(), "The whole expression."))
}

// general returns a type as people think of it: of literals their kinds, of a list
// that is written what its elements have in common.
func general(t *types.Type) *types.Type {
	switch u := types.Widen(t); u.Kind() {
	case types.List:
		return types.ListOf(general(u.Elem()))
	case types.Map:
		return types.MapOf(general(u.Elem()))
	case types.Tuple:
		if len(u.Items()) == 0 {
			return t
		}
		elem := general(u.Items()[0])
		for _, m := range u.Items()[1:] {
			joined, ok := types.Join(elem, general(m))
			if !ok {
				return t
			}
			elem = joined
		}
		return types.ListOf(elem)
	case types.Object:
		attrs := slices.Clone(u.Attrs())
		for i := range attrs {
			attrs[i].Type = general(attrs[i].Type)
		}
		return u.WithAttrs(attrs)
	default:
		return u
	}
}

// brief prints a type in the notation, cut to a length that a message can hold.
func brief(t *types.Type) string {
	s := types.Print(t)
	const most = 160
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
