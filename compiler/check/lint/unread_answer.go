package lint

import "github.com/lda-wf/wfc/lang/diag"

// unreadAnswers reports the questions whose answer no step waits for.
func (p *pass) unreadAnswers() {
	for _, s := range p.list {
		if y := s.Syntax; y.Ask != nil && !s.used && y.Name.Text != "" {
			p.report(diag.New(codeUnreadAnswer, y.Header, "Nothing reads the answer of the step %q or waits for it, so that the question guards nothing: the other steps run while it is asked. Read it in the `when` of the step that it is about, or name it in that step's depends_on.", y.Name.Text))
		}
	}
}
