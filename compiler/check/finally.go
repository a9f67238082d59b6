package check

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
)

// finalType returns the type of step.NAME as a finally block reads it: the run
// may have ended before the step, in it, or after it.
func (c *checker) finalType(s *step) *types.Type {
	t := c.stepType(s)
	if t.IsError() || isAny(t) || s.one == nil {
		return t
	}
	if s.finalTyp == nil {
		can := outcomeOK | outcomeError | outcomeSkipped
		if s.syn.Loop != nil {
			can = outcomeOK | outcomeError // rounds that never began are not there
		}
		r := c.newResult(s, s.one.output, s.one.each, can)
		r.final = true
		s.finalTyp = s.wrap(r.t)
	}
	return s.finalTyp
}

var finalLocalPlace = &place{noun: "a local", roots: localPlace.roots, final: true, run: finalRun}

// finalLocal returns the type of a local in a finally block, where what it
// reads of steps may be missing, and what is wrong with it there.
func (c *checker) finalLocal(l *local) (*types.Type, *diag.Diagnostic) {
	if t := c.localType(l); t.IsError() || l.cyclic || !c.readsSteps(l, map[*local]bool{}) {
		return t, nil
	}
	if l.finalTyp == nil {
		l.finalTyp = types.ErrorType
		outer, muted := c.diags, c.muted
		c.diags, c.muted = nil, 0
		t := c.check(l.syn.Expr, finalLocalPlace, nil, nil, nil)
		found := c.diags
		c.diags, c.muted = outer, muted
		if found.HasErrors() {
			l.finalProblem = &found[0]
		} else {
			l.finalTyp = t
		}
	}
	return l.finalTyp, l.finalProblem
}

// readsSteps reports whether a local depends on a step.
func (c *checker) readsSteps(l *local, seen map[*local]bool) bool {
	if seen[l] {
		return false
	}
	seen[l] = true
	for _, n := range l.needs {
		if n.step != nil || c.readsSteps(n.local, seen) {
			return true
		}
	}
	return false
}

// localInFinally reports a local that cannot be used in a finally block.
func (c *checker) localInFinally(name string, at hcl.Range, why *diag.Diagnostic) {
	d := diag.New(codeUnguarded, at, "local.%s cannot be used in a finally block as it is: the run may have ended before the steps that it reads. %s", name, why.Detail)
	d.Related = append(d.Related, diag.Related{Message: "It reads a step here.", Range: why.Range})
	c.report(d)
}

// finallyReferred reports a reference to a finally block.
func (c *checker) finallyReferred(name string, at hcl.Range) {
	c.report(diag.New(codeFinallyReferred, at, "%s", fmt.Sprintf("%q is a finally block: it runs when all others have ended, so that nothing else can refer to it. Move what is needed of it into a step.", name)))
}
