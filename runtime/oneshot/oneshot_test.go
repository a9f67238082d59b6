package oneshot

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// server is of a test server. At the end of t it must have been started so often,
// and nothing of it may be left.
func server(t *testing.T, starts int, flags ...string) session.Config {
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
	return session.Config{Connection: connection.Connection{
		ID:              "test.main",
		ProtocolVersion: "2025-11-25",
		Stdio:           &connection.Stdio{Command: servertest.Path(t), Args: append([]string{"-starts", record}, flags...), Dir: dir},
	}}
}

// call has Do call a tool.
func call(ctx context.Context, cfg session.Config, call session.Call) (*content.Result, error) {
	return Do(ctx, cfg, func(ctx context.Context, s Server) (*content.Result, error) { return s.CallTool(ctx, call) })
}

func TestEachHasASessionOfItsOwn(t *testing.T) {
	c := server(t, 2)
	for range 2 {
		r, err := call(t.Context(), c, session.Call{Tool: "counter"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Text != "1" || r.Generation != 1 {
			t.Errorf("text %q, generation %d", r.Text, r.Generation)
		}
	}
}

func TestInvokeIsExact(t *testing.T) {
	raw, err := Do(t.Context(), server(t, 1), func(ctx context.Context, s Server) (json.RawMessage, error) {
		return s.Invoke(ctx, "x/mirror", json.RawMessage(`{"n":1.50,"big":9007199254740993}`))
	})
	if err != nil || string(raw) != `{"n":1.50,"big":9007199254740993}` {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestSnapshot(t *testing.T) {
	s, err := Do(t.Context(), server(t, 1, "-fail-lists", "prompts"), func(ctx context.Context, s Server) (*catalog.Snapshot, error) {
		return s.Snapshot(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Connection != "test.main" || len(s.Tools) != 3 || len(s.Errors) != 1 {
		t.Errorf("%s: %d tools, errors %v", s.Connection, len(s.Tools), s.Errors)
	}
}

func TestWhoGivesUpWaitsForTheServerToEndAndNoLonger(t *testing.T) {
	c := server(t, 1, "-stubborn")
	c.Connection.Timeouts.Close = 100 * time.Millisecond
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("interrupted")
	_, err := call(ctx, c, session.Call{Tool: "wait", Started: func(uint64) error { cancel(gaveUp); return nil }})
	if !errors.Is(err, gaveUp) {
		t.Errorf("got %v", err)
	}
}

func TestServerThatDoesNotComeUp(t *testing.T) {
	_, err := call(t.Context(), server(t, 1, "-exit", "3"), session.Call{Tool: "counter"})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.NotStarted || e.Exit != "exit status 3" {
		t.Errorf("got %v", err)
	}
}

func TestServerThatDiesDuringTheCall(t *testing.T) {
	_, err := call(t.Context(), server(t, 1), session.Call{Tool: "crash", Args: json.RawMessage(`{"code":4}`)})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.Lost || e.Exit != "exit status 4" || e.Sent != session.SentMaybe {
		t.Errorf("got %v", err)
	}
}

func TestAnswerThatIsNone(t *testing.T) {
	_, err := call(t.Context(), server(t, 1), session.Call{Tool: "raw", Args: json.RawMessage(`{"result":{"isError":"true"}}`)})
	var e *session.Error
	if !errors.As(err, &e) || e.Reason != session.Malformed {
		t.Errorf("got %v", err)
	}
}
