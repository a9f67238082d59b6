// Package client talks to a server of wfc: it calls the methods of runner/rpc/protocol
// and follows the events of runs.
//
// Its central type is [Client]. Of wfc it imports runner/rpc/protocol and runner/rpc/jsonrpc.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// maxAnswer bounds an answer: a server is trusted with what it says, not with our memory.
const maxAnswer = 1 << 30

// Client is a client of one server. It may be used by several goroutines.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
	calls atomic.Int64
}

// Options of a client.
type Options struct {
	Token string       // a bearer token; "": none is shown
	HTTP  *http.Client // nil: one of the client's own
}

// New returns a client of the server at a URL such as http://127.0.0.1:8930. It
// connects to nothing yet.
func New(server string, o Options) (*Client, error) {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is no URL of a server: write http://HOST:PORT, or https://HOST", server)
	case u.User != nil:
		return nil, errors.New("the URL of the server has a user or a password in it; the server wants a token")
	case strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token has a space, a line break or another character that is in none; give it as it was printed")
	}
	u.Path, u.RawQuery, u.Fragment = strings.TrimSuffix(u.Path, "/"), "", ""
	c := &Client{base: u, token: o.Token, http: o.HTTP}
	if c.http == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64 // the default of 2 reconnects under load
		c.http = &http.Client{Transport: transport, CheckRedirect: noRedirect}
	}
	return c, nil
}

// noRedirect keeps the token from going where a server says.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Close closes the connections that nothing uses.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error is what a server answers in place of a result.
type Error struct {
	Code    int    // one of those of runner/rpc/protocol
	Message string // full sentences
	Data    json.RawMessage
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// UnreachableError says that no answer came.
type UnreachableError struct {
	Server string
	Cause  error
}

// Error says which server, and why.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the server %s does not answer: %v", e.Server, rootCause(e.Cause))
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// rootCause takes what is said already off an error of net/http.
func rootCause(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Call calls a method. The error is an *[Error] where the server answered with one, an
// *[UnreachableError] where it did not answer, or that of ctx.
func Call[P, R any](ctx context.Context, c *Client, m protocol.Method[P, R], params P) (R, error) {
	var out R
	raw, err := c.call(ctx, m.Name, params)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, fmt.Errorf("the answer of %s to %s cannot be read: %w", c.base.Host, m.Name, err)
	}
	return out, nil
}

func (c *Client) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := jsonrpc.ID(strconv.FormatInt(c.calls.Add(1), 10))
	body, err := jsonrpc.AppendRequest(nil, id, method, params)
	if err != nil {
		return nil, err
	}
	r, err := c.request(ctx, http.MethodPost, "/rpc", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	raw, err := jsonrpc.ReadResponse(text, id)
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		return nil, told(e)
	}
	if err != nil {
		return nil, c.strange(answer, err)
	}
	return raw, nil
}

func told(e *jsonrpc.Error) *Error {
	data, _ := e.Data.(json.RawMessage)
	return &Error{Code: e.Code, Message: e.Message, Data: data}
}

// strange says that what answered is no server of wfc.
func (c *Client) strange(answer *http.Response, err error) error {
	return fmt.Errorf("what answers at %s is no server of wfc (HTTP status %s): %w", c.base, answer.Status, err)
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, body)
	if err == nil && c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r, err
}

func (c *Client) do(r *http.Request) (*http.Response, error) {
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(r.Context(), err)
	}
	return answer, nil
}

func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &UnreachableError{c.base.String(), err}
}
