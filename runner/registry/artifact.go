package registry

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Artifact is a version of a workflow that never changes.
type Artifact struct {
	ID, Version string
	Title       string
	Digest      string // of its meaning
	Body        []byte // what the service keeps of it
	Created     time.Time
}

const selectArtifacts = `SELECT id, version, title, digest, body, created_at FROM artifacts `

func scanArtifact(scan func(...any) error) (a Artifact, err error) {
	var created int64
	err = scan(&a.ID, &a.Version, &a.Title, &a.Digest, &a.Body, &created)
	a.Created = timeOf(created)
	return a, err
}

// CreateArtifact keeps an artifact. Where there is one of its id and version with
// the same digest, that one is returned, and made is false; with another digest the
// error is [ErrExists], and that one is returned, too.
func (s *Store) CreateArtifact(ctx context.Context, a Artifact) (kept Artifact, made bool, err error) {
	if err := errors.Join(CheckID("an artifact", a.ID), CheckVersion(a.Version)); err != nil {
		return Artifact{}, false, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		kept, err = scanArtifact(tx.QueryRowContext(ctx, selectArtifacts+`WHERE id = ? AND version = ?`, a.ID, a.Version).Scan)
		switch {
		case err == nil && kept.Digest != a.Digest:
			return ErrExists
		case err == nil || !errors.Is(err, sql.ErrNoRows):
			return err
		}
		now := s.now()
		kept, made = a, true
		kept.Created = timeOf(now)
		_, err = tx.ExecContext(ctx, `INSERT INTO artifacts (id, version, title, digest, body, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
			a.ID, a.Version, a.Title, a.Digest, a.Body, now)
		return err
	})
	if err != nil {
		made = false
	}
	return kept, made, err
}

// Artifact returns an artifact; version "" means the one that was made last. The
// error is [ErrNotFound] where there is none.
func (s *Store) Artifact(ctx context.Context, id, version string) (Artifact, error) {
	a, err := scanArtifact(s.db.QueryRowContext(ctx, selectArtifacts+`WHERE id = ? AND (version = ? OR ? = '') ORDER BY num DESC LIMIT 1`, id, version, version).Scan)
	return a, found(err)
}

// Artifacts returns artifacts in the order of ids, versions of one id in that of
// their making, never nil. id chooses those of one id; "": all. After of the page is
// an id, behind which it begins.
func (s *Store) Artifacts(ctx context.Context, id string, p Page) ([]Artifact, error) {
	return list(ctx, s.db, scanArtifact, selectArtifacts+`WHERE id > ? AND (id = ? OR ? = '') ORDER BY id, num LIMIT ?`, p.After, id, id, p.limit())
}
