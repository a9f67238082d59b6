package connection

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Auth is what the requests of a connection are authorised with.
type Auth struct {
	// Name is what the credential is written as, for people: "secret.token".
	Name string
	// Identity says whose credential it is, without its value: a rotated token opens
	// no new session, a token of somebody else does.
	Identity string
	// Header is the name of the header; empty: Authorization.
	Header string
	// Credential gives the header's value.
	Credential CredentialSource

	mu     sync.Mutex
	seen   []string // the values of late, and what is secret in them
	redact redactor
}

// CredentialSource gives the value of a header for one request. It is asked for
// each, so that a token may change while a session lives. refused is the value that
// the server has just refused, and empty otherwise: a source that keeps what it got
// gets another one then. The error is in full sentences. It must return when ctx is done.
type CredentialSource func(ctx context.Context, refused string) (string, error)

// keptCredentials is how many texts of late are kept from showing in errors: a
// server may still speak of the token before the last.
const keptCredentials = 8

// value returns the value for a request, and remembers it as a secret.
func (a *Auth) value(ctx context.Context, refused string) (string, error) {
	v, err := a.Credential(ctx, refused)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.seen, v) {
		return v, nil
	}
	a.seen = append(a.seen, v)
	if _, token, scheme := strings.Cut(v, " "); scheme { // "Bearer TOKEN"
		a.seen = append(a.seen, token)
	}
	a.seen = a.seen[max(0, len(a.seen)-keptCredentials):]
	a.redact = Connection{Redact: a.seen}.redactor()
	return v, nil
}

// text replaces the credentials that were sent of late.
func (a *Auth) text(text string) string {
	if a == nil {
		return text
	}
	a.mu.Lock()
	r := a.redact
	a.mu.Unlock()
	return r.text(text)
}

func (a *Auth) header() string {
	if a.Header == "" {
		return "Authorization"
	}
	return a.Header
}

// auth returns what the requests of c are authorised with, nil if nothing.
func (c Connection) auth() *Auth {
	for _, h := range []*HTTP{c.HTTP, c.SSE} {
		if h != nil && h.Auth != nil {
			return h.Auth
		}
	}
	return nil
}
