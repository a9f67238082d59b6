package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Draft is a workspace: a source text that is being written.
type Draft struct {
	ID       string
	Title    string
	Source   string
	Revision int64 // counts the saves, from 1
	Created  time.Time
	Updated  time.Time
}

const selectDrafts = `SELECT id, title, source, revision, created_at, updated_at FROM drafts `

func scanDraft(scan func(...any) error) (d Draft, err error) {
	var created, updated int64
	err = scan(&d.ID, &d.Title, &d.Source, &d.Revision, &created, &updated)
	d.Created, d.Updated = timeOf(created), timeOf(updated)
	return d, err
}

// CreateDraft keeps a new draft; of d its ID, Title and Source count. The error is
// [ErrExists] where there is one of its id.
func (s *Store) CreateDraft(ctx context.Context, d Draft) (Draft, error) {
	if err := CheckID("a draft", d.ID); err != nil {
		return Draft{}, err
	}
	now := s.now()
	res, err := s.db.ExecContext(ctx, `INSERT INTO drafts (id, title, source, revision, created_at, updated_at) VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO NOTHING`,
		d.ID, d.Title, d.Source, now, now)
	if err := one(res, err, ErrExists); err != nil {
		return Draft{}, err
	}
	d.Revision, d.Created, d.Updated = 1, timeOf(now), timeOf(now)
	return d, nil
}

// Draft returns a draft; the error is [ErrNotFound] where there is none.
func (s *Store) Draft(ctx context.Context, id string) (Draft, error) {
	d, err := scanDraft(s.db.QueryRowContext(ctx, selectDrafts+`WHERE id = ?`, id).Scan)
	return d, found(err)
}

// UpdateDraft replaces title and text of a draft. revision is what it must have now,
// so that nobody's work is overwritten unseen; 0: any. The error is [ErrNotFound] or
// [ErrChanged].
func (s *Store) UpdateDraft(ctx context.Context, id string, title, source *string, revision int64) (Draft, error) {
	var d Draft
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if d, err = scanDraft(tx.QueryRowContext(ctx, selectDrafts+`WHERE id = ?`, id).Scan); err != nil {
			return found(err)
		}
		if revision != 0 && revision != d.Revision {
			return fmt.Errorf("it has the revision %d: %w", d.Revision, ErrChanged)
		}
		if title != nil {
			d.Title = *title
		}
		if source != nil {
			d.Source = *source
		}
		now := s.now()
		d.Revision, d.Updated = d.Revision+1, timeOf(now)
		_, err = tx.ExecContext(ctx, `UPDATE drafts SET title = ?, source = ?, revision = ?, updated_at = ? WHERE id = ?`, d.Title, d.Source, d.Revision, now, id)
		return err
	})
	return d, err
}

// DeleteDraft removes a draft; the error is [ErrNotFound] where there is none.
func (s *Store) DeleteDraft(ctx context.Context, id string) error {
	res, err := s.db.ExecContext(ctx, `DELETE FROM drafts WHERE id = ?`, id)
	return one(res, err, ErrNotFound)
}

// Page says which part of a list is wanted: at most Limit entries (0: all) after the
// one with the id After ("": from the beginning). Lists are in the order of ids.
type Page struct {
	After string
	Limit int
}

func (p Page) limit() int {
	if p.Limit <= 0 {
		return -1 // which SQLite reads as none
	}
	return p.Limit
}

// Drafts returns drafts in the order of their ids, never nil.
func (s *Store) Drafts(ctx context.Context, p Page) ([]Draft, error) {
	return list(ctx, s.db, scanDraft, selectDrafts+`WHERE id > ? ORDER BY id LIMIT ?`, p.After, p.limit())
}

// list reads all rows of a query.
func list[T any](ctx context.Context, db *sql.DB, scan func(func(...any) error) (T, error), query string, args ...any) (_ []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out := []T{}
	for rows.Next() {
		x, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, rows.Err()
}

// found says of a query for one row that there is none.
func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// one returns otherwise unless a statement changed a row.
func one(res sql.Result, err, otherwise error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return otherwise
	}
	return err
}
