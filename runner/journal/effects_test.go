package journal

import (
	"encoding/json"
	"testing"
)

// What a run did is told by tool: what came of each call, and what was taken back.
func TestWhatARunDidOutside(t *testing.T) {
	s := openNew(t)
	plan := []byte(`{"sources":[{"name":"s","connection":"c.main"}],"nodes":[
		{"id":"r","source":"s","tool":"find"},
		{"id":"w","source":"s","tool":"add","undo":[{"source":"s","tool":"remove"}]},
		{"id":"d","source":"s","tool":"wipe"}]}`)
	run, err := s.CreateRun(t.Context(), NewRun{Plan: plan, PlanDigest: "effects", Workflow: "w"})
	if err != nil {
		t.Fatal(err)
	}
	starts := func(node, instance, effect string) Event {
		data := NodeStarted{ArgsDigest: "x", Effect: effect}
		if effect != "" {
			data.Connection = "c.main"
		}
		return Event{Node: node, Instance: instance, Attempt: 1, Data: data}
	}
	ok := func(node, instance string) Event {
		return Event{Node: node, Instance: instance, Attempt: 1, Data: NodeCompleted{}}
	}
	fails := func(node, instance, kind, sent string, inDoubt bool) Event {
		return Event{Node: node, Instance: instance, Attempt: 1, Data: NodeFailed{Kind: kind, Message: "no", Sent: sent, InDoubt: inDoubt}}
	}
	if err := run.Commit(t.Context(),
		starts("r", "", ""), ok("r", ""), starts("r", "1", ""),
		starts("w", "0", "write"), ok("w", "0"), starts("w", "1", "write"), ok("w", "1"), starts("w", "2", "write"), ok("w", "2"),
		starts("w", "3", "write"), fails("w", "3", "assert", "yes", false), // it was done all the same
		starts("d", "", "destructive"), fails("d", "", "tool", "yes", false),
		starts("d", "5", "destructive"), fails("d", "5", "transport", "no", false),
		starts("d", "6", "destructive"), fails("d", "6", "transport", "maybe", true),
		starts("w", "1~1", "write"), ok("w", "1~1"), starts("w", "0~1", "write"), fails("w", "0~1", "tool", "yes", false),
		Event{Data: RunFinished{Status: Failed, Error: &Failure{Kind: "tool", Message: "no"}}},
	); err != nil {
		t.Fatal(err)
	}
	record, err := s.Run(t.Context(), string(run.ID()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(record.Effects)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"connection":"c.main","tool":"add","effect":"write","done":4,"undone":1,"stayed":1},` +
		`{"connection":"c.main","tool":"wipe","effect":"destructive","done":0,"refused":1,"in_doubt":1}]`
	if string(got) != want || record.Reads != 2 {
		t.Errorf("it did %s and %d reads\nwant   %s", got, record.Reads, want)
	}
}
