package engine

import "errors"

// Turn is a run's place among those that may go on in this process at once. A run
// whose turn has not come is queued: it is in the journal, and nothing of it begins.
type Turn interface {
	// Come is closed when it is the run's turn.
	Come() <-chan struct{}
}

// ErrLeft is the cause of the end of Run's context with which a run is not cancelled
// but given up where it is, for another process to resume.
var ErrLeft = errors.New("the process ends")
