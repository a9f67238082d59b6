package service

import (
	"context"
	"errors"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// Answer takes a reply to a question of a run (see [engine.AnswerQuestion]); run is its
// id, or a part of it. The process that executes the run goes on with it at once; owned
// is false where there is none, and then [Service.Resume] goes on.
func (s *Service) Answer(ctx context.Context, run string, r engine.Reply) (owned bool, err error) {
	store, err := s.journal()
	if err != nil {
		return false, err
	}
	record, err := store.Run(ctx, run)
	if err != nil {
		return false, err
	}
	owner, err := engine.AnswerQuestion(ctx, store, record.Run, r)
	return owner != nil, err
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
