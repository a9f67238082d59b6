package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Word is somebody's word on what the effect of a step in doubt came to.
type Word struct {
	Step   string // as [Instance.String] writes it: label, label["de"], poll#2, deploy/build
	As     journal.Resolution
	Output *value.Value // of ok: what the step gave; nil: null
	By     string       // who says so; "" is unknown
}

// Resolve takes a word on a step in doubt. A run without an owner goes on with it
// when it is resumed; to the owner of another one the word is sent. prog is that of
// the run's plan. The error is in full sentences: there is no such step, it is not
// in doubt, or the output is not of its type; then nothing changed.
func Resolve(ctx context.Context, store *journal.Store, prog *Program, run journal.RunID, w Word) (err error) {
	path, instance, err := ParseInstance(w.Step)
	if err != nil {
		return fmt.Errorf("%q names no step: %w", w.Step, err)
	}
	log, err := store.Adopt(ctx, run)
	owned := errors.Is(err, journal.ErrOwned)
	if err != nil && !owned {
		return err
	}
	if !owned {
		defer func() { err = errors.Join(err, log.Close()) }()
	}
	core, err := Restore(prog, CoreOptions{Secret: secretReference}, run, store.Standing(ctx, run))
	if err != nil {
		return err
	}
	var doubts []Command
	if !owned {
		doubts = core.Doubt(time.Now())
	}
	at, err := core.Find(path, instance)
	if err != nil {
		return sentence("The step %s of the run %s cannot be resolved: %v.", w.Step, run, err)
	}
	if _, err := core.Resolve(NodeResolved{At: at, As: w.As, Output: w.Output, By: w.By, Time: time.Now()}); err != nil {
		return err
	}
	if owned {
		data := journal.NodeResolved{As: w.As, By: w.By}
		if w.Output != nil {
			data.Output = value.AppendStored(nil, *w.Output)
		}
		_, err = store.Send(ctx, run, journal.Event{Node: path, Instance: instance, Data: data})
		return err
	}
	// What follows is for whoever resumes the run.
	var events []journal.Event
	for _, c := range doubts {
		if r, ok := c.(Record); ok {
			events = append(events, core.encode(r.Fact, ""))
		}
	}
	word := NodeResolved{At: at, As: w.As, Output: w.Output, By: w.By}
	events = append(events, core.encode(word, ""), journal.Event{Data: journal.RunWaiting{}})
	return log.Commit(ctx, events...)
}
