package service

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/discover"
)

// snapshotOf has tools with these members beside their names.
func snapshotOf(tools ...string) *catalog.Snapshot {
	s := &catalog.Snapshot{ProtocolVersion: "2025-11-25"}
	for _, t := range tools {
		s.Tools = append(s.Tools, catalog.Object{Raw: []byte("{" + t + "}")})
	}
	return s
}

func TestFindings(t *testing.T) {
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprintf(`"name":"t%02d"`, i))
	}
	long := strings.Repeat("x", 65)
	npx := connection.Connection{ID: "a.b", Stdio: &connection.Stdio{Command: "npx"}}
	for _, c := range []struct {
		rule string
		look func(*Diagnosis, connection.Connection) []Finding
		seen discover.Examination
		conn connection.Connection
		want string
	}{
		{"a server that offers nothing", lists, discover.Examination{Snapshot: snapshotOf()}, npx,
			"! The server offers nothing: no tool, no resource and no prompt. Some do until they are given a credential."},
		{"one tool is something", lists, discover.Examination{Snapshot: snapshotOf(`"name":"a"`)}, npx, ""},
		{"a name of 64 characters is none too many", names, discover.Examination{Snapshot: snapshotOf(`"name":"` + long[1:] + `"`)}, npx, ""},
		{"one of 65 is", names, discover.Examination{Snapshot: snapshotOf(`"name":"` + long + `"`)}, npx,
			"- 1 tool has a name that is longer than 64 characters, which some clients and models refuse; wfc does not: " + long + "."},
		{"tools that need a task", unusable, discover.Examination{Snapshot: snapshotOf(`"name":"a","execution":{"taskSupport":"required"}`, `"name":"b","execution":{"taskSupport":"optional"}`)}, npx,
			"! 1 tool can be called as a task only, which wfc does not support: a."},
		{"of many tools the first are named", unannotated, discover.Examination{Snapshot: snapshotOf(many...)}, npx,
			"- Of 12 tools the server does not say whether they read, write or destroy, so that their calls run one at a time and count as destructive: " +
				"t00, t01, t02, t03, t04, t05, t06, t07, t08, t09, and 2 more. Where you know it, say it in connection a.b, tool \"NAME\" { effect }."},
		{"a quick start", starting, discover.Examination{Snapshot: snapshotOf(), Starts: 1, Handshake: 5 * time.Second}, npx, ""},
		{"a slow one, of npx", starting, discover.Examination{Snapshot: snapshotOf(), Starts: 1, Start: time.Second, Handshake: 6 * time.Second}, npx,
			"! It took 7s to connect, which the first step of a run waits for. To look a package up costs time at each start: install it, and start its own command."},
		{"one that is close to the limit", starting, discover.Examination{Snapshot: snapshotOf(), Starts: 1, Handshake: 40 * time.Second}, connection.Connection{ID: "a.b"},
			"! It took 40s to connect, which the first step of a run waits for. That is close to the limit of 1m0s: raise timeouts { connect }."},
		{"a second start", starting, discover.Examination{Snapshot: snapshotOf(), Starts: 2}, npx,
			"- It did not survive the question which revision of MCP it speaks, and was started a second time. Its snapshot remembers what it speaks; without one, pin it: protocol = \"2025-11-25\"."},
		{"one with a pinned revision", starting, discover.Examination{Snapshot: snapshotOf(), Starts: 2}, connection.Connection{ID: "a.b", Protocol: "2025-11-25"}, ""},
		{"a line of noise", noise, discover.Examination{End: connection.End{Noise: 1, FirstNoise: "hi"}}, npx,
			"! On stdout, where only MCP messages belong, it printed 1 line that is none: \"hi\". That was dropped; logs should go to stderr."},
		{"an end in good order", ending, discover.Examination{End: connection.End{Exit: "exit status 0"}}, npx, ""},
		{"one that needed a signal", ending, discover.Examination{End: connection.End{Exit: "signal: terminated"}}, npx, ""},
		{"one that failed", ending, discover.Examination{End: connection.End{Exit: "exit status 3"}}, npx, "- It ended with exit status 3 when its input was closed."},
		{"no process", ending, discover.Examination{}, npx, ""},
	} {
		d := &Diagnosis{Connection: "a.b", Seen: &c.seen, Transport: transport(c.conn)}
		var got []string
		for _, f := range c.look(d, c.conn) {
			mark := "- "
			if f.Warning {
				mark = "! "
			}
			got = append(got, mark+f.Text)
		}
		if text := strings.Join(got, "\n"); text != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.rule, text, c.want)
		}
	}
}

func TestTransportIsShownWithoutWhatMayBeSecret(t *testing.T) {
	for _, c := range []struct {
		conn connection.Connection
		want string
	}{
		{connection.Connection{Stdio: &connection.Stdio{Command: "/opt/bin/server", Args: []string{"--token", "hunter2"}}}, "stdio: server"},
		{connection.Connection{HTTP: &connection.HTTP{URL: "https://ada:hunter2@example.com:8443/mcp?key=hunter2"}}, "http: https://example.com:8443/mcp"},
		{connection.Connection{SSE: &connection.HTTP{URL: "http://example.com/sse"}}, "sse: http://example.com/sse"},
	} {
		if got := transport(c.conn); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
