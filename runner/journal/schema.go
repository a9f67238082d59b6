package journal

import (
	"crypto/rand"
	"database/sql/driver"
	"encoding/hex"
)

// schemaVersion is the version of the tables below. It is raised by every
// change that an older wfc cannot live with, together with a step in [migrations].
const schemaVersion = 2

// readableBy is the oldest version whose readers understand these tables well enough
// to list runs and to show them.
const readableBy = 2

// schema has the tables of DURABILITY. Events are the truth; runs.status,
// runs.finished_seq, nodes and waits are projections of them, written in the
// same transaction (see [Store.Rebuild]). Times are nanoseconds since 1970.
const schema = `
CREATE TABLE meta (
	id             INTEGER PRIMARY KEY CHECK (id = 1),
	schema_version INTEGER NOT NULL,
	journal_id     TEXT NOT NULL,
	digest_key     BLOB NOT NULL,    -- of ArgsDigest
	readable_by    INTEGER NOT NULL DEFAULT 2, -- the oldest version whose readers can read this
	pruned_at      INTEGER           -- when runs beyond what is kept were removed last
);
CREATE TABLE plans (
	digest TEXT PRIMARY KEY,
	body   BLOB NOT NULL             -- canonical JSON, never updated
) WITHOUT ROWID;
CREATE TABLE runs (
	num          INTEGER PRIMARY KEY, -- what other tables call the run; in the order of creation
	id           TEXT NOT NULL UNIQUE,
	plan_digest  TEXT NOT NULL REFERENCES plans,
	run_key      TEXT UNIQUE,
	workflow     TEXT NOT NULL,
	deployment   TEXT,
	status       TEXT NOT NULL,
	started_at   INTEGER NOT NULL,
	finished_at  INTEGER,
	finished_seq INTEGER,             -- the event that ended it
	owner_epoch  INTEGER NOT NULL,    -- raised by every new owner; checked by every commit
	lease_until  INTEGER,             -- how long processes on other hosts believe that the owner lives
	owner        TEXT                 -- JSON; NULL: none, or one of version 1
);
CREATE TABLE events (
	seq      INTEGER PRIMARY KEY,     -- the log is one sequence
	run      INTEGER NOT NULL REFERENCES runs,
	kind     TEXT NOT NULL,
	node     TEXT NOT NULL,           -- '' for the run itself
	instance TEXT NOT NULL,
	attempt  INTEGER NOT NULL,
	time     INTEGER NOT NULL,
	data     TEXT NOT NULL,           -- the payload as JSON, without its body
	body     BLOB,                    -- result, inputs or outputs, byte by byte
	blob     TEXT,                    -- or the blob that has them
	sealed   INTEGER NOT NULL DEFAULT 0 -- 1: the message and the body are encrypted, and are together in body or blob; 2: there is no body
);
CREATE INDEX events_of_run ON events (run);
CREATE TABLE nodes (
	run         INTEGER NOT NULL REFERENCES runs,
	node        TEXT NOT NULL,
	instance    TEXT NOT NULL,
	state       TEXT NOT NULL,
	attempts    INTEGER NOT NULL,
	generation  INTEGER NOT NULL,
	repeatable  INTEGER NOT NULL,
	first_seq   INTEGER NOT NULL,
	result_seq  INTEGER,              -- the event that has the result
	error_seq   INTEGER,              -- the event that has the last attempt's failure
	started_at  INTEGER,
	finished_at INTEGER,
	PRIMARY KEY (run, node, instance)
) WITHOUT ROWID;
CREATE TABLE waits (
	run      INTEGER NOT NULL REFERENCES runs,
	node     TEXT NOT NULL,
	instance TEXT NOT NULL,
	kind     TEXT NOT NULL,           -- retry, question, in_doubt, timer
	since    INTEGER NOT NULL,
	due      INTEGER,                 -- absolute; NULL: until somebody answers
	seq      INTEGER NOT NULL,        -- the event that began it
	PRIMARY KEY (run, node, instance)
) WITHOUT ROWID;
CREATE INDEX waits_due ON waits (due) WHERE due IS NOT NULL;
CREATE TABLE blobs (
	sha256     TEXT PRIMARY KEY,      -- the file's name in the folder blobs
	size       INTEGER NOT NULL,      -- of the file
	created_at INTEGER NOT NULL,      -- or when it was wanted last
	plain      TEXT,                  -- of a sealed one: the keyed digest of what it holds
	run        INTEGER REFERENCES runs -- whose key it is sealed with
) WITHOUT ROWID;
CREATE INDEX blobs_plain ON blobs (plain) WHERE plain IS NOT NULL;
CREATE TABLE blob_refs (           -- the handles in results, inputs and outputs
	run  INTEGER NOT NULL REFERENCES runs,
	blob TEXT NOT NULL,               -- its digest; keyed, where the event is sealed
	PRIMARY KEY (run, blob)
) WITHOUT ROWID;
CREATE TABLE run_keys (
	run     INTEGER PRIMARY KEY REFERENCES runs,
	master  TEXT NOT NULL,            -- the name of the key that wraps this one
	wrapped BLOB NOT NULL
);
CREATE TABLE inbox (               -- what others want of a run, until its owner takes it
	num      INTEGER PRIMARY KEY AUTOINCREMENT,
	run      INTEGER NOT NULL REFERENCES runs,
	kind     TEXT NOT NULL,           -- this and the rest as in events
	node     TEXT NOT NULL,
	instance TEXT NOT NULL,
	attempt  INTEGER NOT NULL,
	time     INTEGER NOT NULL,
	data     TEXT NOT NULL,
	body     BLOB,
	blob     TEXT,
	sealed   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX inbox_of_run ON inbox (run);
`

// meta is what identifies a journal.
type meta struct {
	version   int64
	journalID string
	key       []byte
}

const selectMeta = `SELECT schema_version, journal_id, digest_key FROM meta`

// readMeta returns nil where the database has no tables at all.
func readMeta(c *conn) (*meta, error) {
	row, err := c.row(`SELECT count(*), total(name = 'meta') FROM sqlite_schema`)
	if err != nil {
		return nil, err
	}
	if row[0].(int64) == 0 {
		return nil, nil
	}
	if row[1].(float64) == 0 {
		return nil, errForeign
	}
	if row, err = c.row(selectMeta); err != nil {
		return nil, err
	}
	return metaOf(row)
}

// metaOf checks a row of meta; row may be nil.
func metaOf(row []driver.Value) (*meta, error) {
	if len(row) == 3 {
		version, ok1 := row[0].(int64)
		id, ok2 := row[1].(string)
		key, ok3 := row[2].([]byte)
		if ok1 && ok2 && ok3 {
			return &meta{version, id, key}, nil
		}
	}
	return nil, errForeign
}

// createSchema makes an empty database a journal. The caller holds the gate, so
// nobody else does the same.
func createSchema(c *conn) error {
	if err := c.script(`PRAGMA journal_mode = WAL`); err != nil {
		return err
	}
	// The first commit of a run, which waits for the disk, carries the tables with
	// it; if they are lost before, they are made again.
	if err := c.script(`PRAGMA synchronous = OFF; BEGIN IMMEDIATE;` + schema); err != nil {
		_ = c.script(`ROLLBACK`)
		return err
	}
	id, key := make([]byte, 16), make([]byte, 32)
	rand.Read(id) // never fails (crypto/rand)
	rand.Read(key)
	if _, err := c.exec(`INSERT INTO meta VALUES (1, ?, ?, ?, ?, NULL)`, int64(schemaVersion), hex.EncodeToString(id), key, int64(readableBy)); err != nil {
		_ = c.script(`ROLLBACK`)
		return err
	}
	return c.script(`COMMIT; PRAGMA synchronous = FULL`)
}
