package syntax

import (
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/lang/diag"
)

// filesOf returns the workflow files of a registry example.
func filesOf(example string) map[string]string {
	out := map[string]string{}
	if !strings.HasPrefix(example, "-- ") {
		return map[string]string{"example.wf.hcl": example}
	}
	for _, f := range txtar.Parse([]byte(example)).Files {
		if strings.HasSuffix(f.Name, ".hcl") {
			out[f.Name] = string(f.Data)
		}
	}
	return out
}

// ofTheChecker are codes of shape that only the checker can find: what a
// provider block adds is known, or what is to be run.
var ofTheChecker = []diag.Code{codeNoTransport, "WFC1091"}

func TestEachFailingExampleHasItsOneDiagnosticAndEachMendedOneNone(t *testing.T) {
	parse := func(example string) diag.List {
		var all diag.List
		for name, src := range filesOf(example) {
			_, diags := Parse(name, []byte(src))
			all = append(all, diags...)
		}
		return all
	}
	for _, e := range diag.Entries() {
		if !strings.HasPrefix(string(e.Code), "WFC10") || e.NoExample != "" || slices.Contains(ofTheChecker, e.Code) {
			continue
		}
		t.Run(string(e.Code), func(t *testing.T) {
			if got := parse(e.Failing); len(got) != 1 || got[0].Code != e.Code {
				t.Errorf("the failing example gives %v", got)
			}
			if got := parse(e.Mended); len(got) != 0 {
				t.Errorf("the mended example gives %v", got)
			}
		})
	}
}
