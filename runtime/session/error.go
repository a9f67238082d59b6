package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
)

// Sent says whether a request may have been received.
type Sent = connection.Sent

// The values of [Sent].
const (
	SentNo    = connection.SentNo
	SentMaybe = connection.SentMaybe
	SentYes   = connection.SentYes
)

// Reason says what kind of failure an [Error] is.
type Reason uint8

// The reasons.
const (
	// NotStarted: there is no session: the command was not found, the server ended
	// in the handshake or never answered it.
	NotStarted Reason = iota
	// Lost: the session ended, or was closed, before the answer came.
	Lost
	// Cancelled: the caller's context was done first. Cause is its cause.
	Cancelled
	// Refused: the server answered with a JSON-RPC error. Code is its code.
	Refused
	// Malformed: the server answered, but not as the protocol says.
	Malformed
	// TooLarge: the answer is larger than [connection.MaxFrame].
	TooLarge
	// Quiet: nothing was heard of it for Call.IdleTimeout, and it was cancelled.
	Quiet
	// Unanswered: the server asked for input before it would answer, and was refused.
	Unanswered
	// Declined: Call.Started returned an error, which is Cause.
	Declined
	// Rejected: HTTP answered with a status, which is Status, and no MCP answer. The
	// session goes on.
	Rejected
	// Interrupted: over HTTP no answer came, or a part of one: the connection could not
	// be made, or broke. The session goes on.
	Interrupted
)

// Error is a failed operation. Its text names the connection, says what
// happened and what to do, and has no secret in it.
type Error struct {
	Connection string // its id
	Operation  string // "tools/call search"; empty if it is about the session alone
	Reason     Reason
	Cause      error
	Exit       string   // how the process ended: "exit status 3"; empty if it did not, or there is none
	Stderr     []string // its last lines
	Sent       Sent
	Code       int64  // of Refused
	Generation uint64 // of the session; 0 if there was none
	Status     int    // of Rejected, and of NotStarted where it is why
	// RetryAfter is how long the server asks to wait; 0: it does not say.
	RetryAfter time.Duration
	// Noise says, of Cancelled and Quiet, what the server printed on stdout meanwhile that is no
	// message, which may have been meant as the answer: a sentence, redacted. "": nothing.
	Noise string

	body string // redacted sentences
}

// Error returns full sentences.
func (e *Error) Error() string {
	subject := "connection " + e.Connection
	// A session that does not begin is no matter of the operation that waits for it.
	if e.Operation != "" && e.Reason != NotStarted {
		subject += ", " + e.Operation
	}
	return subject + ": " + e.body
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Answered reports whether the server answered, which is never in doubt. The status
// of a gateway that had no answer is none.
func (e *Error) Answered() bool {
	return e.Reason == Refused || e.Reason == Malformed || e.Reason == TooLarge || e.Reason == Unanswered || e.Reason == Rejected && e.Sent != SentMaybe
}

// errEnded is the cause of operations that a session no longer took: nothing of
// them was started, and the pool opens another session for them.
var errEnded = errors.New("the session has ended")

// ErrEnded reports whether err says that the session no longer took the
// operation, so that another session may have it.
func ErrEnded(err error) bool { return errors.Is(err, errEnded) }

// describe sets what e says: what happened, and advice, which may be empty, each
// in full sentences.
func (e *Error) describe(redact func(string) string, what, advice string) *Error {
	var b strings.Builder
	b.WriteString(redact(what))
	if advice != "" {
		b.WriteString(" ")
		b.WriteString(strings.TrimLeft(advice, " "))
	}
	if len(e.Stderr) > 0 {
		if !strings.HasSuffix(advice, "\n") {
			b.WriteString(" ")
		}
		b.WriteString("The last lines of its stderr:")
		for _, line := range e.Stderr {
			b.WriteString("\n    ")
			b.WriteString(line)
		}
	}
	e.body = strings.TrimRight(b.String(), "\n")
	return e
}

// ending returns a sentence on how the server ended, and what it printed that was no message.
func ending(end connection.End) string {
	if errors.Is(end.Cause, connection.ErrClosed) {
		return "The session was closed." + noise(end)
	}
	if errors.Is(end.Cause, connection.ErrForgotten) || errors.Is(end.Cause, connection.ErrStreamEnded) {
		return "The session was lost: " + end.Cause.Error() + "."
	}
	return "The server ended" + how(end) + "." + noise(end)
}

// how says how a server ended: " with exit status 1".
func how(end connection.End) string {
	switch {
	case end.Exit == "":
		return ": " + end.Cause.Error()
	case errors.Is(end.Cause, connection.ErrExited):
		return " with " + end.Exit
	}
	return " with " + end.Exit + ": " + end.Cause.Error()
}

func noise(end connection.End) string {
	if end.Noise == 0 {
		return ""
	}
	return " " + printed("It", end.Noise, end.FirstNoise)
}

// printed says what the server, called who, printed that was no message; "" of no lines.
func printed(who string, lines int, first string) string {
	switch lines {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s printed a line on stdout that is no MCP message: %q.", who, first)
	}
	return fmt.Sprintf("%s printed %d lines on stdout that are no MCP messages, the first: %q.", who, lines, first)
}

// beside is the error of an operation beside which the server printed what is no message.
type beside struct {
	error
	noise string // a sentence
}

func (e *beside) Unwrap() error { return e.error }

// named returns err as the error of op, of which nothing was sent.
func named(op *operation, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.of(op.name, SentNo)
	}
	return err
}

// of returns the error of a session as that of one of its operations.
func (e *Error) of(operation string, sent Sent) *Error {
	own := *e
	own.Operation, own.Sent = operation, sent
	return &own
}

// NotOpened returns the error of an operation that got no session: why, in full
// sentences.
func NotOpened(connection string, reason Reason, cause error, why string) *Error {
	return &Error{Connection: connection, Reason: reason, Cause: cause, body: why}
}

// overHTTP makes e the error of a request that got no MCP answer over HTTP.
func (e *Error) overHTTP(redact func(string) string, f *connection.Failure) *Error {
	e.Cause, e.Sent, e.Status, e.RetryAfter = f, f.Sent, f.Status, f.RetryAfter
	return e.describe(redact, f.What, f.Advice)
}

// reasons are the reasons of the failures of HTTP.
var reasons = map[connection.FailureKind]Reason{
	connection.Rejected: Rejected, connection.Unanswered: Interrupted, connection.Garbled: Malformed,
}

// closedError is the error of operations on a session that we close.
func (s *Session) closedError() *Error {
	e := &Error{Connection: s.cfg.Connection.ID, Reason: Lost, Cause: connection.ErrClosed, Generation: s.cfg.Generation}
	return e.describe(s.cfg.redact, "The session was closed before it was done.", "")
}

// lostBy is the error of a session whose server ended. It waits for that.
func (s *Session) lostBy(c *Client) *Error {
	end := c.channel.End()
	e := &Error{Connection: s.cfg.Connection.ID, Reason: Lost, Cause: end.Cause, Exit: end.Exit, Stderr: end.Stderr, Generation: s.cfg.Generation}
	advice := ""
	if s.cfg.Private {
		advice = "The session was private to the run, and its state is gone: it is not replaced."
	}
	return e.describe(s.cfg.redact, ending(end), advice)
}
