package service

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/pool"
)

// Prepared is a plan that is ready to run any number of times in this service.
type Prepared struct {
	service     *Service
	plan        *plan.Plan
	program     *engine.Program
	secrets     *secrets
	connections map[string]connection.Connection // by id
	model       callback.Sampler                 // nil: none
	last        bool                             // nothing follows its run
}

// Last returns r for a run after which the service is closed: the servers begin to end
// as soon as the run calls nothing any more.
func (r *Prepared) Last() *Prepared {
	out := *r
	out.last = true
	return &out
}

// Prepare makes a plan ready: it resolves the secrets and the connections that
// the plan uses, so that a missing one is reported before anything starts.
func (s *Service) Prepare(ctx context.Context, p *plan.Plan) (*Prepared, error) {
	return s.prepare(ctx, p, nil)
}

// PrepareRun is Prepare of a plan that is run at once with inputs: where these are
// right, the servers that it needs first start while its expressions are read.
func (s *Service) PrepareRun(ctx context.Context, p *plan.Plan, inputs value.Value) (*Prepared, error) {
	return s.prepare(ctx, p, func(r *Prepared) {
		if engine.CheckInputs(p, inputs) == nil {
			r.warm(r.shared())
		}
	})
}

// prepare calls begin, if it is not nil, when the connections are known.
func (s *Service) prepare(ctx context.Context, p *plan.Plan, begin func(*Prepared)) (*Prepared, error) {
	r := &Prepared{service: s, plan: p, secrets: newSecrets(s.options.Environment, p.Secrets)}
	r, err := r.resolved(ctx)
	if err != nil {
		return nil, err
	}
	if begin != nil {
		begin(r)
	}
	if r.program, err = engine.NewProgram(p); err != nil {
		return nil, fmt.Errorf("the plan cannot be run: %w", err)
	}
	return r, nil
}

// warm begins to open those of the sessions that the run needs at once.
func (r *Prepared) warm(targets map[engine.SessionID]pool.Target) {
	if r.plan.Concurrency != nil {
		return // its turn may be far off
	}
	for _, n := range r.plan.Nodes {
		if n.Source == "" || n.When != "" || len(n.After) > 0 || n.SourceKey != "" || n.Finally {
			continue
		}
		if t, ok := targets[r.sessionOf(n.Source)]; ok {
			r.service.pool.Warm(t)
		}
	}
}

// resolved returns r with its connections as they are to be opened now.
func (r *Prepared) resolved(ctx context.Context) (*Prepared, error) {
	if err := r.secrets.check(ctx); err != nil {
		return nil, err
	}
	p, out := r.plan, *r
	out.connections = make(map[string]connection.Connection, len(p.Connections))
	var err error
	for _, c := range p.Connections {
		if out.connections[c.ID], err = r.secrets.connect(c); err != nil {
			return nil, err
		}
	}
	out.model, err = r.secrets.sampler(p.Sampling)
	return &out, err
}

// scopes numbers the private sessions' scopes of this process.
var scopes atomic.Int64

// Run executes the plan once. Cancelling ctx cancels the run; the outcome says
// so. An error means that there is no outcome (see [engine.Run]). watch may be nil.
func (r *Prepared) Run(ctx context.Context, inputs value.Value, watch func(engine.Event)) (*engine.Outcome, error) {
	return r.run(ctx, runOf{inputs: inputs, going: going{watch: watch}})
}

// RunReusing is Run with an earlier run, whose results are kept where the step and
// its inputs are the same (see [Service.Past]).
func (r *Prepared) RunReusing(ctx context.Context, past *engine.Past, inputs value.Value, watch func(engine.Event)) (*engine.Outcome, error) {
	return r.run(ctx, runOf{inputs: inputs, past: past, going: going{watch: watch}})
}

// runOf says what a run is made of.
type runOf struct {
	inputs value.Value
	past   *engine.Past // nil: it keeps nothing of another run
	key    string       // unique in the journal; "": none
	going
}

func (r *Prepared) run(ctx context.Context, of runOf) (*engine.Outcome, error) {
	// Wrong inputs start nothing.
	if _, err := r.program.Inputs(of.inputs); err != nil {
		return nil, err
	}
	targets, release := r.targets()
	defer release()
	// Servers start while the journal opens and the run is made durable.
	r.warm(targets)
	store, err := r.service.journal()
	if err != nil {
		return nil, err
	}
	opts := r.options(store, targets, of.watch)
	if r.last {
		opts.Idle = r.service.pool.BeginClose
	}
	opts.Inputs, opts.Past, opts.Key, opts.Leave = of.inputs, of.past, of.key, of.leave
	if of.turn != nil {
		opts.Turn = of.turn
	}
	if r.plan.Previous {
		if opts.Previous, opts.PreviousSensitive, err = previous(ctx, store, r.plan); err != nil {
			return nil, err
		}
	}
	outcome, err := engine.Run(ctx, opts)
	if of.turn != nil {
		return outcome, err // who asks a host has no use for files on its disk
	}
	return inFolder(ctx, store, outcome, err)
}

// Record returns what the journal has of a run, by its id or a part of it.
func (s *Service) Record(ctx context.Context, run string) (*journal.RunRecord, error) {
	store, err := s.journal()
	if err != nil {
		return nil, err
	}
	return store.Run(ctx, run)
}

// Resume goes on with a run of the project's journal (see [engine.Resume]); run is
// its id, or a part of it. Its plan is that of the journal. watch may be nil.
func (s *Service) Resume(ctx context.Context, run string, watch func(engine.Event)) (*engine.Outcome, error) {
	return s.resume(ctx, run, watch, func(*engine.Options) {})
}

// ResumeAnew is Resume with new sessions in place of those private to the run that
// died with its process (see [engine.Options]).
func (s *Service) ResumeAnew(ctx context.Context, run string, watch func(engine.Event)) (*engine.Outcome, error) {
	return s.resume(ctx, run, watch, func(o *engine.Options) { o.NewSessions = true })
}

// StartOver is Resume that does the steps again which used sessions private to the run
// that died with its process, and those after them (see [engine.Options]).
func (s *Service) StartOver(ctx context.Context, run string, watch func(engine.Event)) (*engine.Outcome, error) {
	return s.resume(ctx, run, watch, func(o *engine.Options) { o.StartOver = true })
}

func (s *Service) resume(ctx context.Context, run string, watch func(engine.Event), how func(*engine.Options)) (*engine.Outcome, error) {
	store, id, prepared, err := s.recorded(ctx, run, true)
	if err != nil {
		return nil, err
	}
	targets, release := prepared.targets()
	defer release()
	opts := prepared.options(store, targets, watch)
	how(&opts)
	outcome, err := engine.Resume(ctx, opts, id)
	return inFolder(ctx, store, outcome, err)
}

// Resolve takes a word on a step of a run that is in doubt (see [engine.Resolve]).
// Where the run has no owner, Resume goes on with it.
func (s *Service) Resolve(ctx context.Context, run string, w engine.Word) error {
	store, id, prepared, err := s.recorded(ctx, run, false)
	if err != nil {
		return err
	}
	return engine.Resolve(ctx, store, prepared.program, id, w)
}

// Cancel asks for the end of a run. The process that executes it cancels its calls,
// undoes what was done and runs the finally blocks; where there is none, owner is
// nil, and Resume does all that here. The run may have ended by the time Cancel returns.
func (s *Service) Cancel(ctx context.Context, run, by string) (owner *journal.Owner, err error) {
	store, err := s.journal()
	if err != nil {
		return nil, err
	}
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	return store.Send(ctx, record.Run, journal.Event{Data: journal.CancelRequested{By: by}})
}

// recorded makes the plan of a run in the journal ready; reach says that its
// connections are to be used.
func (s *Service) recorded(ctx context.Context, run string, reach bool) (*journal.Store, journal.RunID, *Prepared, error) {
	store, err := s.journal()
	if err != nil {
		return nil, "", nil, err
	}
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, "", nil, err
	}
	src, err := store.Plan(ctx, record.PlanDigest)
	if err != nil {
		return nil, "", nil, err
	}
	p, err := plan.Decode(src)
	if err != nil {
		return nil, "", nil, fmt.Errorf("the run %s cannot go on: %w", record.Run, err)
	}
	if reach {
		prepared, err := s.Prepare(ctx, p)
		return store, record.Run, prepared, err
	}
	program, err := engine.NewProgram(p)
	return store, record.Run, &Prepared{service: s, plan: p, program: program}, err
}

// options are those of a run that begins or is resumed.
func (r *Prepared) options(store *journal.Store, targets map[engine.SessionID]pool.Target, watch func(engine.Event)) engine.Options {
	return engine.Options{
		Program: r.program,
		Caller:  &caller{service: r.service, model: r.model, redact: r.secrets.redactor(), targets: targets},
		Journal: store,
		Secret:  r.secrets.get,
		Watch:   watch,
		Ask:     r.service.ask(store),

		MaxResult: maxResult(r.service.project()),
	}
}

// targets are the sessions of a run, in a scope of its own where they are private
// to it. The function releases these.
func (r *Prepared) targets() (map[engine.SessionID]pool.Target, func()) {
	scope := connection.Scope(fmt.Sprintf("run-%d", scopes.Add(1)))
	targets := make(map[engine.SessionID]pool.Target, 2*len(r.connections))
	for id, c := range r.connections {
		targets[engine.SessionID{Connection: id}] = pool.Target{Connection: c}
		targets[engine.SessionID{Connection: id, Private: true}] = pool.Target{Connection: c, Scope: scope}
	}
	return targets, func() { r.service.pool.Release(scope) }
}

// shared are the sessions that belong to no run, nor are opened for one.
func (r *Prepared) shared() map[engine.SessionID]pool.Target {
	targets := make(map[engine.SessionID]pool.Target, len(r.connections))
	for id, c := range r.connections {
		targets[engine.SessionID{Connection: id}] = pool.Target{Connection: c}
	}
	return targets
}

// sessionOf is the session of a source with one connection.
func (r *Prepared) sessionOf(source string) engine.SessionID {
	for _, s := range r.plan.Sources {
		if s.Name == source {
			return engine.SessionID{Connection: s.Connection, Private: s.Session == "run"}
		}
	}
	return engine.SessionID{}
}

// previous is run.previous of a new run: the last one of the same deployment, or
// of the same workflow without one, that was completed. sensitive says that it is
// not to be kept in the clear.
func previous(ctx context.Context, store *journal.Store, p *plan.Plan) (_ value.Value, sensitive bool, err error) {
	last, err := store.LastCompleted(ctx, p.Workflow, p.Deployment)
	if err != nil || last == nil {
		return value.NullValue, false, err
	}
	outputs, err := value.ParseStored(last.Outputs)
	if err != nil {
		return value.NullValue, false, fmt.Errorf("the outputs of the run %s, which is the one before, cannot be read: %w", last.Run, err)
	}
	out := value.NewObject(3)
	out.Set("id", value.OfString(string(last.Run)))
	out.Set("started_at", value.OfString(last.StartedAt.Format(time.RFC3339)))
	out.Set("outputs", outputs)
	return value.OfObject(out), last.Sensitive, nil
}

// journal returns the project's journal, which it opens at the first use.
func (s *Service) journal() (*journal.Store, error) {
	s.opening.Do(func() {
		opts := journalOptions(s.project())
		opts.At, opts.Keys = s.options.JournalPoint, s.options.Keys
		s.store, s.openErr = journal.Open(context.Background(), cmp.Or(s.options.Folder, filepath.Join(s.project().Root, StateFolder)), opts)
	})
	return s.store, s.openErr
}

// Journal opens the journal of a project for reading, without creating one.
func Journal(ctx context.Context, folder string) (*journal.Store, error) {
	return journal.Open(ctx, folder, journal.Options{ReadOnly: true})
}
