package wftest

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Selection says which tests of a project are meant.
type Selection struct {
	// Paths are files and folders relative to the project's root, with forward slashes;
	// "" is the root. A test is in one when its file is, or the file of its workflow or of
	// its deployment.
	Paths []string
	Names *regexp.Regexp // that a test's name matches; nil: any
}

// Tests returns the tests of a project that are meant, compiled.
func (s *Selection) Tests(p *project.Project) []compiler.Test {
	return compiler.Tests(p, func(t *syntax.Test) bool { return s.has(p, t) })
}

func (s *Selection) has(p *project.Project, t *syntax.Test) bool {
	if s.Names != nil && !s.Names.MatchString(t.Name.Text) {
		return false
	}
	if s.within(t.Header.Filename) {
		return true
	}
	ref := t.Workflow
	if of := t.Deployment; of != nil && len(of.Path) == 2 {
		d := p.Deployments[of.Path[1].Text]
		if d == nil {
			return false
		}
		if s.within(d.Header.Filename) {
			return true
		}
		ref = d.Workflow
	}
	if ref == nil || len(ref.Path) != 2 {
		return false
	}
	w := p.Workflows[ref.Path[1].Text]
	return w != nil && s.within(w.Header.Filename)
}

func (s *Selection) within(file string) bool {
	return slices.ContainsFunc(s.Paths, func(at string) bool {
		return at == "" || at == "." || file == path.Clean(at) || strings.HasPrefix(file, strings.TrimSuffix(at, "/")+"/")
	})
}

// Unreadable returns the errors in test files that are meant which are of no test
// that could be read: what they hide is not run.
func (s *Selection) Unreadable(p *project.Project) (out diag.List) {
	for _, d := range p.Diagnostics {
		if d.Severity != diag.Error || !strings.HasSuffix(d.Range.File, syntax.TestSuffix) || !s.within(d.Range.File) {
			continue
		}
		inTest := slices.ContainsFunc(p.Files, func(f *syntax.File) bool {
			return slices.ContainsFunc(f.Tests, func(t *syntax.Test) bool {
				return t.Range.Filename == d.Range.File && d.Range.Start.Byte >= t.Range.Start.Byte && d.Range.End.Byte <= t.Range.End.Byte
			})
		})
		if !inTest {
			out = append(out, d)
		}
	}
	return out
}

// RunProject runs the tests of a project that are meant.
func RunProject(ctx context.Context, p *project.Project, s *Selection) *Report {
	r := Run(ctx, s.Tests(p), p.Source)
	r.Unreadable = s.Unreadable(p)
	return r
}
