// Package journal is the durable log of runs and the store that answers
// questions about them: SQLite in the project's .wfc folder, written by one
// goroutine of a process, in groups.
//
// Its central types are [Store], [Run] and [Event]. Of wfc it imports
// compiler/plan only.
package journal

import (
	"context"
	"errors"
	"iter"
	"time"
)

// MaxInline is the number of bytes of a result, of inputs or of outputs up to
// which they are kept in the log itself; what is longer becomes a blob. Beyond it
// SQLite's overflow pages cost more than a file of its own.
const MaxInline = 64 << 10

// Options of [Open]. The zero Options are the defaults.
type Options struct {
	// Durability says what a commit survives; the zero value is Disk.
	Durability Durability
	// ReadOnly opens what is there and creates nothing: for `wfc runs list` and
	// the like. A folder without a journal is an error that wraps fs.ErrNotExist.
	ReadOnly bool
	// Clock returns the time of events that carry none; nil: time.Now.
	Clock func() time.Time
}

// Durability says what a commit survives.
type Durability uint8

// The durabilities.
const (
	Disk    Durability = iota // a loss of power
	Process                   // the death of the process, not a loss of power
)

// Store is the journal of one project. It may be used by several goroutines,
// and several processes may have the same journal open.
type Store struct{}

// Run is a run that this process owns: it holds the run's lock, which the
// kernel releases when the process dies. Its methods may be used by several
// goroutines; the log has the events in the order of the calls.
type Run struct{}

var errUnbuilt = errors.New("journal: being built")

// Open opens the journal in dir, PROJECT/.wfc, whose parent must exist. It
// creates the folder (0700, ignored by git) and the journal (0600) where
// there is none. Errors are of type *[Error].
func Open(ctx context.Context, dir string, opts Options) (*Store, error) { return nil, errUnbuilt }

// Close waits for what is queued, releases the runs that are still open, and closes the journal. Closing twice is fine.
func (s *Store) Close() error { return nil }

// CreateRun writes the plan and the run and takes its lock. Both are durable
// when it returns. A key that another run has is an error of type *[KeyError].
func (s *Store) CreateRun(ctx context.Context, n NewRun) (*Run, error) { return nil, errUnbuilt }

// Take makes this process the owner of a run that is not finished: it takes the
// run's lock and raises its epoch, so that an owner that was thought dead can
// commit nothing any more. A run whose owner lives is an error that wraps [ErrOwned].
func (s *Store) Take(ctx context.Context, id RunID) (*Run, error) { return nil, errUnbuilt }

// ID returns the run's id.
func (r *Run) ID() RunID { return "" }

// Append queues an event; it does not wait for the disk. What is queued gathers
// for at most 5 ms, or until somebody waits. An error means that nothing was queued,
// because an earlier write failed, another owner has the run, or the run is closed.
func (r *Run) Append(ev Event) error { return errUnbuilt }

// Commit queues events and waits: they, and all that was appended before, are
// durable when it returns without an error. The events are in one transaction.
// When ctx ends first, it returns ctx's error, and the events are written all the same.
func (r *Run) Commit(ctx context.Context, evs ...Event) error { return errUnbuilt }

// Barrier waits until all that was appended before is durable. When ctx ends
// first, it returns ctx's error.
func (r *Run) Barrier(ctx context.Context) error { return errUnbuilt }

// Close waits for what is queued and releases the run's lock. Closing twice is fine.
func (r *Run) Close() error { return nil }

// Runs returns the runs that f chooses, newest first.
func (s *Store) Runs(ctx context.Context, f Filter) ([]RunSummary, error) { return nil, errUnbuilt }

// Run returns all that is known of a run. idOrPart is its id, or a beginning or an end of it that no other run has.
func (s *Store) Run(ctx context.Context, idOrPart string) (*RunRecord, error) {
	return nil, errUnbuilt
}

// Plan returns the plan with that digest, as it was given to CreateRun.
func (s *Store) Plan(ctx context.Context, digest string) ([]byte, error) { return nil, errUnbuilt }

// Events iterates over the durable history of a run, oldest first. It ends after the first error.
func (s *Store) Events(ctx context.Context, run RunID) iter.Seq2[Event, error] { return nil }

// PutBlob keeps data by its SHA-256, in lower-case hex, and returns that. The blob
// is durable when it returns, so an event that names it may follow.
func (s *Store) PutBlob(ctx context.Context, data []byte) (string, error) { return "", errUnbuilt }

// Blob returns the bytes of a blob.
func (s *Store) Blob(ctx context.Context, sha256 string) ([]byte, error) { return nil, errUnbuilt }

// ArgsDigest returns the keyed digest of canonical arguments: HMAC-SHA-256 with
// the journal's key, in hex.
func (s *Store) ArgsDigest(canonical []byte) string { return "" }

// IdempotencyKey returns the key of a node's effect, the same over all attempts and resumptions of the run.
func (s *Store) IdempotencyKey(run RunID, node, instance string) string { return "" }
