package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// raws returns a source that is the server of raw messages, with its flags.
func raws(t testing.TB, id string, flags ...string) proxy.Source {
	return proxy.Source{Connection: connection.Connection{ID: id, Stdio: &connection.Stdio{Command: servertest.Path(t), Args: flags, Dir: t.TempDir()}}}
}

// talk is a client on a pipe that says what a test wants it to.
type talk struct {
	t     testing.TB
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error // how ServeStdio ended
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{"listChanged":true},"odd":{}},"clientInfo":{"name":"talk","version":"1","extra":1.0}}}`

func talkTo(t testing.TB, o proxy.Options) *talk {
	t.Helper()
	p := newProxy(t, o)
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &talk{t: t, in: in, out: bufio.NewReaderSize(out, 1<<16), ended: make(chan error, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.ended <- p.ServeStdio(context.Background(), fromClient, toClient)
		toClient.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		out.Close()
		<-ended
	})
	return c
}

// greeted is talkTo with the handshake done.
func greeted(t testing.TB, o proxy.Options) *talk {
	t.Helper()
	c := talkTo(t, o)
	c.say(hello)
	c.hear()
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *talk) say(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *talk) hear() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// want hears a line that is as it is written.
func (c *talk) want(line string) {
	c.t.Helper()
	if got := c.hear(); got != line {
		c.t.Fatalf("got\n%s\nwant\n%s", got, line)
	}
}

// has hears a line with some texts in it.
func (c *talk) has(parts ...string) string {
	c.t.Helper()
	got := c.hear()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			c.t.Fatalf("got\n%s\nwithout %s", got, part)
		}
	}
	return got
}

// post sends one message over HTTP and returns the status, the session and the body.
func post(t testing.TB, url, session, body string, headers ...string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	return do(t, req)
}

func do(t testing.TB, req *http.Request) (int, string, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), string(text)
}
