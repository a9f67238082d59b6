//go:build unix

package service

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// Of a write that was in flight when its host went away nobody knows whether it
// happened: the deployment's policy says what becomes of it, in the next host.
func TestTheNextHostDoesWithADoubtWhatThePolicySays(t *testing.T) {
	for policy, want := range map[string]journal.Status{"ask": journal.Waiting, "fail": journal.Failed, "retry": journal.Running} {
		t.Run(policy, func(t *testing.T) {
			h := newHostTest(t, map[string]string{
				"wfc.hcl": "", "a.wf.hcl": fixtureConnection + `
workflow "stuck" {
  source "s" {
    bind = connection.fixture.default
  }
  step "write" {
    call = s.wait_write
    args = {}
  }
}

deployment "stuck" {
  workflow = workflow.stuck
  policy {
    drift    = "ignore"
    in_doubt = "` + policy + `"
  }
}
`, "catalog/fixture.default.json": strings.Replace(fixtureSnapshot, `"tools": [`,
					`"tools": [{"digest": "", "object": {"name": "wait_write", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}},`, 1),
			}, HostOptions{})
			called := h.listen()
			run, err := h.Start(t.Context(), StartRun{Deployment: "stuck"}, false)
			must(t, err)
			called("wait_write")
			now, cancel := context.WithCancel(t.Context())
			cancel()
			must(t, h.Host.Close(now))
			h.open(HostOptions{})
			if policy == "retry" {
				called("wait_write")
			} else if _, err = h.Wait(t.Context(), run.ID); err != nil {
				t.Fatal(err)
			}
			run, err = h.Run(t.Context(), run.ID)
			must(t, err)
			if run.Status != want {
				t.Errorf("the run is %s (%+v), want %s", run.Status, run.Error, want)
			}
			switch want {
			case journal.Running:
				_, err = h.Cancel(t.Context(), run.ID, "test")
				must(t, err)
				h.ended(run.ID)
				return
			case journal.Failed:
				return
			}
			var waits *engine.RunWaits
			for ev, err := range h.Follow(t.Context(), run.ID, 0) {
				must(t, err)
				if w, ok := ev.Event.(engine.RunWaits); ok {
					waits = &w
				}
			}
			if waits == nil || len(waits.Steps) != 1 || waits.Steps[0].Step != "write" {
				t.Errorf("the events say of what waits %+v", waits)
			}
			_, err = h.Resolve(t.Context(), run.ID, engine.Word{Step: "writ", As: journal.ResolvedOK}, ResumeRun{})
			refused(t, err, Conflict)
			_, err = h.Resolve(t.Context(), run.ID, engine.Word{Step: "write", As: journal.ResolvedError, By: "test"}, ResumeRun{})
			must(t, err)
			h.ended(run.ID)
			if run, err = h.Run(t.Context(), run.ID); err != nil || run.Status != journal.Failed {
				t.Errorf("the resolved run is %+v, %v", run, err)
			}
		})
	}
}

// listen makes the server's log a pipe; what it returns waits until the server says
// that it was asked for a tool.
func (h *hostTest) listen() (called func(tool string)) {
	h.T.Helper()
	must(h.T, unix.Mkfifo(h.calls(), 0o600))
	// Open for both, it has no end.
	pipe, err := os.OpenFile(h.calls(), os.O_RDWR, 0)
	must(h.T, err)
	h.T.Cleanup(func() { _ = pipe.Close() })
	lines := bufio.NewScanner(pipe)
	return func(tool string) {
		h.T.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "call "+tool+" ") {
				return
			}
		}
		h.T.Fatal(lines.Err())
	}
}
