package pool

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/cmd/wfc/demoserver"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

// mortal is a target on a server whose n-th process, from 0, ends when it has lived
// for as long as lives says; begun are the times of its starts.
func mortal(t *testing.T, lives func(n int) time.Duration, begun *[]time.Time) Target {
	return Target{Connection: connection.Stream("demo.main", "", func() (io.ReadWriteCloser, error) {
		n := len(*begun)
		*begun = append(*begun, time.Now())
		server, client := net.Pipe()
		go func() {
			_ = demoserver.New().Run(t.Context(), &mcp.IOTransport{Reader: server, Writer: server})
		}()
		time.AfterFunc(lives(n), func() { server.Close() })
		return client, nil
	})}
}

func TestDelaysBeforeRestartsGrowAndBeginAnewAfterASteadySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const steadily = 14
		var begun []time.Time
		p := New(Options{})
		target := mortal(t, func(n int) time.Duration {
			if n == steadily {
				return steady
			}
			return time.Millisecond
		}, &begun)
		for range steadily + 4 {
			if _, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(steady) // now it has ended
			synctest.Wait()
		}
		var delays []string
		for i := 1; i < len(begun); i++ {
			delays = append(delays, begun[i].Sub(begun[i-1].Add(steady)).String())
		}
		want := "0s 100ms 200ms 400ms 800ms 1.6s 3.2s 6.4s 10s 10s 10s 10s 10s 10s" + // the 15th is steady
			" 0s 0s 100ms"
		if got := strings.Join(delays, " "); got != want {
			t.Errorf("delays before the restarts\n%s, want\n%s", got, want)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestLostPrivateSessionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun []time.Time
		p := New(Options{})
		target := mortal(t, func(int) time.Duration { return time.Minute }, &begun)
		target.Scope = "run-1"
		if _, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			time.Sleep(time.Minute + time.Second)
			_, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"})
			var e *session.Error
			want := "connection demo.main: The server ended: it exited. The session was private to the run, and its state is gone: it is not replaced."
			if !errors.As(err, &e) || e.Reason != session.Lost || e.Sent != session.SentNo || e.Error() != want || e.Generation != 1 {
				t.Errorf("call %d: %v", i, err)
			}
		}
		// Another run is not concerned.
		target.Scope = "run-2"
		if r, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil || structured(r) != `{"count":1}` {
			t.Errorf("another run: %v", err)
		}
		if fmt.Sprint(len(begun)) != "2" {
			t.Errorf("%d servers were started", len(begun))
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A server that ended before it got a request has no state that could be lost.
func TestPrivateSessionThatWasNotUsedIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun []time.Time
		p := New(Options{})
		target := mortal(t, func(int) time.Duration { return time.Minute }, &begun)
		target.Scope = "run-1"
		if _, err := p.Server(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if r, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil || r.Generation != 2 {
			t.Errorf("got %v", err)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
