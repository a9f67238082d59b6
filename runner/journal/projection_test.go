package journal

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// anyEvent draws an event of a run with few nodes, in any order: the journal
// keeps what it is told and judges nothing.
func anyEvent() *rapid.Generator[Event] {
	body := rapid.Custom(func(t *rapid.T) json.RawMessage {
		switch rapid.IntRange(0, 9).Draw(t, "body") {
		case 0:
			return nil
		case 1:
			return json.RawMessage(`"` + strings.Repeat("x", MaxInline) + `"`) // a blob
		}
		return json.RawMessage(rapid.SampledFrom([]string{
			`{"n":1.50}`, "{\n}", `"<\u00e9é&>"`, `12345678901234567890.10`, "\"e\u0301\"", `null`,
		}).Draw(t, "json"))
	})
	when := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(1, 1<<33).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	})
	words := rapid.SampledFrom([]string{"", "no", "tool", "Not found: \"<x>\" &\r\n", "\u2028"})
	number := rapid.Custom(func(t *rapid.T) *int {
		if n := rapid.IntRange(-40000, 3).Draw(t, "code"); n < 0 {
			return &n
		}
		return nil
	})
	return rapid.Custom(func(t *rapid.T) Event {
		ev := Event{
			Node:     rapid.SampledFrom([]string{"a", "b", "each"}).Draw(t, "node"),
			Instance: rapid.SampledFrom([]string{"", "0", `"de"`, "\"\u00fc \u0000\""}).Draw(t, "instance"),
			Attempt:  rapid.IntRange(0, 3).Draw(t, "attempt"),
			Time:     when.Draw(t, "time"),
		}
		switch rapid.IntRange(0, 13).Draw(t, "kind") {
		case 0, 1:
			ev.Data = NodeStarted{
				IdempotencyKey: words.Draw(t, "key"), ArgsDigest: words.Draw(t, "digest"), Generation: rapid.Uint64Range(0, 1<<40).Draw(t, "generation"),
				Deadline: when.Draw(t, "deadline"), Repeatable: rapid.Bool().Draw(t, "repeatable"),
			}
		case 2, 3:
			ev.Data = NodeCompleted{Result: body.Draw(t, "result")}
		case 4:
			p := NodeFailed{
				Kind: words.Draw(t, "kind"), Message: words.Draw(t, "message"), Code: number.Draw(t, "code"), Sent: words.Draw(t, "sent"),
				InDoubt: rapid.Bool().Draw(t, "in doubt"), Result: body.Draw(t, "result"),
			}
			if rapid.Bool().Draw(t, "again") {
				p.RetryAt = when.Draw(t, "retry at")
			}
			ev.Data = p
		case 5:
			ev.Data = NodeSkipped{Result: body.Draw(t, "result")}
		case 6:
			ev.Node, ev.Instance = "", ""
			ev.Data = SessionLost{Connection: "github.work", Generation: 7, Reason: words.Draw(t, "reason")}
		case 7:
			ev.Node, ev.Instance = "", ""
			ev.Data = CancelRequested{By: words.Draw(t, "by")}
		case 8:
			ev.Node, ev.Instance = "", ""
			ev.Data = RunFinished{
				Status:  rapid.SampledFrom([]Status{Completed, Failed, Cancelled}).Draw(t, "status"),
				Outputs: body.Draw(t, "outputs"),
				Error:   &Failure{Kind: words.Draw(t, "kind"), Message: words.Draw(t, "message"), Code: number.Draw(t, "code"), Key: json.RawMessage(`"de"`)},
			}
		case 9:
			ev.Data = NodeWaiting{
				For: rapid.SampledFrom([]Wait{WaitTimer, WaitInDoubt}).Draw(t, "for"), Due: when.Draw(t, "due"), Note: body.Draw(t, "note"),
			}
		case 10:
			ev.Data = NodeResolved{As: ResolvedOK, By: words.Draw(t, "by"), Output: body.Draw(t, "output")}
		case 11:
			ev.Node, ev.Instance = "", ""
			ev.Data = RunWaiting{}
		case 12:
			ev.Data = NodeReset{}
		case 13:
			ev.Node, ev.Instance = "", ""
			ev.Data = rapid.SampledFrom([]Payload{RunQueued{Line: "k"}, RunBegun{}}).Draw(t, "turn")
		}
		ev.Sensitive = rapid.Bool().Draw(t, "sensitive") && (ev.Data.body() != nil || messageOf(ev.Data) != "")
		return ev
	})
}

func messageOf(p Payload) string {
	_, message := withoutMessage(p)
	return message
}

// Whatever is appended, in whatever groups and by whatever owner: it is read as
// it was written, in its order, and the projections are what the events say.
func TestLogKeepsEventsAndProjectsThem(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, ".wfc"), Options{Durability: Process, Keys: KeyFile(filepath.Join(dir, "key"))})
	rapid.Check(t, func(rt *rapid.T) {
		r := newRun(t, s)
		want := history(t, s, r.ID())
		for range rapid.IntRange(1, 4).Draw(rt, "groups") {
			events := rapid.SliceOfN(anyEvent(), 0, 6).Draw(rt, "events")
			waited := rapid.IntRange(0, len(events)).Draw(rt, "appended")
			for _, ev := range events[:waited] {
				must(t, r.Append(ev))
			}
			must(t, r.Commit(t.Context(), events[waited:]...))
			want = append(want, events...)
			if rapid.Bool().Draw(rt, "new owner") {
				must(t, r.Close())
				next, err := s.Adopt(t.Context(), r.ID())
				if err == nil {
					r = next
					continue
				}
				break // it is finished
			}
		}
		got := history(t, s, r.ID())
		got = slices.DeleteFunc(got, func(ev Event) bool { return ev.Kind() == KindRunAdopted })
		for i := range got {
			got[i].Seq = 0
		}
		want[0].Seq = 0
		if len(got) != len(want) {
			rt.Fatalf("%d events, want %d", len(got), len(want))
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], want[i]) {
				rt.Fatalf("event %d is %+v, want %+v", i, got[i], want[i])
			}
		}
		checkProjection(t, s)
		must(t, r.Close())
	})
}

func TestNodeStates(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0).UTC() }
	started := Event{Node: "a", Attempt: 1, Time: at(1), Data: NodeStarted{Generation: 4}}
	failed := NodeFailed{Kind: "transport", Message: "It broke.", Sent: "no"}
	again := failed
	again.RetryAt = at(9)
	cases := []struct {
		name   string
		events []Event
		want   string // state, attempts, failure, result
	}{
		{"started", []Event{started}, "running 1 - -"},
		{"completed", []Event{started, {Node: "a", Attempt: 1, Data: NodeCompleted{Result: json.RawMessage(`1`)}}}, "ok 1 - 1"},
		{"completed without a start", []Event{{Node: "a", Data: NodeCompleted{Result: json.RawMessage(`1`)}}}, "ok 0 - 1"},
		{"failed", []Event{started, {Node: "a", Attempt: 1, Data: failed}}, "error 1 transport -"},
		{"waits for its next attempt", []Event{started, {Node: "a", Attempt: 1, Data: again}}, "waiting 1 transport -"},
		{"in its second attempt", []Event{started, {Node: "a", Attempt: 1, Data: again}, {Node: "a", Attempt: 2, Data: NodeStarted{}}}, "running 2 transport -"},
		{"completed in its second attempt", []Event{
			started, {Node: "a", Attempt: 1, Data: again}, {Node: "a", Attempt: 2, Data: NodeStarted{}}, {Node: "a", Attempt: 2, Data: NodeCompleted{Result: json.RawMessage(`2`)}},
		}, "ok 2 - 2"},
		{"skipped", []Event{{Node: "a", Data: NodeSkipped{Result: json.RawMessage(`{"outcome":"skipped"}`)}}}, `skipped 0 - {"outcome":"skipped"}`},
	}
	s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRun(t, s)
			must(t, r.Commit(t.Context(), c.events...))
			rec, err := s.Run(t.Context(), string(r.ID()))
			must(t, err)
			step := rec.Steps[0]
			kind, result := "-", "-"
			if step.Error != nil {
				kind = step.Error.Kind
			}
			if step.Result != nil {
				result = string(step.Result)
			}
			if got := fmt.Sprint(step.State, " ", step.Attempts, " ", kind, " ", result); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
