package lint

import "github.com/lda-wf/wfc/lang/diag"

// unusedResults reports the steps that only read, and whose result nothing reads:
// they do nothing. A step that judges what it read is a check.
func (p *pass) unusedResults() {
	for _, s := range p.list {
		y := s.Syntax
		if !s.Reads || s.used || y.FailIf != nil || len(y.Asserts) > 0 || y.Loop != nil || y.Name.Text == "" {
			continue
		}
		p.report(diag.New(codeUnusedResult, y.Header, "The step %q only reads, and nothing uses what it gives. Use its result, say with fail_if or assert what it checks, or remove it.", y.Name.Text))
	}
}
