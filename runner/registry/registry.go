// Package registry keeps what a server is given and no file of the project has:
// drafts, artifacts and deployments. It is a SQLite database in the server's data
// folder; it knows nothing of what the texts in it mean.
//
// Its central type is [Store]. It imports nothing of wfc.
package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// FileName is the name of the database in the data folder.
const FileName = "registry.db"

// schemaVersion is the version of the tables below. It is raised by every change that
// an older wfc cannot live with, together with a step in [migrations].
const schemaVersion = 1

// The tables. Times are nanoseconds since 1970; num orders rows by their creation.
const schema = `
CREATE TABLE drafts (
	num        INTEGER PRIMARY KEY,
	id         TEXT NOT NULL UNIQUE,
	title      TEXT NOT NULL,
	source     TEXT NOT NULL,
	revision   INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
);
CREATE TABLE artifacts (             -- rows are never updated
	num        INTEGER PRIMARY KEY,
	id         TEXT NOT NULL,
	version    TEXT NOT NULL,
	title      TEXT NOT NULL,
	digest     TEXT NOT NULL,
	body       BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	UNIQUE (id, version)
);
CREATE TABLE deployments (
	num              INTEGER PRIMARY KEY,
	id               TEXT NOT NULL UNIQUE,
	artifact_id      TEXT NOT NULL,
	artifact_version TEXT NOT NULL,
	body             BLOB NOT NULL,
	plan_digest      TEXT NOT NULL,
	revision         INTEGER NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	FOREIGN KEY (artifact_id, artifact_version) REFERENCES artifacts (id, version)
);
CREATE TABLE server (                -- who has the folder, or had it last
	one   INTEGER PRIMARY KEY CHECK (one = 1),
	pid   INTEGER NOT NULL,
	since INTEGER NOT NULL
);
`

// migrations[n] makes tables of version n those of version n+1.
var migrations = map[int]string{0: schema}

// Reasons for which nothing was done, to be asked for with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrChanged  = errors.New("changed meanwhile") // its revision is another one
	ErrNewer    = errors.New("registry of a newer wfc")
	ErrID       = errors.New("no valid id")
)

// Store is the registry of one data folder. It may be used by several goroutines.
type Store struct {
	db    *sql.DB
	clock func() time.Time
}

// Options of [Open].
type Options struct {
	Clock func() time.Time // nil: time.Now
}

// Open opens the registry in dir, which is made (0700) where it is not there. The
// database is its owner's alone (0600).
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	path := filepath.Join(dir, FileName)
	// SQLite gives its own files the permissions of the database.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the registry cannot be opened: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, fmt.Errorf("the registry cannot be opened: %w", err)
	}
	db.SetMaxOpenConns(1) // one writer; what is read is small
	s := &Store{db: db, clock: o.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the registry %s cannot be used: %w", path, err), db.Close())
	}
	return s, nil
}

// dsn is the name under which the driver opens the database at path. A path may
// contain what has a meaning in a URI, so it is escaped.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	q := url.Values{}
	q.Add("_pragma", "busy_timeout(10000)")
	q.Add("_pragma", "journal_mode(WAL)")
	q.Add("_pragma", "synchronous(FULL)")
	q.Add("_pragma", "foreign_keys(ON)")
	q.Set("_txlock", "immediate")
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// migrate makes the tables those of schemaVersion.
func (s *Store) migrate(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		version := 0
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
			return err
		}
		if version > schemaVersion {
			return fmt.Errorf("it was written by a newer wfc (version %d; this wfc knows %d): %w", version, schemaVersion, ErrNewer)
		}
		for ; version < schemaVersion; version++ {
			if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, schemaVersion))
		return err
	})
}

// write runs f in a transaction, which is on disk when write returns without an error.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Close closes the registry.
func (s *Store) Close() error { return s.db.Close() }

// Serving says that the process pid has the folder from now on.
func (s *Store) Serving(ctx context.Context, pid int) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO server VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET pid = excluded.pid, since = excluded.since`, pid, s.now())
	return err
}

// Server returns the process that has the folder, or had it last, and since when; 0
// where none ever had.
func (s *Store) Server(ctx context.Context) (pid int, since time.Time, err error) {
	var at int64
	err = s.db.QueryRowContext(ctx, `SELECT pid, since FROM server`).Scan(&pid, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, time.Time{}, nil
	}
	return pid, timeOf(at), err
}

func (s *Store) now() int64 { return s.clock().UnixNano() }

func timeOf(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// Ids are names in URLs, files and commands, so they have no separator, cannot begin
// with a dot or a dash, and are short.
var (
	idPattern      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`) })
	versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`) })
)

// CheckID returns an error, a full sentence that is [ErrID], unless id may name a
// draft, an artifact or a deployment; what says which of them.
func CheckID(what, id string) error {
	if idPattern().MatchString(id) && !strings.Contains(id, "..") {
		return nil
	}
	return &idError{fmt.Sprintf("%q is no id of %s: write 1 to 128 letters, digits, dots, dashes and underscores, a letter or a digit first.", shortened(id), what)}
}

// CheckVersion is [CheckID] of the version of an artifact.
func CheckVersion(version string) error {
	if versionPattern().MatchString(version) && !strings.Contains(version, "..") {
		return nil
	}
	return &idError{fmt.Sprintf("%q is no version of an artifact: write something like 1.2.0, of 1 to 64 letters, digits, dots, dashes, underscores and plus signs.", shortened(version))}
}

// idError is an [ErrID] in a sentence.
type idError struct{ text string }

func (e *idError) Error() string { return e.text }
func (e *idError) Unwrap() error { return ErrID }

func shortened(s string) string {
	const most = 64
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
