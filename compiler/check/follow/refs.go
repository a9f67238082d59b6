package follow

import (
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
)

// expressions returns the expressions of a step that it waits for.
func expressions(y *syntax.Step) []expr.Expr {
	var out []expr.Expr
	add := func(as ...*syntax.Attribute) {
		for _, a := range as {
			if a != nil {
				out = append(out, a.Expr)
			}
		}
	}
	add(y.Value, y.Sleep, y.Args, y.URI, y.When, y.ForEach, y.Key, y.Result, y.FailIf, y.MaxParallel, y.Timeout, y.IdleTimeout, y.Deadline)
	if y.Ask != nil {
		add(y.Ask.Message, y.Ask.Choices, y.Ask.Approvers)
	}
	if y.Loop != nil {
		add(y.Loop.While, y.Loop.Max, y.Loop.Delay)
	}
	return out
}

// refs returns the steps that a step refers to, through locals too, and those that it
// depends on.
func (a *analysis) refs(s *step) []*step {
	if s.refs != nil {
		return s.refs
	}
	s.refs = []*step{}
	seen := map[*step]bool{s: true}
	add := func(name string) {
		if t := a.steps[name]; t != nil && !seen[t] {
			seen[t] = true
			s.refs = append(s.refs, t)
		}
	}
	locals := map[string]bool{}
	for _, e := range expressions(s.Syntax) {
		a.eachRef(e, add, locals)
	}
	for _, d := range s.Syntax.DependsOn {
		if len(d.Path) == 2 {
			add(d.Path[1].Text)
		}
	}
	return s.refs
}

// eachRef calls add for each step that an expression refers to.
func (a *analysis) eachRef(e expr.Expr, add func(step string), locals map[string]bool) {
	for _, r := range e.Refs() {
		switch r.Root {
		case "step":
			add(r.Name)
		case "local":
			if l := a.locals[r.Name]; l != nil && !locals[r.Name] {
				locals[r.Name] = true
				a.eachRef(l.syntax.Expr, add, locals)
			}
		}
	}
}

// questions returns the steps that ask a person and end before a step begins.
func (a *analysis) questions(s *step) map[*step]bool {
	if s.questions != nil {
		return s.questions
	}
	s.questions = map[*step]bool{} // of a cycle, which has its diagnostic, none
	all := map[*step]bool{}
	for _, t := range a.refs(s) {
		if t.Syntax.Ask != nil {
			all[t] = true
		}
		for q := range a.questions(t) {
			all[q] = true
		}
	}
	s.questions = all
	return all
}

// waitsFor reports whether a step begins after another has ended.
func (a *analysis) waitsFor(s *step, name string) bool {
	if s.before == nil {
		s.before = map[string]bool{}
		next := []*step{s}
		for len(next) > 0 {
			t := next[len(next)-1]
			next = next[:len(next)-1]
			for _, r := range a.refs(t) {
				if n := r.Syntax.Name.Text; !s.before[n] {
					s.before[n] = true
					next = append(next, r)
				}
			}
		}
	}
	return s.before[name]
}
