package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// child is a workflow that another one runs, checked as that binds its sources.
type child struct {
	found   diag.List   // about its calls, as it is bound
	inputs  *types.Type // an object
	outputs *types.Type // an object

	checker  *checker         // of it
	workflow func() *Workflow // what the compiler needs to know of it, if it has no errors
}

// children has the workflows that others run, each once for every way in which
// its sources are bound.
type children struct {
	sync.Mutex
	known map[string]func() child
}

// child checks a workflow whose sources are bound by binds, and by themselves
// where that has none.
func (w *world) child(wf *syntax.Workflow, binds map[string]bound) child {
	if w.cyclic[wf] {
		return child{inputs: types.ErrorType, outputs: types.ErrorType} // which has its diagnostic
	}
	var key strings.Builder
	key.WriteString(wf.Name.Text)
	for _, name := range keysOf(binds) {
		key.WriteString("\x00" + name + "\x00" + binds[name].sign())
	}
	w.children.Lock()
	f := w.children.known[key.String()]
	if f == nil {
		f = sync.OnceValue(func() child { return w.checkChild(wf, binds) })
		if w.children.known == nil {
			w.children.known = map[string]func() child{}
		}
		w.children.known[key.String()] = f
	}
	w.children.Unlock()
	return f()
}

func (w *world) checkChild(wf *syntax.Workflow, binds map[string]bound) child {
	c := &checker{w: w}
	f := c.newFlow(wf, binds)
	c.satisfiedByOthers(keysOf(binds))
	c.checkFlow()
	out := child{found: c.diags, inputs: inputsType(f), checker: c}
	out.workflow = sync.OnceValue(func() *Workflow { return c.workflow(nil) })
	c.silently(func() { out.outputs = c.outputsType() })
	return out
}

// inputsType is the type of what a run of the workflow in hand is given.
func inputsType(f *flow) *types.Type {
	attrs := make([]types.Attr, 0, len(f.inputList))
	for _, in := range f.inputList {
		a := types.Attr{Name: in.syn.Name.Text, Type: in.typ, Optional: in.optional || in.syn.Default != nil}
		if in.def != nil {
			a.Default = in.def
		}
		attrs = append(attrs, a)
	}
	return types.ObjectOf(attrs, nil)
}

// outputsType is the type of what a run of the workflow in hand gives.
func (c *checker) outputsType() *types.Type {
	attrs := make([]types.Attr, 0, len(c.f.wf.Outputs))
	seen := map[string]bool{}
	for _, o := range c.f.wf.Outputs {
		if name := o.Name.Text; !seen[name] {
			seen[name] = true
			attrs = append(attrs, types.Attr{Name: name, Type: c.checkOutput(o)})
		}
	}
	return types.ObjectOf(attrs, nil)
}

// checkRun checks a step that runs another workflow, and returns its outputs.
func (c *checker) checkRun(s *step, sc site) *types.Type {
	y := s.syn
	s.args = types.ObjectOf(nil, nil)
	wf := c.workflowOf(y.Run)
	if wf == nil {
		if y.Args != nil {
			s.args = c.check(y.Args.Expr, sc.secrets, sc.en, objectOfAnything, nil)
		}
		return types.ErrorType
	}
	binds := c.handedOn(s, wf, sc)
	own := c.w.child(wf, nil)
	now := own
	if len(binds) > 0 {
		now = c.w.child(wf, binds)
		c.foundIn(now.found, own.found, s)
	}
	s.child, s.handed = &now, binds
	c.sawRun(now.outputs, wf.Name.Text)
	if now.inputs.IsError() {
		if y.Args != nil {
			s.args = c.check(y.Args.Expr, sc.secrets, sc.en, nil, nil)
		}
		return types.ErrorType
	}
	sub := &subject{noun: "argument", of: " of workflow " + wf.Name.Text}
	got := c.arguments(y.Args, y.Range, y.Run.Range, now.inputs, sub, sc.secrets, sc.en)
	s.args = argsAs(now.inputs, got, false)
	return now.outputs
}

// foundIn reports what only shows as the step binds the sources of a child.
func (c *checker) foundIn(now, own diag.List, s *step) {
	said := map[finding]bool{}
	for _, d := range own {
		said[placeOf(d)] = true
	}
	for _, d := range now {
		if !said[placeOf(d)] {
			c.report(d.With(s.syn.Run.Range, "As step %s of workflow %s binds the sources.", s.name(), c.f.wf.Name.Text))
		}
	}
}

// workflowOf returns the workflow that a reference names, and reports one that
// does not exist.
func (c *checker) workflowOf(ref *syntax.Ref) *syntax.Workflow {
	if ref == nil || len(ref.Path) != 2 {
		return nil // which has its diagnostic
	}
	l := ref.Path[1]
	wf := c.w.project.Workflows[l.Text]
	if wf == nil && !c.w.mayBeLost(l.Text, "") {
		c.report(unknownName(codeUnknownWorkflow, "workflow", "This project", l.Text, l.Range, c.w.project.WorkflowNames()))
	}
	return wf
}

// handedOn returns what the sources of a child are bound to by a step: to ours
// that bind names, or of the same name. It reports sources that do not exist or
// do not fit, and those of the child that nothing is bound to.
func (c *checker) handedOn(s *step, wf *syntax.Workflow, sc site) map[string]bound {
	theirs := map[string]*syntax.Source{}
	var names []string
	for _, x := range wf.Sources {
		if theirs[x.Name.Text] == nil {
			theirs[x.Name.Text] = x
			names = append(names, x.Name.Text)
		}
	}
	out := map[string]bound{}
	said := map[string]bool{}
	strange := false // a name is bound that none of theirs has: one of them is meant
	for _, b := range s.syn.Bind {
		child := theirs[b.Child.Text]
		if child == nil {
			strange = true
			if !c.w.mayBeLost(b.Child.Text, wf.Header.Filename) {
				c.report(unknownName(codeUnknownSource, "source", "Workflow "+quoted(wf.Name.Text), b.Child.Text, b.Child.Range, names))
			}
			continue
		}
		said[b.Child.Text] = true
		if ours, ok := c.stands(b.Ours, child, sc); ok {
			ours.session = c.f.sources[b.Ours.Path[0].Text].sessionSaid()
			out[b.Child.Text] = ours
		}
	}
	for _, name := range names {
		if said[name] {
			continue
		}
		ours := c.f.sources[name]
		switch {
		case ours != nil && ours.family == (theirs[name].Family != nil):
			if len(ours.members) > 0 {
				out[name] = ours.bound
				if said := ours.sessionSaid(); said != "" {
					b := ours.bound
					b.session = said
					out[name] = b
				}
			}
		case !isBound(theirs[name]) && !strange:
			c.report(diag.New(codeNoBinding, s.syn.Run.Range, "The source %q of workflow %q is bound to no connection: neither by its own bind nor to a source of the same name here. Say which source stands for it:\n\n    bind = { %s = SOURCE }", name, wf.Name.Text, keyText(name)).
				With(theirs[name].Header, "The source."))
		}
	}
	return out
}

// stands returns what a source of ours that is named in bind stands for.
func (c *checker) stands(ref syntax.Ref, child *syntax.Source, sc site) (bound, bool) {
	src := c.sourceOf(&ref)
	if src == nil || len(src.members) == 0 {
		return bound{}, false
	}
	name := child.Name.Text
	key := ref.Key
	if key.IsZero() && len(ref.Path) == 2 {
		// FAMILY["key"]: read as a name where only names can stand.
		conn := src.member(ref.Path[1].Text)
		if conn == nil || !src.family {
			c.unknownMember(src, ref.Path[1].Text, ref.Path[1].Range)
			return bound{}, false
		}
		return c.fitsChild(to(conn), child, ref)
	}
	if !key.IsZero() {
		members, ok := c.choose(src, &ref)
		if !ok {
			return bound{}, false
		}
		c.checkKey(src, &ref, sc.general, sc.en)
		return c.fitsChild(bound{members: members}, child, ref)
	}
	if src.family && child.Family == nil {
		c.report(diag.New(codeUnknownMember, ref.Range, "The source %q is a family, and %q of the workflow is one connection. Say which member it is: %s[KEY], where KEY is one of %s.", ref.Path[0].Text, name, ref.Path[0].Text, quoteAll(src.keys())))
		return bound{}, false
	}
	return c.fitsChild(src.bound, child, ref)
}

// sessionSaid returns what a source says of its session, or what whoever handed it
// on said; "": nothing, so that the connection says it.
func (s *source) sessionSaid() string {
	if s.bound.session == "" && s.syn.Session != nil {
		return s.syn.Session.S
	}
	return s.bound.session
}

// fitsChild reports a binding that leaves a key of the child's family without a connection.
func (c *checker) fitsChild(b bound, child *syntax.Source, ref syntax.Ref) (bound, bool) {
	if child.Family == nil {
		return b, true
	}
	if !b.family {
		c.report(diag.New(codeUnknownMember, ref.Range, "The source %q of the workflow is a family, of which a key chooses one connection, and this is one connection. Bind it to a family.", child.Name.Text))
		return bound{}, false
	}
	for _, m := range child.Family.Members {
		if b.member(m.Key.Text) == nil {
			c.report(diag.New(codeUnknownMember, ref.Range, "The family %q of the workflow has the member %q, and this one has not: its members are %s.", child.Name.Text, m.Key.Text, b.list()))
			return bound{}, false
		}
	}
	return b, true
}

// handedTo reports whether some step that runs the workflow binds one of its
// sources.
func (w *world) handedTo(wf *syntax.Workflow, source string) bool {
	for _, f := range w.project.Files {
		for _, parent := range f.Workflows {
			for _, s := range slices.Concat(parent.Steps, parent.Finally) {
				if s.Run == nil || len(s.Run.Path) != 2 {
					continue
				}
				if name := s.Run.Path[1].Text; w.project.Workflows[name] == nil {
					return true // it may be this one that is meant
				} else if name != wf.Name.Text {
					continue
				}
				if slices.ContainsFunc(s.Bind, func(b syntax.SourceBinding) bool { return b.Child.Text == source }) ||
					slices.ContainsFunc(parent.Sources, func(x *syntax.Source) bool { return x.Name.Text == source }) {
					return true
				}
			}
		}
	}
	return false
}

// cyclicWorkflows finds the workflows that run themselves, directly or through
// others, and returns for each cycle the steps that make it, beginning with the
// workflow of the least name.
func (w *world) cyclicWorkflows() (cycles [][]*syntax.Step) {
	w.cyclic = map[*syntax.Workflow]bool{}
	const (
		open = 1
		done = 2
	)
	state := map[*syntax.Workflow]int{}
	var path []*syntax.Step
	var at []*syntax.Workflow
	var visit func(wf *syntax.Workflow)
	visit = func(wf *syntax.Workflow) {
		state[wf] = open
		at = append(at, wf)
		for _, s := range slices.Concat(wf.Steps, wf.Finally) {
			if s.Run == nil || len(s.Run.Path) != 2 {
				continue
			}
			next := w.project.Workflows[s.Run.Path[1].Text]
			if next == nil || state[next] == done {
				continue
			}
			path = append(path, s)
			if state[next] == open {
				from := slices.Index(at, next)
				for _, x := range at[from:] {
					w.cyclic[x] = true
				}
				cycles = append(cycles, slices.Clone(path[from:]))
			} else {
				visit(next)
			}
			path = path[:len(path)-1]
		}
		at = at[:len(at)-1]
		state[wf] = done
	}
	for _, name := range w.project.WorkflowNames() {
		if wf := w.project.Workflows[name]; state[wf] == 0 {
			visit(wf)
		}
	}
	return cycles
}

// checkWorkflowCycles reports workflows that run themselves.
func (c *checker) checkWorkflowCycles() {
	for _, cycle := range c.w.workflowCycles {
		first := "workflow." + cycle[len(cycle)-1].Run.Path[1].Text
		names := []string{first}
		for _, s := range cycle[:min(len(cycle)-1, maxCycle)] {
			names = append(names, "workflow."+s.Run.Path[1].Text)
		}
		shown := names
		if n := len(cycle) - len(names); n > 0 {
			shown = append(shown, fmt.Sprintf("and %d more", n))
		}
		shown = append(shown, first)
		last := cycle[len(cycle)-1]
		if len(cycle) == 1 {
			c.report(diag.New(codeCycle, last.Run.Range, "The workflow runs itself: %s. A run of it would never end. Use loop for what is done again and again.", strings.Join(shown, " → ")))
			continue
		}
		d := diag.New(codeCycle, last.Run.Range, "These workflows run each other, so that no run of them would end: %s. Remove one of the steps.", strings.Join(shown, " → "))
		for i, s := range cycle[:len(names)-1] {
			d = d.With(s.Run.Range, "%s runs %s here.", names[i], names[i+1])
		}
		c.report(d)
	}
}
