package lint

import "github.com/lda-wf/wfc/lang/diag"

// unusedInputs reports the inputs that nothing refers to but their own validation.
func (p *pass) unusedInputs() {
	for _, in := range p.flow.Syntax.Inputs {
		if name := in.Name.Text; name != "" && !p.inputs[name] {
			p.report(diag.New(codeUnusedInput, in.Header, "Nothing in the workflow uses the input %q, so that what is given for it changes nothing. Use it, or remove it.", name))
		}
	}
}
