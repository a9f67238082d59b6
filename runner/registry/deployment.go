package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Deployment is an artifact with what it is run with.
type Deployment struct {
	ID              string
	ArtifactID      string
	ArtifactVersion string
	Body            []byte // what the service keeps of it
	PlanDigest      string // of the plan that it was linked to when it was saved
	Revision        int64  // counts the saves, from 1
	Created         time.Time
	Updated         time.Time
}

const selectDeployments = `SELECT id, artifact_id, artifact_version, body, plan_digest, revision, created_at, updated_at FROM deployments `

func scanDeployment(scan func(...any) error) (d Deployment, err error) {
	var created, updated int64
	err = scan(&d.ID, &d.ArtifactID, &d.ArtifactVersion, &d.Body, &d.PlanDigest, &d.Revision, &created, &updated)
	d.Created, d.Updated = timeOf(created), timeOf(updated)
	return d, err
}

// SaveDeployment keeps a deployment in place of the one of its id, if there is one.
// revision is what that must have now; 0: any. The error is [ErrNotFound] where its
// artifact is not there, or [ErrChanged].
func (s *Store) SaveDeployment(ctx context.Context, d Deployment, revision int64) (Deployment, error) {
	if err := CheckID("a deployment", d.ID); err != nil {
		return Deployment{}, err
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		var n int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM artifacts WHERE id = ? AND version = ?`, d.ArtifactID, d.ArtifactVersion).Scan(&n)
		if err == nil && n == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		now := s.now()
		d.Revision, d.Created, d.Updated = 1, timeOf(now), timeOf(now)
		old, err := scanDeployment(tx.QueryRowContext(ctx, selectDeployments+`WHERE id = ?`, d.ID).Scan)
		switch {
		case err == nil:
			d.Revision, d.Created = old.Revision+1, old.Created
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if revision != 0 && revision != d.Revision-1 {
			return fmt.Errorf("it has the revision %d: %w", d.Revision-1, ErrChanged)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO deployments (id, artifact_id, artifact_version, body, plan_digest, revision, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET artifact_id = excluded.artifact_id, artifact_version = excluded.artifact_version, body = excluded.body,
				plan_digest = excluded.plan_digest, revision = excluded.revision, updated_at = excluded.updated_at`,
			d.ID, d.ArtifactID, d.ArtifactVersion, d.Body, d.PlanDigest, d.Revision, d.Created.UnixNano(), now)
		return err
	})
	return d, err
}

// Deployment returns a deployment; the error is [ErrNotFound] where there is none.
func (s *Store) Deployment(ctx context.Context, id string) (Deployment, error) {
	d, err := scanDeployment(s.db.QueryRowContext(ctx, selectDeployments+`WHERE id = ?`, id).Scan)
	return d, found(err)
}

// Deployments returns deployments in the order of their ids, never nil.
func (s *Store) Deployments(ctx context.Context, p Page) ([]Deployment, error) {
	return list(ctx, s.db, scanDeployment, selectDeployments+`WHERE id > ? ORDER BY id LIMIT ?`, p.After, p.limit())
}

// DeleteDeployment removes a deployment; the error is [ErrNotFound] where there is none.
func (s *Store) DeleteDeployment(ctx context.Context, id string) error {
	res, err := s.db.ExecContext(ctx, `DELETE FROM deployments WHERE id = ?`, id)
	return one(res, err, ErrNotFound)
}
