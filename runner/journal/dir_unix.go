//go:build unix

package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncDir makes the names in a folder durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// protect takes from group and others what they may do with path.
func protect(path string, mode os.FileMode) error {
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, mode)
}

// writable returns an error where this process may not write to path.
func writable(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
