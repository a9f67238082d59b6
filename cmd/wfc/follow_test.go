package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/service"
)

// handedOn is a writer that hands each write on.
type handedOn chan string

func (h handedOn) Write(p []byte) (int, error) {
	h <- string(p)
	return len(p), nil
}

// followed is a host that follows the files of a project.
type followed struct {
	t      *testing.T
	root   string
	host   *service.Host
	logged handedOn
	then   chan struct{}
}

const one = `
workflow "one" {
  output "text" {
    value = file("text.txt")
  }
}
deployment "one" {
  workflow = workflow.one
}
`

func newFollowed(t *testing.T) *followed {
	f := &followed{t: t, root: t.TempDir(), logged: make(handedOn, 100), then: make(chan struct{}, 100)}
	f.write("wfc.hcl", "")
	f.write("one.wf.hcl", one)
	f.write("text.txt", "first")
	load := func() (*project.Project, error) { return project.Load(f.root, project.Options{Root: f.root}) }
	p, err := load()
	if err != nil {
		t.Fatal(err)
	}
	f.host, err = service.OpenHost(t.Context(), p, service.HostOptions{Load: load, Options: service.Options{
		Environment: service.Environment{ProjectRoot: f.root, Lookup: os.LookupEnv},
	}})
	if err != nil {
		t.Fatal(err)
	}
	follow := follower{
		host: f.host, load: load, log: slog.New(slog.NewTextHandler(f.logged, nil)), data: filepath.Join(f.root, service.StateFolder),
		then: func(context.Context) { f.then <- struct{}{} },
	}
	stop := follow.start(t.Context(), p)
	t.Cleanup(func() {
		stop()
		if err := f.host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *followed) write(name, text string) {
	f.t.Helper()
	// As editors do, in one step.
	temp := filepath.Join(f.root, ".new")
	if err := os.WriteFile(temp, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(temp, filepath.Join(f.root, name)); err != nil {
		f.t.Fatal(err)
	}
}

// runs runs a deployment and returns its outputs.
func (f *followed) runs(deployment string) string {
	f.t.Helper()
	r, err := f.host.Start(f.t.Context(), service.StartRun{Deployment: deployment}, true)
	if err != nil {
		return err.Error()
	}
	return r.Output.JSON()
}

func TestFilesThatChangeCountFromThenOn(t *testing.T) {
	f := newFollowed(t)
	if got := f.runs("one"); got != `{"text":"first"}` {
		t.Fatalf("it gives %s", got)
	}
	f.write("text.txt", "second")
	<-f.then
	if got := f.runs("one"); got != `{"text":"second"}` {
		t.Errorf("after a change of what an expression reads it gives %s", got)
	}
	f.write("two.wf.hcl", strings.ReplaceAll(one, "one", "two"))
	<-f.then
	if got := f.runs("two"); got != `{"text":"second"}` {
		t.Errorf("a new deployment gives %s", got)
	}
}

func TestFilesWithMistakesLeaveWhatWasThere(t *testing.T) {
	f := newFollowed(t)
	f.write("two.wf.hcl", "workflow \"two\" {")
	for line := range f.logged {
		if strings.Contains(line, "have mistakes") && strings.Contains(line, "two.wf.hcl:1") {
			break
		}
	}
	if got := f.runs("one"); got != `{"text":"first"}` {
		t.Errorf("it gives %s", got)
	}
	f.write("two.wf.hcl", strings.ReplaceAll(one, "one", "two"))
	<-f.then
	if got := f.runs("two"); got != `{"text":"first"}` {
		t.Errorf("once it is mended, it gives %s", got)
	}
}

func TestFilesOfOthersConcernNobody(t *testing.T) {
	f := newFollowed(t)
	f.runs("one") // reads text.txt
	follow := follower{host: f.host, data: filepath.Join(f.root, "data")}
	for name, want := range map[string]bool{
		"wfc.hcl": true, "a/b.wf.hcl": true, "demo.main.wfi": true, "catalog/demo.main.json": true, "text.txt": true, "folder": true,
		"report.txt": false, "report.json": false, ".wfc": false, "data": false, "b.wf.hcl~": false,
	} {
		if got := follow.concerns(fsnotify.Event{Name: filepath.Join(f.root, name), Op: fsnotify.Create}); got != want {
			t.Errorf("%s concerns the project: %t", name, got)
		}
	}
}
