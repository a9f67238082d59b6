package journal

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// checkCounting checks that the events of a counting run are whole transactions from the
// first on, and returns the number of the last one.
func checkCounting(t *testing.T, s *Store, run RunID) int {
	t.Helper()
	last, of := 0, 0
	for ev, err := range s.Events(t.Context(), run) {
		must(t, err)
		p, ok := ev.Data.(NodeCompleted)
		if !ok {
			continue // run.created
		}
		var is struct{ N, Of int }
		must(t, json.Unmarshal(p.Result, &is))
		if is.N != last+1 {
			t.Fatalf("event %d follows event %d", is.N, last)
		}
		last, of = is.N, is.Of
	}
	if last != of {
		t.Fatalf("the log ends with event %d of a transaction that has %d", last, of)
	}
	return last
}

func TestKilledProcessLosesNothingThatWasAcknowledged(t *testing.T) {
	rounds := 12
	if testing.Short() || raceEnabled {
		rounds = 3
	}
	for range rounds {
		dir := filepath.Join(t.TempDir(), ".wfc")
		c := startChild(t, "write", dir, "0")
		run := RunID(c.line())
		acknowledged := 0
		for range rand.IntN(40) {
			n, err := strconv.Atoi(c.line())
			must(t, err)
			acknowledged = n
		}
		c.kill()

		s := open(t, dir, Options{Durability: Process})
		if got := checkCounting(t, s, run); got < acknowledged {
			t.Fatalf("the log ends at event %d; %d was acknowledged", got, acknowledged)
		}
		rec, err := s.Run(t.Context(), string(run))
		must(t, err)
		if rec.Status != Interrupted {
			t.Errorf("status %q, want interrupted", rec.Status)
		}
		checkProjection(t, s)
		r, err := s.Adopt(t.Context(), run)
		must(t, err)
		must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Failed}}))
		must(t, s.Close())
	}
}

// A torn log is one whose end did not reach the disk, or not whole.
func TestTornLogRecoversToACleanPrefix(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	// So few events that nothing is moved from the log into the database yet.
	c := startChild(t, "write", dir, "100", "stay")
	run := RunID(c.line())
	for c.line() != strconv.Itoa(groupOf(100)) {
	}
	c.kill()
	db, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	wal, err := os.ReadFile(filepath.Join(dir, fileName+"-wal"))
	must(t, err)

	logs := 300
	if testing.Short() || raceEnabled {
		logs = 30
	}
	random := rand.New(rand.NewPCG(1, 2))
	lengths := map[int]bool{}
	for i := range logs {
		torn := append([]byte(nil), wal...)
		at := random.IntN(len(torn))
		switch i % 3 {
		case 0: // the end is missing
			torn = torn[:at]
		case 1: // the end is garbage
			for j := at; j < len(torn); j++ {
				torn[j] = byte(random.Uint32())
			}
		case 2: // a sector of the end is zeroes
			clear(torn[at:min(at+512, len(torn))])
		}
		dir := filepath.Join(t.TempDir(), ".wfc")
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, fileName), db, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, fileName+"-wal"), torn, 0o600))

		s := open(t, dir, Options{Durability: Process})
		runs, err := s.Runs(t.Context(), Filter{})
		must(t, err)
		if len(runs) > 0 { // else the tear was before the run
			lengths[checkCounting(t, s, run)] = true
		}
		if i%10 == 0 {
			checkProjection(t, s)
			finishedRun(t, s) // the log goes on after it
			checkIntegrity(t, s)
		}
		must(t, s.Close())
	}
	if len(lengths) < logs/10 {
		t.Errorf("only %d different prefixes: the logs are not torn at enough places", len(lengths))
	}
}

func TestTwoProcessesWriteAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	const events = 200
	var all []*child
	var runs []RunID
	for range 3 { // they also race to create the journal
		all = append(all, startChild(t, "write", dir, strconv.Itoa(events)))
	}
	for _, c := range all {
		runs = append(runs, RunID(c.line()))
	}
	for _, c := range all {
		c.wait(t)
	}
	s := open(t, dir, Options{Durability: Process})
	for _, run := range runs {
		if got := checkCounting(t, s, run); got != groupOf(events) {
			t.Errorf("run %s has %d events, want %d", run, got, groupOf(events))
		}
	}
}
