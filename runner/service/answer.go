package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// Answer takes a reply to a question of a run (see [engine.AnswerQuestion]); run is its
// id, or a part of it. The process that executes the run goes on with it at once; owner
// is nil where there is none, and then [Service.Resume] goes on.
func (s *Service) Answer(ctx context.Context, run string, r engine.Reply) (owner *journal.Owner, err error) {
	store, err := s.journal()
	if err != nil {
		return nil, err
	}
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	owner, err = engine.AnswerQuestion(ctx, store, record.Run, r)
	if errors.Is(err, journal.ErrNoWait) {
		if unknown := unknownStep(ctx, store, record, r.Step); unknown != nil {
			return nil, unknown
		}
	}
	return owner, err
}

// unknownStep says that a run has no step of a name; nil: it has, or that is not known.
func unknownStep(ctx context.Context, store *journal.Store, record *journal.RunRecord, step string) error {
	p, err := planOf(ctx, store, record)
	if err != nil {
		return nil
	}
	path, _, err := engine.ParseInstance(step)
	if err != nil {
		return nil
	}
	in := p
	for name := range strings.SplitSeq(path, "/") {
		i := -1
		var names []string
		if in != nil {
			i = slices.IndexFunc(in.Nodes, func(n plan.NodeSpec) bool { return n.ID == name })
			for _, n := range in.Nodes {
				names = append(names, n.ID)
			}
		}
		if i < 0 {
			hint := ""
			if near, ok := nearest.Name(name, names); ok {
				hint = fmt.Sprintf(" Did you mean %q?", near)
			}
			return &engine.ReplyError{Reason: engine.ErrNoQuestion, Message: fmt.Sprintf("The run %s has no step %s.%s", record.Run, step, hint)}
		}
		in = p.Children[in.Nodes[i].Child]
	}
	return nil
}

// ask has the person here asked; nil: nobody is.
func (s *Service) ask(store *journal.Store) func(context.Context, journal.Question) {
	if s.options.Ask == nil {
		return nil
	}
	return func(ctx context.Context, q journal.Question) {
		var again error
		for {
			reply := s.options.Ask(ctx, q, again)
			if reply == nil {
				return
			}
			reply.Step = q.Name
			if _, again = engine.AnswerQuestion(ctx, store, q.Run, *reply); again == nil {
				return
			}
			if e := (*engine.ReplyError)(nil); !errors.As(again, &e) {
				return // somebody was faster, or it is too late: the run says so
			}
		}
	}
}

// Questions returns what a run asks and waits for, the oldest first; run is its id, or
// a part of it.
func (s *Service) Questions(ctx context.Context, run string) ([]journal.Question, error) {
	store, err := s.journal()
	if err != nil {
		return nil, err
	}
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	return store.Questions(ctx, record.Run)
}
