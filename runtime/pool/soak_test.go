//go:build linux

package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// soakCycles is how often a server is made to fail. WFC_E2E=full does it for longer.
func soakCycles(short, full int) int {
	if os.Getenv("WFC_E2E") == "full" {
		return full
	}
	return short
}

// soakDeadline is how long a call on a failing server may take; lateness is what a
// machine with other work may add before the caller's goroutine runs again.
const (
	soakDeadline = 200 * time.Millisecond
	lateness     = 20 * time.Second
)

// leaks fails t at its end if a process, a file or a goroutine is left that was not
// there before.
func leaks(t *testing.T) {
	server := servertest.Path(t)
	files, goroutines := servertest.OpenFiles(t), runtime.NumGoroutine()
	t.Cleanup(func() {
		servertest.CheckGoroutines(t)
		now := runtime.NumGoroutine()
		for range 10000 { // those of the SDK are not waited for: each gets the processor to return
			if now <= goroutines+1 { // the one that starts children
				break
			}
			runtime.Gosched()
			now = runtime.NumGoroutine()
		}
		if now > goroutines+1 {
			t.Errorf("%d goroutines, %d before", now, goroutines)
		}
		if now := servertest.OpenFiles(t); now > files {
			t.Errorf("%d files are open, %d before", now, files)
		}
		if pids := running(t, server); len(pids) > 0 {
			t.Errorf("processes of the server live on: %v", pids)
		}
	})
}

// running returns the processes whose program is at path. Of those that are just
// ending it waits for the end.
func running(t *testing.T, path string) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe")); err == nil && exe == path && servertest.Gone(pid) != nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// cycle is one way in which a server fails, seen through the pool.
type cycle struct {
	name string
	tool string
	args string
	with int // calls queued behind it
	// lives: the session goes on, and the next call has its state.
	lives bool
	want  []session.Reason
}

func cycles() []cycle {
	lost := []session.Reason{session.Lost, session.Cancelled} // whichever comes first
	garbage, _ := json.Marshal(map[string]string{"message": `{"jsonrpc":"2.0","id":"?","res`})
	return []cycle{
		{"it crashes", "crash", `{"code":3}`, 0, false, lost},
		{"it crashes with calls behind", "crash", `{"code":3}`, 20, false, lost},
		{"it leaves a child that holds its output", "orphan", `{}`, 5, false, lost},
		{"it closes its output", "mute", `{}`, 5, false, lost},
		{"it hangs", "wait_write", `{}`, 0, true, []session.Reason{session.Cancelled}},
		{"it hangs with calls behind", "wait_write", `{}`, 20, true, []session.Reason{session.Cancelled}},
		{"it prints garbage", "mumble", string(garbage), 5, true, []session.Reason{session.Cancelled}},
		{"it answers with an error for nobody", "null-error", `{}`, 0, true, []session.Reason{session.Refused}},
	}
}

// Servers crash, hang and talk nonsense, over and over: every call ends in time with
// an error that says why, and in the end nothing is left.
func TestSoak(t *testing.T) {
	leaks(t)
	var latest atomic.Int64
	p := New(Options{MaxSessions: 24})
	dir := t.TempDir()
	target := func(n int) Target {
		return Target{Connection: connection.Connection{
			ID:              fmt.Sprintf("soak.c%d", n),
			Stdio:           &connection.Stdio{Command: servertest.Path(t), Args: []string{"-starts", filepath.Join(dir, "starts")}, Dir: dir},
			ProtocolVersion: "2025-11-25",
			Timeouts:        connection.Timeouts{Close: soakDeadline},
		}}
	}
	call := func(target Target, deadline time.Duration, tool, args string) error {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		begin := time.Now()
		_, err := p.CallTool(ctx, target, session.Call{Tool: tool, Args: json.RawMessage(args)})
		if late := time.Since(begin) - deadline; late > lateness {
			t.Errorf("%s ended %s after its deadline", tool, late)
		} else {
			for old := latest.Load(); int64(late) > old && !latest.CompareAndSwap(old, int64(late)); old = latest.Load() {
			}
		}
		return err
	}
	one := func(n int, c cycle) {
		target := target(n)
		if err := call(target, time.Minute, "counter", "{}"); err != nil {
			t.Errorf("%s: a first call: %v", c.name, err)
			return
		}
		var wg sync.WaitGroup
		for i := range c.with + 1 {
			wg.Go(func() {
				tool, args := "counter", "{}"
				if i == 0 {
					tool, args = c.tool, c.args
				}
				err := call(target, soakDeadline, tool, args)
				var e *session.Error
				switch {
				case err == nil && i > 0: // it came before, or to a new session
				case !errors.As(err, &e):
					t.Errorf("%s: %s: %v", c.name, tool, err)
				case i == 0 && !slices.Contains(c.want, e.Reason):
					t.Errorf("%s: reason %d: %v", c.name, e.Reason, e)
				case i > 0 && !slices.Contains([]session.Reason{session.Lost, session.Cancelled}, e.Reason):
					t.Errorf("%s: behind it: reason %d: %v", c.name, e.Reason, e)
				case !strings.Contains(e.Error(), target.Connection.ID):
					t.Errorf("%s: its connection is not named: %v", c.name, e)
				}
			})
		}
		wg.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := p.CallTool(ctx, target, session.Call{Tool: "counter"})
		switch {
		case err != nil && !c.lives && errors.As(err, new(*session.Error)): // the call that noticed the end
		case err != nil:
			t.Errorf("%s: afterwards: %v", c.name, err)
		case c.lives && r.Generation != 1:
			t.Errorf("%s: the session did not live on", c.name)
		}
	}

	work := make(chan int)
	var workers sync.WaitGroup
	kinds := cycles()
	for range 4 {
		workers.Go(func() {
			for n := range work {
				one(n, kinds[rand.IntN(len(kinds))])
			}
		})
	}
	n := soakCycles(50, 1000)
	for i := range n {
		work <- i
	}
	close(work)
	workers.Wait()
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	starts := servertest.Lines(t, filepath.Join(dir, "starts"))
	t.Logf("%d cycles, %d processes; the latest call ended %s after its deadline", n, len(starts), time.Duration(latest.Load()))
	servertest.CheckStarts(t, filepath.Join(dir, "starts"), len(starts))
}

func TestManyConnectionsAreOpenedAndClosed(t *testing.T) {
	leaks(t)
	n := soakCycles(40, 200)
	p := New(Options{MaxSessions: n})
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			target := Target{Connection: connection.Connection{
				ID:    fmt.Sprintf("many.c%d", i),
				Stdio: &connection.Stdio{Command: servertest.Path(t), Args: []string{"-starts", filepath.Join(dir, "starts")}, Dir: dir},
			}}
			if r, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil || structured(r) != `{"count":1}` {
				t.Errorf("connection %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	begin := time.Now()
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	t.Logf("%d sessions were closed in %s", n, time.Since(begin))
	servertest.CheckStarts(t, filepath.Join(dir, "starts"), n)
}
