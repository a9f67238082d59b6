//go:build !linux

package servertest

import "testing"

// CheckGone cannot tell on this system.
func CheckGone(testing.TB, int) {}

// Gone cannot tell on this system.
func Gone(int) error { return nil }

// OpenFiles cannot tell on this system.
func OpenFiles(testing.TB) int { return 0 }

// CheckStarts fails t unless the server recorded n starts in file.
func CheckStarts(t testing.TB, file string, n int) {
	t.Helper()
	if lines := Lines(t, file); len(lines) != n {
		t.Errorf("%d processes were started, want %d", len(lines), n)
	}
}
