package service

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// What hosts run in these tests: a write, a call that answers only when another one is
// there, and a write.
const meetingProject = fixtureConnection + `
workflow "meeting" {
  source "s" {
    bind = connection.fixture.default
  }
  input "of" {
    type    = string
    default = "x"
  }
  step "first" {
    call = s.echo
    args = { value = "first ${input.of}" }
  }
  step "meet" {
    call       = s.meet
    args       = { n = 2 }
    depends_on = [step.first]
  }
  step "last" {
    call       = s.echo
    args       = { value = "last ${input.of}" }
    depends_on = [step.meet]
  }
  output "of" {
    value = input.of
  }
}

deployment "meet" {
  workflow = workflow.meeting
}
`

// The tools of the test server that the tests use, as a committed snapshot has them.
const fixtureSnapshot = `{"format_version": 1, "connection": "fixture.default", "tools": [
{"digest": "", "object": {"name": "counter", "inputSchema": {"type": "object"}}},
{"digest": "", "object": {"name": "echo", "inputSchema": {"type": "object", "properties": {"value": {"type": "string"}}}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}},
{"digest": "", "object": {"name": "meet", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}, "annotations": {"readOnlyHint": true}}},
{"digest": "", "object": {"name": "wait", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}}
], "resources": [], "resource_templates": [], "prompts": []}
`

func meetingHost(t *testing.T, o HostOptions) *hostTest {
	t.Helper()
	return newHostTest(t, map[string]string{
		"wfc.hcl": "", "a.wf.hcl": strings.Replace(meetingProject, "deployment \"meet\" {", "deployment \"meet\" {\n  policy {\n    drift = \"ignore\"\n  }", 1),
		"catalog/fixture.default.json": fixtureSnapshot, "nothing.wf.hcl": "workflow \"nothing\" {\n}\n",
	}, o)
}

// at waits until an event of the run is what is asked for.
func (h *hostTest) at(run string, is func(engine.Event) bool) {
	h.T.Helper()
	for ev, err := range h.Follow(h.T.Context(), run, 0) {
		must(h.T, err)
		if is(ev.Event) {
			return
		}
	}
	h.T.Fatalf("the run %s never came there", run)
}

func starts(step string) func(engine.Event) bool {
	return func(ev engine.Event) bool { s, ok := ev.(engine.StepStarted); return ok && s.Step.Step == step }
}

// meet calls the tool that waits for another call of it.
func (h *hostTest) meet() {
	h.T.Helper()
	reply, err := h.CallCapability(h.T.Context(), "fixture.default.meet", object1(h.T, `{"n": 2}`), Direct{})
	must(h.T, err)
	if reply.Failure != nil {
		h.T.Fatal(reply.Failure)
	}
}

// echoes returns how often each text was echoed.
func (h *hostTest) echoes() map[string]int {
	out := map[string]int{}
	for _, line := range servertest.Lines(h.T, h.calls()) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), `call echo {"value":"`); ok {
			out[strings.TrimSuffix(rest, `"}`)]++
		}
	}
	return out
}

func TestAHostThatStopsLetsCallsEndAndTheNextOneGoesOn(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	run, err := h.Start(t.Context(), StartRun{Deployment: "meet", Input: object1(t, `{"of": "a"}`)}, false)
	must(t, err)
	h.at(run.ID, starts("meet"))
	closed := make(chan error, 1)
	before := h.Host
	go func() { closed <- before.Close(context.Background()) }()
	// Runs that come to be as the host begins to stop end there, or in the next one.
	var late []string
	for {
		r, err := h.Start(t.Context(), StartRun{Target: "nothing"}, false)
		if err != nil {
			refused(t, err, Closing)
			break
		}
		late = append(late, r.ID)
	}
	h.meet() // the call in flight has its answer
	must(t, <-closed)
	if h.echoes()["last a"] != 0 {
		t.Error("a call began after the host was to stop")
	}
	h.open(HostOptions{})
	for _, id := range append(late, run.ID) {
		r, err := h.Wait(t.Context(), id)
		must(t, err)
		if r.Status != journal.Completed {
			t.Errorf("the run %s is %s", r.Workflow, r.Status)
		}
	}
	if h.echoes()["first a"] != 1 || h.echoes()["last a"] != 1 {
		t.Errorf("the effects are %v", h.echoes())
	}
}

func TestAHostThatCannotWaitGivesCallsUpAndTheNextOneRepeatsWhatItMay(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	run, err := h.Start(t.Context(), StartRun{Deployment: "meet", Input: object1(t, `{"of": "a"}`)}, false)
	must(t, err)
	h.at(run.ID, starts("meet"))
	now, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, h.Host.Close(now))
	h.open(HostOptions{})
	h.at(run.ID, func(ev engine.Event) bool {
		s, ok := ev.(engine.StepStarted)
		return ok && s.Step.Step == "meet" && s.Attempt > 0
	})
	h.meet()
	run, err = h.Wait(t.Context(), run.ID)
	must(t, err)
	if run.Status != journal.Completed || h.echoes()["first a"] != 1 || h.echoes()["last a"] != 1 {
		t.Errorf("the run is %s (%+v), and the effects are %v", run.Status, run.Error, h.echoes())
	}
}

func TestThereIsOneHostInADataFolder(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	_, err := OpenHost(t.Context(), h.now().project, HostOptions{})
	if e := refused(t, err, Conflict); !strings.Contains(e.Message, "process ") {
		t.Errorf("the error does not say who has the folder: %v", e)
	}
}

func TestARunKeyStandsForOneRun(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	start := func(input string) (*Run, error) {
		return h.Start(t.Context(), StartRun{Deployment: "meet", Input: object1(t, input), Key: "order 7"}, false)
	}
	first, err := start(`{"of": "a"}`)
	must(t, err)
	if first.Existing || first.Key != "order 7" {
		t.Errorf("the first one is %+v", first)
	}
	second, err := start(`{"of": "a"}`)
	must(t, err)
	if !second.Existing || second.ID != first.ID {
		t.Errorf("the second start is the run %s, want %s", second.ID, first.ID)
	}
	_, err = start(`{"of": "b"}`)
	if e := refused(t, err, Conflict); e.Run != first.ID {
		t.Errorf("the conflict names the run %q", e.Run)
	}
	// The workflow without the deployment is something else, too.
	_, err = h.Start(t.Context(), StartRun{Target: "workflow.meeting", Input: object1(t, `{"of": "a"}`), Key: "order 7"}, false)
	if e := refused(t, err, Conflict); e.Run != first.ID {
		t.Errorf("the conflict names the run %q", e.Run)
	}
	_, err = h.Cancel(t.Context(), first.ID, "test")
	must(t, err)
	last, err := h.Wait(t.Context(), first.ID)
	must(t, err)
	if last.Status != journal.Cancelled || h.echoes()["first a"] > 1 {
		t.Errorf("the run is %s with %v", last.Status, h.echoes())
	}
}

func TestMoreRunsThanMayGoOnAreQueuedAndNoneIsLost(t *testing.T) {
	h := meetingHost(t, HostOptions{MaxRuns: 1, MaxQueued: 2})
	start := func(of string) (*Run, error) {
		return h.Start(t.Context(), StartRun{Deployment: "meet", Input: object1(t, `{"of": "`+of+`"}`)}, false)
	}
	var ids []string
	for i, want := range []journal.Status{journal.Running, journal.Queued, journal.Queued} {
		r, err := start(fmt.Sprint(i))
		must(t, err)
		if r.Status != want {
			t.Errorf("the run %d is %s, want %s", i, r.Status, want)
		}
		ids = append(ids, r.ID)
	}
	_, err := start("3")
	refused(t, err, Limit)
	_, err = h.Cancel(t.Context(), ids[1], "test")
	must(t, err)
	r, err := h.Wait(t.Context(), ids[1])
	must(t, err)
	if r.Status != journal.Cancelled {
		t.Errorf("the queued run that was cancelled is %s", r.Status)
	}
	// The one that waits is there in the next host, too.
	h.at(ids[0], starts("meet"))
	now, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, h.Host.Close(now))
	// The one that went on is not to go on, so that the other one's turn comes.
	store, err := journal.Open(t.Context(), filepath.Join(h.root, StateFolder), journal.Options{})
	must(t, err)
	_, err = store.Send(t.Context(), journal.RunID(ids[0]), journal.Event{Data: journal.CancelRequested{By: "test"}})
	must(t, errors.Join(err, store.Close()))
	h.open(HostOptions{MaxRuns: 1})
	h.at(ids[2], starts("first")) // whichever of them is the first one
	_, err = h.Cancel(t.Context(), ids[2], "test")
	must(t, err)
	h.ended(ids[2])
	h.ended(ids[0])
	for i, want := range []journal.Status{journal.Cancelled, journal.Cancelled, journal.Cancelled} {
		r, err := h.Run(t.Context(), ids[i])
		must(t, err)
		if r.Status != want {
			t.Errorf("the run %d is %s, want %s: %+v", i, r.Status, want, r.Error)
		}
	}
	for text, n := range h.echoes() {
		if n != 1 {
			t.Errorf("%q was echoed %d times", text, n)
		}
	}
}

func TestWhoHasWaitedForARunFindsItsPlaceFree(t *testing.T) {
	h := meetingHost(t, HostOptions{MaxRuns: 1, MaxQueued: -1})
	for range 50 {
		_, err := h.Start(t.Context(), StartRun{Target: "nothing"}, true)
		must(t, err)
		if going, waiting := h.runs.queue.count(); going+waiting != 0 {
			t.Fatalf("%d runs go on and %d wait once the only one has ended", going, waiting)
		}
	}
}

// Whoever comes back with the place of the last event that it has seen misses none of
// those that are kept, and a finished run has the same ones.
func TestEventsAreTheSameWhileARunGoesOnAndAfterwards(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	run, err := h.Start(t.Context(), StartRun{Deployment: "meet"}, false)
	must(t, err)
	shape := func(ev engine.Event) string { return string(ev.AppendJSON(nil)) }
	var live []string
	place := int64(0)
	for ev, err := range h.Follow(t.Context(), run.ID, 0) {
		must(t, err)
		if ev.Kept {
			live, place = append(live, shape(ev.Event)), ev.Seq
		}
		if starts("meet")(ev.Event) {
			break
		}
	}
	met := make(chan struct{})
	go func() {
		defer close(met)
		reply, err := h.CallCapability(t.Context(), "fixture.default.meet", object1(t, `{"n": 2}`), Direct{})
		if err != nil || reply.Failure != nil {
			t.Errorf("the other call of meet gave %+v, %v", reply, err)
		}
	}()
	defer func() { <-met }()
	for ev, err := range h.Follow(t.Context(), run.ID, place) {
		must(t, err)
		if ev.Kept {
			live = append(live, shape(ev.Event))
		}
	}
	for after := range int64(len(live) + 1) {
		var kept []string
		for ev, err := range h.Follow(t.Context(), run.ID, after) {
			must(t, err)
			if ev.Kept {
				kept = append(kept, shape(ev.Event))
			}
		}
		if !slices.Equal(kept, live[after:]) {
			t.Fatalf("behind %d the finished run has\n%s\nand while it went on it had\n%s", after, strings.Join(kept, "\n"), strings.Join(live[after:], "\n"))
		}
	}
}

func TestWaitingEndsWithItsContextAndTheRunGoesOn(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	started, err := h.Start(ctx, StartRun{Deployment: "meet"}, false)
	must(t, err)
	cancel()
	run, err := h.Wait(ctx, started.ID)
	if !errors.Is(err, context.Canceled) || run == nil || run.Ended() {
		t.Errorf("waiting gave %+v, %v", run, err)
	}
	h.at(started.ID, starts("meet"))
	h.meet()
	if run, err = h.Wait(t.Context(), started.ID); err != nil || run.Status != journal.Completed {
		t.Errorf("the run is %+v, %v", run, err)
	}
}

func TestWhatCannotBeStartedIsRefusedByKind(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	for name, c := range map[string]struct {
		start StartRun
		kind  ErrorKind
	}{
		"no target":          {StartRun{}, Invalid},
		"two targets":        {StartRun{Deployment: "meet", Target: "meeting"}, Invalid},
		"no such deployment": {StartRun{Deployment: "met"}, NotFound},
		"no such workflow":   {StartRun{Target: "workflow.met"}, NotFound},
		"a path":             {StartRun{Target: "../../etc/passwd"}, Invalid},
		"a wrong input":      {StartRun{Deployment: "meet", Input: object1(t, `{"of": 1}`)}, Invalid},
		"an unknown input":   {StartRun{Deployment: "meet", Input: object1(t, `{"off": "x"}`)}, Invalid},
		"input of no object": {StartRun{Deployment: "meet", Input: value.OfString("x")}, Invalid},
		"a long key":         {StartRun{Deployment: "meet", Key: strings.Repeat("k", 1000)}, Invalid},
		"an unknown bind":    {StartRun{Target: "meeting", Bind: map[string]string{"s": "no.one"}}, Invalid},
		"no run to reuse":    {StartRun{Deployment: "meet", Reuse: "zzz"}, NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Start(t.Context(), c.start, false)
			refused(t, err, c.kind)
		})
	}
	runs, err := h.Runs(t.Context(), RunFilter{})
	must(t, err)
	if len(runs) != 0 {
		t.Errorf("%d runs were begun", len(runs))
	}
	_, err = h.Run(t.Context(), "../x")
	refused(t, err, NotFound)
	_, err = h.Cancel(t.Context(), "zzz", "test")
	refused(t, err, NotFound)
}

// Lines take turns, nothing waits while there is room, and no more go on than may.
func TestQueueIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		most := rapid.IntRange(1, 4).Draw(t, "most")
		q.open(most, 1000)
		var going, waiting []*turn
		came := func(x *turn) bool {
			select {
			case <-x.come:
				return true
			default:
				return false
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if all := len(going) + len(waiting); all > 0 && rapid.Bool().Draw(t, "give") {
				i := rapid.IntRange(0, all-1).Draw(t, "which")
				if i < len(going) {
					going[i].Give()
					going = slices.Delete(going, i, i+1)
				} else {
					i -= len(going)
					waiting[i].Give()
					waiting = slices.Delete(waiting, i, i+1)
				}
			} else {
				x, ok := q.enter(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "line"), false)
				if !ok {
					t.Fatal("there was no place")
				}
				x.Ask()
				waiting = append(waiting, x)
			}
			var still []*turn
			for _, x := range waiting {
				if came(x) {
					going = append(going, x)
				} else {
					still = append(still, x)
				}
			}
			waiting = still
			if len(going) > most || len(waiting) > 0 && len(going) < most {
				t.Fatalf("%d go on and %d wait, of %d", len(going), len(waiting), most)
			}
			for i, x := range waiting {
				for _, y := range waiting[i+1:] {
					if x.line == y.line && came(y) {
						t.Fatal("a later one of a line came first")
					}
				}
			}
		}
		for _, x := range slices.Concat(going, waiting) {
			x.Give()
		}
		if g, w := q.count(); g != 0 || w != 0 || len(q.lines) != 0 || len(q.order) != 0 {
			t.Fatalf("%d go on and %d wait when all have gone", g, w)
		}
	})
}

func TestWhoStartsManyRunsKeepsNobodyElseWaiting(t *testing.T) {
	var q queue
	q.open(1, 1000)
	var order []string
	var turns []*turn
	for _, line := range []string{"busy", "busy", "busy", "busy", "other"} {
		x, _ := q.enter(line, false)
		x.Ask()
		turns = append(turns, x)
	}
	for len(turns) > 0 {
		for i, x := range turns {
			select {
			case <-x.come:
				order = append(order, x.line)
				turns = slices.Delete(turns, i, i+1)
				x.Give()
			default:
				continue
			}
			break
		}
	}
	if want := []string{"busy", "busy", "other", "busy", "busy"}; !slices.Equal(order, want) {
		t.Errorf("the turns came as %v, want %v", order, want)
	}
}

// Whoever may start runs cannot fill the memory with what does not fit.
func TestBindingsThatDoNotFitAreNotKept(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	for i := range 10 {
		_, err := h.Start(t.Context(), StartRun{Target: "workflow.meeting", Bind: map[string]string{fmt.Sprint("s", i): "fixture.default"}}, false)
		refused(t, err, Invalid)
	}
	if n := len(h.now().plans); n != 0 {
		t.Errorf("%d plans are kept", n)
	}
}

// Another workflow is something else, also with the same inputs.
func TestARunKeyStandsForOneWorkflow(t *testing.T) {
	h := newHostTest(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": "workflow \"a\" {\n}\nworkflow \"b\" {\n}\n"}, HostOptions{})
	first, err := h.Start(t.Context(), StartRun{Target: "a", Key: "k"}, true)
	must(t, err)
	_, err = h.Start(t.Context(), StartRun{Target: "b", Key: "k"}, true)
	if e := refused(t, err, Conflict); e.Run != first.ID {
		t.Errorf("the conflict names the run %q", e.Run)
	}
}

// A run key is held against inputs also where these are kept encrypted.
func TestARunKeyOfASensitiveRunStandsForOneRun(t *testing.T) {
	h := newHostTest(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": `workflow "w" {
  input "of" {
    type      = string
    sensitive = true
  }
  step "a" {
    value = length(input.of)
  }
}
`}, HostOptions{})
	start := func(of string) (*Run, error) {
		return h.Start(t.Context(), StartRun{Target: "w", Input: object1(t, `{"of": "`+of+`"}`), Key: "k"}, true)
	}
	first, err := start("planted-1")
	must(t, err)
	if strings.Contains(first.Input.JSON(), "planted") {
		t.Errorf("the inputs are shown: %s", first.Input.JSON())
	}
	again, err := start("planted-1")
	must(t, err)
	if again.ID != first.ID || !again.Existing {
		t.Errorf("the second start is %s, want %s", again.ID, first.ID)
	}
	_, err = start("planted-2")
	if e := refused(t, err, Conflict); strings.Contains(e.Message, "planted") {
		t.Errorf("the error tells the inputs: %s", e.Message)
	}
}
