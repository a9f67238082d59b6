package service

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
)

// What a look at a server that is up may find, each with what to do.

func warning(format string, args ...any) Finding { return Finding{true, fmt.Sprintf(format, args...)} }

func note(format string, args ...any) Finding { return Finding{false, fmt.Sprintf(format, args...)} }

// mostShown is how many names or problems a finding shows; the rest is counted.
const mostShown = 10

func someNames(names []string) string {
	shown := make([]string, 0, mostShown)
	for _, n := range names[:min(len(names), mostShown)] {
		shown = append(shown, catalog.OneLine(n))
	}
	if more := len(names) - mostShown; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

// plural returns "1 tool has" or "3 tools have".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// and joins words: "a", "a and b", "a, b and c".
func and(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func lists(d *Diagnosis, _ connection.Connection) (out []Finding) {
	snap := d.Seen.Snapshot
	for _, e := range snap.Errors {
		out = append(out, warning("The server failed to list its %s: %s", strings.ReplaceAll(e.List, "_", " "), catalog.OneLine(e.Message)))
	}
	if len(snap.Tools)+len(snap.Resources)+len(snap.ResourceTemplates)+len(snap.Prompts)+len(snap.Errors) == 0 {
		out = append(out, warning("The server offers nothing: no tool, no resource and no prompt. Some do until they are given a credential."))
	}
	return out
}

func entries(d *Diagnosis, _ connection.Connection) (out []Finding) {
	problems := d.Seen.Snapshot.Problems()
	for _, p := range problems[:min(len(problems), mostShown)] {
		out = append(out, warning("%s", upper(p.String())))
	}
	if more := len(problems) - mostShown; more > 0 {
		out = append(out, warning("There are %d more entries with problems.", more))
	}
	return out
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// longestName is how long a tool's name may be for most MCP clients and models.
const longestName = 64

func names(d *Diagnosis, _ connection.Connection) (out []Finding) {
	var long []string
	for _, name := range d.Seen.Snapshot.ToolNames() {
		if utf8.RuneCountInString(name) > longestName {
			long = append(long, name)
		}
	}
	if len(long) > 0 {
		out = append(out, note("%s longer than %d characters, which some clients and models refuse; wfc does not: %s.",
			plural(len(long), "tool has a name that is", "tools have names that are"), longestName, someNames(long)))
	}
	return out
}

// unusable are the tools that can be called as a task only.
func unusable(d *Diagnosis, _ connection.Connection) (out []Finding) {
	var tasks []string
	for _, name := range d.Seen.Snapshot.ToolNames() {
		if d.Seen.Snapshot.Tool(name).TaskRequired {
			tasks = append(tasks, name)
		}
	}
	if len(tasks) > 0 {
		out = append(out, warning("%s be called as a task only, which wfc does not support: %s.", plural(len(tasks), "tool can", "tools can"), someNames(tasks)))
	}
	return out
}

func changes(d *Diagnosis, c connection.Connection) []Finding {
	r := d.Refreshed
	if r == nil {
		return nil
	}
	switch {
	case r.Change == Created:
		return []Finding{note("There is no snapshot, without which nothing of it is checked. Take one:\n    wfc catalog refresh %s", c.ID)}
	case r.Change == Updated && d.Breaking > 0:
		return []Finding{warning("The server is not what the snapshot says; %s. See what it means for the workflows:\n    wfc catalog diff %s",
			plural(d.Breaking, "change is breaking", "changes are breaking"), c.ID)}
	case r.Change == Updated:
		return []Finding{note("The server is not quite what the snapshot says; no change is breaking. Take it anew:\n    wfc catalog refresh %s", c.ID)}
	}
	return nil
}

func withheld(d *Diagnosis, c connection.Connection) (out []Finding) {
	for _, w := range d.Withheld[:min(len(d.Withheld), mostShown)] {
		out = append(out, note("The tool %s is there only for clients that offer %s. Add it to offers of connection %s, if you want the tool.",
			catalog.OneLine(w.Tool), and(w.Needs), c.ID))
	}
	if more := len(d.Withheld) - mostShown; more > 0 {
		out = append(out, note("So are %d more tools.", more))
	}
	return out
}

// unannotated are the tools of which the server does not say what they do.
func unannotated(d *Diagnosis, c connection.Connection) (out []Finding) {
	var unknown []string
	for _, name := range d.Seen.Snapshot.ToolNames() {
		if d.Seen.Snapshot.Tool(name).Effect == catalog.Unknown {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		out = append(out, note("Of %s the server does not say whether they read, write or destroy, so that their calls run one at a time and count as destructive: %s. Where you know it, say it in connection %s, tool \"NAME\" { effect }.",
			plural(len(unknown), "tool", "tools"), someNames(unknown), c.ID))
	}
	return out
}

// slow is a time to connect that a person notices in every run.
const slow = 5 * time.Second

func starting(d *Diagnosis, c connection.Connection) (out []Finding) {
	if took := d.Seen.Start + d.Seen.Handshake; took > slow {
		text := fmt.Sprintf("It took %s to connect, which the first step of a run waits for.", took.Round(100*time.Millisecond))
		if limit := c.Timeouts.ConnectTimeout(); took > limit/2 {
			text += fmt.Sprintf(" That is close to the limit of %s: raise timeouts { connect }.", limit)
		}
		if c.Stdio != nil && strings.HasPrefix(d.Transport, "stdio: npx") {
			text += " To look a package up costs time at each start: install it, and start its own command."
		}
		out = append(out, warning("%s", text))
	}
	if d.Seen.Starts > 1 && c.Protocol == "" {
		out = append(out, note("It did not survive the question which revision of MCP it speaks, and was started a second time. Its snapshot remembers what it speaks; without one, pin it: protocol = %q.", d.Seen.Snapshot.ProtocolVersion))
	}
	return out
}

func noise(d *Diagnosis, _ connection.Connection) (out []Finding) {
	if n := d.Seen.End.Noise; n > 0 {
		out = append(out, warning("On stdout, where only MCP messages belong, it printed %s: %q. That was dropped; logs should go to stderr.",
			plural(n, "line that is none", "lines that are none, first"), d.Seen.End.FirstNoise))
	}
	return out
}

func ending(d *Diagnosis, c connection.Connection) []Finding {
	switch exit := d.Seen.End.Exit; {
	case exit == "" || exit == "exit status 0" || exit == "signal: terminated":
		return nil
	case exit == "signal: killed":
		return []Finding{note("It did not end when its input was closed and it was asked to, and was killed after %s. If it has to save something, give it more time: timeouts { close }.", c.Timeouts.CloseTimeout())}
	default:
		return []Finding{note("It ended with %s when its input was closed.", exit)}
	}
}
