package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// bench is a pool with a target on the test server. Its end checks that
// nothing is left of it.
type bench struct {
	*testing.T
	pool   *Pool
	target Target
	starts string // where the server records its starts
	log    string // where it records what it gets

	mu     sync.Mutex
	events []Event
}

func newBench(t *testing.T, flags ...string) *bench {
	t.Helper()
	files := servertest.OpenFiles(t)
	dir := t.TempDir()
	b := &bench{T: t, starts: filepath.Join(dir, "starts"), log: filepath.Join(dir, "log")}
	b.pool = New(Options{Log: b.note})
	b.target = Target{Connection: connection.Connection{
		ID:              "test.main",
		Stdio:           &connection.Stdio{Command: servertest.Path(t), Args: append([]string{"-starts", b.starts, "-log", b.log}, flags...), Dir: dir},
		ProtocolVersion: "2025-11-25",
	}}
	t.Cleanup(func() {
		if err := b.pool.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		servertest.CheckGoroutines(t)
		if now := servertest.OpenFiles(t); now > files {
			t.Errorf("%d files are open, %d before", now, files)
		}
		servertest.CheckStarts(t, b.starts, len(servertest.Lines(t, b.starts)))
	})
	return b
}

func (b *bench) note(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

// call calls a tool that does not only read.
func (b *bench) call(tool, args string) (*content.Result, error) {
	return b.pool.CallTool(b.Context(), b.target, session.Call{Tool: tool, Args: json.RawMessage(args)})
}

func (b *bench) must(tool, args string) *content.Result {
	b.Helper()
	r, err := b.call(tool, args)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// fail calls a tool that must fail, and returns how.
func (b *bench) fail(tool, args string) *session.Error {
	b.Helper()
	_, err := b.call(tool, args)
	return b.failure(err)
}

func (b *bench) failure(err error) *session.Error {
	b.Helper()
	var e *session.Error
	if !errors.As(err, &e) {
		b.Fatalf("got the error %v, want a *session.Error", err)
	}
	return e
}

func (b *bench) wantStarts(n int) {
	b.Helper()
	if got := len(servertest.Lines(b, b.starts)); got != n {
		b.Errorf("%d processes were started, want %d", got, n)
	}
}

func structured(r *content.Result) string {
	if r.Structured == nil {
		return ""
	}
	return string(value.AppendJSON(nil, *r.Structured))
}

func TestSessionStateLastsOverCalls(t *testing.T) {
	b := newBench(t)
	for i := 1; i <= 3; i++ {
		r := b.must("counter", "{}")
		if want := fmt.Sprintf(`{"count":%d}`, i); structured(r) != want {
			t.Errorf("call %d: %s, want %s", i, structured(r), want)
		}
		if r.Generation != 1 {
			t.Errorf("call %d: generation %d, want 1", i, r.Generation)
		}
	}
	b.wantStarts(1)
}

func TestConcurrentFirstUsesOpenOneSession(t *testing.T) {
	b := newBench(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := b.call("counter", "{}"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := structured(b.must("counter", "{}")); got != `{"count":21}` {
		t.Errorf("after 20 calls: %s", got)
	}
	b.wantStarts(1)
}

func TestChangedConnectionGetsANewSession(t *testing.T) {
	b := newBench(t)
	b.must("counter", "{}")

	same := *b.target.Connection.Stdio
	b.target.Connection.Stdio = &same
	if got := structured(b.must("counter", "{}")); got != `{"count":2}` {
		t.Errorf("an equal connection: %s, want the same session", got)
	}

	env := same
	env.Env = map[string]string{"A": "1"}
	b.target.Connection.Stdio = &env
	r := b.must("counter", "{}")
	if structured(r) != `{"count":1}` || r.Generation != 2 {
		t.Errorf("with another environment: %s in generation %d, want a new session", structured(r), r.Generation)
	}

	args := env
	args.Args = append(append([]string(nil), env.Args...), "-bom")
	b.target.Connection.Stdio = &args
	r = b.must("counter", "{}")
	if structured(r) != `{"count":1}` || r.Generation != 3 {
		t.Errorf("with another argument: %s in generation %d, want a new session", structured(r), r.Generation)
	}
	b.wantStarts(3)
}

func TestChangedConnectionLetsTheOldSessionFinish(t *testing.T) {
	b := newBench(t)
	old := b.target
	running, finish, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := b.pool.CallTool(t.Context(), old, session.Call{Tool: "counter", Started: func(uint64) error {
			close(running)
			<-finish
			return nil
		}})
		done <- err
	}()
	<-running
	changed := *old.Connection.Stdio
	changed.Env = map[string]string{"A": "1"}
	b.target.Connection.Stdio = &changed
	if r := b.must("counter", "{}"); r.Generation != 2 {
		t.Errorf("the changed connection has generation %d, want 2", r.Generation)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Errorf("the call in the old session: %v", err)
	}
	b.wantStarts(2)
}

func TestScopesHaveSessionsOfTheirOwn(t *testing.T) {
	b := newBench(t)
	b.must("counter", "{}")
	b.target.Scope = "run-1"
	if got := structured(b.must("counter", "{}")); got != `{"count":1}` {
		t.Errorf("in a scope of its own: %s", got)
	}
	b.pool.Release("run-1")
	b.target.Scope = ""
	if got := structured(b.must("counter", "{}")); got != `{"count":2}` {
		t.Errorf("in the shared scope: %s", got)
	}
	b.wantStarts(2)
}

func TestLostPrivateSessionIsNotReplaced(t *testing.T) {
	b := newBench(t)
	b.target.Scope = "run-1"
	b.must("counter", "{}")
	b.fail("crash", `{"code":3}`)
	if e := b.fail("counter", "{}"); e.Reason != session.Lost || e.Exit != "exit status 3" {
		t.Errorf("the next call: %v", e)
	}
	b.wantStarts(1)
}

func TestCrashedServerIsReplacedAtTheNextUse(t *testing.T) {
	b := newBench(t)
	b.must("counter", "{}")
	e := b.fail("crash", `{"code":3}`)
	if e.Reason != session.Lost || e.Sent != session.SentMaybe || e.Exit != "exit status 3" {
		t.Errorf("the call that crashed it: reason %d, sent %s, exit %q", e.Reason, e.Sent, e.Exit)
	}
	r := b.must("counter", "{}")
	if structured(r) != `{"count":1}` || r.Generation != 2 {
		t.Errorf("the next call: %s in generation %d", structured(r), r.Generation)
	}
	b.wantStarts(2)
}

func TestFailedStartIsNotCached(t *testing.T) {
	b := newBench(t)
	good := b.target.Connection.Stdio
	bad := *good
	bad.Command = "npxx"
	b.target.Connection.Stdio = &bad
	e := b.fail("counter", "{}")
	want := `connection test.main: The command "npxx" was not found in any folder of PATH. Install it, or write its full path in stdio { command }.`
	if e.Error() != want || e.Reason != session.NotStarted || e.Sent != session.SentNo {
		t.Errorf("got  %v\nwant %s", e, want)
	}
	for range 10 { // nothing is started, so nothing is waited for
		b.fail("counter", "{}")
	}
	if d := b.pool.slots[slotKey{id: "test.main"}].delay(); d != 0 {
		t.Errorf("the next start is delayed by %s", d)
	}
	b.target.Connection.Stdio = good
	b.must("counter", "{}")
}

func TestWarmedSessionIsUsed(t *testing.T) {
	b := newBench(t)
	b.pool.Warm(b.target)
	b.must("counter", "{}")
	b.wantStarts(1)
}

func TestFailureOfAWarmedSessionSurfacesAtTheFirstUse(t *testing.T) {
	b := newBench(t, "-exit", "3")
	lost := make(chan struct{})
	b.pool.options.Log = func(Event) { close(lost) }
	b.pool.Warm(b.target)
	<-lost
	if e := b.fail("counter", "{}"); e.Exit != "exit status 3" {
		t.Errorf("got %v", e)
	}
	b.wantStarts(1)
	b.pool.options.Log = nil
	b.fail("counter", "{}")
	b.wantStarts(2)
}

func TestServerThatKeepsDyingIsStartedLessAndLess(t *testing.T) {
	s := &slot{}
	var delays []time.Duration
	for s.deaths = range 12 {
		delays = append(delays, s.delay())
	}
	want := "[0s 0s 100ms 200ms 400ms 800ms 1.6s 3.2s 6.4s 10s 10s 10s]"
	if got := fmt.Sprint(delays); got != want {
		t.Errorf("delays %s, want %s", got, want)
	}
}

func TestDelayBeforeARestartEndsWithTheCaller(t *testing.T) {
	b := newBench(t, "-exit", "1")
	for range 3 {
		b.fail("counter", "{}")
		b.pool.wait.Wait() // else the next call may be told of the same end
	}
	b.pool.mu.Lock()
	b.pool.slots[slotKey{id: "test.main"}].deaths = 20
	b.pool.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := b.pool.CallTool(ctx, b.target, session.Call{Tool: "counter"})
	if e := b.failure(err); e.Reason != session.Cancelled || e.Sent != session.SentNo || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	b.wantStarts(3)
}

func TestCloseDuringCalls(t *testing.T) {
	b := newBench(t)
	errs := make(chan error, 10)
	var started sync.WaitGroup
	for range 5 {
		started.Add(1)
		go func() {
			_, err := b.pool.CallTool(t.Context(), b.target, session.Call{Tool: "wait", ReadOnly: true,
				Started: func(uint64) error { started.Done(); return nil }})
			errs <- err
		}()
	}
	started.Wait()
	if err := b.pool.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range 5 {
		e := b.failure(<-errs)
		if e.Reason != session.Lost || !errors.Is(e, connection.ErrClosed) {
			t.Errorf("a call in flight: %v", e)
		}
	}
	if _, err := b.call("counter", "{}"); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
}

func TestCloseIsBoundedByItsContext(t *testing.T) {
	b := newBench(t, "-stubborn")
	b.target.Connection.Timeouts.Close = time.Hour
	b.must("counter", "{}")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := b.pool.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
}

func TestStubbornServerIsKilledAfterTheCloseTimeout(t *testing.T) {
	b := newBench(t, "-stubborn")
	b.target.Connection.Timeouts.Close = 50 * time.Millisecond
	b.must("counter", "{}")
}

func TestEventsTellTheLifeOfASession(t *testing.T) {
	b := newBench(t)
	b.must("counter", "{}")
	b.fail("crash", `{"code":3}`)
	b.must("counter", "{}")
	if err := b.pool.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range b.events {
		got = append(got, fmt.Sprintf("%s %d", e.Kind, e.Generation))
	}
	for _, want := range []string{"opened 1", "lost 1", "opened 2", "closed 2"} {
		if !strings.Contains(strings.Join(got, ", "), want) {
			t.Errorf("events %q lack %q", got, want)
		}
	}
}
