package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tap keeps the connection that a transport gives, since the SDK's session sends no
// notifications but its own.
type tap struct {
	mcp.Transport
	connection mcp.Connection
}

// Connect implements mcp.Transport.
func (t *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	var err error
	t.connection, err = t.Transport.Connect(ctx)
	return t.connection, err
}

// Notifiable returns an error, a clause, if method is no notification, which
// [Session.Notify] could send.
func Notifiable(method string) error {
	if name, ok := strings.CutPrefix(method, "notifications/"); ok && name != "" {
		return nil
	}
	return fmt.Errorf("%q is no notification: their names begin with notifications/", method)
}

// Notify submits a notification of any kind, which no server answers. params is a JSON
// object, or nil for none. It returns when the notification has been written.
func (s *Session) Notify(ctx context.Context, method string, params json.RawMessage) error {
	_, err := s.request(ctx, method, Call{}, func(ctx context.Context, c *Client, _ Call) (json.RawMessage, Sent, error) {
		return nil, SentMaybe, c.Notify(ctx, method, params)
	})
	return err
}

// Notify sends a notification.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	if err := Notifiable(method); err != nil {
		return err
	}
	return c.tapped.Write(ctx, &jsonrpc.Request{Method: method, Params: params})
}
