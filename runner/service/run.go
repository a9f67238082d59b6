package service

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/pool"
)

// Prepared is a plan that is ready to run any number of times in this service.
type Prepared struct {
	service     *Service
	program     *engine.Program
	secrets     *secrets
	connections map[string]connection.Connection // by id
}

// Prepare makes a plan ready: it resolves the secrets and the connections that
// the plan uses, so that a missing one is reported before anything starts.
func (s *Service) Prepare(p *plan.Plan) (*Prepared, error) {
	program, err := engine.NewProgram(p)
	if err != nil {
		return nil, fmt.Errorf("the plan cannot be run: %w", err)
	}
	r := &Prepared{service: s, program: program, secrets: newSecrets(s.options.Environment, p.Secrets), connections: map[string]connection.Connection{}}
	if err := r.secrets.check(); err != nil {
		return nil, err
	}
	for _, c := range p.Connections {
		if r.connections[c.ID], err = r.secrets.connect(c); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// scopes numbers the private sessions' scopes of this process.
var scopes atomic.Int64

// Run executes the plan once. Cancelling ctx cancels the run; the outcome says
// so. An error means that there is no outcome (see [engine.Run]). watch may be nil.
func (r *Prepared) Run(ctx context.Context, inputs value.Value, watch func(engine.Event)) (*engine.Outcome, error) {
	// Wrong inputs start nothing.
	if _, err := r.program.Inputs(inputs); err != nil {
		return nil, err
	}
	p := r.program.Plan()
	scope := connection.Scope(fmt.Sprintf("run-%d", scopes.Add(1)))
	defer r.service.pool.Release(scope)
	targets := make(map[string]pool.Target, len(p.Sources))
	for _, src := range p.Sources {
		t := pool.Target{Connection: r.connections[src.Connection]}
		if src.Session == "run" {
			t.Scope = scope
		}
		targets[src.Name] = t
	}
	// Servers start while the journal opens and the run is made durable.
	for _, n := range p.Nodes {
		if n.Source != "" && n.When == "" && len(n.After) == 0 {
			r.service.pool.Warm(targets[n.Source])
		}
	}
	store, err := r.service.journal()
	if err != nil {
		return nil, err
	}
	return engine.Run(ctx, engine.Options{
		Program: r.program,
		Inputs:  inputs,
		Caller:  &caller{pool: r.service.pool, store: store, redact: r.secrets.redactor(), targets: targets},
		Journal: store,
		Secret:  r.secrets.get,
		Watch:   watch,
	})
}

// journal returns the project's journal, which it opens at the first use.
func (s *Service) journal() (*journal.Store, error) {
	s.opening.Do(func() {
		s.store, s.openErr = journal.Open(context.Background(), filepath.Join(s.project.Root, StateFolder), journal.Options{})
	})
	return s.store, s.openErr
}

// Journal opens the journal of a project for reading, without creating one.
func Journal(ctx context.Context, folder string) (*journal.Store, error) {
	return journal.Open(ctx, folder, journal.Options{ReadOnly: true})
}
