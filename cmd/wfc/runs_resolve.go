package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

func newRunsResolve(std streams, g *globals) *cobra.Command {
	var as, output string
	var asJSON bool
	var lost lostSessions
	cmd := &cobra.Command{
		Use:   "resolve RUN STEP --as ok|error|retry",
		Short: "Say what became of a step in doubt, and go on with the run",
		Long: `Say what became of a step in doubt: a call whose process ended after the request
had left and before the answer came. Then the run goes on, unless another process
executes it.

  ok     it had its effect; --output is what the step gave
  error  it failed: the run goes on as after any other failure
  retry  it had no effect, or may have it twice: it is made again

STEP is a step's name, with the index or the key of an element: label, label[0],
'label["de"]'.`,
		Example: `  wfc runs resolve 06d3k7mx-x2f9 create --as ok --output '{"id": 5}'`,
		Args:    arguments(2, `name a run and a step; see "wfc runs show RUN"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := engine.Word{Step: args[1], As: journal.Resolution(as), By: userName()}
			switch w.As {
			case journal.ResolvedOK, journal.ResolvedError, journal.ResolvedRetry:
			case "":
				return usage("say what became of the step: --as ok, --as error or --as retry")
			default:
				return usage("--as %q: it must be ok, error or retry", as)
			}
			if cmd.Flags().Changed("output") {
				if w.As != journal.ResolvedOK {
					return usage("--output says what a step gave that had its effect: it belongs to --as ok")
				}
				v, _, _, err := jsonOf(std, "output", output)
				if err != nil {
					return err
				}
				w.Output = &v
			}
			if _, _, err := engine.ParseInstance(w.Step); err != nil {
				return usage("%w", err)
			}
			at, err := server(cmd)
			if err != nil {
				return err
			}
			if at != nil {
				if err := lost.atServer(); err != nil {
					return err
				}
				return at.resolve(cmd.Context(), std, args[0], w, lost.anew, asJSON)
			}
			return resolve(cmd.Context(), std, g, args[0], w, lost, asJSON)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "what became of it: `ok`, error or retry")
	cmd.Flags().StringVar(&output, "output", "", "what the step gave: `JSON`, or @FILE with it, or @- for standard input")
	eventsFlag(cmd, &asJSON)
	lost.flags(cmd)
	return cmd
}

func resolve(ctx context.Context, std streams, g *globals, run string, w engine.Word, lost lostSessions, asJSON bool) error {
	proj, err := g.load()
	if err != nil {
		return failed(err)
	}
	r, err := recordOf(ctx, proj, run)
	if err != nil {
		return err
	}
	return performing(ctx, std, proj, asJSON, func(ctx context.Context, svc *service.Service, p *performance) error {
		if err := svc.Resolve(ctx, string(r.Run), w); err != nil {
			return fmt.Errorf("%w%s", err, whatIsInDoubt(r))
		}
		p.say("The step %s is resolved: %s.", printable(w.Step), w.As)
		err := p.resume(ctx, r.Run, lost.resuming(svc))
		if owned := ownedElsewhere(err); owned != nil {
			p.say("The run %s goes on in %s.", r.Run, nameOfOwner(owned.Owner))
			return nil
		}
		return err
	})
}

// whatIsInDoubt names the steps of a run that can be resolved.
func whatIsInDoubt(r *journal.RunRecord) string {
	doubts := doubtsOf(r)
	if len(doubts) == 0 {
		return "\nNo step of this run is in doubt."
	}
	var names []string
	for i, s := range doubts {
		if i == mostDoubts {
			names = append(names, "…")
			break
		}
		names = append(names, printable(nameOfStep(s)))
	}
	return "\nIn doubt: " + strings.Join(names, ", ") + "."
}

// ownedElsewhere is the error that says that another process executes the run; nil:
// err is no such one. Who that is stands in it, and not in the record of the run,
// which may have ended since.
func ownedElsewhere(err error) *journal.Error {
	var e *journal.Error
	if errors.As(err, &e) && e.Reason == journal.ErrOwned {
		return e
	}
	return nil
}

// nameOfOwner names the process that executes a run, for a sentence; o is nil where it
// is not known.
func nameOfOwner(o *journal.Owner) string {
	if o == nil {
		return "another process"
	}
	return o.String()
}
