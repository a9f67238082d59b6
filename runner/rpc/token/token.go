// Package token keeps the tokens that clients of the server show: a file for each, with
// a hash of it, in a folder of the server's data. A server that is up sees at once what
// is made and revoked.
//
// Its central type is [Store]. Of wfc it imports runner/rpc/protocol and runner/wholefile.
package token

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/wholefile"
)

// Store is the tokens of a data folder. Several processes may use one.
type Store struct {
	folder string
	now    func() time.Time
}

// Token is what is known of a token; its text is shown once and kept nowhere.
type Token struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Scope     protocol.Scope `json:"scope"`
	CreatedAt time.Time      `json:"created_at"`
	ExpiresAt time.Time      `json:"expires_at,omitzero"` // zero: never
}

// kept is a token's file.
type kept struct {
	Token
	// SHA256 is that of the token's text, in hex. The text is random and long, so that no
	// slow hash is needed: nobody can try all of them.
	SHA256 string `json:"sha256"`
}

// Reasons why a token is not accepted.
var (
	ErrUnknown = errors.New("the token is unknown, or was revoked")
	ErrExpired = errors.New("the token has expired")
)

// New returns the tokens of a data folder, which need not exist yet.
func New(data string) *Store {
	return &Store{folder: filepath.Join(data, "tokens"), now: time.Now}
}

const prefix = "wfc_"

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// maxName bounds the name of a token, in characters.
const maxName = 100

// CheckName says what is wrong with the name of a token: it is shown, and says who
// answered a question of a run.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("the name of the token is empty")
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("the name of the token %q begins or ends with a space", name)
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Errorf("the name of the token has %d characters; at most %d are taken", utf8.RuneCountInString(name), maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the name of the token %q has characters that cannot be shown", name)
	}
	return nil
}

// Create makes a token and returns its text. The zero expires is never. The error is
// that of [CheckName] for a name that is none.
func (s *Store) Create(name string, scope protocol.Scope, expires time.Time) (text string, t Token, err error) {
	if err := CheckName(name); err != nil {
		return "", t, err
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return "", t, fmt.Errorf("the folder of the tokens cannot be made: %w", err)
	}
	random := make([]byte, 5+32) // an id to find it by, and the secret
	if _, err := rand.Read(random); err != nil {
		return "", t, err
	}
	t = Token{ID: encoding.EncodeToString(random[:5]), Name: name, Scope: scope, CreatedAt: s.now().UTC().Truncate(time.Second), ExpiresAt: expires}
	text = prefix + t.ID + "_" + encoding.EncodeToString(random[5:])
	sum := sha256.Sum256([]byte(text))
	src, err := json.MarshalIndent(kept{t, hex.EncodeToString(sum[:])}, "", "  ")
	if err != nil {
		return "", t, err
	}
	if err := wholefile.Write(s.file(t.ID), append(src, '\n'), 0o600); err != nil {
		return "", t, fmt.Errorf("the token cannot be kept: %w", err)
	}
	return text, t, nil
}

func (s *Store) file(id string) string { return filepath.Join(s.folder, id+".json") }

// isID reports whether a text has the form of an id: nothing else names a file.
func isID(id string) bool {
	return len(id) == encoding.EncodedLen(5) && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Check returns the token that a text is. The error is one of [ErrUnknown] and
// [ErrExpired], or says why none could be read.
func (s *Store) Check(text string) (Token, error) {
	rest, ok := strings.CutPrefix(text, prefix)
	id, _, found := strings.Cut(rest, "_")
	if !ok || !found || !isID(id) {
		return Token{}, ErrUnknown
	}
	k, err := s.read(id)
	if err != nil {
		return Token{}, err
	}
	want, err := hex.DecodeString(k.SHA256)
	sum := sha256.Sum256([]byte(text))
	if err != nil || subtle.ConstantTimeCompare(sum[:], want) != 1 {
		return Token{}, ErrUnknown
	}
	if !k.ExpiresAt.IsZero() && !s.now().Before(k.ExpiresAt) {
		return Token{}, ErrExpired
	}
	return k.Token, nil
}

func (s *Store) read(id string) (kept, error) {
	var k kept
	src, err := os.ReadFile(s.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return k, ErrUnknown
	}
	if err != nil {
		return k, fmt.Errorf("the token %s cannot be read: %w", id, err)
	}
	if err := json.Unmarshal(src, &k); err != nil {
		return k, fmt.Errorf("the token %s cannot be read: %w. Remove it with\n\n    wfc token revoke %s", id, err, id)
	}
	k.ID = id
	return k, nil
}

// List returns all tokens, the oldest first.
func (s *Store) List() ([]Token, error) {
	entries, err := os.ReadDir(s.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	var out []Token
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !isID(id) {
			continue
		}
		k, err := s.read(id)
		if errors.Is(err, ErrUnknown) {
			continue // revoked meanwhile
		}
		if err != nil {
			return nil, err
		}
		out = append(out, k.Token)
	}
	slices.SortFunc(out, func(a, b Token) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

// Revoke ends a token, by its id, or by its name where only one has it. One that cannot
// be read is known by its id.
func (s *Store) Revoke(idOrName string) (Token, error) {
	if isID(idOrName) {
		k, err := s.read(idOrName)
		if !errors.Is(err, ErrUnknown) {
			k.ID = idOrName
			return k.Token, os.Remove(s.file(idOrName))
		}
	}
	all, err := s.List()
	if err != nil {
		return Token{}, err
	}
	var found []Token
	for _, t := range all {
		if t.ID == idOrName || t.Name == idOrName {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return Token{}, fmt.Errorf("there is no token %q. See those that there are with\n\n    wfc token list", idOrName)
	case 1:
		return found[0], os.Remove(s.file(found[0].ID))
	}
	return Token{}, fmt.Errorf("%d tokens have the name %q. Name one by its id; see\n\n    wfc token list", len(found), idOrName)
}
