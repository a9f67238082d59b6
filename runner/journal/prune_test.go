package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// aged makes runs that ended on successive days, oldest first, and returns their
// ids: each word is a status, followed by a deployment where there is one.
func aged(t *testing.T, s *Store, time *clock, words ...string) []RunID {
	t.Helper()
	var ids []RunID
	for _, word := range words {
		status, deployment, _ := strings.Cut(word, "@")
		time.now = time.now.AddDate(0, 0, 1)
		r, err := s.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Deployment: deployment})
		must(t, err)
		switch Status(status) {
		case Completed, Failed, Cancelled:
			must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Status(status)}}))
			must(t, r.Close())
		case Waiting:
			must(t, r.Commit(t.Context(), Event{Data: RunWaiting{}}))
			must(t, r.Close())
		case Interrupted:
			must(t, r.Close())
		}
		ids = append(ids, r.ID())
	}
	return ids
}

func TestWhatIsPruned(t *testing.T) {
	for _, c := range []struct {
		name string
		runs string // oldest first; "!" before one says that it goes
		how  Prune
	}{
		{"all that is finished", "!completed !failed !cancelled waiting interrupted running completed !failed", Prune{}},
		{"by age", "!completed !failed completed failed", Prune{OlderThan: 36 * time.Hour}},
		{"by number", "!completed !failed completed failed", Prune{Newest: 2}},
		{"by number of those that are finished", "!completed completed waiting running failed", Prune{Newest: 2}},
		{"by age and number", "!completed completed failed", Prune{OlderThan: time.Hour, Newest: 2}},
		{"not the last completed one of a deployment", "!completed@a completed@a !failed@a completed@b !completed completed", Prune{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{Clock: clock.read})
			words := strings.Fields(c.runs)
			ids := aged(t, s, clock, strings.Fields(strings.ReplaceAll(c.runs, "!", ""))...)
			var want []RunID
			for i, word := range words {
				if word[0] == '!' {
					want = append(want, ids[i])
				}
			}
			slices.Reverse(want)
			dry := c.how
			dry.DryRun = true
			for _, how := range []Prune{dry, c.how} {
				got, err := s.Prune(t.Context(), how)
				must(t, err)
				if !slices.Equal(got.Runs, want) {
					t.Fatalf("%+v removes %v, want %v of %v", how, got.Runs, want, ids)
				}
			}
			left, err := s.Runs(t.Context(), Filter{})
			must(t, err)
			if len(left) != len(ids)-len(want) {
				t.Errorf("%v are left", left)
			}
			checkProjection(t, s)
		})
	}
}

// A blob goes with the last run that names it; one that nobody names, after a day.
func TestBlobsThatNothingNamesGo(t *testing.T) {
	clock := newClock()
	root := t.TempDir()
	s := open(t, filepath.Join(root, ".wfc"), Options{Clock: clock.read, Keys: KeyFile(filepath.Join(root, "key"))})
	put := func(data string) string {
		sum, err := s.PutBlob(t.Context(), []byte(data))
		must(t, err)
		return sum
	}
	naming := func(node, sum string, sensitive bool) Event {
		return Event{Node: node, Sensitive: sensitive, Data: NodeCompleted{Result: json.RawMessage(`{"output":{"$blob":{"mime_type":"a\"b","size":1,"sha256":"` + sum + `"}}}`)}}
	}
	shared, own, sealedEvent, unnamed := put("shared"), put("own"), put("named by a sensitive event"), put("unnamed")
	first, second := newRun(t, s), newRun(t, s)
	sensitive, err := second.PutSensitiveBlob(t.Context(), []byte("sensitive"))
	must(t, err)
	large := Event{Node: "each", Data: NodeCompleted{Result: largeBody()}}
	must(t, first.Commit(t.Context(), naming("a", shared, false), naming("b", own, false), large, Event{Data: RunFinished{Status: Failed}}))
	must(t, second.Commit(t.Context(), naming("a", shared, false), naming("b", sealedEvent, true), naming("each", sensitive, true)))
	must(t, first.Close())

	blobs := func() []string {
		entries, err := os.ReadDir(filepath.Join(s.dir, blobsName))
		must(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if got, err := s.Prune(t.Context(), Prune{}); err != nil || len(got.Runs) != 1 || got.Blobs != 0 {
		t.Errorf("on the same day %+v went, %v", got, err)
	}
	clock.now = clock.now.Add(2 * blobGrace)
	if put("unnamed") != unnamed { // wanted again: it stays a day longer
		t.Error("another digest")
	}
	got, err := s.Prune(t.Context(), Prune{})
	must(t, err)
	if got.Blobs != 2 || got.Bytes != int64(len("own")+len(largeBody())) {
		t.Errorf("two days later %+v went", got)
	}
	if names := blobs(); len(names) != 4 || slices.Contains(names, own) {
		t.Errorf("left are %v", names)
	}
	for _, sum := range []string{shared, sealedEvent, sensitive, unnamed} {
		if _, err := s.Blob(t.Context(), sum); err != nil {
			t.Errorf("a blob that is named: %v", err)
		}
	}
	must(t, second.Commit(t.Context(), Event{Data: RunFinished{Status: Failed}}))
	clock.now = clock.now.Add(2 * blobGrace)
	if got, err = s.Prune(t.Context(), Prune{}); err != nil || got.Blobs != 4 {
		t.Errorf("at the end %+v went, %v", got, err)
	}
	if _, err := s.Blob(t.Context(), sensitive); !errors.Is(err, ErrNotFound) {
		t.Errorf("a blob that went: %v", err)
	}
}

// What writers left that died goes when it is a day old.
func TestWhatDeadWritersLeftGoes(t *testing.T) {
	s := openNew(t)
	_, err := s.PutBlob(t.Context(), []byte("kept"))
	must(t, err)
	dir := filepath.Join(s.dir, blobsName)
	old := time.Now().Add(-2 * blobGrace)
	for _, name := range []string{"new-123", digestOf([]byte("orphan")), "README"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("orphan"), 0o600))
		must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	must(t, os.WriteFile(filepath.Join(dir, "new-456"), nil, 0o600))
	c := startChild(t, "hold", s.dir)
	run := RunID(c.line())
	c.kill()
	_, err = s.Prune(t.Context(), Prune{})
	must(t, err)
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"README", digestOf([]byte("kept")), "new-456"}; !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(want))) {
		t.Errorf("left are %v", names)
	}
	bells, err := filepath.Glob(filepath.Join(s.dir, locksName, "*"+bellSuffix))
	if err != nil || len(bells) > 0 { // this store owns no run, and the other is dead
		t.Errorf("bells %v, %v", bells, err)
	}
	if _, err := s.Adopt(t.Context(), run); err != nil {
		t.Errorf("the dead process's run: %v", err)
	}
}

// What was pruned is in no page of the database.
func TestWhatIsPrunedIsOverwritten(t *testing.T) {
	const private = "a text that nobody is to read any more"
	s := openNew(t)
	r := newRun(t, s)
	must(t, r.Commit(t.Context(), Event{Node: "a", Data: NodeCompleted{Result: json.RawMessage(`"` + private + `"`)}}, Event{Data: RunFinished{Status: Failed}}))
	must(t, r.Close())
	_, err := s.Prune(t.Context(), Prune{})
	must(t, err)
	must(t, s.Close()) // which moves the log into the database
	data, err := os.ReadFile(s.path())
	must(t, err)
	if bytes.Contains(data, []byte(private)) {
		t.Error("it is there")
	}
}

func TestAJournalThatGotSmallIsASmallFile(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes some 30 MB")
	}
	s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{Durability: Process})
	r := newRun(t, s)
	for n := range 600 {
		must(t, r.Append(Event{Node: "a", Instance: string(rune('a' + n%26)), Data: NodeCompleted{Result: json.RawMessage(`"` + strings.Repeat("x", 50<<10) + `"`)}}))
	}
	must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Failed}}))
	must(t, r.Close())
	_, err := s.Prune(t.Context(), Prune{})
	must(t, err)
	info, err := os.Stat(s.path())
	must(t, err)
	if info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	finishedRun(t, s) // the journal goes on
	checkIntegrity(t, s)
}

func TestRunsAreKeptAsLongAsIsAsked(t *testing.T) {
	clock := newClock()
	s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{Clock: clock.read, Keep: 72 * time.Hour})
	ids := aged(t, s, clock, "completed", "waiting", "failed", "completed", "completed", "completed")
	var left []RunID
	runs, err := s.Runs(t.Context(), Filter{})
	must(t, err)
	for _, r := range runs {
		left = append(left, r.Run)
	}
	// The last one ended on the sixth day: the first and the third are older.
	want := []RunID{ids[5], ids[4], ids[3], ids[2], ids[1]}
	if !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v of %v", left, want, ids)
	}
}

func TestPruningSweepsLocksOfRunsThatWereNeverCreated(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	for _, name := range []string{"08hzza89-0egs.lock", "08hzza89-0egs.queued.lock"} {
		must(t, os.WriteFile(filepath.Join(s.locks.dir, name), nil, 0o600))
	}
	_, err := s.Prune(t.Context(), Prune{})
	must(t, err)
	left, err := filepath.Glob(filepath.Join(s.locks.dir, "0*.lock"))
	must(t, err)
	if len(left) != 1 || left[0] != s.locks.run(r.ID()) {
		t.Errorf("left are %v", left)
	}
	must(t, r.Close())
}
