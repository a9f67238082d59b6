package journal

import (
	"context"
	"sync"
	"time"
)

// Limits of the writer's groups.
const (
	// maxGroup is the number of events of one transaction: enough to share an
	// fsync, few enough that the one who waits for the first does not wait for long.
	maxGroup = 512
	// gatherFor is how long events that nobody waits for may gather: not so long that
	// a person who looks on would notice, and so long that a chain of reads costs few
	// commits and not one for every few steps. What a crash loses then are reads.
	gatherFor = 50 * time.Millisecond
	// maxQueued and maxBytes bound the queue: beyond them an append waits for the disk.
	maxQueued = 8 * maxGroup
	maxBytes  = 32 << 20
)

// work is one thing for the writer: records of a run, a task, or neither,
// where somebody only waits.
type work struct {
	run     *Run
	records []record
	// task runs inside the transaction. An *Error or a *KeyError that it returns
	// is for its caller and means that it wrote nothing; any other error is the journal's end.
	task func(*conn) error
	// after runs when the task's transaction is committed, in the writers' turn still;
	// nil: nothing does. Its error is its caller's.
	after func() error
	done  chan error // has room for one; nil: nobody waits
}

// writer writes to a journal in this process: it takes what is queued, in order,
// and commits it in groups. Who waits for what they queued does so themselves
// where nobody else is at it, which saves a chain of steps two changes of
// goroutine a step; all else is done by a goroutine. After the first failure of
// the disk nothing is written any more, so that the log stays a prefix of what was queued.
type writer struct {
	s       *Store
	stopped chan struct{}
	wake    chan struct{} // has room for one: the goroutine has to look
	gather  *time.Timer   // wakes it when what is queued has gathered

	writing sync.Mutex // whose holder takes from the queue and writes; guards conn and turn
	conn    *conn
	turn    turn

	mu      sync.Mutex // may be taken by the holder of writing, and not the other way round
	queue   []work
	since   time.Time // when the queue was empty last
	armed   bool      // gather is under way
	records int       // in the queue
	bytes   int       // in the queue
	waiting int       // works that somebody waits for, in the queue
	closing bool
	leaving bool  // the connection stays open
	failed  error // what ended the writing; nil: nothing
	final   error // of closing the connection
}

func newWriter(s *Store, c *conn) *writer {
	w := &writer{
		s: s, conn: c, turn: turn{locks: s.locks},
		stopped: make(chan struct{}), wake: make(chan struct{}, 1), gather: time.NewTimer(gatherFor),
	}
	w.gather.Stop()
	go w.loop()
	return w
}

// submit queues work. It waits for the disk where the queue is full, and may do
// so where somebody waits for the work.
func (w *writer) submit(k work) error {
	size := 0
	for _, r := range k.records {
		size += len(r.data) + len(r.body) + len(r.large)
	}
	w.mu.Lock()
	if err := w.failed; err != nil {
		w.mu.Unlock()
		return err
	}
	if w.closing {
		w.mu.Unlock()
		return errStoreClosed
	}
	full := k.done == nil && (w.records > maxQueued || w.bytes > maxBytes)
	if full {
		k.done = make(chan error, 1)
	}
	if len(w.queue) == 0 {
		w.since = time.Now()
	}
	w.queue = append(w.queue, k)
	w.records += len(k.records)
	w.bytes += size
	if k.done != nil {
		w.waiting++
	}
	ready := w.ready()
	if !ready && !w.armed {
		w.armed = true
		w.gather.Reset(gatherFor)
	}
	w.mu.Unlock()
	if ready && !(k.done != nil && w.here()) {
		w.signal()
	}
	if full {
		return <-k.done
	}
	return nil
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// close waits for what is queued and closes the connection, unless it is left.
func (w *writer) close(leave bool) error {
	w.mu.Lock()
	w.closing, w.leaving = true, leave
	w.mu.Unlock()
	w.signal()
	<-w.stopped
	return w.final
}

// ready reports whether what is queued is to be written now. mu is held.
func (w *writer) ready() bool {
	return len(w.queue) > 0 && (w.waiting > 0 || w.closing || w.records >= maxGroup || time.Since(w.since) >= gatherFor)
}

// here writes what is queued in the caller's goroutine, unless somebody writes or
// another process has the turn: then it reports false, and the goroutine has to look.
func (w *writer) here() bool {
	if !w.writing.TryLock() {
		return false
	}
	defer w.writing.Unlock()
	w.mu.Lock()
	ready := w.ready()
	w.mu.Unlock()
	if !ready {
		return true // somebody was faster
	}
	if !w.turn.try() {
		return false
	}
	reserveStack(0)
	w.write(w.take())
	w.turn.drop()
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ready() // others came meanwhile
}

// loop is the writer's goroutine; [writer.close] waits for it.
func (w *writer) loop() {
	defer close(w.stopped)
	reserveStack(0)
	for {
		select {
		case <-w.wake:
		case <-w.gather.C:
		}
		if w.flush() {
			w.gather.Stop()
			return
		}
	}
}

// flush writes what is to be written now. It reports whether the writer is closed.
func (w *writer) flush() (closed bool) {
	w.writing.Lock()
	defer w.writing.Unlock()
	for {
		w.mu.Lock()
		ready := w.ready()
		ended := w.closing && len(w.queue) == 0
		if w.armed = !ready && len(w.queue) > 0; w.armed {
			w.gather.Reset(gatherFor - time.Since(w.since))
		}
		leaving := w.leaving
		w.mu.Unlock()
		switch {
		case ready:
			w.write(w.take())
		case ended:
			w.turn.close()
			if !leaving {
				w.final = w.s.explain(w.conn.close())
			}
			return true
		default:
			return false
		}
	}
}

// reserveStack gives a goroutine the room on its stack that SQLite needs at once. A
// stack that grows is copied, five times over, frame by frame.
//
//go:noinline
func reserveStack(i int) byte {
	var room [48 << 10]byte
	return room[i]
}

// take removes a group from the queue: everything that is there, up to maxGroup
// records, and at least one work.
func (w *writer) take() []work {
	w.mu.Lock()
	defer w.mu.Unlock()
	records, n := 0, 0
	for _, k := range w.queue {
		if n > 0 && records+len(k.records) > maxGroup {
			break
		}
		records += len(k.records)
		n++
		if k.done != nil {
			w.waiting--
		}
		for _, r := range k.records {
			w.bytes -= len(r.data) + len(r.body) + len(r.large)
		}
	}
	group := w.queue[:n:n]
	if w.queue = w.queue[n:]; len(w.queue) == 0 {
		w.queue = nil
	}
	w.since = time.Now()
	w.records -= records
	return group
}

// write commits a group and tells those who wait.
func (w *writer) write(group []work) {
	w.mu.Lock()
	failed := w.failed
	w.mu.Unlock()
	var results []error // of the works, where one differs from nil
	written := 0        // works
	if failed == nil {
		n, blobs := w.putBlobs(group)
		var err error
		if results, err = w.commit(group[:n]); err == nil {
			written, err = n, blobs
		}
		if err != nil {
			failed = w.s.explain(err)
			w.mu.Lock()
			w.failed = failed
			w.mu.Unlock()
		}
	}
	for i, k := range group {
		if k.done == nil {
			continue
		}
		switch {
		case i >= written:
			k.done <- failed
		case results != nil:
			k.done <- results[i]
		default:
			k.done <- nil
		}
	}
}

// do runs a task in the writer and waits for it.
func (s *Store) do(ctx context.Context, task func(*conn) error) error { return s.doAnd(ctx, task, nil) }

// doAnd runs a task in the writer, then what comes after its commit, and waits.
func (s *Store) doAnd(ctx context.Context, task func(*conn) error, after func() error) error {
	done, err := s.start(task, after)
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// start queues a task and returns where its result will come.
func (s *Store) start(task func(*conn) error, after func() error) (<-chan error, error) {
	if s.writer == nil {
		return nil, failure(ErrReadOnly, nil, "The journal %s was opened to read only (this is a bug in wfc).", s.path())
	}
	done := make(chan error, 1)
	return done, s.writer.submit(work{task: task, after: after, done: done})
}
