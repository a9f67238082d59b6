package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// bench is a session with the test server. Its end checks that nothing is left.
type bench struct {
	*testing.T
	*Session
	starts, log string // files of the server
}

// open opens a session with a server of the older era; change may alter it.
func open(t *testing.T, change func(*Config), flags ...string) *bench {
	t.Helper()
	files := servertest.OpenFiles(t)
	dir := t.TempDir()
	b := &bench{T: t, starts: filepath.Join(dir, "starts"), log: filepath.Join(dir, "log")}
	cfg := Config{
		Connection: connection.Connection{
			ID:              "test.main",
			Stdio:           &connection.Stdio{Command: servertest.Path(t), Args: append([]string{"-starts", b.starts, "-log", b.log}, flags...), Dir: dir},
			ProtocolVersion: "2025-11-25",
		},
		ClientInfo: &mcp.Implementation{Name: "test", Version: "1"},
		Generation: 1,
	}
	if change != nil {
		change(&cfg)
	}
	b.Session = Open(cfg)
	t.Cleanup(func() {
		b.Close()
		<-b.Ended()
		servertest.CheckGoroutines(t)
		if now := servertest.OpenFiles(t); now > files {
			t.Errorf("%d files are open, %d before", now, files)
		}
		servertest.CheckStarts(t, b.starts, len(servertest.Lines(t, b.starts)))
	})
	return b
}

func (b *bench) call(tool, args string) (json.RawMessage, error) {
	return b.CallTool(b.Context(), Call{Tool: tool, Args: json.RawMessage(args)})
}

func (b *bench) must(tool, args string) string {
	b.Helper()
	raw, err := b.call(tool, args)
	if err != nil {
		b.Fatal(err)
	}
	return string(raw)
}

func failure(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got the error %v, want a *Error", err)
	}
	return e
}

// begun returns a Started that tells when the call's turn has come.
func begun() (started func(uint64) error, wait func()) {
	ch := make(chan struct{})
	return func(uint64) error { close(ch); return nil }, func() { <-ch }
}

func TestDeathFailsEverythingQueued(t *testing.T) {
	queued := make(chan struct{})
	b := open(t, func(cfg *Config) {
		cfg.queued = func(n int) {
			if n == 100 {
				close(queued)
			}
		}
	})
	began, running := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := b.CallTool(t.Context(), Call{Tool: "crash", Args: json.RawMessage(`{"code":3}`),
			Started: func(uint64) error { close(began); <-queued; return nil }})
		running <- err
	}()
	<-began
	errs := make(chan error, 100)
	for range 100 {
		go func() {
			_, err := b.call("counter", "{}")
			errs <- err
		}()
	}
	e := failure(t, <-running)
	if e.Reason != Lost || e.Sent != SentMaybe || e.Exit != "exit status 3" || e.Generation != 1 {
		t.Errorf("the call that crashed it: reason %d, sent %s, exit %q", e.Reason, e.Sent, e.Exit)
	}
	if n := len(e.Stderr); n != 20 || e.Stderr[0] != "at frame 12" || e.Stderr[n-1] != "panic: out of cheese" {
		t.Errorf("the last lines of stderr: %q", e.Stderr)
	}
	for range 100 {
		e := failure(t, <-errs)
		if e.Reason != Lost || e.Sent != SentNo || e.Exit != "exit status 3" || len(e.Stderr) != 20 {
			t.Fatalf("a queued call: reason %d, sent %s, exit %q: %v", e.Reason, e.Sent, e.Exit, e)
		}
		if want := "connection test.main, tools/call counter: The server ended with exit status 3. The last lines of its stderr:\n    at frame 12\n"; !strings.HasPrefix(e.Error(), want) {
			t.Fatalf("a queued call: %v", e)
		}
	}
	if e := failure(t, b.Err()); e.Exit != "exit status 3" {
		t.Errorf("the session ended with %v", e)
	}
}

func TestReadsOverlapAndOthersRunAlone(t *testing.T) {
	b := open(t, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { // each answers only when all eight have come
			if _, err := b.CallTool(t.Context(), Call{Tool: "meet", Args: json.RawMessage(`{"n":8}`), ReadOnly: true}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestMoreReadsThanMaxInFlightWait(t *testing.T) {
	b := open(t, func(cfg *Config) { cfg.Connection.MaxInFlight = 2 })
	inFlight, most := 0, 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			err := b.do(t.Context(), "test", true, nil, func(context.Context, *Client) error {
				mu.Lock()
				inFlight++
				most = max(most, inFlight)
				mu.Unlock()
				mu.Lock()
				inFlight--
				mu.Unlock()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most > 2 {
		t.Errorf("%d operations were in flight at once, want 2 at most", most)
	}
}

func TestOperationsStartInTheOrderOfSubmission(t *testing.T) {
	for _, c := range []struct {
		name        string
		maxInFlight int
		readOnly    bool
	}{
		{"one at a time", 1, true},
		{"writes", 8, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			wait := make(chan int, 1)
			b := open(t, func(cfg *Config) {
				cfg.Connection.MaxInFlight = c.maxInFlight
				cfg.queued = func(n int) { wait <- n }
			})
			started, running := begun()
			finish := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				_, err := b.CallTool(t.Context(), Call{Tool: "counter", Started: func(g uint64) error {
					_ = started(g)
					<-finish
					return nil
				}})
				if err != nil {
					t.Error(err)
				}
			})
			<-wait
			running()
			for i := range 20 {
				wg.Go(func() {
					_, err := b.CallTool(t.Context(), Call{Tool: "echo", Args: json.RawMessage(fmt.Sprintf(`{"value":%d}`, i)), ReadOnly: c.readOnly})
					if err != nil {
						t.Error(err)
					}
				})
				<-wait
			}
			close(finish)
			wg.Wait()
			var calls []string
			for _, line := range servertest.Lines(t, b.log) {
				if n, ok := strings.CutPrefix(line, `call echo {"value":`); ok {
					calls = append(calls, strings.TrimSuffix(n, "}\n"))
				}
			}
			if got, want := strings.Join(calls, " "), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"; got != want {
				t.Errorf("the server got %s", got)
			}
		})
	}
}

func TestWriteWaitsForReadsAndIsWaitedFor(t *testing.T) {
	b := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	started, running := begun()
	read := make(chan error, 1)
	go func() {
		_, err := b.CallTool(ctx, Call{Tool: "wait", ReadOnly: true, Started: started})
		read <- err
	}()
	running()
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err := b.CallTool(short, Call{Tool: "counter"})
	if e := failure(t, err); e.Reason != Cancelled || e.Sent != SentNo {
		t.Errorf("a write beside a read: %v", err)
	}
	cancel()
	<-read
	if got := b.must("counter", "{}"); !strings.Contains(got, `"count":1`) {
		t.Errorf("the first write that ran: %s", got)
	}
}

func TestCancelledCallLeavesTheOthers(t *testing.T) {
	b := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled, running := begun()
	one := make(chan error, 1)
	go func() {
		_, err := b.CallTool(ctx, Call{Tool: "wait", ReadOnly: true, Started: cancelled})
		one <- err
	}()
	running()
	other := make(chan error, 1)
	go func() {
		_, err := b.CallTool(t.Context(), Call{Tool: "meet", Args: json.RawMessage(`{"n":2}`), ReadOnly: true})
		other <- err
	}()
	cancel()
	e := failure(t, <-one)
	if e.Reason != Cancelled || !errors.Is(e, context.Canceled) {
		t.Errorf("the cancelled call: %v", e)
	}
	if _, err := b.CallTool(t.Context(), Call{Tool: "meet", Args: json.RawMessage(`{"n":2}`), ReadOnly: true}); err != nil {
		t.Errorf("a later call: %v", err)
	}
	if err := <-other; err != nil {
		t.Errorf("the other call: %v", err)
	}
	b.must("counter", "{}")
	if sent := e.Sent == SentMaybe; sent != slices.Contains(servertest.Lines(t, b.log), "cancelled wait\n") {
		t.Errorf("sent = %s, and the server got\n%s", e.Sent, strings.Join(servertest.Lines(t, b.log), ""))
	}
}

// What the server printed in place of an answer is why there was none.
func TestACallThatIsGivenUpNamesTheLinesThatWereNoMessages(t *testing.T) {
	for name, line := range map[string]string{
		"no JSON":             `{"jsonrpc":"2.0","id":3,"result":{"content":[}}`,
		"of another protocol": `{"jsonrpc":"1.0","id":3,"result":{"content":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			b := open(t, func(cfg *Config) {
				cfg.Stderr = func(line string) {
					if strings.HasPrefix(line, "(on stdout") {
						cancel()
					}
				}
			})
			args, err := json.Marshal(map[string]string{"message": line})
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.CallTool(ctx, Call{Tool: "mumble", Args: args})
			e := failure(t, err)
			want := fmt.Sprintf("The server printed a line on stdout that is no MCP message: %q.", line)
			if e.Reason != Cancelled || e.Noise != want || !strings.HasSuffix(e.Error(), ": context canceled. Whether the server received it is not known. "+want) {
				t.Errorf("got %v\nand %s\nwant %s", e, e.Noise, want)
			}
		})
	}
}

func TestALaterCallIsNotToldOfEarlierLines(t *testing.T) {
	b := open(t, nil, "-noise")
	b.must("counter", "{}")
	ctx, cancel := context.WithCancel(t.Context())
	started, running := begun()
	lost := make(chan error, 1)
	go func() {
		_, err := b.CallTool(ctx, Call{Tool: "wait", Started: started})
		lost <- err
	}()
	running()
	cancel()
	if e := failure(t, <-lost); e.Noise != "" {
		t.Errorf("it is told %s", e.Noise)
	}
}

func TestCallCancelledBeforeItsTurnIsNotSent(t *testing.T) {
	b := open(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the run was cancelled"))
	_, err := b.CallTool(ctx, Call{Tool: "counter"})
	e := failure(t, err)
	if e.Reason != Cancelled || e.Sent != SentNo || !strings.Contains(e.Error(), "nothing was sent: the run was cancelled.") {
		t.Errorf("got %v", err)
	}
	if got := b.must("counter", "{}"); !strings.Contains(got, `"count":1`) {
		t.Errorf("the next call: %s", got)
	}
}

func TestCallerOfAStuckServerReturnsAtOnce(t *testing.T) {
	b := open(t, func(cfg *Config) { cfg.Connection.Timeouts.Close = 50 * time.Millisecond })
	b.must("deaf", "{}")
	big, err := json.Marshal(map[string]string{"value": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		begin := time.Now()
		_, err := b.CallTool(ctx, Call{Tool: "echo", Args: big, ReadOnly: true})
		cancel()
		e := failure(t, err)
		if want := []Sent{SentMaybe, SentNo}[i]; e.Reason != Cancelled || e.Sent != want {
			t.Errorf("call %d: reason %d, sent %s, want %s", i, e.Reason, e.Sent, want)
		}
		if d := time.Since(begin); d > 30*time.Second {
			t.Errorf("call %d took %s", i, d)
		}
	}
}

func TestStartedMayDeclineTheCall(t *testing.T) {
	b := open(t, nil)
	cause := errors.New("the journal is closed")
	_, err := b.CallTool(t.Context(), Call{Tool: "counter", Started: func(g uint64) error {
		if g != 1 {
			t.Errorf("generation %d", g)
		}
		return cause
	}})
	e := failure(t, err)
	if e.Reason != Declined || e.Sent != SentNo || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if got := b.must("counter", "{}"); !strings.Contains(got, `"count":1`) {
		t.Errorf("the next call: %s", got)
	}
}

func TestProgressComesInOrderAndBeforeTheAnswer(t *testing.T) {
	b := open(t, nil)
	var got []string
	_, err := b.CallTool(t.Context(), Call{Tool: "progress", Args: json.RawMessage(`{"n":100}`), Progress: func(p Progress) {
		got = append(got, p.Message)
		if p.Total != 100 || int(p.Progress) != len(got) {
			t.Errorf("message %d: %v", len(got), p)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 100 || got[99] != "part 100" {
		t.Errorf("%d messages had come when the call returned", len(got))
	}
}

func TestProgressProvesThatTheRequestWasReceived(t *testing.T) {
	b := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.CallTool(ctx, Call{Tool: "report", Progress: func(Progress) { cancel() }})
	if e := failure(t, err); e.Reason != Cancelled || e.Sent != SentYes {
		t.Errorf("reason %d, sent %s", e.Reason, e.Sent)
	}
}

func TestServerErrors(t *testing.T) {
	b := open(t, nil)
	_, err := b.call("error", `{"code":-32602,"message":"no such argument"}`)
	e := failure(t, err)
	if want := "connection test.main, tools/call error: The server refused it: no such argument (code -32602)."; e.Error() != want {
		t.Errorf("got %v, want %s", e, want)
	}
	if e.Reason != Refused || e.Code != -32602 || e.Sent != SentYes || !e.Answered() {
		t.Errorf("reason %d, code %d, sent %s", e.Reason, e.Code, e.Sent)
	}
	// An error that names no request fails those in flight, and the session goes on.
	_, err = b.call("null-error", `{}`)
	if e := failure(t, err); e.Reason != Refused || e.Code != -32700 {
		t.Errorf("an error without an id: %v", err)
	}
	b.must("counter", "{}")
}

func TestValuesPassUnchanged(t *testing.T) {
	b := open(t, nil)
	for _, value := range []string{
		`9007199254740993`, `1.50`, `-0`, `1e400`, `123456789012345678901234567890.123456789`,
		`"e\u0301"`, "\"e\u0301\"", "\"\ufeffBOM\"", `"a\r\nb"`, `"<b>&</b>"`, "\"\u2028\"", `"\ud83d\ude00"`, `"\ud83d"`,
		`{"b":1,"a":{"z":[],"y":null}}`, `[1,[2,[3]]]`, `""`,
	} {
		if got, want := b.must("echo", `{"value":`+value+`}`), `{"content":[],"structuredContent":{"value":`+value+`}}`; got != want {
			t.Errorf("%s came back as %s", value, got)
		}
	}
}

func TestLargeAnswers(t *testing.T) {
	b := open(t, nil)
	for _, n := range []int{70 << 10, 5 << 20, 20 << 20} {
		raw := b.must("big", fmt.Sprintf(`{"n":%d}`, n))
		if len(raw) != n+len(`{"content":[{"type":"text","text":""}]}`) {
			t.Errorf("%d bytes came as %d", n, len(raw))
		}
	}
}

func TestOddButLivingServers(t *testing.T) {
	for _, flags := range [][]string{
		{"-noise"}, {"-bom"}, {"-indent"}, {"-twice"}, {"-string-ids"}, {"-noise", "-bom", "-indent", "-string-ids"},
	} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			b := open(t, nil, flags...)
			for i := 1; i <= 3; i++ {
				if got := b.must("counter", "{}"); !strings.Contains(got, fmt.Sprintf(`%d`, i)) {
					t.Errorf("call %d: %s", i, got)
				}
			}
		})
	}
}

func TestEnvironmentIsMinimal(t *testing.T) {
	t.Setenv("WFC_TEST_SECRET_OF_OURS", "x")
	t.Setenv("USER", "ada")
	b := open(t, func(cfg *Config) { cfg.Connection.Stdio.Env = map[string]string{"GIVEN": "a b"} })
	var r struct {
		Structured struct {
			Env []string `json:"env"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal([]byte(b.must("env", "{}")), &r); err != nil {
		t.Fatal(err)
	}
	for _, pair := range r.Structured.Env {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains([]string{"GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}, name) {
			t.Errorf("the server got %s", pair)
		}
	}
	for _, want := range []string{"GIVEN=a b", "USER=ada"} {
		if !slices.Contains(r.Structured.Env, want) {
			t.Errorf("the server did not get %s", want)
		}
	}
}

func TestSecretsAreNotInErrors(t *testing.T) {
	var shown []string
	var mu sync.Mutex
	b := open(t, func(cfg *Config) {
		cfg.Connection.Redact = []string{"hunter2hunter2", "pin"}
		cfg.Stderr = func(line string) {
			mu.Lock()
			defer mu.Unlock()
			shown = append(shown, line)
		}
	})
	_, err := b.call("error", `{"code":-1,"message":"bad token hunter2hunter2, pin pin, spinning"}`)
	e := failure(t, err)
	if want := "bad token [redacted], [redacted] [redacted], spinning"; !strings.Contains(e.Error(), want) || strings.Contains(e.Cause.Error(), "hunter2") {
		t.Errorf("got %v (%v)", e, e.Cause)
	}
	b.must("stderr", `{"n":1,"message":"aHVudGVyMmh1bnRlcjI="}`)
	_, err = b.call("crash", `{"code":1}`)
	if e := failure(t, err); strings.Contains(e.Error(), "aHVudGVy") {
		t.Errorf("got %v", e)
	}
	<-b.Ended()
	if !slices.Contains(shown, "line 1 [redacted]=") {
		t.Errorf("shown: %q", shown)
	}
}
