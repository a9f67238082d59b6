package journal

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// MaxInline is the number of bytes of a result, of inputs or of outputs up to
// which they are kept in the log itself; what is longer becomes a blob. Beyond it
// SQLite's overflow pages cost more than a file of its own.
const MaxInline = 64 << 10

// walLimit is the size in bytes to which the write-ahead log shrinks at the latest
// when it starts over: a little more than the 1,000 pages at which SQLite moves it into the database.
const walLimit = "4194304"

// leftLog is the size in bytes up to which [Store.Leave] leaves a write-ahead log:
// what some ten runs write, and what the next process reads in a millisecond.
const leftLog = 1 << 20

// Names in the folder of a journal.
const (
	fileName  = "journal.db"
	locksName = "locks"
	blobsName = "blobs"
	runsName  = "runs"
	gateName  = "gate"
	turnName  = "write"
)

// Options of [Open]. The zero Options are the defaults.
type Options struct {
	// Durability says what a commit survives; the zero value is Disk.
	Durability Durability
	// ReadOnly opens what is there and creates nothing: for `wfc runs list` and
	// the like. A folder without a journal is an error of the reason ErrNoJournal.
	ReadOnly bool
	// Clock returns the time of events that carry none; nil: time.Now.
	Clock func() time.Time
	// Keep is how long finished runs are kept; older ones are removed after a run, once
	// a day (see [Prune]). 0: for ever.
	Keep time.Duration
	// Keys holds the key that sensitive content is encrypted with; nil: KeyFile("").
	// It is asked only where there is such content.
	Keys Keys
	// At is called at every [Point] that the writing passes, for tests that end the
	// process there; nil: nobody is told.
	At func(Point)

	// fileSystem stands in for networkFS in tests; nil: networkFS.
	fileSystem func(dir string) (string, error)
	// host stands in for thisHost's in tests; nil: this one.
	host *host
	// alone leaves out what shows the store to other processes, where a test has no real time.
	alone bool
}

// Durability says what a commit survives.
type Durability uint8

// The durabilities.
const (
	Disk    Durability = iota // a loss of power
	Process                   // the death of the process, not a loss of power
)

// Store is the journal of one project. It may be used by several goroutines,
// and several processes may have the same journal open.
type Store struct {
	dir      string
	clock    func() time.Time
	keep     time.Duration
	keys     Keys
	at       func(Point)
	id       string // by chance; other processes reach this one by it
	host     host
	hostName string
	meta     *meta
	locks    locks
	blobs    blobs
	writer   *writer // nil: read-only

	reader func() (*sql.DB, error) // opens the readers' connections at first use

	mu     sync.Mutex
	alone  bool
	runs   map[*Run]struct{} // those that this store owns
	seen   *presence         // nil: this store has owned no run yet
	closed bool
	// lastEnd is the end of the run of this process that ended last; nil: none has, or
	// it is sensitive.
	lastEnd *ending
	late    sync.WaitGroup // creations and adoptions whose caller has gone
}

// Open opens the journal in dir, PROJECT/.wfc, whose parent must exist. It
// creates the folder (0700, ignored by git) and the journal (0600) where
// there is none. Errors are of type *[Error], but for the end of ctx.
func Open(ctx context.Context, dir string, opts Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, explain(dir, err)
	}
	s := &Store{
		dir:   dir,
		clock: opts.Clock,
		keep:  opts.Keep,
		keys:  opts.Keys,
		at:    pointsOf(opts.At),
		id:    newStoreID(),
		alone: opts.alone,
		locks: locks{filepath.Join(dir, locksName)},
		blobs: blobs{dir: filepath.Join(dir, blobsName), sync: opts.Durability == Disk, at: pointsOf(opts.At)},
		runs:  map[*Run]struct{}{},
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.keys == nil {
		s.keys = KeyFile("")
	}
	if s.host, s.hostName = thisHost(); opts.host != nil {
		s.host = *opts.host
	}
	s.reader = s.newReader()
	if opts.ReadOnly {
		err = s.openToRead(ctx, opts)
	} else {
		err = s.openToWrite(opts)
	}
	if err != nil && ctx.Err() == nil {
		if other := misplaced(dir, err); other != nil {
			return nil, other
		}
	}
	if err != nil {
		return nil, s.explain(err)
	}
	return s, nil
}

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

func (s *Store) explain(err error) error {
	if v := newerVersion(0); errors.As(err, &v) {
		return errNewer(s.path(), int64(v))
	}
	err = explain(s.dir, err)
	if s.meta != nil && s.meta.version > schemaVersion && errors.Is(err, ErrDamaged) {
		return errNewer(s.path(), s.meta.version) // what this wfc cannot read is not damaged
	}
	return err
}

func (s *Store) openToRead(ctx context.Context, opts Options) error {
	if _, err := os.Stat(s.path()); errors.Is(err, fs.ErrNotExist) {
		return failure(ErrNoJournal, err, "There is no journal of runs in %s yet: nothing has run there.", s.dir)
	} else if err != nil {
		return err
	}
	if err := checkFileSystem(s.dir, opts); err != nil {
		return err
	}
	m, err := s.metaToRead(ctx)
	switch {
	case err != nil:
	case m.version > schemaVersion:
		err = s.checkReadable(ctx, m)
	case m.version < schemaVersion:
		// Readers know the present tables only.
		if err = s.closeReader(); err == nil {
			m, err = s.upgrade(opts)
		}
		s.reader = s.newReader()
	}
	if err != nil {
		_ = s.closeReader()
	}
	s.meta = m
	return err
}

// newReader returns what opens the readers' connections at the first use.
func (s *Store) newReader() func() (*sql.DB, error) {
	return sync.OnceValues(func() (*sql.DB, error) {
		name := dsn(s.path(), true)
		// SQLite reads no journal without its log beside it, and would have to make one.
		if _, err := os.Stat(s.path() + "-wal"); errors.Is(err, fs.ErrNotExist) && writable(s.dir) != nil {
			name += "&immutable=1"
		}
		return sql.Open("sqlite", name)
	})
}

// upgrade brings the tables of an older version up to date.
func (s *Store) upgrade(opts Options) (*meta, error) {
	c, err := openConn(s.path())
	if err != nil {
		return nil, err
	}
	err = s.prepare(c, opts)
	if reasonOf(err) == ErrReadOnly {
		err = failure(ErrReadOnly, err, "The journal %s was written by an older wfc and has to be brought up to date once, "+
			"which needs the right to write to the folder %s.", s.path(), s.dir)
	}
	return s.meta, errors.Join(err, c.close())
}

func (s *Store) openToWrite(opts Options) error {
	created, err := makeFolder(s.dir)
	if err != nil {
		return err
	}
	if err := writable(s.dir); err != nil {
		return err
	}
	if err := checkFileSystem(s.dir, opts); err != nil {
		return err
	}
	// A commit waits for fsync(2)'s update of a timestamp that nothing needs. Where
	// fdatasync does not exist it stays as it is.
	_, _ = sqlite.Fdatasync(true)
	c, err := openConn(s.path())
	if err != nil {
		return err
	}
	if err := s.prepare(c, opts); err != nil {
		_ = c.close()
		return err
	}
	if created && opts.Durability == Disk {
		// SQLite makes the names in the folder durable, but not the folder's own.
		if err := syncDir(filepath.Dir(s.dir)); err != nil {
			_ = c.close()
			return err
		}
	}
	s.writer = newWriter(s, c)
	return nil
}

// prepare reads what identifies the journal, after creating its tables where
// there are none.
func (s *Store) prepare(c *conn, opts Options) error {
	// SQLite gives what it creates beside the journal the journal's own mode.
	if err := protect(s.path(), 0o600); err != nil {
		return err
	}
	if err := writable(s.path()); err != nil {
		return err // SQLite would open it to read only, and say so at the first commit
	}
	m, err := readMeta(c)
	if err == nil && (m == nil || m.version < schemaVersion) {
		err = s.locks.gate(gateName, func() error {
			if m, err = readMeta(c); err != nil {
				return err
			}
			switch {
			case m == nil:
				err = createSchema(c)
			case m.version < schemaVersion:
				s.meta = m
				err = s.migrate(c, m.version)
			default:
				return nil // another process was faster
			}
			if err == nil {
				m, err = readMeta(c)
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	if m.version > schemaVersion {
		return errNewer(s.path(), m.version)
	}
	s.meta = m
	// To remove the write-ahead log at every end and make it anew at every start
	// costs a short run as much as its commits. It is kept, and emptied at the end.
	if _, err := c.raw.(sqlite.FileControl).FileControlPersistWAL("main", 1); err != nil {
		return err
	}
	if err := c.script(`PRAGMA journal_size_limit = ` + walLimit); err != nil {
		return err
	}
	switch {
	case opts.Durability == Process:
		return c.script(`PRAGMA synchronous = NORMAL`)
	case runtime.GOOS == "darwin":
		// Apple's fsync leaves the data in the disk's cache.
		return c.script(`PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1`)
	}
	return nil // FULL is SQLite's default
}

func errNewer(path string, version int64) *Error {
	return failure(ErrNewer, nil, "The journal %s was written by a newer wfc: its format is version %d, and this wfc knows version %d. "+
		"Use the newer wfc here.", path, version, schemaVersion)
}

func checkFileSystem(dir string, opts Options) error {
	look := opts.fileSystem
	if look == nil {
		look = networkFS
	}
	name, err := look(dir)
	if err == nil && name != "" {
		err = failure(ErrNetworkFS, nil, "The folder %s lies on a network file system (%s), where the locks do not hold "+
			"that keep two processes from running the same steps. Put the project on a local disk.", dir, name)
	}
	return err
}

// makeFolder makes the folder of a journal; created says that it was not there.
func makeFolder(dir string) (created bool, err error) {
	err = os.Mkdir(dir, 0o700)
	created = err == nil
	if errors.Is(err, fs.ErrExist) {
		err = protect(dir, 0o700)
	}
	if err != nil {
		return false, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return created, nil
	}
	if err != nil {
		return created, err
	}
	_, err = f.WriteString("*\n")
	if e := f.Close(); err == nil {
		err = e
	}
	return created, err
}

// Close waits for what is queued, releases the runs that are still open, and
// closes the journal. Closing twice is fine.
func (s *Store) Close() error { return s.close(false) }

// Leave is [Store.Close] for a process that ends now. A short write-ahead log
// stays for the next process, and the connection for the kernel to close: to
// close it here moves the log into the database, and waits for the disk twice,
// at the end of every short run. All that was committed is on disk either way.
func (s *Store) Leave() error { return s.close(true) }

func (s *Store) close(leave bool) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	runs, seen := s.runs, s.seen
	s.runs = nil
	s.mu.Unlock()
	if seen != nil {
		seen.close()
	}

	// The readers go first: the last connection to go cleans up, and a reader cannot.
	err := s.explain(s.closeReader())
	if s.writer != nil {
		err = errors.Join(err, s.writer.close(leave && s.logIsShort()))
	}
	s.late.Wait()
	for r := range runs {
		r.leaveLine()
		r.lock.release()
	}
	return err
}

// logIsShort reports whether the write-ahead log may stay.
func (s *Store) logIsShort() bool {
	info, err := os.Stat(s.path() + "-wal")
	return err == nil && info.Size() <= leftLog
}

func (s *Store) closeReader() error {
	db, err := s.reader()
	if err != nil {
		return err
	}
	return db.Close()
}

// Rebuild makes the projections (node states, waits, how runs ended) anew from the events.
func (s *Store) Rebuild(ctx context.Context) error { return s.do(ctx, rebuild) }

// ArgsDigest returns the keyed digest of canonical arguments: HMAC-SHA-256 with
// the journal's key, in hex.
func (s *Store) ArgsDigest(canonical []byte) string {
	mac := hmac.New(sha256.New, s.meta.key)
	mac.Write(canonical)
	return hex.EncodeToString(mac.Sum(nil))
}

// keyEncoding spells idempotency keys: base32 without padding.
var keyEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// IdempotencyKey returns the key of a node's effect, the same over all attempts
// and resumptions of the run: base32 of SHA-256 over the journal's id, the run's,
// the node and the instance, each with its length before it.
func (s *Store) IdempotencyKey(run RunID, node, instance string) string {
	h := sha256.New()
	for _, part := range []string{s.meta.journalID, string(run), node, instance} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return keyEncoding.EncodeToString(h.Sum(nil))
}
