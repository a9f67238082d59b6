package service

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// A run of three steps on a host that has its session, from the start to the outputs,
// with 64 that ask at once.
func BenchmarkHostRun(b *testing.B) {
	root := b.TempDir()
	for name, text := range map[string]string{"wfc.hcl": "", "a.wf.hcl": loadProject, "catalog/fixture.default.json": fixtureSnapshot} {
		path := filepath.Join(root, name)
		must(b, os.MkdirAll(filepath.Dir(path), 0o700))
		must(b, os.WriteFile(path, []byte(text), 0o600))
	}
	p, err := project.Load(root, project.Options{})
	must(b, err)
	server := servertest.Path(b)
	o := HostOptions{}
	o.Environment.Lookup = func(name string) (string, bool) {
		v, ok := map[string]string{"TESTSERVER": server, "SERVER_STARTS": root + "/s", "SERVER_LOG": root + "/l"}[name]
		return v, ok
	}
	o.Keys = journal.KeyFile(filepath.Join(root, "key"))
	h, err := OpenHost(b.Context(), p, o)
	must(b, err)
	in, _ := value.ParseJSON([]byte(`{"of":"x"}`))
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r, err := h.Start(b.Context(), StartRun{Deployment: "load", Input: in}, true)
			if err != nil || r.Status != journal.Completed {
				b.Error(fmt.Sprint(r, err))
				return
			}
		}
	})
	b.StopTimer()
	_ = h.Close(b.Context())
}
