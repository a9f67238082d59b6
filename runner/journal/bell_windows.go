package journal

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// bell is by what other processes wake this one: a named event, which is gone
// with its process.
type bell struct {
	event, stop windows.Handle
	ended       chan struct{}
}

// bellName is the event's name for the bell that is a file at path elsewhere. Its
// last part is random, so the name is nobody else's.
func bellName(path string) (*uint16, error) {
	return windows.UTF16PtrFromString(`Global\wfc-` + filepath.Base(path))
}

// openBell makes the event for path and calls rung, from one goroutine, for each
// ring, or once for several.
func openBell(path string, rung func()) (*bell, error) {
	name, err := bellName(path)
	if err != nil {
		return nil, err
	}
	event, err := windows.CreateEvent(nil, 0, 0, name)
	if err != nil {
		return nil, err
	}
	stop, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		_ = windows.CloseHandle(event)
		return nil, err
	}
	b := &bell{event: event, stop: stop, ended: make(chan struct{})}
	go b.listen(rung)
	return b, nil
}

// listen is the bell's goroutine; close waits for it.
func (b *bell) listen(rung func()) {
	defer close(b.ended)
	for {
		which, err := windows.WaitForMultipleObjects([]windows.Handle{b.stop, b.event}, false, windows.INFINITE)
		if err != nil || which != windows.WAIT_OBJECT_0+1 {
			return
		}
		rung()
	}
}

// close ends the bell.
func (b *bell) close() {
	_ = windows.SetEvent(b.stop)
	<-b.ended
	_ = windows.CloseHandle(b.event)
	_ = windows.CloseHandle(b.stop)
}

// ring wakes the process whose bell is at path. It reports false where no
// process has it.
func ring(path string) (bool, error) {
	name, err := bellName(path)
	if err != nil {
		return false, err
	}
	event, err := windows.OpenEvent(windows.EVENT_MODIFY_STATE, false, name)
	if err == windows.ERROR_FILE_NOT_FOUND {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer windows.CloseHandle(event)
	if err := windows.SetEvent(event); err != nil {
		return false, err
	}
	return true, nil
}
