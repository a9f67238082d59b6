package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"
)

// parkWait bounds how long an adoption waits for an owner that has said that it
// gives the run up, and is about to release its lock.
const parkWait = 5 * time.Second

// goneWait bounds how long it waits for the lock of an owner that is no more: a process
// that was killed leaves it to one that it has just begun to start. Where another
// adopts the run meanwhile, that is said after this time.
const goneWait = time.Second

// Adopt makes this process the owner of a run that is not finished: it takes the
// run's lock and raises its epoch, so that an owner that was thought dead can
// commit nothing any more. A run whose owner lives is an error of the reason
// [ErrOwned] that names the process: on this host its lock says so, on others its
// lease. A finished one is an error of the reason [ErrFinished]. Messages that
// wait for the run are there to be received ([Run.Mail]).
func (s *Store) Adopt(ctx context.Context, id RunID) (*Run, error) {
	if !isID(string(id)) {
		return nil, s.notFound(string(id))
	}
	r := newOwned(s)
	r.id = id
	var err error
	if r.lock, err = s.lockToAdopt(ctx, id); err != nil {
		return nil, s.explain(err)
	}
	var last string // the store that owned it
	err = s.own(ctx, r, func(c *conn) (err error) {
		last, err = s.adopt(c, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.locks.sweepBell(last)
	s.locks.sweep(s.locks.token(id))
	return r, nil
}

// lockToAdopt takes the lock of a run, whose owner may just be giving it up.
func (s *Store) lockToAdopt(ctx context.Context, id RunID) (*fileLock, error) {
	over, cancel := context.WithTimeout(ctx, parkWait)
	defer cancel()
	begun := time.Now()
	for {
		var lock *fileLock
		err := s.locks.gate(gateName, func() (err error) {
			lock, err = s.locks.try(s.locks.run(id))
			return err
		})
		if !errors.Is(err, errHeld) {
			return lock, err
		}
		owner, given, err := s.heldBy(ctx, id)
		if err != nil {
			return nil, err
		}
		within := over
		if gone := owner != nil && s.host.sees(owner.host) && isGone(owner.PID); gone {
			var cancel context.CancelFunc
			within, cancel = context.WithDeadline(over, begun.Add(goneWait))
			defer cancel()
		} else if !given {
			return nil, errOwned(id, owner)
		}
		if within.Err() != nil {
			return nil, errOwned(id, owner)
		}
		if err := s.locks.wait(within, s.locks.run(id)); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// heldBy returns the owner of a run whose lock is held; given says that it has
// given the run up. The owner is nil where it is not known.
func (s *Store) heldBy(ctx context.Context, id RunID) (owner *ownerRow, given bool, err error) {
	err = s.snapshot(ctx, func(q querier) error {
		var text sql.NullString
		var status Status
		err := q.QueryRowContext(ctx, `SELECT owner, status FROM runs WHERE id = ?`, string(id)).Scan(&text, &status)
		switch {
		case err == sql.ErrNoRows:
			return s.notFound(string(id))
		case err != nil:
			return err
		case isFinal(status):
			return errFinished(id, status)
		}
		owner = ownerOf(text.String)
		given = !text.Valid
		return nil
	})
	return owner, given, err
}

func errFinished(id RunID, status Status) *Error {
	return failure(ErrFinished, nil, "The run %s is finished: it is %s.", id, status)
}

// adopt is the task that makes r's process the owner in the journal. It returns
// the id of the last owner's store; "" where that gave the run up, or is not known.
func (s *Store) adopt(c *conn, r *Run) (last string, err error) {
	row, err := c.row(`SELECT num, owner_epoch, status, started_at, owner, lease_until FROM runs WHERE id = ?`, string(r.id))
	if err != nil {
		return "", err
	}
	if row == nil {
		return "", s.notFound(string(r.id))
	}
	status := Status(row[2].(string))
	if isFinal(status) {
		return "", errFinished(r.id, status)
	}
	now := s.clock()
	text, _ := row[4].(string)
	lease, _ := row[5].(int64)
	o := ownerOf(text)
	if o != nil && !s.believesDead(o, lease, now) {
		err := failure(ErrOwned, nil, "The run %s is being executed on another host (%s), as far as can be known here. "+
			"If that host is gone, try again after %s.", r.id, o.Owner, timeOf(lease).Local().Format("15:04:05"))
		err.Owner = &o.Owner
		return "", err
	}
	if o != nil {
		last = o.ID
	}
	num := row[0].(int64)
	// A run that will need its key is not begun without it.
	if key, err := c.row(selectKey, num); err != nil {
		return "", err
	} else if key != nil {
		if r.sealer, err = s.openSealer(r.id, keyRowOf(key)); err != nil {
			return "", err
		}
	}
	r.num, r.epoch, r.began = num, row[1].(int64)+1, timeOf(row[3].(int64))
	if r.nodes, err = loadNodes(c, r.num); err != nil {
		return "", err
	}
	owner := s.owner(now)
	ev := Event{Time: now, Data: RunAdopted{Owner: owner.Owner}}
	r.status = statusAfter(status, ev)
	_, err = c.exec(`UPDATE runs SET owner_epoch = ?, status = ?, owner = ?, lease_until = ? WHERE num = ?`,
		r.epoch, string(r.status), owner.text(), now.Add(leaseFor).UnixNano(), r.num)
	if err != nil {
		return "", err
	}
	adopted, err := s.encode(ev, r.seal)
	if err != nil {
		return "", err
	}
	if _, err := s.insertRecord(c, insertIntoEvents, r.num, &adopted); err != nil {
		return "", err
	}
	if row, err = c.row(`SELECT 1 FROM inbox WHERE run = ? LIMIT 1`, r.num); row != nil {
		r.ringMail()
	}
	return last, err
}

// believesDead reports whether an owner whose lock is free has ended: where its
// lock could be seen here it has, elsewhere when its lease is over.
func (s *Store) believesDead(o *ownerRow, lease int64, now time.Time) bool {
	return s.host.sees(o.host) || now.UnixNano() > lease
}

// wait returns when whoever has the lock at path has released it, or with ctx.
func (l locks) wait(ctx context.Context, path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// Waiting for a file lock cannot be given up: the goroutine waits on, until
	// the other process releases it.
	got := make(chan error, 1)
	go func() {
		err := lockFile(file, true)
		if err == nil {
			_ = unlockFile(file)
		}
		_ = file.Close()
		got <- err
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
