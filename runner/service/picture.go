package service

import (
	"context"
	"fmt"
	"time"

	"github.com/lda-wf/wfc/compiler/graph"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runner/journal"
)

// Picture returns the picture of a run, by its id or a part of it: of its plan, with
// what became of each step so far.
func Picture(ctx context.Context, store *journal.Store, run string) (*graph.Graph, error) {
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	p, err := planOf(ctx, store, record)
	if err != nil {
		return nil, err
	}
	g := graph.Of(p)
	g.With(seen(record))
	return g, nil
}

// planOf returns the plan of a run.
func planOf(ctx context.Context, store *journal.Store, record *journal.RunRecord) (*plan.Plan, error) {
	src, err := store.Plan(ctx, record.PlanDigest)
	if err != nil {
		return nil, err
	}
	p, err := plan.Decode(src)
	if err != nil {
		return nil, fmt.Errorf("the plan of the run %s cannot be read: %w", record.Run, err)
	}
	return p, nil
}

// seen says what became of the steps of a run.
func seen(record *journal.RunRecord) *graph.Run {
	out := &graph.Run{
		ID: string(record.Run), Status: string(record.Status), StartedAt: record.StartedAt, FinishedAt: record.FinishedAt,
		Steps: map[string]graph.Seen{},
	}
	if record.Error != nil {
		out.Error = record.Error.Kind + ": " + record.Error.Message
	}
	steps := map[string]*sight{}
	for i := range record.Steps {
		s := &record.Steps[i]
		at := steps[s.Step]
		if at == nil {
			at = &sight{}
			steps[s.Step] = at
		}
		at.add(s)
	}
	for id, s := range steps {
		out.Steps[id] = s.seen(record.StartedAt)
	}
	return out
}

// sight is all that a record has of one step: of itself, wherever its workflow was
// run, its elements, rounds and undo blocks.
type sight struct {
	wholes, elements map[string]int // how many there are by state
	whole            int
	first, last      time.Time
	open             bool // something of it has not ended
	attempts, rounds int
	undone           int
	reused, done     int
	failure          string
}

// worst has the states of several runs of one step in the order in which they say
// what became of it.
var worst = []journal.State{
	journal.StateError, journal.StateInDoubt, journal.StateWaiting, journal.StateRunning, journal.StateOK, journal.StateSkipped, journal.StatePending,
}

func (s *sight) add(r *journal.StepRecord) {
	switch {
	case r.Undo > 0:
		if r.State == journal.StateOK {
			s.undone++
		}
		return
	case r.Round > 0:
		s.rounds = max(s.rounds, r.Round)
	case r.Key != nil:
		if s.elements == nil {
			s.elements = map[string]int{}
		}
		s.elements[string(r.State)]++
	default:
		if s.wholes == nil {
			s.wholes = map[string]int{}
		}
		s.wholes[string(r.State)]++
		s.whole++
	}
	s.attempts = max(s.attempts, r.Attempts)
	if r.State == journal.StateOK && r.Attempts > 0 {
		s.done++
		if r.Reused {
			s.reused++
		}
	}
	if r.StartedAt != nil && (s.first.IsZero() || r.StartedAt.Before(s.first)) {
		s.first = *r.StartedAt
	}
	if r.FinishedAt != nil && r.FinishedAt.After(s.last) {
		s.last = *r.FinishedAt
	}
	if r.StartedAt != nil && r.FinishedAt == nil {
		s.open = true
	}
	if r.Error != nil && s.failure == "" {
		s.failure = r.Error.Kind + ": " + r.Error.Message
	}
}

func (s *sight) seen(begin time.Time) graph.Seen {
	out := graph.Seen{StartMS: -1, TookMS: -1, Attempts: s.attempts, Rounds: s.rounds, Undone: s.undone, Elements: s.elements, Error: s.failure}
	out.Reused = s.done > 0 && s.reused == s.done
	counts := s.wholes
	if s.whole == 0 {
		counts = s.elements
	}
	for _, state := range worst {
		if counts[string(state)] > 0 {
			out.State = string(state)
			break
		}
	}
	// A step of a workflow that ran several times.
	if s.whole > 1 && s.elements == nil {
		out.Elements = s.wholes
	}
	if !s.first.IsZero() {
		out.StartMS = s.first.Sub(begin).Milliseconds()
		if !s.open && !s.last.IsZero() {
			out.TookMS = max(0, s.last.Sub(s.first).Milliseconds())
		}
	}
	return out
}
