package check

import (
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

var (
	whileSubject = &subject{plain: "The condition of loop"}
	maxSubject   = &subject{plain: "The number of rounds"}
)

// loopType is what loop reads as, by the type of a previous result.
func loopType(previous *types.Type) *types.Type {
	return types.ObjectOf([]types.Attr{
		{Name: "index", Type: types.IntegerType},
		{Name: "previous", Type: types.NullableOf(previous)},
	}, nil)
}

// inLoop returns the site with loop in it.
func (sc site) inLoop(previous *types.Type) site {
	t := loopType(previous)
	with := func(p *place) *place {
		q := *p
		q.roots, q.loop = q.roots|rootLoop, t
		return &q
	}
	return site{general: with(sc.general), secrets: with(sc.secrets), result: with(sc.result), en: sc.en}
}

// looping returns the site of one round. What a round gives does not depend on
// the round before, unless its value or result says so: then the type of the
// first look, at which the previous output is anything, must hold of a second.
func (c *checker) looping(s *step, sc site, each *types.Type, can outcomes) site {
	look := func(previous *types.Type) (out *types.Type) {
		c.silently(func() { out = c.round(s, sc.inLoop(c.previous(s, sc, previous, each, can)), each) })
		return out
	}
	output := look(types.AnyType)
	if s.syn.Returns.IsZero() && (mentionsLoop(s.syn.Value) || mentionsLoop(s.syn.Result)) {
		first := types.Widen(output)
		if again := look(first); again.IsError() || types.Assignable(first, again) != nil {
			first = types.AnyType
		}
		output = first
	}
	if output.IsError() {
		output = types.AnyType // so that the mistake shows once more, when it is reported
	}
	return sc.inLoop(c.previous(s, sc, output, each, can))
}

// mentionsLoop reports whether an expression reads the previous round.
func mentionsLoop(a *syntax.Attribute) bool { return a != nil && mentionsRoot(a.Expr.Node, "loop") }

// previous returns the type of a result of which `while` holds (LANGUAGE 4): that
// is the result before the round in hand.
func (c *checker) previous(s *step, sc site, output, each *types.Type, can outcomes) *types.Type {
	self := c.newResult(s, output, each, can)
	w := s.syn.Loop.While
	if w == nil {
		return self.t
	}
	if s.args == nil {
		s.args = types.ErrorType
	}
	p := c.looksAt(s, sc.inLoop(types.AnyType), self)
	r := self
	c.silently(func() {
		c.at(w.Expr.Source, p, func() {
			en := c.assume(w.Expr.Node, true, nil)
			if !en.hasFacts() {
				return
			}
			const path = "self"
			if k := c.resultOf(c.narrowResult(en, path, self)); k != nil {
				r = k
			}
			out := c.narrow(en, path+".output", of(r.output)).t
			out = c.narrowParts(en, path+".output", out)
			r = c.newResult(s, out, each, r.outcomes)
		})
	})
	return r.t
}

// checkLoop checks a loop block. `while` is asked of a result as it is, failed
// ones included where failures are tolerated; max is known before the first round.
func (c *checker) checkLoop(s *step, outer, sc site, output, each *types.Type, can outcomes) {
	l := s.syn.Loop
	if l.While != nil {
		c.check(l.While.Expr, c.looksAt(s, sc, c.newResult(s, output, each, can)), sc.en, types.BoolType, whileSubject)
	}
	if l.Max != nil {
		c.atLeastOne(l.Max.Expr, outer.general, outer.en, maxSubject, "max is the number of rounds after which the loop gives up")
	}
	if l.Delay != nil {
		c.duration(l.Delay.Expr, sc.general, sc.en, delaySubject)
	}
}
