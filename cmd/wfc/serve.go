package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/mcpserver"
	"github.com/lda-wf/wfc/runner/rpc"
	"github.com/lda-wf/wfc/runner/rpc/token"
	"github.com/lda-wf/wfc/runner/service"
	"github.com/lda-wf/wfc/runner/telemetry"
)

// defaultListen is where a server listens: on this computer, and by the same number on
// each, so that clients need no more than a host's name.
const defaultListen = "127.0.0.1:8930"

// serveFlags are the flags of wfc serve.
type serveFlags struct {
	listen, data string
	cert, key    string
	requireToken bool
	logLevel     string
	logJSON      bool
	drain        string
	draining     time.Duration // what drain says
	maxRuns      int
}

func newServe(std streams, g *globals) *cobra.Command {
	f := serveFlags{listen: defaultListen}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the project's workflows over HTTP",
		Long: `Serve the project's workflows over HTTP: JSON-RPC at /rpc, the events of runs, and
what operators look at (/healthz, /readyz, /metrics). It keeps the sessions with
MCP servers open, runs deployments on request, and goes on with runs that were
interrupted. One server has a data folder.

It listens on this computer only, unless told otherwise; then clients need a token
("wfc token create"). The first line that it prints on its standard output says
where it listens. SIGINT and SIGTERM stop it in good order, a second one at once.`,
		Example: `  wfc serve
  wfc serve --listen 0.0.0.0:8930 --tls-cert cert.pem --tls-key key.pem`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return startServer(cmd.Context(), std, g, f)
		},
	}
	cmd.Flags().StringVar(&f.listen, "listen", f.listen, "the `ADDR` to listen at; port 0 is any that is free")
	cmd.Flags().StringVar(&f.cert, "tls-cert", "", "serve over TLS with the certificate chain in this PEM `FILE`")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "the certificate's private key, a PEM `FILE`")
	cmd.Flags().BoolVar(&f.requireToken, "require-token", false, "want a token from everybody, on this computer, too")
	cmd.Flags().IntVar(&f.maxRuns, "max-runs", service.DefaultMaxRuns, "how many runs `N` go on at once; more wait for their turn")
	cmd.Flags().StringVar(&f.drain, "drain", "30s", "when it stops, give calls in flight this `DURATION` to end")
	cmd.Flags().StringVar(&f.logLevel, "log-level", "info", "what is logged on stderr: `debug|info|warn|error`")
	cmd.Flags().BoolVar(&f.logJSON, "log-json", false, "log as JSON, one object a line")
	dataFlag(cmd.Flags(), &f.data)
	return cmd
}

func startServer(ctx context.Context, std streams, g *globals, f serveFlags) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	log, err := logger(std.err, f)
	if err != nil {
		return err
	}
	certificate, err := tlsOf(f)
	if err != nil {
		return failed(err)
	}
	p, err := g.load()
	if err != nil {
		return failed(err)
	}
	logMistakes(log, p)
	folder := filepath.Join(p.Root, service.StateFolder)
	if f.data != "" {
		if folder, err = filepath.Abs(f.data); err != nil {
			return failed(err)
		}
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return failed(fmt.Errorf("--listen %s: %w", f.listen, rootCause(err)))
	}
	defer listener.Close() // a second time, unless something fails before it is served
	ctx, stop := interruptible(ctx)
	defer stop()
	tracing, err := telemetry.Start(version, func(err error) { log.Warn("telemetry", "error", err.Error()) })
	if err != nil {
		return failed(err)
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
		defer cancel()
		err = errors.Join(err, tracing.Close(last)) // when the runs have ended
	}()
	host, err := openHost(ctx, g, p, folder, f, log, tracing)
	if err != nil {
		return failed(err)
	}
	drained := false
	drain := func() {
		drained = true
		log.Info("stopping")
		err = errors.Join(err, host.Close(context.WithoutCancel(ctx)))
	}
	defer func() {
		if !drained {
			drain()
			err = failed(err)
		}
	}()
	agents, err := mcpserver.New(ctx, host, mcpserver.Options{Version: version, Log: log})
	if err != nil {
		return failed(err)
	}
	defer agents.Close() // before the host; a second time, unless something fails before it drains
	local := isLoopback(listener.Addr())
	tokens, requireToken := token.New(folder), f.requireToken || !local
	server, err := rpc.New(rpc.Options{
		Host: host, Version: version, Log: log, Tokens: tokens,
		MCP:          agents.Handler(rpc.Principal),
		Changed:      refreshing(agents, log),
		Metrics:      host.WriteMetrics,
		RequireToken: requireToken, AnyName: !local, TLS: certificate,
	})
	if err != nil {
		return failed(err)
	}
	defer surviveBrokenPipes()()
	url := "http://" + listener.Addr().String()
	if certificate != nil {
		url = "https://" + listener.Addr().String()
	}
	if _, err := fmt.Fprintln(std.out, "listening on "+url); err != nil {
		return failed(err)
	}
	log.Info("serving", "url", url, "project", p.Root, "data", folder)
	if !local && certificate == nil {
		log.Warn("tokens and results pass over the network in the clear: give --tls-cert and --tls-key, or put something that does in front")
	}
	following := follower{host: host, load: g.load, log: log, then: refreshing(agents, log), data: folder}
	unfollow := following.start(ctx, p)
	defer unfollow()
	if all, err := tokens.List(); requireToken && err == nil && len(all) == 0 {
		log.Warn("everybody needs a token and there is none: make one with wfc token create")
	}
	served := server.Serve(ctx, listener, func() {
		unfollow()
		agents.Close()
		drain()
	})
	return failed(errors.Join(served, err))
}

// check says what is wrong with the flags, and reads those that are durations.
func (f *serveFlags) check() (err error) {
	if _, _, err := net.SplitHostPort(f.listen); err != nil { // "" would be every address that there is
		return usage("--listen %q: write HOST:PORT, such as %s", f.listen, defaultListen)
	}
	if f.maxRuns < 1 {
		return usage("--max-runs %d: it must be at least 1", f.maxRuns)
	}
	if (f.cert == "") != (f.key == "") {
		return usage("--tls-cert and --tls-key belong together")
	}
	if f.draining, err = syntax.ParseDuration(f.drain); err != nil {
		return usage("--drain %q: %w", f.drain, err)
	}
	if f.draining <= 0 {
		return usage("--drain %q: it must be more than nothing", f.drain)
	}
	return nil
}

// openHost opens the host of a server.
func openHost(ctx context.Context, g *globals, p *project.Project, folder string, f serveFlags, log *slog.Logger, tracing *telemetry.Tracing) (*service.Host, error) {
	env, err := environment(p)
	if err != nil {
		return nil, err
	}
	return service.OpenHost(ctx, p, service.HostOptions{
		Options: service.Options{
			Environment: env, Version: version, Folder: folder, ProcessEnds: true, Tracer: tracing.Tracer(),
			Stderr: func(connection, line string) { log.Debug("server stderr", "connection", connection, "line", line) },
		},
		Load:    g.load,
		MaxRuns: f.maxRuns,
		Drain:   f.draining,
		Log:     log,
	})
}

// logger is what a server logs with.
func logger(w io.Writer, f serveFlags) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return nil, usage("--log-level %q: it must be debug, info, warn or error", f.logLevel)
	}
	o := &slog.HandlerOptions{Level: level}
	if f.logJSON {
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return slog.New(slog.NewTextHandler(w, o)), nil
}

// tlsOf reads the certificate that a server shows; nil: none.
func tlsOf(f serveFlags) (*tls.Config, error) {
	if f.cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	if pair.Leaf != nil && time.Now().After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("--tls-cert %s: the certificate has expired on %s", f.cert, stamp(pair.Leaf.NotAfter))
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// isLoopback reports whether only this computer reaches an address.
func isLoopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}
