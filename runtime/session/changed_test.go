package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestServerSaysThatItsListsHaveChanged(t *testing.T) {
	told := make(chan struct{}, 10)
	b := open(t, func(cfg *Config) { cfg.ListChanged = func() { told <- struct{}{} } })
	b.must("change", `{"n":3}`)
	for range 3 {
		<-told
	}
	page, err := b.ListTools(t.Context(), "")
	if err != nil || len(page.Items) != 4 || string(page.Items[3]) != `{"name":"more_1","inputSchema":{"type":"object"}}` {
		t.Errorf("got %d tools, %v", len(page.Items), err)
	}
}

// One of 2026-07-28 is listened to where somebody wants to know, which it need not
// understand.
func TestServerOfTheNewerEraIsListenedTo(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		b := open(t, func(cfg *Config) {
			cfg.Connection.ProtocolVersion = ""
			if wanted {
				cfg.ListChanged = func() {}
			}
		}, "-probe", "answer", "-list-changed")
		b.must("counter", `{}`)
		b.Close()
		<-b.Ended()
		listened := false
		for _, line := range servertest.Lines(t, b.log) {
			listened = listened || strings.TrimSpace(line) == "subscriptions/listen"
		}
		if listened != wanted {
			t.Errorf("wanted: %t, listened: %t", wanted, listened)
		}
	}
}

func TestHowTheServerStartedAndEnded(t *testing.T) {
	for _, c := range []struct {
		flags  []string
		starts int
		exit   string
	}{
		{[]string{"-ignore-term"}, 1, "exit status 0"},
		{[]string{"-ignore-term", "-probe", "exit"}, 2, "exit status 0"},
		{[]string{"-stubborn"}, 1, "signal: killed"},
	} {
		starts := 0
		b := open(t, func(cfg *Config) {
			cfg.Connection.ProtocolVersion = ""
			if slices.Contains(c.flags, "-stubborn") {
				cfg.Connection.Timeouts.Close = 100 * time.Millisecond
			}
			cfg.Started = func() { starts++ }
		}, c.flags...)
		b.must("counter", `{}`)
		b.Close()
		if end := b.End(); starts != c.starts || end.Exit != c.exit {
			t.Errorf("%q: started %d times, ended with %s; want %d and %s", c.flags, starts, end.Exit, c.starts, c.exit)
		}
	}
}
