package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

// performance shows a run while it goes on: to a person, or as JSON, one event a line.
type performance struct {
	std   streams
	where string // the flag by which further commands find the run; "": they need none
	json  bool
	view  *progress
	lines eventLines
	run   string // the one that began last and has not ended
	// record returns what is known of a run.
	record func(context.Context, string) (*journal.RunRecord, error)
}

// performing has something done with a project's service, such as a run. ctx ends
// with the first of the [interrupts].
func performing(ctx context.Context, std streams, proj *project.Project, asJSON bool,
	do func(context.Context, *service.Service, *performance) error) (err error) {
	p := newPerformance(std, projectFlag(proj), asJSON)
	svc, err := newService(proj, std, p.view)
	if err != nil {
		return failed(err)
	}
	defer closeAfter(svc, &err)
	p.record = svc.Record
	return p.perform(ctx, func(ctx context.Context) error { return do(ctx, svc, p) })
}

func newPerformance(std streams, where string, asJSON bool) *performance {
	view := newProgress(std.err)
	view.silent = asJSON
	return &performance{std: std, where: where, json: asJSON, view: view, lines: eventLines{w: std.out}}
}

// perform has something done that is shown. ctx ends with the first of the [interrupts].
func (p *performance) perform(ctx context.Context, do func(context.Context) error) error {
	defer p.view.close()
	defer surviveBrokenPipes()()
	ctx, stop := interruptible(ctx)
	defer stop()
	told := make(chan struct{})
	untold := context.AfterFunc(ctx, func() {
		defer close(told)
		if context.Cause(ctx) == errInterrupted {
			p.view.interrupted()
		}
	})
	defer func() {
		if !untold() {
			<-told
		}
	}()
	if err := do(ctx); err != nil {
		return failed(p.explained(err))
	}
	if p.lines.err != nil {
		return failed(fmt.Errorf("not all events could be written: %w", p.lines.err))
	}
	return nil
}

// explained says of the failure of a journal in the middle of a run how the run goes on.
func (p *performance) explained(err error) error {
	if e := (*journal.Error)(nil); p.run == "" || !errors.As(err, &e) || errors.Is(err, journal.ErrFenced) {
		return err
	}
	return fmt.Errorf("%w\n\nThe run goes on from there with\n\n    wfc runs resume %s%s", err, p.run, p.where)
}

// watch shows an event.
func (p *performance) watch(ev engine.Event) {
	switch ev := ev.(type) {
	case engine.RunQueued:
		p.run = ev.Run
	case engine.RunStarted:
		p.run = ev.Run
	case engine.RunFinished, engine.RunWaits:
		p.run = ""
	}
	if p.json {
		p.lines.watch(ev)
	} else {
		p.view.watch(ev)
	}
}

// ended shows what came of a run and returns what the command ends with; nil: the
// run is completed.
func (p *performance) ended(ctx context.Context, o *engine.Outcome) error {
	if p.view.block != nil && !p.json && o.Status != engine.StatusWaiting {
		// Beside a terminal nobody reads it in time, and `wfc runs show` has it.
		if r, err := p.record(context.WithoutCancel(ctx), o.Run); err == nil {
			fmt.Fprint(p.std.err, whatWasDone(r))
		}
	}
	switch o.Status {
	case engine.StatusCompleted:
		if p.json {
			return nil
		}
		if err := printRawJSON(p.std.out, value.AppendJSON(nil, o.Outputs)); err != nil {
			return failed(err)
		}
		if hasBlob(o.Outputs) {
			sayFiles(p.std.err, o)
		}
		return nil
	case engine.StatusCancelled:
		return &exit{code: exitInterrupted}
	case engine.StatusWaiting:
		if !p.json {
			r, err := p.record(context.WithoutCancel(ctx), o.Run)
			if err != nil {
				return failed(err)
			}
			tellDoubts(p.std.err, p.where, r)
			tellQuestions(p.std.err, p.where, r)
		}
		return &exit{code: exitWaiting}
	}
	return &exit{code: exitFailed}
}

// resume goes on with a run and shows it.
func (p *performance) resume(ctx context.Context, run journal.RunID, goOn func(context.Context, string, func(engine.Event)) (*engine.Outcome, error)) error {
	outcome, err := goOn(ctx, string(run), p.watch)
	if err != nil {
		return err
	}
	return p.ended(ctx, outcome)
}

// recordOf returns what the journal of the project has of a run. It creates no journal.
func recordOf(ctx context.Context, proj *project.Project, run string) (*journal.RunRecord, error) {
	store, err := journalOf(ctx, proj)
	if err != nil {
		return nil, failed(err)
	}
	defer store.Close()
	r, err := store.Run(ctx, run)
	return r, failed(err)
}

// eventLines prints events as JSON, one a line, each whole as it comes. After a
// failure it prints no more, since a line may be broken off; the run goes on, for
// it is journalled.
type eventLines struct {
	w   io.Writer
	b   bytes.Buffer
	err error // of the first write that failed
}

func (l *eventLines) watch(ev engine.Event) {
	if l.err != nil {
		return
	}
	l.b.Reset()
	l.b.Write(append(ev.AppendJSON(l.b.AvailableBuffer()), '\n'))
	_, l.err = l.w.Write(l.b.Bytes())
}
