package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// files reads an archive into the shape that write takes.
func files(archive string) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		out[f.Name] = f.Data
	}
	return out
}

func load(t testing.TB, path string, o Options) *Project {
	t.Helper()
	p, err := Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func names(p *Project) []string {
	var out []string
	for _, f := range p.Files {
		out = append(out, f.Name)
	}
	return out
}

// found lists diagnostics as "CODE file:line".
func found(l diag.List) []string {
	var out []string
	for _, d := range l {
		out = append(out, string(d.Code)+" "+d.Range.File)
	}
	return out
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

const tree = `
-- wfc.hcl --
project {
  language = 1
}
-- a.wf.hcl --
workflow "a" {
}
-- sub/b.wf.hcl --
workflow "b" {
}
-- sub/deeper/c.wf.hcl --
workflow "c" {
}
-- sub/catalog/d.wf.hcl --
workflow "d" {
}
-- catalog/x.wf.hcl --
workflow "x" {
}
-- .hidden/x.wf.hcl --
workflow "x" {
}
-- .wfc/x.wf.hcl --
workflow "x" {
}
-- node_modules/m/x.wf.hcl --
workflow "x" {
}
-- .#a.wf.hcl --
an editor's lock file
-- other/wfc.hcl --
-- other/x.wf.hcl --
workflow "x" {
}
-- other/below/y.wf.hcl --
workflow "y" {
}
-- notes.hcl --
not ours
`

func TestAProjectIsTheTreeBelowItsMarker(t *testing.T) {
	root := write(t, files(tree))
	want := []string{"a.wf.hcl", "sub/b.wf.hcl", "sub/catalog/d.wf.hcl", "sub/deeper/c.wf.hcl"}
	for _, start := range []string{"", "sub", "sub/deeper", "sub/deeper/c.wf.hcl", "wfc.hcl"} {
		p := load(t, filepath.Join(root, start), Options{})
		if p.Root != root {
			t.Errorf("from %q the root is %s", start, p.Root)
		}
		equal(t, "files from "+start, names(p), want)
		equal(t, "diagnostics", found(p.Diagnostics), nil)
	}
	inner := load(t, filepath.Join(root, "other/below"), Options{})
	equal(t, "files of the inner project", names(inner), []string{"below/y.wf.hcl", "x.wf.hcl"})
	forced := load(t, filepath.Join(root, "sub/b.wf.hcl"), Options{Root: filepath.Join(root, "sub")})
	equal(t, "files below a given root", names(forced), []string{"b.wf.hcl", "deeper/c.wf.hcl"})
}

func TestWithoutAMarkerAProjectIsTheFolderOfTheNamedFile(t *testing.T) {
	root := write(t, files("-- x/a.wf.hcl --\nworkflow \"a\" {\n}\n-- x/y/b.wf.hcl --\nworkflow \"b\" {\n}\n-- c.wf.hcl --\n"))
	p := load(t, filepath.Join(root, "x/a.wf.hcl"), Options{})
	equal(t, "files", names(p), []string{"a.wf.hcl", "y/b.wf.hcl"})
	if p.Settings != nil {
		t.Error("there are settings without a wfc.hcl")
	}
}

func TestAPathThatDoesNotExistIsAnError(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "nothing.wf.hcl"), Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "nothing.wf.hcl") {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeReadIsReportedAndTheRestGoesOn(t *testing.T) {
	outside := write(t, files("-- secret.txt --\ntop secret\n"))
	root := write(t, files("-- ok.wf.hcl --\nworkflow \"ok\" {\n}\n-- folder/inside.wf.hcl --\nworkflow \"inside\" {\n}\n"))
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link(filepath.Join(outside, "secret.txt"), "leak.wf.hcl")
	link("nowhere", "dangling.wf.hcl")
	link("folder/inside.wf.hcl", "alias.wf.hcl")
	link(".", "loop")
	link("folder", "link.wf.hcl")
	want := []string{"WFC1103 folder/inside.wf.hcl", "WFC1101 dangling.wf.hcl", "WFC1102 leak.wf.hcl", "WFC1101 link.wf.hcl"}
	if makePipe(t, filepath.Join(root, "pipe.wf.hcl")) {
		want = append(want, "WFC1101 pipe.wf.hcl")
	}
	if err := os.Mkdir(filepath.Join(root, "dir.wf.hcl"), 0o755); err != nil {
		t.Fatal(err)
	}

	p := load(t, root, Options{})
	got := found(p.Diagnostics)
	slices.Sort(got)
	slices.Sort(want)
	equal(t, "diagnostics", got, want)
	equal(t, "files", names(p), []string{"alias.wf.hcl", "folder/inside.wf.hcl", "ok.wf.hcl"})
	for _, d := range p.Diagnostics {
		if strings.Contains(d.Detail, "top secret") {
			t.Error("a file outside of the project is shown")
		}
	}
	if p.Source("leak.wf.hcl") != nil {
		t.Error("a file outside of the project was read")
	}
}

func TestAFileWithoutPermissionIsReported(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	root := write(t, files("-- a.wf.hcl --\n-- b.wf.hcl --\nworkflow \"b\" {\n}\n"))
	if err := os.Chmod(filepath.Join(root, "a.wf.hcl"), 0); err != nil {
		t.Fatal(err)
	}
	p := load(t, root, Options{})
	equal(t, "diagnostics", found(p.Diagnostics), []string{"WFC1101 a.wf.hcl"})
	equal(t, "workflows", p.WorkflowNames(), []string{"b"})
}

func TestWhatAnEditorHasNotSavedCounts(t *testing.T) {
	root := write(t, files("-- wfc.hcl --\n-- a.wf.hcl --\nworkflow \"old\" {\n}\n-- other/wfc.hcl --\n"))
	overlay := map[string][]byte{
		filepath.Join(root, "a.wf.hcl"):            []byte("workflow \"changed\" {\n}\n"),
		filepath.Join(root, "new/b.wf.hcl"):        []byte("workflow \"new\" {\n}\n"),
		filepath.Join(root, "other/c.wf.hcl"):      []byte("workflow \"of_another_project\" {\n}\n"),
		filepath.Join(root, ".wfc/d.wf.hcl"):       []byte("workflow \"skipped\" {\n}\n"),
		filepath.Join(root, "../elsewhere.wf.hcl"): []byte("workflow \"outside\" {\n}\n"),
	}
	p := load(t, root, Options{Overlay: overlay})
	equal(t, "workflows", p.WorkflowNames(), []string{"changed", "new"})
	if got := string(p.Source("a.wf.hcl")); !strings.Contains(got, "changed") {
		t.Errorf("the source is %q", got)
	}
	fresh := load(t, filepath.Join(root, "new/b.wf.hcl"), Options{Root: root, Overlay: overlay})
	equal(t, "workflows from a file that is nowhere on disk", fresh.WorkflowNames(), []string{"changed", "new"})
}

func TestASecondDefinitionPointsAtBoth(t *testing.T) {
	root := write(t, files(`
-- a.wf.hcl --
workflow "w" {
}

connection "x" "y" {
  stdio {
    command = "a"
  }
}

secret "s" {
  env = "A"
}
-- b.wf.hcl --
workflow "w" {
}

connection "x" "y" {
  stdio {
    command = "b"
  }
}

connection "x" "z" {
  stdio {
    command = "b"
  }
}

secret "s" {
  env = "B"
}

deployment "w" {
  workflow = workflow.w
}
`))
	p := load(t, root, Options{})
	equal(t, "diagnostics", found(p.Diagnostics), []string{"WFC1103 b.wf.hcl", "WFC1103 b.wf.hcl", "WFC1103 b.wf.hcl"})
	for _, d := range p.Diagnostics {
		if len(d.Related) != 1 || d.Related[0].Range.File != "a.wf.hcl" || !strings.Contains(d.Detail, "a.wf.hcl, line") {
			t.Errorf("%s does not point at the first one: %v", d.Detail, d.Related)
		}
	}
	if p.Secrets["s"].Env.S != "A" {
		t.Error("the second definition counts")
	}
	equal(t, "connections", p.ConnectionIDs(), []string{"x.y", "x.z"})
}

func TestSettingsMustFitThisWFC(t *testing.T) {
	for settings, want := range map[string][]string{
		`language = 1`:                   nil,
		`language = 2`:                   {"WFC1104 wfc.hcl"},
		`requires_wfc = "1.2"`:           nil,
		`requires_wfc = ">= 1.2, < 2"`:   nil,
		`requires_wfc = "= 1.5.0"`:       nil,
		`requires_wfc = "= 1.5.1"`:       {"WFC1105 wfc.hcl"},
		`requires_wfc = "> 1.5.0"`:       {"WFC1105 wfc.hcl"},
		`requires_wfc = ">= 2"`:          {"WFC1105 wfc.hcl"},
		`requires_wfc = ">= v1, <= 1.4"`: {"WFC1105 wfc.hcl"},
		`requires_wfc = "~> 1"`:          {"WFC1106 wfc.hcl"},
		`requires_wfc = ">="`:            {"WFC1106 wfc.hcl"},
		`requires_wfc = "new"`:           {"WFC1106 wfc.hcl"},
		`requires_wfc = ""`:              {"WFC1106 wfc.hcl"},
	} {
		t.Run(settings, func(t *testing.T) {
			root := write(t, map[string][]byte{"wfc.hcl": []byte("project {\n  " + settings + "\n}\n")})
			equal(t, "diagnostics", found(load(t, root, Options{Version: "1.5.0"}).Diagnostics), want)
		})
	}
	root := write(t, map[string][]byte{"wfc.hcl": []byte("project {\n  requires_wfc = \">= 99\"\n}\n")})
	equal(t, "diagnostics of a development build", found(load(t, root, Options{Version: "devel"}).Diagnostics), nil)
}

func TestTestsAreUniqueWithinAProject(t *testing.T) {
	root := write(t, files(`
-- a.wftest.hcl --
test "x" {
  workflow = workflow.w
}
-- b.wftest.hcl --
test "x" {
  workflow = workflow.w
}
`))
	equal(t, "diagnostics", found(load(t, root, Options{}).Diagnostics), []string{"WFC1103 b.wftest.hcl"})
}

func TestASnapshotIsReadWhenItIsAskedFor(t *testing.T) {
	root := write(t, files(`
-- a.wf.hcl --
-- catalog/x.y.json --
{"format_version": 1, "connection": "x.y", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
-- catalog/x.bad.json --
{
`))
	p := load(t, root, Options{})
	s, err := p.Snapshot("x.y")
	if err != nil || s.Connection != "x.y" {
		t.Fatal(s, err)
	}
	if again, _ := p.Snapshot("x.y"); again != s {
		t.Error("it is read twice")
	}
	if p.Source("catalog/x.y.json") == nil {
		t.Error("its source is not known")
	}
	if _, err := p.Snapshot("x.none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing snapshot gives %v", err)
	}
	if _, err := p.Snapshot("x.bad"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a broken snapshot gives %v", err)
	}
}

func TestLoadingIsDeterministicAndReadsEveryFile(t *testing.T) {
	generated := genproject.Files(50)
	generated["flows/00/flow_00000.wf.hcl"] = []byte("workflow \"broken\" {\n  step \"a\" {\n    value = \n")
	root := write(t, generated)
	first := load(t, root, Options{})
	if len(first.Files) != 51 || len(first.Workflows) != 50 || len(first.Diagnostics) == 0 {
		t.Fatalf("%d files, %d workflows, %v", len(first.Files), len(first.Workflows), first.Diagnostics)
	}
	for range 3 {
		again := load(t, root, Options{})
		equal(t, "files", names(again), names(first))
		equal(t, "diagnostics", found(again.Diagnostics), found(first.Diagnostics))
	}
	if !slices.IsSorted(names(first)) {
		t.Error("the files are not sorted")
	}
}
