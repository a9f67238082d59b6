//go:build linux

package session

import (
	"encoding/json"
	"fmt"
	"strings"
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
	if d := time.Since(begin); d > 5*time.Second {
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
