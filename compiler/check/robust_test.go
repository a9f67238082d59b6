package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// Whatever stands in a file while it is being typed, the checker gives findings and
// never fails.
func TestBrokenFilesAreChecked(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "catalog"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wfc.hcl", "demo.wf.hcl", "catalog/demo.main.json"} {
		src, err := os.ReadFile(filepath.Join(demo, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	whole := string(genproject.Files(1)["flows/00/"+genproject.Name(0)+".wf.hcl"]) + `
deployment "d" {
  workflow = workflow.flow_00000
  bind     = { demo = connection.demo.main }
  inputs   = { limit = 3 }
}
`
	wholes := map[string]string{"flow.wf.hcl": whole}
	for _, name := range []string{"surface.wf.hcl", "surface.wftest.hcl"} {
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		wholes[name] = string(src)
		if err := os.WriteFile(filepath.Join(root, name), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"flow.wf.hcl", "surface.wf.hcl", "surface.wf.hcl", "surface.wftest.hcl"}).Draw(rt, "file")
		file, src := filepath.Join(root, name), wholes[name]
		for range rapid.IntRange(1, 3).Draw(rt, "edits") {
			from := rapid.IntRange(0, len(src)).Draw(rt, "from")
			to := min(len(src), from+rapid.IntRange(0, 40).Draw(rt, "length"))
			put := rapid.SampledFrom([]string{"", "", ".", "{", "}", "\"", "${", "[", "]", "each.value", "null", " = ", "\n", "step.open", "0", "loop.previous", "run.error", "team[\"a\"]"}).Draw(rt, "put")
			src = src[:from] + put + src[to:]
		}
		p, err := project.Load(root, project.Options{Overlay: map[string][]byte{file: []byte(src)}})
		if err != nil {
			rt.Fatal(err)
		}
		for _, d := range check.Project(p) {
			if d.Code == "WFC1099" {
				rt.Fatalf("%s\n%s", d.Detail, src)
			}
			if text := p.Source(d.Range.File); d.Range.File != "" && (d.Range.Start.Byte < 0 || d.Range.End.Byte > len(text) || d.Range.Start.Byte > d.Range.End.Byte) {
				rt.Fatalf("%s has a range outside of its file: %+v", d.Code, d.Range)
			}
		}
	})
}

// A type that is being typed has the finding of the parser, and no other.
func TestATypeThatCannotBeReadIsOneFinding(t *testing.T) {
	runRules(t, []rule{
		{"nothing yet", `
  input "a" {
    type =
  }`, []string{"WFC1009 `type`"}},
		{"half of one", `
  input "a" {
    type = list(
  }`, []string{"WFC1011 `(`"}},
		{"of an output", `
  output "a" {
    type
    value = 1
  }`, []string{"WFC1015 `type`"}},
		{"of a step", `
  step "a" {
    value   = 1
    returns = object({ a = })
  }`, []string{"WFC1009 `}`"}},
	})
}
