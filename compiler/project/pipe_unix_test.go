//go:build unix

package project

import (
	"syscall"
	"testing"
)

// makePipe makes a named pipe, where the system has them.
func makePipe(t *testing.T, path string) bool {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}
