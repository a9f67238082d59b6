package check

import (
	"encoding/json"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Workflow is a checked workflow, bound to its connections: what the compiler
// needs to know beyond its syntax. Slices are in file order.
type Workflow struct {
	Syntax  *syntax.Workflow
	Sources []Source
	Inputs  []Input
	Locals  []Local
	Steps   []Step
	Outputs []Output
}

// Source is a logical source with what it is bound to: one connection, or several
// of which a key chooses one.
type Source struct {
	Syntax  *syntax.Source
	Members []Member // none where it is bound to nothing (see [Tested])
	// Family: the source's own steps choose the member. Else, where there are several,
	// whoever runs the workflow does.
	Family  bool
	Session string // "shared" or "run"; "": the connection says it
}

// Member is one connection of a source.
type Member struct {
	Key        string // "" where no key chooses
	Connection *syntax.Connection
	Snapshot   *catalog.Snapshot
}

// Input is an input with its type.
type Input struct {
	Syntax   *syntax.Input
	Type     *types.Type
	Optional bool         // may be left out without a default
	Default  *value.Value // nil: none
	Fixed    *value.Value // the deployment's; nil: none
}

// Local is a local with what it refers to.
type Local struct {
	Syntax *syntax.Local
	Needs  Needs
}

// Step is a step with what it refers to and what it calls.
type Step struct {
	Syntax *syntax.Step
	Needs  Needs // depends_on included

	Calls    []Called             // of a call, what each connection that a key may choose has; of a plain source one
	Block    *syntax.ToolOverride // the tool block that all these have; nil: none
	Effect   catalog.Effect       // the strongest that the call, or what the workflow does with a source, may have
	NullArgs []string             // the arguments for which a null is sent
	Template string               // of a read: the URI template; "": it is read by its address
	Undo     []Undo               // of each undo block
	Child    *Workflow            // of a run
	Handed   []Handed             // the sources of ours that the child is given, by the names that it has for them
	WhenEach bool                 // when is asked for each element
	EachMap  bool                 // step.NAME is a map
	Returns  *types.Type          // nil: none
	Answer   *types.Type          // of an ask: what is answered, before its defaults are filled in
	Contract *Contract            // nil: none
	Output   *types.Type          // of the result
}

// Called is what one connection has of a tool that is called.
type Called struct {
	Key          string // of the member; "" where no key chooses
	Tool         *catalog.Tool
	Block        *syntax.ToolOverride // the connection's tool block; nil: none
	InputSchema  json.RawMessage      // nil: the type of the arguments guards exactly
	OutputSchema json.RawMessage      // nil: none, or its type guards exactly
}

// Undo is a call that takes back what a step did.
type Undo struct {
	Syntax   *syntax.Undo
	Calls    []Called
	Effect   catalog.Effect
	NullArgs []string
}

// Handed is a source that a workflow gets from the one that runs it.
type Handed struct {
	Child string // the name that it has for it
	Ours  string
	Key   expr.Expr // which member of ours it is; zero: all, or the one that ours is
}

// Contract is what the interface of a source says that a call gives. It is held
// against what arrives, since a connection may satisfy it without promising it.
type Contract struct {
	Interface   string // interface.NAME
	Type        *types.Type
	AfterResult bool // it is of what the result of the connection's tool block gives
}

// Output is a workflow output.
type Output struct {
	Syntax *syntax.Output
	Needs  Needs
	Type   *types.Type // nil: none
}

// Needs are the locals and steps that something refers to directly, as indexes
// into Workflow.Locals and Workflow.Steps, each once.
type Needs struct{ Locals, Steps []int }

// Target checks one workflow as it is bound, and returns it with the findings
// about all that a plan of it is made of: the workflow, the deployment (nil:
// none), and the connections in use. binds gives connections (by id) to
// sources, above those of the deployment and of the sources themselves. The
// workflow is nil where there are errors.
func Target(p *project.Project, wf *syntax.Workflow, d *syntax.Deployment, binds map[string]string) (*Workflow, diag.List) {
	return target(p, wf, d, binds, false)
}

// Tested is [Target] for what asks no server, as a run against mocks: a source that is bound to nothing and has
// an interface is that, without members.
func Tested(p *project.Project, wf *syntax.Workflow, d *syntax.Deployment, binds map[string]string) (*Workflow, diag.List) {
	return target(p, wf, d, binds, true)
}

func target(p *project.Project, wf *syntax.Workflow, d *syntax.Deployment, binds map[string]string, mocked bool) (*Workflow, diag.List) {
	w := newWorld(p)
	c := &checker{w: w}
	given := map[string]bound{}
	for source, id := range binds {
		if conn := w.connections[id]; conn != nil {
			given[source] = to(conn)
		}
	}
	if d != nil {
		c.checkDeployment(d, given)
		for source, b := range w.bindings(d) {
			if _, has := given[source]; !has {
				given[source] = b
			}
		}
	}
	f := c.newFlow(wf, given)
	c.satisfiedByOthers(keysOf(binds))
	c.checkFlow()
	var through []*syntax.Deployment
	if d != nil {
		through = append(through, d)
	}
	c.unsafeRetries()
	c.unguardedCalls(through)
	c.follow(through)
	used := map[*connection]bool{}
	c.useAll(used)
	for _, s := range f.sourceList {
		switch {
		case len(s.members) > 0 || mocked && s.iface != nil:
		case !isBound(s.syn) && d == nil && binds[s.syn.Name.Text] == "":
			c.report(diag.New(codeNoBinding, s.syn.Header, "The source %q is bound to no connection. Give it a bind, run a deployment that binds it, or say it when running:\n\n    wfc run %s --bind %s=CONNECTION", s.syn.Name.Text, wf.Name.Text, s.syn.Name.Text))
		}
	}
	c.later(d, used)
	for conn := range used {
		// A checker of its own: a tool block is no part of the workflow.
		own := &checker{w: w}
		own.checkConnection(conn)
		c.diags = append(c.diags, own.diags...)
	}
	c.ofChildren(used)
	out := append(concerning(p, wf, d, used, w.interfaceFiles()), c.diags...)
	out = finish(p, w.withoutIgnored(out, false))
	if out.HasErrors() {
		return nil, out
	}
	return c.workflow(d), out
}

// useAll notes the connections that the workflow in hand has.
func (c *checker) useAll(used map[*connection]bool) {
	for _, s := range c.f.sourceList {
		for _, m := range s.members {
			used[m.conn] = true
		}
	}
}

// ofChildren adds what is wrong with the workflows that the one in hand runs, and
// notes their connections.
func (c *checker) ofChildren(used map[*connection]bool) {
	said := map[finding]bool{}
	for _, d := range c.diags {
		said[findingOf(d)] = true
	}
	add := func(l diag.List) {
		for _, d := range l {
			if !said[findingOf(d)] {
				said[findingOf(d)] = true
				c.diags = append(c.diags, d)
			}
		}
	}
	seen := map[*checker]bool{}
	var visit func(*checker)
	visit = func(of *checker) {
		for _, s := range of.f.stepList {
			if s.child == nil || s.child.checker == nil || seen[s.child.checker] {
				continue
			}
			child := s.child.checker
			seen[child] = true
			add(s.child.found)
			own := &checker{w: c.w, f: child.f, late: child.late}
			own.later(nil, nil)
			add(own.diags)
			own.useAll(used)
			visit(child)
		}
	}
	visit(c)
}

// concerning returns the findings of reading and parsing the files that a plan
// is made of.
func concerning(p *project.Project, wf *syntax.Workflow, d *syntax.Deployment, used map[*connection]bool, others []string) diag.List {
	files := map[string]bool{wf.Header.Filename: true, syntax.SettingsName: true, "": true}
	for _, name := range others {
		files[name] = true
	}
	if d != nil {
		files[d.Header.Filename] = true
	}
	for conn := range used {
		files[conn.syn.Header.Filename] = true
	}
	for _, s := range p.Secrets {
		files[s.Header.Filename] = true
	}
	var out diag.List
	for _, x := range p.Diagnostics {
		if files[x.Range.File] {
			out = append(out, x)
		}
	}
	return out
}

// workflow returns what is known of the workflow in hand, which has no errors.
func (c *checker) workflow(d *syntax.Deployment) *Workflow {
	f := c.f
	out := &Workflow{Syntax: f.wf}
	for _, s := range f.sourceList {
		src := Source{Syntax: s.syn, Family: s.family, Session: s.sessionSaid()}
		for _, m := range s.members {
			src.Members = append(src.Members, Member{m.key, m.conn.syn, m.conn.open()})
		}
		out.Sources = append(out.Sources, src)
	}
	fixed := map[string]value.Value{}
	if d != nil {
		c.silently(func() { fixed = c.fixedInputs(d, f.inputList) })
	}
	for _, in := range f.inputList {
		i := Input{Syntax: in.syn, Type: in.typ, Optional: in.optional, Default: in.def}
		if v, ok := fixed[in.syn.Name.Text]; ok {
			i.Fixed = &v
		}
		out.Inputs = append(out.Inputs, i)
	}
	for _, l := range f.localList {
		out.Locals = append(out.Locals, Local{l.syn, needsOf(l.needs)})
	}
	for _, s := range f.stepList {
		out.Steps = append(out.Steps, c.compiled(s))
	}
	for _, o := range f.wf.Outputs {
		var needs []need
		c.refer(o.Value, func(n need) { needs = append(needs, n) })
		out.Outputs = append(out.Outputs, Output{o, needsOf(needs), c.outputType(o)})
	}
	return out
}

func (c *checker) outputType(o *syntax.Output) *types.Type {
	if o.Type.IsZero() {
		return nil
	}
	return c.typeOf(o.Type)
}

// compiled returns what is known of a step.
func (c *checker) compiled(s *step) Step {
	out := Step{
		Syntax: s.syn, Needs: needsOf(s.needs), Calls: called(s.does, s.replacesOutput()), Block: s.block, Effect: s.effect,
		NullArgs: s.nullArgs, WhenEach: s.whenEach, EachMap: s.elements != nil && s.elements.isMap,
		Output: s.one.output,
	}
	if s.syn.Read != nil && !s.whole {
		out.Template = s.does.uri
		if len(s.does.of) > 0 {
			out.Template = s.does.of[0].uri
		}
	}
	for i, u := range s.syn.Undo {
		out.Undo = append(out.Undo, Undo{u, called(s.undo[i], false), s.undoEffects[i], s.undoNulls[i]})
	}
	if s.child != nil && s.child.workflow != nil {
		out.Child = s.child.workflow()
		out.Handed = s.handedOn()
	}
	switch {
	case s.syn.Ask != nil:
		out.Answer = c.answer(s.syn.Ask)
	case !s.syn.Returns.IsZero():
		out.Returns = c.typeOf(s.syn.Returns)
	case s.block != nil && !s.block.Returns.IsZero() && (s.does.declared == nil || s.syn.Result == nil):
		out.Returns = c.typeOf(s.block.Returns)
	}
	out.Contract = s.contract()
	return out
}

// called returns what the connections have of a tool; replaced: what is looked at
// after an answer is not what the tool's output schema is of.
func called(k capability, replaced bool) (out []Called) {
	for _, o := range k.of {
		if o.tool == nil {
			continue
		}
		x := Called{Key: o.key, Tool: o.tool, Block: o.block}
		// What an interface says may be any where the tool's own type is not, and so may
		// what fits all members of a family.
		if !o.tool.ArgsReport.Exact() || k.declared != nil || len(k.of) > 1 {
			x.InputSchema = o.tool.InputSchema
		}
		if o.tool.Output != nil && (!o.tool.OutputReport.Exact() || replaced || len(k.of) > 1) {
			x.OutputSchema = o.tool.OutputSchema
		}
		out = append(out, x)
	}
	if d := k.declared; d != nil && len(k.of) == 0 {
		// The source is bound to nothing, so that what is declared is all that there is.
		t := &catalog.Tool{Name: d.Name.Text, Args: d.Params, Effect: d.Effect, Idempotent: &d.Idempotent}
		out = append(out, Called{Tool: t, InputSchema: value.AppendJSON(nil, types.ToSchema(d.Params))})
	}
	return out
}

// handedOn returns the sources of ours that the child of a step is given.
func (s *step) handedOn() (out []Handed) {
	said := map[string]bool{}
	for _, b := range s.syn.Bind {
		said[b.Child.Text] = true
		out = append(out, Handed{Child: b.Child.Text, Ours: b.Ours.Path[0].Text, Key: b.Ours.Key})
	}
	for _, name := range keysOf(s.handed) {
		if !said[name] {
			out = append(out, Handed{Child: name, Ours: name})
		}
	}
	return out
}

// contract returns what the source's interface says of the step's call, nil
// where it says nothing of what is looked at.
func (s *step) contract() *Contract {
	d, y := s.does.declared, s.syn
	if d == nil || y.Decode != nil || isAny(d.Result) {
		return nil
	}
	out := &Contract{Interface: s.source.iface.Reference(), Type: d.Result, AfterResult: s.does.reshapes()}
	if out.AfterResult && y.Result != nil {
		return nil // the step's result stands in the place of the block's
	}
	return out
}

// replacesOutput reports whether what is looked at after an answer is not what
// the tool's output schema is of, so that only the schema itself says that the
// server broke it.
func (s *step) replacesOutput() bool {
	y, b := s.syn, s.block
	return y.Decode != nil || y.Result != nil || y.FailIf != nil || !y.Returns.IsZero() ||
		b != nil && (b.Decode != nil || b.Result != nil || b.FailIf != nil || !b.Returns.IsZero())
}

func needsOf(needs []need) Needs {
	var out Needs
	seen := map[node]bool{}
	for _, n := range needs {
		k := node{n.local, n.step}
		if seen[k] {
			continue
		}
		seen[k] = true
		if n.local != nil {
			out.Locals = append(out.Locals, n.local.index)
		} else {
			out.Steps = append(out.Steps, n.step.index)
		}
	}
	return out
}
