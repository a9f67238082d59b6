package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/service"
)

func newRunsDiff(std streams, g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say how two runs of a workflow differ",
		Long: `Say how two runs of a workflow differ: the steps that say something else, the
inputs, what each step and element came to, what it gave and how long it took, and
the outputs. What is sensitive is not compared.`,
		Example: "  wfc runs diff 06d3k7mx-x2f9 06d3n8qa-71fc",
		Args:    arguments(2, `name two runs; see "wfc runs list"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openJournal(cmd, g)
			if err != nil {
				return failed(err)
			}
			defer store.Close()
			d, err := service.Diff(cmd.Context(), store, args[0], args[1])
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return failed(printJSON(std.out, d))
			}
			return failed(writeDifference(std.out, d))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// writeDifference tells a person how two runs differ.
func writeDifference(out io.Writer, d *service.Difference) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "- %s  %s%s\n+ %s  %s%s\n", d.Old.Run, d.Old.Status, tookOf(d.TookMS[0]), d.New.Run, d.New.Status, tookOf(d.TookMS[1]))
	if !d.Differs() {
		fmt.Fprintf(&b, "\nBoth did the same: %s.\n", count(d.Same, "step"))
	}
	section := func(title string, n int) {
		if n > 0 {
			fmt.Fprintf(&b, "\n%s\n", title)
		}
	}
	section("The plan changed.", len(d.Plan))
	for _, s := range d.Plan {
		switch s.Change {
		case "added":
			fmt.Fprintf(&b, "  + %s\n", printable(s.Step))
		case "removed":
			fmt.Fprintf(&b, "  - %s\n", printable(s.Step))
		default:
			fmt.Fprintf(&b, "  ~ %s  %s\n", printable(s.Step), strings.Join(s.Fields, ", "))
		}
	}
	if !d.SamePlan && len(d.Plan) == 0 {
		b.WriteString("\nThe plan changed, and no step of it.\n")
	}
	section("Bound elsewhere", len(d.Connections))
	writeChanges(&b, d.Connections, "  ")
	section("Inputs", len(d.Inputs))
	writeChanges(&b, d.Inputs, "  ")
	steps := 0
	for _, p := range d.Steps {
		if len(p.Differ) > 0 {
			steps++
		}
	}
	section("Steps", steps)
	for _, p := range d.Steps {
		if len(p.Differ) > 0 {
			writePair(&b, p)
		}
	}
	if d.MoreSteps > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", d.MoreSteps)
	}
	section("Outputs", len(d.Outputs))
	writeChanges(&b, d.Outputs, "  ")
	if d.Error != nil {
		section("Error", 1)
		for _, side := range []struct {
			sign string
			raw  json.RawMessage
		}{{"-", d.Error.Old}, {"+", d.Error.New}} {
			var text string
			if json.Unmarshal(side.raw, &text) == nil {
				fmt.Fprintf(&b, "  %s %s\n", side.sign, indentAfter(printable(text), "    "))
			}
		}
	}
	writeSlower(&b, d.Steps)
	if len(d.Hidden) > 0 {
		fmt.Fprintf(&b, "\nNot compared, because it is sensitive: %s.\n", printable(strings.Join(d.Hidden, ", ")))
	}
	_, err := out.Write(b.Bytes())
	return err
}

func tookOf(ms int64) string {
	if ms < 0 {
		return ""
	}
	return ", took " + elapsed(time.Duration(ms)*time.Millisecond)
}

func writeChanges(b *bytes.Buffer, list []service.Change, indent string) {
	for _, c := range list {
		switch {
		case c.Old == nil:
			fmt.Fprintf(b, "%s+ %s = %s\n", indent, printable(c.Path), printable(oneLine(c.New)))
		case c.New == nil:
			fmt.Fprintf(b, "%s- %s = %s\n", indent, printable(c.Path), printable(oneLine(c.Old)))
		default:
			fmt.Fprintf(b, "%s~ %s: %s → %s\n", indent, printable(c.Path), printable(oneLine(c.Old)), printable(oneLine(c.New)))
		}
	}
}

// writePair tells of a step that differs.
func writePair(b *bytes.Buffer, p service.StepPair) {
	name := printable(p.Step)
	switch {
	case p.Old == nil:
		fmt.Fprintf(b, "  + %s  %s%s\n", name, p.New.State, tookOf(p.New.TookMS))
		return
	case p.New == nil:
		fmt.Fprintf(b, "  - %s  %s%s\n", name, p.Old.State, tookOf(p.Old.TookMS))
		return
	}
	fmt.Fprintf(b, "  ~ %s", name)
	sep := "  "
	tell := func(format string, args ...any) {
		fmt.Fprintf(b, sep+format, args...)
		sep = ", "
	}
	for _, what := range p.Differ {
		switch what {
		case "outcome":
			tell("%s → %s", p.Old.State, p.New.State)
		case "attempts":
			tell("%d → %s", p.Old.Attempts, count(p.New.Attempts, "attempt"))
		case "connection":
			tell("%s → %s", printable(p.Old.Calls), printable(p.New.Calls))
		case "output":
			tell("other output")
		}
	}
	b.WriteByte('\n')
	if p.Old.Error != p.New.Error {
		if p.Old.Error != "" {
			fmt.Fprintf(b, "      - %s\n", indentAfter(printable(p.Old.Error), "        "))
		}
		if p.New.Error != "" {
			fmt.Fprintf(b, "      + %s\n", indentAfter(printable(p.New.Error), "        "))
		}
	}
	writeChanges(b, p.Output, "      ")
}

// writeSlower tells of the steps whose time changed the most, where that is so much
// that a person would notice.
func writeSlower(b *bytes.Buffer, steps []service.StepPair) {
	const (
		noticed = 1000 // milliseconds
		most    = 5
	)
	shown := 0
	for _, p := range steps {
		if p.Old == nil || p.New == nil || p.Old.TookMS < 0 || p.New.TookMS < 0 {
			continue
		}
		change := p.New.TookMS - p.Old.TookMS
		if max(change, -change) < noticed || shown == most {
			continue
		}
		if shown++; shown == 1 {
			b.WriteString("\nTime\n")
		}
		fmt.Fprintf(b, "  ~ %s: %s → %s\n", printable(p.Step), elapsed(time.Duration(p.Old.TookMS)*time.Millisecond), elapsed(time.Duration(p.New.TookMS)*time.Millisecond))
	}
}
