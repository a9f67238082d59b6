package check

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// flow is a workflow in the hands of the checker: its names, and what is known
// of each so far.
type flow struct {
	wf *syntax.Workflow

	sources map[string]*source
	inputs  map[string]*input
	locals  map[string]*local
	steps   map[string]*step

	// The same in file order, without second definitions.
	sourceList []*source
	inputList  []*input
	localList  []*local
	stepList   []*step

	order []node // locals and steps, each after those that it refers to

	previous *types.Type // of run.previous; nil: not made yet

	results map[*types.Type]*result
	guarded bool // some step's `when` is asked once, so that it says whether the step ran
}

// source is a logical source with what it is bound to.
type source struct {
	syn *syntax.Source
	bound
	conn  *connection      // where it is bound to one only; nil: to several, or to nothing that exists
	iface *iface.Interface // what it must offer, and all that can be used of it; nil: no interface is named
	twice bool             // another one has its name, so that which is meant is not known
}

type input struct {
	syn      *syntax.Input
	twice    bool        // another one has its name
	typ      *types.Type // what may be given
	read     *types.Type // what a reading gives where it is there
	optional bool        // may be left out without a default
	def      *value.Value
}

type local struct {
	syn    *syntax.Local
	index  int
	needs  []need
	cyclic bool
	twice  bool        // another one has its name
	typ    *types.Type // nil: not looked at yet

	finalTyp     *types.Type // in a finally block; nil: not looked at yet
	finalProblem *diag.Diagnostic
}

type step struct {
	syn    *syntax.Step
	index  int
	needs  []need
	cyclic bool
	twice  bool // another one has its name

	source *source              // of what is called, read or rendered; nil: of none, or of one that does not exist
	does   capability           // what is called, read or rendered
	whole  bool                 // a resource is read by its address
	tool   *catalog.Tool        // nil: no call, or nothing is known; of a family, that of the first member
	block  *syntax.ToolOverride // the connection's `tool` block, or nil
	undo   []capability         // of each undo block
	child  *child               // of a run; nil: of one that does not exist
	handed map[string]bound     // the sources of the child that are bound here

	whenEach bool        // `when` mentions each
	typ      *types.Type // of step.NAME; nil: not looked at yet
	one      *result     // one result
	elements *elements   // nil without for_each
	args     *types.Type // what args reads as, in what looks at a result
	effect   catalog.Effect
	unsure   bool // the effect is said of arguments in which something is wrong
	nullArgs []string

	undoEffects []catalog.Effect // of each undo block
	undoNulls   [][]string       // for which of its arguments a null is sent
	finalTyp    *types.Type      // of step.NAME in a finally block; nil: not looked at yet
}

// elements is what a step with for_each goes through.
type elements struct {
	collection
	key   *types.Type // of each.key and of the results' each.key
	isMap bool        // step.NAME is a map
}

func (s *step) name() string { return s.syn.Name.Text }

// name is the workflow as the beginning of a sentence.
func (f *flow) name() string { return "Workflow " + quoted(f.wf.Name.Text) }

func (f *flow) file() string { return f.wf.Header.Filename }

// newFlow collects the names of a workflow and reports those that are defined
// twice. binds says of each source that is not bound as it says itself what it
// is bound to; it may be nil.
func (c *checker) newFlow(wf *syntax.Workflow, binds map[string]bound) *flow {
	f := &flow{
		wf:      wf,
		sources: make(map[string]*source, len(wf.Sources)),
		inputs:  make(map[string]*input, len(wf.Inputs)),
		locals:  make(map[string]*local, len(wf.Locals)),
		steps:   make(map[string]*step, len(wf.Steps)),
		results: make(map[*types.Type]*result, len(wf.Steps)),
	}
	c.f = f
	for _, s := range wf.Sources {
		if old := f.sources[s.Name.Text]; old != nil {
			c.twice("source", s.Name, old.syn.Name)
			old.twice = true
			continue
		}
		src := &source{syn: s, bound: binds[s.Name.Text], iface: c.interfaceOf(s)}
		if len(src.members) == 0 {
			src.bound = c.ownBinding(s)
			c.satisfied(src, ownPlace(s))
		}
		if len(src.members) == 1 && !src.family {
			src.conn = src.members[0].conn
		}
		f.sources[s.Name.Text] = src
		f.sourceList = append(f.sourceList, src)
	}
	for _, s := range wf.Inputs {
		if old := f.inputs[s.Name.Text]; old != nil {
			c.twice("input", s.Name, old.syn.Name)
			old.twice = true
			continue
		}
		in := &input{syn: s}
		f.inputs[s.Name.Text] = in
		f.inputList = append(f.inputList, in)
	}
	for _, s := range wf.Locals {
		if old := f.locals[s.Name.Text]; old != nil {
			c.twice("local", s.Name, old.syn.Name)
			old.twice = true
			continue
		}
		l := &local{syn: s, index: len(f.localList)}
		f.locals[s.Name.Text] = l
		f.localList = append(f.localList, l)
	}
	for _, s := range slices.Concat(wf.Steps, wf.Finally) {
		if old := f.steps[s.Name.Text]; old != nil {
			c.twice("step", s.Name, old.syn.Name)
			old.twice = true
			continue
		}
		st := &step{syn: s, index: len(f.stepList)}
		f.steps[s.Name.Text] = st
		f.stepList = append(f.stepList, st)
	}
	outputs := make(map[string]*syntax.Output, len(wf.Outputs))
	for _, o := range wf.Outputs {
		if old := outputs[o.Name.Text]; old != nil {
			c.twice("output", o.Name, old.Name)
			continue
		}
		outputs[o.Name.Text] = o
	}
	return f
}

// twice reports a second definition of a name within a workflow.
func (c *checker) twice(noun string, again, first syntax.Label) {
	if again.Text == "" {
		return // a missing label, which has its diagnostic
	}
	c.report(diag.New(codeDefinedTwice, again.Range, "The %s %q is defined on line %d already. Rename one of them, or remove it.", noun, again.Text, first.Range.Start.Line).
		With(first.Range, "The first definition."))
}

// checkFlow checks everything of the workflow.
func (c *checker) checkFlow() {
	f := c.f
	for _, in := range f.inputList {
		c.checkInput(in)
	}
	for _, in := range f.inputList {
		c.checkValidations(in)
	}
	c.checkRuns()
	c.resolveActions()
	c.dependencies()
	for _, n := range f.order { // so that no local or step has to wait for others: a chain of them may be long
		if n.local != nil {
			c.localType(n.local)
		} else {
			c.checkStep(n.step)
		}
	}
	for _, o := range f.wf.Outputs {
		c.checkOutput(o)
	}
}

var (
	defaultPlace    = &place{noun: "a default, which is a constant"}
	validationPlace = &place{noun: "an input's validation, which is over inputs only", roots: rootInput}
	localPlace      = &place{noun: "a local", roots: rootInput | rootLocal | rootStep | rootRun}
	outputPlace     = &place{noun: "an output", roots: rootInput | rootLocal | rootStep | rootRun, run: outputRun}
	runsPlace       = &place{noun: "what is said of all runs of a workflow", roots: rootInput | rootRun}
)

func (c *checker) checkInput(in *input) {
	in.typ = types.ErrorType
	if !in.syn.Type.IsZero() {
		t, optional, ds := types.InputFromHCL(in.syn.Type, c.w.namedType)
		c.diags = append(c.diags, ds...)
		in.typ, in.optional = t, optional
	}
	in.read = filled(in.typ)
	if d := in.syn.Default; d != nil {
		if lit, ok := d.Expr.Node.(*hclsyntax.LiteralValueExpr); ok && lit.Val.IsNull() && !in.typ.IsError() && !isAny(in.typ) && !in.typ.Nullable() {
			t := brief(in.typ)
			c.report(diag.New(codeMayBeNull, d.Expr.Range(), "The default of input %q is null, which its type does not have. Write type = optional(%s) and no default for an input that may be left out, or type = nullable(%s).", in.syn.Name.Text, t, t))
			return
		}
		in.def = c.constantOf(d.Expr, defaultPlace, in.typ, &subject{plain: "The default of input " + quoted(in.syn.Name.Text)})
	}
}

// checkValidations checks an input's validation blocks, once all inputs are known.
func (c *checker) checkValidations(in *input) {
	for _, v := range in.syn.Validations {
		c.check(v.Condition, validationPlace, nil, types.BoolType, conditionSubject)
		c.check(v.ErrorMessage, validationPlace, nil, types.StringType, &subject{plain: "The error message"})
	}
}

// constantOf checks an expression that must be a constant against a type and
// returns its value, nil where it has none.
func (c *checker) constantOf(e expr.Expr, p *place, want *types.Type, s *subject) *value.Value {
	n := len(c.diags)
	t := c.check(e, p, nil, want, s)
	if t.IsError() || len(c.diags) > n {
		return nil
	}
	return c.compute(e, want, s)
}

// localType returns the type of a local, looking at its expression the first time.
func (c *checker) localType(l *local) *types.Type {
	if l.typ == nil {
		l.typ = types.ErrorType
		if !l.cyclic {
			muted := c.muted
			c.muted = 0
			l.typ = c.check(l.syn.Expr, localPlace, nil, nil, nil)
			c.muted = muted
		}
	}
	return l.typ
}

// checkOutput checks an output and returns its type: as it says, or as its value has it.
func (c *checker) checkOutput(o *syntax.Output) *types.Type {
	var want *types.Type
	if !o.Type.IsZero() {
		want = c.typeOf(o.Type)
	}
	t := c.check(o.Value, outputPlace, nil, want, &subject{plain: "The value of output " + quoted(o.Name.Text)})
	if want == nil {
		return t
	}
	if t.IsError() {
		// Where the value is no mistake of its own, which of both is meant is not known.
		c.silently(func() { t = c.check(o.Value, outputPlace, nil, nil, nil) })
		if !t.IsError() {
			return types.ErrorType
		}
	}
	return want
}

// checkRuns checks what a workflow says of its runs as a whole.
func (c *checker) checkRuns() {
	if d := c.f.wf.Deadline; d != nil {
		c.duration(d.Expr, runsPlace, nil, deadlineSubject)
	}
	k := c.f.wf.Concurrency
	if k == nil {
		return
	}
	if k.Key != nil {
		c.check(k.Key.Expr, runsPlace, nil, types.StringType, &subject{plain: "The key of concurrency"})
	}
	if k.Limit != nil {
		c.atLeastOne(k.Limit.Expr, runsPlace, nil, &subject{plain: "The limit of concurrency"}, "limit is how many runs go on at once")
	}
}

// typeOf reads a type that is written in an attribute.
func (c *checker) typeOf(e expr.Expr) *types.Type {
	t, ds := types.FromHCL(e, c.w.namedType)
	if c.muted == 0 {
		c.diags = append(c.diags, ds...)
	}
	if ds.HasErrors() || t == nil {
		return types.ErrorType
	}
	return t
}

// filled returns the type of a value of t once defaults of its attributes are
// filled in: those attributes are always there.
func filled(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.List:
		if e := filled(t.Elem()); e != t.Elem() {
			return types.ListOf(e).Refined(t.Refinement())
		}
	case types.Map:
		if e := filled(t.Elem()); e != t.Elem() {
			return types.MapOf(e).Refined(t.Refinement())
		}
	case types.Object:
		attrs := append([]types.Attr(nil), t.Attrs()...)
		changed := false
		for i, a := range attrs {
			inner := filled(a.Type)
			if a.Optional && a.Default != nil {
				attrs[i].Optional, changed = false, true
			}
			if inner != a.Type {
				attrs[i].Type, changed = inner, true
			}
		}
		if changed {
			return types.ObjectOf(attrs, t.Rest())
		}
	case types.Union:
		items := make([]*types.Type, len(t.Items()))
		changed := false
		for i, m := range t.Items() {
			items[i] = filled(m)
			changed = changed || items[i] != m
		}
		if changed {
			return types.UnionOf(items...)
		}
	}
	return t
}
