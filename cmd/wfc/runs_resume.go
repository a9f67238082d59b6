package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/service"
)

func newRunsResume(std streams, g *globals) *cobra.Command {
	var asJSON bool
	var lost lostSessions
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run whose process died, or that waits",
		Long: `Go on with a run whose process died, or that waits. What was completed is not done
again; a call that had left and has no answer is made again if it may be repeated,
and else is in doubt. The plan is that of the run: the project's files are not read.
A run that a living process executes cannot be resumed.`,
		Example: "  wfc runs resume 06d3k7mx-x2f9",
		Args:    arguments(1, `name a run; see "wfc runs list"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := server(cmd)
			if err != nil {
				return err
			}
			if at != nil {
				if err := lost.atServer(); err != nil {
					return err
				}
				return at.resume(cmd.Context(), std, args[0], lost.anew, asJSON)
			}
			proj, err := g.load()
			if err != nil {
				return failed(err)
			}
			r, err := recordOf(cmd.Context(), proj, args[0])
			if err != nil {
				return err
			}
			return performing(cmd.Context(), std, proj, asJSON, func(ctx context.Context, svc *service.Service, p *performance) error {
				return p.resume(ctx, r.Run, lost.resuming(svc))
			})
		},
	}
	eventsFlag(cmd, &asJSON)
	lost.flags(cmd)
	return cmd
}

// lostSessions is what becomes of steps whose sessions, private to the run, ended with
// its process; without either they fail.
type lostSessions struct {
	anew      bool // they go on with new ones
	startOver bool // the steps that used the old ones are done again
}

func (l *lostSessions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&l.anew, "new-sessions", false, "go on with new sessions where those private to the run ended with its process")
	cmd.Flags().BoolVar(&l.startOver, "start-over", false, "do the steps again that used sessions private to the run, and those after them, if all may be repeated")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if l.anew && l.startOver {
			return usage("--new-sessions and --start-over are two ways to go on: write one of them")
		}
		return nil
	}
}

// atServer refuses what a server cannot be asked for.
func (l *lostSessions) atServer() error {
	if l.startOver {
		return usage("--start-over is for runs of a project, not of a server")
	}
	return nil
}

// resuming is how a run is gone on with.
func (l *lostSessions) resuming(svc *service.Service) func(context.Context, string, func(engine.Event)) (*engine.Outcome, error) {
	switch {
	case l.anew:
		return svc.ResumeAnew
	case l.startOver:
		return svc.StartOver
	}
	return svc.Resume
}

func newRunsCancel(std streams, g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "End a run: undo what it did and run its finally blocks",
		Long: `End a run. The process that executes it is asked to: it cancels the calls that are
under way, undoes what was done, and runs the finally blocks. Where no process
executes it, this one does the same.`,
		Example: "  wfc runs cancel 06d3k7mx-x2f9",
		Args:    arguments(1, `name a run; see "wfc runs list"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := server(cmd)
			if err != nil {
				return err
			}
			if at != nil {
				return at.cancel(cmd.Context(), std, args[0], asJSON)
			}
			proj, err := g.load()
			if err != nil {
				return failed(err)
			}
			r, err := recordOf(cmd.Context(), proj, args[0])
			if err != nil {
				return err
			}
			return performing(cmd.Context(), std, proj, asJSON, func(ctx context.Context, svc *service.Service, p *performance) error {
				owner, err := svc.Cancel(ctx, string(r.Run), userName())
				if err != nil {
					return err
				}
				if owner != nil {
					p.say("The run %s is executed by %s, which was asked to end it.", r.Run, owner)
					return nil
				}
				return cancelled(ctx, p.resume(ctx, r.Run, svc.Resume))
			})
		},
	}
	eventsFlag(cmd, &asJSON)
	return cmd
}

// cancelled is what a command that is to cancel a run ends with: the run being
// cancelled is what was wanted, unless the command was interrupted itself.
func cancelled(ctx context.Context, err error) error {
	if e, ok := err.(*exit); ok && e.code == exitInterrupted && ctx.Err() == nil {
		return nil
	}
	return err
}

// eventsFlag is --json of a command that goes on with a run.
func eventsFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print events, one JSON object a line")
}

// say tells a person something that is no event of a run.
func (p *performance) say(format string, args ...any) {
	if !p.json {
		fmt.Fprintf(p.std.err, format+"\n", args...)
	}
}
