package check

import (
	"fmt"
	"strconv"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// expressions calls f for every expression of a step, in the order of LANGUAGE 4.
func (s *step) expressions(f func(expr.Expr)) {
	y := s.syn
	all := func(attrs ...*syntax.Attribute) {
		for _, a := range attrs {
			if a != nil {
				f(a.Expr)
			}
		}
	}
	some := func(es ...expr.Expr) {
		for _, e := range es {
			if !e.IsZero() {
				f(e)
			}
		}
	}
	if t := y.Target(); t != nil {
		some(t.Key)
	}
	all(y.Value, y.Sleep, y.URI, y.Args, y.When, y.ForEach, y.Key, y.MaxParallel, y.Timeout, y.IdleTimeout, y.Deadline, y.Result, y.FailIf)
	for _, b := range y.Bind {
		some(b.Ours.Key)
	}
	if x := y.Ask; x != nil {
		all(x.Message, x.Choices, x.Approvers)
	}
	if x := y.Loop; x != nil {
		all(x.While, x.Max, x.Delay)
	}
	if x := y.Retry; x != nil {
		all(x.Attempts, x.Delay, x.MaxDelay, x.On, x.When)
	}
	for _, x := range y.Asserts {
		some(x.Condition, x.ErrorMessage)
	}
	for _, x := range y.Undo {
		if x.Call != nil {
			some(x.Call.Key)
		}
		all(x.Args)
	}
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

// place returns p as it is in the step: in a finally block, what it reads
// of other steps may have ended in any way.
func (s *step) place(p *place) *place {
	if !s.syn.Finally {
		return p
	}
	q := *p
	q.final, q.run = true, finalRun
	return &q
}

// site is where the expressions of one element, or one round, of a step stand.
type site struct {
	general *place
	secrets *place // of args, which secrets may go to
	result  *place // of what looks at self; its self is set where it is known
	en      *env
}

var (
	whenSubject        = &subject{plain: "The condition of when"}
	forEachSubject     = &subject{plain: "What for_each goes through"}
	elementKeySubject  = &subject{plain: "The key"}
	maxParallelSubject = &subject{plain: "max_parallel"}
	timeoutSubject     = &subject{plain: "The timeout"}
	idleSubject        = &subject{plain: "The idle_timeout"}
	deadlineSubject    = &subject{plain: "The deadline"}
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
	asked := s.place(oncePlace)
	if y.When != nil && !s.whenEach {
		wrong := c.check(y.When.Expr, asked, nil, types.BoolType, whenSubject).IsError()
		once = c.assuming(y.When.Expr, asked, nil).unless(wrong)
	}
	fan := y.ForEach != nil
	fits := true
	sc := site{
		general: s.place(stepPlace), secrets: s.place(argsPlace), en: once,
		result: s.place(&place{noun: "result and fail_if of a step without for_each", roots: resultRoots}),
	}
	var each *types.Type
	if fan {
		fits = c.elementsOf(s, once)
		c.keyOf(s, once)
		e := eachType(s.elements.key, s.elements.elem)
		sc.general = s.place(&place{noun: "this attribute", roots: stepRoots | rootEach, each: e, step: s})
		sc.secrets = s.place(&place{noun: "args", roots: stepRoots | rootEach | rootSecret, each: e, step: s})
		sc.result = s.place(&place{noun: "this attribute", roots: resultRoots | rootEach, each: e, step: s})
		each = types.ExactOf([]types.Attr{{Name: "key", Type: s.elements.key}, {Name: "value", Type: s.elements.elem}})
	}
	if s.whenEach {
		wrong := c.check(y.When.Expr, sc.general, once, types.BoolType, whenSubject).IsError()
		sc.en = c.assuming(y.When.Expr, sc.general, once).unless(wrong)
	}
	if m := y.MaxParallel; m != nil {
		c.atLeastOne(m.Expr, asked, once, maxParallelSubject, "max_parallel is the number of elements in flight at once")
	}
	if d := y.Deadline; d != nil {
		c.duration(d.Expr, sc.general, sc.en, deadlineSubject)
	}

	can := outcomeOK
	if y.OnError != nil && (y.OnError.Continue || len(y.OnError.Kinds) > 0) {
		can |= outcomeError
	}
	outer := sc
	if y.Loop != nil {
		sc = c.looping(s, sc, each, can)
	}
	output := c.round(s, sc, each)
	if y.Loop != nil {
		c.checkLoop(s, outer, sc, output, each, can)
	} else if y.When != nil && (s.whenEach || !fan) {
		can |= outcomeSkipped
	}
	s.one = c.newResult(s, output, each, can)
	if !s.cyclic && fits && !y.Unclear {
		s.typ = s.wrap(s.one.t)
	}
}

// wrap makes the type of step.NAME of the type of one result: under loop a
// list of rounds, under for_each a list or map of elements.
func (s *step) wrap(one *types.Type) *types.Type {
	if s.syn.Loop != nil {
		one = types.ListOf(one)
	}
	switch {
	case s.syn.ForEach == nil:
		return one
	case s.elements.isAny && s.syn.Key == nil:
		return types.AnyType
	case s.elements.isMap:
		return types.MapOf(one)
	}
	return types.ListOf(one)
}

// round checks what is done for one element, or in one round, and returns the output.
func (c *checker) round(s *step, sc site, each *types.Type) *types.Type {
	y := s.syn
	if t := y.Timeout; t != nil {
		c.duration(t.Expr, sc.general, sc.en, timeoutSubject)
	}
	if t := y.IdleTimeout; t != nil {
		c.duration(t.Expr, sc.general, sc.en, idleSubject)
	}
	output := c.action(s, sc)
	if s.args == nil {
		s.args = types.ErrorType
	}
	if y.Retry != nil {
		c.checkRetry(s, sc, each)
	}
	output = c.shape(s, output, each, sc)
	c.checkAsserts(s, output, each, sc)
	c.checkUndo(s, output, each, sc)
	return output
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
	c.at(e.Source, s.place(forEachPlace), func() { coll, ok = c.goThrough(e.Node, en, forEachSubject) })
	if !ok {
		coll = collection{key: types.ErrorType, elem: types.ErrorType}
	}
	s.elements = &elements{collection: coll, key: coll.key, isMap: ok && !coll.isList && !coll.isAny}
	return ok
}

// eachType is what each reads as.
func eachType(key, elem *types.Type) *types.Type {
	return types.ExactOf([]types.Attr{
		{Name: "key", Type: key},
		{Name: "value", Type: elem},
		{Name: "index", Type: types.IntegerType},
	})
}

// keyOf checks a step's key, for which each.key is still the index.
func (c *checker) keyOf(s *step, en *env) {
	k := s.syn.Key
	if k == nil {
		return
	}
	el := s.elements
	p := s.place(&place{noun: "key", roots: stepRoots | rootEach, each: eachType(el.key, el.elem), step: s})
	t := c.check(k.Expr, p, en, types.StringType, elementKeySubject)
	if el.isMap {
		c.report(diag.New(codeKeyWithoutList, k.NameRange, "This step goes through a map or object, whose keys are the keys of its elements already. Remove key.").
			With(s.syn.ForEach.Expr.Range(), "What it goes through."))
		return
	}
	el.isMap, el.key = true, t
}

// atLeastOne checks an expression that is a number from 1. why begins a
// sentence that says what it is.
func (c *checker) atLeastOne(e expr.Expr, p *place, en *env, sub *subject, why string) {
	t := c.check(e, p, en, types.IntegerType, sub)
	if u := t.Underlying(); u.Kind() == types.Literal && u.Lit().Kind() == value.Number && u.Lit().AsNumber().Sign() <= 0 {
		c.report(diag.New(codeRuleBroken, e.Range(), "%s, so that it is at least 1; this is %s.", why, u.Lit().JSON()))
	}
}

// duration checks an expression that gives a duration, and a constant one as such.
func (c *checker) duration(e expr.Expr, p *place, en *env, sub *subject) {
	if v, ok := e.Constant(); ok && v.Kind() == value.Number {
		number := v.JSON()
		c.report(diag.New(codeWrongDuration, e.Range(), "%s is a number without a unit, and a duration is a text with one: write \"%ss\" for seconds, or \"%sm\" for minutes.", number, number, number).
			Fix("Make it seconds", false, edit(e.Range(), strconv.Quote(number+"s"))))
		return
	}
	t := c.check(e, p, en, types.StringType, sub)
	u := t.Underlying()
	if u.Kind() != types.Literal || u.Lit().Kind() != value.String {
		return
	}
	if d, err := syntax.ParseDuration(u.Lit().AsString()); err != nil {
		c.report(diag.New(codeWrongDuration, e.Range(), "%q is no duration: write a number with a unit, as in \"30s\", \"10m\" or \"1h30m\".", u.Lit().AsString()))
	} else if d <= 0 {
		c.report(diag.New(codeWrongDuration, e.Range(), "%s must be longer than nothing; %q is not.", sub.phrase(""), u.Lit().AsString()))
	}
}

// shape follows LANGUAGE 4: decode reads the content, fail_if looks at it, result
// replaces it, returns is what it must be then. A step's attribute stands for
// the one of the connection's tool block.
func (c *checker) shape(s *step, output, each *types.Type, sc site) *types.Type {
	y, b := s.syn, s.block
	if s.does.declared != nil {
		b = nil // what the interface declares is what comes of the block
	}
	decode := y.Decode
	if decode == nil && b != nil {
		decode = b.Decode
	}
	if decode != nil {
		output = decoded(decode.S, output)
	}
	if y.Result != nil || y.FailIf != nil || b != nil && (b.Result != nil || b.FailIf != nil) {
		seen := output
		if decode == nil && s.does.declared != nil && s.does.reshapes() {
			seen = types.AnyType // the step looks at it before the block would have replaced it
		}
		here := c.looksAt(s, sc, c.newResult(s, seen, each, outcomeOK))
		if y.FailIf != nil {
			c.check(y.FailIf.Expr, here, sc.en, types.BoolType, failIfSubject)
		}
		switch {
		case y.Result != nil:
			var want *types.Type
			if !y.Returns.IsZero() {
				want = c.returns(s)
			}
			output = c.check(y.Result.Expr, here, sc.en, want, &subject{plain: "The result of step " + quoted(s.name())})
		case b != nil && b.Result != nil:
			// The connection's own check reports what is wrong in it.
			block := &place{noun: "a tool block", roots: rootSelf | rootArgs, self: here.self, args: s.args}
			c.silently(func() { output = c.check(b.Result.Expr, block, nil, nil, nil) })
		}
	}
	return c.returned(s, output)
}

// looksAt is the place of what looks at a result of the step.
func (c *checker) looksAt(s *step, sc site, self *result) *place {
	p := *sc.result
	p.self, p.args = self.t, s.args
	return &p
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
	if !written && s.block != nil && s.does.declared == nil {
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
