package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestHandshakeFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		flags  []string
		change func(*Config)
		starts int
		exit   string
		want   string
	}{
		{"exits at once", []string{"-exit", "3"}, nil, 1, "exit status 3",
			`connection test.main: The server ended before the MCP handshake was done, with exit status 3.` +
				` Run its command by hand to see whether it starts, and check the args and env of its stdio block.` +
				` If it was updated, take its snapshot anew:
    wfc catalog refresh test.main
The last lines of its stderr:
    testserver: cannot open database
    testserver: giving up`},
		{"exits at once, of unknown era", []string{"-exit", "3"}, func(c *Config) { c.Connection.ProtocolVersion = "" }, 2, "exit status 3",
			`connection test.main: The server ended before the MCP handshake was done, with exit status 3.` +
				` Run its command by hand to see whether it starts, and check the args and env of its stdio block.` +
				` The last lines of its stderr:
    testserver: cannot open database
    testserver: giving up`},
		{"never answers", []string{"-silent"}, func(c *Config) { c.Connection.Timeouts.Connect = 2 * time.Second }, 1, "",
			`connection test.main: The server did not answer the MCP handshake within 2s and was stopped.` +
				` If it only starts slowly, raise timeouts { connect }; else run its command by hand to see what it does.`},
		{"prints noise and never answers", []string{"-silent", "-noise"}, func(c *Config) { c.Connection.Timeouts.Connect = 4 * time.Second }, 1, "",
			`connection test.main: The server did not answer the MCP handshake within 4s and was stopped.` +
				` It printed 3 lines on stdout that are no MCP messages, the first: "Starting the server ...".` +
				` If it only starts slowly, raise timeouts { connect }; else run its command by hand to see what it does.`},
		{"refuses", []string{"-bad-handshake"}, func(c *Config) { c.Connection.ProtocolVersion = "" }, 1, "",
			`connection test.main: The server refused the MCP handshake: calling "initialize": licence expired.`},
		{"is not there", nil, func(c *Config) { c.Connection.Stdio.Command = "./server" }, 0, "",
			`connection test.main: The command "./server" was not found: there is no file DIR/server. Write the path of a program in stdio { command }.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var dir string
			b := open(t, func(cfg *Config) {
				dir = cfg.Connection.Stdio.Dir
				if c.change != nil {
					c.change(cfg)
				}
			}, c.flags...)
			_, err := b.call("counter", "{}")
			e := failure(t, err)
			if got := strings.ReplaceAll(e.Error(), dir, "DIR"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if e.Reason != NotStarted || e.Sent != SentNo || e.Exit != c.exit {
				t.Errorf("reason %d, sent %s, exit %q", e.Reason, e.Sent, e.Exit)
			}
			<-b.Ended()
			servertest.CheckStarts(t, b.starts, c.starts)
		})
	}
}

func TestEras(t *testing.T) {
	for _, c := range []struct {
		name    string
		version string // of the snapshot
		probe   string // what the server does with server/discover
		starts  int
		got     string // the first messages the server gets
		want    string // the revision of the session
	}{
		{"a known older era is not probed", "2025-06-18", "exit", 1, "initialize", "2025-06-18"},
		{"a server that knows no probe is asked to initialize", "", "refuse", 1, "server/discover initialize", "2025-11-25"},
		{"a server that exits on the probe is started again", "", "exit", 2, "server/discover initialize", "2025-11-25"},
		{"a server that ignores the probe is asked to initialize", "", "ignore", 1, "server/discover initialize", "2025-11-25"},
		{"a server that is silent after the probe is started again", "", "silent", 2, "server/discover initialize", "2025-11-25"},
		{"a newer era is found, too, when its answer comes late", "", "late", 2, "server/discover initialize server/discover", "2026-07-28"},
		{"a newer era is found", "", "answer", 1, "server/discover", "2026-07-28"},
		{"a newer era is known", "2026-07-28", "answer", 1, "server/discover", "2026-07-28"},
		{"a revision we do not know is probed", "2099-01-01", "refuse", 1, "server/discover initialize", "2025-11-25"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, func(cfg *Config) {
				cfg.Connection.ProtocolVersion = c.version
				cfg.probeBudget, cfg.restartAfter = time.Minute, time.Minute
				switch c.probe {
				case "ignore", "late":
					cfg.probeBudget = 300 * time.Millisecond
				case "silent":
					cfg.probeBudget, cfg.restartAfter = 200*time.Millisecond, 3*time.Second // it has read both by then
				}
			}, "-probe", c.probe)
			server, err := b.Server(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if server.ProtocolVersion != c.want {
				t.Errorf("revision %s, want %s", server.ProtocolVersion, c.want)
			}
			b.must("counter", "{}")
			var got []string
			for _, line := range servertest.Lines(t, b.log) {
				if line = strings.TrimSpace(line); line == "initialize" || line == "server/discover" {
					got = append(got, line)
				}
			}
			if strings.Join(got, " ") != c.got {
				t.Errorf("the server got %q, want %s", got, c.got)
			}
			b.Close()
			<-b.Ended()
			servertest.CheckStarts(t, b.starts, c.starts)
		})
	}
}

func TestPinnedRevision(t *testing.T) {
	for _, c := range []struct {
		name  string
		pin   string
		flags []string
		got   string // the first messages
		want  string // the error; "": the session has the pinned revision
	}{
		{"an older one is not probed", "2025-03-26", []string{"-probe", "exit"}, "initialize", ""},
		{"the newer one", "2026-07-28", []string{"-probe", "answer"}, "server/discover", ""},
		{"one that the server does not speak", "2025-06-18", []string{"-speaks", "2024-11-05"}, "initialize",
			`connection test.main: The server does not speak the MCP revision 2025-06-18, which the connection pins; it offers 2024-11-05. Write protocol = "auto" or "2024-11-05".`},
		{"the newer one, of an older server", "2026-07-28", nil, "server/discover initialize",
			`connection test.main: The server does not speak the MCP revision 2026-07-28, which the connection pins; it offers 2025-11-25. Write protocol = "auto" or "2025-11-25".`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, func(cfg *Config) { cfg.Connection.Protocol = c.pin }, c.flags...)
			server, err := b.Server(t.Context())
			switch {
			case c.want != "":
				if e := failure(t, err); e.Error() != c.want || e.Reason != NotStarted {
					t.Errorf("got  %v\nwant %s", e, c.want)
				}
			case err != nil:
				t.Fatal(err)
			case server.ProtocolVersion != c.pin:
				t.Errorf("revision %s", server.ProtocolVersion)
			}
			var got []string
			for _, line := range servertest.Lines(t, b.log) {
				if line = strings.TrimSpace(line); line == "initialize" || line == "server/discover" {
					got = append(got, line)
				}
			}
			if strings.Join(got, " ") != c.got {
				t.Errorf("the server got %q, want %s", got, c.got)
			}
		})
	}
}

func TestServerIsKeptRaw(t *testing.T) {
	b := open(t, nil)
	server, err := b.Server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if string(server.Info) != `{"name":"testserver","version":"1","vendor":[1.0]}` || server.Instructions != "Be kind." ||
		string(server.Capabilities) != `{"tools":{"listChanged":true},"resources":{},"prompts":{}}` {
		t.Errorf("got %s %s %s", server.Info, server.Instructions, server.Capabilities)
	}
}

func TestClosingWhileConnecting(t *testing.T) {
	b := open(t, nil, "-silent")
	errs := make(chan error, 1)
	go func() {
		_, err := b.call("counter", "{}")
		errs <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.CallTool(ctx, Call{Tool: "counter"})
	if e := failure(t, err); e.Reason != Cancelled || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller that gave up: %v", err)
	}
	b.Close()
	<-b.Ended()
	if e := failure(t, <-errs); e.Reason != Lost || e.Sent != SentNo {
		t.Errorf("a caller at the close: %v", e)
	}
	if err := b.Err(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
}
