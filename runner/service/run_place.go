package service

import "context"

// Place returns the place of the last event of a run that is kept, behind which
// [Host.Follow] has those to come; 0: there is none yet.
func (h *Host) Place(ctx context.Context, id string) (int64, error) {
	record, err := h.store.Run(ctx, id)
	if err != nil {
		return 0, kindly(err)
	}
	if live := h.runs.get(string(record.Run)); live != nil {
		return live.log.last(), nil
	}
	kept, err := h.told(ctx, string(record.Run))
	return lastOf(kept), kindly(err)
}
