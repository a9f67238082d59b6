package service

import (
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/registry"
)

// ErrorKind says what sort of refusal an [Error] is, so that front ends choose their
// code without looking at text.
type ErrorKind uint8

// The kinds.
const (
	NotFound ErrorKind = iota + 1 // there is no such thing
	Invalid                       // what was given is wrong; Diagnostics may say where
	Conflict                      // it is there already, or is in a state that does not allow it
	Refused                       // the project's own rules forbid it
	Limit                         // too much, or too many at once: later it may work
	Stale                         // a deployment that does not fit the project any more
	Closing                       // the host closes
)

// String returns the kind's name: "not_found", "invalid" …
func (k ErrorKind) String() string {
	return [...]string{"", "not_found", "invalid", "conflict", "refused", "limit", "stale", "closing"}[k]
}

// Error is what a host refuses, with the reason.
type Error struct {
	Kind        ErrorKind
	Message     string // full sentences: what is wrong and what to do
	Diagnostics Diagnostics
	// Run is the run that a Conflict is with; "": none.
	Run   string
	Cause error // nil: none
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

func refuse(kind ErrorKind, message string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(message, args...)}
}

// Diagnostics are findings with the texts that they are in.
type Diagnostics struct {
	List   diag.List
	Source func(file string) []byte // nil where there is no text
}

// JSON returns the findings as `wfc check --format json` has them, a value that
// encoding/json encodes as a list; an empty one where there are none.
func (d Diagnostics) JSON() any { return diag.JSON(d.List, d.source) }

func (d Diagnostics) source(file string) []byte {
	if d.Source == nil {
		return nil
	}
	return d.Source(file)
}

// invalid is the error of what was compiled with errors.
func invalid(d Diagnostics, message string, args ...any) *Error {
	errs, _ := d.List.Count()
	text := fmt.Sprintf(message, args...)
	switch {
	case errs == 1:
		for _, f := range d.List {
			if f.Severity == diag.Error {
				text += ": " + f.Detail
			}
		}
	case errs > 1:
		text += fmt.Sprintf(": there are %d errors.", errs)
	}
	return &Error{Kind: Invalid, Message: text, Diagnostics: d}
}

// kindly makes an *Error of what the packages below say, where it is the caller's to know.
func kindly(err error) error {
	var ours *Error
	var inputs *engine.InputError
	var busy *engine.BusyError
	var key *journal.KeyError
	var below *journal.Error
	var reply *engine.ReplyError
	kind := ErrorKind(0)
	switch {
	case err == nil || errors.As(err, &ours):
		return err
	case errors.As(err, &inputs), errors.Is(err, registry.ErrID), errors.Is(err, journal.ErrAmbiguous):
		kind = Invalid
	case errors.As(err, &reply):
		kind = map[error]ErrorKind{engine.ErrBadAnswer: Invalid, engine.ErrNotApprover: Refused, engine.ErrNoQuestion: Conflict}[reply.Reason]
	case errors.As(err, &busy), errors.Is(err, journal.ErrFull):
		kind = Limit
	case errors.As(err, &key):
		return &Error{Kind: Conflict, Message: err.Error(), Run: string(key.Run), Cause: err}
	case errors.Is(err, journal.ErrNotFound):
		kind = NotFound
	case errors.As(err, &below) && (errors.Is(err, journal.ErrFinished) || errors.Is(err, journal.ErrOwned) || errors.Is(err, journal.ErrFenced) ||
		errors.Is(err, journal.ErrNoWait) || errors.Is(err, journal.ErrAnswered)):
		kind = Conflict
	default:
		return err
	}
	return &Error{Kind: kind, Message: err.Error(), Cause: err}
}
