package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

func newRunsExport(std streams, g *globals) *cobra.Command {
	var o journal.ExportOptions
	cmd := &cobra.Command{
		Use:   "export RUN [DIR]",
		Short: "Write a run into a folder: its plan, history, outputs and files",
		Long: `Write a run into the folder DIR, which must not be there (default: RUN's id):
run.json, plan.json, events.ndjson, outputs.json or error.json, and below blobs the
binary content that they name, as files.`,
		Example: "  wfc runs export 06d3k7mx-x2f9 ./evidence",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return usage("name a run, and maybe a folder\n\nUsage: %s", cmd.UseLine())
		},
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
			dir := string(r.Run)
			if len(args) == 2 {
				dir = args[1]
			}
			if err := store.Export(cmd.Context(), r.Run, filepath.Clean(dir), o); err != nil {
				return failed(err)
			}
			fmt.Fprintf(std.err, "The run %s is in %s\n", r.Run, dir)
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.Sensitive, "sensitive", false, "write what is encrypted in the clear, too")
	return cmd
}

func newRunsPrune(std streams, g *globals) *cobra.Command {
	var older string
	var p journal.Prune
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove finished runs",
		Long: `Remove finished runs with their results and files. Runs that go on, wait or were
interrupted stay, and so does the last completed run of each workflow and
deployment, which the next one may refer to.`,
		Example: "  wfc runs prune --older-than 30d --dry-run",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if older == "" && !cmd.Flags().Changed("newest") {
				return usage("say what may go: --older-than 30d, --newest 100, or both; --dry-run removes nothing")
			}
			if older != "" {
				if p.OlderThan, err = syntax.ParseDuration(older); err != nil {
					return usage("--older-than %q: %w", older, err)
				}
			}
			if p.Newest < 0 {
				return usage("--newest %d: it must be at least 0", p.Newest)
			}
			proj, err := g.load()
			if err != nil {
				return failed(err)
			}
			there, err := journalOf(cmd.Context(), proj)
			if err != nil {
				return failed(err)
			}
			if err := there.Close(); err != nil {
				return failed(err)
			}
			store, err := service.OpenJournal(cmd.Context(), proj)
			if err != nil {
				return failed(err)
			}
			defer store.Close()
			gone, err := store.Prune(cmd.Context(), p)
			if err != nil {
				return failed(err)
			}
			for _, id := range gone.Runs {
				fmt.Fprintln(std.out, id)
			}
			if p.DryRun {
				fmt.Fprintf(std.err, "%s would be removed.\n", count(len(gone.Runs), "run"))
				return nil
			}
			fmt.Fprintf(std.err, "Removed: %s, %s of %s.\n", count(len(gone.Runs), "run"), count(gone.Blobs, "file"), count(int(gone.Bytes), "byte"))
			return nil
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "", "those that ended longer ago than this `DURATION`, such as 30d")
	cmd.Flags().IntVar(&p.Newest, "newest", 0, "keep the newest `N` runs whatever their age")
	cmd.Flags().BoolVar(&p.DryRun, "dry-run", false, "say which runs would be removed, and remove nothing")
	return cmd
}
