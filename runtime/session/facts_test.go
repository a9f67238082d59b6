//go:build unix

package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// What real servers do, each against a process. What else there is of this kind
// stands beside what it concerns.

func TestALateAnswerToACancelledCallIsDropped(t *testing.T) {
	b := open(t, nil)
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		started, running := begun()
		over := make(chan error, 1)
		go func() {
			_, err := b.CallTool(ctx, Call{Tool: "late", Started: started})
			over <- err
		}()
		running()
		cancel()
		if e := failure(t, <-over); e.Reason != Cancelled {
			t.Fatalf("got %v", e)
		}
		if got := b.must("echo", `{"value":1}`); got != `{"content":[],"structuredContent":{"value":1}}` {
			t.Fatalf("the next call: %s", got)
		}
	}
}

// notifications/cancelled follows the caller's return: it must not be lost when the
// session is closed in the same instant.
func TestACancellationLeavesBeforeTheSessionCloses(t *testing.T) {
	b := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := b.CallTool(ctx, Call{Tool: "report", Progress: func(Progress) { cancel() }})
		over <- err
	}()
	failure(t, <-over)
	b.Close()
	<-b.Ended()
	if log := servertest.Lines(t, b.log); !slices.Contains(log, "cancelled report\n") {
		t.Errorf("the server got\n%s", strings.Join(log, ""))
	}
}

// Many clients and servers extend a call's time only by progress, and send that only
// to whoever gave a token.
func TestEveryRequestCarriesAProgressToken(t *testing.T) {
	for _, era := range []string{legacyVersion, modernVersion} {
		t.Run(era, func(t *testing.T) {
			b := open(t, func(cfg *Config) { cfg.Connection.Protocol = era }, "-probe", "answer", "-strict")
			if era == modernVersion { // the handshake has no token
				b = open(t, func(cfg *Config) { cfg.Connection.Protocol = era }, "-probe", "answer")
			}
			for name, do := range map[string]func() error{
				"a call":       func() error { _, err := b.call("counter", "{}"); return err },
				"a resource":   func() error { _, err := b.ReadResource(t.Context(), Read{URI: "test://a"}); return err },
				"a prompt":     func() error { _, err := b.GetPrompt(t.Context(), Get{Prompt: "ask"}); return err },
				"a completion": func() error { _, err := b.Complete(t.Context(), Completion{Prompt: "ask", Argument: "q"}); return err },
				"a ping":       func() error { return b.Ping(t.Context()) },
				"tools":        func() error { _, err := b.ListTools(t.Context(), ""); return err },
				"resources":    func() error { _, err := b.ListResources(t.Context(), ""); return err },
				"templates":    func() error { _, err := b.ListResourceTemplates(t.Context(), ""); return err },
				"prompts":      func() error { _, err := b.ListPrompts(t.Context(), ""); return err },
			} {
				if err := do(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func TestStderrIsShownWhileTheServerConnects(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "install")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	shown := make(chan string, 10)
	b := open(t, func(cfg *Config) { cfg.Stderr = func(line string) { shown <- line } }, "-greet", "-install", fifo)
	if line := <-shown; line != "testserver: installing" {
		t.Errorf("shown is %q", line)
	}
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // now it goes on
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	b.must("counter", "{}")
}

func TestStderrNeverBlocksTheServer(t *testing.T) {
	b := open(t, nil)
	b.must("stderr", fmt.Sprintf(`{"n":20000,"message":%q}`, strings.Repeat("x", 100)))
	b.must("counter", "{}")
}

func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	b := open(t, nil)
	if _, err := b.CallTool(t.Context(), Call{Tool: "counter"}); err != nil {
		t.Fatal(err)
	}
	if log := servertest.Lines(t, b.log); !slices.Contains(log, "call counter {}\n") {
		t.Errorf("the server got\n%s", strings.Join(log, ""))
	}
}

func TestAnAnswerOverTheLimitFailsItsCallOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves 65 MiB")
	}
	b := open(t, nil)
	b.must("counter", "{}")
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := b.CallTool(t.Context(), Call{Tool: "big", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, 65<<20)), ReadOnly: true})
		e := failure(t, err)
		if want := "connection test.main, tools/call big: The answer is larger than 64 MiB. Ask the tool for less at once."; e.Reason != TooLarge || e.Error() != want {
			t.Errorf("got  %v\nwant %s", e, want)
		}
	})
	wg.Go(func() {
		if _, err := b.CallTool(t.Context(), Call{Tool: "echo", Args: json.RawMessage(`{"value":1}`), ReadOnly: true}); err != nil {
			t.Errorf("a call beside it: %v", err)
		}
	})
	wg.Wait()
	if got := b.must("counter", "{}"); !strings.Contains(got, `"count":2`) {
		t.Errorf("the next call: %s", got)
	}
}

// Whether a call that got no answer was executed is unknown, so nothing repeats it.
func TestNothingIsSentTwice(t *testing.T) {
	b := open(t, nil)
	_, err := b.call("crash", `{"code":3}`)
	if e := failure(t, err); e.Sent != SentMaybe || e.Answered() {
		t.Errorf("sent %s", e.Sent)
	}
	if _, err := b.call("crash", `{"code":3}`); !errors.Is(err, errEnded) {
		t.Errorf("a call after the end: %v", err)
	}
	if log := strings.Join(servertest.Lines(t, b.log), ""); strings.Count(log, "call crash") != 1 {
		t.Errorf("the server got\n%s", log)
	}
	servertest.CheckStarts(t, b.starts, 1)
}

// A server that could not read a request does not know whose it was.
func TestAnErrorForNobodyFailsAllThatIsInFlight(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "waiting")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	waiting, err := os.OpenFile(fifo, os.O_RDWR, 0) // so that it has no end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { waiting.Close() })
	b := open(t, nil, "-waiting", fifo)
	over := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := b.CallTool(t.Context(), Call{Tool: "wait", ReadOnly: true})
			over <- err
		}()
	}
	for lines, n := bufio.NewScanner(waiting), 0; n < 3 && lines.Scan(); n++ {
	}
	_, err = b.CallTool(t.Context(), Call{Tool: "null-error", ReadOnly: true})
	for range 3 {
		if e := failure(t, <-over); e.Reason != Refused || e.Code != -32700 {
			t.Errorf("a call in flight: %v", e)
		}
	}
	if e := failure(t, err); e.Reason != Refused || e.Code != -32700 {
		t.Errorf("the call: %v", e)
	}
	b.must("counter", "{}")
}

// The SDK's Close waits for handlers, and a person may take hours.
func TestClosingEndsTheQuestionOfAServer(t *testing.T) {
	eras(t, func(t *testing.T, b *bench) {
		asked := make(chan struct{})
		over := make(chan error, 1)
		go func() {
			_, err := b.CallTool(callback.With(t.Context(), callback.Handlers{Answerer: answers(func(ctx context.Context, _ callback.Question) (callback.Answer, error) {
				close(asked)
				<-ctx.Done()
				return callback.Answer{}, ctx.Err()
			})}), Call{Tool: "confirm"})
			over <- err
		}()
		<-asked
		begin := time.Now()
		b.Close()
		if e := failure(t, <-over); e.Reason != Lost {
			t.Errorf("got %v", e)
		}
		<-b.Ended()
		if d := time.Since(begin); d > 30*time.Second {
			t.Errorf("closing took %s", d)
		}
	})
}
