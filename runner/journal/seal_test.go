package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// everyByte returns all that is in the files below dir.
func everyByte(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		must(t, err)
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			must(t, err)
			all = append(append(all, path...), data...)
		}
		return nil
	}))
	return all
}

// What is sensitive comes back as it was, and is in no file.
func TestSensitiveContentIsEncrypted(t *testing.T) {
	const confidential = "the salary of Ada"
	large := confidential + strings.Repeat(" and of others", MaxInline/10)
	text := func(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }
	root := t.TempDir()
	opts := Options{Keys: KeyFile(filepath.Join(root, "config", "wfc", "journal.key"))}
	s := open(t, filepath.Join(root, ".wfc"), opts)
	r, err := s.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Inputs: text(confidential), Sensitive: true})
	must(t, err)
	sum, err := r.PutSensitiveBlob(t.Context(), []byte(confidential+" as an image"))
	must(t, err)
	events := []Event{
		{Node: "a", Attempt: 1, Data: NodeStarted{}},
		{Node: "a", Attempt: 1, Sensitive: true, Data: NodeCompleted{Result: json.RawMessage(`{"x":"` + confidential + `","y":{"$blob":{"mime_type":"image/png","size":3,"sha256":"` + sum + `"}}}`)}},
		{Node: "b", Attempt: 1, Sensitive: true, Data: NodeCompleted{Result: text(large)}},
		{Node: "each", Instance: "0", Attempt: 1, Sensitive: true, Data: NodeFailed{Kind: "tool", Message: "No: " + confidential, Result: text(confidential)}},
		{Node: "each", Instance: "1", Attempt: 1, Sensitive: true, Data: NodeFailed{Kind: "tool", Message: "No: " + confidential}},
	}
	must(t, r.Commit(t.Context(), events...))
	must(t, r.Commit(t.Context(), Event{Sensitive: true, Data: RunFinished{
		Status: Failed, Outputs: text(confidential), Error: &Failure{Kind: "tool", Message: "each failed: " + confidential, Step: "each"},
	}}))
	must(t, r.Close())
	checkProjection(t, s)
	must(t, s.Close())

	all := everyByte(t, s.dir)
	for name, what := range map[string]string{"it": confidential, "the digest of the blob": sum} {
		if bytes.Contains(all, []byte(what)) {
			t.Errorf("%s is in a file of the journal", name)
		}
	}

	s = open(t, s.dir, opts)
	got := history(t, s, r.ID())
	if p := got[0].Data.(RunCreated); string(p.Inputs) != `"`+confidential+`"` || !got[0].Sensitive {
		t.Errorf("inputs %s", p.Inputs)
	}
	for i, want := range events {
		if i > 0 && string(got[i+1].Data.body()) != string(want.Data.body()) || messageOf(got[i+1].Data) != messageOf(want.Data) {
			t.Errorf("event %d is %+v", i, got[i+1])
		}
	}
	if p := got[len(got)-1].Data.(RunFinished); p.Error.Message != "each failed: "+confidential || string(p.Outputs) != `"`+confidential+`"` {
		t.Errorf("the end is %+v", p)
	}
	data, err := s.Blob(t.Context(), sum)
	if err != nil || string(data) != confidential+" as an image" {
		t.Errorf("the blob is %q, %v", data, err)
	}

	// What is shown shows none of it, and needs no key.
	must(t, os.Remove(filepath.Join(root, "config", "wfc", "journal.key")))
	rec, err := s.Run(t.Context(), string(r.ID()))
	must(t, err)
	shown, err := json.Marshal(rec)
	must(t, err)
	if bytes.Contains(shown, []byte(confidential)) || string(rec.Inputs) != `"(sensitive)"` || rec.Error.Message != "(sensitive)" || rec.Error.Kind != "tool" {
		t.Errorf("shown as %s", shown)
	}
	if rec.Steps[0].State != StateOK || string(rec.Steps[0].Result) != `"(sensitive)"` || rec.Steps[2].Error.Message != "(sensitive)" {
		t.Errorf("its steps are %+v", rec.Steps)
	}

	// The rest needs it, and says so.
	for _, err := range s.Events(t.Context(), r.ID()) {
		if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), "the key that it is encrypted with is not here: it was in "+root) {
			t.Errorf("the history without the key: %v", err)
		}
	}
	if _, err := s.Blob(t.Context(), sum); !errors.Is(err, ErrKey) {
		t.Errorf("the blob without the key: %v", err)
	}
	_, err = opts.Keys.Key(true)
	must(t, err)
	for _, err := range s.Events(t.Context(), r.ID()) {
		if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), "encrypted with another key") {
			t.Errorf("the history with another key: %v", err)
		}
	}
}

func TestTheNextOwnerUsesTheSameKey(t *testing.T) {
	s := openWithKey(t)
	r := newRun(t, s)
	completed := func(node string) Event {
		return Event{Node: node, Sensitive: true, Data: NodeCompleted{Result: json.RawMessage(`"x"`)}}
	}
	must(t, r.Commit(t.Context(), completed("a")))
	must(t, r.Close())
	r, err := s.Adopt(t.Context(), r.ID())
	must(t, err)
	must(t, r.Commit(t.Context(), Event{Node: "b", Data: NodeWaiting{For: WaitInDoubt}}))
	// And so does who is no owner.
	sent := resolved("b")
	sent.Sensitive = true
	_, err = s.Send(t.Context(), r.ID(), sent)
	must(t, err)
	got, err := r.Receive(t.Context())
	must(t, err)
	must(t, r.Commit(t.Context(), got[0], completed("b")))
	for _, ev := range history(t, s, r.ID()) {
		if ev.Sensitive && ev.Data.body() == nil {
			t.Errorf("%+v", ev)
		}
	}
}

func openWithKey(t *testing.T) *Store {
	t.Helper()
	root := t.TempDir()
	return open(t, filepath.Join(root, ".wfc"), Options{Keys: KeyFile(filepath.Join(root, "key"))})
}

// A run that has something sensitive goes on where its key is, and nowhere else.
func TestARunIsNotAdoptedWithoutItsKey(t *testing.T) {
	s := openWithKey(t)
	r, err := s.CreateRun(t.Context(), NewRun{Plan: testPlan, PlanDigest: "d", Workflow: "w", Seals: true})
	must(t, err)
	must(t, r.Close())
	other := open(t, s.dir, Options{Keys: KeyFile(filepath.Join(t.TempDir(), "key"))})
	if _, err := other.Adopt(t.Context(), r.ID()); !errors.Is(err, ErrKey) {
		t.Errorf("without the key: %v", err)
	}
	r, err = s.Adopt(t.Context(), r.ID()) // which took nothing from who has it
	must(t, err)
	must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Failed}}))
}

// An encrypted body that is put in another event's place is not taken for that one's.
func TestEncryptedContentCannotBeMoved(t *testing.T) {
	s := openWithKey(t)
	r := newRun(t, s)
	completed := func(node, result string) Event {
		return Event{Node: node, Sensitive: true, Data: NodeCompleted{Result: json.RawMessage(result)}}
	}
	must(t, r.Commit(t.Context(), completed("a", `"approved"`), completed("b", `"refused"`)))
	must(t, s.do(t.Context(), func(c *conn) error {
		return c.script(`UPDATE events SET body = (SELECT body FROM events WHERE node = 'a') WHERE node = 'b'`)
	}))
	var last error
	for _, err := range s.Events(t.Context(), r.ID()) {
		last = err
	}
	if !errors.Is(last, ErrDamaged) || !strings.Contains(last.Error(), "encrypted content is damaged") {
		t.Errorf("got %v", last)
	}
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	f := KeyFile(filepath.Join(dir, "new", "folder", "key"))
	if _, err := f.Key(false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("asked for without making it: %v", err)
	}
	key, err := f.Key(true)
	must(t, err)
	again, err := f.Key(true)
	must(t, err)
	if len(key) != keySize || !bytes.Equal(key, again) || bytes.Equal(key, make([]byte, keySize)) {
		t.Errorf("keys %x and %x", key, again)
	}
	if left, err := os.ReadDir(filepath.Dir(string(f))); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	for name, content := range map[string]string{"nothing": "", "words": "my key\n", "a shorter key": "00ff\n", "a longer one": strings.Repeat("00", keySize+1)} {
		bad := KeyFile(filepath.Join(dir, name))
		must(t, os.WriteFile(string(bad), []byte(content), 0o600))
		if _, err := bad.Key(true); !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), "does not hold a key") {
			t.Errorf("a file with %s: %v", name, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(string(f))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	must(t, os.Chmod(string(f), 0o640))
	if _, err := f.Key(false); !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), "chmod 600 "+string(f)) {
		t.Errorf("a key that others may read: %v", err)
	}
}

func TestThePlaceOfTheKey(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the user's configuration is elsewhere")
	}
	t.Setenv("XDG_CONFIG_HOME", "/home/ada/.config")
	if got := KeyFile("").Place(); got != "/home/ada/.config/wfc/journal.key" {
		t.Errorf("got %s", got)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	s := openNew(t)
	r := newRun(t, s)
	err := r.Commit(t.Context(), Event{Node: "a", Sensitive: true, Data: NodeCompleted{Result: json.RawMessage(`1`)}})
	if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), "There is no place for the key") {
		t.Errorf("without a home: %v", err)
	}
	must(t, r.Commit(t.Context(), Event{Data: RunFinished{Status: Failed}})) // which ends no more than that
}

func BenchmarkSeal(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), ".wfc"), Options{Keys: KeyFile(filepath.Join(b.TempDir(), "key"))})
	sealer, err := s.newSealer("06d3k7mx-x2f9")
	must(b, err)
	body := bytes.Repeat([]byte("x"), 4<<10)
	ev := Event{Node: "a", Data: NodeCompleted{}}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		sealer.seal(&ev, "", body)
	}
}
