package journal

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// sealer encrypts and decrypts what is sensitive of one run: AES-256-GCM with
// a key of the run, which is kept wrapped by the key of the user (see [Keys]).
type sealer struct {
	aead cipher.AEAD
	run  RunID
	row  keyRow
}

// keyRow is a row of run_keys.
type keyRow struct {
	master  string // which key wraps it
	wrapped []byte
}

func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err == nil {
		var aead cipher.AEAD
		if aead, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return aead
		}
	}
	panic("journal: " + err.Error() + " (this is a bug in wfc)") // keys have keySize bytes
}

// newSealer makes a key for a run.
func (s *Store) newSealer(run RunID) (*sealer, error) {
	master, err := s.keys.Key(true)
	if err != nil {
		return nil, s.keyError(err)
	}
	key := make([]byte, keySize)
	rand.Read(key) // never fails (crypto/rand)
	return &sealer{newAEAD(key), run, keyRow{nameOfKey(master), newAEAD(master).Seal(nil, nil, key, s.wrapped(run))}}, nil
}

// openSealer unwraps the key of a run.
func (s *Store) openSealer(run RunID, row keyRow) (*sealer, error) {
	master, err := s.keys.Key(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failure(ErrKey, err, "The run %s has sensitive content, and the key that it is encrypted with is not here: it was in %s.", run, s.keys.Place())
	}
	if err != nil {
		return nil, s.keyError(err)
	}
	if name := nameOfKey(master); name != row.master {
		return nil, failure(ErrKey, nil, "The run %s has sensitive content that is encrypted with another key than that in %s (it is the key %s, and this is %s).",
			run, s.keys.Place(), row.master, name)
	}
	key, err := newAEAD(master).Open(nil, nil, row.wrapped, s.wrapped(run))
	if err != nil || len(key) != keySize {
		return nil, failure(ErrDamaged, err, "The journal has a key of the run %s that is damaged.", run)
	}
	return &sealer{newAEAD(key), run, row}, nil
}

func (s *Store) keyError(err error) error {
	var ours *Error
	if errors.As(err, &ours) {
		return err
	}
	return failure(ErrKey, err, "The key that sensitive results are encrypted with cannot be had from %s: %v.", s.keys.Place(), err)
}

// wrapped is what a wrapped key is bound to.
func (s *Store) wrapped(run RunID) []byte {
	return fmt.Appendf(nil, "wfc run key\n%s\n%s", s.meta.journalID, run)
}

// nameOfKey tells keys apart and gives none away.
func nameOfKey(key []byte) string {
	sum := sha256.Sum256(append([]byte("wfc name of key\n"), key...))
	return hex.EncodeToString(sum[:4])
}

// place is what the sealed content of an event is bound to, so that it cannot be moved to another one.
func (s *sealer) place(ev *Event) []byte {
	return fmt.Appendf(nil, "wfc event\n%s\n%s\n%q\n%q\n%d", s.run, ev.Kind(), ev.Node, ev.Instance, ev.Attempt)
}

// seal encrypts the message and the body of an event.
func (s *sealer) seal(ev *Event, message string, body []byte) []byte {
	plain := binary.AppendUvarint(nil, uint64(len(message)))
	plain = append(append(plain, message...), body...)
	return s.aead.Seal(nil, nil, plain, s.place(ev))
}

// open is the reverse of seal; body is nil where there was none.
func (s *sealer) open(ev *Event, sealed []byte) (message string, body []byte, err error) {
	plain, err := s.aead.Open(nil, nil, sealed, s.place(ev))
	if err == nil {
		length, n := binary.Uvarint(plain)
		if n > 0 && length <= uint64(len(plain)-n) {
			message, body = string(plain[n:n+int(length)]), plain[n+int(length):]
			if len(body) == 0 {
				body = nil
			}
			return message, body, nil
		}
		err = errors.New("it has no message")
	}
	return "", nil, failure(ErrDamaged, err, "The journal has an event %s of the run %s whose encrypted content is damaged.", ev.Kind(), s.run)
}

// blob is what the bytes of a sealed blob are bound to.
func (s *sealer) blob() []byte { return fmt.Appendf(nil, "wfc blob\n%s", s.run) }

// withoutMessage returns p without its message, and that: what is sealed beside the
// body. It is p itself where it has none.
func withoutMessage(p Payload) (Payload, string) {
	switch p := p.(type) {
	case RunCreated:
		previous := string(p.Previous)
		p.Previous = nil
		return p, previous
	case NodeFailed:
		message := p.Message
		p.Message = ""
		return p, message
	case DeadlinePassed:
		message := p.Message
		p.Message = ""
		return p, message
	case RunFinished:
		if p.Error != nil {
			e, message := p.Error.with("")
			p.Error = e
			return p, message
		}
	case RunSettled:
		if p.Error != nil {
			e, message := p.Error.with("")
			p.Error = e
			return p, message
		}
	}
	return p, ""
}

// withMessage is the reverse of withoutMessage.
func withMessage(p Payload, message string) Payload {
	switch p := p.(type) {
	case RunCreated:
		p.Previous = json.RawMessage(message)
		return p
	case NodeFailed:
		p.Message = message
		return p
	case DeadlinePassed:
		p.Message = message
		return p
	case RunFinished:
		if p.Error != nil {
			p.Error, _ = p.Error.with(message)
		}
		return p
	case RunSettled:
		if p.Error != nil {
			p.Error, _ = p.Error.with(message)
		}
		return p
	}
	return p
}

// with returns f with another message, and its own.
func (f Failure) with(message string) (*Failure, string) {
	old := f.Message
	f.Message = message
	return &f, old
}

// makeSealer returns what the run is sealed with, and makes its key where it has
// none yet: in the writer, so that a run never has two.
func (s *Store) makeSealer(ctx context.Context, run RunID, num int64) (made *sealer, err error) {
	err = s.do(ctx, func(c *conn) error {
		row, err := c.row(selectKey, num)
		if err != nil {
			return err
		}
		if row != nil {
			made, err = s.openSealer(run, keyRowOf(row))
			return err
		}
		if made, err = s.newSealer(run); err != nil {
			return err
		}
		return insertKey(c, num, made)
	})
	return made, err
}

// keyRowOf reads a row of selectKey.
func keyRowOf(row []driver.Value) keyRow {
	master, _ := row[0].(string)
	wrapped, _ := row[1].([]byte)
	return keyRow{master, wrapped}
}

func insertKey(c *conn, run int64, s *sealer) error {
	_, err := c.exec(`INSERT INTO run_keys VALUES (?, ?, ?)`, run, s.row.master, s.row.wrapped)
	return err
}

// sealerOf opens what the run is sealed with, for readers.
func (s *Store) sealerOf(ctx context.Context, q querier, run RunID, num int64) (*sealer, error) {
	var row keyRow
	err := q.QueryRowContext(ctx, selectKey, num).Scan(&row.master, &row.wrapped)
	if err == sql.ErrNoRows {
		return nil, failure(ErrDamaged, nil, "The journal lacks the key of the sensitive content of the run %s.", run)
	}
	if err != nil {
		return nil, err
	}
	return s.openSealer(run, row)
}

const selectKey = `SELECT master, wrapped FROM run_keys WHERE run = ?`
