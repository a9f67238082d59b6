// Package oneshot reaches a source without a pool: a connection opens, does one
// thing, and closes, and nothing of it is left then.
//
// Its central function is [Do]. Of wfc it imports lang and the other runtime
// packages but the pool.
package oneshot

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/discover"
	"github.com/lda-wf/wfc/runtime/session"
)

// Do opens a session, waits until it is up, has one thing done with it, and
// closes it. A cfg without a ClientInfo tells the server of wfc without a version,
// and the Generation is 1 if it is 0. Do returns when no process and no goroutine
// of the session is left, which after the end of ctx takes the connection's close
// timeout at most. The error is a *[session.Error] of the session's, or what do
// returned.
func Do[R any](ctx context.Context, cfg session.Config, do func(context.Context, Server) (R, error)) (R, error) {
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
	r, err := do(ctx, Server{s, cfg.Connection.ID})
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

// Server is a session that is up, for the one thing that [Do] has done. All its
// errors are *[session.Error].
type Server struct {
	session *session.Session
	id      string
}

// CallTool calls a tool.
func (s Server) CallTool(ctx context.Context, call session.Call) (*content.Result, error) {
	raw, err := s.session.CallTool(ctx, call)
	return s.parsed("tools/call "+call.Tool, raw, err, content.ParseCall)
}

// ReadResource reads a resource.
func (s Server) ReadResource(ctx context.Context, read session.Read) (*content.Result, error) {
	raw, err := s.session.ReadResource(ctx, read)
	return s.parsed("resources/read "+read.URI, raw, err, content.ParseRead)
}

// GetPrompt gets a prompt.
func (s Server) GetPrompt(ctx context.Context, get session.Get) (*content.Result, error) {
	raw, err := s.session.GetPrompt(ctx, get)
	return s.parsed("prompts/get "+get.Prompt, raw, err, content.ParsePrompt)
}

func (s Server) parsed(label string, raw json.RawMessage, err error, parse func([]byte) (*content.Result, error)) (*content.Result, error) {
	if err != nil {
		return nil, err
	}
	r, err := parse(raw)
	if err != nil {
		return nil, s.session.Malformed(label, err)
	}
	r.Generation = s.session.Generation()
	return r, nil
}

// Invoke sends a request of any method, and returns its result as it came. See
// [session.Session.Invoke].
func (s Server) Invoke(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return s.session.Invoke(ctx, method, params)
}

// Notify sends a notification of any kind. See [session.Session.Notify].
func (s Server) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return s.session.Notify(ctx, method, params)
}

// Snapshot lists what the server offers. See [discover.Of].
func (s Server) Snapshot(ctx context.Context) (*catalog.Snapshot, error) {
	return discover.Of(ctx, s.id, s.session)
}
