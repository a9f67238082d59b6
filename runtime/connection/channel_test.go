package connection

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// channel returns a channel over a pipe inside this process, and the server's end of it.
func channel(t *testing.T) (*pipeChannel, net.Conn) {
	t.Helper()
	server, client := net.Pipe()
	c, err := Stream("test.main", "x", func() (io.ReadWriteCloser, error) { return client, nil }).Open(Sinks{})
	if err != nil {
		t.Fatal(err)
	}
	return c.(*pipeChannel), server
}

func request(t *testing.T, id int64, method string) *jsonrpc.Request {
	t.Helper()
	n, err := jsonrpc.MakeID(float64(id))
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Request{ID: n, Method: method, Params: json.RawMessage(`{}`)}
}

func TestServerThatDoesNotReadIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := channel(t)
		defer server.Close()
		first, second := c.Begin(nil), c.Begin(nil)
		for id, x := range []*Exchange{first, second} {
			if err := c.Write(x.Context(t.Context()), request(t, int64(id+1), "tools/call")); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now()
		if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("Read: %v", err)
		}
		if d := time.Since(begin); d < stuckWrite || d > 2*stuckWrite {
			t.Errorf("it was killed after %s", d)
		}
		if got := c.End().Cause.Error(); got != "it did not read its input for 10s and was killed" {
			t.Errorf("cause: %s", got)
		}
		// The pipe has no buffer: no byte of either left.
		if first.Sent() != SentNo || second.Sent() != SentNo {
			t.Errorf("sent %s and %s", first.Sent(), second.Sent())
		}
	})
}

func TestCancelGoesOutOnceAndInOrder(t *testing.T) {
	c, server := channel(t)
	x := c.Begin(nil)
	if err := c.Write(x.Context(t.Context()), request(t, 7, "tools/call")); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(server)
	lines.Scan() // the request has left
	c.Finish(x, "no \"patience\"")
	// What the SDK sends later for the same request is dropped.
	if err := c.Write(t.Context(), &jsonrpc.Request{Method: "notifications/cancelled", Params: json.RawMessage(`{"requestId":7}`)}); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(t.Context(), request(t, 8, "ping")); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for lines.Scan() {
		got = append(got, lines.Text())
	}
	want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"no \"patience\""}}
{"jsonrpc":"2.0","id":8,"method":"ping","params":{}}`
	if strings.Join(got, "\n") != want {
		t.Errorf("the server got\n%s", strings.Join(got, "\n"))
	}
	end(t, c)
}

// end lets c end and checks that nothing is left of it.
func end(t *testing.T, c *pipeChannel) {
	t.Helper()
	c.Kill(ErrClosed)
	if _, err := c.Read(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("Read: %v", err)
	}
	<-c.Done()
	servertest.CheckGoroutines(t)
}

func TestCloseCancelsWhatIsInFlight(t *testing.T) {
	c, server := channel(t)
	x := c.Begin(nil)
	if err := c.Write(x.Context(t.Context()), request(t, 7, "tools/call")); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(server)
	lines.Scan()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	lines.Scan()
	if got := lines.Text(); !strings.Contains(got, `"requestId":7`) {
		t.Errorf("the server got %q", got)
	}
	if err := c.Write(t.Context(), request(t, 8, "ping")); !errors.Is(err, ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	end(t, c)
}

func TestAnswerOverTheLimitFailsItsRequestOnly(t *testing.T) {
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":2,"result":"%s"}`,
		`{"result":"%s","jsonrpc":"2.0","id":2}`,
		`{"result":"%s","id":2,"jsonrpc":"2.0"}`,
	} {
		t.Run(answer, func(t *testing.T) {
			c, server := channel(t)
			c.frames.limit = 50_000
			go func() {
				lines := bufio.NewScanner(server)
				for range 2 {
					lines.Scan()
				}
				fmt.Fprintf(server, answer+"\n", strings.Repeat("x", 200_000))
				fmt.Fprintln(server, message(1))
			}()
			for id := range int64(2) {
				if err := c.Write(c.Begin(nil).Context(t.Context()), request(t, id+1, "tools/call")); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range []struct {
				id   int64
				code int64
			}{{2, CodeTooLarge}, {1, 0}} {
				msg, err := c.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				r := msg.(*jsonrpc.Response)
				var e *jsonrpc.Error
				if r.ID.Raw() != want.id || errors.As(r.Error, &e) != (want.code != 0) || e != nil && e.Code != want.code {
					t.Errorf("got the answer to %v with the error %v", r.ID.Raw(), r.Error)
				}
			}
			end(t, c)
		})
	}
}

func TestResultsStayRaw(t *testing.T) {
	c, server := channel(t)
	x := c.Begin(nil)
	go func() {
		bufio.NewScanner(server).Scan()
		fmt.Fprintln(server, `{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993,  "x":1.50}}`)
	}()
	if err := c.Write(x.Context(t.Context()), request(t, 1, "tools/call")); err != nil {
		t.Fatal(err)
	}
	msg, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r := msg.(*jsonrpc.Response); r.Error != ErrAnswered || r.Result != nil {
		t.Errorf("the SDK gets %s, %v", r.Result, r.Error)
	}
	if got := string(x.Result()); got != `{"n":9007199254740993,  "x":1.50}` {
		t.Errorf("the raw result is %s", got)
	}
	end(t, c)
}

// Libraries that write every member of a message, or every number as a float.
func TestAnswersAsOtherLibrariesWriteThem(t *testing.T) {
	for name, line := range map[string]string{
		"no error is null":    `{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}`,
		"all members":         `{"jsonrpc":"2.0","id":1,"method":null,"params":null,"result":{"a":1},"error":null}`,
		"the id is a text":    `{"jsonrpc":"2.0","id":"1","result":{"a":1}}`,
		"the id is a float":   `{"jsonrpc":"2.0","id":1.0,"result":{"a":1}}`,
		"behind a null of id": `{"jsonrpc":"2.0","id":null,"method":"notifications/progress","params":{"progressToken":1.0}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, server := channel(t)
			progress := 0
			x := c.Begin(func(Progress) { progress++ })
			go func() {
				bufio.NewScanner(server).Scan()
				fmt.Fprintln(server, line)
			}()
			if err := c.Write(x.Context(t.Context()), request(t, 1, "tools/call")); err != nil {
				t.Fatal(err)
			}
			msg, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := msg.(*jsonrpc.Response); !ok || r.Error != ErrAnswered || string(x.Result()) != `{"a":1}` {
				t.Errorf("got %+v, result %s", msg, x.Result())
			}
			if want := strings.Count(line, "notifications"); progress != want {
				t.Errorf("%d progress messages, want %d", progress, want)
			}
			end(t, c)
		})
	}
}

func TestLateAndUnknownAnswersAreDropped(t *testing.T) {
	c, server := channel(t)
	go func() {
		fmt.Fprintln(server, message(99))
		fmt.Fprintln(server, `{"jsonrpc":"2.0","id":"abc","result":{}}`)
		fmt.Fprintln(server, `{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	}()
	msg, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := msg.(*jsonrpc.Request); !ok || r.Method != "ping" {
		t.Errorf("got %v", msg)
	}
	end(t, c)
}

func TestUnconnectedChannelIsFreed(t *testing.T) {
	c, err := Connection{ID: "test.main", Stdio: &Stdio{Command: servertest.Path(t), Dir: t.TempDir()}}.Open(Sinks{})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if got := c.End(); got.Exit != "exit status 0" || !errors.Is(got.Cause, ErrClosed) {
		t.Errorf("it ended with %+v", got)
	}
	servertest.CheckGoroutines(t)
}
