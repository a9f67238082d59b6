package service

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// runTable has the runs that go on in a host.
type runTable struct {
	host  *Host
	base  context.Context         // of all runs
	stop  context.CancelCauseFunc // ends base
	leave chan struct{}           // closed when runs are to be parked
	queue queue

	mu      sync.Mutex
	live    map[string]*liveRun    // by id
	due     map[string]*time.Timer // of runs that wait, for their earliest deadline
	changed chan struct{}          // closed and replaced when a run begins or goes on no more
	closing bool
	all     sync.WaitGroup // of the goroutines of runs
}

// going is what a run in the table is told and told of.
type going struct {
	turn  *turn // nil: it is now
	leave <-chan struct{}
	watch func(engine.Event)
}

// liveRun is a run that goes on, or is about to begin.
type liveRun struct {
	workflow, deployment string
	log                  *eventLog
	trace                *runTrace
	since                time.Time       // when it began here
	by                   context.Context // of who started it; nil: it is resumed

	known   chan struct{} // closed once id is set, or the run could not begin
	id      string
	told    sync.Once
	first   chan struct{} // closed when something was told of it here, or it goes on no more
	done    chan struct{} // closed when it goes on no more
	outcome *engine.Outcome
	err     error // why there is no outcome
}

func (t *runTable) open(h *Host) {
	t.host = h
	t.base, t.stop = context.WithCancelCause(context.Background())
	t.leave = make(chan struct{})
	t.changed = make(chan struct{})
	t.live, t.due = map[string]*liveRun{}, map[string]*time.Timer{}
	t.queue.open(h.options.MaxRuns, max(h.options.MaxQueued, 0))
}

// start has a new run executed by do.
func (t *runTable) start(by context.Context, line, workflow, deployment string, do func(context.Context, going) (*engine.Outcome, error)) (*liveRun, error) {
	turn, ok := t.queue.enter(line, false)
	if !ok {
		return nil, refuse(Limit, "%d runs go on and %d wait for their turn, which is as many as there may be. Try again later.", t.queue.most, t.queue.mostWaiting)
	}
	r := &liveRun{workflow: workflow, deployment: deployment, by: by, log: newEventLog(0, false), known: make(chan struct{}), first: make(chan struct{}), done: make(chan struct{})}
	return r, t.execute(r, turn, do)
}

// resume has a run of the journal go on. Its place in the line is sure: it had one.
func (t *runTable) resume(record *journal.RunRecord, anew bool) (*liveRun, error) {
	id := string(record.Run)
	if record.FinishedAt != nil {
		e := refuse(Conflict, "The run %s has ended: it is %s.", id, record.Status)
		e.Run = id
		return nil, e
	}
	r := &liveRun{workflow: record.Workflow, deployment: record.Deployment, id: id, known: make(chan struct{}), first: make(chan struct{}), done: make(chan struct{})}
	close(r.known)
	before, err := t.host.told(context.Background(), id)
	if err != nil {
		return nil, kindly(err)
	}
	begun := slices.ContainsFunc(before, func(ev RunEvent) bool { _, is := ev.Event.(engine.RunStarted); return is })
	r.log = newEventLog(lastOf(before), begun)
	t.mu.Lock()
	if t.live[id] != nil {
		t.mu.Unlock()
		e := refuse(Conflict, "The run %s goes on already.", id)
		e.Run = id
		return nil, e
	}
	t.live[id] = r
	if timer := t.due[id]; timer != nil {
		timer.Stop()
		delete(t.due, id)
	}
	t.mu.Unlock()
	turn, _ := t.queue.enter(id, true)
	defer t.change()
	return r, t.execute(r, turn, func(ctx context.Context, g going) (*engine.Outcome, error) {
		return t.host.service.goOn(ctx, id, anew, g)
	})
}

// execute starts the goroutine of a run.
func (t *runTable) execute(r *liveRun, turn *turn, do func(context.Context, going) (*engine.Outcome, error)) error {
	t.mu.Lock()
	if t.closing {
		t.mu.Unlock()
		turn.Give()
		t.forget(r)
		return refuse(Closing, "The server is stopping, so that nothing begins any more.")
	}
	t.all.Add(1)
	t.mu.Unlock()
	go func() {
		defer t.all.Done()
		defer turn.Give()
		var ctx context.Context
		ctx, r.trace = t.host.service.traceRun(t.base, r.by, r.workflow, r.deployment)
		r.trace.named(r.id)
		t.host.metrics.began(r)
		r.outcome, r.err = do(ctx, going{turn: turn, leave: t.leave, watch: func(ev engine.Event) { t.watched(r, ev) }})
		turn.Give() // before anybody is told of the end: there is room for who waited for it
		r.trace.ended(r.outcome)
		t.host.metrics.ended(r)
		t.ended(r)
	}()
	return nil
}

// watched takes an event of a run.
func (t *runTable) watched(r *liveRun, ev engine.Event) {
	switch ev := ev.(type) {
	case engine.RunQueued:
		t.named(r, ev.Run)
	case engine.RunStarted:
		t.named(r, ev.Run)
	}
	r.trace.watched(ev)
	r.log.add(ev)
	r.told.Do(func() { close(r.first) })
	t.host.metrics.watched(ev)
}

// named notes the id of a run, which is durable now.
func (t *runTable) named(r *liveRun, id string) {
	if id == "" || r.id != "" {
		return
	}
	t.mu.Lock()
	t.live[id] = r
	t.mu.Unlock()
	r.id = id
	r.trace.named(id)
	close(r.known)
	t.change()
	t.host.log.Info("run started", "run", id, "workflow", r.workflow, "deployment", r.deployment)
}

// ended takes the end of a run's goroutine.
func (t *runTable) ended(r *liveRun) {
	if r.outcome != nil && r.outcome.Status == engine.StatusWaiting {
		t.remind(r.id, r.outcome.Questions)
	}
	t.forget(r)
	r.log.end()
	if r.id == "" {
		close(r.known)
	} else {
		t.logEnd(r)
	}
	close(r.done)
	r.told.Do(func() { close(r.first) })
	t.change()
}

// change tells those who wait for a change.
func (t *runTable) change() {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.changed)
	t.changed = make(chan struct{})
}

// next is closed when a run begins or goes on no more after now.
func (t *runTable) next() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// remind has a run that waits go on when the earliest deadline of its questions passes.
func (t *runTable) remind(id string, questions []journal.Question) {
	var first time.Time
	for _, q := range questions {
		if q.Deadline != nil && (first.IsZero() || q.Deadline.Before(first)) {
			first = *q.Deadline
		}
	}
	if first.IsZero() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return
	}
	t.due[id] = time.AfterFunc(max(time.Until(first), 0), func() {
		t.mu.Lock()
		if t.closing {
			t.mu.Unlock()
			return
		}
		t.all.Add(1)
		t.mu.Unlock()
		defer t.all.Done()
		if _, err := t.host.Resume(t.base, id, ResumeRun{}); err != nil {
			t.host.log.Info("run not resumed at its deadline", "run", id, "error", err.Error()) // somebody has it
		}
	})
}

func (t *runTable) logEnd(r *liveRun) {
	log := t.host.log.With("run", r.id, "workflow", r.workflow, "deployment", r.deployment)
	switch {
	case r.err != nil:
		log.Error("run stopped", "error", r.err.Error())
	case r.outcome.Err != nil:
		log.Warn("run ended", "status", r.outcome.Status, "kind", r.outcome.Err.Kind, "step", r.outcome.Err.At.String())
	default:
		log.Info("run ended", "status", r.outcome.Status)
	}
}

func (t *runTable) forget(r *liveRun) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.id != "" && t.live[r.id] == r {
		delete(t.live, r.id)
	}
}

// get returns a run that goes on here; nil: it does not.
func (t *runTable) get(id string) *liveRun {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live[id]
}

// begun waits until a run is durable and returns its id.
func (r *liveRun) begun(ctx context.Context) (string, error) {
	select {
	case <-r.known:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if r.id != "" {
		return r.id, nil
	}
	<-r.done
	if r.err == nil {
		r.err = errors.New("the run did not begin")
	}
	return "", r.err
}

// resumed waits until a run that is resumed goes on, and says why it does not.
func (r *liveRun) resumed(ctx context.Context) error {
	select {
	case <-r.first:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// await waits until a run that goes on here goes on no more.
func (t *runTable) await(ctx context.Context, id string) error {
	r := t.get(id)
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close parks all runs and waits for their goroutines; the end of ctx gives up the
// calls that are in flight then.
func (t *runTable) close(ctx context.Context) {
	t.mu.Lock()
	again := t.closing || t.base == nil
	t.closing = true
	if !again {
		close(t.leave) // at once: who is told that nothing begins any more can rely on it
	}
	for _, timer := range t.due {
		timer.Stop()
	}
	t.mu.Unlock()
	if again {
		return
	}
	t.queue.close()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		t.all.Wait()
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		t.stop(engine.ErrLeft)
		<-gone
	}
	t.stop(engine.ErrLeft)
}

// goOn resumes a run in the table of a host.
func (s *Service) goOn(ctx context.Context, id string, anew bool, g going) (*engine.Outcome, error) {
	store, run, prepared, err := s.recorded(ctx, id, true)
	if err != nil {
		return nil, err
	}
	targets, release := prepared.targets()
	defer release()
	opts := prepared.options(store, targets, g.watch)
	opts.NewSessions, opts.Turn, opts.Leave = anew, g.turn, g.leave
	return engine.Resume(ctx, opts, run)
}
