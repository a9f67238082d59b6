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
	for kind, t := range map[string]*HTTP{"http": c.HTTP, "sse": c.SSE} { // one of them at most
		if t == nil {
			continue
		}
		part(kind)
		part(t.URL)
		for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
			part(name)
			part(t.Headers[name])
		}
		part(t.identity())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// identity is whose credential is sent, without the credential.
func (h *HTTP) identity() string {
	if h.Auth == nil {
		return ""
	}
	return h.Auth.header() + " " + h.Auth.Identity
}

func (h *HTTP) same(o *HTTP) bool {
	if h == nil || o == nil {
		return h == o
	}
	return h == o || h.URL == o.URL && h.identity() == o.identity() && maps.Equal(h.Headers, o.Headers)
}

// Same reports whether c and o are written alike, so that their fingerprints
// are equal. It costs far less than a fingerprint.
func (c Connection) Same(o Connection) bool {
	if c.ID != o.ID || c.identity != o.identity || c.Protocol != o.Protocol || c.Offers != o.Offers || (c.Stdio == nil) != (o.Stdio == nil) ||
		!c.HTTP.same(o.HTTP) || !c.SSE.same(o.SSE) {
		return false
	}
	if c.Stdio == nil || c.Stdio == o.Stdio {
		return true
	}
	a, b := c.Stdio, o.Stdio
	return a.Command == b.Command && a.Dir == b.Dir && slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env)
}
