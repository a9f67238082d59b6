// Package connection has the live form of a connection block, its transports,
// and its fingerprint.
//
// Its central type is [Connection]. Of wfc it imports lang only.
package connection

import "time"

// Connection is how to reach one concrete source. All references are resolved:
// environment values may be secrets, so a Connection is never printed or stored.
type Connection struct {
	ID          string // "provider.account"
	Stdio       *Stdio
	Timeouts    Timeouts
	MaxInFlight int // per session; at least 1
	// ProtocolVersion is the revision that the snapshot was taken with; it only
	// saves the probe. Empty: unknown, probe.
	ProtocolVersion string
	// Redact lists secret values that must not appear in error texts.
	Redact []string
}

// Stdio is a child process that speaks MCP on stdin and stdout.
type Stdio struct {
	Command string
	Args    []string
	Env     map[string]string // added to the minimal environment (HOME, LOGNAME, PATH, SHELL, TERM, USER)
	Dir     string            // absolute working directory
}

// Timeouts of a connection. Zero means the default of LANGUAGE 4: 60s, 10m, 2s.
type Timeouts struct {
	Connect time.Duration
	Idle    time.Duration
	Close   time.Duration
}

// Scope is the isolation of a session: "" is shared by all runs of a process;
// else the id of the run that has the session to itself.
type Scope string
