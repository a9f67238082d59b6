//go:build linux

package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestExitIsSeenWhileAGrandchildHoldsTheOutput(t *testing.T) {
	b := open(t, nil)
	begin := time.Now()
	_, err := b.call("orphan", "{}")
	e := failure(t, err)
	if e.Reason != Lost || e.Exit != "exit status 3" {
		t.Errorf("got %v", e)
	}
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %s", d)
	}
	<-b.Ended()
	var pid int
	for _, line := range servertest.Lines(t, b.log) {
		_, _ = fmt.Sscanf(line, "child %d", &pid)
	}
	if pid == 0 {
		t.Fatal("the server started no child")
	}
	servertest.CheckGone(t, pid)
}

func TestChildrenOfTheServerEndWithIt(t *testing.T) {
	b := open(t, nil)
	var r struct {
		Structured struct {
			PID int `json:"pid"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal([]byte(b.must("child", "{}")), &r); err != nil || r.Structured.PID == 0 {
		t.Fatalf("%v %v", r, err)
	}
	b.Close()
	<-b.Ended()
	servertest.CheckGone(t, r.Structured.PID)
}

func TestServerThatClosesItsOutputIsEnded(t *testing.T) {
	b := open(t, nil)
	_, err := b.call("mute", "{}")
	if e := failure(t, err); e.Reason != Lost || !strings.Contains(e.Error(), "it closed its output but did not exit") {
		t.Errorf("got %v", e)
	}
}

// npx is a process above the server: when it is killed alone, the server must not
// live on behind it.
func TestServerEndsWithTheProcessAboveIt(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	b := open(t, func(cfg *Config) {
		stdio := cfg.Connection.Stdio
		stdio.Args = append([]string{"-c", `echo $$ > ` + pidFile + `; "$@"; exit`, "sh", stdio.Command}, stdio.Args...)
		stdio.Command = "sh"
	})
	b.must("counter", "{}")
	above, err := strconv.Atoi(strings.TrimSpace(strings.Join(servertest.Lines(t, pidFile), "")))
	if err != nil {
		t.Fatal(err)
	}
	started, running := begun()
	over := make(chan error, 1)
	go func() {
		_, err := b.CallTool(t.Context(), Call{Tool: "wait", Started: started})
		over <- err
	}()
	running()
	if err := syscall.Kill(above, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := failure(t, <-over); e.Reason != Lost || e.Exit != "signal: killed" {
		t.Errorf("got %v", e)
	}
	<-b.Ended()
	servertest.CheckStarts(t, b.starts, 1) // and none of them lives
}

// TestMain's process plays wfc here, which is killed without a chance to clean up.
func TestServersDieWithUs(t *testing.T) {
	if file := os.Getenv("WFC_TEST_STARTS"); file != "" {
		b := open(t, func(cfg *Config) { cfg.Connection.Stdio.Args = []string{"-stubborn", "-starts", file} })
		b.must("counter", "{}")
		fmt.Println("up")
		select {} // until we are killed
	}
	file := filepath.Join(t.TempDir(), "starts")
	us := exec.Command(os.Args[0], "-test.run=^TestServersDieWithUs$")
	us.Env = append(os.Environ(), "WFC_TEST_STARTS="+file)
	out, err := us.StdoutPipe()
	if err == nil {
		err = us.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "up" {
	}
	if err := us.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = us.Wait()
	servertest.CheckStarts(t, file, 1)
}

// A first npx installs before there is a server: it reads nothing, and must be left alone.
func TestAServerThatIsInstalledIsNotStartedAgain(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "install")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, func(cfg *Config) {
		cfg.Connection.ProtocolVersion = ""
		cfg.probeBudget, cfg.restartAfter = time.Millisecond, time.Second // it was sent both by then
		cfg.silent = func(unread bool) {
			if !unread {
				t.Error("the server has read what it was sent")
			}
			f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			f.Close()
		}
	}, "-install", fifo)
	server, err := b.Server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if server.ProtocolVersion != "2025-11-25" {
		t.Errorf("revision %s", server.ProtocolVersion)
	}
	b.must("counter", "{}")
	if got := strings.Join(servertest.Lines(t, b.log)[:2], ""); got != "server/discover\ninitialize\n" {
		t.Errorf("the server got %q", got)
	}
	b.Close()
	<-b.Ended()
	servertest.CheckStarts(t, b.starts, 1)
}
