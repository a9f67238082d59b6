package journal

import (
	"context"
	"database/sql/driver"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// blobGrace is how long a blob may wait for the event that names it, and is kept
	// although nothing does: longer than any call takes.
	blobGrace = 24 * time.Hour
	// pruneEvery is how often a journal is pruned by itself (Options.Keep).
	pruneEvery = 24 * time.Hour
	// pruneAtOnce is how many runs one transaction removes, so that nobody waits for long.
	pruneAtOnce = 50
	// vacuumFrom is the number of bytes of free pages from which the database is
	// made smaller; below, the next runs use them.
	vacuumFrom = 16 << 20
)

// Prune says which finished runs are removed. Runs that wait, are interrupted or
// are executed never are, nor the last completed run of a workflow and deployment,
// which the next one may refer to ([Store.LastCompleted]).
type Prune struct {
	OlderThan time.Duration // those that ended longer ago; 0: all
	Newest    int           // so many are kept whatever their age; 0: none
	DryRun    bool          // say what would be removed and remove nothing
}

// Pruned is what [Store.Prune] removed.
type Pruned struct {
	Runs  []RunID // newest first; never nil
	Blobs int     // files
	Bytes int64   // of the blobs
}

// Prune removes finished runs, with their plans, results and blobs, where no other
// run has them, and blobs that no run names.
func (s *Store) Prune(ctx context.Context, p Prune) (*Pruned, error) {
	out, err := s.prune(ctx, p, 0)
	if err != nil || p.DryRun {
		return out, err
	}
	s.locks.sweepBells()
	if err := s.sweepLocks(ctx); err != nil {
		return out, err
	}
	if out.Blobs, out.Bytes, err = s.collectBlobs(ctx); err != nil {
		return out, err
	}
	return out, s.shrink(ctx)
}

// prune removes runs, at most so many; 0: all.
func (s *Store) prune(ctx context.Context, p Prune, most int) (*Pruned, error) {
	ended := s.clock().Add(-p.OlderThan)
	out := &Pruned{Runs: []RunID{}}
	runs, err := s.Runs(ctx, Filter{Statuses: []Status{Completed, Failed, Cancelled}})
	if err != nil {
		return out, err
	}
	type series struct{ workflow, deployment string }
	met := map[series]bool{} // of which the last completed run was met
	for i, r := range runs {
		of := series{r.Workflow, r.Deployment}
		isLast := r.Status == Completed && !met[of]
		if isLast {
			met[of] = true
		}
		if i >= p.Newest && !isLast && (p.OlderThan == 0 || r.FinishedAt != nil && r.FinishedAt.Before(ended)) {
			out.Runs = append(out.Runs, r.Run)
		}
	}
	if most > 0 && len(out.Runs) > most {
		out.Runs = out.Runs[len(out.Runs)-most:] // the oldest
	}
	if p.DryRun {
		return out, nil
	}
	// The oldest go first: what is left when this is interrupted is a log without a hole.
	oldest := slices.Clone(out.Runs)
	slices.Reverse(oldest)
	for some := range slices.Chunk(oldest, pruneAtOnce) {
		if err := s.do(ctx, func(c *conn) error { return removeRuns(c, some) }); err != nil {
			return out, err
		}
		for _, id := range some {
			s.locks.sweep(s.locks.run(id))
			if err := os.RemoveAll(s.folder(id)); err != nil {
				return out, s.explain(err)
			}
		}
	}
	if len(oldest) > 0 {
		err = s.do(ctx, func(c *conn) error {
			_, err := c.exec(`DELETE FROM plans WHERE NOT EXISTS (SELECT 1 FROM runs WHERE plan_digest = digest)`)
			return err
		})
	}
	return out, err
}

// removeRuns is the task that removes runs that are finished.
func removeRuns(c *conn, ids []RunID) (err error) {
	// What is removed is overwritten: it may be private.
	if err := c.script(`PRAGMA secure_delete = ON`); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.script(`PRAGMA secure_delete = OFF`)) }()
	for _, id := range ids {
		row, err := c.row(`SELECT num, status FROM runs WHERE id = ?`, string(id))
		if err != nil {
			return err
		}
		if row == nil || !isFinal(Status(row[1].(string))) {
			continue // another process was faster
		}
		for _, sql := range []string{
			`DELETE FROM events WHERE run = ?`, `DELETE FROM nodes WHERE run = ?`, `DELETE FROM waits WHERE run = ?`,
			`DELETE FROM inbox WHERE run = ?`, `DELETE FROM blob_refs WHERE run = ?`, `DELETE FROM run_keys WHERE run = ?`,
			`UPDATE blobs SET run = NULL WHERE run = ?`, // without the key nobody reads them
			`DELETE FROM runs WHERE num = ?`,
		} {
			if _, err := c.exec(sql, row[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// collectBlobs removes the blobs that nothing names, and what writers that died left
// among them.
func (s *Store) collectBlobs(ctx context.Context) (files int, bytes int64, err error) {
	now := s.clock()
	old := now.Add(-blobGrace)
	var gone, there map[string]int64
	task := func(c *conn) (err error) {
		gone, there, err = s.unwanted(c, old)
		for sum := range gone {
			if _, err := c.exec(`DELETE FROM blobs WHERE sha256 = ?`, sum); err != nil {
				return err
			}
		}
		return err
	}
	// The files go when the rows have, and before another writer's turn: who wants
	// one again then sees that it is not there.
	err = s.doAnd(ctx, task, func() error {
		for sum, size := range gone {
			if err := os.Remove(filepath.Join(s.blobs.dir, sum)); err == nil {
				files, bytes = files+1, bytes+size
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return s.sweepBlobs(there, old)
	})
	return files, bytes, err
}

// unwanted returns the blobs, with their sizes, that nothing names and nobody has
// wanted since old, and all others.
func (s *Store) unwanted(c *conn, old time.Time) (gone, there map[string]int64, err error) {
	named := map[string]bool{}
	err = c.rows(func(row []driver.Value) error {
		named[row[0].(string)] = true
		return nil
	}, `SELECT blob FROM blob_refs UNION SELECT blob FROM events WHERE blob IS NOT NULL UNION SELECT blob FROM inbox WHERE blob IS NOT NULL`)
	if err != nil {
		return nil, nil, err
	}
	gone, there = map[string]int64{}, map[string]int64{}
	err = c.rows(func(row []driver.Value) error {
		sum, _ := row[0].(string)
		size, _ := row[1].(int64)
		wanted, _ := row[2].(int64)
		plain, _ := row[3].(string)
		// A sensitive event names what it holds by keyed digests.
		if named[sum] || named[plain] || named[s.keyed(sum)] || wanted > old.UnixNano() {
			there[sum] = size
		} else {
			gone[sum] = size
		}
		return nil
	}, `SELECT sha256, size, created_at, plain FROM blobs`)
	return gone, there, err
}

// sweepBlobs removes files that no row knows, unless they are new: a writer may be
// about to make the row.
func (s *Store) sweepBlobs(there map[string]int64, old time.Time) error {
	entries, err := os.ReadDir(s.blobs.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if _, known := there[entry.Name()]; known || !isDigest(entry.Name()) && !strings.HasPrefix(entry.Name(), "new-") {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(old) {
			if err := os.Remove(filepath.Join(s.blobs.dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// shrink gives the space of removed runs back to the disk, where that is much.
func (s *Store) shrink(ctx context.Context) error {
	worth := false
	err := s.do(ctx, func(c *conn) error {
		row, err := c.row(`SELECT f.freelist_count * s.page_size FROM pragma_freelist_count f, pragma_page_size s`)
		if err == nil {
			free, _ := row[0].(int64)
			worth = free >= vacuumFrom
		}
		return err
	})
	if err != nil || !worth {
		return err
	}
	// It cannot be done within a transaction, so it has a connection and a turn of its own.
	t := turn{locks: s.locks}
	if err := t.take(); err != nil {
		return s.explain(err)
	}
	defer t.close()
	c, err := openConn(s.path())
	if err != nil {
		return s.explain(err)
	}
	err = c.script(`VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`)
	switch reasonOf(err) {
	case ErrBusy, ErrFull: // readers, or a disk without room for the copy: the space stays free in the file
		err = nil
	}
	return s.explain(errors.Join(err, c.close()))
}

// pruneByAge is what Options.Keep asks for. It is done once in a while, after a run.
func (s *Store) pruneByAge() error {
	if s.keep <= 0 {
		return nil
	}
	now := s.clock()
	due := false
	ctx := context.Background()
	err := s.do(ctx, func(c *conn) error {
		row, err := c.row(`SELECT pruned_at FROM meta`)
		if err != nil {
			return err
		}
		if last, ok := row[0].(int64); ok && now.Sub(timeOf(last)) < min(pruneEvery, s.keep) {
			return nil
		}
		due = true
		_, err = c.exec(`UPDATE meta SET pruned_at = ?`, now.UnixNano())
		return err
	})
	if err != nil || !due {
		return err
	}
	pruned, err := s.prune(ctx, Prune{OlderThan: s.keep}, 2*pruneAtOnce)
	if err != nil || len(pruned.Runs) == 0 {
		return err
	}
	_, _, err = s.collectBlobs(ctx)
	return err
}

// sweepLocks removes what was left by processes that died before they had created
// their run.
func (s *Store) sweepLocks(ctx context.Context) error {
	entries, err := os.ReadDir(s.locks.dir)
	if err != nil {
		return nil // there are none
	}
	known := map[string]bool{}
	runs, err := s.Runs(ctx, Filter{})
	if err != nil {
		return err
	}
	for _, r := range runs {
		known[string(r.Run)] = true
	}
	for _, entry := range entries {
		id, isLock := strings.CutSuffix(entry.Name(), ".lock")
		id = strings.TrimSuffix(id, ".queued")
		if isLock && isID(id) && len(id) == len(newID(s.clock())) && !known[id] {
			s.locks.sweep(filepath.Join(s.locks.dir, entry.Name()))
		}
	}
	return nil
}

// sweep removes a lock's file that a dead owner left.
func (l locks) sweep(path string) {
	_ = l.gate(gateName, func() error {
		if _, err := os.Lstat(path); err != nil {
			return err
		}
		lock, err := l.try(path)
		if err == nil {
			lock.release()
		}
		return err // what stays says nothing
	})
}
