package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestOpenMakesAFolderThatGitIgnoresAndOthersCannotRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	s := open(t, dir, Options{})
	r := newRun(t, s)
	must(t, r.Commit(t.Context(), Event{Node: "a", Data: NodeCompleted{Result: largeBody()}}))
	if got, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(got) != "*\n" {
		t.Errorf(".gitignore has %q, %v", got, err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("rights are inherited here")
	}
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		must(t, err)
		info, err := d.Info()
		must(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
		return nil
	}))
	if files < 6 { // the database, its log and index, .gitignore, two locks, a blob
		t.Errorf("only %d files looked at", files)
	}
}

func TestOpenTakesRightsFromOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are inherited here")
	}
	dir := filepath.Join(t.TempDir(), ".wfc")
	must(t, open(t, dir, Options{}).Close())
	must(t, os.Chmod(dir, 0o755))
	must(t, os.Chmod(filepath.Join(dir, fileName), 0o644))
	open(t, dir, Options{})
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, fileName): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestOpenKeepsTheAuthorsGitignore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("journal.db*\n"), 0o600))
	open(t, dir, Options{})
	if got, _ := os.ReadFile(filepath.Join(dir, ".gitignore")); string(got) != "journal.db*\n" {
		t.Errorf(".gitignore has %q", got)
	}
}

func TestOpenWorksInAFolderWithAnyName(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a b?c=%41#d;é&mode=memory")
	if runtime.GOOS == "windows" {
		root = filepath.Join(t.TempDir(), "a b%41#d;é&mode=memory")
	}
	must(t, os.Mkdir(root, 0o700))
	dir := filepath.Join(root, ".wfc")
	s := open(t, dir, Options{})
	r := newRun(t, s)
	if _, err := s.Run(t.Context(), string(r.ID())); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	database := func(t *testing.T, sql string) func(dir string) {
		return func(dir string) {
			must(t, os.Mkdir(dir, 0o700))
			c, err := openConn(filepath.Join(dir, fileName))
			must(t, err)
			must(t, c.script(sql))
			must(t, c.close())
		}
	}
	// journal is a sound one whose file is then changed.
	journal := func(t *testing.T, change func(file string)) func(dir string) {
		return func(dir string) {
			must(t, open(t, dir, Options{}).Close())
			change(filepath.Join(dir, fileName))
		}
	}
	cases := []struct {
		name   string
		make   func(dir string)
		opts   Options
		reason error
		says   string
	}{
		{"a file that is no database", func(dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.WriteFile(filepath.Join(dir, fileName), []byte(strings.Repeat("no database ", 1000)), 0o600))
		}, Options{}, ErrDamaged, "is damaged"},
		{"a database of something else", database(t, `CREATE TABLE bookmarks (url TEXT)`), Options{}, ErrDamaged, "is damaged"},
		{"a journal whose identity is lost", journal(t, func(file string) {
			c, err := openConn(file)
			must(t, err)
			must(t, c.script(`DELETE FROM meta`))
			must(t, c.close())
		}), Options{}, ErrDamaged, "Move the folder"},
		{"a journal that is cut off", journal(t, func(file string) { must(t, os.Truncate(file, 5000)) }), Options{}, ErrDamaged, "is damaged"},
		{"a journal with garbage in it", journal(t, func(file string) {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteAt([]byte(strings.Repeat("garbage!", 1024)), 100)
			must(t, err)
			must(t, f.Close())
		}), Options{}, ErrDamaged, "is damaged"},
		{"a journal of a newer wfc", journal(t, func(file string) {
			c, err := openConn(file)
			must(t, err)
			must(t, c.script(`UPDATE meta SET schema_version = 3`))
			must(t, c.close())
		}), Options{}, ErrNewer, "format is version 3, and this wfc knows version 2"},
		{"a network file system", func(string) {}, Options{fileSystem: func(string) (string, error) { return "nfs", nil }}, ErrNetworkFS, "network file system (nfs)"},
		{"a file in the folder's place", func(dir string) { must(t, os.WriteFile(dir, nil, 0o600)) }, Options{}, ErrMisplaced,
			".wfc is a file, where wfc keeps a folder. Move it away and try again: wfc makes what it needs."},
		{"a file in the folder's place, to read", func(dir string) { must(t, os.WriteFile(dir, nil, 0o600)) }, Options{ReadOnly: true}, ErrMisplaced, "Move it away"},
		{"a folder in the journal's place", func(dir string) { must(t, os.MkdirAll(filepath.Join(dir, fileName), 0o700)) }, Options{}, ErrMisplaced,
			"journal.db is a folder, where wfc keeps a file. Move it away and try again"},
		{"a folder in the journal's place, to read", func(dir string) { must(t, os.MkdirAll(filepath.Join(dir, fileName), 0o700)) }, Options{ReadOnly: true}, ErrMisplaced, "Move it away"},
		{"a file in the place of the locks", func(dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.WriteFile(filepath.Join(dir, locksName), nil, 0o600))
		}, Options{}, ErrMisplaced, "locks is a file, where wfc keeps a folder"},
		{"a project that is not there", func(dir string) { must(t, os.Remove(filepath.Dir(dir))) }, Options{}, ErrIO, "cannot be read or written"},
		{"to read where nothing has run", func(string) {}, Options{ReadOnly: true}, ErrNoJournal, "nothing has run there"},
		{"to read a damaged journal", journal(t, func(file string) { must(t, os.Truncate(file, 5000)) }), Options{ReadOnly: true}, ErrDamaged, "is damaged"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), ".wfc")
			c.make(dir)
			s, err := Open(t.Context(), dir, c.opts)
			if err == nil {
				_ = s.Close()
				t.Fatal("it was opened")
			}
			if !errors.Is(err, c.reason) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			var ours *Error
			if !errors.As(err, &ours) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}

func TestALinkThatLeadsNowhereIsNamed(t *testing.T) {
	for _, opts := range []Options{{}, {ReadOnly: true}} {
		for _, link := range []func(dir string) (name, target string){
			func(dir string) (string, string) { return dir, filepath.Join(filepath.Dir(dir), "gone") },
			func(dir string) (string, string) { return dir, dir },
			func(dir string) (string, string) {
				must(t, os.Mkdir(dir, 0o700))
				return filepath.Join(dir, fileName), filepath.Join(dir, "gone", "away")
			},
		} {
			name, target := link(filepath.Join(t.TempDir(), ".wfc"))
			if err := os.Symlink(target, name); err != nil {
				t.Skip(err)
			}
			dir := name
			if filepath.Base(name) == fileName {
				dir = filepath.Dir(name)
			}
			_, err := Open(t.Context(), dir, opts)
			want := fmt.Sprintf("The link %s leads to %s, which cannot be reached", name, target)
			if !errors.Is(err, ErrMisplaced) || errors.Is(err, ErrNoJournal) || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "Make what it leads to, or remove the link, and try again.") {
				t.Errorf("%v\nwant %s", err, want)
			}
		}
	}
}

func TestAJournalMayBeReachedByALink(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Skip(err)
	}
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
}

func TestOpenToReadCreatesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	if _, err := Open(t.Context(), dir, Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}

func TestReadOnlyFolderIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are inherited here")
	}
	root := t.TempDir()
	for dir := root; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755)) // so that anybody gets as far as the project
	}
	for name, make := range map[string]func(dir string){
		"a project without the folder": func(dir string) { must(t, os.Chmod(filepath.Dir(dir), 0o555)) },
		"a folder with a journal": func(dir string) {
			must(t, open(t, dir, Options{}).Close())
			must(t, os.Chmod(dir, 0o555))
			must(t, os.Chmod(filepath.Join(dir, fileName), 0o444))
		},
	} {
		t.Run(name, func(t *testing.T) {
			project := filepath.Join(root, strings.ReplaceAll(name, " ", "-"))
			must(t, os.Mkdir(project, 0o755))
			dir := filepath.Join(project, ".wfc")
			make(dir)
			defer func() { must(t, os.Chmod(project, 0o755)) }()
			c := startChild(t, "open", dir, "as nobody")
			if line := c.line(); !strings.HasPrefix(line, "wfc cannot write to the folder "+dir) {
				t.Errorf("it said %q", line)
			}
			c.wait(t)
		})
	}
}

func TestManyOpenANewFolderAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		all.Go(func() {
			s, err := Open(t.Context(), dir, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = s.meta.journalID
			finishedRun(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("journals %v", ids)
		}
	}
	runs, err := open(t, dir, Options{}).Runs(t.Context(), Filter{})
	must(t, err)
	if len(runs) != len(ids) {
		t.Errorf("%d runs, want %d", len(runs), len(ids))
	}
}

func TestDurabilityIsAsAsked(t *testing.T) {
	for durability, want := range map[Durability]int64{Disk: 2, Process: 1} {
		s := open(t, filepath.Join(t.TempDir(), ".wfc"), Options{Durability: durability})
		must(t, s.do(t.Context(), func(c *conn) error {
			row, err := c.row(`SELECT (SELECT synchronous FROM pragma_synchronous), (SELECT journal_mode FROM pragma_journal_mode)`)
			if err == nil && (row[0] != want || row[1] != "wal") {
				t.Errorf("synchronous and journal mode are %v, want %v and wal", row, want)
			}
			return err
		}))
	}
}

func TestWhatAnOldProcessCreatedIsReadWithTheSameKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".wfc")
	s := open(t, dir, Options{})
	digest, key := s.ArgsDigest([]byte(`{"a":1}`)), s.IdempotencyKey("r", "a", "0")
	must(t, s.Close())
	s = open(t, dir, Options{})
	if s.ArgsDigest([]byte(`{"a":1}`)) != digest || s.IdempotencyKey("r", "a", "0") != key {
		t.Error("other keys after opening again")
	}
	other := openNew(t)
	if other.ArgsDigest([]byte(`{"a":1}`)) == digest || other.IdempotencyKey("r", "a", "0") == key {
		t.Error("another journal has the same keys")
	}
	for _, different := range []string{s.IdempotencyKey("ra", "", "0"), s.IdempotencyKey("r", "a0", ""), s.IdempotencyKey("r", "a", "1")} {
		if different == key || len(different) != 52 {
			t.Errorf("key %s", different)
		}
	}
}

func TestClosedStoreAndRunSaySo(t *testing.T) {
	s := openNew(t)
	r, closed := newRun(t, s), newRun(t, s)
	must(t, closed.Close())
	must(t, closed.Close())
	if err := closed.Append(Event{Node: "a", Data: NodeSkipped{}}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed run's append: %v", err)
	}
	must(t, r.Append(Event{Node: "a", Data: NodeSkipped{}}))
	must(t, s.Close())
	must(t, s.Close())
	if err := r.Append(Event{Node: "a", Data: NodeSkipped{}}); !errors.Is(err, ErrClosed) {
		t.Errorf("an append: %v", err)
	}
	must(t, r.Close())
	if _, err := s.CreateRun(context.Background(), NewRun{}); !errors.Is(err, ErrClosed) {
		t.Errorf("creating a run: %v", err)
	}
	// What was queued when it was closed is there.
	s = open(t, s.dir, Options{})
	if got := history(t, s, r.ID()); len(got) != 2 {
		t.Errorf("%d events, want 2", len(got))
	}
}
