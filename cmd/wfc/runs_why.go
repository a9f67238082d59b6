package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

func newRunsWhy(std streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "why RUN STEP",
		Short: "Say why a step was done, or its result kept",
		Long: `Say why a step of a run was done, or its result kept from the run that was named
with "wfc run --reuse". Of a step with for_each, or one that runs a workflow, each part
is told; label[0] or deploy/build means one.`,
		Example: "  wfc runs why 06d3k7mx-x2f9 search",
		Args:    arguments(2, `name a run and a step; see "wfc runs show RUN"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openJournal(cmd, g)
			if err != nil {
				return failed(err)
			}
			defer store.Close()
			if _, _, err := engine.ParseInstance(args[1]); err != nil {
				return usage("%w", err)
			}
			r, err := store.Run(cmd.Context(), args[0])
			if err != nil {
				return failed(err)
			}
			reasons, base, err := service.Why(cmd.Context(), store, string(r.Run), args[1])
			if err != nil {
				return failed(err)
			}
			return failed(tellWhy(std.out, r, args[1], base, reasons))
		},
	}
}

func tellWhy(out io.Writer, r *journal.RunRecord, step string, base journal.RunID, reasons []engine.Reason) error {
	if len(reasons) > 0 {
		for _, reason := range reasons {
			if reason.Reused {
				fmt.Fprintf(out, "%s was kept from the run %s: it says the same, and was given the same.\n", printable(reason.Step), base)
				continue
			}
			fmt.Fprintf(out, "%s was done anew:\n", printable(reason.Step))
			for _, because := range reason.Because {
				fmt.Fprintf(out, "    %s\n", printable(because))
			}
		}
		return nil
	}
	for _, s := range r.Steps {
		if s.Step != step && nameOfStep(s) != step {
			continue
		}
		switch {
		case s.State == journal.StateSkipped:
			fmt.Fprintf(out, "%s was skipped.\n", printable(step))
		case s.State == journal.StatePending:
			fmt.Fprintf(out, "%s has not begun.\n", printable(step))
		case base == "":
			fmt.Fprintf(out, "%s was done: the run %s reuses no other (wfc run --reuse).\n", printable(step), r.Run)
		default:
			fmt.Fprintf(out, "%s calls nothing: it is done in every run.\n", printable(step))
		}
		return nil
	}
	return fmt.Errorf("the run %s has no step %s. See those that it has with\n\n    wfc runs show %s", r.Run, step, r.Run)
}
