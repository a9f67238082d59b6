package service

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// Cancel asks for the end of a run: its calls are cancelled, what it did is undone,
// and its finally blocks run. It returns once the wish is durable. by says who asks.
func (h *Host) Cancel(ctx context.Context, id, by string) (*Run, error) {
	owner, err := h.service.Cancel(ctx, id, by)
	if err != nil {
		return nil, kindly(err)
	}
	if owner == nil {
		return h.goOnWith(ctx, id, ResumeRun{})
	}
	return h.Run(ctx, id)
}

// ResumeRun says how a run is resumed.
type ResumeRun struct {
	// NewSessions lets it go on with new sessions in place of those private to it that
	// died with their process.
	NewSessions bool
	Wait        bool // until it has ended, or waits for somebody
}

// Resume goes on with a run that waits or was interrupted. One that goes on, here or
// elsewhere, is a [Conflict].
func (h *Host) Resume(ctx context.Context, id string, o ResumeRun) (*Run, error) {
	record, err := h.parked(ctx, id)
	if err != nil {
		return nil, kindly(err)
	}
	r, err := h.runs.resume(record, o.NewSessions)
	if err != nil {
		return nil, err
	}
	if err := r.resumed(ctx); err != nil {
		err = kindly(err)
		if e := (*Error)(nil); errors.As(err, &e) && e.Kind == Conflict && e.Run == "" {
			e.Run = string(record.Run)
		}
		return nil, err
	}
	return h.after(ctx, string(record.Run), o.Wait)
}

// parked returns the record of a run that is to be resumed. One that has just been
// given up here is still on its way out of the table.
func (h *Host) parked(ctx context.Context, id string) (*journal.RunRecord, error) {
	record, err := h.store.Run(ctx, id)
	if err != nil || record.Owner != nil || record.FinishedAt != nil {
		return record, err
	}
	return record, h.runs.await(ctx, string(record.Run))
}

// Resolve takes a word on a step of a run that is in doubt, and goes on with the run, as
// o says, unless another process has it.
func (h *Host) Resolve(ctx context.Context, id string, word engine.Word, o ResumeRun) (*Run, error) {
	if err := h.service.Resolve(ctx, id, word); err != nil {
		var below *journal.Error
		if !errors.As(err, &below) && ctx.Err() == nil {
			err = &Error{Kind: Conflict, Message: sentence(err), Cause: err}
		}
		return nil, kindly(err)
	}
	return h.goOnWith(ctx, id, o)
}

// Answer takes a reply to a question of a run, and goes on with the run unless another
// process has it. Of two replies one counts: the other is a [Conflict] that says who was
// faster. One of somebody who is not asked is [Refused], and the question waits on.
func (h *Host) Answer(ctx context.Context, id string, r engine.Reply) (*Run, error) {
	owner, err := h.service.Answer(ctx, id, r)
	if err != nil {
		return nil, kindly(err)
	}
	if owner != nil {
		return h.Run(ctx, id)
	}
	return h.goOnWith(ctx, id, ResumeRun{})
}

// goOnWith resumes a run that was told something, unless somebody has it, who was told too.
func (h *Host) goOnWith(ctx context.Context, id string, o ResumeRun) (*Run, error) {
	r, err := h.Resume(ctx, id, o)
	if e := (*Error)(nil); errors.As(err, &e) && e.Kind == Conflict {
		return h.Run(ctx, id)
	}
	return r, err
}

// goOn resumes the runs of an earlier host that were going on when it ended, and sees
// to it that the deadlines of those that wait are kept.
func (h *Host) goOn(ctx context.Context) error {
	runs, err := h.store.Runs(ctx, journal.Filter{Statuses: []journal.Status{journal.Interrupted, journal.Waiting}})
	if err != nil {
		return err
	}
	for _, r := range slices.Backward(runs) { // the oldest first
		record, err := h.store.Run(ctx, string(r.Run))
		if err != nil {
			return err
		}
		if !strings.HasPrefix(record.Key, "server/") {
			continue // it is another process's, and whoever started that decides
		}
		if record.Status == journal.Waiting {
			h.runs.remind(string(r.Run), record.Questions)
			continue
		}
		if _, err := h.runs.resume(record, false); err != nil {
			return err
		}
		h.log.Info("run resumed", "run", r.Run, "workflow", r.Workflow, "deployment", r.Deployment)
	}
	return nil
}
