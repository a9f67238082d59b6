package lint_test

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check/lint"
)

// Tokens are put together here, so that no scanner takes this file for a leak.
var leaked = []string{
	"ghp_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R",
	"github_pat_" + "11ABCDEFG0abcdefghij_klmnopqrstuvwxyz012345",
	"glpat-" + "aB3dE6gH9jK2mN5pQ8sT",
	"sk-" + "proj-aB3dE6gH9jK2mN5pQ8sTaB3dE6",
	"xoxb-" + "123456789012-123456789012-aBcDeFgHiJ",
	"eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
	"AKIA" + "IOSFODNN7EXAMPLE",
}

func TestTokens(t *testing.T) {
	for _, token := range leaked {
		for _, src := range []string{
			"workflow \"w\" {\n  output \"o\" {\n    value = \"" + token + "\"\n  }\n}\n",
			"# " + token,
			"x = \"Bearer " + token + "\"",
			strings.Repeat("a-long-word-", 30) + "\n" + token,
			token,
		} {
			found := lint.Text("a.wf.hcl", []byte(src))
			if len(found) != 1 {
				t.Errorf("%q: %d findings", src, len(found))
				continue
			}
			at := found[0].Range
			if got := src[at.Start.Byte:at.End.Byte]; got != token {
				t.Errorf("%q: found %q", src, got)
			}
			if line := strings.Count(src[:at.Start.Byte], "\n") + 1; at.Start.Line != line {
				t.Errorf("%q: found on line %d, want %d", src, at.Start.Line, line)
			}
		}
	}
}

func TestWhatIsNoToken(t *testing.T) {
	for _, src := range []string{
		"", "x", "ghp_short", "sk-learn-and-other-long-package-names", "task-" + leaked[3][3:], "ghp_" + strings.Repeat("x", 36),
		"https://example.com/eyJust-a-name.eyJust-another.html", "xoxb-your-token-goes-in-here", "AKIAIOSFODNN",
		strings.Repeat("0123456789abcdef", 4), "desk-0a1B2c3D4e5F6g7H8i9J0k1L2m3N",
	} {
		if found := lint.Text("a.wf.hcl", []byte(src)); len(found) > 0 {
			t.Errorf("%q: %v", src, found)
		}
	}
}
