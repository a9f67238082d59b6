package journal

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// oldJournal returns a copy of the folder that the first version wrote: a run
// that finished, one that failed, and one whose process died.
func oldJournal(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".wfc")
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "v1"))))
	must(t, os.Chmod(dir, 0o700))
	return dir
}

func TestAJournalOfTheFirstVersionGoesOn(t *testing.T) {
	for name, opts := range map[string]Options{"to write": {}, "to read": {ReadOnly: true}} {
		t.Run(name, func(t *testing.T) {
			dir := oldJournal(t)
			s := open(t, dir, opts)
			runs, err := s.Runs(t.Context(), Filter{})
			must(t, err)
			var got []string
			for _, r := range runs {
				got = append(got, string(r.Run)+" "+string(r.Status))
			}
			if want := "06bgfpgw-jya1 interrupted, 06bgfnhm-28z2 failed, 06bgfn54-k8m2 completed"; strings.Join(got, ", ") != want {
				t.Errorf("the runs are %s, want %s", strings.Join(got, ", "), want)
			}
			failed := history(t, s, "06bgfnhm-28z2")
			if len(failed) != 8 || failed[7].Data.(RunFinished).Error.Message != "It did not work." {
				t.Errorf("the failed run's history is %+v", failed)
			}
			if start := failed[2].Data.(NodeStarted); start.IdempotencyKey != s.IdempotencyKey("06bgfnhm-28z2", "a", "") || start.ArgsDigest != s.ArgsDigest([]byte("{}")) {
				t.Error("the journal has other keys than before")
			}
			if len(failed[4].Data.body()) != MaxInline+2 {
				t.Errorf("the large result has %d bytes", len(failed[4].Data.body()))
			}
		})
	}
}

func TestARunOfTheFirstVersionIsAdopted(t *testing.T) {
	s := open(t, oldJournal(t), Options{})
	const id = "06bgfpgw-jya1"
	if _, err := s.Send(t.Context(), id, resolved("a")); err != nil {
		t.Errorf("resolving its step in doubt: %v", err)
	}
	r, err := s.Adopt(t.Context(), id)
	must(t, err)
	must(t, r.Commit(t.Context(), Event{Node: "a", Attempt: 2, Data: NodeStarted{}}, Event{Data: RunFinished{Status: Cancelled}}))
	checkProjection(t, s)
	checkIntegrity(t, s)
}

// What migrations make of old tables is what createSchema makes.
func TestMigrationsLeadToTheSameTables(t *testing.T) {
	tables := func(s *Store) string {
		var all strings.Builder
		must(t, s.do(t.Context(), func(c *conn) error {
			var names []string
			err := c.rows(func(row []driver.Value) error {
				names = append(names, row[0].(string))
				return nil
			}, `SELECT name FROM sqlite_schema WHERE type IN ('table', 'index') ORDER BY name`)
			if err != nil {
				return err
			}
			for _, name := range names {
				fmt.Fprintln(&all, name)
				for _, info := range []string{`SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY name`, `SELECT name FROM pragma_index_info(?)`} {
					err := c.rows(func(row []driver.Value) error {
						fmt.Fprintln(&all, " ", row)
						return nil
					}, info, name)
					if err != nil {
						return err
					}
				}
			}
			return nil
		}))
		return all.String()
	}
	migrated, made := tables(open(t, oldJournal(t), Options{})), tables(openNew(t))
	if migrated != made {
		t.Errorf("migrated:\n%s\nmade:\n%s", migrated, made)
	}
}

func TestWhatBlobsAreForIsKnownAfterTheMigration(t *testing.T) {
	s := open(t, oldJournal(t), Options{})
	must(t, s.do(t.Context(), func(c *conn) error {
		row, err := c.row(`SELECT count(*), max(blob) FROM blob_refs`)
		if err == nil && (row[0].(int64) != 1 || row[1] != digestOf([]byte("\x89PNG of the fixture"))) {
			t.Errorf("blob_refs has %v", row)
		}
		return err
	}))
}

// A process that has the journal open when a newer wfc changes it stops writing.
func TestANewerVersionEndsTheOwnersOfOlderOnes(t *testing.T) {
	s := openNew(t)
	r := newRun(t, s)
	must(t, r.Commit(t.Context(), numbered(1)))
	c, err := openConn(s.path())
	must(t, err)
	must(t, c.script(`UPDATE meta SET schema_version = 99`))
	must(t, c.close())
	for range 2 {
		if err := r.Commit(t.Context(), numbered(2)); !errors.Is(err, ErrNewer) {
			t.Errorf("a commit: %v", err)
		}
	}
	if _, err := s.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "d", Workflow: "w"}); !errors.Is(err, ErrNewer) {
		t.Errorf("a new run: %v", err)
	}
}

// A newer wfc says whether this one can read what it writes.
func TestANewerJournalIsReadWhereItSaysSo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	s := open(t, dir, Options{})
	finishedRun(t, s)
	must(t, s.Close())
	change := func(sql string) {
		c, err := openConn(filepath.Join(dir, fileName))
		must(t, err)
		must(t, c.script(sql))
		must(t, c.close())
	}
	change(`UPDATE meta SET schema_version = 99; UPDATE events SET kind = 'node.dreamt' WHERE kind = 'node.started'`)
	before, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrNewer) {
		t.Errorf("opened to write: %v", err)
	}
	s = open(t, dir, Options{ReadOnly: true})
	runs, err := s.Runs(t.Context(), Filter{})
	if err != nil || len(runs) != 1 || runs[0].Status != Completed {
		t.Errorf("the runs are %v, %v", runs, err)
	}
	if _, err := s.Run(t.Context(), string(runs[0].Run)); err != nil {
		t.Errorf("the run cannot be shown: %v", err)
	}
	for _, err := range s.Events(t.Context(), runs[0].Run) {
		if err != nil && (!errors.Is(err, ErrNewer) || errors.Is(err, ErrDamaged)) {
			t.Errorf("an event that it does not know: %v", err)
		}
	}
	must(t, s.Close())
	if after, err := os.ReadFile(filepath.Join(dir, fileName)); err != nil || string(after) != string(before) {
		t.Errorf("reading changed it (%v)", err)
	}
	change(`UPDATE meta SET readable_by = 99`)
	if _, err := Open(t.Context(), dir, Options{ReadOnly: true}); !errors.Is(err, ErrNewer) {
		t.Errorf("one that it cannot read: %v", err)
	}
}

// forAll lets anybody read a journal's folder and nobody write it.
func forAll(t *testing.T, dir string) {
	t.Helper()
	for up := filepath.Dir(dir); up != "/" && up != os.TempDir(); up = filepath.Dir(up) {
		must(t, os.Chmod(up, 0o755))
	}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		must(t, err)
		if d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	}))
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o755)
			}
			return err
		})
	})
}

func TestAJournalIsReadInAReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are inherited here")
	}
	for _, c := range []struct {
		name string
		make func(dir string)
		want string
	}{
		{"closed", func(dir string) {
			s := open(t, dir, Options{})
			finishedRun(t, s)
			newRun(t, s)
			must(t, s.Close())
		}, "interrupted completed"},
		{"left", func(dir string) { leave(t, dir, 30) }, "completed"},
		{"killed", func(dir string) {
			c := startChild(t, "hold", dir)
			c.line()
			c.kill()
		}, "interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), ".wfc")
			c.make(dir)
			forAll(t, dir)
			child := startChild(t, "list", dir)
			var got []string
			for line := child.line(); line != ""; line = child.line() {
				got = append(got, line)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("it said %q, want %s", got, c.want)
			}
		})
	}
	t.Run("of an older version", func(t *testing.T) {
		dir := oldJournal(t)
		forAll(t, dir)
		if line := startChild(t, "list", dir).line(); !strings.Contains(line, "written by an older wfc and has to be brought up to date once") {
			t.Errorf("it said %q", line)
		}
	})
}
