package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// Run is a run as the journal has it.
type Run struct {
	ID         string
	Workflow   string
	Deployment string // "": none
	Status     journal.Status
	Key        string      // the run key that it was started with; "": none
	Input      value.Value // an object, defaults applied
	Output     value.Value // an object; null unless completed
	Error      *journal.Failure
	Reuses     string
	StartedAt  time.Time
	FinishedAt *time.Time // nil: not yet
	Owner      *journal.Owner
	Steps      []journal.StepRecord
	// Existing: the run key was known, and this is the run that it stands for.
	Existing bool
	// Record is what the journal has, as `wfc runs show --json` prints it.
	Record *journal.RunRecord
}

// Ended reports whether the run has ended.
func (r *Run) Ended() bool { return r.FinishedAt != nil }

// StartRun says what is to be run, and with what.
type StartRun struct {
	// Deployment is a deployment's id, or else Target is what `wfc run` takes: the name
	// of a deployment or a workflow of the project, workflow.NAME or deployment.NAME.
	Deployment string
	Target     string
	Bind       map[string]string // connection ids by source, for this once; of a Target only
	Input      value.Value       // an object, or null
	// Texts are more inputs, as a command line gives them: text for an input that takes
	// text, else JSON. They win over Input.
	Texts map[string]string
	// Key makes the start idempotent: a second one with the key is the same run, and with
	// other inputs a [Conflict]. "": every start is a run of its own.
	Key   string
	Reuse string // keep the results of this run where they are still right; "": of none
	// Caller is who asks, so that one who starts many runs does not keep others waiting.
	Caller string
}

// The keys of runs that hosts start, so that the next host knows them for its own.
const (
	keyGiven = "server/key/"  // and the run key
	keyOwn   = "server/auto/" // and a text that nobody has
)

// maxKey bounds a run key.
const maxKey = 200

// Start starts a run, which goes on by itself: the end of ctx does not end it. It
// returns as soon as the run is durable, and with wait when it has ended or waits for
// somebody. Where ctx ends first while it waits, the error is ctx's, and the run is
// returned, too.
func (h *Host) Start(ctx context.Context, s StartRun, wait bool) (*Run, error) {
	if len(s.Key) > maxKey {
		return nil, refuse(Invalid, "The run key has %d bytes; more than %d are not taken.", len(s.Key), maxKey)
	}
	input, err := object("input", s.Input)
	if err != nil {
		return nil, err
	}
	l, err := h.now().runnable(ctx, s)
	if err != nil {
		return nil, err
	}
	if input, err = withTexts(l.plan, input, s.Texts); err != nil {
		return nil, err
	}
	prepared, err := l.ready(ctx, h.service)
	if err != nil {
		return nil, kindly(err)
	}
	complete, err := prepared.program.Inputs(input)
	if err != nil {
		return nil, kindly(err)
	}
	var past *engine.Past
	if s.Reuse != "" {
		if past, err = h.service.Past(ctx, s.Reuse, l.plan.Workflow); err != nil {
			return nil, kindly(err)
		}
	}
	key := keyOwn + rand.Text()
	if s.Key != "" {
		key = keyGiven + s.Key
	}
	line := cmp.Or(s.Caller, l.plan.Deployment, l.plan.Workflow)
	r, err := h.runs.start(ctx, line, l.plan.Workflow, l.plan.Deployment, func(ctx context.Context, g going) (*engine.Outcome, error) {
		return prepared.run(ctx, runOf{inputs: input, past: past, key: key, going: g})
	})
	if err != nil {
		return nil, err
	}
	id, err := r.begun(ctx)
	var taken *journal.KeyError
	if errors.As(err, &taken) {
		return h.known(ctx, s, string(taken.Run), l.plan, complete, wait)
	}
	if err != nil {
		return nil, kindly(err)
	}
	return h.after(ctx, id, wait)
}

// withTexts returns inputs with more that were given as texts.
func withTexts(p *plan.Plan, input value.Value, texts map[string]string) (value.Value, error) {
	if len(texts) == 0 {
		return input, nil
	}
	pairs := make([]string, 0, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		pairs = append(pairs, name+"="+texts[name])
	}
	more, err := Inputs(p, "", pairs)
	if err != nil {
		return input, &Error{Kind: Invalid, Message: sentence(err), Cause: err}
	}
	out := value.NewObject(input.AsObject().Len() + len(pairs))
	for _, from := range []value.Value{input, more} {
		for name, v := range from.AsObject().All() {
			out.Set(name, v)
		}
	}
	return value.OfObject(out), nil
}

// runnable returns the plan of what is to be run.
func (w *world) runnable(ctx context.Context, s StartRun) (*linked, error) {
	switch {
	case (s.Deployment == "") == (s.Target == ""):
		return nil, refuse(Invalid, "Say what to run: a deployment, or a target.")
	case s.Deployment != "" && len(s.Bind) > 0:
		return nil, refuse(Invalid, "The deployment %q says what its sources are bound to; bind is for a target.", shortName(s.Deployment))
	case s.Deployment != "":
		d, err := w.deployment(ctx, s.Deployment)
		if err != nil {
			return nil, err
		}
		return d.runnable()
	}
	t, err := w.selected(ctx, s.Target)
	if err != nil {
		return nil, err
	}
	if t.saved != nil {
		if len(s.Bind) > 0 {
			return nil, refuse(Invalid, "The deployment %q says what its sources are bound to.", t.saved.ID)
		}
		return t.saved.runnable()
	}
	key, err := json.Marshal(s.Bind)
	if err != nil {
		return nil, err
	}
	l := w.target(compiler.Target{Target: t.Target, Bind: s.Bind}, "target "+s.Target+" "+string(key))
	if l.plan == nil {
		return nil, invalid(l.diagnostics, "%q cannot be run, because it has errors", shortName(s.Target))
	}
	return l, nil
}

// runnable returns the plan of a deployment that is ready.
func (d *deployed) runnable() (*linked, error) {
	if err := d.Refusal(); err != nil {
		return nil, err
	}
	return d.linked, nil
}

// selected is what a name means in a project, or a deployment that was saved.
type selected struct {
	project.Target
	saved *deployed
}

func (w *world) selected(ctx context.Context, name string) (selected, error) {
	if id, ok := strings.CutPrefix(name, "deployment."); ok || w.project.Deployments[name] == nil && w.project.Workflows[name] == nil && !strings.HasPrefix(name, "workflow.") {
		if w.project.Deployments[id] == nil {
			if d, err := w.deployment(ctx, id); err == nil {
				return selected{saved: d}, nil
			}
		}
	}
	if strings.ContainsAny(name, "/\\") || strings.HasSuffix(name, ".wf.hcl") {
		return selected{}, refuse(Invalid, "%q is a path, which a server does not take: name a deployment or a workflow of its project.", shortName(name))
	}
	t, err := w.project.Select(name)
	if err != nil {
		return selected{}, &Error{Kind: NotFound, Message: sentence(err), Cause: err}
	}
	return selected{Target: t}, nil
}

// known is the run that a key stands for, if it is what would be started now.
func (h *Host) known(ctx context.Context, s StartRun, id string, p *plan.Plan, input value.Value, wait bool) (*Run, error) {
	r, err := h.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	given, err := h.inputsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	// The workflow of a deployment may be another one by now.
	same := value.Equal(given, input) && r.Deployment == p.Deployment && (p.Deployment != "" || r.Workflow == p.Workflow)
	if !same {
		e := refuse(Conflict, "The run key %q stands for the run %s, which was started with something else. Take another key.", s.Key, id)
		e.Run = id
		return nil, e
	}
	r, err = h.after(ctx, id, wait)
	if r != nil {
		r.Existing = true
	}
	return r, err
}

// inputsOf returns what a run was started with, also where that is kept encrypted.
func (h *Host) inputsOf(ctx context.Context, id string) (value.Value, error) {
	for ev, err := range h.store.Events(ctx, journal.RunID(id)) {
		if err != nil {
			return value.NullValue, kindly(err)
		}
		if created, ok := ev.Data.(journal.RunCreated); ok {
			return stored(created.Inputs)
		}
	}
	return value.NullValue, fmt.Errorf("the run %s has no beginning", id)
}

// after returns a run that was started, once it has ended if wait is set.
func (h *Host) after(ctx context.Context, id string, wait bool) (*Run, error) {
	if wait {
		return h.Wait(ctx, id)
	}
	return h.Run(ctx, id)
}

// Wait waits until a run that goes on in this host has ended, or waits for somebody;
// it returns at once for others. Where ctx ends first the error is ctx's, and the run
// is returned as it is.
func (h *Host) Wait(ctx context.Context, id string) (*Run, error) {
	for {
		waiting := h.runs.await(ctx, id)
		before := h.runs.get(id)
		r, err := h.Run(context.WithoutCancel(ctx), id)
		if err != nil || waiting != nil || r.Ended() || r.Status == journal.Waiting || before == nil && h.runs.get(id) == nil {
			return r, errors.Join(err, waiting)
		}
		// It goes on again: a deadline passed just as it had stopped to wait.
	}
}

// Changed waits until a run has another status than the one given, and returns it; one
// of another process is looked at once. Where ctx ends first the error is ctx's, and the
// run is returned as it is.
func (h *Host) Changed(ctx context.Context, id string, status journal.Status) (*Run, error) {
	for {
		next := h.runs.next()
		r, err := h.Run(context.WithoutCancel(ctx), id)
		if err != nil || r.Status != status || r.Ended() {
			return r, err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}

// Run returns a run by its id, or a part of it that no other run has.
func (h *Host) Run(ctx context.Context, id string) (*Run, error) {
	record, err := h.store.Run(ctx, id)
	if err != nil {
		return nil, kindly(err)
	}
	return runOfRecord(record)
}

func runOfRecord(record *journal.RunRecord) (*Run, error) {
	r := &Run{
		ID: string(record.Run), Workflow: record.Workflow, Deployment: record.Deployment, Status: record.Status, Error: record.Error,
		Reuses: string(record.Reuses), StartedAt: record.StartedAt, FinishedAt: record.FinishedAt, Owner: record.Owner, Steps: record.Steps, Record: record,
	}
	if key, given := strings.CutPrefix(record.Key, keyGiven); given {
		r.Key = key
	} else if !strings.HasPrefix(record.Key, keyOwn) {
		r.Key = record.Key
	}
	var err error
	if r.Input, err = stored(record.Inputs); err != nil {
		return nil, fmt.Errorf("the inputs of the run %s cannot be read: %w", r.ID, err)
	}
	if r.Output, err = stored(record.Outputs); err != nil {
		return nil, fmt.Errorf("the outputs of the run %s cannot be read: %w", r.ID, err)
	}
	return r, nil
}

// stored reads what the journal keeps; nil is null.
func stored(raw json.RawMessage) (value.Value, error) {
	if raw == nil {
		return value.NullValue, nil
	}
	return value.ParseStored(raw)
}

// runStatuses are all statuses of runs.
var runStatuses = []journal.Status{journal.Queued, journal.Running, journal.Waiting, journal.Interrupted, journal.Completed, journal.Failed, journal.Cancelled}

func statusNames() string {
	names := make([]string, len(runStatuses))
	for i, s := range runStatuses {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// RunFilter chooses runs. The zero filter is all of them.
type RunFilter struct {
	Workflow   string // "": all
	Deployment string // "": all
	Statuses   []journal.Status
	Limit      int    // 0: all
	Before     string // the id of the last run of the page before; "": from the newest
}

// Runs returns runs, newest first; never nil.
func (h *Host) Runs(ctx context.Context, f RunFilter) ([]journal.RunSummary, error) {
	for _, status := range f.Statuses {
		if !slices.Contains(runStatuses, status) {
			return nil, refuse(Invalid, "%q is no status of a run; these are: %s.", shortName(string(status)), statusNames())
		}
	}
	runs, err := h.store.Runs(ctx, journal.Filter{Workflow: f.Workflow, Deployment: f.Deployment, Statuses: f.Statuses, Before: journal.RunID(f.Before), Limit: f.Limit})
	if err != nil {
		return nil, kindly(err)
	}
	return runs, nil
}

// unfinishedOf chooses the runs of a deployment that have not ended.
func unfinishedOf(deployment string) journal.Filter {
	return journal.Filter{Deployment: deployment, Statuses: []journal.Status{journal.Queued, journal.Running, journal.Waiting, journal.Interrupted}}
}

// Outputs returns what a completed run gave, an object. One that has not ended, or
// failed, is a [Conflict].
func (h *Host) Outputs(ctx context.Context, id string) (value.Value, error) {
	r, err := h.Run(ctx, id)
	if err != nil {
		return value.NullValue, err
	}
	if r.Status != journal.Completed {
		e := refuse(Conflict, "The run %s has no outputs: it is %s.", r.ID, r.Status)
		e.Run = r.ID
		return value.NullValue, e
	}
	return r.Output, nil
}

// Blob returns a blob that the outputs or the results of a run have, by its SHA-256,
// and its bytes. What is sensitive is in none of them.
func (h *Host) Blob(ctx context.Context, run, sum string) (*value.BlobValue, []byte, error) {
	r, err := h.Run(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	b := blobIn(r.Output, sum)
	for _, s := range r.Steps {
		if v, err := stored(s.Result); b == nil && err == nil {
			b = blobIn(v, sum)
		}
	}
	if b == nil {
		return nil, nil, refuse(NotFound, "The run %s has no blob %q.", r.ID, shortName(sum))
	}
	data, err := h.store.Blob(ctx, sum)
	return b, data, kindly(err)
}

// blobIn returns the blob of a value that has the digest; nil: there is none.
func blobIn(v value.Value, sum string) *value.BlobValue {
	switch v.Kind() {
	case value.Blob:
		if b := v.AsBlob(); b.SHA256 == sum {
			return b
		}
	case value.List:
		for _, e := range v.AsList() {
			if b := blobIn(e, sum); b != nil {
				return b
			}
		}
	case value.Object:
		for _, a := range v.AsObject().All() {
			if b := blobIn(a, sum); b != nil {
				return b
			}
		}
	}
	return nil
}
