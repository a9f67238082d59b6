package check_test

import (
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/diag"
)

func TestExamplesOfEveryCode(t *testing.T) {
	for _, e := range diag.Entries() {
		if e.NoExample != "" {
			continue
		}
		t.Run(string(e.Code), func(t *testing.T) {
			p := load(t, e.Failing)
			found := check.Project(p)
			only := len(found) > 0
			for _, d := range found {
				only = only && d.Code == e.Code
			}
			if !only {
				t.Errorf("the failing example must give this code and no other; it gives:\n%s", show(p, found))
			}
			p = load(t, e.Mended)
			if found := check.Project(p); len(found) > 0 {
				t.Errorf("the mended example must give nothing; it gives:\n%s", show(p, found))
			}
		})
	}
}
