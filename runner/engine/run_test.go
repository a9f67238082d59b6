package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

func openJournal(t testing.TB) *journal.Store {
	t.Helper()
	store, err := journal.Open(t.Context(), t.TempDir()+"/.wfc", journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func TestARunIsInItsJournalAndCanBeRestoredFromIt(t *testing.T) {
	store := openJournal(t)
	p := outputs(planOf(
		call("a", "t", `{ name = input.name, big = 9007199254740993, nfd = "é\r\n" }`),
		call("no", "no", ``, tolerate("tool")),
		val("skip", "1", when("false")),
		call("fan", "t", `{ n = each.value }`, forEach(`{ "d e" = 1, fr = 2 }`), parallel("1"), effect("write"), after("a")),
		call("list", "t", `{ n = each.value }`, forEach(`[3]`), after("fan")),
		val("last", `[step.a.output, step.no.text, step.skip.outcome, [for r in step.list : r.output.n]]`, after("a", "no", "skip", "list")),
	), "o", "step.last.output", "id", "run.id", "at", "run.started_at")
	p.Inputs = []plan.Input{{Name: "name", Type: "string", Default: raw(`"world"`)}}
	p.Seal()
	prog := program(t, p)
	out, err := Run(t.Context(), Options{
		Program: prog, Journal: store, Caller: tools(world{"t": echo, "no": refuse("not here")}),
	})
	if err != nil || out.Err != nil {
		t.Fatalf("got %+v, %v", out, err)
	}
	record, err := store.Run(t.Context(), out.Run)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\"o\":[{\"name\":\"world\",\"big\":9007199254740993,\"nfd\":\"é\\r\\n\"},\"not here\",\"skipped\",[3]],\"id\":\"" +
		out.Run + "\",\"at\":\"" + record.StartedAt.Format(time.RFC3339) + "\"}"
	if out.Outputs.JSON() != want || string(record.Outputs) != want {
		t.Errorf("the outputs are\n     %s\nin the journal\n     %s\nwant %s", out.Outputs.JSON(), record.Outputs, want)
	}
	if record.Status != journal.Completed || string(record.Inputs) != `{"name":"world"}` {
		t.Errorf("the run is %s with the inputs %s", record.Status, record.Inputs)
	}
	var steps []string
	for _, s := range record.Steps {
		steps = append(steps, s.Step+string(s.Key)+" "+string(s.State))
	}
	wantSteps := `a ok; no error; skip skipped; fan ok; fan"d e" ok; fan"fr" ok; list ok; list0 ok; last ok`
	if got := strings.Join(steps, "; "); got != wantSteps {
		t.Errorf("the steps are\n     %s\nwant %s", got, wantSteps)
	}

	core, err := Restore(prog, CoreOptions{}, record.Run, store.Events(t.Context(), record.Run))
	if err != nil {
		t.Fatal(err)
	}
	if commands := core.Next(testTime); len(commands) > 0 {
		t.Errorf("after the end there is something to do: %+v", commands)
	}
	if core.Ended() == nil || core.Ended().Outputs.JSON() != want {
		t.Errorf("restored, it has ended with %+v", core.Ended())
	}
	for i := range core.frames[0].nodes {
		result := core.result(core.frames[0], i)
		if core.frames[0].nodes[i].state == StateSkipped {
			continue
		}
		if core.prog.nodes[i].spec.ID == "a" && !strings.Contains(result.JSON(), `"output":{"name":"world","big":9007199254740993`) {
			t.Errorf("restored, step.a is %s", result.JSON())
		}
	}
}

func TestARestoredResultIsTheLiveOne(t *testing.T) {
	blob := value.OfBlob(&value.BlobValue{MIMEType: "image/png", Size: 3, SHA256: strings.Repeat("ab", 32)})
	image := value.NewObject(2)
	image.Set("type", value.OfString("image"))
	image.Set("blob", blob)
	code := -32000
	s := newSim(t, planOf(call("a", "t", ``)), nil).begin()
	at := Addr{Node: 0, Elem: Whole}
	for name, end := range map[string]NodeEnded{
		"text":             {Outcome: OutcomeOK, Output: value.OfString("x"), Text: "x", Content: []value.Value{textPart("x")}},
		"no text":          {Outcome: OutcomeOK, Output: value.OfString("")},
		"null":             {Outcome: OutcomeOK},
		"structured":       {Outcome: OutcomeOK, Output: value.OfInt(1), Text: "1", Content: []value.Value{textPart("1")}},
		"a blob":           {Outcome: OutcomeOK, Output: blob, Content: []value.Value{value.OfObject(image)}},
		"text and a blob":  {Outcome: OutcomeOK, Output: value.OfString("x"), Text: "x", Content: []value.Value{textPart("x"), value.OfObject(image)}},
		"text, no content": {Outcome: OutcomeOK, Output: value.OfString("x"), Text: "x"},
		"error answer":     {Outcome: OutcomeError, Text: "no", Content: []value.Value{textPart("no")}, Failure: &Failure{Kind: KindTool, Message: "no", Sent: SentYes}},
		"no answer":        {Outcome: OutcomeError, Failure: &Failure{Kind: KindTransport, Message: "gone", Code: &code, Sent: SentMaybe, InDoubt: true}},
		"skipped":          {Outcome: OutcomeSkipped},
	} {
		end.At, end.Attempts = at, 1
		f, err := s.core.decode(s.core.encode(end, ""))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := f.(NodeEnded)
		live, restored := instance{state: end.Outcome.state()}, instance{state: got.Outcome.state()}
		live.output, live.text, live.content, live.failure, live.attempts = end.Output, end.Text, end.Content, end.Failure, end.Attempts
		restored.output, restored.text, restored.content, restored.failure, restored.attempts = got.Output, got.Text, got.Content, got.Failure, got.Attempts
		want := resultOf(&live, nil)
		if r := resultOf(&restored, nil); !value.Equal(r, want) || got.Failure != nil && *got.Failure.code() != *end.Failure.code() {
			t.Errorf("%s: restored is %s, live %s", name, r.JSON(), want.JSON())
		}
	}
}

// code is what of a failure no result shows.
func (f *Failure) code() *[2]any {
	return &[2]any{f.Sent, f.InDoubt}
}

func TestARunWithBadInputsIsNotCreated(t *testing.T) {
	store := openJournal(t)
	p := planOf(val("a", "1"))
	p.Inputs = []plan.Input{{Name: "n", Type: "integer"}}
	_, err := Run(t.Context(), Options{Program: program(t, p), Journal: store})
	if e := (*InputError)(nil); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
	runs, err := store.Runs(t.Context(), journal.Filter{})
	if err != nil || len(runs) != 0 {
		t.Errorf("there are %v, %v", runs, err)
	}
}

func TestARunWithoutItsSecretIsNotCreated(t *testing.T) {
	store := openJournal(t)
	p := planOf()
	p.Secrets = []plan.Secret{{Name: "token", Env: "TOKEN"}}
	missing := errors.New("TOKEN is not set")
	_, err := Run(t.Context(), Options{Program: program(t, p), Journal: store, Secret: func(string) (string, error) { return "", missing }})
	if !errors.Is(err, missing) {
		t.Errorf("got %v", err)
	}
	if runs, _ := store.Runs(t.Context(), journal.Filter{}); len(runs) != 0 {
		t.Errorf("there are %v", runs)
	}
}

func TestARunKeyIsUsedOnce(t *testing.T) {
	store := openJournal(t)
	p := planOf(val("a", "1"))
	p.Seal()
	opts := Options{Program: program(t, p), Journal: store, Key: "k"}
	if _, err := Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), opts)
	if e := (*journal.KeyError)(nil); !errors.As(err, &e) {
		t.Errorf("the second run gives %v", err)
	}
}

func TestAnInterruptedRunIsCancelledInTheJournal(t *testing.T) {
	store := openJournal(t)
	p := planOf(call("a", "hang", ``), call("b", "t", ``, after("a")))
	p.Seal()
	ctx, cancel := context.WithCancel(t.Context())
	out, err := Run(ctx, Options{Program: program(t, p), Journal: store, Caller: tools(nil), Watch: func(e Event) {
		if _, ok := e.(StepStarted); ok {
			cancel()
		}
	}})
	if err != nil || out.Status != StatusCancelled {
		t.Fatalf("got %+v, %v", out, err)
	}
	record, err := store.Run(context.Background(), out.Run)
	if err != nil || record.Status != journal.Cancelled || record.Error == nil || record.Error.Kind != "cancelled" {
		t.Errorf("the journal has %+v, %v", record, err)
	}
}

func TestElementsThatNeverLeftAreSkippedInTheJournalAndToldSo(t *testing.T) {
	store := openJournal(t)
	p := planOf(call("a", "t", `{ n = each.value }`, forEach("range(50)"), effect("write")))
	p.Seal()
	caller := whole(func(ctx context.Context, c Call) (*Answer, error) {
		c.Queued()
		if string(c.Args) != `{"n":0}` {
			<-ctx.Done() // its turn never comes
			return nil, &CallError{Kind: KindCancelled, Message: "given up", Sent: SentNo}
		}
		if err := c.BeforeSend(1); err != nil {
			return nil, err
		}
		return &Answer{IsError: true, Text: "no"}, nil
	})
	told := map[StepOutcome]int{}
	out, err := Run(t.Context(), Options{Program: program(t, p), Journal: store, Caller: caller, Watch: func(e Event) {
		if end, ok := e.(StepFinished); ok && !end.Step.Key.IsNull() {
			told[end.Outcome]++
		}
	}})
	if err != nil || out.Status != StatusFailed {
		t.Fatalf("got %+v, %v", out, err)
	}
	if told[OutcomeError] != 1 || told[OutcomeSkipped] != defaultParallel-1 {
		t.Errorf("what is told of elements is %v", told)
	}
	record, err := store.Run(t.Context(), out.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range record.Steps {
		failed := s.Key == nil || string(s.Key) == "0"
		switch {
		case failed && s.State == journal.StateError:
		case !failed && s.State == journal.StateSkipped && s.Attempts == 0 && s.Error == nil:
		default:
			t.Errorf("the journal has %+v", s)
		}
	}
	core, err := Restore(program(t, p), CoreOptions{}, journal.RunID(out.Run), store.Events(t.Context(), journal.RunID(out.Run)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		want := StateSkipped
		if i == 0 {
			want = StateError
		}
		if got := core.State(Addr{Node: 0, Elem: i}); got != want {
			t.Errorf("element %d is %s when the history is replayed, want %s", i, got, want)
		}
	}
}

// whole is a Caller that calls Queued and BeforeSend itself.
type whole func(context.Context, Call) (*Answer, error)

func (f whole) Call(ctx context.Context, c Call) (*Answer, error) { return f(ctx, c) }
