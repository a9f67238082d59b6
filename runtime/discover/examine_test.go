package discover

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// examined is a session with a test server, of which nothing may be left.
func examined(t *testing.T, flags ...string) session.Config {
	t.Helper()
	dir := t.TempDir()
	starts := filepath.Join(dir, "starts")
	t.Cleanup(func() {
		servertest.CheckStarts(t, starts, len(servertest.Lines(t, starts)))
		servertest.CheckGoroutines(t)
	})
	var patience connection.Timeouts
	if slices.Contains(flags, "-stubborn") {
		patience.Close = 200 * time.Millisecond
	}
	return session.Config{
		Connection: connection.Connection{
			ID:       "test.main",
			Stdio:    &connection.Stdio{Command: servertest.Path(t), Args: append([]string{"-starts", starts}, flags...), Dir: dir},
			Timeouts: patience,
		},
		ClientInfo: &mcp.Implementation{Name: "test", Version: "1"},
		Generation: 1,
	}
}

func TestExamine(t *testing.T) {
	for _, c := range []struct {
		what   string
		flags  []string
		starts int
		exit   string
		noise  int
		stderr int
	}{
		{"a server that does as it should", []string{"-ignore-term"}, 1, "exit status 0", 0, 0},
		{"one that does not survive the question for its era", []string{"-ignore-term", "-probe", "exit"}, 2, "exit status 0", 0, 1},
		{"one that does not end", []string{"-stubborn"}, 1, "signal: killed", 0, 0},
		{"one that prints banners", []string{"-ignore-term", "-noise"}, 1, "exit status 0", 9, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			e := Examine(t.Context(), examined(t, c.flags...))
			if e.Err != nil {
				t.Fatal(e.Err)
			}
			if len(e.Snapshot.Tools) != 3 || e.Starts != c.starts || e.End.Exit != c.exit || e.End.Noise != c.noise || e.StderrLines != c.stderr {
				t.Errorf("%d tools, %d starts, %s, %d lines of noise, %d of stderr", len(e.Snapshot.Tools), e.Starts, e.End.Exit, e.End.Noise, e.StderrLines)
			}
			if e.Handshake <= 0 || e.Listing <= 0 || e.Closing <= 0 || (e.Start > 0) != (c.starts == 1) {
				t.Errorf("it took %s to start, %s to connect, %s to list, %s to close", e.Start, e.Handshake, e.Listing, e.Closing)
			}
		})
	}
}

func TestExamineOfAServerThatDoesNotComeUp(t *testing.T) {
	e := Examine(t.Context(), examined(t, "-exit", "3"))
	if e.Err == nil || e.Snapshot != nil || e.Starts != 2 || e.Handshake != 0 || e.StderrLines != 4 {
		t.Errorf("got %+v", e)
	}
	cfg := examined(t)
	cfg.Connection.Stdio.Command = "no-such-server"
	if e := Examine(t.Context(), cfg); e.Err == nil || e.Starts != 0 {
		t.Errorf("got %+v", e)
	}
}

func TestWithheld(t *testing.T) {
	for _, c := range []struct {
		what   string
		offers connection.Offers
		want   string
	}{
		{"nothing is offered", connection.Offers{}, "[{browse [roots]} {digest [elicitation roots sampling]} {summarise [sampling]}]"},
		{"sampling is offered", connection.Offers{Sampling: true}, "[{browse [roots]} {digest [roots]}]"},
		{"all but one of no matter", connection.Offers{Sampling: true, Root: "/x"}, "[]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			cfg := examined(t, "-picky")
			cfg.Connection.Offers = c.offers
			shown := Examine(t.Context(), cfg).Snapshot
			if got := fmt.Sprint(Withheld(t.Context(), cfg, shown, "/x")); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestNothingIsWithheldByAServerWhoseToolsAreNotKnown(t *testing.T) {
	cfg := examined(t, "-picky")
	shown := &catalog.Snapshot{Errors: []catalog.ListError{{List: "tools", Message: "it is broken"}}}
	if got := Withheld(t.Context(), cfg, shown, "/x"); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestNothingIsAskedForWhereAllIsOffered(t *testing.T) {
	cfg := examined(t, "-exit", "1")
	cfg.Connection.Offers = connection.Offers{Elicitation: true, Sampling: true, Root: "/x"}
	if got := Withheld(t.Context(), cfg, nil, "/x"); got != nil {
		t.Errorf("got %v", got)
	}
}
