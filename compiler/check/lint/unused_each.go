package lint

import "github.com/lda-wf/wfc/lang/diag"

// unusedEach reports the fan-outs that do the same for every element.
func (p *pass) unusedEach() {
	for _, s := range p.list {
		if y := s.Syntax; y.ForEach != nil && !s.each {
			p.report(diag.New(codeUnusedEach, y.ForEach.NameRange, "The step %q never uses each, so that it does the same for every element. Use each.value or each.key in it, or remove for_each.", y.Name.Text))
		}
	}
}
