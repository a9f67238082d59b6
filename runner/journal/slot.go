package journal

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// Runs that may not all go on at once stand in a line. A line has so many places,
// which are locks: who has one goes on, and the kernel gives it to another when that
// process dies. A run that waits in the line has a token, another lock, so that all who
// come later wait for it, and for it no longer once it goes on, is given up, or its
// process dies. So runs go on in the order in which they were created.

// Slot is a place among so many that may be taken at once. The kernel gives it
// back when the process that has it dies.
type Slot struct{ lock *fileLock }

// Give gives the place back. Of a nil slot there is none.
func (s *Slot) Give() {
	if s != nil {
		s.lock.release()
	}
}

// LineOf returns the line of the runs that a name stands for. The name cannot be
// read from it.
func LineOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:8])
}

func (l locks) slot(line string, i int) string {
	return filepath.Join(l.dir, fmt.Sprintf("slot-%s-%d.lock", line, i))
}

func (l locks) token(id RunID) string { return filepath.Join(l.dir, string(id)+".queued.lock") }

// TakeSlot takes one of so many places of a line, of which all processes with this
// journal know. It returns nil where all are taken or runs wait for one; before is the
// run that asks, behind those that were created before it, and "" is a new one.
func (s *Store) TakeSlot(ctx context.Context, line string, limit int, before RunID) (*Slot, error) {
	ahead, err := s.ahead(ctx, line, before)
	if ahead != "" || err != nil {
		return nil, err
	}
	return s.trySlots(line, limit)
}

func (s *Store) trySlots(line string, limit int) (*Slot, error) {
	for i := range limit {
		lock, err := s.locks.try(s.locks.slot(line, i))
		if err == nil {
			return &Slot{lock}, nil
		}
		if !errors.Is(err, errHeld) {
			return nil, s.explain(err)
		}
	}
	return nil, nil
}

// Queue makes the run one that waits in a line, which is durable when it returns.
func (r *Run) Queue(ctx context.Context, line string) error {
	if err := r.s.locks.takeToken(ctx, r); err != nil {
		return r.s.explain(err)
	}
	return r.Commit(ctx, Event{Data: RunQueued{line}})
}

// AwaitSlot waits until one of so many places of the line is the run's, which waits in
// it. Those that were created before it come first. When ctx ends first, it returns
// ctx's error. Either way the run is no longer in the line.
func (r *Run) AwaitSlot(ctx context.Context, line string, limit int) (*Slot, error) {
	defer r.leaveLine()
	for {
		ahead, err := r.s.ahead(ctx, line, r.id)
		if err != nil {
			return nil, err
		}
		if ahead == "" {
			break
		}
		if err := r.s.locks.wait(ctx, r.s.locks.token(ahead)); err != nil {
			return nil, err
		}
	}
	for {
		slot, err := r.s.trySlots(line, limit)
		if slot != nil || err != nil {
			return slot, err
		}
		if err := r.s.locks.waitAny(ctx, line, limit); err != nil {
			return nil, err
		}
	}
}

// takeToken makes the run one that others in its line wait for. Nobody but its owner
// keeps the token; those who wait for it have it for a moment each.
func (l locks) takeToken(ctx context.Context, r *Run) error {
	for {
		token, err := l.try(l.token(r.id))
		if errors.Is(err, errHeld) {
			if err := l.wait(ctx, l.token(r.id)); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		r.token.Store(token)
		return nil
	}
}

// leaveLine gives the run's token back, if it has one.
func (r *Run) leaveLine() {
	if token := r.token.Swap(nil); token != nil {
		token.release()
	}
}

// ahead returns the last of the runs that wait in a line and were created before
// another, where "" is one that is not created yet; "": there is none.
func (s *Store) ahead(ctx context.Context, line string, before RunID) (RunID, error) {
	var waiting []RunID // the last first
	err := s.snapshot(ctx, func(q querier) error {
		return each(ctx, q, func(rows *sql.Rows) error {
			var id RunID
			var data string
			if err := rows.Scan(&id, &data); err != nil {
				return err
			}
			var queued RunQueued
			if err := json.Unmarshal([]byte(data), &queued); err == nil && queued.Line == line {
				waiting = append(waiting, id)
			}
			return nil
		}, `SELECT id, (SELECT data FROM events WHERE run = runs.num AND kind = 'run.queued' ORDER BY seq DESC LIMIT 1) FROM runs
			WHERE status = 'queued' AND (?1 = '' OR num < (SELECT num FROM runs WHERE id = ?1)) ORDER BY num DESC`, string(before))
	})
	if err != nil || len(waiting) == 0 {
		return "", err
	}
	free, err := s.locks.free(waiting, s.locks.token)
	if err != nil {
		return "", s.explain(err)
	}
	for _, id := range waiting {
		if !free[id] {
			return id, nil
		}
	}
	return "", nil
}

// waitAny returns when one of so many places of a line was free for a moment, or ctx is done.
func (l locks) waitAny(ctx context.Context, line string, limit int) error {
	first, cancel := context.WithCancel(ctx)
	defer cancel()
	free := make(chan error, limit)
	for i := range limit {
		go func() { free <- l.wait(first, l.slot(line, i)) }()
	}
	select {
	case err := <-free:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
