//go:build darwin || freebsd || dragonfly

package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// networkFS returns the type of the network file system that dir lies on; "" is none.
func networkFS(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if st.Flags&unix.MNT_LOCAL != 0 {
		return "", nil
	}
	return "network", nil
}
