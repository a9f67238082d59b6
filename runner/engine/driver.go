package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/redact"
)

// cancelWait bounds how long a cancelled run waits for its calls. Callers
// return at once when they are cancelled; this is for one that is stuck.
const cancelWait = 10 * time.Second

// Options of [Run]. Program, Caller and Journal are required.
type Options struct {
	Program *Program
	// Inputs are the inputs as given: an object, or null for none.
	Inputs value.Value
	// Key makes the run unique in its journal: a run with the key of another one
	// is not created (*journal.KeyError). "": none.
	Key     string
	Caller  Caller
	Journal *journal.Store
	// Secret gives the value of a secret of the plan. Nil: the plan has none. All
	// are asked for before the run is created.
	Secret func(name string) (string, error)
	// Watch is told what happens, in order, from one goroutine, and has returned from
	// its last call when Run returns. It must not block for long: results wait in
	// memory meanwhile. Nil: nobody watches.
	Watch func(Event)
	// Clock gives the time of events; nil: time.Now.
	Clock func() time.Time
}

// Outcome is how a run ended.
type Outcome struct {
	Run     string
	Status  Status
	Outputs value.Value // an object; null unless completed
	Err     *RunError   // nil if completed
}

// Run creates a run and executes it until it ends. When ctx is done the run is
// cancelled: calls in flight are cancelled on the wire, and the end is recorded
// all the same. An error means that there is no outcome: an [*InputError] or a
// journal that could not create the run, and then nothing was done; or a journal
// that failed on the way, and then the run is as its history says.
func Run(ctx context.Context, opts Options) (*Outcome, error) {
	prog := opts.Program
	inputs, err := prog.Inputs(opts.Inputs)
	if err != nil {
		return nil, err
	}
	secrets, err := opts.secrets()
	if err != nil {
		return nil, err
	}
	log, err := opts.Journal.CreateRun(ctx, journal.NewRun{
		Plan: prog.encoded(), PlanDigest: prog.plan.Digest, Workflow: prog.plan.Workflow, Deployment: prog.plan.Deployment,
		Inputs: json.RawMessage(value.AppendStored(nil, inputs)), Key: opts.Key,
	})
	if err != nil {
		return nil, err
	}
	d := newDriver(opts, log, secrets)
	d.digest = opts.Journal.ArgsDigest
	d.blob = func(b *value.BlobValue) ([]byte, error) { return opts.Journal.Blob(ctx, b.SHA256) }
	d.key = func(in Instance) string { return opts.Journal.IdempotencyKey(log.ID(), in.Step, in.Text()) }
	outcome, err := d.run(ctx, RunCreated{Run: string(log.ID()), StartedAt: log.StartedAt(), Inputs: inputs})
	if closeErr := log.Close(); err == nil && closeErr != nil {
		return nil, fmt.Errorf("the run %s has ended, but its journal cannot be closed: %w", log.ID(), closeErr)
	}
	return outcome, err
}

// secrets resolves all secrets of the plan, since a result may hold any of them.
func (o *Options) secrets() (map[string]string, error) {
	all := make(map[string]string, len(o.Program.plan.Secrets))
	for _, s := range o.Program.plan.Secrets {
		if o.Secret == nil {
			return nil, fmt.Errorf("the secret %s cannot be read: no secrets are given to this run", s.Name)
		}
		v, err := o.Secret(s.Name)
		if err != nil {
			return nil, err
		}
		all[s.Name] = v
	}
	return all, nil
}

// runLog is what the driver needs of a *journal.Run.
type runLog interface {
	Append(journal.Event) error
	Barrier(context.Context) error
	Commit(context.Context, ...journal.Event) error
}

// driver drives one core on this machine. Facts come from several goroutines,
// one a call; mu makes them one sequence, which is the journal's too.
type driver struct {
	caller Caller
	log    runLog
	clock  func() time.Time
	redact *redact.Redactor
	digest func([]byte) string
	key    func(Instance) string
	blob   func(*value.BlobValue) ([]byte, error)
	watch  *watcher // nil: nobody watches
	prog   *Program

	callers sync.WaitGroup // the goroutines of calls

	mu       sync.Mutex
	core     *Core
	base     context.Context // of all calls; carries the values of Run's ctx, not its end
	calls    map[Addr]*liveCall
	sessions map[sessionID]session // the last one seen
	queues   map[sessionID]*place  // the last place that was taken in its queue
	appended uint64                // events handed to the journal
	fatal    error                 // why the journal cannot be written; nil: it can
	over     chan struct{}         // closed when nothing is left to wait for
	isOver   bool
}

// sessionID tells the sessions of a run apart.
type sessionID struct {
	connection string
	private    bool // to the run
}

// session is the session that a connection's calls last used.
type session struct {
	generation uint64
	reason     string // of the last failure on it, for the record of its loss
}

// liveCall is a call in flight.
type liveCall struct {
	StartCall
	ctx    context.Context
	cancel context.CancelCauseFunc
	before *place // of the call before it on the connection; nil: there was none
	place  *place

	mu       sync.Mutex
	timer    *time.Timer // nil: not running
	returned bool        // Call has returned
}

// The causes for which the driver ends a call.
var (
	errTimedOut = errors.New("its timeout passed")
	errStopped  = errors.New("the run stops")
)

func newDriver(opts Options, log runLog, secrets map[string]string) *driver {
	d := &driver{
		caller: opts.Caller, log: log, clock: opts.Clock, prog: opts.Program,
		calls: map[Addr]*liveCall{}, sessions: map[sessionID]session{}, queues: map[sessionID]*place{}, over: make(chan struct{}),
	}
	if d.clock == nil {
		d.clock = time.Now
	}
	known := make([]redact.Secret, 0, len(secrets))
	for _, s := range opts.Program.plan.Secrets {
		known = append(known, redact.Secret{Name: s.Name, Value: secrets[s.Name]})
	}
	d.redact = redact.New(known)
	core := CoreOptions{
		Secret: func(name string) (string, error) {
			if v, ok := secrets[name]; ok {
				return v, nil
			}
			return "", fmt.Errorf("secret.%s is not part of the plan", name)
		},
		IdempotencyKey: func(in Instance) string {
			if d.key == nil {
				return ""
			}
			return d.key(in)
		},
		Redact: d.redact.Text,
		Blob:   func(b *value.BlobValue) ([]byte, error) { return d.blob(b) },
	}
	d.core = NewCore(opts.Program, core)
	if opts.Watch != nil {
		d.watch = newWatcher(opts.Watch, d.barrier)
	}
	return d
}

// run feeds the core until the run ends.
func (d *driver) run(ctx context.Context, created RunCreated) (*Outcome, error) {
	base, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(errStopped)
	d.base = base
	if d.watch != nil {
		d.watch.start()
		d.watch.push(RunStarted{created.Run, d.prog.plan.Workflow, d.prog.plan.Deployment, created.StartedAt}, 0)
		for _, name := range d.redact.Short() {
			d.watch.push(RunWarning{created.Run, fmt.Sprintf("The secret %s is shorter than %d characters and is not taken out of results.", name, redact.MinLength)}, 0)
		}
	}
	d.feed(created)

	abandoned := false
	select {
	case <-d.over:
	case <-ctx.Done():
		d.cancelRun(ctx)
		abandoned = d.awaitCalls()
	}
	if !abandoned {
		d.callers.Wait()
	}
	return d.finish(created.Run)
}

// finish makes the end of the run durable and tells it.
func (d *driver) finish(run string) (*Outcome, error) {
	d.mu.Lock()
	ended, err := d.core.Ended(), d.fatal
	d.mu.Unlock()
	now := d.clock()
	if err == nil {
		ev := d.core.encode(*ended, nil)
		ev.Time = now
		err = d.log.Commit(context.Background(), ev)
	}
	if err != nil {
		if d.watch != nil {
			d.watch.stop(false)
		}
		return nil, fmt.Errorf("the run %s was stopped because its journal cannot be written: %w", run, err)
	}
	if d.watch != nil {
		d.watch.push(RunFinished{Run: run, Status: ended.Status, Outputs: ended.Outputs, Err: ended.Err, Time: now}, d.appended)
		d.watch.stop(true)
	}
	return &Outcome{Run: run, Status: ended.Status, Outputs: ended.Outputs, Err: ended.Err}, nil
}

// cancelRun asks the core to end the run.
func (d *driver) cancelRun(ctx context.Context) {
	by := ""
	if cause := context.Cause(ctx); cause != ctx.Err() {
		by = cause.Error()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isOver || d.fatal != nil {
		return
	}
	f := CancelRequested{By: by}
	d.append(d.core.encode(f, nil))
	d.step(f)
}

// awaitCalls waits for the end of a cancelled run. It reports whether calls
// were given up that had not returned in time.
func (d *driver) awaitCalls() (abandoned bool) {
	limit := time.NewTimer(cancelWait)
	defer limit.Stop()
	select {
	case <-d.over:
		return false
	case <-limit.C:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	stuck := make([]Addr, 0, len(d.calls))
	for at := range d.calls {
		stuck = append(stuck, at)
	}
	slices.SortFunc(stuck, func(a, b Addr) int { return cmp.Or(a.Node-b.Node, a.Elem-b.Elem) })
	for _, at := range stuck {
		delete(d.calls, at)
		d.step(CallFailed{at, &CallError{
			Kind: KindCancelled, Sent: SentMaybe,
			Message: fmt.Sprintf("The call of %s was cancelled and did not end within %s.", d.tool(at), cancelWait),
		}})
	}
	d.checkOver()
	return len(stuck) > 0
}

// feed hands a fact to the core and does what it says.
func (d *driver) feed(f Fact) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.step(f)
	d.checkOver()
}

// step is feed with mu held.
func (d *driver) step(f Fact) {
	if live := d.advance(f); live != nil {
		d.start(live)
	}
}

// advance is step, but for the first call that is to be made now, if there is
// one: it is the caller's to make.
func (d *driver) advance(f Fact) (first *liveCall) {
	if d.fatal != nil {
		return nil
	}
	commands, err := d.core.Step(f)
	if err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	for _, c := range commands {
		switch c := c.(type) {
		case Record:
			d.keep(c.Fact)
		case StartCall:
			if live := d.newCall(c); first == nil {
				first = live
			} else {
				d.start(live)
			}
		case CancelCall:
			if live := d.calls[c.At]; live != nil {
				live.cancel(errStopped)
			}
		}
	}
	return first
}

// checkOver closes over when the run ended, or cannot be recorded any more,
// and no call is in flight.
func (d *driver) checkOver() {
	if !d.isOver && len(d.calls) == 0 && (d.fatal != nil || d.core.Ended() != nil) {
		d.isOver = true
		close(d.over)
	}
}

// keep journals a fact of the core and tells the watcher. The end of the run is
// kept by finish, which waits for it.
func (d *driver) keep(f Fact) {
	if _, ended := f.(RunEnded); ended {
		return
	}
	ev := d.core.encode(f, nil)
	ev.Time = d.clock()
	d.append(ev)
	if d.watch == nil {
		return
	}
	switch f := f.(type) {
	case NodeStarted:
		d.watch.push(StepStarted{Step: d.core.Instance(f.At), Elements: d.core.Elements(f.At.Node), Time: ev.Time}, d.appended)
	case NodeEnded:
		d.watch.push(StepFinished{Step: d.core.Instance(f.At), Outcome: f.Outcome, Failure: f.Failure, Time: ev.Time}, d.appended)
	}
}

// append queues an event for the journal. The first failure ends the run.
func (d *driver) append(ev journal.Event) {
	if d.fatal != nil {
		return
	}
	if err := d.log.Append(ev); err != nil {
		d.fail(err)
		return
	}
	d.appended++
}

// fail stops all: what cannot be recorded must not happen.
func (d *driver) fail(err error) {
	if d.fatal != nil {
		return
	}
	d.fatal = err
	for _, live := range d.calls {
		live.cancel(errStopped)
	}
}

// barrier waits until all events so far are durable and returns how many they are.
func (d *driver) barrier(ctx context.Context) (uint64, error) {
	d.mu.Lock()
	n, err := d.appended, d.fatal
	d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if err := d.log.Barrier(ctx); err != nil {
		if ctx.Err() == nil {
			d.mu.Lock()
			d.fail(err)
			d.checkOver()
			d.mu.Unlock()
		}
		return 0, err
	}
	return n, nil
}

func (d *driver) tool(at Addr) string {
	n := &d.prog.nodes[at.Node]
	return n.connection + "." + n.spec.Tool
}
