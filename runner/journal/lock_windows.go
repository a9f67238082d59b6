package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes an exclusive lock on the open file; it is released when the
// file is closed or the process dies. Without wait it returns errHeld where another has it.
func lockFile(f *os.File, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return errHeld
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}

// unlockFile gives back what lockFile took.
func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// release gives the lock back. An open file cannot be removed here; where
// another has opened it meanwhile, removing fails and the file stays.
func (l *fileLock) release() {
	ours := isAt(l.file, l.path)
	_ = l.file.Close()
	if ours {
		_ = os.Remove(l.path)
	}
}

// isGone reports whether there is no process pid, where its locks may outlast it: not here.
func isGone(int) bool { return false }
