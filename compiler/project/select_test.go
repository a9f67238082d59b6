package project

import (
	"path/filepath"
	"strings"
	"testing"
)

const selection = `
-- wfc.hcl --
-- one/a.wf.hcl --
workflow "alpha" {
}
-- two/b.wf.hcl --
workflow "beta" {
}

workflow "gamma" {
}

deployment "beta" {
  workflow = workflow.gamma
}

deployment "lost" {
  workflow = workflow.nowhere
}
-- none/c.wf.hcl --
secret "s" {
  env = "S"
}
-- none/notes.txt --
`

func TestANameOrPathSelectsOneWorkflow(t *testing.T) {
	root := write(t, files(selection))
	t.Chdir(root)
	for arg, want := range map[string]string{
		"alpha":                                "alpha",
		"beta":                                 "gamma by beta", // a deployment's name wins
		"workflow.beta":                        "beta",
		"deployment.beta":                      "gamma by beta",
		"lost":                                 "- by lost", // its workflow is the checker's to report
		"one":                                  "alpha",
		"one/":                                 "alpha",
		"./one":                                "alpha",
		"one/a.wf.hcl":                         "alpha",
		filepath.Join(root, "one", "a.wf.hcl"): "alpha",
	} {
		t.Run(arg, func(t *testing.T) {
			p, target, err := Open(arg, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := "-"
			if target.Workflow != nil {
				got = target.Workflow.Name.Text
			}
			if target.Deployment != nil {
				got += " by " + target.Deployment.Name.Text
			}
			if got != want || p.Root != root {
				t.Errorf("got %q in %s, want %q", got, p.Root, want)
			}
		})
	}
}

func TestASelectionThatFailsSaysWhatThereIs(t *testing.T) {
	root := write(t, files(selection))
	t.Chdir(root)
	for arg, want := range map[string]string{
		"alhpa":           `there is no workflow or deployment "alhpa". Did you mean "alpha"?`,
		"omega":           `there is no workflow or deployment "omega"; there are: alpha, beta, gamma, lost`,
		"workflow.lost":   `there is no workflow "lost"; there are: alpha, beta, gamma`,
		"deployment.bets": `there is no deployment "bets". Did you mean "beta"?`,
		"two":             `there are 2 workflows in two; name one of them: workflow.beta, workflow.gamma`,
		"two/b.wf.hcl":    `there are 2 workflows in two/b.wf.hcl; name one of them: workflow.beta, workflow.gamma`,
		"none":            `there is no workflow in none: workflows are written in files whose names end in .wf.hcl`,
		"none/c.wf.hcl":   `there is no workflow in none/c.wf.hcl`,
		"none/notes.txt":  `none/notes.txt is no workflow file: their names end in .wf.hcl`,
		"one/z.wf.hcl":    `there is no file or folder "one/z.wf.hcl"`,
	} {
		t.Run(arg, func(t *testing.T) {
			if _, _, err := Open(arg, Options{}); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestAPathOutsideOfTheProjectIsRefused(t *testing.T) {
	root := write(t, files(selection))
	p := load(t, root, Options{})
	if _, err := p.Select(filepath.Dir(root) + "/"); err == nil || !strings.Contains(err.Error(), "outside of the project") {
		t.Errorf("got %v", err)
	}
}

func TestAnEmptyFolderSaysWhereWorkflowsAreWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	for arg, want := range map[string]string{
		".":     "there is no workflow in .: workflows are written in files whose names end in .wf.hcl",
		"hello": `there is no workflow or deployment "hello"; the project has none at all`,
	} {
		if _, _, err := Open(arg, Options{}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", arg, err)
		}
	}
}
