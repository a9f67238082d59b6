package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/journal"
)

func newRuns(std streams, g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "What ran in this project",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRunsList(std, g), newRunsShow(std, g))
	return cmd
}

func newRunsList(std streams, g *globals) *cobra.Command {
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List runs, newest first",
		Example: "  wfc runs list --limit 5",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := openJournal(cmd, g)
			if err != nil {
				return failed(err)
			}
			defer store.Close()
			runs, err := store.Runs(cmd.Context(), journal.Filter{Limit: limit})
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return printJSON(std.out, nonNil(runs))
			}
			if len(runs) == 0 {
				fmt.Fprintln(std.err, "No runs yet.")
				return nil
			}
			w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "RUN\tWORKFLOW\tSTATUS\tSTARTED\tTOOK")
			for _, r := range runs {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Run, runName(r), r.Status, stamp(r.StartedAt), took(r.StartedAt, r.FinishedAt))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most `N` runs; 0 for all")
	return cmd
}

func newRunsShow(std streams, g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run, its steps and its outputs",
		Long: `Show a run, its steps and its outputs. RUN is a run's id, or a part of it from its
beginning or end that no other run has.`,
		Example: "  wfc runs show 06d3k7mx-x2f9 --json",
		Args:    arguments(1, `name a run; see "wfc runs list"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openJournal(cmd, g)
			if err != nil {
				return failed(err)
			}
			defer store.Close()
			r, err := store.Run(cmd.Context(), args[0])
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return printJSON(std.out, r)
			}
			return showRun(std.out, r)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func showRun(out io.Writer, r *journal.RunRecord) error {
	fmt.Fprintf(out, "run       %s\nworkflow  %s\nstatus    %s\nstarted   %s\ntook      %s\ninputs    %s\n",
		r.Run, runName(r.RunSummary), r.Status, stamp(r.StartedAt), took(r.StartedAt, r.FinishedAt), oneLine(r.Inputs))
	if r.Error != nil {
		fmt.Fprintf(out, "error     %s\n", indentAfter(recordedFailure(r.Error), "          "))
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STEP\tSTATE\tATTEMPTS\tTOOK\tCALLS")
	for _, s := range r.Steps {
		name := s.Step
		if s.Key != nil {
			name += "[" + string(s.Key) + "]"
		}
		calls := ""
		if s.Tool != "" {
			calls = s.Connection + "." + s.Tool
		}
		elapsed := ""
		if s.StartedAt != nil && s.FinishedAt != nil {
			elapsed = took(*s.StartedAt, s.FinishedAt)
		}
		attempts := ""
		if s.Attempts > 0 { // the attempts of a fan-out are those of its elements
			attempts = strconv.Itoa(s.Attempts)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join([]string{name, string(s.State), attempts, elapsed, calls}, "\t"), "\t"))
		if s.Error != nil && (r.Error == nil || r.Error.Step != s.Step || string(r.Error.Key) != string(s.Key)) {
			fmt.Fprintf(w, "  %s: %s\n", s.Error.Kind, indentAfter(s.Error.Message, "    "))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Outputs != nil {
		fmt.Fprintln(out)
		return printRawJSON(out, r.Outputs)
	}
	return nil
}

// recordedFailure says where and why a run failed.
func recordedFailure(f *journal.Failure) string {
	where := ""
	if f.Step != "" {
		where = "step " + f.Step
		if f.Key != nil {
			where += "[" + string(f.Key) + "]"
		}
		where += ": "
	}
	doubt := ""
	if f.InDoubt {
		doubt = inDoubt
	}
	return where + f.Kind + ": " + f.Message + doubt
}

func runName(r journal.RunSummary) string {
	if r.Deployment != "" {
		return r.Deployment
	}
	return r.Workflow
}

// stamp prints a time for people: local, to the second.
func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// took prints how long something took; "" while it goes on.
func took(from time.Time, to *time.Time) string {
	if to == nil {
		return ""
	}
	return elapsed(to.Sub(from))
}

// elapsed prints a duration with three digits at most.
func elapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func indentAfter(s, indent string) string { return strings.ReplaceAll(s, "\n", "\n"+indent) }

// oneLine prints JSON on one line, cut where it is long.
func oneLine(raw json.RawMessage) string {
	const most = 200
	r := []rune(string(raw))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(raw)
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
