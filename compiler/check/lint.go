package check

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/check/lint"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// lint looks at the workflow in hand, which was checked, with the rules of
// package lint. found is what was found in it.
func (c *checker) lint(found diag.List) diag.List {
	f := c.f
	out := &lint.Flow{
		Syntax: f.wf,
		Whole:  !found.HasErrors() && !c.w.hasError(f.file()),
		Child:  func(name string) *syntax.Workflow { return c.w.project.Workflows[name] },
	}
	for _, y := range slices.Concat(f.wf.Steps, f.wf.Finally) {
		s := f.steps[y.Name.Text]
		st := lint.Step{Syntax: y, Reads: y.Read != nil || y.Prompt != nil}
		if s != nil && s.syn == y {
			st.Reads = st.Reads || s.tool != nil && s.effect == catalog.Read
			st.OnlyOK = s.one != nil && s.one.outcomes == outcomeOK
		}
		out.Steps = append(out.Steps, st)
	}
	return lint.Workflow(out)
}

// hasError reports whether reading the files found an error in one of them.
func (w *world) hasError(file string) bool {
	return slices.ContainsFunc(w.project.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && (d.Range.File == file || d.Range.File == "")
	})
}

// lintProject looks at what is between the files of a project.
func (c *checker) lintProject() {
	p := c.w.project
	if p.Settings != nil {
		_, wrong := lint.Off(p.Settings.Lint)
		c.diags = append(c.diags, wrong...)
	}
	if !p.Diagnostics.HasErrors() {
		c.diags = append(c.diags, lint.Project(p.Files)...)
	}
}

// textOf is the text of a file.
type textOf struct{ file *syntax.File }

// lintOf looks at the text of a file.
func lintOf(f *syntax.File) job {
	return job{hcl.Range{Filename: f.Name}, textOf{f}, nil, func(c *checker) { c.diags = append(c.diags, lint.Text(f.Name, f.Source)...) }}
}

// withoutLint removes the findings of the rules that the project turns off.
func (w *world) withoutLint(found diag.List) diag.List {
	if w.project.Settings == nil {
		return found
	}
	off, _ := lint.Off(w.project.Settings.Lint)
	if len(off) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return off[d.Code] })
}
