package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
)

// Slot is a place among so many that may be taken at once. The kernel gives it
// back when the process that has it dies.
type Slot struct{ lock *fileLock }

// Give gives the place back. Of a nil slot there is none.
func (s *Slot) Give() {
	if s != nil {
		s.lock.release()
	}
}

// TakeSlot takes one of limit places that have a name, of which all processes with
// this journal know. Where all are taken it waits for one, or, if wait is false, returns
// nil. When ctx ends first, it returns ctx's error.
func (s *Store) TakeSlot(ctx context.Context, name string, limit int, wait bool) (*Slot, error) {
	sum := sha256.Sum256([]byte(name))
	path := func(i int) string {
		return filepath.Join(s.locks.dir, fmt.Sprintf("slot-%s-%d.lock", hex.EncodeToString(sum[:8]), i))
	}
	for {
		for i := range limit {
			lock, err := s.locks.try(path(i))
			if err == nil {
				return &Slot{lock}, nil
			}
			if !errors.Is(err, errHeld) {
				return nil, s.explain(err)
			}
		}
		if !wait {
			return nil, nil
		}
		if err := s.locks.waitAny(ctx, path, limit); err != nil {
			return nil, err
		}
	}
}

// waitAny returns when one of so many locks was free for a moment, or ctx is done.
func (l locks) waitAny(ctx context.Context, path func(int) string, limit int) error {
	first, cancel := context.WithCancel(ctx)
	defer cancel()
	free := make(chan error, limit)
	for i := range limit {
		go func() { free <- l.wait(first, path(i)) }()
	}
	select {
	case err := <-free:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
