package service

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

func draftsHost(t *testing.T) *hostTest {
	t.Helper()
	return newHostTest(t, map[string]string{
		"wfc.hcl": "", "connections.wf.hcl": fixtureConnection + "\nsecret \"token\" {\n  env = \"TESTSERVER\"\n}\n",
		"catalog/fixture.default.json": fixtureSnapshot,
		"text.txt":                     "what a file says",
		"names.wfi":                    "interface names {\n  type text = string\n  @write\n  tool echo(value: optional(string)) -> any\n}\n",
		"flows/main.wf.hcl": `workflow "main" {
  source "s" {
    interface = interface.names
    bind      = connection.fixture.default
  }
  step "child" {
    run  = workflow.child
    args = { of = file("text.txt") }
  }
  output "said" {
    value = step.child.output.said
  }
}
`,
		"flows/child.wf.hcl": `workflow "child" {
  source "s" {
    bind = connection.fixture.default
  }
  input "of" {
    type = string
  }
  step "say" {
    call = s.echo
    args = { value = input.of }
  }
  output "said" {
    value = step.say.output
  }
}
`,
	}, HostOptions{})
}

const validDraft = `workflow "hello" {
  source "s" {
    bind = connection.fixture.default
  }
  input "to" {
    type        = string
    description = "whom"
  }
  step "say" {
    call = s.echo
    args = { value = "hello ${input.to}" }
  }
  output "said" {
    value = step.say.output
  }
}
`

func TestATextFromOutsideMayOnlyUseWhatTheProjectDeclares(t *testing.T) {
	h := draftsHost(t)
	body := func(step string) string {
		return "workflow \"w\" {\n  source \"s\" {\n    bind = connection.fixture.default\n  }\n  step \"a\" {\n    " + step + "\n  }\n}\n"
	}
	for name, c := range map[string]struct {
		source string
		code   diag.Code // of an error; "": it is valid, "any": it does not matter which
	}{
		"a workflow":               {validDraft, ""},
		"nothing":                  {"", "WFC1111"},
		"two workflows":            {validDraft + strings.Replace(validDraft, `"hello"`, `"other"`, 1), "WFC1111"},
		"one and its child":        {validDraft + "workflow \"top\" {\n  step \"c\" {\n    run  = workflow.hello\n    args = { to = \"x\" }\n  }\n}\n", ""},
		"a connection":             {validDraft + strings.Replace(fixtureConnection, "default", "mine", 1), "WFC1110"},
		"a secret block":           {validDraft + "secret \"x\" {\n  env = \"HOME\"\n}\n", "WFC1110"},
		"a deployment":             {validDraft + "deployment \"d\" {\n  workflow = workflow.hello\n}\n", "WFC1110"},
		"a secret":                 {body("call = s.echo\n    args = { value = secret.token }"), "WFC1110"},
		"a secret by index":        {body("call = s.echo\n    args = { value = secret[\"token\"] }"), "WFC1110"},
		"a file":                   {body("value = file(\"text.txt\")"), "WFC1110"},
		"the environment":          {body("value = env(\"HOME\", \"\")"), "WFC1110"},
		"a template's file":        {body("value = \"${file(\"text.txt\")}\""), "WFC1110"},
		"another's child":          {body("run = workflow.child"), "any"},
		"what looks like a secret": {body("value = { secret = { a = 1 } }.secret.a"), ""},
		"no HCL":                   {"workflow {{{", "any"},
		"NUL bytes":                {"\x00\x00", "any"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := h.CreateDraft(t.Context(), NewDraft{Source: c.source})
			must(t, err)
			if (d.Status == DraftValid) != (c.code == "") {
				t.Fatalf("it is %s: %v", d.Status, d.Diagnostics.List)
			}
			if c.code != "" && c.code != "any" && !slices.ContainsFunc(d.Diagnostics.List, func(f diag.Diagnostic) bool { return f.Code == c.code }) {
				t.Errorf("it has the findings %v, want %s", d.Diagnostics.List, c.code)
			}
			if d.Status == DraftInvalid {
				_, err := h.CreateArtifactFromDraft(t.Context(), d.ID, NewArtifact{ID: "x", Version: "1"})
				if e := refused(t, err, Invalid); len(e.Diagnostics.List) == 0 {
					t.Error("the error has no diagnostics")
				}
			}
		})
	}
}

func TestADraftIsSavedAsItIsAndJudgedEachTime(t *testing.T) {
	h := draftsHost(t)
	ctx := t.Context()
	d, err := h.CreateDraft(ctx, NewDraft{ID: "work", Title: "a title"})
	must(t, err)
	if d.Status != DraftInvalid || d.Revision != 1 {
		t.Errorf("the empty draft is %s, revision %d", d.Status, d.Revision)
	}
	_, err = h.CreateDraft(ctx, NewDraft{ID: "work"})
	refused(t, err, Conflict)
	text := validDraft
	d, err = h.UpdateDraft(ctx, "work", DraftChange{Source: &text, Revision: 1})
	must(t, err)
	if d.Status != DraftValid || d.Workflow != "hello" || d.Title != "a title" || d.Revision != 2 {
		t.Errorf("the saved draft is %+v", d)
	}
	_, err = h.UpdateDraft(ctx, "work", DraftChange{Source: &text, Revision: 1})
	refused(t, err, Conflict)
	long := strings.Repeat("#", maxSource+1)
	_, err = h.UpdateDraft(ctx, "work", DraftChange{Source: &long})
	refused(t, err, Invalid)
	for _, id := range []string{"../up", "", ".hidden", "a/b", "a\x00", strings.Repeat("a", 200), "a..b"} {
		if _, err := h.CreateDraft(ctx, NewDraft{ID: id}); id != "" {
			refused(t, err, Invalid)
		}
		if id != "" {
			_, err = h.Draft(ctx, id)
			refused(t, err, NotFound)
		}
	}
	h.end(ctx)
	h.open(HostOptions{}) // it is there in the next one
	if d, err = h.Draft(ctx, "work"); err != nil || d.Source != validDraft {
		t.Errorf("the draft is %+v, %v", d, err)
	}
	must(t, h.DeleteDraft(ctx, "work"))
	refused(t, h.DeleteDraft(ctx, "work"), NotFound)
}

func TestAnArtifactNeverChanges(t *testing.T) {
	h := draftsHost(t)
	ctx := t.Context()
	make := func(source, id, version string) (*Artifact, error) {
		d, err := h.CreateDraft(ctx, NewDraft{Source: source})
		must(t, err)
		return h.CreateArtifactFromDraft(ctx, d.ID, NewArtifact{ID: id, Version: version})
	}
	a, err := make(validDraft, "hello", "1.0.0")
	must(t, err)
	if strings.Join(a.Required, " ") != "s" || strings.Join(a.Outcomes, " ") != "ok error" || len(a.Digest) != 64 {
		t.Errorf("the artifact is %+v", a)
	}
	in := object1(t, string(a.InputSchema))
	if want := object1(t, `{"type":"object","properties":{"to":{"type":"string","description":"whom"}},"required":["to"],"additionalProperties":false}`); !value.Equal(in, want) {
		t.Errorf("the input schema is %s", a.InputSchema)
	}
	again, err := make("# a comment\n"+strings.ReplaceAll(validDraft, "  ", "      "), "hello", "1.0.0")
	must(t, err)
	if again.Digest != a.Digest || !again.Created.Equal(a.Created) {
		t.Errorf("another layout makes another artifact: %+v", again)
	}
	_, err = make(strings.Replace(validDraft, "hello ${", "goodbye ${", 1), "hello", "1.0.0")
	refused(t, err, Conflict)
	b, err := make(strings.Replace(validDraft, "hello ${", "goodbye ${", 1), "hello", "1.1.0")
	must(t, err)
	if b.Digest == a.Digest {
		t.Error("another text has the same digest")
	}
	last, err := h.GetArtifact(ctx, "hello", "")
	must(t, err)
	if last.Version != "1.1.0" {
		t.Errorf("the last one is %s", last.Version)
	}
	_, err = h.GetArtifact(ctx, "hello", "9")
	refused(t, err, NotFound)
	for _, n := range []NewArtifact{{ID: "../x", Version: "1"}, {ID: "x", Version: ""}, {ID: "x", Version: "../1"}} {
		_, err := h.CreateArtifactFromFile(ctx, "flows/main.wf.hcl", n)
		refused(t, err, Invalid)
	}
	_, err = h.CreateArtifactFromFile(ctx, "../../etc/passwd", NewArtifact{ID: "x", Version: "1"})
	refused(t, err, NotFound)
}

// An artifact is all that it is made of: what becomes of the project's files is nothing to it.
func TestAnArtifactIsAClosedSet(t *testing.T) {
	h := draftsHost(t)
	ctx := t.Context()
	a, err := h.CreateArtifactFromFile(ctx, "flows/main.wf.hcl", NewArtifact{ID: "main", Version: "1"})
	must(t, err)
	var names []string
	for name := range a.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "child.wf.hcl main.wf.hcl names.wfi" {
		t.Errorf("the artifact has the files %s", got)
	}
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "main", ArtifactID: "main", Policy: &Policy{Drift: "ignore"}})
	must(t, err)
	for _, name := range []string{"flows/main.wf.hcl", "flows/child.wf.hcl", "names.wfi", "text.txt"} {
		must(t, os.Remove(filepath.Join(h.root, name)))
	}
	must(t, h.Reload(ctx))
	d, err := h.Deployment(ctx, "main")
	must(t, err)
	if d.Status != DeploymentReady {
		t.Fatalf("the deployment is %s: %v", d.Status, d.Diagnostics.List)
	}
	run, err := h.Start(ctx, StartRun{Deployment: "main"}, true)
	must(t, err)
	if run.Status != journal.Completed || !strings.Contains(run.Output.JSON(), "what a file says") {
		t.Errorf("the run is %s with %s (%+v)", run.Status, run.Output.JSON(), run.Error)
	}
}

func TestADeploymentIsCheckedWhenItIsSaved(t *testing.T) {
	h := draftsHost(t)
	ctx := t.Context()
	d, err := h.CreateDraft(ctx, NewDraft{Source: validDraft})
	must(t, err)
	_, err = h.CreateArtifactFromDraft(ctx, d.ID, NewArtifact{ID: "hello", Version: "1"})
	must(t, err)
	for name, s := range map[string]struct {
		save SaveDeployment
		kind ErrorKind
	}{
		"no such artifact":   {SaveDeployment{ID: "x", ArtifactID: "none"}, NotFound},
		"no such version":    {SaveDeployment{ID: "x", ArtifactID: "hello", ArtifactVersion: "2"}, NotFound},
		"no such source":     {SaveDeployment{ID: "x", ArtifactID: "hello", Bindings: map[string]string{"t": "fixture.default"}}, Invalid},
		"no such connection": {SaveDeployment{ID: "x", ArtifactID: "hello", Bindings: map[string]string{"s": "fixture.other"}}, Invalid},
		"no such input":      {SaveDeployment{ID: "x", ArtifactID: "hello", Input: object1(t, `{"too": "x"}`)}, Invalid},
		"a wrong input":      {SaveDeployment{ID: "x", ArtifactID: "hello", Input: object1(t, `{"to": 1}`)}, Invalid},
		"input of no object": {SaveDeployment{ID: "x", ArtifactID: "hello", Input: object1(t, `1`)}, Invalid},
		"a wrong policy":     {SaveDeployment{ID: "x", ArtifactID: "hello", Policy: &Policy{Drift: "maybe"}}, Invalid},
		"a path as id":       {SaveDeployment{ID: "../x", ArtifactID: "hello"}, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.SaveDeployment(ctx, s.save)
			refused(t, err, s.kind)
			_, err = h.Deployment(ctx, "x")
			refused(t, err, NotFound)
		})
	}
	saved, err := h.SaveDeployment(ctx, SaveDeployment{
		ID: "7", ArtifactID: "hello", Bindings: map[string]string{"s": "fixture.default"},
		Input: object1(t, `{"to": "the ${input.world} %{ if }\n\"quoted\""}`), Policy: &Policy{Drift: "ignore", InDoubt: "fail"},
	})
	must(t, err)
	if saved.Plan == nil || saved.Plan.Policy == nil || saved.Plan.Policy.InDoubt != "fail" || saved.Plan.Deployment != "7" {
		t.Errorf("the deployment is %+v", saved)
	}
	run, err := h.Start(ctx, StartRun{Deployment: "7"}, true)
	must(t, err)
	if text, _ := run.Output.AsObject().Get("said"); !strings.Contains(text.JSON(), `the ${input.world} %{ if }\n\"quoted\"`) {
		t.Errorf("the run gives %s (%+v)", run.Output.JSON(), run.Error)
	}
	// Two who change it do not overwrite each other.
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "7", ArtifactID: "hello", Revision: 1})
	must(t, err)
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "7", ArtifactID: "hello", Revision: 1})
	refused(t, err, Conflict)
}

func TestADeploymentDoesNotFollowACatalogUnseen(t *testing.T) {
	h := draftsHost(t)
	ctx := t.Context()
	d, err := h.CreateDraft(ctx, NewDraft{Source: validDraft})
	must(t, err)
	_, err = h.CreateArtifactFromDraft(ctx, d.ID, NewArtifact{ID: "hello", Version: "1"})
	must(t, err)
	save := func(id, drift string) {
		t.Helper()
		_, err := h.SaveDeployment(ctx, SaveDeployment{ID: id, ArtifactID: "hello", Policy: &Policy{Drift: drift}, Input: object1(t, `{"to": "x"}`)})
		must(t, err)
	}
	save("careful", "")
	save("follows", "warn")
	snapshot := func(text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(h.root, "catalog/fixture.default.json"), []byte(text), 0o600))
		must(t, h.Reload(ctx))
	}
	status := func(id string) DeploymentStatus {
		t.Helper()
		d, err := h.Deployment(ctx, id)
		must(t, err)
		if d.Status == DeploymentStale && len(d.Diagnostics.List) == 0 {
			t.Errorf("%s is stale without a reason", id)
		}
		return d.Status
	}
	// Something that both can live with.
	snapshot(strings.Replace(fixtureSnapshot, `"name": "echo", `, `"name": "echo", "description": "new words", `, 1))
	if status("careful") != DeploymentStale || status("follows") != DeploymentReady {
		t.Errorf("the deployments are %s and %s", status("careful"), status("follows"))
	}
	_, err = h.Start(ctx, StartRun{Deployment: "careful"}, false)
	refused(t, err, Stale)
	save("careful", "")
	if status("careful") != DeploymentReady {
		t.Error("saving it again does not make it ready")
	}
	// Something that neither can.
	snapshot(strings.Replace(fixtureSnapshot, `{"name": "echo"`, `{"name": "shout"`, 1))
	if status("careful") != DeploymentStale || status("follows") != DeploymentStale {
		t.Errorf("without the tool the deployments are %s and %s", status("careful"), status("follows"))
	}
	_, err = h.Start(ctx, StartRun{Deployment: "follows"}, false)
	if e := refused(t, err, Stale); len(e.Diagnostics.List) == 0 {
		t.Error("the refusal has no diagnostics")
	}
}

func TestDeploymentsOfFilesAreReadOnly(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	ctx := t.Context()
	all, err := h.Deployments(ctx, Page{})
	must(t, err)
	if len(all) != 1 || all[0].ID != "meet" || !all[0].ReadOnly || all[0].Status != DeploymentReady {
		t.Fatalf("the deployments are %+v", all)
	}
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "meet", ArtifactID: "x"})
	refused(t, err, Conflict)
	refused(t, h.DeleteDeployment(ctx, "meet", false), Conflict)
}

func TestADeploymentWithRunsIsNotDeletedByAccident(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	ctx := t.Context()
	_, err := h.CreateArtifactFromFile(ctx, "a.wf.hcl", NewArtifact{ID: "meeting", Version: "1"})
	must(t, err)
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "mine", ArtifactID: "meeting", Policy: &Policy{Drift: "ignore"}})
	must(t, err)
	run, err := h.Start(ctx, StartRun{Deployment: "mine"}, false)
	must(t, err)
	if e := refused(t, h.DeleteDeployment(ctx, "mine", false), Conflict); e.Run != run.ID {
		t.Errorf("the refusal names the run %q", e.Run)
	}
	must(t, h.DeleteDeployment(ctx, "mine", true))
	_, err = h.Deployment(ctx, "mine")
	refused(t, err, NotFound)
	h.at(run.ID, starts("meet"))
	h.meet()
	if run, err = h.Wait(ctx, run.ID); err != nil || run.Status != journal.Completed {
		t.Errorf("the run is %+v, %v", run, err)
	}
}

// Nothing of what a host keeps can be read by others.
func TestTheDataFolderIsItsOwnersAlone(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	h.end(context.Background())
	err := filepath.WalkDir(filepath.Join(h.root, StateFolder), func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
		return err
	})
	must(t, err)
}

func TestDeploymentsHaveToolsOfTheirOwn(t *testing.T) {
	h := draftsHost(t)
	ctx := t.Context()
	d, err := h.CreateDraft(ctx, NewDraft{Source: validDraft})
	must(t, err)
	_, err = h.CreateArtifactFromDraft(ctx, d.ID, NewArtifact{ID: "hello", Version: "1"})
	must(t, err)
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "a.b", ArtifactID: "hello"})
	must(t, err)
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "a_b", ArtifactID: "hello"})
	refused(t, err, Conflict)
	_, err = h.SaveDeployment(ctx, SaveDeployment{ID: "a.b", ArtifactID: "hello"})
	must(t, err)
}
