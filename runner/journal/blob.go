package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// blobs are files named by the SHA-256 of their bytes. One that is at its name
// is whole: it is written and fsynced under another name first.
type blobs struct {
	dir  string
	sync bool // fsync: durability is Disk
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
	if err == nil && b.sync {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// get returns the bytes of a blob after comparing them with its digest.
func (b blobs) get(sum string) ([]byte, error) {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
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
// blob is durable when it returns, so an event that names it may follow.
func (s *Store) PutBlob(ctx context.Context, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	data = bytes.Clone(data) // the writer may need it after ctx has ended
	sum := digestOf(data)
	if err := s.blobs.put(map[string][]byte{sum: data}); err != nil {
		return "", s.explain(err)
	}
	return sum, s.do(ctx, func(c *conn) error { return insertBlob(c, sum, len(data), s.clock().UnixNano()) })
}

func insertBlob(c *conn, sum string, size int, now int64) error {
	_, err := c.exec(`INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)`, sum, int64(size), now)
	return err
}

// Blob returns the bytes of a blob.
func (s *Store) Blob(ctx context.Context, sha256 string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := s.blobs.get(sha256)
	return data, s.explain(err)
}
