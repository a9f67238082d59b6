package connection

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Channel is a live channel to one server. As an mcp.Transport it serves one
// mcp.Client.Connect. All methods are safe for concurrent use, and none but
// [Channel.End] waits for the server.
type Channel interface {
	mcp.Transport
	// Begin registers an operation. progress, which may be nil, is called in wire
	// order on a reading goroutine, before a later answer is seen: it must not block.
	// Every Begin needs a Finish.
	Begin(progress func(Progress)) *Exchange
	// Finish ends an operation. A request of it that has no answer is cancelled on
	// the wire, with the reason given.
	Finish(x *Exchange, reason string)
	// Close begins to close the channel and returns at once: what does not end
	// within the close timeout is cut off. See Done. The error is nil.
	Close() error
	// Kill ends the channel now. The first cause of a channel's end counts.
	Kill(cause error)
	// Done is closed once the channel has ended and everything of it is freed.
	Done() <-chan struct{}
	// End returns how the channel ended. It waits for Done.
	End() End
}

// Sinks receive what a channel has to show while it lives. Each may be nil.
type Sinks struct {
	// Stderr gets each line of the server's stderr, redacted, and a remark for the
	// first noise on stdout. It is called on the draining goroutines.
	Stderr func(line string)
	// Logged gets the parameters of each log message of the server, in wire order on
	// a reading goroutine: it must not block. x is the operation that the message
	// belongs to, nil where it cannot be told to be of exactly one.
	Logged func(x *Exchange, params json.RawMessage)
	// Asked gets each request of the server for an answer of a person, a completion,
	// or the roots, likewise. It returns a key, which the SDK's receiving middleware
	// finds in [QuestionMeta]. Without it the SDK is handed such requests whole.
	Asked func(x *Exchange, method string, params json.RawMessage) (key int64)
	// Listen opens, over HTTP, the stream on which a server before 2026-07-28 says what
	// belongs to no request, such as that a list has changed. No session needs it, and
	// nothing that befalls it ends one.
	Listen bool
}

// Open opens a channel to the server of c, which starts a process where c has
// one. The error is a [Problem] without the connection's name. What is opened is
// freed by [Channel.Close].
func (c Connection) Open(sinks Sinks) (Channel, error) {
	switch {
	case c.dial != nil:
		return opened(c.openStream(sinks))
	case c.Stdio != nil:
		return opened(c.openStdio(sinks))
	case c.HTTP != nil:
		return opened(c.openHTTP(c.HTTP, false, sinks))
	case c.SSE != nil:
		return opened(c.openHTTP(c.SSE, true, sinks))
	}
	return nil, Problem("It has no transport. Give it a stdio, http or sse block.")
}

// opened keeps a nil channel from becoming an interface that is not nil.
func opened[C Channel](c C, err error) (Channel, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Unread reports whether what was sent on c is known to lie in the pipe still: the
// server has not begun to read.
func Unread(c Channel) bool {
	u, ok := c.(interface{ unread() bool })
	return ok && u.unread()
}

// Problem is an error in full sentences, which say what to do.
type Problem string

func (p Problem) Error() string { return string(p) }

func problemf(format string, args ...any) Problem { return Problem(fmt.Sprintf(format, args...)) }
