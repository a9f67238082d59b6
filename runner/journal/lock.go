package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// errHeld is what tryLock returns where somebody else has the lock.
var errHeld = errors.New("lock is held")

// locks are the lock files of a journal. A run's lock is held by its owner and
// is the ownership: the kernel releases it when the process dies. The file goes
// with its owner; one that is left behind by a death says nothing.
//
// The gate is a lock that is only ever held for moments. Who looks whether
// another's lock is free has to take it to know, and must not be mistaken for
// an owner meanwhile, so looking and taking over happen behind the gate. (A new run's
// owner needs no gate: nobody knows the run before it is committed.)
type locks struct{ dir string }

// fileLock is a held lock.
type fileLock struct {
	file *os.File
	path string
}

func (l locks) run(id RunID) string { return filepath.Join(l.dir, string(id)+".lock") }

// try takes the lock at path without waiting.
func (l locks) try(path string) (*fileLock, error) {
	for {
		f, err := l.open(path)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, false); err != nil {
			_ = f.Close()
			return nil, err
		}
		if isAt(f, path) {
			return &fileLock{f, path}, nil
		}
		_ = f.Close() // its owner removed it between our opening and our locking it
	}
}

// gate runs f behind the lock called name, which it waits for.
func (l locks) gate(name string, f func() error) error {
	file, err := l.open(filepath.Join(l.dir, name))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := lockFile(file, true); err != nil {
		return err
	}
	defer func() { _ = unlockFile(file) }()
	return f()
}

func (l locks) open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(l.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	}
	return f, err
}

// free returns those of ids of which nobody holds a lock: the run's, or its token.
func (l locks) free(ids []RunID, lock func(RunID) string) (free map[RunID]bool, err error) {
	err = l.gate(gateName, func() error {
		free, err = l.look(ids, lock, os.O_RDWR)
		return err
	})
	if reasonOf(err) == ErrReadOnly {
		// Where nobody of ours may write, nobody of ours takes a lock for a moment.
		return l.look(ids, lock, os.O_RDONLY)
	}
	return free, err
}

// look is free behind the gate. A lock that may not even be opened is somebody else's.
func (l locks) look(ids []RunID, lock func(RunID) string, flag int) (map[RunID]bool, error) {
	free := map[RunID]bool{}
	for _, id := range ids {
		f, err := os.OpenFile(lock(id), flag, 0)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			free[id] = true
			continue
		case errors.Is(err, fs.ErrPermission):
			continue
		case err != nil:
			return nil, err
		}
		err = lockFile(f, false)
		if err == nil {
			_ = unlockFile(f)
		}
		_ = f.Close()
		switch {
		case err == nil:
			free[id] = true
		case !errors.Is(err, errHeld):
			return nil, err
		}
	}
	return free, nil
}

// isAt reports whether f is still the file at path.
func isAt(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// turn is the lock that the writers of all processes take in turn. SQLite has
// one too, but waits for it by trying again after ever longer pauses: a writer
// beside a busy one was seen to wait for 1.6 s where the kernel wakes it at once.
type turn struct {
	locks locks
	file  *os.File // nil: not opened yet
	held  bool
}

func (t *turn) open() (err error) {
	if t.file == nil {
		t.file, err = t.locks.open(filepath.Join(t.locks.dir, turnName))
	}
	return err
}

// try takes the turn where nobody has it, and reports whether it did. Errors are for
// [turn.take] to find.
func (t *turn) try() bool {
	t.held = t.open() == nil && lockFile(t.file, false) == nil
	return t.held
}

// take waits for the turn, for at most busyFor, unless it is held.
func (t *turn) take() (err error) {
	if t.held {
		return nil
	}
	if err := t.open(); err != nil {
		return err
	}
	if err := lockFile(t.file, false); !errors.Is(err, errHeld) {
		return err
	}
	// Waiting for a file lock cannot be given up. Where the time is over, the goroutine
	// waits on, until the other process goes on or ends, and the journal takes no more writes.
	file, got := t.file, make(chan error, 1)
	go func() { got <- lockFile(file, true) }()
	limit := time.NewTimer(busyFor)
	defer limit.Stop()
	select {
	case err := <-got:
		return err
	case <-limit.C:
		t.file = nil // it is the goroutine's now
		return errHeld
	}
}

// give ends the turn.
func (t *turn) give() error {
	t.held = false
	return unlockFile(t.file)
}

// drop ends the turn where it was tried for and there was nothing to write.
func (t *turn) drop() {
	if t.held {
		_ = t.give() // as with a turn that is lost: the next one finds it
	}
}

func (t *turn) close() {
	if t.file != nil {
		_ = t.file.Close() // which gives the turn back
	}
}
