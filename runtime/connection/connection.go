// Package connection has the live form of a connection block, its transports,
// and its fingerprint.
//
// Its central type is [Connection]. Of wfc it imports lang only.
package connection

import (
	"io"
	"time"
)

// Connection is how to reach one concrete source. All references are resolved:
// environment values may be secrets, so a Connection is never printed or stored.
type Connection struct {
	ID          string // "provider.account"
	Stdio       *Stdio // of Stdio, HTTP and SSE one is not nil
	HTTP        *HTTP  // streamable HTTP
	SSE         *HTTP  // the HTTP transport of before 2025-03-26
	Timeouts    Timeouts
	MaxInFlight int       // per session; zero means 8
	RateLimit   RateLimit // of all sessions together
	Offers      Offers    // what the server is told that we do for it
	// Protocol is the revision that the connection pins; a server that does not speak
	// it is refused. Empty: any.
	Protocol string
	// ProtocolVersion is the revision that the snapshot was taken with; it only
	// saves the probe. Empty: unknown, probe.
	ProtocolVersion string
	// Redact lists secret values that must not appear in error texts.
	Redact []string

	// A connection to a server of this process: see [Stream].
	dial     func() (io.ReadWriteCloser, error)
	identity string
}

// Stdio is a child process that speaks MCP on stdin and stdout.
type Stdio struct {
	Command string
	Args    []string
	Env     map[string]string // added to the minimal environment (HOME, LOGNAME, PATH, SHELL, TERM, USER)
	Dir     string            // absolute working directory
}

// RateLimit allows so many requests in any stretch of time of the length Per.
// The zero value is no limit.
type RateLimit struct {
	Requests int
	Per      time.Duration
}

// Timeouts of a connection. Zero means the default of LANGUAGE 4: 60s, 10m, 2s.
type Timeouts struct {
	Connect time.Duration
	Idle    time.Duration
	Close   time.Duration
}

// The defaults of LANGUAGE 4.
const (
	DefaultConnect     = 60 * time.Second
	DefaultIdle        = 10 * time.Minute
	DefaultClose       = 2 * time.Second
	DefaultMaxInFlight = 8
)

// ConnectTimeout returns how long connecting may take.
func (t Timeouts) ConnectTimeout() time.Duration { return orDefault(t.Connect, DefaultConnect) }

// IdleTimeout returns how long an unused session lives.
func (t Timeouts) IdleTimeout() time.Duration { return orDefault(t.Idle, DefaultIdle) }

// CloseTimeout returns how long closing may take before the server is killed.
func (t Timeouts) CloseTimeout() time.Duration { return orDefault(t.Close, DefaultClose) }

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}

// InFlight returns MaxInFlight, or the default of LANGUAGE 4 for zero.
func (c Connection) InFlight() int {
	if c.MaxInFlight <= 0 {
		return DefaultMaxInFlight
	}
	return c.MaxInFlight
}

// Scope is the isolation of a session: "" is shared by all runs of a process;
// else the id of the run that has the session to itself.
type Scope string
