package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

func TestErrorsOfTheSystemHaveAReason(t *testing.T) {
	at := func(err error) error { return fmt.Errorf("sync: %w", &os.PathError{Op: "write", Path: "x", Err: err}) }
	for _, c := range []struct {
		err    error
		reason error
	}{
		{at(syscall.ENOSPC), ErrFull},
		{at(syscall.EROFS), ErrReadOnly},
		{at(fs.ErrPermission), ErrReadOnly},
		{at(syscall.EIO), ErrIO},
		{errHeld, ErrBusy},
		{errForeign, ErrDamaged},
		{failure(ErrFenced, nil, "Taken."), ErrFenced},
	} {
		err := explain("/p/.wfc", c.err)
		var ours *Error
		if !errors.As(err, &ours) || !errors.Is(err, c.reason) || !errors.Is(err, c.err) {
			t.Errorf("%v became %#v, want the reason %v", c.err, err, c.reason)
		}
	}
	for _, err := range []error{nil, context.Canceled, &KeyError{"k", "r"}} {
		if got := explain("/p/.wfc", err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// After the first failure of the disk nothing is written any more: the log stays a prefix.
func TestNothingIsWrittenAfterAFailure(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	broken := errors.New("the disk broke")
	if err := s.do(t.Context(), func(*conn) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := r.Append(numbered(1)); !errors.Is(err, ErrIO) {
		t.Errorf("an append afterwards: %v", err)
	}
	if err := r.Close(); !errors.Is(err, ErrIO) {
		t.Errorf("closing the run: %v", err)
	}
	if got := len(history(t, s, r.ID())); got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}
