package service

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/discover"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// testProject is a project with these texts of its files, whose environment has
// TESTSERVER, the path of the test server.
func testProject(t *testing.T, files map[string]string, o Options) (*project.Project, *Service) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := servertest.Path(t)
	o.Environment.Lookup = func(name string) (string, bool) { return server, name == "TESTSERVER" }
	s := New(p, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		servertest.CheckGoroutines(t)
	})
	return p, s
}

func reach(t *testing.T, p *project.Project, id string) *compiler.Reach {
	t.Helper()
	r, found := compiler.Connection(p, id)
	if found.HasErrors() {
		t.Fatal(found)
	}
	return r
}

const mainConnection = `connection "test" "main" {
  stdio {
    command = env("TESTSERVER")
  }
}
`

func TestWhoWantsToKnowIsToldOfChangedLists(t *testing.T) {
	listed := make(chan discover.Listed, 10)
	p, s := testProject(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": mainConnection}, Options{Listed: func(l discover.Listed) { listed <- l }})
	args, err := value.ParseJSON([]byte(`{"n": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.CallTool(t.Context(), reach(t, p, "test.main"), "change", args, Direct{}); err != nil || r.Failure != nil {
		t.Fatal(err, r.Failure)
	}
	if l := <-listed; l.Err != nil || l.Connection != "test.main" || len(l.Snapshot.Tools) != 4 {
		t.Errorf("listed %+v", l)
	}
}
