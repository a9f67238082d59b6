package lint

import (
	"github.com/lda-wf/wfc/lang/diag"
)

// blindLoops reports the loops whose `while` does not look at what the round gave.
func (p *pass) blindLoops() {
	for _, s := range p.list {
		l := s.Syntax.Loop
		if l == nil || l.While == nil {
			continue
		}
		looks := false
		for _, r := range l.While.Expr.Refs() {
			// The step itself by its name is an error already: self is meant.
			looks = looks || r.Root == "self" || r.Root == "loop" || r.Root == "step" && r.Name == s.Syntax.Name.Text
		}
		if !looks {
			p.report(diag.New(codeBlindLoop, l.While.Expr.Range(), "The `while` of this loop does not mention self, so that no round can change what it says: the loop ends after the first round, or at max. Ask for something of self, the result of the round."))
		}
	}
}
