package syntax

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
)

// actions are what a step can do; ask is a block.
var actions = []Action{CallAction, ReadAction, PromptAction, RunAction, ValueAction, AskAction, SleepAction}

// Kinds are the kinds of failures (LANGUAGE 5).
var Kinds = []string{
	"tool", "protocol", "transport", "session", "timeout", "rate_limit", "cancelled", "decode",
	"expression", "assert", "limit", "declined", "policy",
}

// Decodings are the values of decode (LANGUAGE 4).
var Decodings = []string{"json", "jsonl", "yaml", "csv", "lines", "text", "blob"}

// step reads a step or a finally block.
func (r *reader) step(shape *shape, b *hclsyntax.Block) *Step {
	body := b.Body
	r.examine(shape, body, b)
	s := &Step{
		Block:       block(b),
		Name:        r.labels(shape, b)[0],
		Finally:     shape == finallyShape,
		Value:       r.attribute(body, "value"),
		Sleep:       r.attribute(body, "sleep"),
		Args:        r.attribute(body, "args"),
		URI:         r.attribute(body, "uri"),
		When:        r.attribute(body, "when"),
		ForEach:     r.attribute(body, "for_each"),
		Key:         r.attribute(body, "key"),
		Result:      r.attribute(body, "result"),
		FailIf:      r.attribute(body, "fail_if"),
		Returns:     r.value(body, "returns"),
		MaxParallel: r.attribute(body, "max_parallel"),
		Timeout:     r.attribute(body, "timeout"),
		IdleTimeout: r.attribute(body, "idle_timeout"),
		Deadline:    r.attribute(body, "deadline"),
		Decode:      r.choice(body, "decode", Decodings...),
	}
	if at := body.Attributes["call"]; at != nil {
		s.Call = r.capability(at, toolTarget)
	}
	if at := body.Attributes["read"]; at != nil {
		s.Read = r.capability(at, resourceTarget)
	}
	if at := body.Attributes["prompt"]; at != nil {
		s.Prompt = r.capability(at, promptTarget)
	}
	if at := body.Attributes["run"]; at != nil {
		s.Run = r.workflowRef(at)
	}
	if at := body.Attributes["bind"]; at != nil {
		s.Bind = r.handedOn(at)
	}
	if at := body.Attributes["depends_on"]; at != nil {
		s.DependsOn = r.dependsOn(at)
	}
	if at := body.Attributes["on_error"]; at != nil {
		s.OnError = r.onError(at)
	}
	for _, c := range body.Blocks {
		// A second block of a kind has its diagnostic.
		switch {
		case c.Type == "ask" && s.Ask == nil:
			s.Ask = r.ask(c)
		case c.Type == "loop" && s.Loop == nil:
			s.Loop = r.loop(c)
		case c.Type == "retry" && s.Retry == nil:
			s.Retry = r.retry(c)
		case c.Type == "assert":
			s.Asserts = append(s.Asserts, r.condition(assertShape, c))
		case c.Type == "undo" && !s.Finally:
			s.Undo = append(s.Undo, r.undo(c))
		}
	}
	r.action(shape, b, s)
	s.Unclear = body.Attributes["on_error"] != nil && s.OnError == nil || body.Attributes["decode"] != nil && s.Decode == nil
	return s
}

func (r *reader) ask(b *hclsyntax.Block) *Ask {
	r.labels(askShape, b)
	r.examine(askShape, b.Body, b)
	return &Ask{
		Block:     block(b),
		Message:   r.attribute(b.Body, "message"),
		Answer:    r.value(b.Body, "answer"),
		Choices:   r.attribute(b.Body, "choices"),
		Approvers: r.attribute(b.Body, "approvers"),
	}
}

func (r *reader) loop(b *hclsyntax.Block) *Loop {
	r.labels(loopShape, b)
	r.examine(loopShape, b.Body, b)
	return &Loop{
		Block: block(b),
		While: r.attribute(b.Body, "while"),
		Max:   r.attribute(b.Body, "max"),
		Delay: r.attribute(b.Body, "delay"),
	}
}

func (r *reader) retry(b *hclsyntax.Block) *Retry {
	r.labels(retryShape, b)
	r.examine(retryShape, b.Body, b)
	return &Retry{
		Block:    block(b),
		Attempts: r.attribute(b.Body, "attempts"),
		Delay:    r.attribute(b.Body, "delay"),
		MaxDelay: r.attribute(b.Body, "max_delay"),
		On:       r.attribute(b.Body, "on"),
		When:     r.attribute(b.Body, "when"),
	}
}

func (r *reader) undo(b *hclsyntax.Block) *Undo {
	r.labels(undoShape, b)
	r.examine(undoShape, b.Body, b)
	u := &Undo{Block: block(b), Args: r.attribute(b.Body, "args")}
	if at := b.Body.Attributes["call"]; at != nil {
		u.Call = r.capability(at, toolTarget)
	}
	return u
}

// action reports a step without exactly one action, and modifiers that cannot
// go with what it does.
func (r *reader) action(shape *shape, b *hclsyntax.Block, s *Step) {
	type written struct {
		name Action
		at   hcl.Range
	}
	var found []written
	for _, name := range actions {
		if at := b.Body.Attributes[string(name)]; at != nil {
			found = append(found, written{name, at.NameRange})
		}
	}
	for _, c := range b.Body.Blocks {
		// An action written as a block, rightly (ask) or not (which is reported elsewhere), is one.
		if name := Action(c.Type); slices.Contains(actions, name) && (name != AskAction || s.Ask == nil || s.Ask.Header == c.DefRange()) {
			found = append(found, written{name, c.TypeRange})
		}
	}
	slices.SortFunc(found, func(a, b written) int { return a.at.Start.Byte - b.at.Start.Byte })
	switch {
	case len(found) == 0:
		if r.unfinished(b) || slices.ContainsFunc(actions, func(name Action) bool { return r.meant(shape, string(name), b.Body) }) {
			break
		}
		r.report(diag.New(codeNoAction, b.DefRange(),
			"%s does nothing. Say what it does: call a tool (call = SOURCE.TOOL) or name a value (value = …).", capital(describe(b))))
	case len(found) > 1:
		d := diag.New(codeSeveralActions, found[1].at,
			"%s has %q and %q, but a step does one thing. Move one of them into a step of its own.", capital(describe(b)), found[0].name, found[1].name)
		r.report(d.With(found[0].at, "the first action"))
	default:
		s.Action, s.ActionName = found[0].name, found[0].at
		r.modifiers(b, s)
	}
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
		out, clear := &OnError{Kinds: []string{}, Range: e.Range()}, true
		for _, x := range list.Exprs {
			k, ok := r.kind(x)
			if !ok {
				clear = false
			} else if !slices.Contains(out.Kinds, k) {
				out.Kinds = append(out.Kinds, k)
			}
		}
		if !clear {
			return nil
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
		r.report(d.Fix("Change it to "+quote(near), false, diag.Edit{Range: diag.RangeOf(e.Range()), Text: quote(near)}))
		return &OnError{Continue: near == "continue", Range: e.Range()}
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
		r.report(d.Fix("Change it to "+quote(near), false, diag.Edit{Range: diag.RangeOf(e.Range()), Text: quote(near)}))
		return near, true
	}
	r.report(d)
	return "", false
}
