package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/testdata/crashpoint"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// What a host runs that is killed under load: every effect has a text of its own.
const loadProject = fixtureConnection + `
workflow "load" {
  source "s" {
    bind = connection.fixture.default
  }
  input "of" {
    type = string
  }
  step "one" {
    call = s.echo
    args = { value = "one ${input.of}" }
  }
  step "pause" {
    sleep      = "1ms"
    depends_on = [step.one]
  }
  step "two" {
    call       = s.echo
    args       = { value = "two ${input.of}" }
    depends_on = [step.pause]
  }
  output "of" {
    value = input.of
  }
}

deployment "load" {
  workflow = workflow.load
  policy {
    drift = "ignore"
  }
}
`

const loadRuns = 10

// TestCrashedHost is no test: it is the process that the one below kills.
func TestCrashedHost(t *testing.T) {
	root := os.Getenv("WFC_TEST_CRASH_HOST")
	if root == "" {
		t.Skip("it is started by another test")
	}
	h := &hostTest{T: t, root: root, server: os.Getenv("WFC_TEST_CRASH_SERVER")}
	h.open(HostOptions{MaxRuns: 3, Options: Options{JournalPoint: crashpoint.Hook[journal.Point]()}})
	var all sync.WaitGroup
	for i := range loadRuns {
		all.Go(func() {
			of := fmt.Sprint(i)
			run, err := h.Start(t.Context(), StartRun{Deployment: "load", Key: of, Input: object1(t, `{"of": "`+of+`"}`), Caller: fmt.Sprint("caller ", i%2)}, false)
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Printf("began %s\n", run.ID)
			if _, err := h.Wait(t.Context(), run.ID); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h.end(t.Context())
}

// Killed under load, at any point of what it writes, a host loses nothing: in the next
// one every run that was told ends, and each effect has happened once. Of calls in
// doubt somebody says what the server's log shows.
func TestAKilledHostLosesNothing(t *testing.T) {
	step := 11
	if testing.Short() {
		step = 41
	}
	server := servertest.Path(t)
	root := t.TempDir()
	at := func(n int) *hostTest { return &hostTest{T: t, root: filepath.Join(root, fmt.Sprint(n))} }
	doubts := 0
	starts := crashpoint.Each(t, step, func(n int) *exec.Cmd {
		h := at(n)
		for name, text := range map[string]string{"wfc.hcl": "", "a.wf.hcl": loadProject, "catalog/fixture.default.json": fixtureSnapshot} {
			path := filepath.Join(h.root, name)
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, []byte(text), 0o600))
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrashedHost$")
		cmd.Env = append(os.Environ(), "WFC_TEST_CRASH_HOST="+h.root, "WFC_TEST_CRASH_SERVER="+server)
		return cmd
	}, func(crashed crashpoint.Run) {
		h := at(crashed.N)
		h.gone()
		h.open(HostOptions{MaxRuns: 3})
		ctx := t.Context()
		told := map[string]bool{}
		for line := range strings.Lines(crashed.Out) {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "began "); ok {
				told[id] = true
			}
		}
		// Who was not told asks again, with the same key.
		for i := range loadRuns {
			of := fmt.Sprint(i)
			run, err := h.Start(ctx, StartRun{Deployment: "load", Key: of, Input: object1(t, `{"of": "`+of+`"}`)}, false)
			must(t, err)
			delete(told, run.ID)
			for run.Status != journal.Completed {
				if run.Ended() {
					t.Fatalf("killed %s: the run %s is %s: %+v", crashed.Point, of, run.Status, run.Error)
				}
				if run.Status == journal.Waiting {
					doubts += h.resolve(run)
				}
				run, err = h.Changed(ctx, run.ID, run.Status)
				must(t, err)
			}
		}
		if len(told) > 0 {
			t.Errorf("killed %s: the runs %v were told and are no more", crashed.Point, told)
		}
		h.end(context.Background())
		for text, n := range h.echoes() {
			if n != 1 {
				t.Errorf("killed %s: the effect %q happened %d times", crashed.Point, text, n)
			}
		}
		if n := len(h.echoes()); n != 2*loadRuns {
			t.Errorf("killed %s: there are %d effects, want %d", crashed.Point, n, 2*loadRuns)
		}
	})
	t.Logf("the host was killed at %d points, and %d calls were in doubt", starts-1, doubts)
}

// gone waits until the servers of a host that was killed are gone: they may read what
// it had written.
func (h *hostTest) gone() {
	h.T.Helper()
	if _, err := os.Stat(h.starts()); err != nil {
		return
	}
	for _, line := range servertest.Lines(h.T, h.starts()) {
		var pid int
		if _, err := fmt.Sscan(line, &pid); err == nil {
			servertest.CheckGone(h.T, pid)
		}
	}
}

// resolve says of the steps of a run that are in doubt what the server's log shows.
func (h *hostTest) resolve(run *Run) (n int) {
	h.T.Helper()
	of, _ := run.Input.AsObject().Get("of")
	for _, s := range run.Steps {
		if s.State != journal.StateInDoubt {
			continue
		}
		n++
		text := s.Step + " " + of.AsString()
		word := engine.Word{Step: s.Step, As: journal.ResolvedRetry, By: "test"}
		if h.echoes()[text] > 0 {
			out := object1(h.T, `{"value": "`+text+`"}`)
			word.As, word.Output = journal.ResolvedOK, &out
		}
		_, err := h.Resolve(h.T.Context(), run.ID, word, ResumeRun{})
		must(h.T, err)
	}
	return n
}
