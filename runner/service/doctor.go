package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/discover"
)

// Diagnosis is what a look at one connection found.
type Diagnosis struct {
	Connection string
	Disabled   bool                  // nothing was looked at
	Transport  string                // "stdio: npx", "http: https://mcp.example.com/mcp"; "" if it is not known
	Err        error                 // why the connection cannot be used; nil: it can
	Seen       *discover.Examination // nil: nothing was started
	Server     string                // "github 1.2, MCP 2025-11-25"
	// Refreshed is what the server offers against the project's snapshot, with Breaking
	// changes among the differences; nil where Seen has no snapshot.
	Refreshed *Refreshed
	Breaking  int
	Withheld  []catalog.Withheld
	Findings  []Finding // what a person should know, the gravest first
}

// Finding is one thing that a [Diagnosis] says, with advice.
type Finding struct {
	Warning bool // something will go wrong, or has; else it is worth knowing
	Text    string
}

// Doctor looks at one connection: it connects over a session of its own, lists what
// the server offers, and closes. It writes nothing.
func (s *Service) Doctor(ctx context.Context, c *compiler.Reach) *Diagnosis {
	d := &Diagnosis{Connection: c.Connection.ID}
	if c.Disabled() {
		d.Disabled = true
		return d
	}
	live, found, err := s.usable(ctx, c)
	if err != nil {
		d.Err = err
		return d
	}
	d.Transport = transport(live)
	// As a refresh does, it finds out anew what the snapshot remembers.
	live.ProtocolVersion = ""
	cfg := s.session(live)
	d.Seen = discover.Examine(ctx, cfg)
	if d.Err = d.Seen.Err; d.Err != nil {
		if more := missingProgram(live, d.Err.Error()); more != "" {
			d.Err = fmt.Errorf("%w\n%s", d.Err, more)
		}
		return d
	}
	cleanSnapshot(found.redactor(), d.Seen.Snapshot)
	d.Server = serverName(d.Seen.Snapshot)
	if d.Refreshed, err = s.Compare(live.ID, d.Seen.Snapshot); err == nil && d.Refreshed.Change == Updated {
		if old, err := s.project().Snapshot(live.ID); err == nil {
			for _, change := range catalog.Diff(old, d.Seen.Snapshot) {
				if change.Breaking {
					d.Breaking++
				}
			}
		}
	}
	d.Withheld = discover.Withheld(ctx, cfg, d.Seen.Snapshot, s.options.Environment.ProjectRoot)
	for _, look := range []func(*Diagnosis, connection.Connection) []Finding{
		lists, entries, names, unusable, changes, withheld, unannotated, starting, noise, ending,
	} {
		d.Findings = append(d.Findings, look(d, live)...)
	}
	slices.SortStableFunc(d.Findings, func(a, b Finding) int {
		return cmp.Compare(btoi(b.Warning), btoi(a.Warning))
	})
	return d
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// transport says how a server is reached, without arguments and queries, which may
// hold secrets.
func transport(c connection.Connection) string {
	switch {
	case c.Stdio != nil:
		return "stdio: " + filepath.Base(c.Stdio.Command)
	case c.HTTP != nil:
		return "http: " + withoutQuery(c.HTTP.URL)
	case c.SSE != nil:
		return "sse: " + withoutQuery(c.SSE.URL)
	}
	return ""
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func serverName(snap *catalog.Snapshot) string {
	var info struct{ Name, Version string }
	_ = json.Unmarshal(snap.ServerInfo, &info) // what it does not say is not shown
	name := strings.TrimSpace(cmp.Or(info.Name, "(no name)") + " " + info.Version)
	return catalog.OneLine(name) + ", MCP " + snap.ProtocolVersion
}

// Capabilities returns what the server says that it can do, sorted; nil where nothing
// is known of it.
func (d *Diagnosis) Capabilities() []string {
	if d.Seen == nil || d.Seen.Snapshot == nil {
		return nil
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(d.Seen.Snapshot.Capabilities, &all) // a list of tools would have failed before
	var out []string
	for name := range all {
		out = append(out, catalog.OneLine(name))
	}
	slices.Sort(out)
	return out
}

// programs are those that servers are started with, and where they come from.
var programs = map[string]string{
	"npx": "npx comes with Node.js: https://nodejs.org", "npm": "npm comes with Node.js: https://nodejs.org",
	"node": "It is Node.js: https://nodejs.org", "bunx": "bunx comes with Bun: https://bun.sh", "bun": "It is Bun: https://bun.sh",
	"uvx": "uvx comes with uv: https://docs.astral.sh/uv", "uv": "It is uv: https://docs.astral.sh/uv",
	"docker": "It is Docker: https://docs.docker.com/get-docker", "deno": "It is Deno: https://deno.com",
}

// missingProgram says where the program comes from that a server cannot start
// without; "" if it is not known that one is missing.
func missingProgram(c connection.Connection, failure string) string {
	if c.Stdio == nil {
		return ""
	}
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(c.Stdio.Command)), ".cmd")
	if _, err := c.Stdio.Resolve(); err != nil {
		return programs[name]
	}
	// npx is there, and its first line asks for a node that is not.
	if strings.Contains(failure, "env: 'node': No such file") || strings.Contains(failure, "env: node: No such file") {
		return "The program node was not found in the PATH of the server, which " + name + " needs. " + programs["node"]
	}
	return ""
}
