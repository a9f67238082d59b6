package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runtime/proxy"
)

// proxyFlags are the flags of wfc proxy.
type proxyFlags struct {
	listen, prefix, policy, record string
}

func newProxy(std streams, g *globals) *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy [CONNECTION…]",
		Short: "Serve connections as one MCP server",
		Long: `Serve the connections of the project that are enabled, or these, as one MCP server:
over stdio, or with --listen over HTTP at /mcp. Messages pass as they are. Each
client has its own sessions, which it shares with no other client and no workflow.`,
		Example: `  wfc proxy
  wfc proxy github.work --policy read-only
  wfc proxy --listen 127.0.0.1:8931`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return serveProxy(cmd.Context(), std, g, f, args)
		},
	}
	cmd.Flags().StringVar(&f.listen, "listen", "", "serve over HTTP at this `ADDR`, such as 127.0.0.1:8931, in place of stdio")
	cmd.Flags().StringVar(&f.prefix, "prefix", "conflict", "which names begin with that of their connection: `always|never|conflict` (conflict: those that several connections have)")
	cmd.Flags().StringVar(&f.policy, "policy", "", "`read-only` hides the tools that do more than read")
	cmd.Flags().StringVar(&f.record, "record", "", "append what passes to `FILE`, as lines of JSON without the secrets")
	return cmd
}

func serveProxy(ctx context.Context, std streams, g *globals, f proxyFlags, args []string) (err error) {
	prefix, ok := proxy.Prefixes[f.prefix]
	if !ok {
		return usage("--prefix %q: write always, never or conflict", f.prefix)
	}
	if f.policy != "" && f.policy != "read-only" {
		return usage("--policy %q: write read-only, or leave it out", f.policy)
	}
	p, err := g.load()
	if err != nil {
		return failed(err)
	}
	ids, err := connections(std, p, args)
	if err != nil {
		return err
	}
	remark := remarks(std.err)
	o := proxy.Options{Prefix: prefix, Version: version, Remark: remark}
	if o.Sources, err = proxySources(ctx, std, p, ids, len(args) > 0, f.policy != "", remark); err != nil {
		return err
	}
	if f.record != "" {
		file, err := os.OpenFile(f.record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return failed(fmt.Errorf("--record: %w", err))
		}
		defer file.Close()
		o.Record = file
	}
	server, err := proxy.New(o)
	if err != nil {
		return failed(err)
	}
	defer surviveBrokenPipes()()
	ctx, stop := interruptible(ctx)
	defer stop()
	if f.listen == "" {
		err = server.ServeStdio(ctx, std.in, std.out)
	} else {
		err = listenProxy(ctx, server, f.listen, remark)
	}
	server.Close()
	if err == nil {
		if err = server.Recorded(); err != nil {
			err = fmt.Errorf("--record: not all was recorded: %w", err)
		}
	}
	if ctx.Err() != nil && err == nil {
		return &exit{code: exitInterrupted}
	}
	return failed(err)
}

// proxySources returns what clients see. A connection that cannot be used is left out,
// unless it was asked for by its name.
func proxySources(ctx context.Context, std streams, p *project.Project, ids []string, named, readOnly bool, remark func(string)) (all []proxy.Source, err error) {
	within, err := withinAnother(p.Root, ids)
	if err != nil {
		return nil, failed(err)
	}
	svc, err := newService(p, std, nil)
	if err != nil {
		return nil, failed(err)
	}
	defer closeAfter(svc, &err)
	for _, id := range ids {
		reach, found := compiler.Connection(p, id)
		if found.HasErrors() {
			if err := writeDiagnostics(std.err, p, found); err != nil {
				return nil, failed(err)
			}
			if named {
				return nil, &exit{code: exitFailed}
			}
			continue
		}
		if reach.Disabled() && !named {
			continue
		}
		source, err := svc.ProxySource(ctx, reach, readOnly)
		if err != nil {
			if named {
				return nil, failed(err)
			}
			remark(err.Error())
			continue
		}
		if stdio := source.Connection.Stdio; stdio != nil {
			stdio.Env = maps.Clone(stdio.Env)
			if stdio.Env == nil {
				stdio.Env = map[string]string{}
			}
			stdio.Env[withinProxies] = within
		}
		all = append(all, source)
	}
	if len(all) == 0 {
		return nil, failed(errors.New("none of the connections can be used"))
	}
	return all, nil
}

// withinProxies is the variable that servers of a proxy are given: of which proxies they
// are, so that one that serves itself is not started without end.
const withinProxies = "WFC_WITHIN_PROXIES"

// withinAnother returns the variable's value for the servers of a proxy of connections,
// and an error if this process is one of them.
func withinAnother(root string, ids []string) (string, error) {
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%s\x00%s", root, strings.Join(ids, "\x00"))
	self := fmt.Sprintf("%x", sum.Sum64())
	outer := os.Getenv(withinProxies)
	if slices.Contains(strings.Split(outer, ","), self) {
		return "", errors.New("this proxy is among the connections that it serves. Name the others: wfc proxy CONNECTION…")
	}
	return strings.TrimPrefix(outer+","+self, ","), nil
}

// remarks returns a function that prints lines on w, whole ones whoever prints.
func remarks(w io.Writer) func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, printable(text))
	}
}

// Waiting times of the HTTP server.
const (
	headerWait = 10 * time.Second // for a request's header: who sends none holds a connection for nothing
	closeGrace = 2 * time.Second  // for answers that are being written when the proxy ends
)

// listenProxy serves over HTTP until ctx is done.
func listenProxy(ctx context.Context, p *proxy.Proxy, address string, remark func(string)) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", address, rootCause(err))
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", p.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerWait}
	remark("listening on http://" + listener.Addr().String() + "/mcp")
	if host, _, err := net.SplitHostPort(listener.Addr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		remark("Whoever reaches this address can use the connections: there is no password.")
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err = <-served:
		return err
	case <-ctx.Done():
	}
	p.Close() // its streams end
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	if server.Shutdown(grace) != nil {
		err = server.Close()
	}
	<-served
	return err
}

// rootCause takes what is said already from an error of net.
func rootCause(err error) error {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		return errors.New(strings.TrimPrefix(op.Err.Error(), "listen: "))
	}
	return err
}
