package compiler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

const readsFile = `workflow "w" {
  locals {
    template = file("texts/a.txt")
  }
  output "o" {
    value = "<${local.template}|${upper(file("texts/a.txt"))}>"
  }
}
`

// compiled compiles the workflow readsFile beside a file with this text.
func compiledWith(t testing.TB, text string) *plan.Plan {
	t.Helper()
	p := load(t, readsFile)
	to := filepath.Join(p.Root, "texts", "a.txt")
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(p.Root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := p.Select("w")
	if err != nil {
		t.Fatal(err)
	}
	out, found := compiler.Compile(p, compiler.Target{Target: target})
	if out == nil {
		t.Fatalf("not compiled: %v", found)
	}
	return out
}

func TestThePlanHasTheTextOfFiles(t *testing.T) {
	one := compiledWith(t, "#!/bin/sh\necho ${HOME} %{if} \"x\" \\n\n")
	if text := string(one.Outputs[0].Value); strings.Contains(text, "file(") {
		t.Errorf("the plan reads a file: %s", text)
	}
	if same := compiledWith(t, "#!/bin/sh\necho ${HOME} %{if} \"x\" \\n\n"); same.Digest != one.Digest {
		t.Error("the same text gives another digest")
	}
	if other := compiledWith(t, "#!/bin/bash\n"); other.Digest == one.Digest {
		t.Error("another text gives the same digest")
	}
}

func TestTextsOfFilesArriveAsTheyAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"", "a\r\nb\r\n", "\ufeffx", "$${", "%%{", "${a}", "cafe\u0301", "\x00\x1f\u2028", "\\", "\"", "$", "\U000e0001"}),
		).Draw(rt, "text")
		p := compiledWith(t, text)
		e, problems := expr.Parse(string(p.Locals[0].Value), "plan")
		if problems.HasErrors() {
			rt.Fatalf("%q is stored as %s: %v", text, p.Locals[0].Value, problems)
		}
		r, err := eval.Eval(e, eval.MapScope{})
		if err != nil {
			rt.Fatal(err)
		}
		if got := r.Value.AsString(); got != text {
			rt.Errorf("%q arrives as %q", text, got)
		}
	})
}
