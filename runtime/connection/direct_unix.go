//go:build unix

package connection

import (
	"io"
	"os"
	"syscall"
)

// directWriter returns a function that writes what goes into a pipe without
// blocking and returns how much that was; nil if w is no pipe of ours. What is
// wrong with the pipe the next blocking write says.
func directWriter(w io.Writer) func([]byte) int {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	return func(data []byte) (n int) {
		_ = raw.Write(func(fd uintptr) bool {
			n, _ = syscall.Write(int(fd), data)
			return true // also where it would block: then the writer waits
		})
		return max(n, 0)
	}
}
