package check_test

import (
	"strings"
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
			findings := findings // examples are short, and leave unused what is not their matter
			if strings.HasPrefix(string(e.Code), "WFC33") {
				findings = check.Project
			} else if e.Code == "WFC3010" {
				findings = check.Strict
			}
			p := load(t, e.Failing)
			found := findings(p)
			if e.Code == "WFC1091" && len(found) == 0 {
				// What cannot be run is said where somebody wants to run it.
				_, found = check.Target(p, p.Workflows[p.WorkflowNames()[0]], nil, nil)
			}
			only := len(found) > 0
			for _, d := range found {
				only = only && d.Code == e.Code
			}
			if !only {
				t.Errorf("the failing example must give this code and no other; it gives:\n%s", show(p, found))
			}
			p = load(t, e.Mended)
			if found := findings(p); len(found) > 0 {
				t.Errorf("the mended example must give nothing; it gives:\n%s", show(p, found))
			}
		})
	}
}
