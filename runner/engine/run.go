package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

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
	// Previous is run.previous of a new run: an object, or null.
	Previous value.Value
	// Past is an earlier run whose results a new one keeps where they are still right;
	// nil: none. A run that is resumed loads its own.
	Past *Past
	// NewSessions lets a run that is resumed go on with new sessions in place of those
	// private to it that died with its process: whoever resumes it says that nothing
	// of what they kept is needed. Else steps that would use them fail, kind session.
	NewSessions bool
	// StartOver has a run that is resumed do the steps again that used such sessions, and
	// those after them, where the one rule for repeats allows; else the error is a
	// [*StartOverError], and nothing has changed.
	StartOver bool
	// PreviousSensitive: Previous is encrypted on disk.
	PreviousSensitive bool
	// Secret gives the value of a secret of the plan. Nil: the plan has none. All
	// are asked for before the run is created.
	Secret func(name string) (string, error)
	// Watch is told what happens, in order, from one goroutine, and has returned from
	// its last call when Run returns. It must not block for long: results wait in
	// memory meanwhile. Nil: nobody watches.
	Watch func(Event)
	// Ask has a person answer a question here, which is durable then. It answers with
	// [AnswerQuestion], as anybody else would, and returns when it has, when nobody here will
	// answer, or ctx is done: somebody else has answered, or the question is asked no
	// longer. Until it returns, the run does not stop to wait. It is called on a goroutine
	// of its own, for several questions at once. Nil: nobody is here, and the run stops.
	Ask func(ctx context.Context, q journal.Question)
	// MaxResult is the number of bytes up to which a result may be kept; 0: any number.
	MaxResult int64
	// Turn is the run's place among those of this process; nil: its turn is now. Whoever
	// gives it takes it back when Run or Resume has returned.
	Turn Turn
	// Leave is closed when the process wants to end: nothing new begins, calls in
	// flight are awaited, and the run is given up where it is, to be resumed: the
	// outcome is [StatusInterrupted]. Who cannot wait for the calls ends Run's context
	// with the cause [ErrLeft]. Nil: never.
	Leave <-chan struct{}
	// Idle is called when the run has come to its end and calls nothing any more,
	// before that is durable; nil: nobody wants to know.
	Idle func()
	// Clock gives the time of events; nil: time.Now.
	Clock func() time.Time
}

// Outcome is how a run ended, or that it waits.
type Outcome struct {
	Run     string
	Status  Status
	Outputs value.Value // an object; null unless completed
	Err     *RunError   // nil if completed
	// Doubts are the steps of which somebody must say what their effect came to,
	// where Status is waiting.
	Doubts []Instance
	// Questions are what it asks, where Status is waiting.
	Questions []journal.Question
	// Folder has outputs.json or error.json, and the blobs of the outputs as files.
	// The service makes it; "": it could not, as FolderErr says, or the run waits.
	Folder    string
	FolderErr error
}

// ChangedError says that a run cannot go on: what a step is to be called with is
// not what it was called with before.
type ChangedError struct{ Run, Step string }

// Error returns full sentences.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("The run %s cannot go on: the arguments of the step %s are not those that its journal has for the call that was under way. A secret, or the plan, was changed. Nothing was sent.", e.Run, e.Step)
}

// Run creates a run and executes it until it ends, or waits for somebody. When ctx
// is done the run is cancelled: calls in flight are cancelled on the wire, what
// was done is undone, and the end is recorded all the same. An error means that
// there is no outcome: an [*InputError] or a journal that could not create the
// run, and then nothing was done; or a journal that failed on the way, and then
// the run is as its history says.
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
	created := journal.NewRun{
		Plan: prog.encoded(), PlanDigest: prog.plan.Digest, Workflow: prog.plan.Workflow, Deployment: prog.plan.Deployment,
		Inputs: json.RawMessage(value.AppendStored(nil, inputs)), Sensitive: prog.sensitiveInputs || opts.PreviousSensitive, Seals: prog.holdsSensitive, Key: opts.Key,
	}
	if opts.Past != nil {
		created.Reuses = opts.Past.run
	}
	if !opts.Previous.IsNull() {
		created.Previous = value.AppendStored(nil, opts.Previous)
	}
	turn, err := opts.turn(ctx, "", inputs, opts.Previous)
	defer func() { turn.slot.Give() }()
	if err != nil {
		return nil, err
	}
	queued := !turn.come(&opts)
	if queued {
		created.Line = turn.lineOr()
	}
	log, err := opts.Journal.CreateRun(ctx, created)
	if err != nil {
		return nil, err
	}
	d := newDriver(opts, log, secrets)
	d.owns(ctx, log, opts.Journal)
	f := RunCreated{Run: string(log.ID()), StartedAt: log.StartedAt(), Inputs: inputs, Previous: opts.Previous, Queued: queued}
	if f.Queued {
		if cancelled, err := d.wait(ctx, log, &turn, &opts); cancelled != nil || err != nil {
			return closed(log, cancelled, err)
		}
	}
	outcome, err := d.run(ctx, f)
	return closed(log, outcome, err)
}

// Resume goes on with a run of the journal that has no owner: one whose process
// died, or one that waits and was resolved. Of opts, Program must be that of the
// run's plan; Inputs, Key and Previous are the run's own. What has ended is not done
// again; calls that had left are, where the one rule for repeats allows, and else
// are in doubt. The error says, with the journal's reasons, why the run cannot be
// had: it has an owner, or is finished; or, a [*ChangedError], why it cannot go on.
func Resume(ctx context.Context, opts Options, run journal.RunID) (*Outcome, error) {
	secrets, err := opts.secrets()
	if err != nil {
		return nil, err
	}
	log, err := opts.Journal.Adopt(ctx, run)
	if err != nil {
		return nil, err
	}
	if opts.Past, err = pastOf(ctx, opts.Journal, run); err != nil {
		return closed(log, nil, err)
	}
	d := newDriver(opts, log, secrets)
	d.owns(ctx, log, opts.Journal)
	restore := func() error {
		d.core, err = Restore(opts.Program, d.options, run, noting(opts.Journal.Standing(ctx, run), d.remember))
		return err
	}
	if err = restore(); err == nil && opts.StartOver {
		var again bool
		if again, err = d.startOver(ctx, opts.Journal, log); again {
			err = restore()
		}
	}
	if err != nil {
		return closed(log, nil, err)
	}
	turn, cancelled, err := d.takeTurn(ctx, &opts, log)
	defer func() { turn.slot.Give() }()
	if cancelled != nil || err != nil {
		return closed(log, cancelled, err)
	}
	outcome, err := d.resume(ctx)
	return closed(log, outcome, err)
}

// takeTurn waits for the turn of a run that is resumed. An outcome says that it was
// cancelled before anything of it began.
func (d *driver) takeTurn(ctx context.Context, opts *Options, log *journal.Run) (t turn, cancelled *Outcome, err error) {
	fresh := d.core.began.IsZero()
	if fresh {
		if cancelled, err = d.queuedMail(ctx); cancelled != nil || err != nil {
			return t, cancelled, err
		}
	}
	if t, err = opts.turn(ctx, log.ID(), d.core.created.Inputs, d.core.created.Previous); err != nil {
		return t, nil, err
	}
	switch {
	case !t.come(opts):
		if err = log.Queue(ctx, t.lineOr()); err == nil {
			cancelled, err = d.wait(ctx, log, &t, opts)
		}
	case fresh:
		err = d.begin(ctx)
	}
	return t, cancelled, err
}

// closed gives the run up and returns what came of it.
func closed(log *journal.Run, outcome *Outcome, err error) (*Outcome, error) {
	if closeErr := log.Close(); err == nil && closeErr != nil {
		return nil, fmt.Errorf("the run %s has ended, but its journal cannot be closed: %w", log.ID(), closeErr)
	}
	return outcome, err
}

// noting passes events on and has each looked at first.
func noting(events iter.Seq2[journal.Event, error], look func(journal.Event)) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for ev, err := range events {
			if err == nil {
				look(ev)
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// owns gives the driver what it needs of a run that this process owns.
func (d *driver) owns(ctx context.Context, log *journal.Run, store *journal.Store) {
	d.name = string(log.ID())
	d.digest = store.ArgsDigest
	d.blob = func(b *value.BlobValue) ([]byte, error) { return store.Blob(ctx, b.SHA256) }
	d.keepBlob = func(ctx context.Context, data []byte, sensitive bool) (string, error) {
		if sensitive {
			return log.PutSensitiveBlob(ctx, data)
		}
		return store.PutBlob(ctx, data)
	}
	d.key = func(in Instance) string { return store.IdempotencyKey(log.ID(), in.Path(), in.Text()) }
	d.mail, d.receive, d.park = log.Mail(), log.Receive, log.Park
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
