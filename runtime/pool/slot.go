package pool

import (
	"errors"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

// slotKey is what has at most one current session.
type slotKey struct {
	id    string
	scope connection.Scope
}

// slot is the place of a connection's session in one scope.
type slot struct {
	target      Target
	fingerprint string
	session     *session.Session // nil: none yet, or it has ended
	generation  uint64           // of the latest
	deaths      int              // sessions in a row that ended by themselves and soon
	// failed is why the latest session ended, if nobody was told: it was warmed and
	// not yet used. failedAt is when.
	failed   error
	failedAt time.Time
	// lost is why a private session ended, whose state nothing can bring back.
	lost error
}

// warmFailure is how long the failure of a warmed session is news to the first
// operation; later it starts the server once more, since much may have changed.
const warmFailure = 10 * time.Second

// settle takes notice that the slot's session has ended.
func (s *slot) settle() {
	err := s.session.Err()
	var nothing connection.Problem // was started: there is nobody to spare
	switch {
	case err == nil || s.session.Uptime() >= steady:
		s.deaths = 0
	case !errors.As(err, &nothing):
		s.deaths++
	}
	if err != nil && s.target.Scope != "" && s.session.Reached() {
		s.lost = err
	}
	if s.failed = nil; !s.session.Used() {
		s.failed, s.failedAt = err, time.Now()
	}
	s.session = nil
}

// Delays before a server is started again that keeps dying. The first
// replacement is immediate.
const (
	firstDelay = 100 * time.Millisecond
	lastDelay  = 10 * time.Second
	// steady is how long a session must have been up for its end to be the first
	// again: as long as the longest delay.
	steady = lastDelay
)

func (s *slot) delay() time.Duration {
	if s.deaths < 2 {
		return 0
	}
	return min(firstDelay<<min(s.deaths-2, 16), lastDelay)
}
