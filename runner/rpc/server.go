package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/token"
	"github.com/lda-wf/wfc/runner/service"
)

// Options of a server.
type Options struct {
	Host    *service.Host
	Version string       // of wfc
	Log     *slog.Logger // nil: nothing is logged
	Tokens  *token.Store // nil: there are none
	// RequireToken refuses everybody who shows no token. It must be set where others than
	// this computer reach the server.
	RequireToken bool
	// AnyName answers under whatever name a client reaches the server; otherwise only
	// under those of this computer.
	AnyName bool
	// MCP answers at /mcp those whose token has the scope run ([Principal] says who they
	// are); nil: nothing does.
	MCP http.Handler
	// Changed is told that deployments, or what they need, may have changed; nil: nobody is.
	Changed func(context.Context)
	// Metrics writes more of what /metrics shows, in the text format of Prometheus; nil:
	// there is no more.
	Metrics func(io.Writer)
	TLS     *tls.Config // nil: none
	Limits  Limits
}

// Server is the HTTP side of a host. It is an [http.Handler]; [Server.Serve] serves it.
type Server struct {
	dispatcher
	options Options
	limits  Limits
	guard   guard
	mux     *http.ServeMux
	metrics *metrics
	places  places

	draining atomic.Bool // nothing new begins
	stopOnce sync.Once
	stopped  chan struct{} // closed when the server stops: what waits ends
}

// New returns a server. It starts nothing.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		options: o,
		limits:  o.Limits.orDefaults(),
		guard:   guard{tokens: o.Tokens, open: !o.RequireToken, local: !o.AnyName},
		stopped: make(chan struct{}),
	}
	s.places = newPlaces(s.limits.Requests)
	s.metrics = newMetrics(s, o.Metrics)
	s.dispatcher = dispatcher{methods: methodTable{}, stopping: s.draining.Load, log: o.Log, observe: s.metrics.observe}
	s.bindAll(&api{s})
	if name := s.methods.missing(); name != "" {
		return nil, fmt.Errorf("the method %s has no implementation", name)
	}
	s.mux = s.routes()
	return s, nil
}

// Times of the HTTP server.
const (
	idleWait  = 2 * time.Minute  // for the next request on a connection
	stopWait  = 10 * time.Second // for answers that are being written when the server ends
	maxHeader = 32 << 10         // bytes
)

// Serve serves until ctx is done, and closes the listener. drain, which may be nil, is
// called when ctx is done and before clients are let go, so that those who wait for
// what it ends are told.
func (s *Server) Serve(ctx context.Context, listener net.Listener, drain func()) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.limits.Header,
		IdleTimeout:       idleWait,
		MaxHeaderBytes:    maxHeader,
		TLSConfig:         s.options.TLS,
		ErrorLog:          log.New(&lineLog{s.options.Log}, "", 0),
	}
	served := make(chan error, 1)
	go func() {
		if s.options.TLS != nil {
			served <- server.ServeTLS(listener, "", "")
		} else {
			served <- server.Serve(listener)
		}
	}()
	select {
	case err := <-served:
		s.stop()
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	if drain != nil {
		drain()
	}
	s.stop()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	err := server.Shutdown(grace)
	if err != nil {
		err = server.Close()
	}
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		return e
	}
	return err
}

// stop ends what waits.
func (s *Server) stop() { s.stopOnce.Do(func() { close(s.stopped) }) }

var errStopping = errors.New("the server stops")

// ready says why the server takes no work; nil: it does.
func (s *Server) ready() error {
	if s.draining.Load() {
		return errStopping
	}
	return nil
}

// lineLog logs what net/http says of connections: strange clients, broken TLS.
type lineLog struct{ log *slog.Logger }

func (l *lineLog) Write(line []byte) (int, error) {
	l.log.Debug("http", "message", string(line))
	return len(line), nil
}
