package lint_test

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/check/lint"
	"github.com/lda-wf/wfc/lang/diag"
)

func TestRulesAreTurnedOff(t *testing.T) {
	p := load(t, `-- wfc.hcl --
lint {
  unused_input = false
  unused_local = true
}
-- main.wf.hcl --
workflow "w" {
  input "a" {
    type = string
  }
  locals {
    b = 1
  }
}
`)
	found := check.Project(p)
	if len(found) != 1 || found[0].Code != "WFC3302" {
		t.Errorf("found %v, want the unused local only", found)
	}
}

func TestWrongSettings(t *testing.T) {
	runRules(t, "WFC3390", []rule{
		{"mistakes", `-- wfc.hcl --
lint {
  unused_inputs = false
  unused_local  = "off"
  unused_source = false
}
`, []string{"unused_inputs", `"off"`}},
	})
}

// Every rule is explained with the name that turns it off, and warns only.
func TestEveryRuleIsExplained(t *testing.T) {
	for name, code := range lint.Rules {
		e, ok := diag.Lookup(string(code))
		if !ok || e.Severity != diag.Warning || !strings.Contains(e.Explanation, "lint { "+name+" = false }") {
			t.Errorf("%s (%s): %v", name, code, e.Explanation)
		}
	}
}
