package compiler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// inProject compiles the workflow w, or the deployment d where there is one, of a
// project with these settings.
func inProject(t *testing.T, settings, src string) (*plan.Plan, diag.List) {
	t.Helper()
	root := load(t, src).Root
	if err := os.WriteFile(filepath.Join(root, "wfc.hcl"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := project.Target{Workflow: p.Workflows["w"], Deployment: p.Deployments["d"]}
	return compiler.Compile(p, compiler.Target{Target: target})
}

const call = "  source \"demo\" {\n    bind = connection.demo.main\n  }\n  step \"s\" {\n    call = demo.counter\n  }\n"

// A plan that left out what cannot be run yet would do something else than what is written.
func TestWhatCannotBeRunYetIsRefused(t *testing.T) {
	for name, src := range map[string]string{
		"a login":                 "connection \"demo\" \"web\" {\n  http {\n    url = \"https://example.com/mcp\"\n  }\n  auth \"oauth\" {\n  }\n}\nworkflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo.web\n  }\n  step \"s\" {\n    call = demo.counter\n  }\n}\n",
		"a secret in the keyring": "secret \"a\" {\n  keyring = \"wfc/a\"\n}\n" + withSecret,
	} {
		t.Run(name, func(t *testing.T) {
			out, found := inProject(t, "", src)
			n := strings.Count(codes(found), "WFC1091")
			if out != nil || n != 1 {
				t.Errorf("got %v", found)
			}
		})
	}
}

// withSecret names the secret a twice.
const withSecret = `
workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "s" {
    call = demo.echo
    args = { text = "${secret.a}${secret.a}" }
  }
}
`

func codes(l diag.List) string {
	var out []string
	for _, d := range l {
		out = append(out, string(d.Code))
	}
	return strings.Join(out, " ")
}

func TestDefaultsOfTheProjectAreInThePlan(t *testing.T) {
	const settings = "defaults {\n  max_parallel = 3\n  timeout      = \"90s\"\n  session      = \"run\"\n}\n"
	const fan = "  step \"f\" {\n    for_each = [1]\n    call     = demo.counter\n    timeout  = \"5s\"\n  }\n  step \"v\" {\n    value = 1\n  }\n"
	out, found := inProject(t, settings, "workflow \"w\" {\n"+call+fan+"}\n")
	if out == nil {
		t.Fatal(found)
	}
	for i, want := range []struct{ id, max, timeout plan.Expr }{
		{"s", "", `"90000ms"`}, {"f", "3", `"5s"`}, {"v", "", ""},
	} {
		if n := out.Nodes[i]; plan.Expr(n.ID) != want.id || n.MaxParallel != want.max || n.Timeout != want.timeout {
			t.Errorf("%s: max_parallel %q, timeout %q", n.ID, n.MaxParallel, n.Timeout)
		}
	}
	if s := out.Sources[0].Session; s != "run" {
		t.Errorf("the session is %q", s)
	}
}
