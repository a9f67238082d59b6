package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Run is a run that this process owns: it holds the run's lock, which the
// kernel releases when the process dies. Its methods may be used by several
// goroutines; the log has the events in the order of the calls.
type Run struct {
	s     *Store
	id    RunID
	num   int64
	epoch int64
	began time.Time // UTC
	lock  *fileLock
	token atomic.Pointer[fileLock] // while it waits in a line (see slot.go); nil: it does not
	mail  chan struct{}            // see Mail
	// The projection and the status; the writer's goroutine has them to itself.
	nodes  map[nodeKey]*nodeRow
	status Status

	finished atomic.Bool // its end is committed

	mu       sync.Mutex
	failed   error // why nothing can be appended any more; nil: it can
	closed   bool
	received int64 // the last message that Receive has returned

	sealing sync.Mutex
	sealer  *sealer // nil: nothing was sealed by this process yet
}

func newOwned(s *Store) *Run {
	return &Run{s: s, mail: make(chan struct{}, 1), nodes: map[nodeKey]*nodeRow{}, status: Running}
}

// ID returns the run's id.
func (r *Run) ID() RunID { return r.id }

// StartedAt returns the time of the run's creation, in UTC: the same for all
// who ever own the run.
func (r *Run) StartedAt() time.Time { return r.began }

// idAlphabet is Crockford's base 32 in lower case: no letter looks like another.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// idEpoch is where the clock of run ids starts, so that 40 bits last until 2372.
var idEpoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// newID returns eight characters of time, in hundredths of a second, and four by chance:
// ids sort by time, and the last four are mostly enough to type.
func newID(now time.Time) RunID {
	ticks := max(now.Sub(idEpoch).Milliseconds()/10, 0)
	var id [13]byte
	for i := 7; i >= 0; i-- {
		id[i] = idAlphabet[ticks&31]
		ticks >>= 5
	}
	id[8] = '-'
	chance := id[9:]
	rand.Read(chance) // never fails (crypto/rand)
	for i, b := range chance {
		chance[i] = idAlphabet[b&31]
	}
	return RunID(id[:])
}

// errIDTaken asks for another id.
var errIDTaken = errors.New("run id is taken")

// CreateRun writes the plan and the run and takes its lock. Both are durable
// when it returns. A key that another run has is an error of type *[KeyError].
func (s *Store) CreateRun(ctx context.Context, n NewRun) (*Run, error) {
	if n.Inputs == nil {
		n.Inputs = []byte("{}")
	}
	now := s.clock()
	for {
		r := newOwned(s)
		r.id, r.epoch, r.began = newID(now), 1, timeOf(now.UnixNano())
		if n.Sensitive || n.Seals {
			var err error
			if r.sealer, err = s.newSealer(r.id); err != nil {
				return nil, err
			}
		}
		created, err := s.encode(Event{Time: now, Sensitive: n.Sensitive, Data: RunCreated{
			PlanDigest: n.PlanDigest, Workflow: n.Workflow, Deployment: n.Deployment, Key: n.Key, Queued: n.Line != "", Reuses: n.Reuses, Previous: n.Previous, Inputs: n.Inputs,
		}}, r.seal)
		if err != nil {
			return nil, err
		}
		r.lock, err = s.locks.try(s.locks.run(r.id))
		if errors.Is(err, errHeld) {
			continue // another process is creating a run with this id
		}
		if err == nil && n.Line != "" {
			if err = s.locks.takeToken(ctx, r); err != nil {
				r.lock.release()
			}
		}
		if err != nil {
			return nil, s.explain(err)
		}
		taken := false
		err = s.own(ctx, r, func(c *conn) error {
			err := s.insertRun(c, r, &n, &created)
			if taken = errors.Is(err, errIDTaken); taken {
				return nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if taken {
			s.disown(r)
			continue
		}
		return r, nil
	}
}

// insertRun writes a new run. It looks before it writes, so an error that is
// its caller's means that nothing was written.
func (s *Store) insertRun(c *conn, r *Run, n *NewRun, created *record) error {
	if n.Key != "" {
		row, err := c.row(`SELECT id FROM runs WHERE run_key = ?`, n.Key)
		if err != nil {
			return err
		}
		if row != nil {
			return &KeyError{Key: n.Key, Run: RunID(row[0].(string))}
		}
	}
	row, err := c.row(`SELECT 1 FROM runs WHERE id = ?`, string(r.id))
	if err != nil {
		return err
	}
	if row != nil {
		return errIDTaken
	}
	if _, err := c.exec(`INSERT OR IGNORE INTO plans VALUES (?, ?)`, n.PlanDigest, n.Plan); err != nil {
		return err
	}
	status := Running
	if n.Line != "" {
		status = Queued
	}
	r.num, err = c.insert(`INSERT INTO runs (id, plan_digest, run_key, workflow, deployment, status, started_at, owner_epoch, owner, lease_until)
		VALUES (?, ?, nullif(?, ''), ?, nullif(?, ''), ?, ?, ?, ?, ?)`,
		string(r.id), n.PlanDigest, n.Key, n.Workflow, n.Deployment, string(status), r.began.UnixNano(), r.epoch,
		s.owner(r.began).text(), r.began.Add(leaseFor).UnixNano())
	if err != nil {
		return err
	}
	if r.sealer != nil {
		if err := insertKey(c, r.num, r.sealer); err != nil {
			return err
		}
	}
	if _, err = s.insertRecord(c, insertIntoEvents, r.num, created); err != nil || n.Line == "" {
		return err
	}
	queued, err := s.encode(Event{Time: created.event.Time, Data: RunQueued{n.Line}}, nil)
	if err == nil {
		_, err = s.insertRecord(c, insertIntoEvents, r.num, &queued)
	}
	r.status = Queued
	return err
}

// own makes r one of the store's runs by task, which runs in the writer; its lock
// is held. Where ctx ends first, the lock is released once the task is done.
func (s *Store) own(ctx context.Context, r *Run, task func(*conn) error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		r.leaveLine()
		r.lock.release()
		return errStoreClosed
	}
	s.runs[r] = struct{}{}
	s.present()
	s.late.Add(1) // Close, which sets closed under the same lock, waits from here on
	s.mu.Unlock()

	done, err := s.start(func(c *conn) error {
		if ctx.Err() != nil {
			return failure(ErrClosed, ctx.Err(), "Nobody waits for the run any more.")
		}
		return task(c)
	}, nil)
	if err == nil {
		select {
		case err = <-done:
		case <-ctx.Done():
			go func() {
				defer s.late.Done()
				<-done
				s.disown(r)
			}()
			return ctx.Err()
		}
	}
	s.late.Done()
	if err != nil {
		s.disown(r)
	}
	return err
}

// disown releases the lock of r unless the closing store does.
func (s *Store) disown(r *Run) {
	s.mu.Lock()
	_, ours := s.runs[r]
	delete(s.runs, r)
	s.mu.Unlock()
	if ours {
		s.at(BeforeRelease)
		r.leaveLine()
		r.lock.release()
	}
}

// Append queues an event; it does not wait for the disk, unless the queue is
// full. What is queued gathers for at most 50 ms, or until somebody waits. An
// error means that nothing was queued, because an earlier write failed, another
// owner has the run, or the run is closed.
func (r *Run) Append(ev Event) error { return r.queue(nil, ev) }

// Commit queues events and waits: they, and all that was appended before, are
// durable when it returns without an error. The events are in one transaction.
// When ctx ends first, it returns ctx's error, and the events are written all the same.
func (r *Run) Commit(ctx context.Context, evs ...Event) error {
	done := make(chan error, 1)
	if err := r.queue(done, evs...); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Barrier waits until all that was appended before is durable. When ctx ends
// first, it returns ctx's error.
func (r *Run) Barrier(ctx context.Context) error { return r.Commit(ctx) }

func (r *Run) queue(done chan error, evs ...Event) error {
	records := make([]record, len(evs))
	for i, ev := range evs {
		var err error
		if records[i], err = r.s.encode(ev, r.seal); err != nil {
			return err
		}
	}
	if err := r.failure(); err != nil {
		return err
	}
	return r.s.writer.submit(work{run: r, records: records, done: done})
}

// seal returns what the run's sensitive content is sealed with.
func (r *Run) seal() (*sealer, error) {
	r.sealing.Lock()
	defer r.sealing.Unlock()
	if r.sealer != nil {
		return r.sealer, nil
	}
	sealer, err := r.s.makeSealer(context.Background(), r.id, r.num)
	r.sealer = sealer
	return sealer, err
}

// Close waits for what is queued and gives the run up: one that is not finished
// may be adopted from now on. Closing twice is fine.
func (r *Run) Close() error {
	r.mu.Lock()
	again := r.closed
	r.mu.Unlock()
	_, err := r.end(false)
	if err == nil && !again {
		err = r.s.pruneByAge()
		if errors.Is(err, ErrClosed) {
			err = nil // the store was closed first
		}
	}
	return err
}

// Park is [Run.Close] unless there are messages for the run, received or not, that
// have not become events yet: then it does nothing and parked is false. A message
// that comes later finds no owner, which its sender is told.
func (r *Run) Park(ctx context.Context) (parked bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return r.end(true)
}

func (r *Run) end(unlessMail bool) (ended bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return true, nil
	}
	r.mu.Unlock() // the writer may want it
	hasMail := false
	if !r.finished.Load() { // else the journal says so already
		err = r.s.do(context.Background(), func(c *conn) (err error) {
			hasMail, err = giveUp(c, r, unlessMail)
			return err
		})
	}
	if errors.Is(err, ErrClosed) {
		err = nil // the store was closed first, and has waited for what was queued
	}
	r.mu.Lock()
	if hasMail {
		return false, nil
	}
	if err == nil && r.failed != nil {
		err = r.failed
	}
	if !r.closed {
		r.closed = true
		if r.failed == nil {
			r.failed = failure(ErrClosed, nil, "The run %s is closed (this is a bug in wfc).", r.id)
		}
		r.s.disown(r)
	}
	return true, err
}

// giveUp is the task that ends the ownership of a run that is not finished.
func giveUp(c *conn, r *Run, unlessMail bool) (hasMail bool, err error) {
	if isFinal(r.status) {
		return false, nil
	}
	if unlessMail {
		row, err := c.row(`SELECT 1 FROM inbox WHERE run = ? LIMIT 1`, r.num)
		if err != nil || row != nil {
			return row != nil, err
		}
	}
	_, err = c.exec(`UPDATE runs SET owner = NULL, lease_until = NULL WHERE num = ? AND owner_epoch = ?`, r.num, r.epoch)
	return false, err
}

// fail makes err what every later append returns, unless there is one already.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

func (r *Run) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// errStoreClosed is what a closed store answers.
var errStoreClosed = failure(ErrClosed, nil, "The journal is closed (this is a bug in wfc).")
