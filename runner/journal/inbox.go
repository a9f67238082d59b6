package journal

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"
)

// Send puts an event into the inbox of a run, for its owner to take, and wakes
// that process: a CancelRequested, a NodeResolved of a node that is in doubt, or a
// NodeAnswered of one that asks. It
// is durable when Send returns, whether the run has an owner or not; owner is nil
// where it has none, and who adopts the run next finds the message. Errors have the
// reasons [ErrNotFound], [ErrFinished], [ErrNoWait] (the node waits for no such
// thing) and [ErrAnswered] (the same was sent before and is still on its way).
func (s *Store) Send(ctx context.Context, id RunID, ev Event) (owner *Owner, err error) {
	num, err := s.numOf(ctx, id)
	if err != nil {
		return nil, err
	}
	rec, err := s.encode(ev, func() (*sealer, error) { return s.makeSealer(ctx, id, num) })
	if err != nil {
		return nil, err
	}
	free, err := s.locks.free([]RunID{id}, s.locks.run)
	if err != nil {
		return nil, s.explain(err)
	}
	var to *ownerRow
	var lives bool
	err = s.do(ctx, func(c *conn) (err error) {
		to, lives, err = s.deliver(c, id, &rec, free[id])
		return err
	})
	if err != nil || to == nil {
		return nil, err
	}
	// A bell that cannot be rung costs the owner time, not the message: it looks at
	// every commit. One that seems dead may have been followed by another since.
	_, _ = ring(s.locks.bell(to.ID))
	if !lives {
		return nil, nil
	}
	return &to.Owner, nil
}

func (s *Store) numOf(ctx context.Context, id RunID) (num int64, err error) {
	err = s.snapshot(ctx, func(q querier) error {
		err := q.QueryRowContext(ctx, `SELECT num FROM runs WHERE id = ?`, string(id)).Scan(&num)
		if err == sql.ErrNoRows {
			return s.notFound(string(id))
		}
		return err
	})
	return num, err
}

// deliver is the task that puts a message into the inbox. It returns the last
// owner, nil where that has given the run up, and whether it lives.
func (s *Store) deliver(c *conn, id RunID, rec *record, isFree bool) (owner *ownerRow, lives bool, err error) {
	row, err := c.row(`SELECT num, status, owner, lease_until FROM runs WHERE id = ?`, string(id))
	if err != nil {
		return nil, false, err
	}
	if row == nil {
		return nil, false, s.notFound(string(id))
	}
	num, status := row[0].(int64), Status(row[1].(string))
	if isFinal(status) {
		return nil, false, errFinished(id, status)
	}
	text, _ := row[2].(string)
	lease, _ := row[3].(int64)
	owner = ownerOf(text)
	// The row says that an owner has given the run up before its lock does.
	lives = owner != nil && !(isFree && s.believesDead(owner, lease, s.clock()))
	ev := &rec.event
	if ev.Node != "" {
		if err := checkWait(c, num, ev, !lives, s.clock()); err != nil {
			return nil, false, err
		}
	}
	row, err = c.row(`SELECT time, data FROM inbox WHERE run = ? AND kind = ? AND node = ? AND instance = ?`, num, string(ev.Kind()), ev.Node, ev.Instance)
	if err != nil {
		return nil, false, err
	}
	if row != nil {
		if ev.Node == "" {
			return owner, lives, nil // a second wish to cancel says nothing new
		}
		if _, is := ev.Data.(NodeAnswered); is {
			return nil, false, answered(ev, row[1], row[0])
		}
		return nil, false, failure(ErrAnswered, nil, "The same was said of %s at %s, and the run %s has not taken it up yet.",
			nameOf(ev), timeOf(row[0].(int64)).Local().Format("15:04:05"), id)
	}
	_, err = s.insertRecord(c, insertIntoInbox, num, rec)
	return owner, lives, err
}

// checkWait checks that the node waits for what ev says.
func checkWait(c *conn, run int64, ev *Event, abandoned bool, now time.Time) error {
	_, answers := ev.Data.(NodeAnswered)
	row, err := c.row(`SELECT n.state, n.repeatable, w.kind, w.due FROM nodes n LEFT JOIN waits w USING (run, node, instance)
		WHERE run = ? AND node = ? AND instance = ?`, run, ev.Node, ev.Instance)
	if err != nil {
		return err
	}
	if row == nil && answers {
		return checkQuestion(c, run, ev, StatePending, "", 0, now)
	}
	if row == nil {
		return failure(ErrNoWait, nil, "The step %s has not begun, so it is not in doubt.", nameOf(ev))
	}
	state := State(row[0].(string))
	repeatable, _ := row[1].(int64)
	wait, _ := row[2].(string)
	switch ev.Data.(type) {
	case NodeResolved:
		if state == StateInDoubt || abandoned && state == StateRunning && repeatable == 0 {
			return nil
		}
		return failure(ErrNoWait, nil, "The step %s is not in doubt: its state is %s.", nameOf(ev), state)
	}
	due, _ := row[3].(int64)
	return checkQuestion(c, run, ev, state, Wait(wait), due, now)
}

func nameOf(ev *Event) string {
	r := StepRecord{Step: ev.Node}
	r.part(ev.Instance)
	return r.name()
}

// Mail receives when there may be messages to [Run.Receive].
func (r *Run) Mail() <-chan struct{} { return r.mail }

func (r *Run) ringMail() {
	select {
	case r.mail <- struct{}{}:
	default:
	}
}

// Receive returns the messages that have come since it was called last, oldest
// first: events whose Message is set. The owner takes one over by appending it, or
// drops it by appending another event with its Message.
func (r *Run) Receive(ctx context.Context) ([]Event, error) {
	r.mu.Lock()
	after := r.received
	r.mu.Unlock()
	var all []Event
	err := r.s.snapshot(ctx, func(q querier) error {
		from := r.s.bodiesOf(ctx, r.id, r.num)
		return each(ctx, q, func(rows *sql.Rows) error {
			ev, err := scanEvent(rows, from)
			if err != nil {
				return err
			}
			ev.Seq, ev.Message = 0, ev.Seq
			all = append(all, ev)
			return nil
		}, `SELECT num, kind, node, instance, attempt, time, data, body, blob, sealed FROM inbox WHERE run = ? AND num > ? ORDER BY num`, r.num, after)
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	r.mu.Lock()
	r.received = max(r.received, all[len(all)-1].Message)
	r.mu.Unlock()
	return all, nil
}

// lookForMail rings where row, an aggregate over the inbox, says that there are
// messages that were not received.
func (r *Run) lookForMail(last driver.Value) {
	num, ok := last.(int64)
	if !ok {
		return
	}
	r.mu.Lock()
	news := num > r.received
	r.mu.Unlock()
	if news {
		r.ringMail()
	}
}
