package connection

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
)

// Fingerprint returns the identity of the session that c needs in scope, in
// hex: what was started with other arguments, another environment or another
// credential is another session. It has no secret in it, only digests. An
// unknown command counts as it is written.
func (c Connection) Fingerprint(scope Scope) string {
	h := sha256.New()
	part := func(s string) {
		h.Write(strconv.AppendInt(nil, int64(len(s)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(s))
	}
	part(c.ID)
	part(string(scope))
	part(c.identity)
	part(c.Protocol)
	part(c.Offers.key())
	if s := c.Stdio; s != nil {
		path, err := s.Resolve()
		if err != nil {
			path = s.Command
		}
		part(path)
		part(s.Dir)
		part(strconv.Itoa(len(s.Args)))
		for _, a := range s.Args {
			part(a)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			part(name)
			part(s.Env[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Same reports whether c and o are written alike, so that their fingerprints
// are equal. It costs far less than a fingerprint.
func (c Connection) Same(o Connection) bool {
	if c.ID != o.ID || c.identity != o.identity || c.Protocol != o.Protocol || c.Offers != o.Offers || (c.Stdio == nil) != (o.Stdio == nil) {
		return false
	}
	if c.Stdio == nil || c.Stdio == o.Stdio {
		return true
	}
	a, b := c.Stdio, o.Stdio
	return a.Command == b.Command && a.Dir == b.Dir && slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env)
}
