package journal

import "errors"

// Reasons of an [Error], to be asked for with errors.Is.
var (
	ErrDamaged   = errors.New("damaged journal")
	ErrNewer     = errors.New("journal of a newer wfc")
	ErrNetworkFS = errors.New("network file system")
	ErrReadOnly  = errors.New("folder cannot be written")
	ErrNoJournal = errors.New("no journal")
	ErrBusy      = errors.New("journal is locked")
	ErrFull      = errors.New("disk is full")
	ErrIO        = errors.New("journal cannot be read or written")
	ErrClosed    = errors.New("closed")
	ErrOwned     = errors.New("run has an owner")
	ErrFenced    = errors.New("run has another owner")
	ErrFinished  = errors.New("run is finished")
	ErrNotFound  = errors.New("not found")
	ErrAmbiguous = errors.New("ambiguous run")
)

// Error is a failure of the journal as a user is told it.
type Error struct {
	Reason  error  // one of the Err values
	Message string // full sentences: what is wrong and what to do
	Cause   error  // what the system said; nil: nothing
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
	return "The run " + string(e.Run) + " was already created with the key " + e.Key + "."
}
