package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Owner is the process that executes a run.
type Owner struct {
	Host  string    `json:"host"`  // its name
	PID   int       `json:"pid"`   // there
	Since time.Time `json:"since"` // when it became the owner, UTC
}

// String names the process within a sentence.
func (o Owner) String() string {
	return fmt.Sprintf("process %d on host %s, since %s", o.PID, o.Host, o.Since.Local().Format("2006-01-02 15:04:05"))
}

// ownerRow is an owner as its run's row has it.
type ownerRow struct {
	Owner
	ID string `json:"id"` // of its Store, which is reached by it (see bell)
	host
}

// host is where a process runs, as far as file locks are concerned: they hold
// between processes of one kernel.
type host struct {
	Machine string `json:"machine,omitempty"` // the same after a reboot; "": unknown
	Boot    string `json:"boot,omitempty"`    // another one after a reboot, the same in containers; "": unknown
}

// thisHost returns where this process runs, and the host's name.
var thisHost = sync.OnceValues(func() (host, string) {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	machine, boot := hostIDs()
	if machine == "" && boot == "" {
		machine = name
	}
	return host{shortHash(machine), shortHash(boot)}, name
})

// shortHash stands for an id of the machine, which is nobody's business; "" for none.
func shortHash(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("wfc journal host\n" + id))
	return hex.EncodeToString(sum[:8])
}

// sees reports whether the locks of a process at other can be seen here: where
// both are on one kernel, or other was on this machine before it was started anew,
// when it had its end. A row without an owner's host was written by a wfc that knew none.
func (h host) sees(other host) bool {
	switch {
	case other == host{}:
		return true
	case h.Boot != "" && h.Boot == other.Boot:
		return true
	}
	return h.Machine != "" && h.Machine == other.Machine
}

// ownerOf reads the column owner; nil where it is NULL or cannot be read.
func ownerOf(text string) *ownerRow {
	var o ownerRow
	if text == "" || json.Unmarshal([]byte(text), &o) != nil {
		return nil
	}
	return &o
}

// text is o as the column owner has it.
func (o *ownerRow) text() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic("journal: " + err.Error() + " (this is a bug in wfc)") // texts, a number and a time
	}
	return string(text)
}

// owner returns what this store writes of itself into the runs that it owns.
func (s *Store) owner(since time.Time) *ownerRow {
	return &ownerRow{Owner{s.hostName, os.Getpid(), since.UTC().Truncate(time.Second)}, s.id, s.host}
}

// errOwned says who has a run.
func errOwned(id RunID, o *ownerRow) *Error {
	if o == nil {
		return failure(ErrOwned, nil, "The run %s is being executed by another process.", id)
	}
	err := failure(ErrOwned, nil, "The run %s is being executed by another process (%s).", id, o.Owner)
	err.Owner = &o.Owner
	return err
}
