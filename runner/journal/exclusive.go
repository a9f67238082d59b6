package journal

import (
	"errors"
	"path/filepath"
)

// Exclusive takes a lock of a name, which is part of a file name, that one process at a time may have among those
// with this journal, such as the one that serves it. It returns nil where another
// has it. The kernel gives the lock back when the process dies.
func (s *Store) Exclusive(name string) (*Slot, error) {
	lock, err := s.locks.try(filepath.Join(s.locks.dir, "only-"+name+".lock"))
	switch {
	case errors.Is(err, errHeld):
		return nil, nil
	case err != nil:
		return nil, s.explain(err)
	}
	return &Slot{lock}, nil
}
