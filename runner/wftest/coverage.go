package wftest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runner/engine"
)

// WorkflowCoverage says what of a workflow the tests ran.
type WorkflowCoverage struct {
	Workflow string
	Steps    []StepCoverage // in the order of the plan; finally blocks are steps here
}

// StepCoverage says how often a step ran, and which ways it took.
type StepCoverage struct {
	Step     string
	At       plan.Range
	Ran      int // results that are not skipped: of a fan-out its elements, of a loop its rounds
	Branches []BranchCoverage
}

// BranchCoverage says how often a step took one of its ways.
type BranchCoverage struct {
	Branch Branch
	Taken  int
}

// Branch is a way that a step can take.
type Branch string

// The branches. A step has those that its block gives it.
const (
	WhenTrue     Branch = "when true"
	WhenFalse    Branch = "when false"
	ForEachSome  Branch = "for_each some" // it had elements
	ForEachNone  Branch = "for_each none"
	LoopOnce     Branch = "loop once" // it ended after one round
	LoopAgain    Branch = "loop again"
	OnErrorTaken Branch = "on_error taken"
	RetryTaken   Branch = "retry taken"
	UndoTaken    Branch = "undo taken"
	AskAnswered  Branch = "ask answered"
	AskDeclined  Branch = "ask declined"
)

// Counts returns how many steps, and how many branches, there are and ran.
func (w *WorkflowCoverage) Counts() (steps, ran, branches, taken int) {
	for _, s := range w.Steps {
		steps++
		if s.Ran > 0 {
			ran++
		}
		for _, b := range s.Branches {
			branches++
			if b.Taken > 0 {
				taken++
			}
		}
	}
	return steps, ran, branches, taken
}

// coverage counts what one run did.
type coverage struct {
	ran   map[stepKey]int
	taken map[branchKey]int
}

type stepKey struct{ workflow, step string }

type branchKey struct {
	stepKey
	branch Branch
}

func newCoverage() *coverage {
	return &coverage{map[stepKey]int{}, map[branchKey]int{}}
}

// started counts what the begin of a node says.
func (c *coverage) started(core *engine.Core, f engine.NodeStarted) {
	k := keyOf(core, f.At)
	switch n := core.Elements(f.At); {
	case n > 0:
		c.take(k, ForEachSome)
	case n == 0:
		c.take(k, ForEachNone)
	}
	if f.Attempt > 1 {
		c.take(k, RetryTaken)
	}
}

// recorded counts what the core says of itself.
func (c *coverage) recorded(core *engine.Core, f engine.Fact) {
	switch f := f.(type) {
	case engine.NodeStarted:
		c.started(core, f)
	case engine.NodeEnded:
		c.ended(core, f)
	}
}

func (c *coverage) ended(core *engine.Core, f engine.NodeEnded) {
	k := keyOf(core, f.At)
	spec := core.Spec(f.At)
	if f.At.Undo > 0 {
		if f.Outcome != engine.OutcomeSkipped {
			c.take(k, UndoTaken)
		}
		return
	}
	whole := f.At.Elem == engine.Whole
	fan := spec.ForEach != "" && whole && f.At.Round == 0
	loop := spec.Loop != nil && f.At.Round == 0
	skipped := f.Outcome == engine.OutcomeSkipped
	if !fan && !loop && !skipped {
		c.ran[k]++
	}
	if spec.When != "" && f.At.Round == 0 {
		// What is skipped because the run stops was asked nothing.
		switch asked := spec.ForEach == "" || spec.WhenEach != whole; {
		case !asked:
		case !skipped:
			c.take(k, WhenTrue)
		case f.Attempts <= 0 && !core.Stopping(f.At):
			c.take(k, WhenFalse)
		}
	}
	if spec.Kind == plan.AskNode && !fan {
		switch {
		case f.Outcome == engine.OutcomeOK:
			c.take(k, AskAnswered)
		case f.Failure != nil && f.Failure.Kind == engine.KindDeclined:
			c.take(k, AskDeclined)
		}
	}
	if f.Failure != nil && !fan && !loop && tolerated(spec, f.Failure.Kind) {
		c.take(k, OnErrorTaken)
	}
	if spec.Loop != nil && f.At.Round > 1 {
		c.take(k, LoopAgain)
	}
	if loop && !skipped && core.Rounds(f.At) == 1 {
		c.take(k, LoopOnce)
	}
}

func (c *coverage) take(k stepKey, b Branch) { c.taken[branchKey{k, b}]++ }

func keyOf(core *engine.Core, at engine.Addr) stepKey {
	return stepKey{core.PlanOf(at).Workflow, core.Spec(at).ID}
}

func tolerated(spec *plan.NodeSpec, kind engine.Kind) bool {
	return slices.Contains(spec.OnError, "*") || slices.Contains(spec.OnError, string(kind))
}

// covered adds up what tests ran, by workflow, sorted by name. Workflows that others
// run are among them.
func covered(tests []compiler.Test, results []Result) []WorkflowCoverage {
	sum := newCoverage()
	workflows := map[string]*plan.Plan{}
	for i := range results {
		c := results[i].coverage
		if c == nil {
			continue
		}
		root := tests[i].Plan
		workflows[root.Workflow] = root
		for _, child := range root.Children {
			if workflows[child.Workflow] == nil {
				workflows[child.Workflow] = child
			}
		}
		for k, n := range c.ran {
			sum.ran[k] += n
		}
		for k, n := range c.taken {
			sum.taken[k] += n
		}
	}
	var out []WorkflowCoverage
	for _, name := range slices.Sorted(maps.Keys(workflows)) {
		out = append(out, sum.of(workflows[name]))
	}
	return out
}

// of says what was run of a workflow.
func (c *coverage) of(p *plan.Plan) WorkflowCoverage {
	out := WorkflowCoverage{Workflow: p.Workflow}
	for i, n := range p.Nodes {
		k := stepKey{p.Workflow, n.ID}
		s := StepCoverage{Step: n.ID, At: p.Ranges[nodePointer(i)], Ran: c.ran[k]}
		for _, b := range branchesOf(&n) {
			s.Branches = append(s.Branches, BranchCoverage{b, c.taken[branchKey{k, b}]})
		}
		out.Steps = append(out.Steps, s)
	}
	slices.SortStableFunc(out.Steps, func(a, b StepCoverage) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), a.At.Line-b.At.Line)
	})
	return out
}

// branchesOf are the ways that a step can take.
func branchesOf(n *plan.NodeSpec) (out []Branch) {
	if n.When != "" {
		out = append(out, WhenTrue, WhenFalse)
	}
	if n.ForEach != "" {
		out = append(out, ForEachSome, ForEachNone)
	}
	if n.Loop != nil {
		out = append(out, LoopOnce, LoopAgain)
	}
	if n.Kind == plan.AskNode {
		out = append(out, AskAnswered, AskDeclined)
	}
	if len(n.OnError) > 0 {
		out = append(out, OnErrorTaken)
	}
	if n.Retry != nil {
		out = append(out, RetryTaken)
	}
	if len(n.Undo) > 0 {
		out = append(out, UndoTaken)
	}
	return out
}

func nodePointer(i int) string { return fmt.Sprintf("/nodes/%d", i) }
