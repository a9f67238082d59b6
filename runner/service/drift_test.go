package service

import (
	"errors"
	"testing"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// What comes of the comparison is no word on the call, which was not made.
func TestAComparisonThatFailsLeavesNoCallInDoubt(t *testing.T) {
	_, s := testProject(t, map[string]string{"wfc.hcl": "project {\n  name = \"p\"\n}\n"}, Options{})
	id := engine.SessionID{Connection: "test.main"}
	c := &caller{service: s, targets: map[engine.SessionID]pool.Target{id: {Connection: connection.Connection{
		ID: "test.main", Stdio: &connection.Stdio{Command: servertest.Path(t), Args: []string{"-die-at", "tools/list"}, Dir: t.TempDir()},
	}}}}
	drift, err := c.Drift(t.Context(), id, "counter", "digest")
	var e *engine.CallError
	if drift != nil || !errors.As(err, &e) || e.Kind != engine.KindTransport || e.Sent != engine.SentNo || e.Answered {
		t.Errorf("got %+v, %+v", drift, err)
	}
}
