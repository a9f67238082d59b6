package syntax

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
)

// actions are what a step can do; ask is a block.
var actions = []string{"call", "read", "prompt", "run", "value", "ask", "sleep"}

// Kinds are the kinds of failures (LANGUAGE 5).
var Kinds = []string{
	"tool", "protocol", "transport", "session", "timeout", "rate_limit", "cancelled", "decode",
	"expression", "assert", "limit", "declined", "policy",
}

// Decodings are the values of decode (LANGUAGE 4).
var Decodings = []string{"json", "jsonl", "yaml", "csv", "lines", "text", "blob"}

func (r *reader) step(b *hclsyntax.Block) *Step {
	body := b.Body
	r.examine(stepShape, body, b)
	s := &Step{
		Block:       block(b),
		Name:        r.labels(stepShape, b)[0],
		Value:       r.attribute(body, "value"),
		Args:        r.attribute(body, "args"),
		When:        r.attribute(body, "when"),
		ForEach:     r.attribute(body, "for_each"),
		Key:         r.attribute(body, "key"),
		Result:      r.attribute(body, "result"),
		FailIf:      r.attribute(body, "fail_if"),
		Returns:     r.value(body, "returns"),
		MaxParallel: r.attribute(body, "max_parallel"),
		Timeout:     r.attribute(body, "timeout"),
		Decode:      r.choice(body, "decode", Decodings...),
	}
	for name := range body.Attributes {
		if stepShape.attrs[name] == unbuilt {
			s.Unbuilt = true
		}
	}
	for _, c := range body.Blocks {
		if _, known := stepShape.blocks[c.Type]; known {
			s.Unbuilt = true
		}
	}
	if at := body.Attributes["call"]; at != nil {
		s.CallName = at.NameRange
		s.Call = r.call(at)
	}
	if at := body.Attributes["depends_on"]; at != nil {
		s.DependsOn = r.dependsOn(at)
	}
	if at := body.Attributes["on_error"]; at != nil {
		s.OnError = r.onError(at)
	}
	r.action(b, s)
	return s
}

// action reports a step without exactly one action, and modifiers that cannot
// go with what it does.
func (r *reader) action(b *hclsyntax.Block, s *Step) {
	type written struct {
		name string
		at   hcl.Range
	}
	var found []written
	for _, name := range actions {
		if at := b.Body.Attributes[name]; at != nil {
			found = append(found, written{name, at.NameRange})
		}
	}
	for _, c := range b.Body.Blocks {
		// An action written as a block, rightly (ask) or not (which is reported elsewhere), is one.
		if slices.Contains(actions, c.Type) {
			found = append(found, written{c.Type, c.TypeRange})
		}
	}
	slices.SortFunc(found, func(a, b written) int { return a.at.Start.Byte - b.at.Start.Byte })
	switch {
	case len(found) == 0:
		if r.unfinished(b) || slices.ContainsFunc(actions, func(name string) bool { return r.meant(stepShape, name, b.Body) }) {
			break
		}
		r.report(diag.New(codeNoAction, b.DefRange(),
			"%s does nothing. Say what it does: call a tool (call = SOURCE.TOOL) or name a value (value = …).", capital(describe(b))))
	case len(found) > 1:
		d := diag.New(codeSeveralActions, found[1].at,
			"%s has %q and %q, but a step does one thing. Move one of them into a step of its own.", capital(describe(b)), found[0].name, found[1].name)
		r.report(d.With(found[0].at, "the first action"))
	default:
		r.modifiers(b, s, found[0].name)
	}
}

// modifiers reports what has no meaning with the step's action, or without for_each.
func (r *reader) modifiers(b *hclsyntax.Block, s *Step, action string) {
	misfit := func(at *Attribute, why string) {
		if at != nil {
			r.report(diag.New(codeMisfit, at.NameRange, "%s", why))
		}
	}
	if action == "value" {
		misfit(s.Args, `"args" are the arguments of a tool, and this step names a value. Remove "args", or call a tool.`)
		misfit(s.Timeout, `"timeout" limits a call, and this step only computes a value. Remove it.`)
	}
	if action == "call" || action == "value" {
		for _, name := range []string{"uri", "bind"} { // of read and run
			if at := b.Body.Attributes[name]; at != nil {
				r.report(diag.New(codeMisfit, at.NameRange, "%q has no meaning in a step with %q. Remove it.", name, action))
			}
		}
	}
	if s.ForEach == nil && b.Body.Attributes["for_each"] == nil {
		misfit(s.Key, `"key" names the elements of "for_each", which this step does not have. Remove "key", or write "for_each".`)
		misfit(s.MaxParallel, `"max_parallel" limits the elements of "for_each", which this step does not have. Remove "max_parallel", or write "for_each".`)
	}
}

// call reads SOURCE.TOOL or SOURCE["tool name"]. While it is being typed, only
// the source may be there.
func (r *reader) call(at *hclsyntax.Attribute) *Ref {
	ref, ok := r.reference(at.Expr)
	switch {
	case unreadable(at.Expr):
		return nil
	case ok && len(ref.Path) == 2:
		return &ref
	case ok && len(ref.Path) == 1 && r.broken:
		return &ref
	case ok && len(ref.Path) == 1:
		r.report(diag.New(codeInvalidReference, at.Expr.Range(),
			"Which tool of %q is called? Write call = %s.TOOL, or %s[\"tool name\"] for a name that is no identifier.", ref.Path[0].Text, ref.Path[0].Text, ref.Path[0].Text))
		return &ref
	case ok && len(ref.Path) == 4 && ref.Path[0].Text == "connection":
		r.report(diag.New(codeInvalidReference, at.Expr.Range(),
			"A step calls a tool of one of the workflow's sources, not of a connection. Declare a source with bind = connection.%s.%s and call SOURCE.%s.",
			ref.Path[1].Text, ref.Path[2].Text, ref.Path[3].Text))
	case ok:
		r.report(diag.New(codeInvalidReference, at.Expr.Range(), "%s",
			"A call names a source and one tool of it: SOURCE.TOOL, or SOURCE[\"tool name\"] for a name that is no identifier, as in "+ref.Path[0].Text+"[\""+joined(ref.Path[1:])+"\"]."))
	case isCall(at.Expr):
		r.report(diag.New(codeInvalidReference, at.Expr.Range(),
			"A tool is named without parentheses, as SOURCE.TOOL. Its arguments stand in \"args\"."))
	case isConstant(unparen(at.Expr)):
		r.report(diag.New(codeInvalidReference, at.Expr.Range(), "A call names a source and a tool without quotes: SOURCE.TOOL."))
	default:
		r.report(diag.New(codeNotConstant, at.Expr.Range(),
			"Which tool is called is known before anything runs, so it cannot be computed. Write SOURCE.TOOL or SOURCE[\"tool name\"]."))
	}
	return nil
}

func joined(path []Label) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p.Text
	}
	return strings.Join(parts, ".")
}

func isCall(e hclsyntax.Expression) bool {
	_, ok := unparen(e).(*hclsyntax.FunctionCallExpr)
	return ok
}

func (r *reader) dependsOn(at *hclsyntax.Attribute) []Ref {
	const want = "depends_on is a list of steps, as [step.a, step.b]."
	list, ok := unparen(at.Expr).(*hclsyntax.TupleConsExpr)
	if !ok {
		if unreadable(at.Expr) {
			return nil
		}
		d := diag.New(codeInvalidReference, at.Expr.Range(), want)
		ref, isRef := r.reference(at.Expr)
		if isRef && len(ref.Path) == 2 && ref.Path[0].Text == "step" {
			src := string(ref.Range.SliceBytes(r.src))
			d = d.Fix("Write it as a list", true, diag.Edit{Range: diag.RangeOf(ref.Range), Text: "[" + src + "]"})
			r.report(d)
			return []Ref{ref}
		}
		r.report(d)
		return nil
	}
	var out []Ref
	for _, e := range list.Exprs {
		if ref := r.rooted(e, "step", 2, "a step, as step.NAME"); ref != nil {
			out = append(out, *ref)
		}
	}
	return out
}

func (r *reader) onError(at *hclsyntax.Attribute) *OnError {
	e := unparen(at.Expr)
	if list, ok := e.(*hclsyntax.TupleConsExpr); ok {
		out := &OnError{Kinds: []string{}, Range: e.Range()}
		for _, x := range list.Exprs {
			if k, ok := r.kind(x); ok && !slices.Contains(out.Kinds, k) {
				out.Kinds = append(out.Kinds, k)
			}
		}
		return out
	}
	s, ok := r.constantText(e)
	switch {
	case !ok:
		r.notConstant(at, `"fail", "continue" or a list of kinds of failures, as ["tool", "timeout"]`)
		return nil
	case s == "fail" || s == "continue":
		return &OnError{Continue: s == "continue", Range: e.Range()}
	case slices.Contains(Kinds, s):
		d := diag.New(codeInvalidChoice, e.Range(), "Kinds of failures are written as a list: on_error = [%q].", s)
		r.report(d.Fix("Write it as a list", true, diag.Edit{Range: diag.RangeOf(e.Range()), Text: "[" + quote(s) + "]"}))
		return &OnError{Kinds: []string{s}, Range: e.Range()}
	}
	d := diag.New(codeInvalidChoice, e.Range(), `"on_error" cannot be %q. It is "fail", "continue" or a list of kinds of failures, as ["tool", "timeout"].`, s)
	if near, ok := nearest.Name(s, []string{"fail", "continue"}); ok {
		d = d.Fix("Change it to "+quote(near), false, diag.Edit{Range: diag.RangeOf(e.Range()), Text: quote(near)})
	}
	r.report(d)
	return nil
}

// kind reads one kind of failure.
func (r *reader) kind(e hclsyntax.Expression) (string, bool) {
	s, ok := r.constantText(e)
	switch {
	case ok && slices.Contains(Kinds, s):
		return s, true
	case unreadable(e):
		return "", false
	case !ok:
		r.report(diag.New(codeUnknownKind, e.Range(), "A kind of failure is a text in quotes. The kinds are %s.", quoted(Kinds)))
		return "", false
	}
	d := diag.New(codeUnknownKind, e.Range(), "There is no kind of failure %q. The kinds are %s.", s, quoted(Kinds))
	if near, ok := nearest.Name(s, Kinds); ok {
		d.Detail = "There is no kind of failure " + quote(s) + ". Did you mean " + quote(near) + "?"
		d = d.Fix("Change it to "+quote(near), false, diag.Edit{Range: diag.RangeOf(e.Range()), Text: quote(near)})
	}
	r.report(d)
	return "", false
}
