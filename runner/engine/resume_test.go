package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// dyingLog is a journal that takes so many events and no more, as of a process
// that dies then.
type dyingLog struct {
	*journal.Run
	left *atomic.Int64
}

func newDyingLog(log *journal.Run, events int) *dyingLog {
	l := &dyingLog{log, &atomic.Int64{}}
	l.left.Store(int64(events))
	return l
}

var errDied = errors.New("the process died")

func (l *dyingLog) Append(ev journal.Event) error {
	if l.left.Add(-1) < 0 {
		return errDied
	}
	return l.Run.Append(ev)
}

func (l *dyingLog) Barrier(ctx context.Context) error {
	if l.left.Load() < 0 {
		return errDied
	}
	return l.Run.Barrier(ctx)
}

func (l *dyingLog) Commit(ctx context.Context, evs ...journal.Event) error {
	for _, ev := range evs {
		if err := l.Append(ev); err != nil {
			return err
		}
	}
	return l.Run.Barrier(ctx)
}

// runUntil runs a plan in a process that dies after so many events; it reports
// whether the run came to its end before.
func runUntil(t *testing.T, store *journal.Store, prog *Program, caller Caller, events int) (journal.RunID, bool) {
	t.Helper()
	return runWithUntil(t, Options{Program: prog, Caller: caller, Journal: store}, events)
}

func runWithUntil(t *testing.T, opts Options, events int) (journal.RunID, bool) {
	t.Helper()
	prog, store := opts.Program, opts.Journal
	inputs := value.OfObject(nil)
	created := journal.NewRun{Plan: prog.encoded(), PlanDigest: prog.plan.Digest, Workflow: "w", Inputs: []byte("{}")}
	if opts.Past != nil {
		created.Reuses = opts.Past.run
	}
	log, err := store.CreateRun(t.Context(), created)
	if err != nil {
		t.Fatal(err)
	}
	d := newDriver(opts, newDyingLog(log, events), nil)
	d.owns(t.Context(), log, store)
	_, err = d.run(t.Context(), RunCreated{Run: string(log.ID()), StartedAt: log.StartedAt(), Inputs: inputs})
	if err != nil && !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return log.ID(), err == nil
}

// effects is a server that counts what was done to it.
type effects struct {
	mu   sync.Mutex
	done map[string]int // by tool and arguments
}

func (e *effects) Call(ctx context.Context, c Call) (*Answer, error) {
	c.Queued()
	if err := c.BeforeSend(1); err != nil {
		return nil, &CallError{Kind: KindCancelled, Message: "It was not sent.", Sent: SentNo}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done[c.Tool+string(c.Args)]++
	if c.Tool == "no" {
		return &Answer{IsError: true, Text: "no"}, nil
	}
	return structured(string(c.Args)), nil
}

// A run whose process dies after any of its events goes on from there: nothing that
// ended is done again, nothing that may not be repeated is done twice, and it ends
// as it would have.
func TestARunGoesOnFromEveryPointOfItsJournal(t *testing.T) {
	child := sub("c", outputs(planOf(call("t", "t", `{ child = input.n }`, effect("write"), undo("u", `{ child = input.n }`))), "n", "step.t.output.child"))
	ok := outputs(planOf(
		call("read", "t", `{ n = 0 }`),
		call("write", "t", `{ n = 1 }`, effect("write"), after("read"), func(n *plan.NodeSpec) { n.ResultType = "object({ n = integer })" }),
		call("fan", "t", `{ fan = each.value }`, effect("write"), idempotent, forEach("[1, 2, 3]"), parallel("1"), after("write")),
		runs("child", "c", `{ n = 4 }`, after("fan")),
		call("loop", "t", `{ i = loop.index }`, loop("self.output.i < 2", "5"), after("child")),
		plan.NodeSpec{ID: "pause", Kind: plan.Sleep, Sleep: `"1ms"`, After: []string{"loop"}},
		call("f", "t", `{ o = run.outcome }`, finally, idempotent, effect("write")),
	), "o", "[step.read.output.n, [for r in step.fan : r.outcome], step.child.output.n, length(step.loop), step.pause.outcome]")
	failing := outputs(planOf(
		call("a", "t", `{ n = 1 }`, effect("write"), idempotent, undo("u", `{ n = args.n }`)),
		runs("child", "c", `{ n = 2 }`, after("a")),
		call("b", "no", ``, after("child")),
		call("f", "t", `{ o = run.outcome }`, finally),
	), "o", "1")
	for _, c := range []struct {
		name  string
		plan  *plan.Plan
		child string // what the step of the child calls
		want  string
	}{
		{"completed", ok, `t{"child":4}`, `{"o":[0,["ok","ok","ok"],4,3,"ok"]}`},
		{"failed", failing, `t{"child":2}`, "Step b failed: The tool demo.main.no answered with an error: no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := openJournal(t)
			withChildren(c.plan, child)
			c.plan.Seal()
			prog := program(t, c.plan)
			asked := 0
			for n := 0; ; n++ {
				server := &effects{done: map[string]int{}}
				id, ended := runUntil(t, store, prog, server, n)
				if ended {
					if n < 15 || asked == 0 {
						t.Errorf("the run has %d events, and %d of its points were in doubt", n, asked)
					}
					return
				}
				opts := Options{Program: prog, Caller: server, Journal: store}
				out, err := Resume(t.Context(), opts, id)
				for err == nil && out.Status == StatusWaiting {
					asked++
					step := out.Doubts[0].String()
					server.mu.Lock()
					as, output := journal.ResolvedRetry, (*value.Value)(nil)
					if tool := map[string]string{"write": `t{"n":1}`, "child/t": c.child, "child/t~1": `u{"child":2}`, "a~1": `u{"n":1}`}[step]; server.done[tool] > 0 {
						as = journal.ResolvedOK
						output = structured(strings.TrimLeft(tool, "tu")).Structured
					}
					server.mu.Unlock()
					if err := Resolve(t.Context(), store, prog, id, Word{Step: step, As: as, Output: output, By: "me"}); err != nil {
						t.Fatal(err)
					}
					out, err = Resume(t.Context(), opts, id)
				}
				if err != nil {
					t.Fatalf("after %d events: %v", n, err)
				}
				got := out.Outputs.JSON()
				if out.Err != nil {
					got = out.Err.Message
				}
				if got != c.want {
					t.Errorf("after %d events it ends with %s", n, got)
				}
				for call, times := range server.done {
					if may := strings.HasPrefix(call, `t{"n":0`) || strings.HasPrefix(call, `t{"fan`) || strings.HasPrefix(call, `t{"i`) || strings.HasPrefix(call, `t{"o`) || call == "no{}" || c.name == "failed" && call == `t{"n":1}`; times > 1 && !may || times > 2 {
						t.Errorf("after %d events, %s was called %d times", n, call, times)
					}
				}
				record, err := store.Run(t.Context(), string(id))
				if err != nil || record.Status != journal.Status(out.Status) {
					t.Errorf("after %d events the journal has %v, %v", n, record.Status, err)
				}
			}
		})
	}
}

func TestARunIsCancelledThatNobodyExecutes(t *testing.T) {
	store := openJournal(t)
	p := planOf(
		call("a", "t", `{ n = 1 }`, effect("write"), undo("u", `{ n = args.n }`)),
		call("b", "t", `{ n = 2 }`, after("a")), call("f", "t", `{ o = run.outcome }`, finally),
	)
	p.Seal()
	prog := program(t, p)
	server := &effects{done: map[string]int{}}
	id, _ := runUntil(t, store, prog, server, 3)
	if owner, err := store.Send(t.Context(), id, journal.Event{Data: journal.CancelRequested{By: "me"}}); err != nil || owner != nil {
		t.Fatal(owner, err)
	}
	out, err := Resume(t.Context(), Options{Program: prog, Caller: server, Journal: store}, id)
	if err != nil || out.Status != StatusCancelled {
		t.Fatalf("got %+v, %v", out, err)
	}
	if server.done[`u{"n":1}`] != 1 || server.done[`t{"o":"cancelled"}`] != 1 || server.done[`t{"n":2}`] != 0 {
		t.Errorf("what was done is %v", server.done)
	}
}

func TestChangedArgumentsStopARunThatIsResumed(t *testing.T) {
	store := openJournal(t)
	prog := func(args string) *Program {
		p := planOf(call("a", "t", args, effect("write"), idempotent))
		p.Seal()
		return program(t, p)
	}
	server := &effects{done: map[string]int{}}
	id, _ := runUntil(t, store, prog(`{ n = 1 }`), server, 2)
	_, err := Resume(t.Context(), Options{Program: prog(`{ n = 2 }`), Caller: server, Journal: store}, id)
	if e := (*ChangedError)(nil); !errors.As(err, &e) || e.Step != "a" || server.done[`t{"n":2}`] != 0 {
		t.Errorf("it gives %v, and what was done is %v", err, server.done)
	}
}

func TestPrivateSessionsOfADeadProcessAreGoneUnlessNewOnesWillDo(t *testing.T) {
	for _, anew := range []bool{false, true} {
		store := openJournal(t)
		p := planOf(call("a", "t", `{ n = 0 }`), call("b", "t", `{ n = 1 }`, after("a")))
		p.Sources[0].Session = "run"
		p.Seal()
		prog := program(t, p)
		server := &effects{done: map[string]int{}}
		id, _ := runUntil(t, store, prog, server, 3) // a session, and a's start and end
		opts := Options{Program: prog, Caller: server, Journal: store, NewSessions: anew}
		out, err := Resume(t.Context(), opts, id)
		switch {
		case err != nil:
			t.Fatal(err)
		case anew && out.Status != StatusCompleted, !anew && (out.Err == nil || out.Err.Kind != KindSession):
			t.Errorf("with new sessions: %v; it ends with %s, %v", anew, out.Status, out.Err)
		}
	}
}

// One who goes on with new sessions may say so after the run was gone on with once, as a
// server does by itself when it starts, and waits for a word on a step.
func TestNewSessionsMayComeAfterARunWaited(t *testing.T) {
	store := openJournal(t)
	p := planOf(call("a", "t", `{ n = 0 }`, effect("write"), idempotent), call("b", "t", `{ n = 1 }`, effect("write"), after("a")), call("c", "t", `{ n = 2 }`, after("b")))
	p.Sources[0].Session = "run"
	p.Seal()
	prog := program(t, p)
	server := &effects{done: map[string]int{}}
	var id journal.RunID
	for n := 1; server.done[`t{"n":1}`] == 0; n++ { // until it dies with the call of b under way
		clear(server.done)
		id, _ = runUntil(t, store, prog, server, n)
	}
	opts := Options{Program: prog, Caller: server, Journal: store}
	out, err := Resume(t.Context(), opts, id)
	if err != nil || out.Status != StatusWaiting {
		t.Fatalf("it is %+v, %v", out, err)
	}
	if err := Resolve(t.Context(), store, prog, id, Word{Step: "b", As: journal.ResolvedOK, Output: new(value.OfObject(nil))}); err != nil {
		t.Fatal(err)
	}
	opts.NewSessions = true
	if out, err = Resume(t.Context(), opts, id); err != nil || out.Status != StatusCompleted {
		t.Errorf("with new sessions it ends with %s, %v, %v", out.Status, out.Err, err)
	}
}

// An undo block is asked about as any call whose answer was lost: else what it was to
// undo might stay.
func TestAnUndoInDoubtIsAskedAbout(t *testing.T) {
	for word, want := range map[journal.Resolution]int{journal.ResolvedOK: 0, journal.ResolvedError: 0, journal.ResolvedRetry: 1} {
		store := openJournal(t)
		p := planOf(
			runs("c", "c", ``),
			call("no", "no", ``, after("c")),
			call("f", "t", `{ errors = [for e in run.errors : e.kind] }`, finally, idempotent),
		)
		withChildren(p, sub("c", planOf(call("a", "t", `{ n = 1 }`, effect("write"), undo("u", `{ n = args.n }`), func(n *plan.NodeSpec) {
			n.Undo[0].ResultType = "string"
		}))))
		p.Seal()
		prog := program(t, p)
		// The process dies when the start of the undo is on disk and nothing was sent.
		server := &effects{done: map[string]int{}}
		var id journal.RunID
		for n := 1; ; n++ {
			if n > 30 {
				t.Fatal("no undo was on its way when the process died")
			}
			server.done = map[string]int{}
			if id, _ = runUntil(t, store, prog, server, n); server.done["no{}"] > 0 {
				core, err := Restore(prog, CoreOptions{}, id, store.Events(t.Context(), id))
				if err != nil {
					t.Fatal(err)
				}
				if last := core.lost[len(core.lost)-1]; last.Undo > 0 && core.instance(last).live != nil {
					break
				}
			}
		}
		clear(server.done)
		opts := Options{Program: prog, Caller: server, Journal: store}
		out, err := Resume(t.Context(), opts, id)
		if err != nil || out.Status != StatusWaiting || len(out.Doubts) != 1 || out.Doubts[0].String() != "c/a~1" {
			t.Fatalf("got %+v, %v", out, err)
		}
		if err := Resolve(t.Context(), store, prog, id, Word{Step: "c/a~1", As: word}); err != nil {
			t.Fatal(err)
		}
		if out, err = Resume(t.Context(), opts, id); err != nil || out.Status != StatusFailed || server.done[`u{"n":1}`] != want {
			t.Errorf("as %s it ends with %+v, %v; what was done is %v", word, out, err, server.done)
		}
	}
}
