package service

import (
	"context"
	"maps"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/runner/engine"
)

// world is what a host knows of one state of the project, computed when it is asked
// for: connections, capabilities, plans. Reloading makes another one.
type world struct {
	host    *Host
	project *project.Project

	mu       sync.Mutex
	reaches  map[string]*once[*compiler.Reach]
	plans    map[string]*once[*linked] // by what was linked
	deployed map[string]*once[*deployed]
	offering *once[[]Capability]
}

func newWorld(h *Host, p *project.Project) *world {
	return &world{
		host: h, project: p,
		reaches: map[string]*once[*compiler.Reach]{}, plans: map[string]*once[*linked]{}, deployed: map[string]*once[*deployed]{}, offering: &once[[]Capability]{},
	}
}

// once is a value that is computed once, by whoever wants it first.
type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (o *once[T]) get(compute func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = compute() })
	return o.value, o.err
}

// entry returns the entry of a key, which it makes where it is missing.
func entry[T any](w *world, in map[string]*once[T], key string) *once[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := in[key]
	if o == nil {
		o = &once[T]{}
		in[key] = o
	}
	return o
}

// forget drops what is known of a deployment that was saved.
func (w *world) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.deployed, func(key string, _ *once[*deployed]) bool { return strings.HasPrefix(key, "saved "+id+" ") })
}

// reach makes a connection of the project ready to be opened.
func (w *world) reach(id string) (*compiler.Reach, error) {
	if w.project.Connections[id] == nil {
		return nil, unknownName("connection", id, w.project.ConnectionIDs())
	}
	return entry(w, w.reaches, id).get(func() (*compiler.Reach, error) {
		r, found := compiler.Connection(w.project, id)
		if found.HasErrors() {
			return nil, invalid(Diagnostics{found, w.project.Source}, "The connection %s cannot be used", id)
		}
		return r, nil
	})
}

func unknownName(what, name string, have []string) *Error {
	if near, ok := nearest.Name(name, have); ok {
		return refuse(NotFound, "There is no %s %q. Did you mean %q?", what, shortName(name), near)
	}
	return refuse(NotFound, "There is no %s %q.", what, shortName(name))
}

// shortName is a name that was given from outside, as messages repeat it.
func shortName(name string) string {
	const most = 100
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

// linked is a plan that is ready to be run, or why there is none.
type linked struct {
	plan        *plan.Plan // nil where there are errors
	diagnostics Diagnostics
	prepared    *once[*Prepared]
}

// link compiles a target of a project.
func link(p *project.Project, t compiler.Target) *linked {
	compiled, found := compiler.Compile(p, t)
	if found.HasErrors() {
		compiled = nil
	}
	return &linked{plan: compiled, diagnostics: Diagnostics{found, p.Source}, prepared: &once[*Prepared]{}}
}

// ready returns the plan with its connections as they are to be opened now: their
// secrets may have changed.
func (l *linked) ready(ctx context.Context, s *Service) (*Prepared, error) {
	r, err := l.prepared.get(func() (*Prepared, error) {
		program, err := engine.NewProgram(l.plan)
		if err != nil {
			return nil, err
		}
		return &Prepared{service: s, plan: l.plan, program: program, secrets: newSecrets(s.options.Environment, l.plan.Secrets)}, nil
	})
	if err != nil {
		return nil, err
	}
	if r, err = r.resolved(ctx); err != nil && ctx.Err() == nil {
		return nil, &Error{Kind: Refused, Message: sentence(err), Cause: err}
	}
	return r, err
}
