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
	return int64(len(kept)), kindly(err)
}

// last is the place of the last event.
func (l *eventLog) last() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first + int64(len(l.kept))
}
