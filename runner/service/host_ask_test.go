package service

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

func askingHost(t *testing.T, deadline string) *hostTest {
	t.Helper()
	return newHostTest(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": `workflow "asks" {
  step "confirm" {
    ask {
      message   = "Go on?"
      answer    = object({ ok = bool })
      approvers = ["ann"]
    }
` + deadline + `
  }
  output "ok" {
    value = step.confirm.output.ok
  }
}
`}, HostOptions{})
}

func TestARunThatAsksIsAnsweredInAnyHost(t *testing.T) {
	h := askingHost(t, "")
	ctx := t.Context()
	run, err := h.Start(ctx, StartRun{Target: "asks"}, true)
	must(t, err)
	if run.Status != journal.Waiting || len(run.Record.Questions) != 1 {
		t.Fatalf("the run is %s and asks %v", run.Status, run.Record.Questions)
	}
	h.end(ctx)
	h.open(HostOptions{})
	answer := func(data, by string) (*Run, error) {
		v := object1(t, data)
		return h.Answer(ctx, run.ID, engine.Reply{Step: "confirm", Data: &v, By: by})
	}
	_, err = answer(`{"ok": true}`, "bob")
	refused(t, err, Refused)
	_, err = answer(`{"ok": "yes"}`, "ann")
	refused(t, err, Invalid)
	_, err = answer(`{"ok": true}`, "ann")
	must(t, err)
	if run, err = h.Wait(ctx, run.ID); err != nil || run.Status != journal.Completed || run.Output.JSON() != `{"ok":true}` {
		t.Fatalf("the run is %+v, %v", run, err)
	}
	_, err = answer(`{"ok": false}`, "ann")
	if e := refused(t, err, Conflict); !strings.Contains(e.Message, "ann") && !strings.Contains(e.Message, "completed") {
		t.Errorf("the second answer is told %q", e.Message)
	}
	var asked, answered bool
	for ev, err := range h.Follow(ctx, run.ID, 0) {
		must(t, err)
		switch ev := ev.Event.(type) {
		case engine.StepWaiting:
			asked = asked || ev.Question != nil && ev.Question.Message == "Go on?"
		case engine.StepAnswered:
			answered = ev.By == "ann"
		}
	}
	if !asked || !answered {
		t.Error("the events do not say what was asked, and who answered")
	}
}

// A deadline passes whether or not anybody looks, in this host or in the next one.
func TestTheDeadlineOfAQuestionIsKeptByTheHost(t *testing.T) {
	h := askingHost(t, "    deadline = \"300ms\"")
	run, err := h.Start(t.Context(), StartRun{Target: "asks"}, true)
	must(t, err)
	if run.Status == journal.Waiting { // it may have passed already, and the run go on
		h.end(t.Context())
		h.open(HostOptions{})
	}
	h.ended(run.ID)
	if run, err = h.Run(t.Context(), run.ID); err != nil || run.Status != journal.Failed || run.Error.Kind != string(engine.KindTimeout) {
		t.Errorf("the run is %+v, %v", run, err)
	}
}

// Who waits for a run is told that it waits, or how it ended, and not that it goes on: its
// deadline may pass just as it stops to wait.
func TestWhoWaitsIsNotToldOfARunThatGoesOn(t *testing.T) {
	h := askingHost(t, "    deadline = \"1ms\"")
	for range 20 {
		run, err := h.Start(t.Context(), StartRun{Target: "asks"}, true)
		must(t, err)
		if !run.Ended() && run.Status != journal.Waiting {
			t.Errorf("the run is %s", run.Status)
		}
		h.ended(run.ID)
	}
}

// ended waits for the end of a run that waits for its own deadline.
func (h *hostTest) ended(id string) {
	h.T.Helper()
	for run := (&Run{}); !run.Ended(); {
		var err error
		run, err = h.Changed(h.T.Context(), id, run.Status)
		must(h.T, err)
	}
}
