package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The first revision without sessions, and the headers of the protocol.
const (
	modern        = "2026-07-28"
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
)

const (
	// MaxBody bounds a request, in bytes.
	MaxBody = 16 << 20
	// sessionIdle is for how long a session without requests is kept: a client that went
	// away without a word has one still.
	sessionIdle = time.Hour
)

// Handler returns the handler of streamable HTTP, for one path such as /mcp. It serves
// clients of before 2026-07-28 in sessions, if they begin one, and all others without.
// Who may use it is for the caller to decide; principal says who sends a request, so
// that nobody uses the session of another, and is "" for all where nobody is asked. It
// may be nil.
func (s *Server) Handler(principal func(*http.Request) string) http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	with := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Logger: s.log, SessionTimeout: sessionIdle, DisableLocalhostProtection: true, MaxRequestBodyBytes: MaxBody,
	})
	without := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Logger: s.log, Stateless: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: MaxBody, PropagateRequestCancellation: true,
	})
	plain := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stateful, err := inSession(w, r)
		switch {
		case err != nil:
			http.Error(w, "The request has more than the bytes that are taken.", http.StatusRequestEntityTooLarge)
		case stateful:
			with.ServeHTTP(w, r)
		default:
			without.ServeHTTP(w, r)
		}
	})
	if principal == nil {
		return plain
	}
	known := auth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: principal(r), Expiration: time.Now().Add(sessionIdle)}, nil
	}, nil)(plain)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal(r) == "" {
			plain.ServeHTTP(w, r)
			return
		}
		known.ServeHTTP(w, r)
	})
}

// inSession reports whether a request belongs to a session, or begins one. The error
// is that of a body over [MaxBody].
func inSession(w http.ResponseWriter, r *http.Request) (bool, error) {
	switch {
	case r.Header.Get(headerSession) != "":
		return true, nil
	case r.Header.Get(headerVersion) >= modern:
		return false, nil
	case r.Method != http.MethodPost:
		return true, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return false, err
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	var m struct{ Method string }
	return json.Unmarshal(body, &m) == nil && m.Method == "initialize", nil
}

// failing is the end of a body that could not be read to its end; nil: it could.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// ServeStdio serves one client over its pipes, until it goes away or ctx is done,
// which is no error. Where it goes away the runs of its calls are cancelled, and have
// ended when ServeStdio returns.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer s.calls.Wait()
	defer context.AfterFunc(ctx, s.Close)()
	to := &oneAtATime{WriteCloser: out}
	from := &messages{Closer: in, in: bufio.NewReader(in), out: to, log: s.log}
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: from, Writer: to})
	for _, gone := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, mcp.ErrConnectionClosed} {
		if errors.Is(err, gone) {
			return nil
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
