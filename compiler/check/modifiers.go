package check

import (
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

var (
	attemptsSubject  = &subject{plain: "The number of attempts"}
	delaySubject     = &subject{plain: "The delay"}
	maxDelaySubject  = &subject{plain: "The longest delay"}
	kindsSubject     = &subject{plain: "The list of kinds of failures"}
	retryWhenSubject = &subject{plain: "The condition of retry"}
	assertSubject    = &subject{plain: "The condition of assert"}
	errorTextSubject = &subject{plain: "The error message"}

	// kindsType is a list of kinds of failures.
	kindsType = types.ListOf(enum(syntax.Kinds...))
)

// checkRetry checks a retry block. Its `when` sees the failure as self.error.
func (c *checker) checkRetry(s *step, sc site, each *types.Type) {
	r := s.syn.Retry
	if a := r.Attempts; a != nil {
		c.atLeastOne(a.Expr, sc.general, sc.en, attemptsSubject, "attempts counts the first one, too")
	}
	if d := r.Delay; d != nil {
		c.duration(d.Expr, sc.general, sc.en, delaySubject)
	}
	if d := r.MaxDelay; d != nil {
		c.duration(d.Expr, sc.general, sc.en, maxDelaySubject)
	}
	if a := r.On; a != nil {
		c.check(a.Expr, sc.general, sc.en, kindsType, kindsSubject)
	}
	if w := r.When; w != nil {
		here := c.looksAt(s, sc, c.newResult(s, types.AnyType, each, outcomeError))
		c.check(w.Expr, here, sc.en, types.BoolType, retryWhenSubject)
	}
}

// checkAsserts checks what must hold of a result.
func (c *checker) checkAsserts(s *step, output, each *types.Type, sc site) {
	if len(s.syn.Asserts) == 0 {
		return
	}
	here := c.looksAt(s, sc, c.newResult(s, output, each, outcomeOK))
	for _, a := range s.syn.Asserts {
		c.check(a.Condition, here, sc.en, types.BoolType, assertSubject)
		c.check(a.ErrorMessage, here, sc.en, types.StringType, errorTextSubject)
	}
}

// checkUndo checks the calls that take back what the step did, which see its
// result as self and what it was given as args.
func (c *checker) checkUndo(s *step, output, each *types.Type, sc site) {
	if len(s.syn.Undo) == 0 {
		return
	}
	here := *c.looksAt(s, sc, c.newResult(s, output, each, outcomeOK))
	here.noun, here.roots = "undo", here.roots|rootSecret
	s.undoEffects, s.undoNulls = s.undoEffects[:0], s.undoNulls[:0]
	for i, u := range s.syn.Undo {
		k := s.undo[i]
		effect := catalog.Unknown
		var nulls []string
		if u.Call != nil {
			c.checkKey(k.source, u.Call, &here, sc.en)
		}
		switch {
		case u.Call != nil && k.args != nil:
			sub := &subject{noun: "argument", of: k.owner, sent: true}
			effect = c.effect(k, c.arguments(u.Args, u.Range, u.Call.Range, k.args, sub, &here, sc.en))
			nulls = c.takesNull(u.Args, k.args)
		case u.Args != nil:
			c.check(u.Args.Expr, &here, sc.en, objectOfAnything, &subject{plain: "What is given to undo"})
		}
		s.undoEffects, s.undoNulls = append(s.undoEffects, effect), append(s.undoNulls, nulls)
	}
}
