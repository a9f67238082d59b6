package check

import (
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Project returns all findings about a project, sorted: those of reading and
// parsing its files, and those of checking. It starts nothing and reads only
// the snapshots of connections.
func Project(p *project.Project) diag.List { return newWorld(p).all() }

// all returns all findings about the project.
func (w *world) all() diag.List {
	p := w.project
	out := slices.Clone(p.Diagnostics)
	for _, found := range inParallel(w, w.jobs()) {
		out = append(out, found...)
	}
	out = append(out, w.unusedInterfaces()...)
	return finish(p, w.withoutIgnored(w.withoutLint(out), true))
}

// jobs returns what is to be done to check all of the project.
func (w *world) jobs() []job {
	p := w.project
	jobs := []job{{run: (*checker).lintProject}}
	deployments := map[*syntax.Workflow][]*syntax.Deployment{}
	for _, d := range allDeployments(p) {
		wf := w.deployed(d)
		jobs = append(jobs, job{d.Header, d, wf, func(c *checker) { c.checkDeployment(d, nil) }})
		if wf != nil {
			deployments[wf] = append(deployments[wf], d)
		}
	}
	if len(w.workflowCycles) > 0 {
		jobs = append(jobs, job{at: w.workflowCycles[0][0].Header, run: (*checker).checkWorkflowCycles})
	}
	if p.Settings != nil {
		jobs = append(jobs, job{hcl.Range{Filename: syntax.SettingsName}, p.Settings, nil, func(c *checker) { c.checkProjectSettings(p.Settings) }})
		jobs = append(jobs, lintOf(p.Settings))
	}
	for _, x := range p.Providers {
		jobs = append(jobs, job{x.Header, x, nil, func(c *checker) { c.checkProvider(x) }})
	}
	for _, conn := range w.connections {
		jobs = append(jobs, job{conn.syn.Header, conn.own, nil, func(c *checker) { c.checkConnection(conn) }})
	}
	for _, f := range p.Files {
		jobs = append(jobs, lintOf(f))
		for _, t := range f.Tests {
			wf, _ := w.tested(t)
			jobs = append(jobs, job{t.Header, t, wf, func(c *checker) { c.checkTest(t) }})
		}
		for _, wf := range f.Workflows {
			ds := deployments[wf]
			jobs = append(jobs, job{wf.Header, wf, wf, func(c *checker) { c.checkWorkflow(wf, ds) }})
		}
	}
	return jobs
}

// finish computes lines and columns, sorts, and drops what was found twice.
func finish(p *project.Project, l diag.List) diag.List {
	placed(p, l)
	return once(l)
}

// placed computes lines and columns, and which fixes are certain.
func placed(p *project.Project, l diag.List) {
	l.Locate(p.Source)
	l.Doubt(p.Source)
}

// once sorts, and drops what was found twice: what a provider says is found of each
// of its connections.
func once(l diag.List) diag.List {
	l.Sort()
	unsatisfied := map[string]bool{} // that a connection lacks what an interface says is one mistake, wherever it is bound
	l = slices.DeleteFunc(l, func(d diag.Diagnostic) bool {
		again := d.Code == codeUnsatisfied && unsatisfied[d.Detail]
		unsatisfied[d.Detail] = unsatisfied[d.Detail] || d.Code == codeUnsatisfied
		return again
	})
	return slices.CompactFunc(l, func(a, b diag.Diagnostic) bool { return findingOf(a) == findingOf(b) })
}

// job checks one block.
type job struct {
	at hcl.Range
	// What it looks at, for [Cache]: a block or file, and the workflow that this is
	// or is about, with those that that one runs. A job without of looks at all files.
	of any
	wf *syntax.Workflow // nil: none

	run func(*checker)
}

// do runs a job. A fault of wfc becomes a finding: an editor must survive what
// nobody thought of.
func (j job) do(w *world) diag.List {
	c := &checker{w: w}
	func() {
		defer func() {
			if fault := recover(); fault != nil {
				c.diags = append(c.diags, diag.New(codeFault, j.at, "This is a bug in wfc: checking this block failed (%v). Please report it with the file and these lines:\n\n%s", fault, traceback()))
			}
		}()
		j.run(c)
	}()
	return c.diags
}

// traceback is the place of a fault: the innermost functions, without addresses.
func traceback() string {
	const most = 8
	var out []string
	for line := range strings.SplitSeq(string(debug.Stack()), "\n") {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "/runtime/") {
			out = append(out, "    "+path.Base(strings.Fields(line)[0]))
		}
	}
	return strings.Join(out[:min(len(out), most)], "\n")
}

// inParallel runs jobs, each with a checker of its own, and returns what each found,
// in the order of jobs.
func inParallel(w *world, jobs []job) []diag.List {
	found := make([]diag.List, len(jobs))
	each(len(jobs), func(i int) { found[i] = jobs[i].do(w) })
	return found
}

// each calls f for each number below n, on as many processors as there are.
func each(n int, f func(i int)) {
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	workers.Wait()
}

func allDeployments(p *project.Project) []*syntax.Deployment {
	var out []*syntax.Deployment
	for _, f := range p.Files {
		out = append(out, f.Deployments...)
	}
	return out
}

// deployed returns the workflow that a deployment names, or nil.
func (w *world) deployed(d *syntax.Deployment) *syntax.Workflow { return w.workflow(d.Workflow) }

// tested returns the workflow that a test runs, and the deployment of it that it
// names; both nil where they do not exist.
func (w *world) tested(t *syntax.Test) (*syntax.Workflow, *syntax.Deployment) {
	if t.Deployment == nil {
		return w.workflow(t.Workflow), nil
	}
	if len(t.Deployment.Path) == 2 {
		if d := w.project.Deployments[t.Deployment.Path[1].Text]; d != nil {
			return w.deployed(d), d
		}
	}
	return nil, nil
}

// workflow returns the workflow that a reference names, or nil.
func (w *world) workflow(ref *syntax.Ref) *syntax.Workflow {
	if ref == nil || len(ref.Path) != 2 {
		return nil
	}
	return w.project.Workflows[ref.Path[1].Text]
}

// hasLostDeployment reports whether a deployment is of no workflow that exists,
// which has its diagnostic: it may be one of any.
func (w *world) hasLostDeployment() bool {
	return slices.ContainsFunc(allDeployments(w.project), func(d *syntax.Deployment) bool { return w.deployed(d) == nil })
}

// bindings returns the connections that a deployment binds sources to, those
// that exist.
func (w *world) bindings(d *syntax.Deployment) map[string]bound {
	out := make(map[string]bound, len(d.Bind))
	for _, b := range d.Bind {
		if conn := w.connections[connectionID(b.Connection)]; conn != nil {
			out[b.Source.Text] = to(conn)
		}
	}
	return out
}

// checkWorkflow checks a workflow as it is, and through each of its
// deployments that binds a source to something else.
func (c *checker) checkWorkflow(wf *syntax.Workflow, deployments []*syntax.Deployment) {
	f := c.newFlow(wf, nil)
	c.checkFlow()
	var unbound []*source
	for _, s := range f.sourceList {
		if len(s.members) == 0 && !isBound(s.syn) && s.syn.Interface == nil && !c.w.handedTo(wf, s.syn.Name.Text) {
			unbound = append(unbound, s)
		}
	}
	if len(deployments) == 0 && !c.w.hasLostDeployment() {
		for _, s := range unbound {
			c.report(diag.New(codeUnboundSource, s.syn.Header, "The source %q is bound to no connection, and no deployment of this workflow binds it, so that its calls cannot be checked. Give it a bind, or write a deployment.", s.syn.Name.Text))
		}
	}
	var asBound []*syntax.Deployment
	for _, d := range deployments {
		if !rebinds(f, c.w.bindings(d)) {
			asBound = append(asBound, d)
		}
	}
	c.unsafeRetries()
	if len(asBound) > 0 || len(deployments) == 0 {
		c.unguardedCalls(asBound)
	}
	c.follow(asBound)
	lint := c.lint(c.diags)
	said := map[finding]bool{}
	own := map[finding]bool{}
	for _, d := range c.diags {
		own[placeOf(d)] = true
	}
	for _, d := range deployments {
		binds := c.w.bindings(d)
		if !rebinds(f, binds) {
			continue
		}
		through := &checker{w: c.w}
		through.newFlow(wf, binds)
		through.checkFlow()
		through.unsafeRetries()
		through.unguardedCalls([]*syntax.Deployment{d})
		through.follow([]*syntax.Deployment{d})
		for _, x := range through.diags {
			if k := findingOf(x); !said[k] && !own[placeOf(x)] {
				said[k] = true
				c.report(x.With(d.Header, "As deployment %s binds the sources.", d.Name.Text))
			}
		}
	}
	c.diags = append(c.diags, lint...)
}

// finding tells findings apart when a workflow is checked several times.
type finding struct {
	code   diag.Code
	at     diag.Range
	detail string
}

func findingOf(d diag.Diagnostic) finding { return finding{d.Code, d.Range, d.Detail} }

// placeOf tells them apart by what and where they are: what a workflow has wrong as
// it is written shows with other words as it is bound.
func placeOf(d diag.Diagnostic) finding { return finding{code: d.Code, at: d.Range} }

// rebinds reports whether some source gets another connection than it has.
func rebinds(f *flow, binds map[string]bound) bool {
	for name, b := range binds {
		if s := f.sources[name]; s != nil && !s.same(b) {
			return true
		}
	}
	return false
}
