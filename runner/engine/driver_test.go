package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// memoryLog is a journal in memory that knows what would survive a crash.
type memoryLog struct {
	mu       sync.Mutex
	events   []journal.Event
	durable  int // so many events
	barriers int
	failAt   int // the Append that fails, from 1; 0: none
}

var errDiskFull = errors.New("the disk is full")

func (l *memoryLog) Append(ev journal.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failAt > 0 && len(l.events)+1 >= l.failAt {
		return errDiskFull
	}
	l.events = append(l.events, ev)
	return nil
}

func (l *memoryLog) Barrier(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.barriers++
	l.durable = len(l.events)
	return ctx.Err()
}

func (l *memoryLog) Commit(ctx context.Context, evs ...journal.Event) error {
	for _, ev := range evs {
		if err := l.Append(ev); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durable = len(l.events)
	return nil
}

// durably returns how many events are durable.
func (l *memoryLog) durably() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable
}

// lines renders events: "node.started a", "run.finished".
func (l *memoryLog) lines(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, ev := range l.events[:n] {
		line := string(ev.Kind())
		if ev.Node != "" {
			line += " " + ev.Node + ev.Instance
		}
		out = append(out, line)
	}
	return out
}

func (l *memoryLog) all() []string { return l.lines(len(l.events)) }

// callerFunc is a scripted Caller. It says that the request leaves, then runs tool.
type callerFunc func(ctx context.Context, c Call) (*Answer, error)

func (f callerFunc) Call(ctx context.Context, c Call) (*Answer, error) {
	if err := c.BeforeSend(1); err != nil {
		return nil, &CallError{Kind: KindCancelled, Message: "It was not sent.", Sent: SentNo}
	}
	return f(ctx, c)
}

// tools makes a Caller of scripted tools; the tool "hang" waits until it is cancelled.
func tools(w world) callerFunc {
	return func(ctx context.Context, c Call) (*Answer, error) {
		if c.Tool == "hang" {
			<-ctx.Done()
			return nil, &CallError{Kind: KindCancelled, Message: "cancelled", Sent: SentMaybe}
		}
		args, err := value.ParseJSON(c.Args)
		if err != nil {
			return nil, err
		}
		answer, failed := w[c.Tool](args)
		if failed != nil {
			return nil, failed
		}
		return answer, nil
	}
}

// drive runs a plan against a journal in memory.
func drive(t *testing.T, ctx context.Context, p *plan.Plan, log *memoryLog, opts Options) (*Outcome, error) {
	t.Helper()
	opts.Program = program(t, p)
	d := newDriver(opts, log, map[string]string{"token": "s3cret-token"})
	return d.run(ctx, RunCreated{Run: "run-1", StartedAt: time.Now(), Inputs: value.OfObject(nil)})
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the journal has\n     %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

func TestAChainOfReadsWaitsForNoCommit(t *testing.T) {
	log := &memoryLog{}
	p := outputs(planOf(call("a", "t", `{ n = 1 }`), call("b", "t", `step.a.output`, after("a"))), "o", "step.b.output")
	out, err := drive(t, t.Context(), p, log, Options{Caller: tools(world{"t": echo})})
	if err != nil || out.Status != StatusCompleted || out.Outputs.JSON() != `{"o":{"n":1}}` || out.Run != "run-1" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if log.barriers != 0 {
		t.Errorf("it waited for the disk %d times", log.barriers)
	}
	wantLines(t, log.all(), "session.opened", "node.started a", "node.completed a", "node.started b", "node.completed b", "run.finished")
	if log.durable != len(log.events) {
		t.Error("the end of the run is not durable when it is acknowledged")
	}
}

func TestAWriteLeavesWhenItsIntentAndAllBeforeItAreDurable(t *testing.T) {
	log := &memoryLog{}
	var before []string
	caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
		if c.Tool == "write" {
			before = log.lines(log.durable)
		}
		return structured(`{}`), nil
	})
	p := planOf(call("a", "read", ``), val("b", "step.a.output", after("a")), call("c", "write", ``, effect("write"), after("b")))
	if _, err := drive(t, t.Context(), p, log, Options{Caller: caller}); err != nil {
		t.Fatal(err)
	}
	wantLines(t, before, "session.opened", "node.started a", "node.completed a", "node.completed b", "node.started c")
}

func TestTheIntentSaysWhatAResumeNeeds(t *testing.T) {
	log := &memoryLog{}
	p := planOf(call("a", "t", `{ b = 1, a = 2.0 }`, effect("write"), timeout(`"1m"`), forEach(`["x"]`)))
	opts := Options{Program: program(t, p), Caller: tools(world{"t": echo}), Clock: func() time.Time { return time.Unix(1000, 0) }}
	d := newDriver(opts, log, nil)
	d.digest = func(b []byte) string { return "digest of " + string(b) }
	d.key = func(in Instance) string { return "key of " + in.String() }
	if _, err := d.run(t.Context(), RunCreated{Run: "r", Inputs: value.OfObject(nil)}); err != nil {
		t.Fatal(err)
	}
	for _, ev := range log.events {
		if data, ok := ev.Data.(journal.NodeStarted); ok && ev.Instance == "0" {
			want := journal.NodeStarted{Effect: "write", Connection: "demo.main", IdempotencyKey: "key of a[0]", ArgsDigest: `digest of {"a":2,"b":1}`, Generation: 1, Deadline: time.Unix(2800, 0)}
			if data != want || ev.Attempt != 1 {
				t.Errorf("the intent is attempt %d, %+v\nwant %+v", ev.Attempt, data, want)
			}
			return
		}
	}
	t.Errorf("no intent in %v", log.all())
}

func TestAPassedTimeoutCancelsAndDecidesDoubtBySent(t *testing.T) {
	for _, c := range []struct {
		effect  string
		inDoubt bool
	}{{"read", false}, {"write", true}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			p := planOf(call("a", "hang", ``, effect(c.effect), timeout(`"30s"`)))
			out, err := drive(t, t.Context(), p, &memoryLog{}, Options{Caller: tools(nil)})
			if err != nil {
				t.Fatal(err)
			}
			if e := out.Err; e == nil || e.Kind != KindTimeout || e.InDoubt != c.inDoubt || e.Message != "Step a failed: The call of demo.main.hang had no answer within 30s and was cancelled." {
				t.Errorf("%s: it ends with %+v", c.effect, e)
			}
			if took := time.Since(began); took != 30*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestATimeoutSaysWhatTheServerDidInPlaceOfAnswering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
			<-ctx.Done()
			return nil, &CallError{Kind: KindCancelled, Message: "given up", Sent: SentMaybe, Meanwhile: "The server printed s3cret-token."}
		})
		p := planOf(call("a", "t", ``, timeout(`"30s"`)))
		p.Secrets = []plan.Secret{{Name: "token", Env: "TOKEN"}}
		out, err := drive(t, t.Context(), p, &memoryLog{}, Options{Caller: caller})
		const want = "Step a failed: The call of demo.main.t had no answer within 30s and was cancelled. The server printed (secret token)."
		if err != nil || out.Err == nil || out.Err.Message != want {
			t.Errorf("got %+v, %v", out.Err, err)
		}
	})
}

func TestAnAnswerInTimeIsNotCancelledLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) { return structured(`{}`), nil })
		out, err := drive(t, t.Context(), planOf(call("a", "t", ``, timeout(`"1s"`))), &memoryLog{}, Options{Caller: caller})
		if err != nil || out.Status != StatusCompleted {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}

func TestCancellingARunCancelsOnTheWireAndRecordsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memoryLog{}
		ctx, cancel := context.WithCancelCause(t.Context())
		left := make(chan struct{}, 2)
		caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
			left <- struct{}{}
			if len(left) == 2 {
				cancel(errors.New("interrupt"))
			}
			<-ctx.Done()
			return nil, &CallError{Kind: KindTransport, Message: "cancelled", Sent: SentMaybe}
		})
		p := planOf(call("a", "t", ``, effect("write")), call("b", "t", ``, effect("write")))
		out, err := drive(t, ctx, p, log, Options{Caller: caller})
		if err != nil || out.Status != StatusCancelled || out.Err.Kind != KindCancelled {
			t.Fatalf("got %+v, %v", out, err)
		}
		got := log.all()
		if !slices.Contains(got, "cancel.requested") || got[len(got)-1] != "run.finished" {
			t.Errorf("the journal has %v", got)
		}
		for _, ev := range log.events {
			if d, ok := ev.Data.(journal.NodeFailed); ok && (d.Kind != "cancelled" || !d.InDoubt) {
				t.Errorf("%s ends with %+v", ev.Node, d)
			}
			if d, ok := ev.Data.(journal.CancelRequested); ok && d.By != "interrupt" {
				t.Errorf("it was cancelled by %q", d.By)
			}
		}
	})
}

func TestACallThatIgnoresItsCancellationIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memoryLog{}
		ctx, cancel := context.WithCancel(t.Context())
		stuck := make(chan struct{})
		caller := callerFunc(func(context.Context, Call) (*Answer, error) {
			cancel()
			<-stuck
			return structured(`{}`), nil
		})
		out, err := drive(t, ctx, planOf(call("a", "t", ``, effect("write"))), log, Options{Caller: caller})
		if err != nil || out.Status != StatusCancelled {
			t.Fatalf("got %+v, %v", out, err)
		}
		wantLines(t, log.all(), "session.opened", "node.started a", "cancel.requested", "node.failed a", "run.finished")
		close(stuck)
		synctest.Wait() // what comes later changes nothing
		wantLines(t, log.all(), "session.opened", "node.started a", "cancel.requested", "node.failed a", "run.finished")
	})
}

func TestAFailureCancelsReadsAndAwaitsWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var left sync.WaitGroup
		left.Add(2)
		var ended sync.Map
		caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
			if c.Tool == "no" {
				left.Wait()
				return &Answer{IsError: true, Text: "no such thing"}, nil
			}
			left.Done()
			switch c.Tool {
			case "read":
				<-ctx.Done()
				close(release)
				return nil, &CallError{Kind: KindCancelled, Sent: SentYes}
			case "write":
				<-release
				ended.Store("write", ctx.Err())
			}
			return structured(`{}`), nil
		})
		p := planOf(call("r", "read", ``), call("w", "write", ``, effect("write")), call("bad", "no", ``))
		out, err := drive(t, t.Context(), p, &memoryLog{}, Options{Caller: caller})
		if err != nil || out.Status != StatusFailed || out.Err.Message != "Step bad failed: The tool demo.main.no answered with an error: no such thing" {
			t.Fatalf("got %+v, %v", out, err)
		}
		if e, ok := ended.Load("write"); !ok || e != nil {
			t.Errorf("the write ended with %v, %v", e, ok)
		}
	})
}

func TestAJournalThatFailsEndsTheRun(t *testing.T) {
	// The events are: session opened, two starts, two ends, the end of the run.
	for failAt := 1; failAt <= 6; failAt++ {
		var told []Event
		left := make(chan struct{})
		caller := callerFunc(func(ctx context.Context, c Call) (*Answer, error) {
			if c.Tool == "hang" {
				close(left)
				<-ctx.Done()
				return nil, &CallError{Kind: KindCancelled, Sent: SentMaybe}
			}
			select {
			case <-left:
			case <-ctx.Done():
			}
			return &Answer{IsError: true, Text: "no"}, nil
		})
		p := planOf(call("a", "t", ``, effect("write")), call("b", "hang", ``))
		out, err := drive(t, t.Context(), p, &memoryLog{failAt: failAt}, Options{Caller: caller, Watch: func(e Event) { told = append(told, e) }})
		if out != nil || !errors.Is(err, errDiskFull) || !strings.Contains(err.Error(), "run-1") {
			t.Errorf("append %d fails: got %+v, %v", failAt, out, err)
		}
		for _, e := range told {
			if _, ok := e.(RunFinished); ok {
				t.Errorf("append %d fails: an end is told that is not recorded", failAt)
			}
		}
	}
}

func TestNothingLeavesThatCannotBeRecorded(t *testing.T) {
	left := 0
	caller := callerFunc(func(context.Context, Call) (*Answer, error) { left++; return structured(`{}`), nil })
	if _, err := drive(t, t.Context(), planOf(call("a", "t", ``, effect("write"))), &memoryLog{failAt: 2}, Options{Caller: caller}); !errors.Is(err, errDiskFull) {
		t.Errorf("got %v", err)
	}
	if left != 0 {
		t.Error("a request left whose intent is not on disk")
	}
}

func TestResultsAreRedactedWhenTheyEnter(t *testing.T) {
	log := &memoryLog{}
	p := outputs(planOf(
		call("a", "leak", `{ t = secret.token }`), call("b", "refuse", ``, tolerate("*")), call("c", "break", ``, tolerate("*")),
	), "o", "[step.a, step.b, step.c]")
	p.Secrets = []plan.Secret{{Name: "token", Env: "TOKEN"}}
	var sent string
	w := world{
		"leak": func(args value.Value) (*Answer, *CallError) {
			sent = args.JSON()
			return structured(`{"you sent":"s3cret-token"}`), nil
		},
		"refuse": refuse("bad s3cret-token"),
		"break": func(value.Value) (*Answer, *CallError) {
			return nil, &CallError{Kind: KindTransport, Message: "exit status 1: s3cret-token"}
		},
	}
	out, err := drive(t, t.Context(), p, log, Options{Caller: tools(w)})
	if err != nil || out.Err != nil {
		t.Fatal(out, err)
	}
	if sent != `{"t":"s3cret-token"}` {
		t.Errorf("the server got %s", sent)
	}
	kept := out.Outputs.JSON()
	for _, ev := range log.events {
		kept += fmt.Sprintf("%s", ev.Data)
	}
	if strings.Contains(kept, "s3cret-token") || strings.Count(out.Outputs.JSON(), "(secret token)") < 4 {
		t.Errorf("a secret is kept in %s", kept)
	}
}

func TestANewGenerationIsRecordedAsANewSession(t *testing.T) {
	log := &memoryLog{}
	p := planOf(call("a", "t", ``, tolerate("*")), call("b", "t", ``, after("a")), call("c", "t", ``, after("b")))
	n := uint64(0)
	caller := generations(func(c Call) (*Answer, error) {
		n++
		if err := c.BeforeSend(min(n, 2)); err != nil {
			return nil, err
		}
		if n == 1 {
			return nil, &CallError{Kind: KindTransport, Message: "demo.main died.", Generation: 1, Sent: SentYes}
		}
		return structured(`{}`), nil
	})
	if _, err := drive(t, t.Context(), p, log, Options{Caller: caller}); err != nil {
		t.Fatal(err)
	}
	wantLines(t, log.all(), "session.opened", "node.started a", "node.failed a", "session.lost", "session.opened", "node.started b", "node.completed b", "node.started c", "node.completed c", "run.finished")
	for _, ev := range log.events {
		if d, ok := ev.Data.(journal.SessionLost); ok && d != (journal.SessionLost{Connection: "demo.main", Generation: 1, Reason: "demo.main died."}) {
			t.Errorf("what was lost is %+v", d)
		}
	}
}

// generations is a Caller that calls BeforeSend itself.
type generations func(Call) (*Answer, error)

func (f generations) Call(_ context.Context, c Call) (*Answer, error) { return f(c) }

func TestElementsAreQueuedInTheirOrderThoughAllAreInFlight(t *testing.T) {
	const n = 50
	var mu sync.Mutex
	var order []string
	all := make(chan struct{})
	caller := generations(func(c Call) (*Answer, error) {
		mu.Lock()
		order = append(order, string(c.Args))
		if len(order) == n {
			close(all)
		}
		mu.Unlock()
		c.Queued()
		<-all
		if err := c.BeforeSend(1); err != nil {
			return nil, err
		}
		return structured(`{}`), nil
	})
	p := planOf(call("a", "t", `{ n = each.value }`, forEach(fmt.Sprintf("range(%d)", n)), parallel(fmt.Sprint(n)), effect("write")))
	if out, err := drive(t, t.Context(), p, &memoryLog{}, Options{Caller: caller}); err != nil || out.Status != StatusCompleted {
		t.Fatalf("got %+v, %v", out, err)
	}
	for i, args := range order {
		if want := fmt.Sprintf(`{"n":%d}`, i); args != want {
			t.Fatalf("call %d is %s, want %s", i, args, want)
		}
	}
}

// A server that dies fails all calls of its session at once. Whose goroutine runs
// first is chance; the run names the call that the server had.
func TestTheFirstCallOfALostSessionIsToBlame(t *testing.T) {
	behind := make(chan struct{})
	caller := generations(func(c Call) (*Answer, error) {
		if string(c.Args) == `{"n":0}` {
			if err := c.BeforeSend(1); err != nil {
				return nil, err
			}
			<-behind // the others have failed
			return nil, &CallError{Kind: KindTransport, Message: "The server ended.", Sent: SentMaybe, SessionOver: true, Generation: 1}
		}
		c.Queued()
		if string(c.Args) == `{"n":4}` {
			defer close(behind)
		}
		return nil, &CallError{Kind: KindTransport, Message: "The server ended.", Sent: SentNo, SessionOver: true, Generation: 1}
	})
	p := planOf(call("a", "t", `{ n = each.value }`, forEach("range(5)"), parallel("5"), effect("write")))
	out, err := drive(t, t.Context(), p, &memoryLog{}, Options{Caller: caller})
	if err != nil || out.Status != StatusFailed {
		t.Fatalf("got %+v, %v", out, err)
	}
	if out.Err.At.String() != "a[0]" || !out.Err.InDoubt {
		t.Errorf("the run blames %s (in doubt: %v)", out.Err.At, out.Err.InDoubt)
	}
}
