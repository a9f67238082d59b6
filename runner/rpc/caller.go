package rpc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/rpc/token"
)

// caller is who sends a request.
type caller struct {
	token string // the id of the token; "": none was shown
	name  string // that of the token
	scope protocol.Scope
}

type callerKey struct{}

// callerOf returns who sent the request that ctx is of.
func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// Principal returns who sent a request that a [Server] has let in: the id of the token,
// "" for who showed none.
func Principal(r *http.Request) string { return callerOf(r.Context()).token }

// by names the caller where something says who asked for it.
func (c caller) by() string {
	switch {
	case c.name != "":
		return c.name
	case c.token != "":
		return c.token
	}
	return "rpc"
}

// guard decides who is let in.
type guard struct {
	tokens *token.Store
	// open lets in who shows no token: the server listens where only this computer reaches it.
	open bool
	// local says that the names by which browsers reach the server are those of this
	// computer. Any other name was made to point here (DNS rebinding).
	local bool
}

// refusal is an HTTP answer to who is not let in.
type refusal struct {
	status int
	err    *jsonrpc.Error
}

func refused(status, code int, format string, args ...any) *refusal {
	return &refusal{status, jsonrpc.Errorf(code, format, args...)}
}

// origin refuses requests that a page of another site made a browser send.
func (g *guard) origin(r *http.Request) *refusal {
	if g.local && !isLocal(r.Host) {
		return refused(http.StatusForbidden, protocol.CodeForbidden, "This server is reached as localhost or 127.0.0.1 only, not by another name.")
	}
	if fetched := r.Header.Get("Sec-Fetch-Site"); fetched == "cross-site" || fetched == "same-site" {
		return refused(http.StatusForbidden, protocol.CodeForbidden, "Pages of other sites are not answered.")
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return refused(http.StatusForbidden, protocol.CodeForbidden, "Pages of other sites are not answered.")
		}
	}
	return nil
}

// isLocal reports whether a Host header names this computer itself.
func isLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// caller returns who sends a request.
func (g *guard) caller(r *http.Request) (caller, *refusal) {
	header := r.Header.Values("Authorization")
	if len(header) == 0 {
		if g.open {
			return caller{scope: protocol.Admin}, nil
		}
		return caller{}, refused(http.StatusUnauthorized, protocol.CodeUnauthorized, "This needs a token: Authorization: Bearer TOKEN. Whoever runs the server makes one with \"wfc token create\".")
	}
	kind, text, _ := strings.Cut(header[0], " ")
	if len(header) > 1 || !strings.EqualFold(kind, "Bearer") || g.tokens == nil {
		return caller{}, refused(http.StatusUnauthorized, protocol.CodeUnauthorized, "The only authorization that is known is one bearer token.")
	}
	t, err := g.tokens.Check(strings.TrimSpace(text))
	switch {
	case errors.Is(err, token.ErrExpired), errors.Is(err, token.ErrUnknown):
		return caller{}, refused(http.StatusUnauthorized, protocol.CodeUnauthorized, "%s.", sentence(err))
	case err != nil:
		return caller{}, refused(http.StatusInternalServerError, jsonrpc.CodeInternal, "The token cannot be checked now.")
	}
	return caller{t.ID, t.Name, t.Scope}, nil
}

// sentence is an error with a capital letter.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:]
}

// newRequestID returns a number by which a log line is found.
func newRequestID() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails
	return fmt.Sprintf("%x", b)
}
