//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// bell is by what other processes wake this one: a named pipe, in which every
// byte is a ring. Its reader is woken by the kernel, and it is gone with its process.
type bell struct {
	path  string
	pipe  *os.File
	over  atomic.Bool
	ended chan struct{}
}

// openBell makes the pipe at path and calls rung, from one goroutine, for each
// ring, or once for several.
func openBell(path string, rung func()) (*bell, error) {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// For reading and writing: so it opens at once, and has no end while nobody else writes.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		_ = os.Remove(path)
		return nil, err
	}
	b := &bell{path: path, pipe: pipe, ended: make(chan struct{})}
	go b.listen(rung)
	return b, nil
}

// listen is the bell's goroutine; close waits for it.
func (b *bell) listen(rung func()) {
	defer close(b.ended)
	buf := make([]byte, 64)
	for {
		if _, err := b.pipe.Read(buf); err != nil || b.over.Load() {
			return
		}
		rung()
	}
}

// close ends the bell and removes it.
func (b *bell) close() {
	b.over.Store(true)
	_ = os.Remove(b.path)
	// Closing does not wake the reader on all systems; a ring does.
	_, _ = b.pipe.Write([]byte{0})
	<-b.ended
	_ = b.pipe.Close()
}

// ring wakes the process whose bell is at path. It reports false where no
// process has it.
func ring(path string) (bool, error) {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENXIO): // nobody reads
		return false, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte{1})
	switch {
	case errors.Is(err, unix.EPIPE): // it has just gone
		return false, nil
	case errors.Is(err, unix.EAGAIN): // so many rings that another one says nothing new
		err = nil
	}
	return err == nil, err
}
