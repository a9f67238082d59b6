// Package follows values through a workflow: those that not everybody may see, and
// those that not everybody may be trusted with (LANGUAGE 7).
//
// What an expression gives is followed field by field, as a shape of marks, each with
// the way that it came. Conditions carry nothing: whether a value is there, what it
// equals and how long it is says little of it, and where they decide is not followed.
// What a tool answers carries what its connection and its `tool` block say, not
// what it was given.
//
// Its central function is [Workflow]. It may import lang and reads nothing else.
package follow

import (
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// The codes. lang/diag/codes_31_sensitive.go and codes_32_trust.go explain them.
const (
	codeOutput    diag.Code = "WFC3101"
	codeMessage   diag.Code = "WFC3102"
	codeName      diag.Code = "WFC3103"
	codeUnnamed   diag.Code = "WFC3104"
	codeChild     diag.Code = "WFC3105"
	codePrivate   diag.Code = "WFC3201"
	codeUntrusted diag.Code = "WFC3202"
)

// Kind is a set of reasons why a value is followed.
type Kind uint8

// The kinds.
const (
	Sensitive Kind = 1 << iota // nobody may see it
	Private                    // of a connection with data = "private"
	Untrusted                  // of a connection with trust = "untrusted"
)

// Flow is a workflow that was checked and has no errors.
type Flow struct {
	Syntax *syntax.Workflow
	Steps  []Step // in file order, its finally blocks after the others
	Order  []Name // its locals and steps, each after those that it refers to
	// Child returns the workflow of a name, or nil.
	Child func(name string) *syntax.Workflow
	// Approved says that a person approves each destructive call.
	Approved bool
}

// Name is the name of a local or step: local.NAME or step.NAME.
type Name struct{ Root, Name string }

// Step is what the checker knows of a step or finally block.
type Step struct {
	Syntax *syntax.Step
	// Of a call, read or prompt:
	Connection  string // its id, or the family that it is chosen from, for messages; "" where it is not known
	Tool        string // "demo.main.greet", for messages
	Gives       Kind   // what its answer carries
	External    bool   // the connection reaches outside
	Destructive bool   // the call is destructive
	Block       *syntax.ToolOverride
	Args        *types.Type // of the arguments as they are given; nil: not known

	Output *types.Type // of the result; nil: not known
}

// Concerns reports whether there is anything to follow in a workflow. mentions reports
// whether an expression of the workflow uses a secret or the function sensitive.
func Concerns(f *Flow, mentions bool) bool {
	if mentions {
		return true
	}
	for _, in := range f.Syntax.Inputs {
		if isTrue(in.Sensitive) {
			return true
		}
	}
	for _, s := range f.Steps {
		if s.Gives != 0 || len(sensitiveOutputs(f, s.Syntax)) > 0 {
			return true
		}
	}
	return false
}

// Workflow returns what is wrong with the ways that values go.
func Workflow(f *Flow) diag.List {
	a := &analysis{
		flow:    f,
		inputs:  map[string]*syntax.Input{},
		locals:  map[string]*local{},
		steps:   map[string]*step{},
		outputs: map[string]*syntax.Output{},
	}
	for _, in := range f.Syntax.Inputs {
		a.inputs[in.Name.Text] = in
	}
	for _, l := range f.Syntax.Locals {
		a.locals[l.Name.Text] = &local{syntax: l}
	}
	for i := range f.Steps {
		s := &step{Step: &f.Steps[i]}
		a.list = append(a.list, s)
		a.steps[s.Syntax.Name.Text] = s
	}
	for _, o := range f.Syntax.Outputs {
		a.outputs[o.Name.Text] = o
	}
	for _, n := range f.Order { // a chain of them may be longer than a stack
		a.named(n.Root, n.Name)
	}
	a.messages()
	for _, s := range a.list {
		a.sinks(s)
		a.trust(s)
	}
	a.results()
	return a.found
}

// analysis is one look at a workflow.
type analysis struct {
	flow    *Flow
	inputs  map[string]*syntax.Input
	locals  map[string]*local
	steps   map[string]*step
	list    []*step
	outputs map[string]*syntax.Output
	found   diag.List

	// Of the expression in hand:
	src  []byte
	step *step // nil: it is of none
	self *shape
	args *shape
}

type local struct {
	syntax *syntax.Local
	shape  *shape
	state  state
}

type step struct {
	*Step
	one   *shape // of one result
	state state

	elements      *shape // what for_each goes through
	elementsState state

	refs      []*step         // nil: not looked at yet, as are the next two
	questions map[*step]bool  // those that ask a person and end before it begins
	before    map[string]bool // all that end before it begins
}

// state keeps what refers to itself from being followed for ever.
type state uint8

const (
	fresh state = iota
	open
	done
)

func isTrue(b *bool) bool { return b != nil && *b }

// in evaluates an expression of a step, or of none.
func (a *analysis) in(s *step, e expr.Expr, self, args *shape) *shape {
	if e.IsZero() {
		return nil
	}
	src, outer, oldSelf, oldArgs := a.src, a.step, a.self, a.args
	a.src, a.step, a.self, a.args = e.Source, s, self, args
	out := a.expr(e.Node, nil)
	a.src, a.step, a.self, a.args = src, outer, oldSelf, oldArgs
	return out
}

func (a *analysis) attribute(s *step, at *syntax.Attribute, self, args *shape) *shape {
	if at == nil {
		return nil
	}
	return a.in(s, at.Expr, self, args)
}

// sensitiveOutputs returns the outputs of the workflow that a step runs that are sensitive.
func sensitiveOutputs(f *Flow, y *syntax.Step) []*syntax.Output {
	child := childOf(f, y)
	if child == nil {
		return nil
	}
	var out []*syntax.Output
	for _, o := range child.Outputs {
		if isTrue(o.Sensitive) {
			out = append(out, o)
		}
	}
	return out
}

func childOf(f *Flow, y *syntax.Step) *syntax.Workflow {
	if y.Run == nil || len(y.Run.Path) == 0 || f.Child == nil {
		return nil
	}
	return f.Child(y.Run.Path[len(y.Run.Path)-1].Text)
}
