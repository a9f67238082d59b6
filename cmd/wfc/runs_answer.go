package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

func newRunsAnswer(std streams, g *globals) *cobra.Command {
	var r engine.Reply
	var data string
	var asJSON bool
	var lost lostSessions
	cmd := &cobra.Command{
		Use:   "answer RUN STEP (--data JSON | --decline)",
		Short: "Answer what a run asks, and go on with it",
		Long: `Answer what a run asks, or decline. Then the run goes on: in the process that
executes it, or, where there is none, here. The first answer counts; whoever comes
later is told who gave it. "wfc runs show RUN" has what is asked.

--data '{}' approves where nothing but consent is asked for, as a policy does. STEP is a step's
name, with the index or the key of an element: confirm, confirm[0], 'confirm["de"]'.`,
		Example: `  wfc runs answer 06d3k7mx-x2f9 confirm --data '{"ok": true}'`,
		Args:    arguments(2, `name a run and a step; see "wfc runs show RUN"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Step = args[1]
			switch given := cmd.Flags().Changed("data"); {
			case given && r.Decline:
				return usage("--data answers and --decline does not: write one of them")
			case !given && !r.Decline:
				return usage("say what the answer is: --data JSON, or --decline")
			case given:
				v, _, _, err := jsonOf(std, "data", data)
				if err != nil {
					return err
				}
				r.Data = &v
			}
			if !cmd.Flags().Changed("as") {
				r.By = userName()
			} else if strings.TrimSpace(r.By) == "" {
				return usage("--as: write the name of who answers")
			}
			if _, _, err := engine.ParseInstance(r.Step); err != nil {
				return usage("%w", err)
			}
			at, err := server(cmd)
			if err != nil {
				return err
			}
			if at != nil {
				if !cmd.Flags().Changed("as") {
					r.By = "" // the server knows whose token it is
				}
				return at.answer(cmd.Context(), std, args[0], r, asJSON)
			}
			return answer(cmd.Context(), std, g, args[0], r, lost, asJSON)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "the answer: `JSON`, or @FILE with it, or @- for standard input")
	cmd.Flags().BoolVar(&r.Decline, "decline", false, "decline: the step fails, kind declined")
	cmd.Flags().StringVar(&r.By, "as", "", "the `NAME` of who answers; without it the user's")
	eventsFlag(cmd, &asJSON)
	lost.flags(cmd)
	return cmd
}

func answer(ctx context.Context, std streams, g *globals, run string, reply engine.Reply, lost lostSessions, asJSON bool) error {
	proj, err := g.load()
	if err != nil {
		return failed(err)
	}
	r, err := recordOf(ctx, proj, run)
	if err != nil {
		return err
	}
	return performing(ctx, std, proj, asJSON, func(ctx context.Context, svc *service.Service, p *performance) error {
		owner, err := svc.Answer(ctx, string(r.Run), reply)
		if errors.Is(err, journal.ErrNoWait) || errors.Is(err, engine.ErrNoQuestion) {
			return fmt.Errorf("%w%s", err, whatIsAsked(r))
		}
		if err != nil {
			return err
		}
		what := "answered"
		if reply.Decline {
			what = "declined"
		}
		p.say("The question of the step %s is %s.", printable(reply.Step), what)
		if owner == nil {
			err = p.resume(ctx, r.Run, lost.resuming(svc))
			owned := ownedElsewhere(err)
			if owned == nil {
				return err
			}
			owner = owned.Owner
		}
		p.say("The run %s goes on in %s.", r.Run, nameOfOwner(owner))
		return nil
	})
}

// whatIsAsked names the steps of a run that ask something.
func whatIsAsked(r *journal.RunRecord) string {
	if len(r.Questions) == 0 {
		return "\nNo step of this run asks anything."
	}
	var names []string
	for _, q := range r.Questions {
		if isOver(q) {
			continue
		}
		if len(names) == mostDoubts {
			names = append(names, "…")
			break
		}
		names = append(names, printable(q.Name))
	}
	if len(names) == 0 {
		return fmt.Sprintf("\nThe run goes on without an answer:\n\n    wfc runs resume %s", r.Run)
	}
	return "\nThese steps ask: " + strings.Join(names, ", ") + "."
}

// isOver reports whether the deadline of a question has passed: whoever resumes the run
// goes on with that.
func isOver(q journal.Question) bool { return q.Deadline != nil && !time.Now().Before(*q.Deadline) }

// mostQuestions is for how many questions the commands are written out.
const mostQuestions = 5

// tellQuestions says what a run asks, and how to answer. where is the flag by which a
// command finds the run; "": it needs none.
func tellQuestions(w io.Writer, where string, r *journal.RunRecord) {
	if len(r.Questions) == 0 {
		return
	}
	fmt.Fprintf(w, "\nThe run waits for %s:\n", count(len(r.Questions), "answer"))
	for i, q := range r.Questions {
		if i == mostQuestions {
			fmt.Fprintf(w, "\n  … and %d more\n", len(r.Questions)-i)
			break
		}
		fmt.Fprintf(w, "\n  ? %s  %s\n", printable(q.Name), indentAfter(printable(q.Message), "    "))
		for _, line := range toApprove(q.Approval) {
			fmt.Fprintf(w, "      %s\n", printable(line))
		}
		if len(q.Approvers) > 0 {
			fmt.Fprintf(w, "    for %s to answer\n", printable(strings.Join(q.Approvers, ", ")))
		}
		if isOver(q) {
			fmt.Fprintf(w, "    until %s, which has passed. The run goes on with that:\n\n    wfc runs resume %s%s\n", stamp(*q.Deadline), r.Run, where)
			continue
		}
		if q.Deadline != nil {
			fmt.Fprintf(w, "    until %s\n", stamp(*q.Deadline))
		}
		data := "JSON"
		if q.Answer == "object({})" {
			data = "'{}'"
		} else {
			fmt.Fprintf(w, "    JSON is of the type %s\n", printable(q.Answer))
		}
		if len(q.Choices) > 0 {
			fmt.Fprintf(w, "    to choose from: %s\n", printable(oneLine(q.Choices)))
		}
		command := fmt.Sprintf("wfc runs answer %s %s%s", r.Run, quoted(q.Name), where)
		as := ""
		if len(q.Approvers) > 0 {
			as = " --as NAME"
		}
		fmt.Fprintf(w, "\n    %s --data %s%s\n    %s --decline%s\n", command, data, as, command, as)
	}
}
