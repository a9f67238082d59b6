package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// Limits of what a server takes. A zero field is its default.
type Limits struct {
	Body     int64         // bytes of a request; 16 MiB
	Batch    int           // requests in a batch; 100
	Depth    int           // how deep JSON may nest; 200
	Requests int           // that are here at once: of short ones, of those that wait for a run or a tool, and of streams; 1024 each
	Header   time.Duration // for a request's header, and TLS; 10s
	Transfer time.Duration // for the sending of a request, or the taking of an answer; 30s
	Beat     time.Duration // between signs of life on a stream of events; 15s
	Look     time.Duration // between looks at a run that another process executes; 1s
}

func (l Limits) orDefaults() Limits {
	set(&l.Body, 16<<20)
	set(&l.Batch, 100)
	set(&l.Depth, 200)
	set(&l.Requests, 1024)
	set(&l.Header, 10*time.Second)
	set(&l.Transfer, 30*time.Second)
	set(&l.Beat, 15*time.Second)
	set(&l.Look, time.Second)
	return l
}

func set[T comparable](field *T, to T) {
	var zero T
	if *field == zero {
		*field = to
	}
}

// ServeHTTP answers a request. Everything that a client of HTTP can do to us is met here.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{}) // that of the request before, on the same connection
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p == http.ErrAbortHandler {
			panic(p)
		}
		s.options.Log.LogAttrs(r.Context(), slog.LevelError, "internal fault", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		panic(http.ErrAbortHandler) // part of an answer may be out
	}()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if no := s.guard.origin(r); no != nil {
		s.refuse(w, no)
		return
	}
	at, ok := s.places.take(r)
	if !ok {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		s.refuse(w, &refusal{http.StatusServiceUnavailable, errBusy("The server answers as many requests as it may.")})
		return
	}
	defer at.give()
	r = r.WithContext(context.WithValue(r.Context(), placeKey{}, at))
	s.mux.ServeHTTP(w, r)
}

// routes are the paths of the server.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("POST /rpc", s.within(protocol.Read, s.serveRPC))
	mux.Handle("GET /openrpc.json", s.within(protocol.Read, s.serveDescription))
	mux.Handle("GET /runs/{id}/events", s.within(protocol.Read, s.serveEvents))
	mux.Handle("GET /metrics", s.within(protocol.Read, s.serveMetrics))
	mux.HandleFunc("GET /healthz", s.serveHealth)
	mux.HandleFunc("GET /readyz", s.serveReady)
	if s.options.MCP != nil {
		mux.Handle("/mcp", s.within(protocol.Run, s.serveMCP))
	}
	for _, path := range []string{"/rpc", "/openrpc.json", "/runs/{id}/events", "/metrics", "/healthz", "/readyz"} {
		mux.HandleFunc(path, s.serveOtherMethod)
	}
	mux.HandleFunc("/", s.serveNothing)
	return mux
}

// serveMCP hands a request on to the front end for agents.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		r.Body = timely(w, r.Body, s.limits.Transfer)
	}
	s.options.MCP.ServeHTTP(newPatient(w, s.limits.Transfer), r)
}

// serveOtherMethod answers a method of HTTP that a path does not have.
func (s *Server) serveOtherMethod(w http.ResponseWriter, r *http.Request) {
	allowed := "GET, HEAD"
	if r.URL.Path == "/rpc" {
		allowed = http.MethodPost
	}
	w.Header().Set("Allow", allowed)
	s.refuse(w, refused(http.StatusMethodNotAllowed, jsonrpc.CodeInvalidRequest, "The path %s takes %s only.", cut(r.URL.Path), allowed))
}

// serveNothing answers a path that is none of the server's.
func (s *Server) serveNothing(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, refused(http.StatusNotFound, protocol.CodeNotFound, "There is nothing at %q. Requests are sent to POST /rpc.", cut(r.URL.Path)))
}

// within lets in who has a scope.
func (s *Server) within(scope protocol.Scope, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, no := s.guard.caller(r)
		if no == nil && !who.scope.Allows(scope) {
			no = refused(http.StatusForbidden, protocol.CodeForbidden, "This needs a token with the scope %s.", scope)
		}
		if no != nil {
			s.refuse(w, no)
			return
		}
		next(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
}

func (s *Server) refuse(w http.ResponseWriter, no *refusal) {
	if no.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="wfc"`)
	}
	s.observe("refused", no.err.Code, 0)
	s.write(w, no.status, jsonrpc.Response{Err: no.err})
}

// write writes one answer.
func (s *Server) write(w http.ResponseWriter, status int, r jsonrpc.Response) {
	body, err := r.Append(nil)
	if err != nil {
		e := s.told(context.Background(), "", err)
		if body, err = (jsonrpc.Response{ID: r.ID, Err: e}).Append(nil); err != nil {
			panic(err)
		}
	}
	s.send(w, status, body)
}

// send sends JSON. A client that does not take it in time loses its connection.
func (s *Server) send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = newPatient(w, s.limits.Transfer).Write(body) // who is gone gets no answer
}

// serveRPC answers a request or a batch.
func (s *Server) serveRPC(w http.ResponseWriter, r *http.Request) {
	// A form of a browser cannot send this type, so that no page can make one call us.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.refuse(w, refused(http.StatusUnsupportedMediaType, jsonrpc.CodeInvalidRequest, "Send JSON: Content-Type: application/json."))
		return
	}
	if how := r.Header.Get("Content-Encoding"); how != "" && how != "identity" {
		s.refuse(w, refused(http.StatusUnsupportedMediaType, jsonrpc.CodeInvalidRequest, "Send the body as it is, without Content-Encoding."))
		return
	}
	body, no := s.body(w, r)
	if no != nil {
		s.refuse(w, no)
		return
	}
	requests, batch, err := jsonrpc.Parse(body, jsonrpc.Limits{Batch: s.limits.Batch, Depth: s.limits.Depth})
	if err != nil {
		s.observe("unknown", err.Code, 0)
		s.write(w, http.StatusBadRequest, jsonrpc.Response{Err: err})
		return
	}
	who := callerOf(r.Context())
	var answers [][]byte
	for _, request := range requests {
		// In their order, one after the other: a batch may make what its next request uses.
		answer := s.answer(r.Context(), who, request)
		if request.ID == nil {
			continue
		}
		if !batch {
			s.write(w, http.StatusOK, answer)
			return
		}
		text, err := answer.Append(nil)
		if err != nil {
			text, _ = jsonrpc.Response{ID: request.ID, Err: s.told(r.Context(), request.Method, err)}.Append(nil)
		}
		answers = append(answers, text)
	}
	if len(answers) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.send(w, http.StatusOK, append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']'))
}

// body reads a request's body, within its limits.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(s.limits.Transfer))
	if r.ContentLength > s.limits.Body {
		w.Header().Set("Connection", "close")
		return nil, s.tooLarge(r)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // it is about the body only
		return body, nil
	}
	w.Header().Set("Connection", "close")
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, s.tooLarge(r)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, refused(http.StatusRequestTimeout, jsonrpc.CodeInvalidRequest, "The request did not come within %s.", s.limits.Transfer)
	}
	return nil, refused(http.StatusBadRequest, jsonrpc.CodeParse, "The request is broken off.")
}

// tooLarge refuses a body. One that is not much too large is read to its end first: a
// client that still sends when its connection is closed would not see the answer.
func (s *Server) tooLarge(r *http.Request) *refusal {
	if most := 2 * s.limits.Body; r.ContentLength <= most {
		_, _ = io.CopyN(io.Discard, r.Body, most)
	}
	return refused(http.StatusRequestEntityTooLarge, jsonrpc.CodeInvalidRequest, "The request is larger than %d bytes.", s.limits.Body)
}

// serveDescription describes the methods as OpenRPC does.
func (s *Server) serveDescription(w http.ResponseWriter, _ *http.Request) {
	text, err := jsonrpc.Marshal(protocol.OpenRPC(s.options.Version))
	if err != nil {
		panic(err)
	}
	s.send(w, http.StatusOK, text)
}

// serveHealth says that the process answers.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	s.send(w, http.StatusOK, []byte(`{"status":"ok"}`))
}

// serveReady says whether the server takes work.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request) {
	if err := s.ready(); err != nil {
		text, _ := jsonrpc.Marshal(map[string]string{"status": "not ready", "reason": err.Error()})
		s.send(w, http.StatusServiceUnavailable, text)
		return
	}
	s.send(w, http.StatusOK, []byte(`{"status":"ready"}`))
}
