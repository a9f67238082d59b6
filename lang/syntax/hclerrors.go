package syntax

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
)

// translate carries a diagnostic of HCL over.
func translate(d *hcl.Diagnostic) diag.Diagnostic {
	at := hcl.Range{}
	if d.Subject != nil {
		at = *d.Subject
	}
	return diag.New(codeSyntaxError, at, "%s", d.Detail)
}
