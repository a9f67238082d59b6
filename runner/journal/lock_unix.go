//go:build unix

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes an exclusive lock on the open file; it is released when the
// file is closed or the process dies. Without wait it returns errHeld where another has it.
func lockFile(f *os.File, wait bool) error {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		}
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
}

// unlockFile gives back what lockFile took. Closing the file alone may be too late: a
// child that is being started has all files of its parent open until it is another
// program, and a lock lasts as long as one of them is.
func unlockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// release gives the lock back. The file is removed while the lock is held, so
// that whoever locks it afterwards can see that it is no longer at its place. Where
// the lock was lost, the file there is the next owner's.
func (l *fileLock) release() {
	if isAt(l.file, l.path) {
		_ = os.Remove(l.path) // one that stays says nothing
	}
	_ = unlockFile(l.file)
	_ = l.file.Close()
}

// isGone reports whether there is no process pid. One of another container may seem gone.
func isGone(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
