package journal

import "golang.org/x/sys/unix"

// hostIDs returns the ids of this machine and of its present boot; "" is unknown.
func hostIDs() (machine, boot string) {
	machine, _ = unix.Sysctl("kern.uuid") // "" where it is not there
	boot, _ = unix.Sysctl("kern.bootsessionuuid")
	return machine, boot
}
