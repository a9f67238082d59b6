package pool

import (
	"encoding/json"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/cmd/wfc/demoserver"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

// demo is a target on the demo server inside this process.
func demo(t *testing.T) Target {
	return Target{Connection: connection.Stream("demo.main", "", func() (io.ReadWriteCloser, error) {
		server, client := net.Pipe()
		go func() {
			_ = demoserver.New().Run(t.Context(), &mcp.IOTransport{Reader: server, Writer: server})
		}()
		return client, nil
	})}
}

func TestUnusedSessionCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed []uint64
		p := New(Options{Log: func(e Event) {
			if e.Kind == Closed {
				closed = append(closed, e.Generation)
			}
		}})
		target := demo(t)
		count := func() string {
			t.Helper()
			r, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"})
			if err != nil {
				t.Fatal(err)
			}
			return structured(r)
		}
		count()
		for range 3 { // each use begins the time anew
			time.Sleep(connection.DefaultIdle - time.Second)
			count()
		}
		if got := count(); got != `{"count":5}` {
			t.Errorf("in use: %s", got)
		}
		time.Sleep(connection.DefaultIdle + time.Minute)
		synctest.Wait()
		if len(closed) != 1 || closed[0] != 1 {
			t.Errorf("closed after the idle time: %v", closed)
		}
		if got := count(); got != `{"count":1}` {
			t.Errorf("after it was closed: %s", got)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestSessionWithACallInFlightIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		target := demo(t)
		target.Connection.Timeouts.Idle = time.Minute
		_, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter", Started: func(uint64) error {
			time.Sleep(time.Hour)
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestUseAtTheMomentOfTheIdleCloseSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		target := demo(t)
		target.Connection.Timeouts.Idle = time.Second
		for range 200 {
			if _, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second) // the timer fires now
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestExactValuesThroughTheDemoServer(t *testing.T) {
	p := New(Options{})
	target := demo(t)
	for _, v := range []string{`9007199254740993`, `1.50`, `-0`, `1e300`, `"e\u0301"`, "\"e\u0301 \ufeff\"", `"a\r\nb"`, `{"b":[1.0,null],"a":"<&>"}`} {
		r, err := p.CallTool(t.Context(), target, session.Call{Tool: "inspect", Args: json.RawMessage(`{"value":` + v + `}`), ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"value":` + v + `}`
		if v == `"e\u0301"` {
			want = "{\"value\":\"e\u0301\"}" // an escape and its character are one text
		}
		if structured(r) != want {
			t.Errorf("%s came back as %s", v, structured(r))
		}
	}
	r, err := p.ReadResource(t.Context(), target, session.Read{URI: "demo://tasks/2"})
	if err != nil || r.Text != `{"id":2,"title":"Book the room","done":true}` {
		t.Errorf("a resource: %v, %v", r, err)
	}
	r, err = p.GetPrompt(t.Context(), target, session.Get{Prompt: "summarise", Args: map[string]string{"topic": "tides"}})
	if err != nil || r.Text != "Summarise tides in three sentences." {
		t.Errorf("a prompt: %v, %v", r, err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
