package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lda-wf/wfc/testdata/genproject"
)

func loaded(t testing.TB, l *Loader, overlay map[string][]byte) *Project {
	t.Helper()
	p, err := l.Load(context.Background(), overlay)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// put writes a file with a time of its own, so that the change shows whatever the clock of the
// disk is like.
func put(t testing.TB, root, name, text string, times ...time.Duration) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, d := range times {
		at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(d)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALoaderParsesOnlyWhatHasChanged(t *testing.T) {
	root := write(t, files("-- wfc.hcl --\n-- a.wf.hcl --\nworkflow \"a\" {\n}\n-- b.wf.hcl --\nworkflow \"b\" {\n}\n-- i.wfi --\ninterface i {\n}\n"))
	l := NewLoader(root, "")
	first := loaded(t, l, nil)
	path := filepath.Join(root, "b.wf.hcl")
	second := loaded(t, l, map[string][]byte{path: []byte("workflow \"b2\" {\n}\n")})
	if second.Workflows["a"] != first.Workflows["a"] || second.Interfaces != first.Interfaces {
		t.Error("what is the same is not the same pointer")
	}
	if second.Workflows["b2"] == nil || second.Workflows["b"] != nil {
		t.Errorf("the overlay does not count: %v", second.WorkflowNames())
	}
	if first.Workflows["b"] == nil {
		t.Error("the state before has changed")
	}
	third := loaded(t, l, map[string][]byte{path: []byte("workflow \"b\" {\n}\n")})
	fourth := loaded(t, l, nil)
	if third.Workflows["b"] == nil || fourth.Workflows["b"] == nil || third.Workflows["a"] != first.Workflows["a"] {
		t.Errorf("back to what is on disk: %v, %v", third.WorkflowNames(), fourth.WorkflowNames())
	}
}

func TestALoaderLooksAtTheDiskWhereItIsTold(t *testing.T) {
	root := write(t, files("-- wfc.hcl --\n"))
	put(t, root, "a.wf.hcl", "workflow \"a\" {\n}\n", 0)
	l := NewLoader(root, "")
	names := func(what string, want ...string) {
		t.Helper()
		equal(t, what, loaded(t, l, nil).WorkflowNames(), want)
	}
	names("at first", "a")
	put(t, root, "a.wf.hcl", "workflow \"b\" {\n}\n", time.Second)
	put(t, root, "sub/c.wf.hcl", "workflow \"c\" {\n}\n")
	names("before it is told", "a")
	l.Changed(filepath.Join(root, "a.wf.hcl"))
	names("of one file, with which a new one may have come", "b", "c")
	put(t, root, "a.wf.hcl", "workflow \"d\" {\n}\n", 2*time.Second)
	if err := os.RemoveAll(filepath.Join(root, "sub")); err != nil {
		t.Fatal(err)
	}
	l.Changed()
	names("of all", "d")
	put(t, root, "sub/e.wf.hcl", "workflow \"e\" {\n}\n")
	l.Changed(filepath.Join(root, "sub"))
	names("of a folder", "d", "e")
	if err := os.Remove(filepath.Join(root, "a.wf.hcl")); err != nil {
		t.Fatal(err)
	}
	l.Changed(filepath.Join(root, "a.wf.hcl"))
	names("of one that is gone", "e")
}

const pinned = "-- wfc.hcl --\n-- c.wf.hcl --\nconnection \"x\" \"y\" {\n  stdio {\n    command = \"x\"\n  }\n}\n-- catalog/x.y.json --\n{\"format_version\": 1, \"connection\": \"x.y\", \"tools\": [], \"resources\": [], \"resource_templates\": [], \"prompts\": []}\n"

func TestInputsOfALoaderAreCounted(t *testing.T) {
	root := write(t, files(pinned))
	put(t, root, "text.txt", "one", 0)
	l := NewLoader(root, "")
	first := loaded(t, l, nil)
	snapshot, err := first.Snapshot("x.y")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := first.Content("text.txt"); text != "one" {
		t.Fatal(text, err)
	}
	_, _ = first.Content("later.txt")
	l.Changed()
	second := loaded(t, l, nil)
	if again, err := second.Snapshot("x.y"); again != snapshot || err != nil || second.Inputs != first.Inputs {
		t.Errorf("nothing has changed, and the snapshot is another one (%v) or the inputs are (%d)", err, second.Inputs)
	}
	for _, change := range []func(){
		func() { put(t, root, "text.txt", "two", time.Second) },
		func() { put(t, root, "later.txt", "now") },
		func() { put(t, root, "catalog/x.y.json", "{", time.Second) },
	} {
		before := loaded(t, l, nil)
		_, _ = before.Snapshot("x.y")
		_, _ = before.Content("text.txt")
		_, _ = before.Content("later.txt")
		change()
		l.Changed()
		if after := loaded(t, l, nil); after.Inputs == before.Inputs {
			t.Error("a change of what expressions or the checker read does not show")
		}
	}
	before := loaded(t, l, nil)
	if _, err := before.Snapshot("x.y"); err == nil {
		t.Error("a broken snapshot is read")
	}
	// As an editor has it, and not the disk.
	over := map[string][]byte{filepath.Join(root, "catalog", "x.y.json"): []byte(`{"format_version": 1, "connection": "x.y", "tools": [], "resources": [], "resource_templates": [], "prompts": []}`)}
	after := loaded(t, l, over)
	if _, err := after.Snapshot("x.y"); err != nil || after.Inputs == before.Inputs {
		t.Errorf("the snapshot of the overlay: %v", err)
	}
}

func TestALoadThatIsCancelledLeavesNothingBehind(t *testing.T) {
	root := write(t, genproject.Files(20))
	l := NewLoader(root, "")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Load(ctx, nil); err == nil {
		t.Error("it is loaded")
	}
	if p := loaded(t, l, nil); len(p.Workflows) != 20 || len(p.Diagnostics) > 0 {
		t.Errorf("afterwards there are %d workflows and %v", len(p.Workflows), p.Diagnostics)
	}
}

func TestAPartHasWhatItsFilesNeed(t *testing.T) {
	root := write(t, files(`-- wfc.hcl --
-- child.wf.hcl --
workflow "child" {
}
-- grandchild.wf.hcl --
workflow "grandchild" {
}
-- open.wf.hcl --
workflow "open" {
  step "s" {
    run = workflow.child
  }
}
-- parent.wf.hcl --
workflow "parent" {
  step "s" {
    run = workflow.open
  }
  step "t" {
    run = workflow.grandchild
  }
}
-- other.wf.hcl --
workflow "other" {
}
-- shared.wf.hcl --
secret "s" {
  env = "S"
}
-- i.wfi --
interface i {
}
-- open.wftest.hcl --
test "t" {
  workflow = workflow.open
}
`))
	l := NewLoader(root, "")
	p, err := l.Part(context.Background(), nil, []string{"open.wf.hcl"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "workflows", p.WorkflowNames(), []string{"child", "grandchild", "open", "parent"})
	if p.Secrets["s"] == nil || p.Interfaces.Interface("i") == nil {
		t.Error("what others than workflows define is not there")
	}
	equal(t, "all, afterwards", loaded(t, l, nil).WorkflowNames(), []string{"child", "grandchild", "open", "other", "parent"})
	if p, err = l.Part(context.Background(), nil, []string{"open.wf.hcl"}); err != nil || len(p.Workflows) != 5 {
		t.Errorf("a part of what was loaded is not all of it: %v, %v", p.WorkflowNames(), err)
	}
}

func TestAProjectWithoutAFolder(t *testing.T) {
	l := NewLoader("", "")
	p := loaded(t, l, map[string][]byte{"untitled.wf.hcl": []byte("workflow \"w\" {\n}\n")})
	equal(t, "workflows", p.WorkflowNames(), []string{"w"})
	if _, err := p.Content("wfc.hcl"); err == nil {
		t.Error("it reads files of the working directory")
	}
	if _, err := p.Snapshot("x.y"); !os.IsNotExist(err) {
		t.Errorf("a snapshot: %v", err)
	}
	if len(p.Diagnostics) > 0 {
		t.Errorf("diagnostics: %v", p.Diagnostics)
	}
}

func BenchmarkLoadAgain1000(b *testing.B) {
	root := write(b, genproject.Files(1000))
	l := NewLoader(root, "")
	loaded(b, l, nil)
	path := filepath.Join(root, "flows", "07", "flow_00507.wf.hcl")
	src, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		loaded(b, l, map[string][]byte{path: append(src[:len(src):len(src)], "\n#"[i%2:]...)})
	}
}
