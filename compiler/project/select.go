package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Target is what a user named to be compiled or run: a workflow, or a
// deployment with the workflow that it names.
type Target struct {
	Workflow   *syntax.Workflow   // nil where the deployment's workflow does not exist, which is the checker's to report
	Deployment *syntax.Deployment // nil: the workflow itself
}

// Open loads the project that a command's argument means and selects the
// target in it. arg is a deployment's name, a workflow's name, workflow.NAME or
// deployment.NAME of the project of the current folder (or of o.Root), or a
// path to a file or folder with exactly one workflow, whose project is used.
// Names win over paths; an argument with a separator is a path. The error is a
// full sentence for the user.
func Open(arg string, o Options) (*Project, Target, error) {
	if !isPath(arg) {
		here := o.Root
		if here == "" {
			here = "."
		}
		p, err := Load(here, o)
		if err != nil {
			return nil, Target{}, err
		}
		t, err := p.Select(arg)
		if err == nil {
			return p, t, nil
		}
		if _, missing := os.Stat(arg); missing != nil {
			return p, Target{}, err
		}
	}
	p, err := Load(arg, o)
	if err != nil {
		return nil, Target{}, err
	}
	t, err := p.Select(arg)
	return p, t, err
}

// isPath reports whether arg can only be a path.
func isPath(arg string) bool {
	return arg == "." || arg == ".." || strings.ContainsRune(arg, '/') || strings.ContainsRune(arg, filepath.Separator) ||
		strings.HasSuffix(arg, workflowSuffix)
}

// Select finds what arg names in the project: see [Open].
func (p *Project) Select(arg string) (Target, error) {
	if !isPath(arg) {
		t, err := p.byName(arg)
		if err == nil {
			return t, nil
		}
		if _, missing := os.Stat(arg); missing != nil {
			return Target{}, err
		}
	}
	return p.byPath(arg)
}

func (p *Project) byName(arg string) (Target, error) {
	kind, name, qualified := strings.Cut(arg, ".")
	switch {
	case qualified && kind == "workflow":
		if w := p.Workflows[name]; w != nil {
			return Target{Workflow: w}, nil
		}
		return Target{}, unknown("workflow", name, p.WorkflowNames())
	case qualified && kind == "deployment":
		if d := p.Deployments[name]; d != nil {
			return p.deployed(d), nil
		}
		return Target{}, unknown("deployment", name, p.DeploymentNames())
	}
	if d := p.Deployments[arg]; d != nil {
		return p.deployed(d), nil
	}
	if w := p.Workflows[arg]; w != nil {
		return Target{Workflow: w}, nil
	}
	return Target{}, unknown("workflow or deployment", arg, p.names())
}

func (p *Project) deployed(d *syntax.Deployment) Target {
	t := Target{Deployment: d}
	if d.Workflow != nil {
		t.Workflow = p.Workflows[d.Workflow.Path[1].Text]
	}
	return t
}

// names returns the names of all workflows and deployments, each once, sorted.
func (p *Project) names() []string {
	out := append(p.WorkflowNames(), p.DeploymentNames()...)
	slices.Sort(out)
	return slices.Compact(out)
}

// unknown says that there is no such name, and which there are.
func unknown(what, name string, have []string) error {
	switch near, ok := nearest.Name(name, have); {
	case ok:
		return fmt.Errorf("there is no %s %q. Did you mean %q?", what, name, near)
	case len(have) == 0:
		return fmt.Errorf("there is no %s %q; the project has none at all", what, name)
	}
	const most = 20 // more names are no help to read
	list := strings.Join(have[:min(len(have), most)], ", ")
	if len(have) > most {
		list += fmt.Sprintf(" and %d more", len(have)-most)
	}
	return fmt.Errorf("there is no %s %q; there are: %s", what, name, list)
}

// byPath finds the one workflow of a file or folder.
func (p *Project) byPath(arg string) (Target, error) {
	abs, err := filepath.Abs(arg)
	if err != nil {
		return Target{}, fmt.Errorf("the path %q cannot be resolved: %w", arg, err)
	}
	rel, err := filepath.Rel(p.Root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return Target{}, fmt.Errorf("%s is outside of the project %s", arg, p.Root)
	}
	_, isOverlay := p.overlay[abs]
	info, err := os.Stat(abs)
	switch {
	case err == nil || isOverlay:
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, &missingError{arg}
	default:
		return Target{}, fmt.Errorf("%s cannot be read: %w", arg, cause(err))
	}
	folder := err == nil && info.IsDir()
	name := filepath.ToSlash(rel)
	if !folder && !strings.HasSuffix(name, workflowSuffix) {
		return Target{}, fmt.Errorf("%s is no workflow file: their names end in %s", arg, workflowSuffix)
	}

	var found []*syntax.Workflow
	for _, f := range p.Files {
		if f.Name == name || folder && (name == "." || strings.HasPrefix(f.Name, name+"/")) {
			found = append(found, f.Workflows...)
		}
	}
	switch len(found) {
	case 1:
		return Target{Workflow: found[0]}, nil
	case 0:
		if folder {
			return Target{}, fmt.Errorf("there is no workflow in %s: workflows are written in files whose names end in %s", arg, workflowSuffix)
		}
		return Target{}, fmt.Errorf("there is no workflow in %s", arg)
	}
	names := make([]string, 0, len(found))
	for _, w := range found {
		names = append(names, "workflow."+w.Name.Text)
	}
	return Target{}, fmt.Errorf("there are %d workflows in %s; name one of them: %s", len(found), arg, strings.Join(names, ", "))
}
