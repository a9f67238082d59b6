package wftest_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/wftest"
)

// The examples are tested: their tests pass, and run every step.
func TestExamples(t *testing.T) {
	var seen []string
	files, err := filepath.Glob("../../testdata/examples/*/*.wftest.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		folder := filepath.Dir(file)
		if slices.Contains(seen, filepath.Base(folder)) {
			continue
		}
		seen = append(seen, filepath.Base(folder))
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			p, err := project.Load(folder, project.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := wftest.RunProject(context.Background(), p, everything)
			if !r.OK() {
				t.Fatal(text(t, r))
			}
			for _, w := range r.Coverage {
				if steps, ran, _, _ := w.Counts(); ran < steps {
					t.Error(text(t, r))
				}
			}
			for _, x := range r.Results {
				for _, idle := range x.Idle {
					t.Errorf("%s: %s answers nothing", x.Name, idle.What)
				}
			}
		})
	}
	for _, name := range []string{"evidence", "hello", "link-audit", "release-notes", "stock-import"} {
		if !slices.Contains(seen, name) {
			t.Errorf("the example %s has no tests", name)
		}
	}
}
