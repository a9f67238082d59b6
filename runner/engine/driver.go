package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/redact"
)

// cancelWait bounds how long a cancelled run waits for its calls. Callers
// return at once when they are cancelled; this is for one that is stuck.
const cancelWait = 10 * time.Second

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
	name   string // the run's id
	// newSessions: new private sessions stand for those of the process that died.
	newSessions bool
	redact      *redact.Redactor
	digest      func([]byte) string
	key         func(Instance) string
	blob        func(*value.BlobValue) ([]byte, error)
	// keepBlob keeps binary content; sensitive: encrypted.
	keepBlob func(ctx context.Context, data []byte, sensitive bool) (string, error)
	watch    *watcher        // nil: nobody watches
	tell     func(Event)     // of the watcher, for what comes before it is started; nil: nobody watches
	begun    RunBegun        // of a run that was queued
	early    []journal.Event // messages that were received before the run goes on
	leave    <-chan struct{} // see [Options]; nil: never
	idle     func()          // the same
	prog     *Program

	options CoreOptions
	// Of a run in a journal; nil in others. mail receives when there are messages;
	// park gives up a run that waits, unless there are.
	mail    <-chan struct{}
	receive func(context.Context) ([]journal.Event, error)
	park    func(context.Context) (bool, error)

	callers sync.WaitGroup // the goroutines of calls

	mu       sync.Mutex
	core     *Core
	base     context.Context // of all calls; carries the values of Run's ctx, not its end
	calls    map[Addr]*liveCall
	sessions map[SessionID]session // the last one seen
	queues   map[SessionID]*place  // the last place that was taken in its queue
	drifts   map[driftKey]*drifts
	appended uint64                         // events handed to the journal
	message  int64                          // the message that becomes the next event; 0: none does
	attended map[*asking]context.CancelFunc // questions that somebody may answer here; see [Options].Ask
	asker    func(context.Context, journal.Question)
	fatal    error         // why the run cannot go on; nil: it can
	over     chan struct{} // receives when nothing is left to wait for
	timer    *time.Timer   // for the earliest of the core's timers and of the calls that are to be given up
	armed    time.Time     // when it fires; zero: it is not set
	giveUps  []*liveCall   // calls that were cancelled, the first first
	stuck    bool          // a call was given up, whose goroutine may never end
	leaving  bool          // nothing new begins, and the run is given up once no call is in flight
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

	giveUpAt time.Time // once it is cancelled

	mu       sync.Mutex
	timer    *time.Timer // nil: not running
	returned bool        // Call has returned
}

// what names what is called, for messages.
func (l *liveCall) what() string {
	if l.Do == plan.Read {
		return l.Session.Connection + " " + l.Tool
	}
	return l.Session.Connection + "." + l.Tool
}

// The causes for which the driver ends a call.
var (
	errTimedOut = errors.New("its timeout passed")
	errLate     = errors.New("its deadline passed")
	errStopped  = stopped(theRunStops)
)

// stopped is such a cause: the clause of a [CancelCall].
type stopped string

func (s stopped) Error() string { return string(s) }

func newDriver(opts Options, log runLog, secrets map[string]string) *driver {
	d := &driver{
		newSessions: opts.NewSessions, leave: opts.Leave, idle: opts.Idle,
		caller: opts.Caller, log: log, clock: opts.Clock, prog: opts.Program,
		calls: map[Addr]*liveCall{}, sessions: map[SessionID]session{}, queues: map[SessionID]*place{}, asker: opts.Ask, attended: map[*asking]context.CancelFunc{}, drifts: map[driftKey]*drifts{},
		over: make(chan struct{}, 1), timer: time.NewTimer(time.Hour),
	}
	d.timer.Stop()
	if d.clock == nil {
		d.clock = func() time.Time { return time.Now().UTC() } // to print local times, a zone has to be read
	}
	known := make([]redact.Secret, 0, len(secrets))
	for _, s := range opts.Program.plan.Secrets {
		known = append(known, redact.Secret{Name: s.Name, Value: secrets[s.Name]})
	}
	d.redact = redact.New(known)
	d.options = CoreOptions{
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
		Redact:    d.redact.Text,
		Blob:      func(b *value.BlobValue) ([]byte, error) { return d.blob(b) },
		MaxResult: opts.MaxResult,
		Past:      opts.Past,
	}
	d.core = NewCore(opts.Program, d.options)
	if opts.Watch != nil {
		d.tell = opts.Watch
		d.watch = newWatcher(opts.Watch, d.barrier)
	}
	return d
}

// run begins a run and feeds the core until it ends.
func (d *driver) run(ctx context.Context, created RunCreated) (*Outcome, error) {
	d.name = created.Run
	if !created.Queued {
		return d.drive(ctx, created.StartedAt, func() { d.step(created) })
	}
	return d.drive(ctx, d.begun.Time, func() {
		d.step(created)
		d.step(d.begun)
	})
}

// resume goes on with a run whose history the core has.
func (d *driver) resume(ctx context.Context) (*Outcome, error) {
	waiting, err := d.receive(ctx)
	if err != nil {
		return nil, err
	}
	waiting = append(d.early, waiting...)
	if d.core.began.IsZero() {
		if err := d.core.Replay(d.begun); err != nil {
			return nil, err
		}
	}
	return d.drive(ctx, d.core.began, func() {
		for _, ev := range waiting {
			d.takeBefore(ev)
		}
		if d.newSessions {
			clear(d.core.gone) // those that were lost before, too
		}
		for id, last := range d.sessions {
			if !id.Private || d.core.gone[id.Connection] || d.newSessions {
				continue
			}
			d.append(journal.Event{Data: journal.SessionLost{
				Connection: id.Connection, Generation: last.generation, Reason: "The process that had it ended.", Private: true,
			}})
			d.step(SessionGone{Connection: id.Connection})
		}
		clear(d.sessions)
		d.perform(d.core.Resume(d.clock()))
	})
}

// takeBefore takes a message that came while the run had no owner, before anything
// of it goes on.
func (d *driver) takeBefore(ev journal.Event) {
	f, err := d.core.decode(ev)
	switch word := f.(type) {
	case NodeResolved:
		word.Time = d.clock()
		f = word
	case NodeAnswered:
		f = d.answerOf(word)
		ev.Data = d.core.encode(f, "").Data
	}
	if err != nil || f == nil || d.core.Replay(f) != nil {
		ev = journal.Event{Data: journal.RunWaiting{}, Message: ev.Message} // it leaves the inbox all the same
	}
	d.message = ev.Message
	ev.Time = d.clock()
	d.append(ev)
	if word, ok := f.(NodeAnswered); ok && ev.Node != "" && d.watch != nil {
		d.watch.push(StepAnswered{Step: d.core.Instance(word.At), By: word.By, Declined: word.Declined, Time: ev.Time}, d.appended)
	}
}

// remember notes what the history says of sessions.
func (d *driver) remember(ev journal.Event) {
	switch p := ev.Data.(type) {
	case journal.SessionOpened:
		d.sessions[SessionID{p.Connection, p.Private}] = session{generation: p.Generation}
	case journal.SessionLost:
		delete(d.sessions, SessionID{p.Connection, p.Private})
	}
}

// drive does what begin has to be done, and all that follows from it.
func (d *driver) drive(ctx context.Context, started time.Time, begin func()) (*Outcome, error) {
	base, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(errStopped)
	d.base = base
	if d.watch != nil {
		begin := []Event{RunStarted{d.name, d.prog.plan.Workflow, d.prog.plan.Deployment, started}}
		for _, name := range d.redact.Short() {
			begin = append(begin, RunWarning{d.name, fmt.Sprintf("The secret %s is shorter than %d characters and is not taken out of results.", name, redact.MinLength)})
		}
		d.watch.start(begin...)
	}
	d.locked(begin)
	defer d.timer.Stop()
	for {
		d.await(ctx)
		if outcome, err, again := d.finish(ctx); !again {
			return outcome, err
		}
	}
}

// locked runs f, which feeds the core.
func (d *driver) locked(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	d.checkOver()
}

// await returns when there is nothing to wait for any more: the run has ended, or
// waits for somebody, or cannot go on.
func (d *driver) await(ctx context.Context) {
	cancelled, leave := ctx.Done(), d.leave
	for over := false; !over; {
		select {
		case <-d.over:
			d.mu.Lock()
			over = d.isOver() // it may have gone on since
			d.mu.Unlock()
		case <-cancelled:
			cancelled = nil
			d.locked(func() { d.cancelRun(ctx) })
		case <-leave:
			leave = nil
			d.locked(func() {
				d.leaving = true
				d.attend()
			})
		case <-d.timer.C:
			d.beforeTick(ctx)
			d.locked(d.tick)
		case <-d.mail:
			d.takeMail(ctx)
		}
	}
	d.mu.Lock()
	stuck := d.stuck
	d.mu.Unlock()
	if !stuck {
		d.callers.Wait()
	}
}

// tick does what is due.
func (d *driver) tick() {
	d.armed = time.Time{}
	if d.fatal != nil || d.core.Ended() != nil {
		return
	}
	now := d.clock()
	for len(d.giveUps) > 0 && !d.giveUps[0].giveUpAt.After(now) {
		live := d.giveUps[0]
		d.giveUps = d.giveUps[1:]
		if d.calls[live.At] != live {
			continue
		}
		delete(d.calls, live.At)
		d.stuck = true
		d.step(CallFailed{live.At, &CallError{
			Kind: KindCancelled, Sent: SentMaybe,
			Message: fmt.Sprintf("The call of %s was cancelled and did not end within %s.", live.what(), cancelWait),
		}})
	}
	d.perform(d.core.Tick(now))
}

// arm has the timer fire when there is something to do.
func (d *driver) arm() {
	due := d.core.Timer()
	for len(d.giveUps) > 0 && d.calls[d.giveUps[0].At] != d.giveUps[0] {
		d.giveUps = d.giveUps[1:]
	}
	if len(d.giveUps) > 0 && (due.IsZero() || d.giveUps[0].giveUpAt.Before(due)) {
		due = d.giveUps[0].giveUpAt
	}
	if due.IsZero() || !d.armed.IsZero() && !due.Before(d.armed) {
		return // it fires too early at worst
	}
	d.armed = due
	d.timer.Reset(max(due.Sub(d.clock()), 0))
}

// takeMail takes what others want of the run.
func (d *driver) takeMail(ctx context.Context) {
	events, err := d.receive(context.WithoutCancel(ctx))
	d.locked(func() {
		if err != nil {
			d.fail(err)
		}
		for _, ev := range events {
			d.message = ev.Message
			d.take(ev)
			if d.message != 0 {
				// It came too late, or is no answer: it leaves the inbox all the same.
				d.append(journal.Event{Data: journal.RunWaiting{}})
			}
		}
	})
}

// take does what a message wants; it becomes an event, if it can.
func (d *driver) take(ev journal.Event) {
	if d.fatal != nil || d.core.Ended() != nil {
		return
	}
	switch p := ev.Data.(type) {
	case journal.CancelRequested:
		f := CancelRequested{By: p.By}
		d.append(d.core.encode(f, ""))
		d.step(f)
	case journal.NodeAnswered:
		if f, err := d.core.decode(ev); err == nil {
			if commands, err := d.core.Answer(d.answerOf(f.(NodeAnswered))); err == nil {
				d.perform(commands)
			}
		}
	case journal.NodeResolved:
		f, err := d.core.decode(ev)
		word, ok := f.(NodeResolved)
		if err != nil || !ok {
			return
		}
		word.Time = d.clock()
		if commands, err := d.core.Resolve(word); err == nil {
			d.perform(commands)
		}
	}
}

// finish makes durable how the run ended, or that it waits, and tells it. again
// says that a message came meanwhile, with which it goes on.
func (d *driver) finish(ctx context.Context) (outcome *Outcome, err error, again bool) {
	d.mu.Lock()
	ended, err, leaving := d.core.Ended(), d.fatal, d.leaving
	d.mu.Unlock()
	now := d.clock()
	out := &Outcome{Run: d.name, Status: StatusWaiting}
	ev := journal.Event{Data: journal.RunWaiting{}}
	if errors.Is(err, ErrLeft) || leaving && err == nil && ended == nil && !d.core.Waiting() {
		err := d.log.Barrier(context.Background())
		if d.watch != nil {
			d.watch.stop(err == nil)
		}
		return d.left(), err, false
	}
	switch {
	case err != nil:
	case ended != nil:
		if d.idle != nil {
			d.idle()
		}
		out.Status, out.Outputs, out.Err = ended.Status, ended.Outputs, ended.Err
		ev = d.core.encode(*ended, "")
	default:
		out.Doubts, out.Questions = d.core.Doubts(), d.core.Questions()
	}
	if err == nil {
		ev.Time = now
		err = d.log.Commit(context.Background(), ev)
	}
	if err == nil && ended == nil && d.park != nil {
		parked, parkErr := d.park(context.WithoutCancel(ctx))
		if err = parkErr; err == nil && !parked {
			d.takeMail(ctx)
			return nil, nil, true
		}
	}
	if err != nil {
		if d.watch != nil {
			d.watch.stop(false)
		}
		if e := (*ChangedError)(nil); errors.As(err, &e) {
			return nil, err, false
		}
		return nil, fmt.Errorf("the run %s was stopped because its journal cannot be written: %w", d.name, err), false
	}
	if d.watch != nil {
		if ended != nil {
			shown := ended.Err
			if d.core.tellsSensitive(shown) {
				shown = shownError(shown)
			}
			d.watch.push(RunFinished{Run: d.name, Status: ended.Status, Outputs: ended.Outputs, Err: shown, Time: now}, d.appended)
		} else {
			d.watch.push(RunWaits{Run: d.name, Steps: out.Doubts, Questions: out.Questions, Time: now}, d.appended)
		}
		d.watch.stop(true)
	}
	return out, nil, false
}

// cancelRun asks the core to end the run.
func (d *driver) cancelRun(ctx context.Context) {
	if d.fatal != nil || d.core.Ended() != nil {
		return
	}
	if isLeft(ctx) {
		d.giveUp()
		return
	}
	f := CancelRequested{By: cancelledBy(ctx)}
	d.append(d.core.encode(f, ""))
	d.step(f)
}

// cancelledBy says by whom a context was ended; "": it is not known.
func cancelledBy(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return cause.Error()
	}
	return ""
}
