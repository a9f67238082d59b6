package pool

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/npm"
)

// mark is the variable by which the processes of a test's servers are known: those that
// they start have it, too, in whatever group they are.
const mark = "WFC_TEST_MARK"

// marked returns the ids of the processes that have the mark of the test, and their
// command lines.
func marked(t *testing.T) map[int]string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte(mark+"="+t.Name()+"\x00")) {
			continue // of somebody else, or over by now
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		found[pid] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	return found
}

// npx starts a shell that starts node; playwright starts browsers in groups of their own.
func TestNothingIsLeftOfRealServers(t *testing.T) {
	env := map[string]string{mark: t.Name(), "MCP_TRANSPORT_TYPE": "stdio"}
	npx := realServer(t, "npx.memory", "npx", env, "--offline", "--no", "--", "mcp-server-memory")
	npx.Connection.Stdio.Dir = filepath.Dir(filepath.Dir(npm.Bin(t)))
	npx.Connection.Stdio.Env["MEMORY_FILE_PATH"] = filepath.Join(t.TempDir(), "memory.jsonl")
	browser := realServer(t, "browser.main", "playwright-mcp", env, "--headless", "--isolated", "--no-sandbox", "--executable-path", npm.Chromium(t))

	p := New(Options{})
	var wg sync.WaitGroup
	for _, target := range []Target{
		npx,
		realServer(t, "everything.main", "mcp-server-everything", env),
		realServer(t, "git.main", "git-mcp-server", env),
		realServer(t, "thinking.main", "mcp-server-sequential-thinking", env),
	} {
		wg.Go(func() {
			if _, err := p.Server(t.Context(), target); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Go(func() {
		args := json.RawMessage(`{"url":"data:text/html,<title>Hello</title>"}`)
		if r, err := p.CallTool(t.Context(), browser, session.Call{Tool: "browser_navigate", Args: args}); err != nil || !strings.Contains(r.Text, "Hello") {
			t.Errorf("%v %v", r, err)
		}
	})
	wg.Wait()
	if n := len(marked(t)); n < 8 {
		t.Errorf("%d processes run: %v", n, marked(t))
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if left := marked(t); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
}

// Of npx killed alone, the shell and the server that it started would live on, with the
// pipes open: the call in flight would hang.
func TestNpxThatIsKilledTakesItsServerAlong(t *testing.T) {
	target := realServer(t, "npx.everything", "npx", map[string]string{mark: t.Name()}, "--offline", "--no", "--", "mcp-server-everything")
	target.Connection.Stdio.Dir = filepath.Dir(filepath.Dir(npm.Bin(t)))
	p := New(Options{})
	closing(t, p)
	if _, err := p.Server(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	old := marked(t)
	leader := 0
	for pid := range old {
		if group, err := syscall.Getpgid(pid); err == nil && group == pid {
			leader = pid
		}
	}
	if leader == 0 || len(old) < 2 {
		t.Fatalf("of %v none leads the others", old)
	}

	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	failed := make(chan error)
	go func() {
		_, err := p.CallTool(t.Context(), target, session.Call{
			Tool: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":600,"steps":600}`), ReadOnly: true,
			Progress: func(session.Progress) { begin() },
		})
		failed <- err
	}()
	<-begun
	if err := syscall.Kill(leader, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the call in flight: %v", err)
	}
	r, err := p.CallTool(t.Context(), target, session.Call{Tool: "echo", Args: json.RawMessage(`{"message":"again"}`), ReadOnly: true})
	if err != nil || !strings.Contains(r.Text, "again") {
		t.Errorf("the next call: %v %v", r, err)
	}
	for pid, line := range marked(t) {
		if _, both := old[pid]; both {
			t.Errorf("this outlives npx: %d %s", pid, line)
		}
	}
}
