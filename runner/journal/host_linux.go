package journal

import (
	"os"
	"strings"
)

// hostIDs returns the ids of this machine and of its present boot; "" is unknown.
func hostIDs() (machine, boot string) {
	return line("/etc/machine-id"), line("/proc/sys/kernel/random/boot_id")
}

func line(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
