//go:build unix

package journal

import (
	"os"
	"syscall"
)

// becomeNobody drops the rights that a test that runs as root has.
func becomeNobody() error {
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}
