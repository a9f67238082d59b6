package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
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
	nodes map[nodeKey]*nodeRow // the projection; the writer's goroutine has it to itself

	mu     sync.Mutex
	failed error // why nothing can be appended any more; nil: it can
	closed bool
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
	created, err := encode(Event{Data: RunCreated{
		PlanDigest: n.PlanDigest, Workflow: n.Workflow, Deployment: n.Deployment, Key: n.Key, Inputs: n.Inputs,
	}}, s.clock)
	if err != nil {
		return nil, err
	}
	for {
		r := &Run{s: s, id: newID(created.event.Time), epoch: 1, began: timeOf(created.event.Time.UnixNano()), nodes: map[nodeKey]*nodeRow{}}
		r.lock, err = s.locks.try(s.locks.run(r.id))
		if errors.Is(err, errHeld) {
			continue // another process is creating a run with this id
		}
		if err != nil {
			return nil, s.explain(err)
		}
		taken := false
		err = s.own(ctx, r, func(c *conn) error {
			err := insertRun(c, r, &n, &created, s)
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
func insertRun(c *conn, r *Run, n *NewRun, created *record, s *Store) error {
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
	if created.blob != "" {
		if err := s.blobs.put(map[string][]byte{created.blob: created.large}); err != nil {
			return err
		}
		if err := insertBlob(c, created.blob, len(created.large), created.event.Time.UnixNano()); err != nil {
			return err
		}
	}
	r.num, err = c.insert(`INSERT INTO runs (id, plan_digest, run_key, workflow, deployment, status, started_at, owner_epoch)
		VALUES (?, ?, nullif(?, ''), ?, nullif(?, ''), ?, ?, ?)`,
		string(r.id), n.PlanDigest, n.Key, n.Workflow, n.Deployment, string(Running), created.event.Time.UnixNano(), r.epoch)
	if err != nil {
		return err
	}
	_, err = insertEvent(c, r.num, created)
	return err
}

// Take makes this process the owner of a run that is not finished: it takes the
// run's lock and raises its epoch, so that an owner that was thought dead can
// commit nothing any more. A run whose owner lives is an error of the reason [ErrOwned].
func (s *Store) Take(ctx context.Context, id RunID) (*Run, error) {
	r := &Run{s: s, id: id}
	if !isID(string(id)) {
		return nil, s.notFound(string(id))
	}
	err := s.locks.gate(gateName, func() (err error) {
		r.lock, err = s.locks.try(s.locks.run(id))
		return err
	})
	if errors.Is(err, errHeld) {
		return nil, failure(ErrOwned, nil, "The run %s is being executed by another process.", id)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	err = s.own(ctx, r, func(c *conn) error { return takeRun(c, r) })
	if err != nil {
		return nil, err
	}
	return r, nil
}

func takeRun(c *conn, r *Run) error {
	row, err := c.row(`SELECT num, owner_epoch, status, started_at FROM runs WHERE id = ?`, string(r.id))
	if err != nil {
		return err
	}
	if row == nil {
		return r.s.notFound(string(r.id))
	}
	switch status := Status(row[2].(string)); status {
	case Completed, Failed, Cancelled:
		return failure(ErrFinished, nil, "The run %s is finished: it is %s.", r.id, status)
	}
	r.num, r.epoch, r.began = row[0].(int64), row[1].(int64)+1, timeOf(row[3].(int64))
	if r.nodes, err = loadNodes(c, r.num); err != nil {
		return err
	}
	_, err = c.exec(`UPDATE runs SET owner_epoch = ? WHERE num = ?`, r.epoch, r.num)
	return err
}

// own makes r one of the store's runs by task, which runs in the writer; its lock
// is held. Where ctx ends first, the lock is released once the task is done.
func (s *Store) own(ctx context.Context, r *Run, task func(*conn) error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		r.lock.release()
		return errStoreClosed
	}
	s.runs[r] = struct{}{}
	s.late.Add(1) // Close, which sets closed under the same lock, waits from here on
	s.mu.Unlock()

	done, err := s.start(func(c *conn) error {
		if ctx.Err() != nil {
			return failure(ErrClosed, ctx.Err(), "Nobody waits for the run any more.")
		}
		return task(c)
	})
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
		r.lock.release()
	}
}

// Append queues an event; it does not wait for the disk, unless the queue is
// full. What is queued gathers for at most 5 ms, or until somebody waits. An
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
		if records[i], err = encode(ev, r.s.clock); err != nil {
			return err
		}
	}
	if err := r.failure(); err != nil {
		return err
	}
	return r.s.writer.submit(work{run: r, records: records, done: done})
}

// Close waits for what is queued and releases the run's lock. Closing twice is fine.
func (r *Run) Close() error {
	r.mu.Lock()
	closed := r.closed
	r.closed = true
	r.mu.Unlock()
	if closed {
		return nil
	}
	err := r.barrier()
	r.fail(failure(ErrClosed, nil, "The run %s is closed (this is a bug in wfc).", r.id))
	r.s.disown(r)
	return err
}

func (r *Run) barrier() error {
	err := r.Barrier(context.Background())
	if errors.Is(err, ErrClosed) {
		return nil // the store was closed first, and has waited for what was queued
	}
	return err
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
