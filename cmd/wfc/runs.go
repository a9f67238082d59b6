package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

func newRuns(std streams, g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "What ran in this project",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	serverFlag(cmd)
	cmd.AddCommand(
		newRunsList(std, g),
		newRunsShow(std, g),
		onlyHere(newRunsLogs(std, g)),
		onlyHere(newRunsWhy(std, g)),
		newRunsResume(std, g),
		newRunsResolve(std, g),
		newRunsAnswer(std, g),
		newRunsCancel(std, g),
		onlyHere(newRunsDiff(std, g)),
		onlyHere(newRunsExport(std, g)),
		onlyHere(newRunsPrune(std, g)),
	)
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
			runs, err := runsOf(cmd, g, limit)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(std.out, nonNil(runs))
			}
			if len(runs) == 0 {
				fmt.Fprintln(std.err, "No runs yet.")
				return nil
			}
			t := table{rows: [][]string{{"RUN", "WORKFLOW", "STATUS", "STARTED", "TOOK"}}}
			for _, r := range runs {
				t.add(string(r.Run), ofWorkflow(r), string(r.Status), stamp(r.StartedAt), took(r.StartedAt, r.FinishedAt))
			}
			return failed(t.write(std.out))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most `N` runs; 0 for all")
	return cmd
}

// runsOf returns the last runs, of the project or of a server.
func runsOf(cmd *cobra.Command, g *globals, limit int) ([]journal.RunSummary, error) {
	at, err := server(cmd)
	if err != nil {
		return nil, err
	}
	if at != nil {
		return at.runs(cmd.Context(), limit)
	}
	store, err := openJournal(cmd, g)
	if err != nil {
		return nil, failed(err)
	}
	defer store.Close()
	runs, err := store.Runs(cmd.Context(), journal.Filter{Limit: limit})
	return runs, failed(err)
}

// recordFor returns what is known of a run, of the project or of a server, with values
// as the run itself printed them, and the flag by which further commands find it.
func recordFor(cmd *cobra.Command, g *globals, run string) (r *journal.RunRecord, where string, err error) {
	at, err := server(cmd)
	if err != nil {
		return nil, "", err
	}
	if at != nil {
		r, err = at.record(cmd.Context(), run)
		return r, at.flag, err
	}
	proj, err := g.load()
	if err != nil {
		return nil, "", failed(err)
	}
	if r, err = recordOf(cmd.Context(), proj, run); err != nil {
		return nil, "", err
	}
	if err := plainValues(r); err != nil {
		return nil, "", failed(fmt.Errorf("the run %s cannot be shown: %w", r.Run, err))
	}
	return r, projectFlag(proj), nil
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
			r, where, err := recordFor(cmd, g, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(std.out, r)
			}
			if err := showRun(std.out, r); err != nil {
				return failed(err)
			}
			switch r.Status {
			case journal.Queued:
				fmt.Fprintf(std.out, "\nIt begins when other runs of its workflow have ended (concurrency).\n")
			case journal.Waiting:
				tellDoubts(std.out, where, r)
			case journal.Interrupted:
				fmt.Fprintf(std.out, "\nIts process ended. Go on with it:\n\n    wfc runs resume %s%s\n", r.Run, where)
				tellLost(std.out, r)
			}
			tellQuestions(std.out, where, r)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// plainValues puts JSON as the run itself printed it in place of the form in which
// values are journalled, which marks what only looks like a blob.
func plainValues(r *journal.RunRecord) error {
	for _, raw := range []*json.RawMessage{&r.Inputs, &r.Outputs} {
		if *raw == nil {
			continue
		}
		v, err := value.ParseStored(*raw)
		if err != nil {
			return err
		}
		*raw = value.AppendJSON(nil, v)
	}
	return nil
}

func showRun(out io.Writer, r *journal.RunRecord) error {
	fmt.Fprintf(out, "run       %s\nworkflow  %s\nstatus    %s\nstarted   %s\n", r.Run, ofWorkflow(r.RunSummary), r.Status, stamp(r.StartedAt))
	switch {
	case r.FinishedAt != nil:
		fmt.Fprintf(out, "took      %s\n", took(r.StartedAt, r.FinishedAt))
	case r.Owner != nil:
		fmt.Fprintf(out, "owner     %s\n", r.Owner)
	}
	if r.Reuses != "" {
		fmt.Fprintf(out, "reuses    %s\n", r.Reuses)
	}
	fmt.Fprintf(out, "inputs    %s\n", oneLine(r.Inputs))
	if r.Error != nil {
		fmt.Fprintf(out, "error     %s\n", indentAfter(recordedFailure(r.Error), "          "))
	}
	fmt.Fprintln(out)
	t := table{rows: [][]string{{"STEP", "STATE", "ATTEMPTS", "CALLS", "TOOK"}}}
	for _, s := range r.Steps {
		elapsed := ""
		if s.StartedAt != nil && s.FinishedAt != nil {
			elapsed = took(*s.StartedAt, s.FinishedAt)
		}
		attempts := ""
		if s.Attempts > 0 && !s.Reused {
			attempts = strconv.Itoa(s.Attempts)
		}
		state := string(s.State)
		if s.State == journal.StateError && s.Error != nil && s.Error.Kind == string(engine.KindCancelled) {
			state = s.Error.Kind
		}
		if s.Error != nil && s.Error.InDoubt {
			state += ", in doubt"
		}
		if s.Reused {
			state += ", reused"
		}
		t.add(nameOfStep(s), state, attempts, callOf(s), elapsed)
		if s.Error != nil && s.Error.Kind != string(engine.KindCancelled) && (r.Error == nil || !strings.HasSuffix(r.Error.Message, s.Error.Message)) {
			t.note(printable(s.Error.Kind + ": " + s.Error.Message))
		}
	}
	if err := t.write(out); err != nil {
		return err
	}
	if text := whatWasDone(r); text != "" {
		fmt.Fprintf(out, "\n%s", text)
	}
	if r.Outputs != nil {
		fmt.Fprintln(out)
		return printRawJSON(out, r.Outputs)
	}
	return nil
}

// recordedFailure says where and why a run failed.
func recordedFailure(f *journal.Failure) string {
	text := f.Kind + ": " + f.Message // which names the step
	if f.InDoubt {
		text += inDoubt
	}
	return printable(text)
}

// table is rows of cells in columns, with notes of any width between them.
type table struct {
	rows  [][]string
	notes map[int]string // after a row
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// note adds lines after the last row.
func (t *table) note(text string) {
	if t.notes == nil {
		t.notes = map[int]string{}
	}
	t.notes[len(t.rows)-1] = text
}

func (t *table) write(out io.Writer) error {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%s%*s", cell, widths[i]-utf8.RuneCountInString(cell)+2, "")
		}
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
		if note, ok := t.notes[n]; ok {
			fmt.Fprintf(&b, "    %s\n", indentAfter(note, "    "))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// ofWorkflow says what ran: a workflow, and the deployment that it ran through.
func ofWorkflow(r journal.RunSummary) string {
	if r.Deployment != "" {
		return r.Workflow + " (" + r.Deployment + ")"
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
