package pool

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
)

// rate lets through so many requests in any stretch of time of a given length,
// those that wait in the order in which they came. Its window slides: it never
// lets through more, and delays none longer than that.
type rate struct {
	// turn is held by the one that is let through next. Go gives it to those that
	// wait for it in their order.
	turn chan struct{}

	mu    sync.Mutex
	limit connection.RateLimit
	past  []time.Time // the latest requests, limit.Requests at most, oldest first
}

func newRate() *rate { return &rate{turn: make(chan struct{}, 1)} }

// set replaces the limit; what was let through before still counts.
func (r *rate) set(limit connection.RateLimit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit = limit
	r.past = r.past[max(0, len(r.past)-limit.Requests):]
}

// wait returns when a request may leave, which it then counts, or with ctx's cause.
func (r *rate) wait(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return r.gaveUp(ctx)
	}
	defer func() { <-r.turn }()
	for {
		d := r.take(time.Now())
		if d <= 0 {
			return nil
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return r.gaveUp(ctx)
		}
	}
}

// take counts a request at now if it may leave, and returns how long it must wait otherwise.
func (r *rate) take(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limit.Requests <= 0 {
		return 0
	}
	if len(r.past) >= r.limit.Requests {
		if d := r.past[0].Add(r.limit.Per).Sub(now); d > 0 {
			return d
		}
		r.past = append(r.past[:0], r.past[1:]...)
	}
	r.past = append(r.past, now)
	return 0
}

func (r *rate) gaveUp(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Errorf("it waited for its turn under rate_limit (%d requests per %s): %w", r.limit.Requests, r.limit.Per, context.Cause(ctx))
}
