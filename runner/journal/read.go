package journal

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// isFinal reports whether a run with the status has ended for good.
func isFinal(s Status) bool { return s == Completed || s == Failed || s == Cancelled }

// isID reports whether part may be a run's id or a piece of one.
func isID(part string) bool {
	return part != "" && len(part) <= 13 && strings.Trim(part, idAlphabet+"-") == ""
}

func (s *Store) notFound(part string) error {
	const most = 100
	if r := []rune(part); len(r) > most {
		part = string(r[:most]) + "…"
	}
	return failure(ErrNotFound, nil, "There is no run %q in this project. See the runs that there are with\n\n    wfc runs list", part)
}

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// metaToRead reads what identifies a journal through a reader's connection.
func (s *Store) metaToRead(ctx context.Context) (*meta, error) {
	db, err := s.reader()
	if err != nil {
		return nil, err
	}
	m := &meta{}
	err = db.QueryRowContext(ctx, selectMeta).Scan(&m.version, &m.journalID, &m.key)
	return m, err
}

// checkReadable refuses the journal of a newer wfc unless that says that this one
// can read it.
func (s *Store) checkReadable(ctx context.Context, m *meta) error {
	db, err := s.reader()
	if err != nil {
		return err
	}
	var by int64
	if err := db.QueryRowContext(ctx, `SELECT readable_by FROM meta`).Scan(&by); err != nil || by > schemaVersion {
		return errNewer(s.path(), m.version)
	}
	return nil
}

// snapshot runs f over one state of the journal.
func (s *Store) snapshot(ctx context.Context, f func(querier) error) error {
	db, err := s.reader()
	if err != nil {
		return s.explain(err)
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s.explain(err)
	}
	defer func() { _ = tx.Rollback() }() // it only read
	return s.explain(f(tx))
}

// each scans every row with f.
func each(ctx context.Context, q querier, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func timeOf(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }

func optionalTime(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	t := timeOf(n.Int64)
	return &t
}

const selectSummaries = `SELECT id, workflow, coalesce(deployment, ''), status, started_at, finished_at, coalesce(owner, ''), coalesce(lease_until, 0) FROM runs `

// summary is a row of selectSummaries.
type summary struct {
	RunSummary
	owner *ownerRow // nil: none, or one that is not known
	lease int64
}

func scanSummary(rows *sql.Rows) (r summary, err error) {
	var started int64
	var finished sql.NullInt64
	var owner string
	err = rows.Scan(&r.Run, &r.Workflow, &r.Deployment, &r.Status, &started, &finished, &owner, &r.lease)
	r.StartedAt, r.FinishedAt, r.owner = timeOf(started), optionalTime(finished), ownerOf(owner)
	return r, err
}

// Runs returns the runs that f chooses, newest first.
func (s *Store) Runs(ctx context.Context, f Filter) ([]RunSummary, error) {
	var where []string
	var args []any
	if f.Workflow != "" {
		where, args = append(where, "workflow = ?"), append(args, f.Workflow)
	}
	if f.Deployment != "" {
		where, args = append(where, "deployment = ?"), append(args, f.Deployment)
	}
	if len(f.Statuses) > 0 {
		// Which of them are interrupted is known only after looking at their locks.
		stored := slices.Clone(f.Statuses)
		if slices.Contains(stored, Interrupted) {
			stored = append(stored, Running, Queued)
		}
		where = append(where, "status IN (?"+strings.Repeat(", ?", len(stored)-1)+")")
		for _, status := range stored {
			args = append(args, string(status))
		}
	}
	if f.Before != "" {
		where, args = append(where, "num < (SELECT num FROM runs WHERE id = ?)"), append(args, string(f.Before))
	}
	query := selectSummaries
	if len(where) > 0 {
		query += "WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY num DESC"
	if f.Limit > 0 && !slices.ContainsFunc(f.Statuses, func(s Status) bool { return !isFinal(s) }) {
		query, args = query+" LIMIT ?", append(args, f.Limit) // what is read is what is chosen
	}

	var all []summary
	err := s.snapshot(ctx, func(q querier) error {
		if f.Before != "" {
			var there bool
			if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?)`, string(f.Before)).Scan(&there); err != nil {
				return err
			}
			if !there {
				return s.notFound(string(f.Before))
			}
		}
		return each(ctx, q, func(rows *sql.Rows) error {
			r, err := scanSummary(rows)
			all = append(all, r)
			return err
		}, query, args...)
	})
	if err != nil {
		return nil, err
	}
	if err := s.findOwners(ctx, all); err != nil {
		return nil, err
	}
	chosen := []RunSummary{}
	for _, r := range all {
		if f.Limit > 0 && len(chosen) == f.Limit {
			break
		}
		if len(f.Statuses) == 0 || slices.Contains(f.Statuses, r.Status) {
			chosen = append(chosen, r.RunSummary)
		}
	}
	return chosen, nil
}

// findOwners says of the runs that are not finished who executes them, and makes
// those running or queued ones interrupted that nobody does. A run whose owner is gone is
// read again: it may have finished between our reading of it and our look at its lock.
func (s *Store) findOwners(ctx context.Context, runs []summary) error {
	var ids []RunID
	for _, r := range runs {
		if !isFinal(r.Status) {
			ids = append(ids, r.Run)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	free, err := s.locks.free(ids, s.locks.run)
	if err != nil {
		return s.explain(err)
	}
	return s.snapshot(ctx, func(q querier) error {
		for i := range runs {
			r := &runs[i]
			if isFinal(r.Status) {
				continue
			}
			if free[r.Run] {
				err := each(ctx, q, func(rows *sql.Rows) (err error) {
					*r, err = scanSummary(rows)
					return err
				}, selectSummaries+"WHERE id = ?", string(r.Run))
				if err != nil {
					return err
				}
			}
			switch dead := free[r.Run] && (r.owner == nil || s.believesDead(r.owner, r.lease, s.clock())); {
			case dead && (r.Status == Running || r.Status == Queued):
				r.Status = Interrupted
			case !dead && r.owner != nil && !isFinal(r.Status):
				r.Owner = &r.owner.Owner
			}
		}
		return nil
	})
}

// Completion is what the next run may know of a completed one.
type Completion struct {
	Run       RunID
	StartedAt time.Time       // UTC
	Outputs   json.RawMessage // as they were appended
	Sensitive bool            // Outputs are encrypted on disk
}

// LastCompleted returns the last run of a workflow and deployment ("": without
// one) that was completed, which is what pruning keeps; nil: there is none.
func (s *Store) LastCompleted(ctx context.Context, workflow, deployment string) (last *Completion, err error) {
	err = s.snapshot(ctx, func(q querier) error {
		var c Completion
		var num, started, seq int64
		err := q.QueryRowContext(ctx, `SELECT id, num, started_at, finished_seq FROM runs
			WHERE workflow = ? AND deployment IS nullif(?, '') AND status = 'completed' ORDER BY num DESC LIMIT 1`, workflow, deployment).
			Scan(&c.Run, &num, &started, &seq)
		if err == sql.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		from := s.bodiesOf(ctx, c.Run, num)
		err = each(ctx, q, func(rows *sql.Rows) error {
			ev, err := scanEvent(rows, from)
			if p, ok := ev.Data.(RunFinished); ok {
				c.Outputs, c.Sensitive = p.Outputs, ev.Sensitive
			}
			return err
		}, selectEvent+`seq = ?`, seq)
		c.StartedAt, last = timeOf(started), &c
		return err
	})
	return last, err
}

// Plan returns the plan with that digest, as it was given to CreateRun.
func (s *Store) Plan(ctx context.Context, digest string) ([]byte, error) {
	var body []byte
	err := s.snapshot(ctx, func(q querier) error {
		err := q.QueryRowContext(ctx, `SELECT body FROM plans WHERE digest = ?`, digest).Scan(&body)
		if err == sql.ErrNoRows {
			return failure(ErrNotFound, nil, "The journal has no plan with the digest %s.", digest)
		}
		return err
	})
	return body, err
}

// Events iterates over the durable history of a run, oldest first. It ends after the first error.
func (s *Store) Events(ctx context.Context, run RunID) iter.Seq2[Event, error] {
	return s.events(ctx, run, true)
}

// History is [Store.Events] for people: what is sensitive is left out, so that it
// needs no key.
func (s *Store) History(ctx context.Context, run RunID) iter.Seq2[Event, error] {
	return s.events(ctx, run, false)
}

// Standing is [Store.Events] without what happened to nodes before they were reset,
// and to sessions private to the run before that.
func (s *Store) Standing(ctx context.Context, run RunID) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		resets, last, err := s.resets(ctx, run)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for ev, err := range s.Events(ctx, run) {
			if err == nil && last > 0 {
				if lost, is := ev.Data.(SessionLost); is && lost.Private && ev.Seq < last {
					continue
				}
				if opened, is := ev.Data.(SessionOpened); is && opened.Private && ev.Seq < last {
					continue
				}
				if ev.Seq <= resets[nodeKey{ev.Node, ev.Instance}] {
					continue
				}
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// resets returns the last reset of each node that has one, and the last of all; 0: there is none.
func (s *Store) resets(ctx context.Context, run RunID) (of map[nodeKey]int64, last int64, err error) {
	of = map[nodeKey]int64{}
	err = s.snapshot(ctx, func(q querier) error {
		return each(ctx, q, func(rows *sql.Rows) error {
			var key nodeKey
			var seq int64
			err := rows.Scan(&key.node, &key.instance, &seq)
			of[key], last = seq, max(last, seq)
			return err
		}, `SELECT node, instance, seq FROM events WHERE run = (SELECT num FROM runs WHERE id = ?) AND kind = 'node.reset' ORDER BY seq`, string(run))
	})
	return of, last, err
}

// events is Events; without open what is sensitive is left out.
func (s *Store) events(ctx context.Context, run RunID, open bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := s.snapshot(ctx, func(q querier) error {
			var num int64
			err := q.QueryRowContext(ctx, `SELECT num FROM runs WHERE id = ?`, string(run)).Scan(&num)
			if err == sql.ErrNoRows {
				return s.notFound(string(run))
			}
			if err != nil {
				return err
			}
			rows, err := q.QueryContext(ctx, selectEvents, num)
			if err != nil {
				return err
			}
			defer rows.Close()
			from := &bodies{blobs: &s.blobs}
			if open {
				from = s.bodiesOf(ctx, run, num)
			}
			for rows.Next() {
				ev, err := scanEvent(rows, from)
				if err != nil {
					return err
				}
				if !yield(ev, nil) {
					return nil
				}
			}
			return rows.Err()
		})
		if err != nil {
			yield(Event{}, err)
		}
	}
}

// bodiesOf is where the events of a run find what is not in their rows.
func (s *Store) bodiesOf(ctx context.Context, run RunID, num int64) *bodies {
	return &bodies{&s.blobs, sync.OnceValues(func() (opened *sealer, err error) {
		err = s.snapshot(ctx, func(q querier) error {
			opened, err = s.sealerOf(ctx, q, run, num)
			return err
		})
		return opened, err
	})}
}

// scanEvent returns the event of the current row of a query with the columns of selectEvent.
func scanEvent(rows *sql.Rows, from *bodies) (Event, error) {
	var scanned [10]any
	var dest [len(scanned)]any
	for i := range scanned {
		dest[i] = &scanned[i]
	}
	if err := rows.Scan(dest[:]...); err != nil {
		return Event{}, err
	}
	var row [len(scanned)]driver.Value
	for i, v := range scanned {
		row[i] = v
	}
	ev, _, err := eventOf(row[:], from)
	return ev, err
}
