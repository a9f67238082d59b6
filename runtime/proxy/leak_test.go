package proxy_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runtime/proxy"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// Sessions that clients open and end, or open and forget, leave nothing: no process, no
// goroutine.
func TestDroppedSessionsLeaveNothing(t *testing.T) {
	sessions := 50
	if os.Getenv("WFC_E2E") == "full" {
		sessions = 1000
	}
	starts := filepath.Join(t.TempDir(), "starts")
	url, p := serve(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b", "-starts", starts)}})
	for i := range sessions {
		_, session, body := post(t, url, "", hello)
		if !strings.Contains(body, `"result"`) {
			t.Fatal(body)
		}
		if i%2 == 0 {
			continue // it is dropped
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Mcp-Session-Id", session)
		if status, _, _ := do(t, req); status != 204 {
			t.Fatal(status)
		}
	}
	p.Close()
	servertest.CheckGoroutines(t)
	pids := servertest.Lines(t, starts)
	if len(pids) != sessions {
		t.Errorf("%d servers were started for %d sessions", len(pids), sessions)
	}
	for _, pid := range pids {
		if _, err := os.Stat("/proc/" + strings.TrimSpace(pid)); err == nil {
			t.Errorf("the server %s lives", pid)
		}
	}
}
