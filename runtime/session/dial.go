package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// legacyVersion is the last revision that begins with initialize.
const legacyVersion = "2025-11-25"

// modernVersion is the first revision that has no initialize.
const modernVersion = "2026-07-28"

// A server of unknown era is asked with server/discover whether it is of the newer
// one. Some servers leave a first message that they do not know unanswered, some end
// at it, and some answer nothing any more. A first `npx -y` is silent, too, while it
// installs, and to end it would leave half an installation behind.

// probeBudget is how long the question may go unanswered before the same process
// is asked to initialize as well: what it has not read yet waits in the pipe.
const probeBudget = 3 * time.Second

// restartAfter is how long a server may be silent to both before it is started
// again and asked to initialize alone: half of the time to connect in. One that has
// not read them by then is no server yet, and is left to install.
func restartAfter(c connection.Connection) time.Duration { return c.Timeouts.ConnectTimeout() / 2 }

// dial connects to the server of cfg. The error is an *Error. What it started is freed.
func dial(ctx context.Context, cfg *Config) (*Client, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Connection.Timeouts.ConnectTimeout(), errConnectTimeout)
	defer cancel()
	version := cfg.Connection.Protocol
	if version == "" && slices.Contains(mcp.SupportedProtocolVersions(), cfg.Connection.ProtocolVersion) {
		version = cfg.Connection.ProtocolVersion
	}
	client, next, err := attempt(ctx, cfg, version)
	if err != nil && next != "" && ctx.Err() == nil {
		client, _, err = attempt(ctx, cfg, next)
	}
	return client, err
}

var (
	errConnectTimeout = errors.New("connect timeout")
	errNotProbed      = errors.New("the server did not answer server/discover")
)

// attempt starts the server once and shakes hands, with version or, if that is
// empty, by asking for the era. Next is the revision with which another attempt may
// succeed where this one failed, "" if none.
func attempt(ctx context.Context, cfg *Config, version string) (_ *Client, next string, _ error) {
	if ctx.Err() != nil {
		e := &Error{Connection: cfg.Connection.ID, Reason: Cancelled, Cause: context.Cause(ctx)}
		return nil, "", e.describe(cfg.redact, "Connecting was given up: "+e.Cause.Error()+".", "")
	}
	cb := newCallbacks(cfg)
	channel, err := cfg.Connection.Open(cb.sinks())
	if err != nil {
		e := &Error{Connection: cfg.Connection.ID, Reason: NotStarted, Cause: err}
		return nil, "", e.describe(cfg.redact, err.Error(), "")
	}
	if cfg.Started != nil {
		cfg.Started()
	}
	h := handshake{cfg: cfg, channel: channel, auto: version == "", probe: channel.Begin(nil), initialize: channel.Begin(nil)}
	defer channel.Finish(h.probe, "")
	defer channel.Finish(h.initialize, "")
	if h.auto {
		again := time.AfterFunc(cfg.restartAfter, h.restart)
		defer again.Stop()
	}
	// The SDK's own wait ends with ctx; ending the channel frees the server.
	stop := context.AfterFunc(ctx, func() { channel.Kill(context.Cause(ctx)) })
	options := &mcp.ClientOptions{
		Capabilities:   cfg.Connection.Offers.Capabilities(),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // see converse
	}
	cfg.watchLists(options)
	client := mcp.NewClient(cfg.ClientInfo, options)
	client.AddReceivingMiddleware(cb.receive)
	client.AddSendingMiddleware(h.budget)
	wire := &tap{Transport: channel}
	sdk, err := client.Connect(h.initialize.Context(ctx), wire, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if stopped := stop(); err == nil && !stopped {
		err = context.Cause(ctx)
	}
	if err == nil {
		c := &Client{channel: channel, client: client, sdk: sdk, tapped: wire.connection, clocks: &cb.clocks, callbacks: cb}
		if c.server, err = h.server(sdk.InitializeResult().ProtocolVersion); err == nil {
			c.logs = cfg.Logged != nil && c.server.logs()
			c.setLogLevel(ctx)
			return c, "", nil
		}
	}
	channel.Close()
	end := channel.End()
	if sdk != nil {
		_ = sdk.Close() // the channel has ended; this only ends the SDK's bookkeeping
	}
	return nil, h.next(), h.failed(ctx, end, err)
}

// handshake is one attempt to come to terms with a server.
type handshake struct {
	cfg               *Config
	channel           connection.Channel
	auto              bool // the era is not known
	probe, initialize *connection.Exchange
}

// budget gives server/discover its own exchange and, where the era is not known,
// its own time: when that has passed, the SDK goes on with initialize.
func (h *handshake) budget(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "server/discover" {
			return next(ctx, method, req)
		}
		ctx = h.probe.Context(ctx)
		if h.auto {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, h.cfg.probeBudget, errNotProbed)
			defer cancel()
		}
		return next(ctx, method, req)
	}
}

// restart ends a server that has read what it was asked and is silent, politely:
// it may be an installer, who frees its locks.
func (h *handshake) restart() {
	unread := connection.Unread(h.channel)
	if h.cfg.silent != nil {
		h.cfg.silent(unread)
	}
	if !h.answered() && !unread {
		h.channel.Close()
	}
}

func (h *handshake) answered() bool {
	return h.probe.Sent() == SentYes || h.initialize.Sent() == SentYes
}

// next is the revision to try after a failure. The channel has ended.
func (h *handshake) next() string {
	switch {
	case !h.auto || h.failure() != nil:
		return ""
	case h.cfg.overHTTP() && h.probe.Sent() == SentMaybe && h.initialize.Sent() == SentYes:
		return modernVersion // it only answers slowly at first, and does not know initialize
	case !h.answered():
		return legacyVersion // it ended, or was silent, because of the probe
	case h.probe.Sent() == SentYes && h.probe.Result() != nil:
		return modernVersion // its answer came late, and then it did not know initialize
	}
	return ""
}

// failure is why there was no handshake over HTTP, nil if that was not it.
func (h *handshake) failure() *connection.Failure {
	var f *connection.Failure
	_ = errors.As(h.initialize.Failure(), &f)
	if f == nil && h.initialize.Method() == "" {
		_ = errors.As(h.probe.Failure(), &f)
	}
	return f
}

// overHTTP reports whether the server is at a URL.
func (cfg *Config) overHTTP() bool { return cfg.Connection.HTTP != nil || cfg.Connection.SSE != nil }

// failed says why the session did not come to be.
func (h *handshake) failed(ctx context.Context, end connection.End, err error) error {
	cfg, e := h.cfg, &Error{Connection: h.cfg.Connection.ID, Reason: NotStarted, Cause: err}
	switch f := h.failure(); {
	case !cfg.overHTTP() || ctx.Err() != nil && !errors.Is(context.Cause(ctx), errConnectTimeout):
		return handshakeError(ctx, cfg, end, err)
	case ctx.Err() != nil:
		e.Cause = errConnectTimeout
		what := "The server did not answer the MCP handshake"
		if h.probe.Sent() == SentNo && h.initialize.Sent() == SentNo {
			what = "No connection to the server came about"
		}
		return e.describe(cfg.redact, fmt.Sprintf("%s within %s.", what, cfg.Connection.Timeouts.ConnectTimeout()),
			"Check the url; if the server is only slow, raise timeouts { connect }.")
	case f != nil:
		e = e.overHTTP(cfg.redact, f)
		e.Sent = SentNo // of the operation, which waited for the session
		return e
	}
	return handshakeError(ctx, cfg, end, err)
}

// server reads what the server said of itself, which speaks version.
func (h *handshake) server(version string) (Server, error) {
	if pin := h.cfg.Connection.Protocol; pin != "" && pin != version {
		return Server{}, &otherRevision{pin, version}
	}
	raw := h.initialize.Result()
	if raw == nil {
		raw = h.probe.Result()
	}
	server, err := readServer(raw, version)
	server.ClientCapabilities = h.cfg.Connection.Offers.JSON()
	return server, err
}

// otherRevision is the error of a server that does not speak the pinned revision.
type otherRevision struct{ pin, got string }

func (e *otherRevision) Error() string { return "it speaks the revision " + e.got }

// handshakeError says why the session did not come to be.
func handshakeError(ctx context.Context, cfg *Config, end connection.End, err error) error {
	e := &Error{Connection: cfg.Connection.ID, Reason: NotStarted, Cause: err, Stderr: end.Stderr}
	var other *otherRevision
	killed := ctx.Err() != nil || errors.Is(end.Cause, connection.ErrClosed)
	if !killed {
		e.Exit = end.Exit
	}
	switch {
	case errors.Is(context.Cause(ctx), errConnectTimeout):
		e.Cause = errConnectTimeout
		what := fmt.Sprintf("The server did not answer the MCP handshake within %s and was stopped.%s", cfg.Connection.Timeouts.ConnectTimeout(), noise(end))
		return e.describe(cfg.redact, what, "If it only starts slowly, raise timeouts { connect }; else run its command by hand to see what it does.")
	case ctx.Err() != nil:
		e.Cause, e.Reason = context.Cause(ctx), Cancelled
		return e.describe(cfg.redact, "Connecting was given up: "+e.Cause.Error()+".", "")
	case errors.As(err, &other):
		return e.describe(cfg.redact, fmt.Sprintf("The server does not speak the MCP revision %s, which the connection pins; it offers %s.", other.pin, other.got),
			fmt.Sprintf("Write protocol = \"auto\" or %q.", other.got))
	case unknownRevision(err) == `""`:
		return e.describe(cfg.redact, "The server does not say which MCP revision it speaks.", "Update it, or write to who made it.")
	case unknownRevision(err) != "":
		return e.describe(cfg.redact, fmt.Sprintf("The server speaks the MCP revision %s, and wfc speaks %s.",
			unknownRevision(err), strings.Join(mcp.SupportedProtocolVersions(), ", ")), "Update whichever of the two is older.")
	case errors.Is(end.Cause, connection.ErrClosed):
		// It lives and answered: with an error, or with something else than the protocol says.
		if wire := (*jsonrpc.Error)(nil); !errors.As(err, &wire) {
			return e.describe(cfg.redact, fmt.Sprintf("The server's answer in the MCP handshake is not as MCP says: %s.%s", plainly(err), noise(end)), refreshAdvice(cfg))
		}
		return e.describe(cfg.redact, fmt.Sprintf("The server refused the MCP handshake: %s.%s", err, noise(end)), refreshAdvice(cfg))
	}
	if e.Cause = end.Cause; cfg.overHTTP() {
		return e.describe(cfg.redact, early(end), refreshAdvice(cfg))
	}
	return e.describe(cfg.redact, early(end)+noise(end),
		"Run its command by hand to see whether it starts, and check the args and env of its stdio block."+refreshAdvice(cfg))
}

// unknownRevision returns the revision that a server answered with and the SDK does
// not speak, as it quotes it; "" if err is another error.
func unknownRevision(err error) string {
	if err == nil {
		return ""
	}
	version, ok := strings.CutPrefix(err.Error(), "unsupported protocol version: ")
	if !ok {
		return ""
	}
	return version
}

// early returns a sentence on a server that ended in the handshake.
func early(end connection.End) string {
	const what = "The server ended before the MCP handshake was done"
	if end.Exit == "" {
		return what + ": " + end.Cause.Error() + "."
	}
	return what + "," + how(end) + "."
}

// refreshAdvice is for a server that was asked for the revision of its
// snapshot: an updated one may speak another.
func refreshAdvice(cfg *Config) string {
	if cfg.Connection.ProtocolVersion == "" {
		return ""
	}
	return " If it was updated, take its snapshot anew:\n    wfc catalog refresh " + cfg.Connection.ID + "\n"
}

// readServer reads the result of initialize or server/discover.
func readServer(raw json.RawMessage, version string) (Server, error) {
	var r struct {
		Info         json.RawMessage            `json:"serverInfo"`
		Instructions string                     `json:"instructions"`
		Capabilities json.RawMessage            `json:"capabilities"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Server{}, fmt.Errorf("its answer could not be read: %w", err)
	}
	if r.Info == nil {
		r.Info = r.Meta[mcp.MetaKeyServerInfo]
	}
	return Server{Info: r.Info, ProtocolVersion: version, Instructions: r.Instructions, Capabilities: r.Capabilities}, nil
}
