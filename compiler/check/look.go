package check

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// View is what the checker knows of a part of a file: the type of each
// expression and of each name that one reads, what is wanted where it stands, and
// what is called. It is a by-product of checking that part, and made anew for every
// text. It is not for concurrent use.
type View struct {
	Sights   []Sight   // in the order of their beginnings, outer ones first
	Readings []Reading // in the order of their places
	Callees  []Callee  // in the order of their places
	Flows    []*Flow   // of the workflows that were looked at

	seen map[hclNode]int // into Sights, while the look lasts
}

// Sight is what is known of one expression.
type Sight struct {
	Node  hclNode
	Range hcl.Range
	Type  *types.Type // never nil; types.ErrorType where it has a diagnostic
	Want  *types.Type // what is wanted where it stands; nil: nothing

	c       *checker
	f       *flow
	source  []byte
	place   *place
	env     *env
	subject *subject
}

// Reading is one name that an expression reads: the first after a root, a variable,
// or an attribute.
type Reading struct {
	Range hcl.Range // of the name, without dot, brackets and quotes
	Name  string
	Root  string      // of the names after input, local, step and secret, and of roots alone; else ""
	Of    *types.Type // what the attribute is read of, without null; nil: of no value
	Type  *types.Type // what the reading gives; types.ErrorType where it has a diagnostic
	// Workflow is the workflow that the attribute is an output of, read of the result of
	// a step that runs it; "" of anything else.
	Workflow string
}

// Look looks at what of a file stands between two offsets, inclusive. All of a file
// is between 0 and its length. It reports nothing: Project does.
func Look(p *project.Project, file string, from, to int) *View {
	v := &View{seen: map[hclNode]int{}}
	l := look{w: newWorld(p), rec: &recorder{file: file, from: from, to: to, view: v}}
	if s := p.Settings; s != nil && file == syntax.SettingsName {
		l.run(hcl.Range{Filename: file}, func(c *checker) { c.checkProjectSettings(s) })
	}
	for _, f := range p.Files {
		if f.Name == file {
			l.file(f)
		}
	}
	v.seen = nil
	slices.SortStableFunc(v.Sights, func(a, b Sight) int {
		if n := a.Range.Start.Byte - b.Range.Start.Byte; n != 0 {
			return n
		}
		return b.Range.End.Byte - a.Range.End.Byte
	})
	slices.SortStableFunc(v.Readings, func(a, b Reading) int { return a.Range.Start.Byte - b.Range.Start.Byte })
	v.Readings = slices.CompactFunc(v.Readings, func(a, b Reading) bool { return a.Range == b.Range })
	slices.SortStableFunc(v.Callees, func(a, b Callee) int { return a.Ref.Start.Byte - b.Ref.Start.Byte })
	return v
}

// At returns the expressions that an offset stands in or directly behind, outer ones first.
func (v *View) At(offset int) []Sight {
	var out []Sight
	for _, s := range v.Sights {
		if s.Range.Start.Byte > offset {
			break
		}
		if offset <= s.Range.End.Byte {
			out = append(out, s)
		}
	}
	return out
}

// look goes through the blocks of a file.
type look struct {
	w   *world
	rec *recorder
}

// run runs a check with the recorder. A fault of wfc ends this check alone.
func (l look) run(at hcl.Range, check func(*checker)) {
	job{at: at, run: func(c *checker) {
		c.rec = l.rec
		check(c)
	}}.do(l.w)
}

func (l look) file(f *syntax.File) {
	for _, x := range f.Providers {
		if l.rec.overlaps(x.Range) {
			l.run(x.Header, func(c *checker) { c.checkProvider(x) })
		}
	}
	for _, x := range f.Connections {
		if l.rec.overlaps(x.Range) {
			l.run(x.Header, func(c *checker) { c.lookAtConnection(x) })
		}
	}
	for _, x := range f.Deployments {
		if l.rec.overlaps(x.Range) {
			l.run(x.Header, func(c *checker) { c.checkDeployment(x, nil) })
		}
	}
	for _, x := range f.Tests {
		if l.rec.overlaps(x.Range) {
			l.run(x.Header, func(c *checker) {
				c.checkTest(x)
				c.noteFlow()
			})
		}
	}
	for _, x := range f.Workflows {
		if l.rec.overlaps(x.Range) {
			l.run(x.Header, func(c *checker) { c.lookAtFlow(x) })
		}
	}
}

// lookAtConnection looks at a connection as it is written.
func (c *checker) lookAtConnection(x *syntax.Connection) {
	if conn := c.w.connections[x.ID()]; conn != nil && conn.own == x {
		c.checkConnection(conn)
	}
}

// lookAtFlow looks at the parts of a workflow that are wanted, and at what those
// depend on. Its sources are bound as they say, or as the first deployment has them.
func (c *checker) lookAtFlow(wf *syntax.Workflow) {
	f := c.newFlow(wf, c.w.anyBinding(wf))
	for _, in := range f.inputList {
		c.checkInput(in)
	}
	c.checkRuns()
	c.resolveActions()
	c.dependencies()
	c.noteFlow()
	for _, in := range f.inputList {
		if c.rec.overlaps(in.syn.Range) {
			c.checkValidations(in)
		}
	}
	for _, n := range f.order {
		switch {
		case n.local != nil && c.rec.overlaps(n.local.syn.Expr.Range()):
			c.localType(n.local)
		case n.step != nil && c.rec.overlaps(n.step.syn.Range):
			c.checkStep(n.step)
			c.noteCalls(n.step)
		}
	}
	for _, o := range wf.Outputs {
		if c.rec.overlaps(o.Range) {
			c.checkOutput(o)
		}
	}
}

// recorder notes what a checker finds in a part of a file.
type recorder struct {
	file     string
	from, to int
	view     *View
	outputs  map[*types.Type]string // of the workflows that steps run: what each gives
}

// sawRun notes what a workflow gives that a step runs.
func (c *checker) sawRun(outputs *types.Type, workflow string) {
	if c.rec == nil {
		return
	}
	if c.rec.outputs == nil {
		c.rec.outputs = map[*types.Type]string{}
	}
	c.rec.outputs[outputs] = workflow
}

func (r *recorder) overlaps(at hcl.Range) bool {
	return at.Filename == r.file && at.Start.Byte <= r.to && r.from <= at.End.Byte
}

// saw notes an expression. Of several looks at it the first that knows its type
// counts: later ones assume more, such as that a run may have ended in any way.
func (c *checker) saw(x hclNode, en *env, want *types.Type, s *subject, got *types.Type) {
	at := x.Range()
	if c.muted > 0 || !c.rec.overlaps(at) {
		return
	}
	v := c.rec.view
	sight := Sight{Node: x, Range: at, Type: got, Want: want, c: c, f: c.f, source: c.source, place: c.place, env: en, subject: s}
	if i, again := v.seen[x]; again {
		if old := v.Sights[i]; isAny(old.Type) && !isAny(got) || old.Want == nil && want != nil {
			v.Sights[i] = sight
		}
		return
	}
	v.seen[x] = len(v.Sights)
	v.Sights = append(v.Sights, sight)
}

// sawName notes a name that was read.
func (c *checker) sawName(r Reading) {
	if c.muted > 0 || !c.rec.overlaps(r.Range) {
		return
	}
	if r.Of != nil {
		r.Workflow = c.rec.outputs[r.Of]
	}
	c.rec.view.Readings = append(c.rec.view.Readings, r)
}

// sawRoot notes what root found: a variable or a root, and the name after one.
func (c *checker) sawRoot(name string, at hcl.Range, r reading, label *hcl.TraverseAttr) {
	if c.rec == nil {
		return
	}
	if label == nil {
		c.sawName(Reading{Range: at, Name: name, Root: name, Type: r.t})
		return
	}
	c.sawName(Reading{Range: nameRange(*label), Name: label.Name, Root: name, Type: r.t})
}

// sawObject notes an object literal whose attributes are checked one by one.
func (c *checker) sawObject(e expr.Expr, p *place, want *types.Type) {
	if c.rec != nil {
		c.at(e.Source, p, func() { c.saw(e.Node, nil, want, nil, want) })
	}
}

// seeArguments looks at the arguments of a call that has too many or too few of them,
// as it has while it is written.
func (c *checker) seeArguments(x *hclsyntax.FunctionCallExpr, f *funcs.Func, en *env) {
	if c.rec == nil || c.muted > 0 {
		return
	}
	found := len(c.diags)
	for i, arg := range x.Args {
		var want *types.Type
		if p := f.Param(i); p != nil {
			want = p.Type
		}
		c.expr(arg, en, want, nil)
	}
	c.diags = c.diags[:found]
}
