//go:build unix

package journal

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A child that is being started has the files of its parent open for a moment. What the
// parent gives back is free all the same.
func TestALockEndsThoughAChildHasItsFileOpen(t *testing.T) {
	l := locks{t.TempDir()}
	path := filepath.Join(l.dir, "x.lock")
	held, err := l.try(path)
	must(t, err)
	waits, err := l.open(path)
	must(t, err)
	defer waits.Close()
	child, err := unix.Dup(int(held.file.Fd()))
	must(t, err)
	defer unix.Close(child)
	held.release()
	must(t, lockFile(waits, false))
}

// A process that is killed while it starts another one leaves its locks to that for a moment.
func TestARunOfADeadProcessIsAdoptedOnceItsLockIsFree(t *testing.T) {
	s := openNew(t)
	c := startChild(t, "leaks", s.dir)
	id := RunID(c.line())
	c.kill() // which ends the stdin of the other one, too
	r, err := s.Adopt(t.Context(), id)
	must(t, err)
	must(t, r.Close())
}
