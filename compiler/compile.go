// Package compiler turns a checked workflow into a plan. It is one pure
// function, [Compile]: data in, data out; no clock, no environment, nothing
// started. It may import lang, compiler/project, compiler/check and compiler/plan.
package compiler

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Target is what is compiled: a workflow or a deployment, and the connections
// that its sources are bound to for this once.
type Target struct {
	project.Target
	Bind map[string]string // connection id by source; above the deployment's and the sources' own
}

// Compile checks the target and links it to its connections. The plan is nil
// where there are errors. The diagnostics are about what the plan is made of,
// not about the rest of the project; [check.Project] is for that.
func Compile(p *project.Project, t Target) (*plan.Plan, diag.List) {
	return compile(p, t, check.Target)
}

// Sketch is [Compile] for what asks no server, as a picture: the plan of a workflow
// with sources that are bound to nothing and have interfaces has these in the place of
// connections, under the ids interface.NAME, and cannot be run.
func Sketch(p *project.Project, t Target) (*plan.Plan, diag.List) {
	return compile(p, t, check.Tested)
}

// checking is [check.Target] or [check.Tested].
type checking func(*project.Project, *syntax.Workflow, *syntax.Deployment, map[string]string) (*check.Workflow, diag.List)

func compile(p *project.Project, t Target, checked checking) (*plan.Plan, diag.List) {
	if d := t.Deployment; d != nil && t.Workflow == nil {
		var out diag.List
		for _, x := range check.Project(p) {
			if x.Range.File == d.Header.Filename && x.Severity == diag.Error {
				out = append(out, x)
			}
		}
		return nil, out
	}
	problems := misbound(p, t)
	w, found := checked(p, t.Workflow, t.Deployment, t.Bind)
	found = append(problems, found...)
	if w == nil || found.HasErrors() {
		return nil, found
	}
	return linked(p, w, t.Deployment), found
}

// linked returns the plan of a checked workflow; d is the deployment, or nil.
func linked(p *project.Project, w *check.Workflow, d *syntax.Deployment) *plan.Plan {
	l := newLinker(p, w, nil)
	if d != nil {
		l.plan.Deployment = d.Name.Text
		l.policy(d.Policy)
	}
	l.link()
	l.plan.Seal()
	return l.plan
}

// misbound reports what Bind names and does not exist, or is disabled. It is written
// in no file, so that these have no place.
func misbound(p *project.Project, t Target) diag.List {
	var out diag.List
	var sources []string
	for _, s := range t.Workflow.Sources {
		sources = append(sources, s.Name.Text)
	}
	report := func(code diag.Code, detail, name string, have []string) {
		if near, ok := nearest.Name(name, have); ok {
			detail += fmt.Sprintf(" Did you mean %q?", near)
		}
		out = append(out, diag.New(code, hcl.Range{}, "%s", detail))
	}
	for source, id := range t.Bind {
		if !has(sources, source) {
			report("WFC2001", fmt.Sprintf("Workflow %q has no source %q, so that nothing can be bound to it.", t.Workflow.Name.Text, source), source, sources)
		}
		switch c := p.Connections[id]; {
		case c == nil:
			report("WFC2007", fmt.Sprintf("This project has no connection %q, so that the source %q cannot be bound to it.", id, source), id, p.ConnectionIDs())
		case c.Enabled != nil && !c.Enabled.B:
			out = append(out, diag.New("WFC2407", hcl.Range{}, "The connection %s is disabled (enabled = false), so that the source %q cannot be bound to it. Bind another one, or enable it.", id, source).
				With(c.Enabled.Range, "It is disabled here."))
		}
	}
	out.Sort()
	return out
}

func has(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
