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

// collectRefs calls add for each step that an expression refers to, through
// locals too.
func (a *analysis) collectRefs(e expr.Expr, add func(step string), locals map[string]bool) {
	for _, r := range e.Refs() {
		switch r.Root {
		case "step":
			add(r.Name)
		case "local":
			if l := a.locals[r.Name]; l != nil && !locals[r.Name] {
				locals[r.Name] = true
				a.collectRefs(l.syntax.Expr, add, locals)
			}
		}
	}
}
