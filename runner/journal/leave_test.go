package journal

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// leave has another process write n events and leave, and returns its run and the
// size of the write-ahead log that is there then.
func leave(t *testing.T, dir string, n int) (RunID, int64) {
	t.Helper()
	c := startChild(t, "leave", dir, strconv.Itoa(n))
	run := RunID(c.line())
	c.wait(t)
	info, err := os.Stat(filepath.Join(dir, fileName+"-wal"))
	must(t, err)
	return run, info.Size()
}

func TestWhatAProcessLeavesIsReadByTheNext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	var runs []RunID
	for range 3 {
		run, log := leave(t, dir, groupOf(30))
		if log == 0 {
			t.Errorf("the log was moved into the database at the end of a short run")
		}
		runs = append(runs, run)
	}
	for _, opts := range []Options{{ReadOnly: true}, {}} {
		s := open(t, dir, opts)
		for _, run := range runs {
			if got := checkCounting(t, s, run); got != groupOf(30) {
				t.Errorf("the log of %s ends at event %d, want %d", run, got, groupOf(30))
			}
			rec, err := s.Run(t.Context(), string(run))
			must(t, err)
			if rec.Status != Completed {
				t.Errorf("%s is %s", run, rec.Status)
			}
		}
		must(t, s.Close())
	}
}

func TestALongLogIsNotLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	if _, log := leave(t, dir, 20_000); log != 0 {
		t.Errorf("a log of %d bytes was left, want it in the database", log)
	}
}
