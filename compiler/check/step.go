package check

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// expressions returns the attributes of a step that are expressions, in the
// order of LANGUAGE 4.
func (s *step) expressions() []*syntax.Attribute {
	y := s.syn
	all := []*syntax.Attribute{y.Value, y.Args, y.When, y.ForEach, y.Key, y.MaxParallel, y.Timeout, y.Result, y.FailIf}
	out := all[:0]
	for _, a := range all {
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}

// stepType returns the type of step.NAME, checking the step the first time.
func (c *checker) stepType(s *step) *types.Type {
	if s.typ == nil {
		muted := c.muted
		c.muted = 0
		c.checkStep(s)
		c.muted = muted
	}
	return s.typ
}

// Where the expressions of a step stand.
const (
	stepRoots   = rootInput | rootLocal | rootStep | rootRun
	resultRoots = stepRoots | rootSelf | rootArgs
)

var (
	oncePlace    = &place{noun: "what is asked once for the whole step", roots: stepRoots}
	forEachPlace = &place{noun: "for_each", roots: stepRoots}
	stepPlace    = &place{noun: "a step without for_each", roots: stepRoots}
	argsPlace    = &place{noun: "the args of a step without for_each", roots: stepRoots | rootSecret}
)

var (
	whenSubject        = &subject{plain: "The condition of when"}
	forEachSubject     = &subject{plain: "What for_each goes through"}
	elementKeySubject  = &subject{plain: "The key"}
	maxParallelSubject = &subject{plain: "max_parallel"}
	timeoutSubject     = &subject{plain: "The timeout"}
	failIfSubject      = &subject{plain: "The condition of fail_if"}
)

// checkStep checks a step and finds its type.
func (c *checker) checkStep(s *step) {
	if s.typ != nil {
		return
	}
	s.typ = types.ErrorType // while it is being found; a cycle has its diagnostic
	y := s.syn

	var once *env
	if y.When != nil && !s.whenEach {
		c.check(y.When.Expr, oncePlace, nil, types.BoolType, whenSubject)
		once = c.assuming(y.When.Expr, oncePlace, nil)
	}
	fan := y.ForEach != nil
	element, fits := once, true
	general, withSecrets := stepPlace, argsPlace
	if fan {
		fits = c.elementsOf(s, once)
		c.keyOf(s, once)
		each := eachType(s.elements.key, s.elements.elem)
		general = &place{noun: "this attribute", roots: stepRoots | rootEach, each: each}
		withSecrets = &place{noun: "args", roots: stepRoots | rootEach | rootSecret, each: each}
	}
	if s.whenEach {
		c.check(y.When.Expr, general, once, types.BoolType, whenSubject)
		element = c.assuming(y.When.Expr, general, once)
	}
	if m := y.MaxParallel; m != nil {
		c.atLeastOne(m, once)
	}
	if t := y.Timeout; t != nil {
		c.duration(t.Expr, general, element)
	}

	output := c.action(s, general, withSecrets, element)
	var each *types.Type
	if fan {
		each = types.ObjectOf([]types.Attr{{Name: "key", Type: s.elements.key}, {Name: "value", Type: s.elements.elem}}, nil)
	}
	output = c.shape(s, output, each, general, element)

	can := outcomeOK
	if y.OnError != nil && (y.OnError.Continue || len(y.OnError.Kinds) > 0) {
		can |= outcomeError
	}
	if y.When != nil && (s.whenEach || !fan) {
		can |= outcomeSkipped
	}
	s.one = c.newResult(s, output, each, can)
	switch {
	case s.cyclic, !fits:
	case !fan:
		s.typ = s.one.t
	case s.elements.isAny && y.Key == nil:
		s.typ = types.AnyType
	case s.elements.isMap:
		s.typ = types.MapOf(s.one.t)
	default:
		s.typ = types.ListOf(s.one.t)
	}
}

// assuming returns en with what a condition says where it holds.
func (c *checker) assuming(cond expr.Expr, p *place, en *env) (out *env) {
	c.at(cond.Source, p, func() { out = c.assume(cond.Node, true, en) })
	return out
}

// elementsOf checks for_each; false where it has a mistake.
func (c *checker) elementsOf(s *step, en *env) bool {
	e := s.syn.ForEach.Expr
	var coll collection
	ok := false
	c.at(e.Source, forEachPlace, func() { coll, ok = c.goThrough(e.Node, en, forEachSubject) })
	if !ok {
		coll = collection{key: types.ErrorType, elem: types.ErrorType}
	}
	s.elements = &elements{collection: coll, key: coll.key, isMap: ok && !coll.isList && !coll.isAny}
	return ok
}

// eachType is what each reads as.
func eachType(key, elem *types.Type) *types.Type {
	return types.ObjectOf([]types.Attr{
		{Name: "key", Type: key},
		{Name: "value", Type: elem},
		{Name: "index", Type: types.IntegerType},
	}, nil)
}

// keyOf checks a step's key, for which each.key is still the index.
func (c *checker) keyOf(s *step, en *env) {
	k := s.syn.Key
	if k == nil {
		return
	}
	el := s.elements
	p := &place{noun: "key", roots: stepRoots | rootEach, each: eachType(el.key, el.elem)}
	t := c.check(k.Expr, p, en, types.StringType, elementKeySubject)
	if el.isMap {
		c.report(diag.New(codeKeyWithoutList, k.NameRange, "This step goes through a map or object, whose keys are the keys of its elements already. Remove key.").
			With(s.syn.ForEach.Expr.Range(), "What it goes through."))
		return
	}
	el.isMap, el.key = true, t
}

// atLeastOne checks max_parallel.
func (c *checker) atLeastOne(a *syntax.Attribute, en *env) {
	t := c.check(a.Expr, oncePlace, en, types.IntegerType, maxParallelSubject)
	if u := t.Underlying(); u.Kind() == types.Literal && u.Lit().Kind() == value.Number && u.Lit().AsNumber().Sign() <= 0 {
		c.report(diag.New(codeRuleBroken, a.Expr.Range(), "max_parallel is the number of elements in flight at once, so that it is at least 1; this is %s.", u.Lit().JSON()))
	}
}

// duration checks an expression that gives a duration, and a constant one as such.
func (c *checker) duration(e expr.Expr, p *place, en *env) {
	t := c.check(e, p, en, types.StringType, timeoutSubject)
	u := t.Underlying()
	if u.Kind() != types.Literal || u.Lit().Kind() != value.String {
		return
	}
	if d, err := syntax.ParseDuration(u.Lit().AsString()); err != nil {
		c.report(diag.New(codeWrongDuration, e.Range(), "%q is no duration: write a number with a unit, as in \"30s\", \"10m\" or \"1h30m\".", u.Lit().AsString()))
	} else if d <= 0 {
		c.report(diag.New(codeWrongDuration, e.Range(), "A timeout is longer than nothing; %q is not.", u.Lit().AsString()))
	}
}

// action checks what a step does and returns its output before decode.
func (c *checker) action(s *step, p, withSecrets *place, en *env) *types.Type {
	y := s.syn
	switch {
	case y.Call != nil:
		return c.checkCall(s, withSecrets, en)
	case y.Value != nil:
		var want *types.Type
		sub := &subject{plain: "The value of step " + quoted(s.name())}
		if y.Decode != nil {
			want = types.StringType
		} else if y.Result == nil && !y.Returns.IsZero() {
			want = c.returns(s)
		}
		s.args = types.ObjectOf(nil, nil)
		return c.check(y.Value.Expr, p, en, want, sub)
	}
	return types.ErrorType // no action, or one that is not built, which has its diagnostic
}

// shape follows LANGUAGE 4: decode reads the content, fail_if looks at it, result
// replaces it, returns is what it must be then. A step's attribute stands for
// the one of the connection's tool block.
func (c *checker) shape(s *step, output, each *types.Type, p *place, en *env) *types.Type {
	y, b := s.syn, s.block
	decode := y.Decode
	if decode == nil && b != nil {
		decode = b.Decode
	}
	if decode != nil {
		output = decoded(decode.S, output)
	}
	if s.args == nil {
		s.args = types.ErrorType
	}
	if y.Result != nil || y.FailIf != nil || b != nil && (b.Result != nil || b.FailIf != nil) {
		self := c.newResult(s, output, each, outcomeOK)
		here := &place{noun: "result and fail_if of a step without for_each", roots: resultRoots | p.roots&rootEach, each: p.each, self: self.t, args: s.args}
		if y.FailIf != nil {
			c.check(y.FailIf.Expr, here, en, types.BoolType, failIfSubject)
		}
		switch {
		case y.Result != nil:
			var want *types.Type
			if !y.Returns.IsZero() {
				want = c.returns(s)
			}
			output = c.check(y.Result.Expr, here, en, want, &subject{plain: "The result of step " + quoted(s.name())})
		case b != nil && b.Result != nil:
			// The connection's own check reports what is wrong in it.
			block := &place{noun: "a tool block", roots: rootSelf | rootArgs, self: self.t, args: s.args}
			c.silently(func() { output = c.check(b.Result.Expr, block, nil, nil, nil) })
		}
	}
	return c.returned(s, output)
}

// returns reads a step's returns, without reporting what is wrong with it.
func (c *checker) returns(s *step) (t *types.Type) {
	c.silently(func() { t = c.typeOf(s.syn.Returns) })
	return t
}

// returned applies returns to what a step gives.
func (c *checker) returned(s *step, output *types.Type) *types.Type {
	e := s.syn.Returns
	written := !e.IsZero()
	if !written && s.block != nil {
		e = s.block.Returns
	}
	if e.IsZero() {
		return output
	}
	var t *types.Type
	if written {
		t = c.typeOf(e)
	} else {
		c.silently(func() { t = c.typeOf(e) })
	}
	if t.IsError() || output.IsError() {
		return t
	}
	if written && !types.Overlap(t, output) {
		detail := fmt.Sprintf("Nothing that this step gives is %s: it gives %s.", brief(t), brief(output))
		if m := types.Assignable(t, output); m != nil && m.Path != "" {
			detail += fmt.Sprintf(" The first difference: %s.", m.Error())
		}
		c.report(diag.New(codeImpossibleType, e.Range(), "%s Change returns to a type that the output can have.", detail))
		return types.ErrorType
	}
	return t
}

// decoded is what decode makes of text content.
func decoded(how string, was *types.Type) *types.Type {
	switch how {
	case "jsonl":
		return types.ListOf(types.AnyType)
	case "csv":
		return types.ListOf(types.MapOf(types.StringType))
	case "lines":
		return types.ListOf(types.StringType)
	case "text":
		return types.StringType
	case "blob":
		return types.BlobType
	case "json", "yaml":
		return types.AnyType
	}
	return was
}
