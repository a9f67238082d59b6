package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
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
	if m != nil && s.isSent() {
		t = onWire(t)
		m = types.Assignable(want, t)
	}
	if m != nil && m.Cause != types.Refined {
		c.mismatch(x, want, got, t, m, s)
		return failed
	}
	if isAny(t) && got.mayBeNull() && !isAny(want) && !want.Nullable() {
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
	detail := fmt.Sprintf("%s does not fit: %s.", s.phrase(m.Path), m.Reason)
	code := codeWrongType
	switch m.Cause {
	case types.Missing, types.MayBeAbsent:
		if s.isArguments() && topLevel(m.Path) {
			code = codeMissingArgument
		}
		detail = fmt.Sprintf("%s is required, and what is given may not have it: %s.", s.phrase(m.Path), m.Reason)
	case types.Undeclared:
		if s.isArguments() && topLevel(m.Path) {
			code = codeUnknownArgument
		}
		detail = fmt.Sprintf("%s is not declared, so that it cannot be given: %s.", s.phrase(m.Path), m.Reason)
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
	case w.Kind() == types.List && types.Assignable(w.Elem(), t) == nil:
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

// mayBeNull reports an expression that may be null where null is not wanted.
func (c *checker) mayBeNull(x hclNode, got typed, s *subject) {
	c.report(c.nullFinding(x.Range(), got, s.phrase("")+" must not be null, and", c.text(x.Range())))
}

// mayBeAbsent reports an attribute that is required and whose value is the
// reading of an attribute that may be absent: it would be left out.
func (c *checker) mayBeAbsent(x hclNode, s *subject) {
	text := c.text(x.Range())
	c.report(diag.New(codeMayBeNull, x.Range(), "%s is required, and it is left out where %s is absent. Say what it is then, as in coalesce(%s, …), or %s == null ? … : %s.", s.phrase(""), text, text, text, text))
}

// failsWhereAbsent reports the reading of an attribute that may be absent in
// the last argument of try, where nothing catches its failure.
func (c *checker) failsWhereAbsent(at hcl.Range, name string) {
	c.report(diag.New(codeMayBeNull, at, "In try, reading an attribute that is absent fails, and %q may be absent here, in the last argument, which nothing follows. End with something that is always there.", name))
}

// readOfNull reports that a part of something is read that may be null.
func (c *checker) readOfNull(r reading, at hcl.Range, part string) {
	if r.t.Underlying().Kind() == types.Null {
		c.report(diag.New(codeMayBeNull, at, "The %s is read of %s, which is null here.", part, c.text(r.at)))
		return
	}
	c.report(c.nullFinding(at, r.typed, fmt.Sprintf("The %s is read here, but", part), c.text(r.at)))
}

// nullFinding says that something may be null, why, and what to do about it.
// text is how it is written.
func (c *checker) nullFinding(at hcl.Range, got typed, begin, text string) diag.Diagnostic {
	k := got.cause
	switch {
	case k != nil && k.result != nil:
		return c.unguarded(at, k, begin, text)
	case k != nil && k.input:
		return diag.New(codeMayBeNull, at, "%s %s is null where the optional input is left out. Say what to use then, as in coalesce(%s, …), or give the input a default.", begin, text, text)
	case k != nil && k.optional != "":
		return diag.New(codeMayBeNull, at, "%s %s is null where the optional attribute %q is absent. Say what to use then, as in coalesce(%s, …), or use it only where %s != null.", begin, text, k.optional, text, text)
	case got.t.Underlying().Kind() == types.Null:
		return diag.New(codeMayBeNull, at, "%s this is null.", begin)
	}
	return diag.New(codeMayBeNull, at, "%s %s may be null. Say what to use then, as in coalesce(%s, …), or use it only where %s != null.", begin, text, text, text)
}

// unguarded says that a step's output or error may be null, and names the guard.
func (c *checker) unguarded(at hcl.Range, k *cause, begin, text string) diag.Diagnostic {
	r := k.result
	if k.part == "error" {
		return diag.New(codeUnguarded, at, "%s %s is null unless the step failed. Use it only where %s.outcome == \"error\".", begin, text, k.of)
	}
	var why []string
	if r.outcomes&outcomeSkipped != 0 {
		why = append(why, "was skipped")
	}
	if r.outcomes&outcomeError != 0 {
		why = append(why, "failed")
	}
	if r.outcomes == outcomeOK || len(why) == 0 {
		return diag.New(codeMayBeNull, at, "%s %s may be null. Say what to use then, as in coalesce(%s, …), or use it only where %s != null.", begin, text, text, text)
	}
	if list, ok := strings.CutSuffix(k.of, "[*]"); ok {
		d := diag.New(codeUnguarded, at, "%s %s is null where step %q %s. Take those that succeeded: [for r in %s : r.output if r.outcome == \"ok\"], and read of r.output what is wanted.",
			begin, text, r.step.name(), strings.Join(why, " or "), list)
		return c.whyNull(d, r)
	}
	d := diag.New(codeUnguarded, at, "%s %s is null where step %q %s. Use it only where %s.outcome == \"ok\": in a when, as %s.outcome == \"ok\" ? … : …, or as coalesce(%s, …).",
		begin, text, r.step.name(), strings.Join(why, " or "), k.of, k.of, text)
	return c.whyNull(d, r)
}

// whyNull points at what makes a step that may be skipped or fail.
func (c *checker) whyNull(d diag.Diagnostic, r *result) diag.Diagnostic {
	if w := r.step.syn.When; w != nil && r.outcomes&outcomeSkipped != 0 {
		d = d.With(w.NameRange, "This makes the step skippable.")
	}
	if o := r.step.syn.OnError; o != nil && r.outcomes&outcomeError != 0 {
		d = d.With(o.Range, "This tolerates its failure.")
	}
	return d
}

// noCommonType reports parts of an expression that fit no type together.
func (c *checker) noCommonType(x hclNode, a, b *types.Type, at hclNode, noun string) {
	one, this := types.Describe(types.Widen(a)), types.Describe(types.Widen(b))
	if one == this {
		one, this = brief(types.Widen(a)), brief(types.Widen(b))
	}
	c.report(diag.New(codeNoCommonType, at.Range(), "The %s of this expression must fit one type: one is %s, and this is %s. Make them alike, or convert one.", noun, one, this).
		With(x.Range(), "The whole expression."))
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

// unknownAttribute reports an attribute that an object type does not name.
func (c *checker) unknownAttribute(r reading, u *types.Type, name string, s hcl.TraverseAttr) {
	have := attrNames(u)
	of := c.text(r.at)
	label := s
	label.Name = name
	at := nameRange(label)
	if u.Rest() != nil {
		if near, ok := nearest.Name(name, have); ok {
			c.report(diag.New(codeUnknownAttribute, at, "%s does not declare the attribute %q. Did you mean %q? It may have others: those are read by index, as in %s[%q].", of, name, near, of, name).
				Fix("Change it to "+near, false, edit(at, near)))
			return
		}
		c.report(diag.New(codeUnknownAttribute, at, "%s may have attributes that its type does not declare, and %q would be one. Those are read by index: write %s[%q].", of, name, of, name).
			Fix("Read it by index", true, edit(s.SrcRange, "["+strconv.Quote(name)+"]")))
		return
	}
	if c.ofSomeMembers(r, of, name, at) {
		return
	}
	d := unknownName(codeUnknownAttribute, "attribute", of, name, at, have)
	if len(have) == 0 && c.isBareAnswer(of) {
		d.Detail += fmt.Sprintf(" An ask without a type takes no more for an answer than that it is not declined. Say what people answer, as in answer = object({ %s = bool }).", name)
		c.report(d)
		return
	}
	if c.resultOf(u) == nil && len(d.Fixes) > 0 {
		c.report(d) // what is near is meant
		return
	}
	if c.resultOf(u) == nil {
		// Results are ours; other objects may have more than their schema says.
		d.Detail += fmt.Sprintf(" An attribute that the type does not declare is read as %s[%q].", of, name)
	} else if k := c.resultOf(u); len(d.Fixes) == 0 {
		if o := types.WithoutNull(k.output).Underlying(); o.Kind() == types.Object && o.Attr(name) != nil {
			d.Detail += fmt.Sprintf(" Its output has %q: write %s.output.%s.", name, of, name)
			d = d.Fix("Read it of the output", true, edit(at, "output."+name))
		}
	}
	c.report(d)
}

func attrNames(u *types.Type) []string {
	out := make([]string, 0, len(u.Attrs()))
	for _, a := range u.Attrs() {
		out = append(out, a.Name)
	}
	return out
}

// noAttributes reports `.name` on what is no object.
func (c *checker) noAttributes(r reading, u *types.Type, name string, s hcl.TraverseAttr) {
	of := c.text(r.at)
	label := s
	label.Name = name
	at := nameRange(label)
	switch u.Kind() {
	case types.Blob:
		c.report(diag.New(codeUnknownAttribute, at, "%s is a blob, which has the attributes mime_type, size and sha256 only.", of))
	case types.Map:
		if through, ok := c.splats[r.at]; ok && through.t.Underlying().Kind() == types.Map {
			// The map is taken as a list of one, which nobody means.
			m := c.text(through.source)
			c.report(diag.New(codeNoAttributes, at, "%s is a map, and [*] goes through lists. Write values(%s)[*].%s for the attribute of all, or go through it with [for k, v in %s : v.%s].", m, m, name, m, name).
				Fix("Go through its values", false, before(through.source, "values("), after(through.source, ")")))
			return
		}
		if k := c.resultOf(u.Elem()); k != nil && u.Elem().Attr(name) != nil {
			c.report(diag.New(codeNoAttributes, at, "%s is a map with one result for each element of the step's for_each. Write %s[KEY].%s for one, values(%s)[*].%s for the attribute of all, or go through them with { for k, r in %s : k => r.%s }.", of, of, name, of, name, of, name))
			return
		}
		c.report(diag.New(codeNoAttributes, at, "%s is a map, and its elements are read by key: write %s[%q].", of, of, name).
			Fix("Read it by key", true, edit(s.SrcRange, "["+strconv.Quote(name)+"]")))
	case types.List, types.Tuple:
		if res := c.listOfResults(u); res != nil {
			each := "element of the step's for_each"
			if res.step != nil && res.step.syn.Loop != nil {
				each = "round of the step's loop"
			}
			c.report(diag.New(codeNoAttributes, at, "%s is a list with one result for each %s. Write %s[*].%s for the attribute of all, or go through them with [for r in %s : r.%s].", of, each, of, name, of, name).
				Fix("Read it of every element", false, edit(s.SrcRange, "[*]."+name)))
			return
		}
		if slices.Contains(lengths, name) {
			c.report(diag.New(codeNoAttributes, at, "%s is a list and has no attributes. How many elements it has says length(%s).", of, of).
				Fix("Write length(…)", false, before(r.at, "length("), edit(s.SrcRange, ")")))
			return
		}
		c.report(diag.New(codeNoAttributes, at, "%s is a list and has no attributes. Write %s[*].%s for the attribute of every element, or %s[0].%s for one.", of, of, name, of, name).
			Fix("Read it of every element", false, edit(s.SrcRange, "[*]."+name)))
	default:
		if types.Widen(u).Underlying().Kind() == types.String && slices.Contains(lengths, name) {
			c.report(diag.New(codeNoAttributes, at, "%s is a string and has no attributes. How many characters it has says length(%s).", of, of).
				Fix("Write length(…)", false, before(r.at, "length("), edit(s.SrcRange, ")")))
			return
		}
		c.report(diag.New(codeNoAttributes, at, "%s is %s and has no attributes, so that %q cannot be read.", of, describe(u), name))
	}
}

// lengths is what other languages call the number of elements or characters.
var lengths = []string{"length", "len", "size", "count"}

// keyIs checks the key of an index against what a collection takes.
func (c *checker) keyIs(r reading, k index, want *types.Type, noun string) bool {
	if types.Assignable(want, k.t) == nil {
		return true
	}
	d := diag.New(codeWrongIndex, k.at, "%s is %s, whose key is %s; this is %s.", c.text(r.at), a(noun), types.Describe(want), describe(k.t))
	if want == types.IntegerType && k.t.Underlying().Kind() == types.Number {
		d.Detail += " Write toint(…) around it."
	}
	if u := r.t.Underlying(); u.Kind() == types.Object && isInteger(k.t) {
		d.Detail += listing("attribute", attrNames(u))
		var lists []string
		for _, at := range u.Attrs() {
			if kind := types.WithoutNull(at.Type).Underlying().Kind(); kind == types.List || kind == types.Tuple {
				lists = append(lists, at.Name)
			}
		}
		if len(lists) == 1 {
			d.Detail += fmt.Sprintf(" Do you mean %s.%s%s?", c.text(r.at), lists[0], c.text(k.at))
		}
	}
	c.report(d)
	return false
}

func a(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func (c *checker) outOfRange(r reading, k index, n int) {
	c.report(diag.New(codeWrongIndex, k.at, "%s has %s, counted from 0, so that it has no element %s.", c.text(r.at), count(n, "element"), k.lit.JSON()))
}

// noSuchKey reports a key that an object does not have, all of whose attributes are known.
func (c *checker) noSuchKey(r reading, k index, u *types.Type) {
	d := unknownName(codeWrongIndex, "attribute", c.text(r.at), k.lit.AsString(), k.at, attrNames(u))
	d.Fixes = nil // which would take the place of the brackets, too
	c.report(d)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (c *checker) notIndexable(r reading, u *types.Type, k index) {
	c.report(diag.New(codeWrongIndex, k.at, "%s is %s and has no elements: only lists, maps and objects have.", c.text(r.at), describe(u)))
}
