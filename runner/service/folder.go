package service

import (
	"context"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// inFolder makes the folder of a run that has ended. The run is as it is where
// that fails, so this is no failure of it.
func inFolder(ctx context.Context, store *journal.Store, outcome *engine.Outcome, err error) (*engine.Outcome, error) {
	if err == nil && outcome.Status != engine.StatusWaiting && outcome.Status != engine.StatusInterrupted {
		// A run that was cancelled has a folder, too.
		outcome.Folder, outcome.FolderErr = store.Folder(context.WithoutCancel(ctx), journal.RunID(outcome.Run))
	}
	return outcome, err
}
