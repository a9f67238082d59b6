package mcpserver

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// seal makes request states that clients can carry and not make up: what they send
// back says which run it is that waits for their answer (SEP-2322). Its key lives as
// long as the server; a state of an earlier one is refused, and the run still waits.
type seal struct{ key []byte }

func newSeal() *seal {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return &seal{key}
}

func (s *seal) sum(parts ...string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// close returns the state of a run of a tool.
func (s *seal) close(tool, run string) string { return run + "." + s.sum(tool, run) }

// open returns the run of a state of a tool, false if we did not make it.
func (s *seal) open(tool, state string) (run string, ours bool) {
	run, sum, _ := strings.Cut(state, ".")
	return run, hmac.Equal([]byte(sum), []byte(s.sum(tool, run)))
}
