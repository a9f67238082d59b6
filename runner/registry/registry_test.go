package registry

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants fails the test unless err is want.
func wants(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("the error is %v, want %v", err, want)
	}
}

func TestWhatIsKeptIsThereForTheNextOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data #1 ?x")
	s := open(t, dir)
	d, err := s.CreateDraft(t.Context(), Draft{ID: "d", Title: "t", Source: "a\x00b"})
	must(t, err)
	a, made, err := s.CreateArtifact(t.Context(), Artifact{ID: "a", Version: "1", Digest: "x", Body: []byte("{}")})
	if err != nil || !made {
		t.Fatal(made, err)
	}
	p, err := s.SaveDeployment(t.Context(), Deployment{ID: "p", ArtifactID: "a", ArtifactVersion: "1", Body: []byte("b"), PlanDigest: "y"}, 0)
	must(t, err)
	must(t, s.Serving(t.Context(), 7))
	must(t, s.Close())
	s = open(t, dir)
	if again, err := s.Draft(t.Context(), "d"); err != nil || again != d {
		t.Errorf("the draft is %+v, %v, was %+v", again, err, d)
	}
	if again, err := s.Artifact(t.Context(), "a", ""); err != nil || again.Digest != a.Digest || !again.Created.Equal(a.Created) {
		t.Errorf("the artifact is %+v, %v", again, err)
	}
	if again, err := s.Deployment(t.Context(), "p"); err != nil || again.PlanDigest != p.PlanDigest || again.Revision != 1 {
		t.Errorf("the deployment is %+v, %v", again, err)
	}
	if pid, since, err := s.Server(t.Context()); err != nil || pid != 7 || time.Since(since) > time.Minute {
		t.Errorf("the server is %d since %s, %v", pid, since, err)
	}
	for name, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, FileName): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has the mode %v, want %v", name, info.Mode().Perm(), mode)
		}
	}
}

func TestADraftHasOneOfItsIDAndOneWriterOfARevision(t *testing.T) {
	s := open(t, t.TempDir())
	_, err := s.CreateDraft(t.Context(), Draft{ID: "d"})
	must(t, err)
	_, err = s.CreateDraft(t.Context(), Draft{ID: "d"})
	wants(t, err, ErrExists)
	// Of many that save the same revision one wins.
	var won, lost int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			text := "new"
			_, err := s.UpdateDraft(t.Context(), "d", nil, &text, 1)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case errors.Is(err, ErrChanged):
				lost++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 || lost != 15 {
		t.Errorf("%d won and %d lost", won, lost)
	}
	must(t, s.DeleteDraft(t.Context(), "d"))
	wants(t, s.DeleteDraft(t.Context(), "d"), ErrNotFound)
	_, err = s.UpdateDraft(t.Context(), "d", nil, nil, 0)
	wants(t, err, ErrNotFound)
}

func TestAnArtifactIsNeverReplaced(t *testing.T) {
	s := open(t, t.TempDir())
	make := func(digest string) (Artifact, bool, error) {
		return s.CreateArtifact(t.Context(), Artifact{ID: "a", Version: "1", Digest: digest, Body: []byte(digest)})
	}
	_, made, err := make("x")
	if err != nil || !made {
		t.Fatal(made, err)
	}
	if _, made, err = make("x"); err != nil || made {
		t.Errorf("the same one again: %t, %v", made, err)
	}
	kept, _, err := make("y")
	wants(t, err, ErrExists)
	if kept.Digest != "x" {
		t.Errorf("the one that is there has the digest %q", kept.Digest)
	}
	_, err = s.SaveDeployment(t.Context(), Deployment{ID: "p", ArtifactID: "a", ArtifactVersion: "2"}, 0)
	wants(t, err, ErrNotFound)
}

func TestListsComeInPages(t *testing.T) {
	s := open(t, t.TempDir())
	for _, id := range []string{"c", "a", "b"} {
		_, err := s.CreateDraft(t.Context(), Draft{ID: id})
		must(t, err)
		for _, v := range []string{"2", "1"} {
			_, _, err := s.CreateArtifact(t.Context(), Artifact{ID: id, Version: v, Body: []byte("{}")})
			must(t, err)
		}
	}
	var seen []string
	for after := ""; ; {
		page, err := s.Drafts(t.Context(), Page{After: after, Limit: 2})
		must(t, err)
		if len(page) == 0 {
			break
		}
		for _, d := range page {
			seen, after = append(seen, d.ID), d.ID
		}
	}
	if got := strings.Join(seen, ""); got != "abc" {
		t.Errorf("the pages have %s", got)
	}
	seen = nil
	for _, after := range []string{"", "a", "b", "c"} {
		page, err := s.Artifacts(t.Context(), "", Page{After: after, Limit: 2})
		must(t, err)
		for _, a := range page {
			seen = append(seen, a.ID+a.Version)
		}
	}
	if got := strings.Join(seen, " "); got != "a2 a1 b2 b1 c2 c1" {
		t.Errorf("the pages have %s", got)
	}
}

func TestARegistryOfANewerVersionIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	must(t, open(t, dir).Close())
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, FileName)))
	must(t, err)
	_, err = db.Exec(`PRAGMA user_version = 99`)
	must(t, errors.Join(err, db.Close()))
	_, err = Open(t.Context(), dir, Options{})
	wants(t, err, ErrNewer)
}

// No id can be more than a name: what is an id is one part of a path and of a URL.
func TestIDsAreNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z./\\%\x00]{1,12}`)).Draw(t, "id")
		if CheckID("a draft", id) != nil && CheckVersion(id) != nil {
			return
		}
		if id == "" || strings.ContainsAny(id, "/\\%?#\x00 \n") || strings.Contains(id, "..") || strings.HasPrefix(id, ".") || strings.HasPrefix(id, "-") || !filepath.IsLocal(id) {
			t.Fatalf("%q is taken for an id", id)
		}
	})
	for _, id := range []string{"", ".", "..", "a/b", "../a", "a..b", "-a", "a b", "a\n", strings.Repeat("a", 129), "ä"} {
		wants(t, CheckID("a draft", id), ErrID)
	}
	for _, id := range []string{"a", "7", "triage-prod", "a.b_c-1", strings.Repeat("a", 128)} {
		must(t, CheckID("a draft", id))
	}
}
