//go:build unix

package pool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

// What users of other pools suffer, and ours must not.

// installing makes the server of b wait, before it reads anything, until finish is called.
func (b *bench) installing() (finish func()) {
	fifo := filepath.Join(b.TempDir(), "install")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		b.Fatal(err)
	}
	b.target.Connection.Stdio.Args = append(b.target.Connection.Stdio.Args, "-install", fifo)
	return func() {
		f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func TestTheFirstCallerThatGivesUpTakesNothingFromTheOthers(t *testing.T) {
	b := newBench(t)
	finish := b.installing()
	ctx, cancel := context.WithCancel(t.Context())
	queued := make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := b.pool.CallTool(ctx, b.target, session.Call{Tool: "counter", Queued: func() { close(queued) }})
		first <- err
	}()
	<-queued
	cancel()
	if e := b.failure(<-first); e.Reason != session.Cancelled || e.Sent != session.SentNo {
		t.Errorf("the first caller: %v", e)
	}
	finish()
	if got := structured(b.must("counter", "{}")); got != `{"count":1}` {
		t.Errorf("the second caller: %s", got)
	}
	b.wantStarts(1)
}

func TestASessionOutlivesTheRequestThatOpenedIt(t *testing.T) {
	b := newBench(t)
	for i := 1; i <= 3; i++ {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := b.pool.CallTool(ctx, b.target, session.Call{Tool: "counter"})
		cancel()
		if err != nil || structured(r) != fmt.Sprintf(`{"count":%d}`, i) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	b.wantStarts(1)
}

func TestConcurrentFirstUsesOfAServerThatNeverAnswersStartItOnce(t *testing.T) {
	b := newBench(t, "-silent")
	b.target.Connection.Timeouts.Connect = 3 * time.Second // all have come by then
	var queued, over sync.WaitGroup
	for range 20 {
		queued.Add(1)
		over.Go(func() {
			_, err := b.pool.CallTool(t.Context(), b.target, session.Call{Tool: "counter", Queued: queued.Done})
			if e := b.failure(err); e.Reason != session.NotStarted || !strings.Contains(e.Error(), "within 3s") {
				t.Errorf("got %v", e)
			}
		})
	}
	queued.Wait()
	over.Wait()
	b.wantStarts(1)
}

// A session that closes for want of use is awaited, since two servers with the same
// arguments may be in each other's way; but not longer than the caller has time.
func TestACallDuringTheTeardownKeepsItsDeadline(t *testing.T) {
	b := newBench(t, "-stubborn")
	b.target.Connection.Timeouts.Close = time.Hour
	b.must("counter", "{}")
	closing := b.pool.slots[slotKey{id: "test.main"}].session
	closing.Drain()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.pool.CallTool(ctx, b.target, session.Call{Tool: "counter"})
	if e := b.failure(err); e.Reason != session.Cancelled || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", e)
	}
	closing.Kill()
	b.target.Connection.Timeouts.Close = 50 * time.Millisecond
	if r := b.must("counter", "{}"); r.Generation != 2 {
		t.Errorf("a patient call: generation %d", r.Generation)
	}
}

func TestAResultThatIsNoneFailsItsCallOnly(t *testing.T) {
	b := newBench(t)
	b.must("counter", "{}")
	for name, result := range map[string]string{
		"content has no type":  `{"content":[{"text":"x"}]}`,
		"no base64":            `{"content":[{"type":"image","data":"?","mimeType":"image/png"}]}`,
		"isError is a string":  `{"content":[],"isError":"true"}`,
		"content is no list":   `{"content":{}}`,
		"it is no object":      `[]`,
		"structured is a list": `{"content":[],"structuredContent":[1]}`,
	} {
		_, err := b.call("raw", `{"result":`+result+`}`)
		var e *session.Error
		if name == "structured is a list" {
			if err != nil { // there are such servers, and nothing is lost by it
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.As(err, &e) || e.Reason != session.Malformed || !e.Answered() || !strings.HasPrefix(e.Error(), "connection test.main, tools/call raw: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := b.must("counter", "{}"); structured(r) != `{"count":2}` || r.Generation != 1 {
		t.Errorf("the next call: %s in generation %d", structured(r), r.Generation)
	}
}

func TestAServerOfTheNewerEraKeepsItsProcess(t *testing.T) {
	b := newBench(t, "-probe", "answer")
	b.target.Connection.ProtocolVersion = ""
	for i := 1; i <= 3; i++ {
		if got := structured(b.must("counter", "{}")); got != fmt.Sprintf(`{"count":%d}`, i) {
			t.Errorf("call %d: %s", i, got)
		}
	}
	b.wantStarts(1)
}

// A cancelled call is the server's to end, and kills neither it nor the others.
func TestCancellingOneCallKillsNothing(t *testing.T) {
	b := newBench(t)
	b.must("counter", "{}")
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := b.pool.CallTool(ctx, b.target, session.Call{Tool: "wait_write", Started: func(uint64) error { cancel(); return nil }})
		if e := b.failure(err); e.Reason != session.Cancelled {
			t.Errorf("got %v", e)
		}
	}
	if r := b.must("counter", "{}"); structured(r) != `{"count":2}` || r.Generation != 1 {
		t.Errorf("the next call: %s in generation %d", structured(r), r.Generation)
	}
	b.wantStarts(1)
}

// Users share servers, not sessions, where what they are differs.
func TestStateIsSharedOnlyByWhatIsTheSame(t *testing.T) {
	b := newBench(t)
	as := func(user string) *connection.Stdio {
		own := *b.target.Connection.Stdio
		own.Env = map[string]string{"API_TOKEN": user}
		return &own
	}
	for i, user := range []string{"ada", "bob", "ada"} {
		b.target.Connection.Stdio = as(user)
		if got := structured(b.must("counter", "{}")); got != `{"count":1}` {
			t.Errorf("use %d, of %s: %s", i, user, got)
		}
	}
}

// invoke and notify take any method, and what they do to a session others have to
// live with: they have no place here.
func TestEveryOperationHasItsType(t *testing.T) {
	p := reflect.TypeFor[*Pool]()
	for m := range p.Methods() {
		switch m.Name {
		case "CallTool", "ReadResource", "GetPrompt", "Complete", "ListTools", "ListResources", "ListResourceTemplates", "ListPrompts",
			"Ping", "Server", "Warm", "Release", "BeginClose", "Close":
		default:
			t.Errorf("the pool has %s", m.Name)
		}
	}
}
