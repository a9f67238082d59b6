// Package oneshot reaches a source without a pool: a connection opens, does one
// thing, and closes, and nothing of it is left when a function here returns.
//
// Its central function is [Do]. Of wfc it imports the other runtime packages but
// the pool, and lang.
package oneshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/discover"
	"github.com/lda-wf/wfc/runtime/session"
)

// Options of one session. The zero value is usable.
type Options struct {
	// Session is what the session is made of beside its connection. Its Connection
	// is ignored, its Generation is 1 if it is 0, and without a ClientInfo servers
	// are told of wfc without a version.
	Session session.Config
	// Timeout is how long the one thing may take once the session is up; zero: no
	// limit. Connecting has its own limit, which is the connection's.
	Timeout time.Duration
}

// Do opens a session of c, waits until it is up, has one thing done with it, and
// closes it. It returns when no process and no goroutine of the session is left,
// which after the end of ctx takes the connection's close timeout at most. The
// error is a *[session.Error] of the session's, or what do returned.
func Do[R any](ctx context.Context, c connection.Connection, o Options, do func(context.Context, *session.Session) (R, error)) (R, error) {
	cfg := o.Session
	cfg.Connection = c
	if cfg.ClientInfo == nil {
		cfg.ClientInfo = &mcp.Implementation{Name: "wfc", Version: "0"}
	}
	cfg.Generation = max(cfg.Generation, 1)
	s := session.Open(cfg)
	defer func() {
		s.Close()
		<-s.Ended()
	}()
	var none R
	if _, err := s.Server(ctx); err != nil {
		return none, ended(s, err)
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("it took longer than %s", o.Timeout))
		defer cancel()
	}
	r, err := do(ctx, s)
	if err != nil {
		return none, ended(s, err)
	}
	return r, nil
}

// ended returns why the session ended where err only says that it had.
func ended(s *session.Session, err error) error {
	if !session.ErrEnded(err) {
		return err
	}
	if why := s.Err(); why != nil {
		return why
	}
	return errors.New("the session ended before it was used")
}

// CallTool calls a tool.
func CallTool(ctx context.Context, c connection.Connection, o Options, call session.Call) (*content.Result, error) {
	return result(ctx, c, o, "tools/call "+call.Tool, content.ParseCall, func(ctx context.Context, s *session.Session) (json.RawMessage, error) {
		return s.CallTool(ctx, call)
	})
}

// ReadResource reads a resource.
func ReadResource(ctx context.Context, c connection.Connection, o Options, uri string) (*content.Result, error) {
	return result(ctx, c, o, "resources/read "+uri, content.ParseRead, func(ctx context.Context, s *session.Session) (json.RawMessage, error) {
		return s.ReadResource(ctx, uri)
	})
}

// GetPrompt gets a prompt.
func GetPrompt(ctx context.Context, c connection.Connection, o Options, name string, args map[string]string) (*content.Result, error) {
	return result(ctx, c, o, "prompts/get "+name, content.ParsePrompt, func(ctx context.Context, s *session.Session) (json.RawMessage, error) {
		return s.GetPrompt(ctx, name, args)
	})
}

// result is [Do] for an operation whose raw result parse reads.
func result(ctx context.Context, c connection.Connection, o Options, label string, parse func([]byte) (*content.Result, error),
	do func(context.Context, *session.Session) (json.RawMessage, error)) (*content.Result, error) {
	return Do(ctx, c, o, func(ctx context.Context, s *session.Session) (*content.Result, error) {
		raw, err := do(ctx, s)
		if err != nil {
			return nil, err
		}
		r, err := parse(raw)
		if err != nil {
			return nil, s.Malformed(label, err)
		}
		r.Generation = s.Generation()
		return r, nil
	})
}

// Invoke sends a request of any method, and returns its result as it came. See
// [session.Session.Invoke].
func Invoke(ctx context.Context, c connection.Connection, o Options, method string, params json.RawMessage) (json.RawMessage, error) {
	return Do(ctx, c, o, func(ctx context.Context, s *session.Session) (json.RawMessage, error) {
		return s.Invoke(ctx, method, params)
	})
}

// Snapshot lists what the server offers. See [discover.Of].
func Snapshot(ctx context.Context, c connection.Connection, o Options) (*catalog.Snapshot, error) {
	return Do(ctx, c, o, func(ctx context.Context, s *session.Session) (*catalog.Snapshot, error) {
		return discover.Of(ctx, c.ID, s)
	})
}
