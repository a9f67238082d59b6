package funcs

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
)

// Signature returns the function's parameters and result on one line, as
// documentation and hover show it: optional parameters in brackets, repeatable
// ones with dots.
func (f *Func) Signature() string {
	var params []string
	for _, p := range f.Params {
		params = append(params, p.Name+": "+types.Print(p.Type))
	}
	for _, p := range f.Optional {
		params = append(params, "["+p.Name+": "+types.Print(p.Type)+"]")
	}
	if f.Variadic != nil {
		params = append(params, f.Variadic.Name+": "+types.Print(f.Variadic.Type)+"...")
	}
	return f.Name + "(" + strings.Join(params, ", ") + ") -> " + types.Print(f.Result)
}

// Markdown returns the documentation of all functions: docs/functions.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Functions

Written from the function table by ` + "`go test ./lang/funcs -update`" + `; every example is run as a test.

The names, meanings and argument orders are Terraform's, except where that surprises; the descriptions say where.
Functions are pure: no clock, no randomness, no environment. Text is bytes that are mostly UTF-8, and nothing is
normalised; what counts or cuts characters counts code points. Numbers are exact decimals. No argument is converted
silently, and what a function passes on it does not change.

The result is typed from the arguments where the signature says ` + "`any`" + `: ` + "`element`" + ` of a list of strings is a string,
` + "`regex`" + ` with a constant pattern has that pattern's groups. A function that cannot do its work fails the expression (kind
` + "`expression`" + `); ` + "`try`" + ` and ` + "`can`" + ` catch that. A result has at most ` + fmt.Sprintf("%d MiB of text or %d elements.\n", maxText>>20, maxElements))
	all := All()
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g)
		for _, f := range all {
			if f.Group != g {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n\n%s\n\n```hcl\n%s\n# %s\n```\n", f.Name, f.Signature(), f.Doc, f.Example, f.Gives)
		}
	}
	return b.String()
}
