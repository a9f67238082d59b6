package service

import (
	"context"
	"fmt"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// Past returns what a new run of a workflow may keep of an earlier one, which is
// named by its id or a part of it and must have ended.
func (s *Service) Past(ctx context.Context, run, workflow string) (*engine.Past, error) {
	store, err := s.journal()
	if err != nil {
		return nil, err
	}
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	switch {
	case record.Workflow != workflow:
		return nil, fmt.Errorf("the run %s is one of the workflow %s, whose results %s cannot keep", record.Run, record.Workflow, workflow)
	case record.FinishedAt == nil:
		return nil, fmt.Errorf("the run %s has not ended: it is %s; resume or cancel it first, so that it is known what was done", record.Run, record.Status)
	}
	return engine.LoadPast(ctx, store, record.Run)
}

// Why says of each step of a run that a name means why it kept the result of the
// run that this one reuses, or was done (see [engine.Past.Why]). base is that run;
// "": it reuses none, and there are no reasons.
func Why(ctx context.Context, store *journal.Store, run, step string) (reasons []engine.Reason, base journal.RunID, err error) {
	record, err := store.Run(ctx, run)
	if err != nil || record.Reuses == "" {
		return nil, "", err
	}
	past, err := engine.LoadPast(ctx, store, record.Run)
	if err != nil {
		return nil, record.Reuses, err
	}
	before, err := engine.LoadPast(ctx, store, record.Reuses)
	if err != nil {
		return nil, record.Reuses, err
	}
	reasons, err = past.Why(before, step)
	return reasons, record.Reuses, err
}
