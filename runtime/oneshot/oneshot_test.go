package oneshot

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// server returns a connection to a test server. At the end of t it must have been
// started so often, and nothing of it may be left.
func server(t *testing.T, starts int, flags ...string) connection.Connection {
	t.Helper()
	dir, files := t.TempDir(), servertest.OpenFiles(t)
	record := filepath.Join(dir, "starts")
	t.Cleanup(func() {
		servertest.CheckStarts(t, record, starts)
		servertest.CheckGoroutines(t)
		if now := servertest.OpenFiles(t); now > files {
			t.Errorf("%d files are open, %d before", now, files)
		}
	})
	return connection.Connection{
		ID:              "test.main",
		ProtocolVersion: "2025-11-25",
		Stdio:           &connection.Stdio{Command: servertest.Path(t), Args: append([]string{"-starts", record}, flags...), Dir: dir},
	}
}

func TestEachHasASessionOfItsOwn(t *testing.T) {
	c := server(t, 2)
	for range 2 {
		r, err := CallTool(t.Context(), c, Options{}, session.Call{Tool: "counter"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Text != "1" || r.Generation != 1 {
			t.Errorf("text %q, generation %d", r.Text, r.Generation)
		}
	}
}

func TestInvokeIsExact(t *testing.T) {
	raw, err := Invoke(t.Context(), server(t, 1), Options{}, "x/mirror", json.RawMessage(`{"n":1.50,"big":9007199254740993}`))
	if err != nil || string(raw) != `{"n":1.50,"big":9007199254740993}` {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestSnapshot(t *testing.T) {
	s, err := Snapshot(t.Context(), server(t, 1, "-fail-lists", "prompts"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Connection != "test.main" || len(s.Tools) != 3 || len(s.Errors) != 1 {
		t.Errorf("%s: %d tools, errors %v", s.Connection, len(s.Tools), s.Errors)
	}
}

func TestTheTimeoutIsOfTheOneThing(t *testing.T) {
	c := server(t, 1)
	_, err := CallTool(t.Context(), c, Options{Timeout: 50 * time.Millisecond}, session.Call{Tool: "wait"})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.Cancelled || e.Sent == session.SentNo {
		t.Fatalf("got %v", err)
	}
	if want := "connection test.main, tools/call wait: It was given up before the answer came (sent: maybe): it took longer than 50ms."; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestWhoGivesUpWaitsForTheServerToEndAndNoLonger(t *testing.T) {
	c := server(t, 1, "-stubborn")
	c.Timeouts.Close = 100 * time.Millisecond
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("interrupted")
	_, err := CallTool(ctx, c, Options{}, session.Call{Tool: "wait", Started: func(uint64) error { cancel(gaveUp); return nil }})
	if !errors.Is(err, gaveUp) {
		t.Errorf("got %v", err)
	}
}

func TestServerThatDoesNotComeUp(t *testing.T) {
	_, err := CallTool(t.Context(), server(t, 1, "-exit", "3"), Options{}, session.Call{Tool: "counter"})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.NotStarted || e.Exit != "exit status 3" {
		t.Errorf("got %v", err)
	}
}

func TestServerThatDiesDuringTheCall(t *testing.T) {
	_, err := CallTool(t.Context(), server(t, 1), Options{}, session.Call{Tool: "crash", Args: json.RawMessage(`{"code":4}`)})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.Lost || e.Exit != "exit status 4" || e.Sent != session.SentMaybe {
		t.Errorf("got %v", err)
	}
}

func TestAnswerThatIsNone(t *testing.T) {
	_, err := CallTool(t.Context(), server(t, 1), Options{}, session.Call{Tool: "raw", Args: json.RawMessage(`{"result":{"isError":"true"}}`)})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.Malformed {
		t.Errorf("got %v", err)
	}
}
