package wftest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

// Memory knows how tests came out, so that only those run again that a change
// affects. The zero Memory knows of none. It is for one goroutine.
type Memory struct {
	known map[string]remembered // by name
}

type remembered struct {
	sum    [sha256.Size]byte // of all that the test depends on
	result Result
}

// Run runs the tests of a project that are meant and that a change affects: of
// themselves, of the workflow that they run, of those that this runs, of snapshots and
// of files whose text is part of them. The report is of these; its coverage is of
// all. others are the results of the tests that did not run again.
func (m *Memory) Run(ctx context.Context, p *project.Project, s *Selection) (report *Report, others []Result) {
	all := s.Tests(p)
	now := make(map[string]remembered, len(all))
	var again []compiler.Test
	for i := range all {
		name, sum := all[i].Syntax.Name.Text, digest(p, &all[i])
		if last, ok := m.known[name]; ok && last.sum == sum {
			now[name] = last
			others = append(others, last.result)
			continue
		}
		now[name] = remembered{sum: sum}
		again = append(again, all[i])
	}
	report = Run(ctx, again, p.Source)
	report.Unreadable = s.Unreadable(p)
	for _, r := range report.Results {
		now[r.Name] = remembered{now[r.Name].sum, r}
	}
	results := make([]Result, len(all))
	for i := range all {
		results[i] = now[all[i].Syntax.Name.Text].result
	}
	report.Coverage = covered(all, results)
	if ctx.Err() == nil {
		m.known = now
	}
	return report, others
}

// digest is over all that what comes of a test depends on.
func digest(p *project.Project, t *compiler.Test) (sum [sha256.Size]byte) {
	h := sha256.New()
	add := func(text string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:])
		h.Write([]byte(text))
	}
	r := t.Syntax.Range
	if src := p.Source(r.Filename); r.Start.Byte >= 0 && r.End.Byte <= len(src) {
		add(string(src[r.Start.Byte:r.End.Byte]))
	}
	// The texts of files are in these.
	expressions := []expr.Expr{t.Inputs, t.Previous, t.Outputs}
	for _, m := range t.Mocks {
		expressions = append(expressions, m.When, m.Output, m.Text, m.Content, m.Error)
	}
	for _, a := range t.Answers {
		expressions = append(expressions, a.When, a.Data)
	}
	for _, a := range t.Asserts {
		expressions = append(expressions, a.Condition, a.Message)
	}
	for _, e := range expressions {
		add(expr.Print(e))
	}
	for _, m := range t.Test.Mocks {
		add(string(m.Schema))
	}
	if t.Plan != nil {
		add(t.Plan.Digest)
	}
	for _, d := range t.Diagnostics {
		if d.Severity == diag.Error {
			add(string(d.Code) + d.Detail)
		}
	}
	h.Sum(sum[:0])
	return sum
}
