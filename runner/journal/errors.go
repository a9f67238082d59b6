package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Reasons of an [Error], to be asked for with errors.Is.
var (
	ErrDamaged   = errors.New("damaged journal")
	ErrNewer     = errors.New("journal of a newer wfc")
	ErrNetworkFS = errors.New("network file system")
	ErrReadOnly  = errors.New("folder cannot be written")
	ErrNoJournal = errors.New("no journal")
	ErrBusy      = errors.New("journal is locked")
	ErrFull      = errors.New("disk is full")
	ErrMisplaced = errors.New("something else is in the journal's place")
	ErrIO        = errors.New("journal cannot be read or written")
	ErrClosed    = errors.New("closed")
	ErrOwned     = errors.New("run has an owner")
	ErrFenced    = errors.New("run has another owner")
	ErrFinished  = errors.New("run is finished")
	ErrNotFound  = errors.New("not found")
	ErrAmbiguous = errors.New("ambiguous run")
	ErrKey       = errors.New("no key for what is encrypted")
	ErrNoWait    = errors.New("nothing waits for it")
	ErrAnswered  = errors.New("it is answered already")
)

// Error is a failure of the journal as a user is told it.
type Error struct {
	Reason  error  // one of the Err values
	Message string // full sentences: what is wrong and what to do
	Cause   error  // what the system said; nil: nothing
	Owner   *Owner // where Reason is ErrOwned, who executes the run; nil: not known
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the reason and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Cause}
}

// KeyError says that a run with the same key exists.
type KeyError struct {
	Key string
	Run RunID // the run that has it
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("The run %s was already created with the key %q.", e.Run, e.Key)
}

// errForeign is a database that is no journal of wfc.
var errForeign = errors.New("the database has none of wfc's tables")

func failure(reason, cause error, message string, args ...any) *Error {
	return &Error{Reason: reason, Message: fmt.Sprintf(message, args...), Cause: cause}
}

// explain turns what SQLite and the system say about the journal in dir into an
// *Error. What is one already, a *KeyError, and the end of a context stay as they are.
func explain(dir string, err error) error {
	var ours *Error
	var key *KeyError
	switch {
	case err == nil, errors.As(err, &ours), errors.As(err, &key),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	file := filepath.Join(dir, fileName)
	switch reasonOf(err) {
	case ErrDamaged:
		return failure(ErrDamaged, err, "The journal %s is damaged (%v). Move the folder %s away to start with an empty journal; "+
			"keep it if you need the runs that it holds.", file, err, dir)
	case ErrReadOnly:
		return failure(ErrReadOnly, err, "wfc cannot write to the folder %s, where the journal of runs is kept (%v). "+
			"Give yourself the right to write there.", dir, err)
	case ErrBusy:
		return failure(ErrBusy, err, "Another process has kept the journal %s locked for half a minute (%v). "+
			"End that process, or wait for it, and try again.", file, err)
	case ErrFull:
		return failure(ErrFull, err, "There is no space left for the journal %s (%v). Free some space and try again.", file, err)
	}
	return failure(ErrIO, err, "The journal %s cannot be read or written: %v. Check the disk, and that the folder %s is there and yours to use.", file, err, dir)
}

// reasonOf classifies an error of SQLite or of the system.
func reasonOf(err error) error {
	var code *sqlite.Error
	if errors.As(err, &code) {
		switch code.Code() & 0xff { // the rest of the bits are details
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return ErrDamaged
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
			return ErrReadOnly
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return ErrBusy
		case sqlite3.SQLITE_FULL:
			return ErrFull
		case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_MISMATCH:
			// Our statements are constant, so it is the tables that are not as they were made.
			return ErrDamaged
		}
		return ErrIO
	}
	switch {
	case errors.Is(err, errForeign):
		return ErrDamaged
	case errors.Is(err, errHeld):
		return ErrBusy
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	case errors.Is(err, syscall.ENOSPC):
		return ErrFull
	}
	return ErrIO
}
