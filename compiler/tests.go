package compiler

import (
	"slices"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Test is a test that is ready to run: its expressions have the texts of files in
// them, and its workflow is compiled.
type Test struct {
	check.Test
	Plan     *plan.Plan // of what it runs, the same for all tests of it; nil where Diagnostics has errors
	Inputs   expr.Expr  // zero: none
	Previous expr.Expr  // the run before; zero: there is none
	Mocks    []Mock     // as in Syntax
	Answers  []Answer   // as in Syntax
	Outputs  expr.Expr  // those that are expected; zero: none
	Asserts  []Assert   // as in Syntax

	checked *check.Workflow
}

// Mock has the expressions of a mock block; zero: it is not written.
type Mock struct{ When, Output, Text, Content, Error expr.Expr }

// Answer has the expressions of an answer block; zero: it is not written.
type Answer struct{ When, Data expr.Expr }

// Assert has the expressions of an assert block.
type Assert struct{ Condition, Message expr.Expr }

// Tests checks and compiles the tests of a project that pick chooses, in the order of
// the files. What is wrong with a test, or with the workflow that it runs, is in its
// diagnostics.
func Tests(p *project.Project, pick func(*syntax.Test) bool) []Test {
	type compiled struct {
		plan    *plan.Plan
		checked *check.Workflow
		found   diag.List
	}
	type target struct {
		workflow   *syntax.Workflow
		deployment *syntax.Deployment
	}
	known := map[target]*compiled{}
	var out []Test
	for _, t := range check.Tests(p, pick) {
		x := Test{Test: t}
		if of := t.Syntax.Deployment; t.Workflow == nil && of != nil && len(of.Path) == 2 && p.Deployments[of.Path[1].Text] != nil {
			// It is of a workflow that does not exist, which is said where that is named.
			_, found := Compile(p, Target{Target: project.Target{Deployment: p.Deployments[of.Path[1].Text]}})
			x.Diagnostics = append(slices.Clip(x.Diagnostics), found...)
		}
		if t.Workflow != nil {
			of := target{t.Workflow, t.Deployment}
			c := known[of]
			if c == nil {
				w, found := check.Tested(p, t.Workflow, t.Deployment, t.Bind)
				c = &compiled{checked: w, found: slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })}
				if w != nil {
					c.plan = linked(p, w, t.Deployment)
				}
				known[of] = c
			}
			x.Plan, x.checked = c.plan, c.checked
			x.Diagnostics = append(slices.Clip(x.Diagnostics), c.found...)
		}
		if x.Diagnostics.HasErrors() {
			x.Plan = nil
		}
		x.expressions(p)
		out = append(out, x)
	}
	return out
}

func (t *Test) expressions(p *project.Project) {
	of := func(a *syntax.Attribute) expr.Expr {
		if a == nil {
			return expr.Expr{}
		}
		return withFiles(p, a.Expr)
	}
	y := t.Syntax
	t.Inputs, t.Previous = of(y.Inputs), of(y.Previous)
	for _, m := range y.Mocks {
		t.Mocks = append(t.Mocks, Mock{of(m.When), of(m.Output), of(m.Text), of(m.Content), of(m.Error)})
	}
	for _, a := range y.Answers {
		t.Answers = append(t.Answers, Answer{of(a.When), of(a.Data)})
	}
	if y.Expect != nil {
		t.Outputs = of(y.Expect.Outputs)
	}
	for _, a := range y.Asserts {
		t.Asserts = append(t.Asserts, Assert{withFiles(p, a.Condition), withFiles(p, a.ErrorMessage)})
	}
}

// Source returns the name under which mocks know a source. steps leads to the
// workflow that uses it: the steps that run a workflow, from the test's own on; source
// is its name there. A source that is handed on keeps the name that it has where it
// comes from.
func (t *Test) Source(steps []string, source string) string {
	workflows := []*check.Workflow{t.checked}
	var runs []*check.Step
	for _, name := range steps {
		w := workflows[len(workflows)-1]
		i := slices.IndexFunc(w.Steps, func(s check.Step) bool { return s.Syntax.Name.Text == name })
		if i < 0 || w.Steps[i].Child == nil {
			break
		}
		runs = append(runs, &w.Steps[i])
		workflows = append(workflows, w.Steps[i].Child)
	}
	for i := len(runs) - 1; i >= 0; i-- {
		j := slices.IndexFunc(runs[i].Handed, func(h check.Handed) bool { return h.Child == source })
		if j < 0 {
			break
		}
		source = runs[i].Handed[j].Ours
	}
	return source
}
