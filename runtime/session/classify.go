package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// classify turns what came of an operation into an *Error.
func (s *Session) classify(ctx context.Context, c *Client, label string, sent Sent, err error) error {
	if err == nil {
		return nil
	}
	failed := s.classified(ctx, c, label, sent, err)
	if e := (*Error)(nil); errors.As(failed, &e) && len(e.Stderr) == 0 {
		switch told := remarks(err); {
		case told == "":
		case e.Reason == Unanswered:
			e.body = told[1:] // which says what it asked for, too
		default:
			e.body += told
		}
	}
	return failed
}

func (s *Session) classified(ctx context.Context, c *Client, label string, sent Sent, err error) error {
	e := &Error{Connection: s.cfg.Connection.ID, Operation: label, Cause: err, Sent: sent, Generation: s.cfg.Generation}
	if f := (*connection.Failure)(nil); errors.As(err, &f) {
		e.Reason = reasons[f.Kind]
		return e.overHTTP(s.cfg.redact, f)
	}
	if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) {
		e.Reason, e.Code, e.Sent = Refused, wire.Code, SentYes
		message := abridged(s.cfg.redact(wire.Message))
		e.Cause = &jsonrpc.Error{Code: wire.Code, Message: message}
		if wire.Code == connection.CodeTooLarge {
			e.Reason = TooLarge
			return e.describe(s.cfg.redact, message, "Ask the tool for less at once.")
		}
		return e.describe(s.cfg.redact, fmt.Sprintf("The server refused it: %s (code %d).", message, wire.Code), "")
	}
	if r := (*refusal)(nil); errors.As(err, &r) && ctx.Err() == nil {
		e.Reason, e.Sent = Unanswered, SentYes
		return e.describe(s.cfg.redact, "The server asked for input before it would answer, and was refused: "+r.text, "")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, mcp.ErrConnectionClosed) {
		// The session ends; in a moment it is known how, or the owner cancels ctx.
		select {
		case <-c.channel.Done():
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if lost := (*Error)(nil); errors.As(cause, &lost) { // the owner cancelled it
			return lost.of(label, sent)
		}
		e.Reason, e.Cause = Cancelled, cause
		if b := (*beside)(nil); errors.As(err, &b) {
			e.Noise = s.cfg.redact(b.noise)
		}
		if q := (*quiet)(nil); errors.As(cause, &q) {
			e.Reason = Quiet
			return e.describe(s.cfg.redact, fmt.Sprintf("It had no answer and no progress message for %s and was cancelled. %s", q.d, received[sent]), e.Noise)
		}
		return e.describe(s.cfg.redact, fmt.Sprintf("It was given up before the answer came: %s. %s", cause, received[sent]), e.Noise)
	}
	select {
	case <-c.channel.Done():
		return s.lostBy(c).of(label, sent)
	default:
	}
	e.Reason = Malformed
	return e.describe(s.cfg.redact, fmt.Sprintf("The answer is not as MCP says: %s.", plainly(err)), "")
}

// maxMessage is what is kept of the message of an error, in bytes: it is for people,
// in a terminal or a journal, and servers put whole documents there.
const maxMessage = 4 << 10

// abridged returns the beginning of a message without secrets.
func abridged(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return fmt.Sprintf("%s … (%d bytes in all)", strings.ToValidUTF8(message[:maxMessage], ""), len(message))
}

// plainly says what is wrong with an answer, without the names of our types.
func plainly(err error) string {
	var other *json.UnmarshalTypeError
	if !errors.As(err, &other) {
		return err.Error()
	}
	if other.Field == "" {
		return "the result has a wrong type"
	}
	return other.Field + " has a wrong type"
}

// received says whether the server has a request that was given up: sentences.
var received = [...]string{
	SentNo:    "Nothing was sent.",
	SentMaybe: "Whether the server received it is not known.",
	SentYes:   "The server had received it.",
}
