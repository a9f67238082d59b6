package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/lda-wf/wfc/lang/diag"
)

// withoutScript are the codes that no script of testdata/script/check shows, and
// why. A code without an example, since no file can cause it, needs none either.
var withoutScript = map[diag.Code]string{
	"WFC1091": "what cannot be run yet becomes less; compile_later.txtar has what is left",
}

// TestEveryCodeHasAScript: what `wfc check` prints of every code is looked at by
// somebody, in testdata/script/check.
func TestEveryCodeHasAScript(t *testing.T) {
	scripts, err := filepath.Glob("../../testdata/script/check/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	shown := map[diag.Code]bool{}
	printed := regexp.MustCompile(`(?m)^(?:error|warning|info)\[(WFC\d{4})\]: `)
	for _, name := range scripts {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range printed.FindAllSubmatch(src, -1) {
			shown[diag.Code(m[1])] = true
		}
	}
	for _, e := range diag.Entries() {
		switch why := withoutScript[e.Code]; {
		case shown[e.Code] && why != "":
			t.Errorf("%s has a script: take it out of withoutScript", e.Code)
		case !shown[e.Code] && why == "" && e.NoExample == "":
			t.Errorf("%s (%s) has no script in testdata/script/check", e.Code, e.Summary)
		}
		delete(shown, e.Code)
	}
	for code := range shown {
		t.Errorf("%s is in a script and is no code", code)
	}
}
