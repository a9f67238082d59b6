//go:build !(linux || darwin || windows)

package journal

// hostIDs knows none on this system; the host's name stands in.
func hostIDs() (machine, boot string) { return "", "" }
