package lint

import "github.com/lda-wf/wfc/lang/diag"

// unusedLocals reports the locals that nothing refers to.
func (p *pass) unusedLocals() {
	for _, y := range p.flow.Syntax.Locals {
		if l := p.locals[y.Name.Text]; l.syntax == y && !l.used {
			p.report(diag.New(codeUnusedLocal, y.Name.Range, "Nothing uses the local %q, and a local that nothing uses is never computed. Use it, or remove it.", y.Name.Text))
		}
	}
}
