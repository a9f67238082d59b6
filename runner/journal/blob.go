package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// blobs are files named by the SHA-256 of their bytes. One that is at its name
// is whole: it is written and fsynced under another name first.
type blobs struct {
	dir  string
	sync bool // fsync: durability is Disk
	at   func(Point)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// put writes the blobs by their digests. They are durable when it returns.
func (b blobs) put(all map[string][]byte) error {
	if len(all) == 0 {
		return nil
	}
	if err := os.Mkdir(b.dir, 0o700); err == nil && b.sync {
		err = syncDir(filepath.Dir(b.dir))
		if err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for sum, data := range all {
		if err := b.write(sum, data); err != nil {
			return err
		}
	}
	b.at(BeforeFolder)
	defer b.at(AfterBlobs)
	if !b.sync {
		return nil
	}
	// Also where all of them were there: whoever wrote them may not be so far yet.
	return syncDir(b.dir)
}

func (b blobs) write(sum string, data []byte) (err error) {
	path := filepath.Join(b.dir, sum)
	if st, err := os.Stat(path); err == nil && st.Size() == int64(len(data)) {
		return nil
	}
	b.at(BeforeBlob)
	f, err := os.CreateTemp(b.dir, "new-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	b.at(BeforeSync)
	if err == nil && b.sync {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	b.at(BeforeRename)
	return os.Rename(f.Name(), path)
}

// get returns the bytes of a blob after comparing them with its digest.
func (b blobs) get(sum string) ([]byte, error) {
	if !isDigest(sum) {
		return nil, failure(ErrNotFound, nil, "%q is no SHA-256 digest of a blob.", sum)
	}
	data, err := os.ReadFile(filepath.Join(b.dir, sum))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure(ErrNotFound, err, "The blob %s is not in the folder %s.", sum, b.dir)
	case err != nil:
		return nil, err
	case digestOf(data) != sum:
		return nil, failure(ErrDamaged, nil, "The file %s is damaged: its bytes are not those that were written.", filepath.Join(b.dir, sum))
	}
	return data, nil
}

// PutBlob keeps data by its SHA-256, in lower-case hex, and returns that. The
// blob is durable when it returns, so an event that names it may follow. One that
// no event names within a day may be removed (see [Store.Prune]).
func (s *Store) PutBlob(ctx context.Context, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	data = bytes.Clone(data) // the writer may need it after ctx has ended
	sum := digestOf(data)
	if err := s.blobs.put(map[string][]byte{sum: data}); err != nil {
		return "", s.explain(err)
	}
	return sum, s.do(ctx, func(c *conn) error { return s.noteBlob(c, blobRow{sum: sum, size: len(data)}, data) })
}

// PutSensitiveBlob is [Store.PutBlob] for content that is encrypted on disk with
// the key of the run. Its digest, too, is only in the events that name it.
func (r *Run) PutSensitiveBlob(ctx context.Context, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	sealer, err := r.seal()
	if err != nil {
		return "", err
	}
	sum := digestOf(data)
	sealed := sealer.aead.Seal(nil, nil, data, sealer.blob())
	row := blobRow{sum: digestOf(sealed), size: len(sealed), plain: r.s.keyed(sum), run: r.num}
	if err := r.s.blobs.put(map[string][]byte{row.sum: sealed}); err != nil {
		return "", r.s.explain(err)
	}
	return sum, r.s.do(ctx, func(c *conn) error { return r.s.noteBlob(c, row, sealed) })
}

// blobRow is a row of blobs, but for its time.
type blobRow struct {
	sum   string // of the file
	size  int    // of the file
	plain string // of a sealed one; "": it is not
	run   int64
}

// noteBlob makes the row of a blob whose file was put, in a transaction of the
// writer. Blobs are removed in the writers' turn only, so a file that is there now
// stays: the row says from now on when it was wanted. One that was removed between
// is put again.
func (s *Store) noteBlob(c *conn, row blobRow, data []byte) error {
	if _, err := os.Stat(filepath.Join(s.blobs.dir, row.sum)); errors.Is(err, fs.ErrNotExist) {
		if err := s.blobs.put(map[string][]byte{row.sum: data}); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	var plain driver.Value
	if row.plain != "" {
		plain = row.plain
	}
	_, err := c.exec(`INSERT INTO blobs (sha256, size, created_at, plain, run) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET created_at = max(created_at, excluded.created_at)`,
		row.sum, int64(row.size), s.clock().UnixNano(), plain, null(row.run))
	return err
}

// Blob returns the bytes of a blob, by the SHA-256 of what it holds.
func (s *Store) Blob(ctx context.Context, sum string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := s.blobs.get(sum)
	if errors.Is(err, ErrNotFound) {
		if opened, e := s.sensitiveBlob(ctx, sum); e != nil || opened != nil {
			return opened, e
		}
	}
	return data, s.explain(err)
}

// sensitiveBlob returns the bytes of a blob that is sealed; nil where there is none.
func (s *Store) sensitiveBlob(ctx context.Context, sum string) (data []byte, err error) {
	err = s.snapshot(ctx, func(q querier) error {
		var file string
		var run RunID
		var num int64
		err := q.QueryRowContext(ctx, `SELECT sha256, runs.id, runs.num FROM blobs JOIN runs ON runs.num = blobs.run WHERE plain = ? LIMIT 1`, s.keyed(sum)).
			Scan(&file, &run, &num)
		if err == sql.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		sealed, err := s.blobs.get(file)
		if err != nil {
			return err
		}
		sealer, err := s.sealerOf(ctx, q, run, num)
		if err != nil {
			return err
		}
		if data, err = sealer.aead.Open([]byte{}, nil, sealed, sealer.blob()); err != nil || digestOf(data) != sum {
			return failure(ErrDamaged, err, "The file %s is damaged: its bytes are not those that were written.", filepath.Join(s.blobs.dir, file))
		}
		return nil
	})
	return data, err
}

// keyed stands for the digest of what is sensitive, which would tell what it is
// to who can guess it.
func (s *Store) keyed(sum string) string { return s.ArgsDigest([]byte("blob\n" + sum)) }

// handle is how a blob stands in a value (lang/value, stored form).
var handle = []byte(`{"$blob":{`)

// sumOf is where the digest stands in it.
var sumOf = []byte(`"sha256":"`)

// handlesIn returns the digests of the blobs that a value in stored form has.
func handlesIn(body []byte) (sums []string) {
	for {
		i := bytes.Index(body, handle)
		if i < 0 {
			return sums
		}
		body = body[i+len(handle):]
		if i = bytes.Index(body, sumOf); i < 0 {
			return sums
		}
		body = body[i+len(sumOf):]
		if len(body) < 2*sha256.Size {
			return sums
		}
		if sum := string(body[:2*sha256.Size]); !slices.Contains(sums, sum) && isDigest(sum) {
			sums = append(sums, sum)
		}
	}
}

func isDigest(sum string) bool {
	raw, err := hex.DecodeString(sum)
	return err == nil && len(raw) == sha256.Size
}
