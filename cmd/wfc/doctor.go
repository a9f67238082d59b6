package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/runner/service"
)

func newDoctor(std streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [CONNECTION…]",
		Short: "Connect, and say what is wrong and what is odd",
		Long: `Connect to the connections, or to all, one after the other, each over a session of
its own, and say how long that took, what the server offers, and what is wrong or
odd with it. Nothing is written.`,
		Example: "  wfc doctor\n  wfc doctor github.work",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := g.load()
			if err != nil {
				return failed(err)
			}
			ids, err := connections(std, p, args)
			if err != nil {
				return err
			}
			view := newProgress(std.err)
			svc, err := newService(p, std, view)
			if err != nil {
				return failed(err)
			}
			defer closeAfter(svc, &err)
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			bad := 0
			for i, id := range ids {
				if i > 0 {
					fmt.Fprintln(std.out)
				}
				reach, found := compiler.Connection(p, id)
				if found.HasErrors() {
					bad++
					fmt.Fprintf(std.out, "%s: cannot be used\n\n", id)
					if err := writeDiagnostics(std.out, p, found); err != nil {
						return failed(err)
					}
					continue
				}
				d := svc.Doctor(ctx, reach)
				if ctx.Err() != nil {
					return &exit{code: exitInterrupted}
				}
				if d.Err != nil {
					bad++
				}
				if _, err := fmt.Fprint(std.out, diagnosis(d, styleOf(std.out))); err != nil {
					return failed(err)
				}
			}
			if bad == 0 {
				return nil
			}
			if len(ids) > 1 {
				fmt.Fprintf(std.out, "\n%d of %s cannot be used\n", bad, count(len(ids), "connection"))
			}
			return &exit{code: exitFailed}
		},
	}
}

// diagnosis shows a diagnosis to a person.
func diagnosis(d *service.Diagnosis, s style) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-13s%s\n", name, printable(fmt.Sprintf(format, args...)))
	}
	said := func(mark, text string) {
		fmt.Fprintf(&b, "  %s %s\n", mark, indentAfter(printable(text), "    "))
	}
	switch {
	case d.Disabled:
		fmt.Fprintf(&b, "%s: disabled\n", s.bold(d.Connection))
		return b.String()
	case d.Err != nil:
		fmt.Fprintf(&b, "%s: %s\n", s.bold(d.Connection), s.red("cannot be used"))
	default:
		fmt.Fprintf(&b, "%s: %s\n", s.bold(d.Connection), s.green("can be used"))
	}
	if d.Transport != "" {
		line("transport", "%s", d.Transport)
	}
	if d.Err != nil {
		said(s.red("✗"), d.Err.Error())
		return b.String()
	}
	seen, snap := d.Seen, d.Seen.Snapshot
	line("server", "%s", d.Server)
	line("times", "%s", times(d))
	line("capabilities", "%s", strings.Join(nonEmpty(d.Capabilities()), ", "))
	line("offers", "%s", strings.Join([]string{
		count(len(snap.Tools), "tool"), count(len(snap.Resources), "resource"),
		count(len(snap.ResourceTemplates), "resource template"), count(len(snap.Prompts), "prompt"),
	}, ", "))
	if seen.StderrLines > 0 {
		line("stderr", "%s", count(seen.StderrLines, "line"))
	}
	if r := d.Refreshed; r != nil {
		line("snapshot", "%s", drift(r))
	}
	for _, f := range d.Findings {
		mark := s.dim("-")
		if f.Warning {
			mark = s.yellow("!")
		}
		said(mark, f.Text)
	}
	return b.String()
}

func times(d *service.Diagnosis) string {
	seen := d.Seen
	handshake := "handshake " + elapsed(seen.Handshake)
	if strings.HasPrefix(d.Transport, "stdio") && seen.Start > 0 {
		handshake = "start " + elapsed(seen.Start) + ", " + handshake
	}
	return fmt.Sprintf("%s, lists %s, close %s", handshake, elapsed(seen.Listing), elapsed(seen.Closing))
}

func drift(r *service.Refreshed) string {
	switch r.Change {
	case service.Created:
		return "none"
	case service.Unchanged:
		return "as the server is"
	}
	return fmt.Sprintf("differs: %s more, %d fewer, %d changed", count(len(r.Added), "tool"), len(r.Removed), len(r.Changed))
}

func nonEmpty(s []string) []string {
	if len(s) == 0 {
		return []string{"none"}
	}
	return s
}
