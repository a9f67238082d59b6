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
	// Seq counts the events of the run that are kept, from 1. Others, such as progress
	// and the starts of steps, have the Seq of the last one before them: a follower that
	// comes back may miss them, or see them again.
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
		if live == nil || after < live.log.first {
			kept, err := h.told(ctx, string(record.Run))
			if err != nil {
				yield(RunEvent{}, kindly(err))
				return
			}
			for _, ev := range behind(kept, after) {
				if live != nil && ev.Seq > live.log.first {
					break // those that come are its own
				}
				if !yield(ev, nil) {
					return
				}
			}
		}
		if live == nil {
			return
		}
		for ev, err := range live.log.follow(ctx, max(after, live.log.first)) {
			if !yield(ev, err) {
				return
			}
		}
	}
}

// behind returns the events behind a place.
func behind(events []RunEvent, after int64) []RunEvent {
	if after <= 0 {
		return events
	}
	for i, ev := range events {
		if ev.Kept && ev.Seq == after {
			return events[i+1:]
		}
	}
	return nil
}

// told returns the events of a run that the journal has, as its watchers were told them.
func (h *Host) told(ctx context.Context, id string) ([]RunEvent, error) {
	var out []RunEvent
	teller := engine.Teller{Run: journal.RunID(id)}
	seq := int64(0)
	for ev, err := range h.store.History(ctx, journal.RunID(id)) {
		if err != nil {
			return nil, err
		}
		if told := teller.Told(ev); told != nil {
			kept := engine.IsKept(told)
			if kept {
				seq++
			}
			out = append(out, RunEvent{seq, told, kept})
		}
	}
	return out, nil
}

// lastOf returns the place of the last of events; 0: there is none.
func lastOf(events []RunEvent) int64 {
	if len(events) == 0 {
		return 0
	}
	return events[len(events)-1].Seq
}

// maxAside bounds the progress that waits for a slow follower; what is older is dropped.
const maxAside = 256

// eventLog has the events of a run that goes on, without progress and the like. They
// are dropped with it: the journal has what is kept.
type eventLog struct {
	first int64 // the place of the last event before these
	begun bool  // the run had begun before

	mu        sync.Mutex
	seq       int64
	events    []RunEvent
	followers map[*follower]struct{}
	ended     bool
}

// follower is somebody who follows a run.
type follower struct {
	wake  chan struct{} // holds one when there is something new
	aside []aside
}

// aside is an event that the log does not have, after so many of the log.
type aside struct {
	after int
	event RunEvent
}

func newEventLog(first int64, begun bool) *eventLog {
	return &eventLog{first: first, begun: begun, seq: first, followers: map[*follower]struct{}{}}
}

// add takes an event.
func (l *eventLog) add(ev engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept, passing := engine.IsKept(ev), false
	switch ev.(type) {
	// Of a run that is resumed these are told to who is there, and no part of its history.
	case engine.RunQueued:
		kept = l.first == 0
	case engine.RunStarted:
		kept = !l.begun
	case engine.StepProgress, engine.RunWarning:
		passing = true
	}
	if kept {
		l.seq++
	}
	if !passing {
		l.events = append(l.events, RunEvent{l.seq, ev, kept})
	}
	for f := range l.followers {
		if passing {
			if len(f.aside) == maxAside {
				f.aside = f.aside[1:]
			}
			f.aside = append(f.aside, aside{len(l.events), RunEvent{l.seq, ev, false}})
		}
		f.signal()
	}
}

// last is the place of the last event.
func (l *eventLog) last() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
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
		next := 0
		for after > l.first && next < len(l.events) && (l.events[next].Seq <= after && l.events[next].Kept || l.events[next].Seq < after) {
			next++
		}
		l.mu.Unlock()
		defer func() {
			l.mu.Lock()
			delete(l.followers, f)
			l.mu.Unlock()
		}()
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
			out = append(out, f.aside[0].event)
			f.aside = f.aside[1:]
		}
	}
	asides()
	for *next < len(l.events) {
		out = append(out, l.events[*next])
		*next++
		asides()
	}
	return out, l.ended
}
