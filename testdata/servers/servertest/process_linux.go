package servertest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// CheckGone fails t if the process pid lives on. A process that was killed gets
// the time that the kernel needs.
func CheckGone(t testing.TB, pid int) {
	t.Helper()
	if err := Gone(pid); err != nil {
		t.Error(err)
	}
}

// Gone returns an error if the process pid lives on, and kills it then. A
// process that was killed gets the time that the kernel needs.
func Gone(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, goneWait)
	for errors.Is(err, unix.EINTR) { // by the end of another child, of which a signal tells
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, goneWait)
	}
	if err != nil || n != 1 {
		_ = unix.Kill(pid, unix.SIGKILL)
		return fmt.Errorf("process %d lives on (%v)", pid, err)
	}
	return nil
}

// goneWait is how many milliseconds a process that ends may take for it, on a machine
// that is busy with others.
const goneWait = 30_000

// OpenFiles returns the number of files that this process has open.
func OpenFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// CheckStarts fails t unless the server recorded n starts in file, and none of
// the processes lives on.
func CheckStarts(t testing.TB, file string, n int) {
	t.Helper()
	lines := Lines(t, file)
	if len(lines) != n {
		t.Errorf("%d processes were started, want %d", len(lines), n)
	}
	for _, line := range lines {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		CheckGone(t, pid)
	}
}

// CheckThreadGone waits until the thread tid of this process has ended.
func CheckThreadGone(t testing.TB, tid int) {
	t.Helper()
	for range 50_000_000 { // much time, on a machine that is busy with others
		if err := unix.Tgkill(os.Getpid(), tid, 0); errors.Is(err, unix.ESRCH) {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("thread %d lives on", tid)
}
