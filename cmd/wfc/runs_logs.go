package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

func newRunsLogs(std streams, g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "logs RUN",
		Short: "Show what happened in a run, event by event",
		Long: `Show what happened in a run, event by event, as its journal has it: also of a run
that goes on, waits, or whose process died.`,
		Example: "  wfc runs logs 06d3k7mx-x2f9",
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
			out := bufio.NewWriter(std.out)
			write := writeLog
			if asJSON {
				write = writeLogJSON
			}
			if err := write(out, store.History(cmd.Context(), r.Run)); err != nil {
				return failed(err)
			}
			return failed(out.Flush())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func writeLogJSON(out io.Writer, events iter.Seq2[journal.Event, error]) error {
	to := json.NewEncoder(out)
	to.SetEscapeHTML(false)
	for ev, err := range events {
		if err == nil {
			err = to.Encode(ev)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeLog(out io.Writer, events iter.Seq2[journal.Event, error]) error {
	for ev, err := range events {
		if err != nil {
			return err
		}
		at := ev.Time.Local().Format("2006-01-02 15:04:05.000")
		what := happened(ev)
		if ev.Node != "" {
			what = nameOfEvent(ev) + "  " + what
		}
		fmt.Fprintf(out, "%s  %s\n", at, indentAfter(printable(what), "    "))
	}
	return nil
}

// nameOfEvent is the step of an event as people and commands name it.
func nameOfEvent(ev journal.Event) string {
	parts, err := journal.Parts(ev.Instance)
	if err != nil {
		return ev.Node + "[" + ev.Instance + "]"
	}
	steps := strings.Split(ev.Node, "/")
	for i := range steps {
		if i < len(parts) {
			steps[i] = parts[i].Name(steps[i])
		}
	}
	return strings.Join(steps, "/")
}

// happened says what an event says.
func happened(ev journal.Event) string {
	switch p := ev.Data.(type) {
	case journal.RunCreated:
		text := "run of " + p.Workflow
		if p.Deployment != "" {
			text += " (" + p.Deployment + ")"
		}
		return text
	case journal.RunAdopted:
		return "goes on in " + p.Owner.String()
	case journal.RunQueued:
		return "waits until other runs have ended"
	case journal.RunBegun:
		return "its turn has come"
	case journal.RunWaiting:
		return "waits for a person"
	case journal.RunSettled:
		return "all steps have ended: " + p.Outcome + because(p.Error)
	case journal.DeadlinePassed:
		return p.Message
	case journal.NodeStarted:
		switch {
		case ev.Attempt > 1:
			return fmt.Sprintf("starts, attempt %d", ev.Attempt)
		case ev.Attempt == 0:
			return "starts, element by element"
		}
		return "starts"
	case journal.NodeCompleted:
		return "ok"
	case journal.NodeSkipped:
		return "skipped"
	case journal.NodeFailed:
		text := "failed, " + p.Kind + ": " + hiddenIf(ev, p.Message)
		if p.InDoubt {
			text = engine.AddSentence(text, "Whether it took effect is not known.")
		}
		if !p.RetryAt.IsZero() {
			text = engine.AddSentence(text, "The next attempt is at "+p.RetryAt.Local().Format("15:04:05.000")+".")
		}
		return text
	case journal.NodeWaiting:
		if p.For == journal.WaitInDoubt {
			return "is in doubt: its process ended after the request had left and before an answer came"
		}
		if p.For == journal.WaitQuestion {
			return "asks"
		}
		return "waits until " + p.Due.Local().Format("15:04:05.000")
	case journal.NodeAnswered:
		if p.Declined {
			return "is declined" + by(p.By)
		}
		return "is answered" + by(p.By)
	case journal.NodeResolved:
		return "is resolved as " + string(p.As) + by(p.By)
	case journal.NodeReset:
		return "is to be done again: a session is lost that it, or what it comes after, used"
	case journal.SessionOpened:
		return fmt.Sprintf("session %d with %s is open", p.Generation, p.Connection)
	case journal.SessionLost:
		text := fmt.Sprintf("session %d with %s is lost", p.Generation, p.Connection)
		if p.Reason != "" {
			text += ": " + p.Reason
		}
		return text
	case journal.CancelRequested:
		return "is to be cancelled" + by(p.By)
	case journal.RunFinished:
		return "run is " + string(p.Status) + because(p.Error)
	}
	return string(ev.Kind())
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return " (" + who + ")"
}

func because(f *journal.Failure) string {
	if f == nil {
		return ""
	}
	return ": " + f.Message
}

// hiddenIf is a message of an event, unless it is encrypted.
func hiddenIf(ev journal.Event, message string) string {
	if ev.Sensitive && message == "" {
		return "(sensitive)"
	}
	return message
}
