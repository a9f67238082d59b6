package journal

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// leaseFor is how long processes on other hosts, who cannot see the owner's lock,
// believe after its last sign that it lives; a sign is given three times as often.
const leaseFor = time.Minute

// presence is what a store that owns runs shows to other processes: a bell, by
// which they say that they have put something into a run's inbox, and leases.
type presence struct {
	s    *Store
	bell *bell // nil: the file system has none; what is in the inbox is seen at the next commit
	stop chan struct{}
	done sync.WaitGroup
}

func newStoreID() string {
	id := make([]byte, 8)
	rand.Read(id) // never fails (crypto/rand)
	return hex.EncodeToString(id)
}

// bell returns where the bell of the store with that id is.
func (l locks) bell(id string) string { return filepath.Join(l.dir, id+bellSuffix) }

const bellSuffix = ".bell"

// sweepBell removes the bell that a store with that id has left by dying.
func (l locks) sweepBell(id string) {
	if id == "" {
		return
	}
	// A ring that nobody needs is nothing to a store that lives.
	if lives, err := ring(l.bell(id)); err == nil && !lives {
		_ = os.Remove(l.bell(id)) // one that stays says nothing
	}
}

// sweepBells removes all bells that were left.
func (l locks) sweepBells() {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return // there are none
	}
	for _, entry := range entries {
		if id, is := strings.CutSuffix(entry.Name(), bellSuffix); is {
			l.sweepBell(id)
		}
	}
}

// present makes the store present; s.mu is held, and the folder of locks is there.
func (s *Store) present() {
	if s.seen != nil || s.alone {
		return
	}
	p := &presence{s: s, stop: make(chan struct{})}
	p.bell, _ = openBell(s.locks.bell(s.id), s.rung)
	p.done.Go(p.keep)
	s.seen = p
}

// rung tells all runs that they may have mail.
func (s *Store) rung() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.runs {
		r.ringMail()
	}
}

// keep renews the leases of the store's runs.
func (p *presence) keep() {
	tick := time.NewTicker(leaseFor / 3)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
		// What fails here fails all commits, which say so.
		if done, err := p.s.start(p.s.renew, nil); err == nil {
			select {
			case <-done:
			case <-p.stop:
				return
			}
		}
	}
}

// renew is the task that renews the leases.
func (s *Store) renew(c *conn) error {
	s.mu.Lock()
	runs := make([]*Run, 0, len(s.runs))
	for r := range s.runs {
		runs = append(runs, r)
	}
	s.mu.Unlock()
	until := s.clock().Add(leaseFor).UnixNano()
	for _, r := range runs {
		// The number of one that is being made is not known yet: it matches none.
		_, err := c.exec(`UPDATE runs SET lease_until = ? WHERE num = ? AND owner_epoch = ? AND owner IS NOT NULL`, until, r.num, r.epoch)
		if err != nil {
			return err
		}
	}
	return nil
}

// close ends what present began and waits for it.
func (p *presence) close() {
	close(p.stop)
	p.done.Wait()
	if p.bell != nil {
		p.bell.close()
	}
}
