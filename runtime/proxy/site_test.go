package proxy_test

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy"
)

const (
	older = "2025-11-25"
	newer = "2026-07-28"
)

// site is a place where clients find a server: directly, or behind the proxy.
type site struct {
	name string
	dial func() mcp.Transport
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// upstreamOf returns a connection to the test server over a transport, "stdio" or "http".
func upstreamOf(t testing.TB, id, transport string, stateless bool) connection.Connection {
	c := connection.Connection{ID: id}
	if transport == "http" {
		c.HTTP = &connection.HTTP{URL: serveHTTP(t, stateless)}
		return c
	}
	c.Stdio = &connection.Stdio{Command: self(t), Env: map[string]string{asServer: "1"}}
	return c
}

// direct returns the site of the server itself.
func direct(t testing.TB, transport, era string) site {
	if transport == "http" {
		url := serveHTTP(t, era == newer)
		return site{"direct " + transport, func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }}
	}
	return site{"direct " + transport, func() mcp.Transport {
		cmd := exec.Command(self(t))
		cmd.Env = append(os.Environ(), asServer+"=1")
		return &mcp.CommandTransport{Command: cmd}
	}}
}

// behind returns the site of a proxy of the sources, over a transport.
func behind(t testing.TB, transport string, o proxy.Options) site {
	if transport == "http" {
		url, _ := serve(t, o)
		return site{"proxied " + transport, func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }}
	}
	return site{"proxied " + transport, func() mcp.Transport {
		p := newProxy(t, o)
		fromClient, toProxy := io.Pipe()
		fromProxy, toClient := io.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer toClient.Close()
			_ = p.ServeStdio(context.Background(), fromClient, toClient)
		}()
		t.Cleanup(func() {
			toProxy.Close()
			fromProxy.Close()
			<-ended
		})
		return &mcp.IOTransport{Reader: fromProxy, Writer: toProxy}
	}}
}

func newProxy(t testing.TB, o proxy.Options) *proxy.Proxy {
	t.Helper()
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// serve serves a proxy over HTTP.
func serve(t testing.TB, o proxy.Options) (string, *proxy.Proxy) {
	p := newProxy(t, o)
	s := httptest.NewServer(p.Handler())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL, p
}

// visitor is a client at a site, and what it was told.
type visitor struct {
	*mcp.ClientSession
	client     *mcp.Client
	told       chan string
	subscribed chan struct{} // one for each acknowledged subscription
}

// enter connects a client of an era to a site.
func enter(t testing.TB, s site, era string) (*visitor, error) {
	t.Helper()
	v := &visitor{told: make(chan string, 100), subscribed: make(chan struct{}, 100)}
	tell := func(text string) { v.told <- text }
	client := mcp.NewClient(&mcp.Implementation{Name: "visitor", Version: "7"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if r.Params.Message != "Who are you?" {
				return nil, errors.New("asked something else")
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			text := r.Params.Messages[0].Content.(*mcp.TextContent).Text
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: text + " world"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { tell("tools changed") },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { tell("updated " + r.Params.URI) },
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			data, _ := json.Marshal(r.Params.Data)
			tell(string(r.Params.Level) + " " + string(data))
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			tell("progress " + r.Params.Message)
		},
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				v.subscribed <- struct{}{}
			}
			return next(ctx, method, r)
		}
	})
	client.AddRoots(&mcp.Root{URI: "file:///root", Name: "root"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	session, err := client.Connect(ctx, s.dial(), &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { session.Close() })
	v.ClientSession, v.client = session, client
	return v, nil
}

// hear waits until the client is told something, whatever else it hears before.
func (v *visitor) hear(ctx context.Context, want string) error {
	var heard []string
	for {
		select {
		case got := <-v.told:
			if got == want {
				return nil
			}
			heard = append(heard, got)
		case <-ctx.Done():
			return errors.New("not told " + want + "; heard: " + strings.Join(heard, ", "))
		}
	}
}

// listening waits until the client is told of lists that change: one of 2026-07-28
// subscribes to that, and does not wait by itself.
func (v *visitor) listening(ctx context.Context, era string) error {
	if era != newer {
		return nil
	}
	select {
	case <-v.subscribed:
		return nil
	case <-ctx.Done():
		return errors.New("the subscription is not acknowledged")
	}
}

// call calls a tool and returns the text of its result.
func (v *visitor) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	p := &mcp.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("token of " + tool)
	r, err := v.CallTool(ctx, p)
	if err != nil {
		return "", err
	}
	return textOf(r), nil
}

func textOf(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	if r.IsError {
		all = slices.Insert(all, 0, "error:")
	}
	return strings.Join(all, " ")
}
