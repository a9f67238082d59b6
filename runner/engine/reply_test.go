package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

func jsonValue(text string) *value.Value {
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return &v
}

// parked runs a plan until it waits.
func parked(t testing.TB, store *journal.Store, prog *Program, caller Caller) journal.RunID {
	t.Helper()
	out, err := Run(context.Background(), Options{Program: prog, Journal: store, Caller: caller})
	if err != nil || out.Status != StatusWaiting {
		t.Fatalf("it does not wait: %+v, %v", out, err)
	}
	return journal.RunID(out.Run)
}

func TestAnAnswerIsHeldAgainstTheQuestion(t *testing.T) {
	store := openJournal(t)
	p := outputs(planOf(asks("a", `"Which?"`, `object({ pick = string, more = optional(list(string), []), n = optional(integer) })`,
		choices(`{ pick = ["a", "b"], more = ["c"] }`), approvers(`["ann", "bob"]`))), "o", "step.a.output")
	p.Seal()
	prog := program(t, p)
	id := parked(t, store, prog, tools(nil))
	for _, c := range []struct {
		step, by, data string
		reason         error
		want           string
	}{
		{"a", "eve", `{"pick":"a"}`, ErrNotApprover, "The question of the step a is for ann or bob to answer, and eve is not among them."},
		{"a", "", `{"pick":"a"}`, ErrNotApprover, "somebody without a name is not among them"},
		{"a", "ann", `{"pick":1}`, ErrBadAnswer, "The answer to the step a is wrong at pick: a number where a string is wanted."},
		{"a", "ann", `{}`, ErrBadAnswer, `wrong at pick: missing where a string is wanted`},
		{"a", "ann", `{"pick":"c"}`, ErrBadAnswer, `wrong at pick: it is "c", and must be one of "a", "b".`},
		{"a", "ann", `{"pick":"a","more":["c","d"]}`, ErrBadAnswer, `wrong at more[1]: it is "d", and must be one of "c".`},
		{"a", "ann", `{"pick":"a","n":1.5}`, ErrBadAnswer, "wrong at n"},
		{"a", "ann", `{"pick":"a","mor":["c"]}`, ErrBadAnswer, `is wrong: it has an attribute "mor", and none of that name is asked for. It must be of the type object({ pick`},
		{"a[0]", "ann", `{"pick":"a"}`, journal.ErrNoWait, "asks nothing yet"},
		{"x y", "ann", `{}`, ErrNoQuestion, "names no step"},
	} {
		_, err := AnswerQuestion(t.Context(), store, id, Reply{Step: c.step, By: c.by, Data: jsonValue(c.data)})
		if !errors.Is(err, c.reason) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s by %q: %v", c.data, c.step, c.by, err)
		}
	}
	if _, err := AnswerQuestion(t.Context(), store, id, Reply{Step: "a", By: "bob", Data: jsonValue(`{"pick":"b"}`)}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // before the run has taken it, and afterwards
		_, err := AnswerQuestion(t.Context(), store, id, Reply{Step: "a", By: "ann", Decline: true})
		if !errors.Is(err, journal.ErrAnswered) || !strings.Contains(err.Error(), "The question of a was answered already, by bob at ") {
			t.Errorf("a second answer: %v", err)
		}
		out, err := Resume(t.Context(), Options{Program: prog, Journal: store, Caller: tools(nil)}, id)
		if err == nil && out.Outputs.JSON() != `{"o":{"pick":"b","more":[]}}` {
			t.Errorf("got %+v", out)
		}
	}
}

func TestAfterTheDeadlineNobodyCanAnswer(t *testing.T) {
	now := time.Now()
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	store, err := journal.Open(t.Context(), t.TempDir()+"/.wfc", journal.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p := planOf(asks("a", `"Go on?"`, "object({})", deadline(`"1h"`)))
	p.Seal()
	prog := program(t, p)
	out, err := Run(t.Context(), Options{Program: prog, Journal: store, Caller: tools(nil), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	now = now.Add(2 * time.Hour)
	mu.Unlock()
	if _, err := AnswerQuestion(t.Context(), store, journal.RunID(out.Run), Reply{Step: "a"}); !errors.Is(err, journal.ErrNoWait) || !strings.Contains(err.Error(), "The deadline of the question of a passed at ") {
		t.Errorf("too late: %v", err)
	}
	if out, err = Resume(t.Context(), Options{Program: prog, Journal: store, Caller: tools(nil), Clock: clock}, journal.RunID(out.Run)); err != nil || out.Err == nil || out.Err.Kind != KindTimeout {
		t.Errorf("got %+v, %v", out, err)
	}
}

// Of any number of answers at once exactly one counts, and the others are told whose.
func TestPropertyExactlyOneAnswerWins(t *testing.T) {
	store := openJournal(t)
	p := outputs(planOf(asks("a", `"Who?"`, "string", tolerate("declined"))), "o", "[step.a.outcome, step.a.output]")
	p.Seal()
	prog := program(t, p)
	rapid.Check(t, func(rt *rapid.T) {
		declines := rapid.SliceOfN(rapid.Bool(), 2, 6).Draw(rt, "declines")
		id := parked(t, store, prog, tools(nil))
		errs := make([]error, len(declines))
		var answering sync.WaitGroup
		for i, decline := range declines {
			answering.Go(func() {
				r := Reply{Step: "a", By: fmt.Sprint("p", i), Decline: decline}
				if !decline {
					r.Data = jsonValue(fmt.Sprintf("%q", r.By))
				}
				_, errs[i] = AnswerQuestion(context.Background(), store, id, r)
			})
		}
		answering.Wait()
		winner := slices.Index(errs, nil)
		for i, err := range errs {
			if i != winner && (!errors.Is(err, journal.ErrAnswered) || !strings.Contains(err.Error(), fmt.Sprint(" by p", winner, " "))) {
				rt.Errorf("the answer of p%d: %v, and p%d has won", i, err, winner)
			}
		}
		out, err := Resume(context.Background(), Options{Program: prog, Journal: store, Caller: tools(nil)}, id)
		want := fmt.Sprintf(`{"o":["ok","p%d"]}`, winner)
		if winner >= 0 && declines[winner] {
			want = `{"o":["error",null]}`
		}
		if err != nil || out.Outputs.JSON() != want {
			rt.Errorf("got %+v, %v; want %s", out, err, want)
		}
	})
}

func TestARunGoesOnAtOnceWhenSomebodyElseAnswers(t *testing.T) {
	store := openJournal(t)
	p := outputs(planOf(asks("a", `"Go on?"`, "bool"), call("b", "t", `{ n = step.a.output }`, after("a"))), "o", "step.b.output.n")
	p.Seal()
	asked := make(chan journal.Question, 1)
	givenUp := make(chan struct{})
	var told []string
	opts := Options{
		Program: program(t, p), Journal: store, Caller: tools(world{"t": echo}),
		Ask: func(ctx context.Context, q journal.Question) {
			asked <- q
			<-ctx.Done()
			close(givenUp)
		},
		Watch: func(ev Event) {
			switch ev := ev.(type) {
			case StepWaiting:
				told = append(told, "asks "+ev.Question.Message)
			case StepAnswered:
				told = append(told, "answered by "+ev.By)
			}
		},
	}
	go func() {
		q := <-asked
		owner, err := AnswerQuestion(context.Background(), store, q.Run, Reply{Step: q.Name, Data: jsonValue("true"), By: "ann"})
		if err != nil || owner == nil {
			t.Errorf("the owner is %v: %v", owner, err)
		}
	}()
	out, err := Run(t.Context(), opts)
	if err != nil || out.Outputs.JSON() != `{"o":true}` {
		t.Errorf("got %+v, %v", out, err)
	}
	<-givenUp
	if got := strings.Join(told, "; "); got != "asks Go on?; answered by ann" {
		t.Errorf("it was told %s", got)
	}
}

func TestARunStopsToWaitWhenNobodyHereWillAnswer(t *testing.T) {
	store := openJournal(t)
	p := planOf(asks("a", `"Go on?"`, "bool"), asks("b", `"And then?"`, "bool", forEach("[1, 2]")))
	p.Seal()
	var mu sync.Mutex
	var asked []string
	out, err := Run(t.Context(), Options{Program: program(t, p), Journal: store, Caller: tools(nil), Ask: func(_ context.Context, q journal.Question) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, q.Name)
	}})
	slices.Sort(asked)
	if err != nil || out.Status != StatusWaiting || len(out.Questions) != 3 || strings.Join(asked, " ") != "a b[0] b[1]" {
		t.Errorf("got %+v, %v; %v were asked", out, err, asked)
	}
	record, err := store.Run(t.Context(), out.Run)
	if err != nil || record.Status != journal.Waiting || len(record.Questions) != 3 {
		t.Errorf("the journal has %+v, %v", record, err)
	}
}

// A run that asks, and whose process dies after any of its events, asks the same
// again, takes the answers that it had, and does everything once.
func TestARunThatAsksGoesOnFromEveryPointOfItsJournal(t *testing.T) {
	p := outputs(gated(
		asks("a", `"Go on?"`, "object({ n = integer })"),
		call("d", "t", `{ n = step.a.output.n + each.value }`, effect("destructive"), idempotent, forEach("[1, 2]"), after("a")),
		asks("each", `"Take ${each.value}?"`, "bool", forEach("[1, 2]"), after("d"), tolerate("declined")),
		asks("f", `"Bye?"`, "object({})", finally),
	), "o", "[[for r in step.d : r.output.n], [for r in step.each : r.outcome]]")
	p.Seal()
	store, prog := openJournal(t), program(t, p)
	answers := map[string]string{"a": `{"n":10}`, "d": `{}`, "each[0]": "true", "each[1]": "", "f": "{}"}
	for n := 0; ; n++ {
		server := &effects{done: map[string]int{}}
		opts := Options{Program: prog, Caller: server, Journal: store, Ask: func(ctx context.Context, q journal.Question) {
			r := Reply{Step: q.Name, By: "ann", Decline: answers[q.Name] == ""}
			if !r.Decline {
				r.Data = jsonValue(answers[q.Name])
			}
			if _, err := AnswerQuestion(ctx, store, q.Run, r); err != nil && ctx.Err() == nil && !errors.Is(err, journal.ErrAnswered) {
				t.Errorf("after %d events, %s: %v", n, q.Name, err)
			}
		}}
		id, ended := runWithUntil(t, opts, n)
		if ended {
			if n < 20 {
				t.Errorf("the run has %d events", n)
			}
			return
		}
		out, err := Resume(t.Context(), opts, id)
		if err != nil || out.Err != nil || out.Outputs.JSON() != `{"o":[[11,12],["ok","error"]]}` {
			t.Fatalf("after %d events: %+v, %v", n, out, err)
		}
		for call, times := range server.done {
			if times > 2 {
				t.Errorf("after %d events, %s was called %d times", n, call, times)
			}
		}
	}
}

func TestASensitiveAnswerIsNowhereInTheClear(t *testing.T) {
	root := t.TempDir()
	store, err := journal.Open(t.Context(), filepath.Join(root, ".wfc"), journal.Options{Keys: journal.KeyFile(filepath.Join(root, "key"))})
	if err != nil {
		t.Fatal(err)
	}
	p := outputs(planOf(asks("a", `"What do they earn?"`, "string", result(`sensitive(self.output)`)), val("n", "length(step.a.output)", after("a"))), "n", "step.n.output")
	p.Seal()
	prog := program(t, p)
	id := parked(t, store, prog, tools(nil))
	record, err := store.Run(t.Context(), string(id))
	if err != nil || record.Questions[0].Message != "What do they earn?" || !record.Questions[0].Sealed {
		t.Fatalf("the question is %+v, %v", record.Questions, err)
	}
	if _, err := AnswerQuestion(t.Context(), store, id, Reply{Step: "a", Data: jsonValue(`"` + theSecretPart + `"`)}); err != nil {
		t.Fatal(err)
	}
	clear := func(when string) {
		for _, name := range []string{"journal.db", "journal.db-wal"} {
			data, err := os.ReadFile(filepath.Join(root, ".wfc", name))
			if err == nil && strings.Contains(string(data), theSecretPart) {
				t.Errorf("%s the answer stands in %s", when, name)
			}
		}
	}
	clear("on its way,")
	out, err := Resume(t.Context(), Options{Program: prog, Journal: store, Caller: tools(nil)}, id)
	if err != nil || out.Outputs.JSON() != `{"n":17}` {
		t.Fatalf("got %+v, %v", out, err)
	}
	clear("taken,")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	clear("at last,")
}
