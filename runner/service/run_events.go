package service

import (
	"context"
	"iter"
	"sync"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// RunEvent is an event of a run with its place: what a follower that comes back says
// to go on behind it.
type RunEvent struct {
	// Seq counts the events of the run that are kept, from 1. Progress, warnings and the
	// like are told while they happen and not kept: they have the Seq of the last event
	// before them.
	Seq   int64
	Event engine.Event
	Kept  bool
}

// Follow iterates over the events of a run behind the place after (0: from its
// beginning), until it has ended, waits for somebody, or goes on in another process.
// Of one that goes on here, events come as they happen, progress included. It ends
// with an error where there is no such run, ctx is done, or the journal cannot be read.
func (h *Host) Follow(ctx context.Context, id string, after int64) iter.Seq2[RunEvent, error] {
	return func(yield func(RunEvent, error) bool) {
		record, err := h.store.Run(ctx, id)
		if err != nil {
			yield(RunEvent{}, kindly(err))
			return
		}
		live := h.runs.get(string(record.Run))
		first := int64(0)
		if live != nil {
			first = live.log.first
		}
		if live == nil || after < first {
			kept, err := h.told(ctx, string(record.Run))
			if err != nil {
				yield(RunEvent{}, kindly(err))
				return
			}
			if live != nil {
				kept = kept[:min(int(first), len(kept))]
			}
			for i, ev := range kept {
				if seq := int64(i + 1); seq > after && !yield(RunEvent{seq, ev, true}, nil) {
					return
				}
			}
			after = max(after, first)
		}
		if live == nil {
			return
		}
		for ev, err := range live.log.follow(ctx, after) {
			if !yield(ev, err) {
				return
			}
		}
	}
}

// told returns the events of a run that are kept, as its watchers were told them.
func (h *Host) told(ctx context.Context, id string) ([]engine.Event, error) {
	var out []engine.Event
	for ev, err := range h.store.History(ctx, journal.RunID(id)) {
		if err != nil {
			return nil, err
		}
		if told := engine.Told(journal.RunID(id), ev); told != nil {
			out = append(out, told)
		}
	}
	return out, nil
}

// maxAside bounds the events that are not kept and wait for a slow follower; older
// ones are dropped.
const maxAside = 256

// eventLog has the events of a run that goes on. They are dropped with it: the journal
// has what is kept.
type eventLog struct {
	first int64 // events that were kept before the first of these

	mu        sync.Mutex
	kept      []engine.Event
	followers map[*follower]struct{}
	ended     bool
}

// follower is somebody who follows a run.
type follower struct {
	wake  chan struct{} // holds one when there is something new
	aside []aside
}

// aside is an event that is not kept, after so many of the log.
type aside struct {
	after int
	event engine.Event
}

func newEventLog(first int64) *eventLog {
	return &eventLog{first: first, followers: map[*follower]struct{}{}}
}

// add takes an event.
func (l *eventLog) add(ev engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := engine.IsKept(ev)
	if kept {
		l.kept = append(l.kept, ev)
	}
	for f := range l.followers {
		if !kept {
			if len(f.aside) == maxAside {
				f.aside = f.aside[1:]
			}
			f.aside = append(f.aside, aside{len(l.kept), ev})
		}
		f.signal()
	}
}

// end says that nothing follows.
func (l *eventLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for f := range l.followers {
		f.signal()
	}
}

func (f *follower) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// follow iterates over the events behind the place after.
func (l *eventLog) follow(ctx context.Context, after int64) iter.Seq2[RunEvent, error] {
	return func(yield func(RunEvent, error) bool) {
		f := &follower{wake: make(chan struct{}, 1)}
		l.mu.Lock()
		l.followers[f] = struct{}{}
		l.mu.Unlock()
		defer func() {
			l.mu.Lock()
			delete(l.followers, f)
			l.mu.Unlock()
		}()
		next := int(max(after-l.first, 0))
		for {
			events, ended := l.take(f, &next)
			for _, ev := range events {
				if !yield(ev, nil) {
					return
				}
			}
			if ended {
				return
			}
			select {
			case <-f.wake:
			case <-ctx.Done():
				yield(RunEvent{}, ctx.Err())
				return
			}
		}
	}
}

// take returns what a follower has not seen, in order.
func (l *eventLog) take(f *follower, next *int) (out []RunEvent, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asides := func() {
		for len(f.aside) > 0 && f.aside[0].after <= *next {
			out = append(out, RunEvent{l.first + int64(*next), f.aside[0].event, false})
			f.aside = f.aside[1:]
		}
	}
	asides()
	for *next < len(l.kept) {
		ev := l.kept[*next]
		*next++
		out = append(out, RunEvent{l.first + int64(*next), ev, true})
		asides()
	}
	return out, l.ended
}
