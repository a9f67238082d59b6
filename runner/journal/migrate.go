package journal

import (
	"database/sql/driver"
)

// migrations turn the tables of an older version into those of the next: the
// first is that of version 1. What they add must do for a wfc that has the journal
// open since before: columns with defaults, and tables that it does not know.
var migrations = []func(*conn, *Store) error{toVersion2}

// migrate brings the tables up to schemaVersion, wholly or not at all. The
// caller holds the gate.
func (s *Store) migrate(c *conn, from int64) (err error) {
	if _, err := c.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = c.exec(`ROLLBACK`) // what failed is known already
		}
	}()
	for _, step := range migrations[from-1:] {
		if err := step(c, s); err != nil {
			return err
		}
	}
	if _, err := c.exec(`UPDATE meta SET schema_version = ?, readable_by = ?`, int64(schemaVersion), int64(readableBy)); err != nil {
		return err
	}
	_, err = c.exec(`COMMIT`)
	return err
}

// toVersion2 adds owners, the inbox, encryption, and what blobs are for.
func toVersion2(c *conn, s *Store) error {
	err := c.script(`
ALTER TABLE meta ADD COLUMN readable_by INTEGER NOT NULL DEFAULT 2;
ALTER TABLE meta ADD COLUMN pruned_at INTEGER;
ALTER TABLE runs DROP COLUMN lease_owner;
ALTER TABLE runs ADD COLUMN owner TEXT;
ALTER TABLE events ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blobs ADD COLUMN plain TEXT;
ALTER TABLE blobs ADD COLUMN run INTEGER REFERENCES runs;
CREATE INDEX blobs_plain ON blobs (plain) WHERE plain IS NOT NULL;
CREATE TABLE blob_refs (run INTEGER NOT NULL REFERENCES runs, blob TEXT NOT NULL, PRIMARY KEY (run, blob)) WITHOUT ROWID;
CREATE TABLE run_keys (run INTEGER PRIMARY KEY REFERENCES runs, master TEXT NOT NULL, wrapped BLOB NOT NULL);
CREATE TABLE inbox (num INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs, kind TEXT NOT NULL, node TEXT NOT NULL,
	instance TEXT NOT NULL, attempt INTEGER NOT NULL, time INTEGER NOT NULL, data TEXT NOT NULL, body BLOB, blob TEXT, sealed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX inbox_of_run ON inbox (run);
`)
	if err != nil {
		return err
	}
	type ref struct {
		run  int64
		blob string
	}
	var refs []ref
	err = c.rows(func(row []driver.Value) error {
		run, _ := row[0].(int64)
		body, _ := row[1].([]byte)
		if blob, large := row[2].(string); large {
			var err error
			if body, err = s.blobs.get(blob); err != nil {
				return nil // a result that is lost is told to who reads it
			}
		}
		for _, sum := range handlesIn(body) {
			refs = append(refs, ref{run, sum})
		}
		return nil
	}, `SELECT run, body, blob FROM events WHERE blob IS NOT NULL OR instr(body, '{"$blob":')`)
	if err != nil {
		return err
	}
	for _, r := range refs {
		if _, err := c.exec(`INSERT OR IGNORE INTO blob_refs VALUES (?, ?)`, r.run, r.blob); err != nil {
			return err
		}
	}
	return nil
}
