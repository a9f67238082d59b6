package check

import (
	"context"
	"slices"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Cache checks the states of one project (see [project.Loader]) one after the
// other, and a block again only where something has changed that it may depend on.
// It is safe for concurrent use; one state is checked at a time.
//
// A workflow depends on the workflows that it runs, directly or through others, and
// on those that run it; and every block on all that is no workflow. What is the same
// pointer in two states of a project has not changed.
type Cache struct {
	gate    chan struct{}    // held while a state is checked
	ground  ground           // of the last state
	results map[any]*outcome // by what each job is of
}

// NewCache returns a cache that knows nothing yet.
func NewCache() *Cache {
	return &Cache{gate: make(chan struct{}, 1), results: map[any]*outcome{}}
}

// outcome is what a job has found.
type outcome struct {
	workflows []*syntax.Workflow // that it depends on
	found     diag.List          // with its places; not to be changed
	uses      *interfaceUse
}

// ground is what every block of a project may depend on.
type ground struct {
	settings   *syntax.File
	files      []*syntax.File // that hold something else than workflows, or could not be read whole
	interfaces *iface.Set
	inputs     int
	names      []name // of all that is defined, in order
	wrong      []string
	lost       bool // some step runs a workflow that does not exist
}

// name is a definition of a workflow.
type name struct{ file, name string }

func (g ground) equal(o ground) bool {
	return g.settings == o.settings && g.interfaces == o.interfaces && g.inputs == o.inputs && g.lost == o.lost &&
		slices.Equal(g.files, o.files) && slices.Equal(g.names, o.names) && slices.Equal(g.wrong, o.wrong)
}

// groundOf returns what every block of a project may depend on.
func (w *world) groundOf() ground {
	p := w.project
	g := ground{settings: p.Settings, interfaces: p.Interfaces, inputs: p.Inputs}
	for _, d := range p.Diagnostics {
		if p.Source(d.Range.File) == nil { // it is of no file, or of one that cannot be read
			g.wrong = append(g.wrong, string(d.Code), d.Range.File, d.Detail)
		}
	}
	for _, f := range p.Files {
		if len(f.Providers)+len(f.Connections)+len(f.Secrets)+len(f.Deployments)+len(f.Tests) > 0 || w.broken[f.Name] != nil {
			g.files = append(g.files, f)
		}
		for _, wf := range f.Workflows {
			g.names = append(g.names, name{f.Name, wf.Name.Text})
			for _, s := range running(wf) {
				g.lost = g.lost || w.workflow(s.Run) == nil
			}
		}
	}
	return g
}

// running returns the steps of a workflow that run others.
func running(wf *syntax.Workflow) (out []*syntax.Step) {
	for _, list := range [][]*syntax.Step{wf.Steps, wf.Finally} {
		for _, s := range list {
			if s.Run != nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// needs knows which workflows each depends on.
type needs struct {
	w       *world
	parents map[string][]*syntax.Workflow // by the name that they run
}

func (w *world) needs() needs {
	n := needs{w, map[string][]*syntax.Workflow{}}
	for _, f := range w.project.Files {
		for _, wf := range f.Workflows {
			for _, s := range running(wf) {
				if len(s.Run.Path) == 2 {
					child := s.Run.Path[1].Text
					n.parents[child] = append(n.parents[child], wf)
				}
			}
		}
	}
	return n
}

// of returns the workflows that a job depends on, itself first.
func (n needs) of(j job) []*syntax.Workflow {
	if j.wf == nil {
		return nil
	}
	out := []*syntax.Workflow{j.wf}
	seen := map[*syntax.Workflow]bool{j.wf: true}
	for i := 0; i < len(out); i++ {
		for _, s := range running(out[i]) {
			if child := n.w.workflow(s.Run); child != nil && !seen[child] {
				seen[child] = true
				out = append(out, child)
			}
		}
	}
	return append(out, n.parents[j.wf.Name.Text]...)
}

// Project returns what the function Project does. The error is the context's.
func (c *Cache) Project(ctx context.Context, p *project.Project) (diag.List, error) {
	w := newWorld(p)
	jobs := w.jobs()
	results, err := c.run(ctx, w, jobs, true)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		w.uses.add(r.uses)
	}
	found := w.unusedInterfaces()
	placed(p, found)
	kept, wrong := w.ignored(w.withoutLint(c.together(p, results, found)), true)
	placed(p, wrong)
	return once(append(kept, wrong...)), nil
}

// Files returns the findings of reading the files, and of checking those blocks that
// are in some of them: less than Project does, sooner. The error is the context's.
func (c *Cache) Files(ctx context.Context, p *project.Project, names []string) (diag.List, error) {
	w := newWorld(p)
	jobs := slices.DeleteFunc(w.jobs(), func(j job) bool { return j.of == nil || !slices.Contains(names, j.at.Filename) })
	results, err := c.run(ctx, w, jobs, false)
	if err != nil {
		return nil, err
	}
	return once(w.withoutIgnored(w.withoutLint(c.together(p, results, nil)), false)), nil
}

// together puts the findings of jobs beside those of reading the files.
func (c *Cache) together(p *project.Project, results []*outcome, more diag.List) diag.List {
	out := cloned(p.Diagnostics)
	placed(p, out)
	for _, r := range results {
		out = append(out, r.found...)
	}
	return append(out, more...)
}

// cloned copies findings so that places may be computed in them.
func cloned(l diag.List) diag.List {
	out := slices.Clone(l)
	for i := range out {
		d := &out[i]
		d.Related = slices.Clone(d.Related)
		d.Fixes = slices.Clone(d.Fixes)
		for k := range d.Fixes {
			d.Fixes[k].Edits = slices.Clone(d.Fixes[k].Edits)
		}
	}
	return out
}

// run returns what jobs find: those anew that may find something else than before.
// all: they are all that there are, and what is known of others is forgotten.
func (c *Cache) run(ctx context.Context, w *world, jobs []job, all bool) ([]*outcome, error) {
	select {
	case c.gate <- struct{}{}:
		defer func() { <-c.gate }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if g := w.groundOf(); !g.equal(c.ground) {
		c.ground, c.results = g, map[any]*outcome{}
	}
	n := w.needs()
	out := make([]*outcome, len(jobs))
	depend := make([][]*syntax.Workflow, len(jobs))
	var todo []int
	for i, j := range jobs {
		depend[i] = n.of(j)
		if known := c.results[j.of]; j.of != nil && known != nil && slices.Equal(known.workflows, depend[i]) {
			out[i] = known
		} else {
			todo = append(todo, i)
		}
	}
	each(len(todo), func(k int) {
		i := todo[k]
		if ctx.Err() != nil {
			return
		}
		own := *w
		own.uses = &interfaceUse{}
		r := &outcome{workflows: depend[i], found: jobs[i].do(&own), uses: own.uses}
		placed(w.project, r.found)
		out[i] = r
	})
	if err := ctx.Err(); err != nil {
		c.keep(jobs, out, false)
		return nil, err
	}
	c.keep(jobs, out, all)
	return out, nil
}

// keep remembers results. all: and no others.
func (c *Cache) keep(jobs []job, results []*outcome, all bool) {
	if all {
		clear(c.results)
	}
	for i, j := range jobs {
		if j.of != nil && results[i] != nil {
			c.results[j.of] = results[i]
		}
	}
}

// add notes what something else uses, too.
func (u *interfaceUse) add(o *interfaceUse) {
	u.lost, u.unknown = u.lost || o.lost, u.unknown || o.unknown
	for name := range o.names {
		u.note(name)
	}
}
