package service

import (
	"testing"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

func args(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A call that is given up leaves the session to the others.
func TestSessionOutlivesACallThatTakesTooLong(t *testing.T) {
	p, s := testProject(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": mainConnection}, Options{})
	c := reach(t, p, "test.main")
	call := func(tool string, d Direct) *Reply {
		t.Helper()
		r, err := s.CallTool(t.Context(), c, tool, value.OfObject(nil), d)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := call("counter", Direct{}); r.Text != "1" {
		t.Errorf("the first call gives %q", r.Text)
	}
	// So much that the request has left by then, on a busy machine, too.
	r := call("wait", Direct{Timeout: 2 * time.Second})
	if f := r.Failure; f == nil || f.Kind != engine.KindTimeout || !f.InDoubt || f.Message != "The call of test.main.wait had no answer within 2s and was cancelled." {
		t.Errorf("the call that takes too long: %+v", f)
	}
	if r := call("counter", Direct{}); r.Text != "2" {
		t.Errorf("the call after it gives %q", r.Text)
	}
	if r := call("counter", Direct{OneShot: true}); r.Text != "1" {
		t.Errorf("a call with a session of its own gives %q", r.Text)
	}
	if r := call("counter", Direct{}); r.Text != "3" {
		t.Errorf("the last call gives %q", r.Text)
	}
}

func TestDirectCallTellsItsProgress(t *testing.T) {
	p, s := testProject(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": mainConnection}, Options{})
	for _, oneShot := range []bool{false, true} {
		var told []string
		r, err := s.CallTool(t.Context(), reach(t, p, "test.main"), "progress", args(t, `{"n": 2}`),
			Direct{OneShot: oneShot, Progress: func(p engine.Progress) { told = append(told, p.Message) }})
		if err != nil || r.Failure != nil || len(told) != 2 || told[1] != "part 2" {
			t.Errorf("one-shot %t: told %q, %v", oneShot, told, err)
		}
	}
}
