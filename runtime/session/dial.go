package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// legacyVersion is the last revision that begins with initialize.
const legacyVersion = "2025-11-25"

// probeBudget is how long a server of unknown era may take to answer
// server/discover: half of the time to connect in, so that the other half is
// left for initialize. Some never answer a first message that they do not know,
// but a first `npx -y` is silent too, while it installs: to end that early would
// leave half an installation behind and never come further.
func probeBudget(c connection.Connection) time.Duration { return c.Timeouts.ConnectTimeout() / 2 }

// capabilities are what we offer to servers. The SDK's default offers roots,
// which makes some servers ask for them and then stay alive.
var capabilities = &mcp.ClientCapabilities{}

const capabilitiesJSON = `{}`

// dial connects to the server of cfg. The error is an *Error. What it started is freed.
func dial(ctx context.Context, cfg *Config) (*Client, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Connection.Timeouts.ConnectTimeout(), errConnectTimeout)
	defer cancel()
	version := cfg.Connection.ProtocolVersion
	if !slices.Contains(mcp.SupportedProtocolVersions(), version) {
		version = ""
	}
	client, probed, err := attempt(ctx, cfg, version)
	if err != nil && version == "" && !probed && ctx.Err() == nil {
		// It ended, or was silent, because of the probe: the era is the older one.
		client, _, err = attempt(ctx, cfg, legacyVersion)
	}
	return client, err
}

var errConnectTimeout = errors.New("connect timeout")

// attempt starts the server once and shakes hands, with version or, if that is
// empty, by asking for the era. Probed reports whether the server answered the
// question or was not started.
func attempt(ctx context.Context, cfg *Config, version string) (_ *Client, probed bool, _ error) {
	if ctx.Err() != nil {
		e := &Error{Connection: cfg.Connection.ID, Reason: Cancelled, Cause: context.Cause(ctx)}
		return nil, true, e.describe(cfg.redact, "Connecting was given up: "+e.Cause.Error()+".", "")
	}
	channel, err := cfg.Connection.Open(connection.Sinks{Stderr: cfg.Stderr})
	if err != nil {
		e := &Error{Connection: cfg.Connection.ID, Reason: NotStarted, Cause: err}
		return nil, true, e.describe(cfg.redact, err.Error(), "")
	}
	x := channel.Begin(nil)
	defer channel.Finish(x, "")
	if version == "" {
		probe := time.AfterFunc(cfg.probeBudget, func() {
			if x.Sent() != SentYes {
				channel.Close() // politely: an installer frees its locks
			}
		})
		defer probe.Stop()
	}
	// The SDK's own wait ends with ctx; ending the channel frees the server.
	stop := context.AfterFunc(ctx, func() { channel.Kill(context.Cause(ctx)) })
	sdk, err := mcp.NewClient(cfg.ClientInfo, &mcp.ClientOptions{Capabilities: capabilities}).
		Connect(x.Context(ctx), channel, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if stopped := stop(); err == nil && !stopped {
		err = context.Cause(ctx)
	}
	if err == nil {
		c := &Client{channel: channel, sdk: sdk}
		c.server, err = readServer(x.Result(), sdk.InitializeResult().ProtocolVersion)
		if err == nil {
			return c, true, nil
		}
	}
	channel.Close()
	end := channel.End()
	if sdk != nil {
		_ = sdk.Close() // the channel has ended; this only ends the SDK's bookkeeping
	}
	return nil, x.Sent() == SentYes, handshakeError(ctx, cfg, end, err)
}

// handshakeError says why the session did not come to be.
func handshakeError(ctx context.Context, cfg *Config, end connection.End, err error) error {
	e := &Error{Connection: cfg.Connection.ID, Reason: NotStarted, Cause: err, Stderr: end.Stderr}
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
	case errors.Is(end.Cause, connection.ErrClosed):
		// It lives and answered: with an error, or with something else than the protocol says.
		return e.describe(cfg.redact, fmt.Sprintf("The server refused the MCP handshake: %s.%s", err, noise(end)), refreshAdvice(cfg))
	}
	e.Cause = end.Cause
	return e.describe(cfg.redact, early(end)+noise(end),
		"Run its command by hand to see whether it starts, and check the args and env of its stdio block."+refreshAdvice(cfg))
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
	return Server{Info: r.Info, ProtocolVersion: version, Instructions: r.Instructions, Capabilities: r.Capabilities,
		ClientCapabilities: json.RawMessage(capabilitiesJSON)}, nil
}
