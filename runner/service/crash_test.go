package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/testdata/crashpoint"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// crashWorld is a project whose runs are killed, with the files of its server.
type crashWorld struct {
	t                           testing.TB
	root, log, starts, workflow string
	project, tools              string // texts of files
	env                         map[string]string
	inputs                      value.Value
	mu                          sync.Mutex
	told                        io.Writer // gets the events of runs, a line each, and what servers say
}

func newCrashWorld(t testing.TB, root, server, workflow string) *crashWorld {
	w := &crashWorld{t: t, root: root, inputs: value.OfObject(nil), told: io.Discard, log: filepath.Join(root, "server.log"), starts: filepath.Join(root, "server.starts"), workflow: workflow}
	w.project, w.tools = crashProject, crashTools
	w.env = map[string]string{
		"TESTSERVER": server, "SERVER_LOG": w.log, "SERVER_STARTS": w.starts, "SERVER_TOOLS": filepath.Join(root, "tools.ndjson"),
	}
	return w
}

// lay writes the project's files; snapshot is that of the connection.
func (w *crashWorld) lay(snapshot []byte) {
	w.t.Helper()
	files := map[string]string{"wfc.hcl": "", "main.wf.hcl": w.project, "tools.ndjson": w.tools}
	if snapshot != nil {
		files["catalog/test.main.json"] = string(snapshot)
	}
	for name, text := range files {
		path := filepath.Join(w.root, name)
		w.must(os.MkdirAll(filepath.Dir(path), 0o700))
		w.must(os.WriteFile(path, []byte(text), 0o600))
	}
}

func (w *crashWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// open returns a service over the project.
func (w *crashWorld) open(at func(journal.Point)) (*project.Project, *Service) {
	w.t.Helper()
	p, err := project.Load(w.root, project.Options{})
	w.must(err)
	o := Options{JournalPoint: at, Keys: journal.KeyFile(filepath.Join(w.root, "key"))}
	o.Environment.Lookup = func(name string) (string, bool) {
		if v, ok := w.env[name]; ok {
			return v, true
		}
		return os.LookupEnv("WFC_TEST_" + name)
	}
	o.Ask = func(context.Context, journal.Question, error) *engine.Reply {
		v, err := value.ParseJSON([]byte(`{"ok":true}`))
		if err != nil {
			panic(err)
		}
		return &engine.Reply{Data: &v, By: "ann"}
	}
	o.Stderr = func(connection, line string) { w.tell(connection + ": " + line) }
	o.Logged = func(l callback.Log) { w.tell(fmt.Sprintf("%+v", l)) }
	return p, New(p, o)
}

// tell writes a line to told.
func (w *crashWorld) tell(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = fmt.Fprintln(w.told, line)
}

func (w *crashWorld) watch(ev engine.Event) { w.tell(string(ev.AppendJSON(nil))) }

// watching is watch. The one run of the workflow "queued" that may go on is another
// one until this one waits for it.
func (w *crashWorld) watching(s *Service) func(engine.Event) {
	w.t.Helper()
	if w.workflow != "queued" {
		return w.watch
	}
	store, err := s.journal()
	w.must(err)
	slot, err := store.TakeSlot(w.t.Context(), journal.LineOf(w.workflow+"\x00"), 1, "")
	w.must(err)
	return func(ev engine.Event) {
		w.watch(ev)
		if _, queued := ev.(engine.RunQueued); queued {
			slot.Give()
		}
	}
}

// run executes the workflow once.
func (w *crashWorld) run(at func(journal.Point)) *engine.Outcome {
	w.t.Helper()
	p, s := w.open(at)
	compiled, found := compiler.Compile(p, compiler.Target{Target: project.Target{Workflow: p.Workflows[w.workflow]}})
	if found.HasErrors() {
		w.t.Fatal(found)
	}
	prepared, err := s.Prepare(w.t.Context(), compiled)
	w.must(err)
	outcome, err := prepared.Run(w.t.Context(), w.inputs, w.watching(s))
	w.must(err)
	w.must(s.Close())
	return outcome
}

// calls counts what the server was called for: the values of echo, and what `of` names
// of other tools. It waits until all processes of the server are gone, which may
// read what a dead client has written.
func (w *crashWorld) calls() map[string]int {
	w.t.Helper()
	for _, line := range servertest.Lines(w.t, w.starts) {
		var pid int
		if _, err := fmt.Sscan(line, &pid); err == nil {
			servertest.CheckGone(w.t, pid)
		}
	}
	counts := map[string]int{}
	for _, line := range servertest.Lines(w.t, w.log) {
		rest, is := strings.CutPrefix(line, "call ")
		if !is {
			continue
		}
		_, args, _ := strings.Cut(rest, " ")
		var a struct{ Value, Of string }
		w.must(json.Unmarshal([]byte(args), &a))
		counts[a.Value+a.Of]++
	}
	return counts
}

// TestCrashedProcess is no test: it is the process that those below kill.
func TestCrashedProcess(t *testing.T) {
	root := os.Getenv("WFC_TEST_CRASH_PROJECT")
	if root == "" {
		t.Skip("it is started by other tests")
	}
	w := newCrashWorld(t, root, os.Getenv("WFC_TEST_CRASH_SERVER"), os.Getenv("WFC_TEST_CRASH_WORKFLOW"))
	w.told = os.Stdout
	if text := os.Getenv("WFC_TEST_CRASH_INPUTS"); text != "" {
		var err error
		w.inputs, err = value.ParseJSON([]byte(text))
		w.must(err)
	}
	at := crashpoint.Hook[journal.Point]()
	if _, err := os.Stat(filepath.Join(root, StateFolder)); err != nil {
		w.run(at)
		return
	}
	_, s := w.open(at)
	store, err := s.journal()
	w.must(err)
	runs, err := store.Runs(t.Context(), journal.Filter{})
	w.must(err)
	for _, r := range runs {
		if r.FinishedAt != nil {
			continue
		}
		if _, err := s.Resume(t.Context(), string(r.Run), w.watching(s)); err != nil && !errors.Is(err, journal.ErrFinished) {
			t.Fatal(err)
		}
	}
	w.must(s.Close())
}

// Killed at every point of every write of its journal and resumed, a run ends as if it had
// not been: no step that was completed is called again, no effect happens twice,
// and the outputs, and what was undone, are the same. Of steps in doubt somebody
// says what the server's log shows.
func TestAKilledRunEndsAsIfItHadNotBeen(t *testing.T) {
	server := servertest.Path(t)
	for _, workflow := range []string{"completes", "fails", "queued"} {
		t.Run(workflow, func(t *testing.T) {
			t.Parallel()
			step := 1
			if testing.Short() {
				step = 17
			}
			root := t.TempDir()
			whole := newCrashWorld(t, filepath.Join(root, "whole"), server, workflow)
			whole.lay(nil)
			p, s := whole.open(nil)
			_, err := s.Refresh(t.Context(), reach(t, p, "test.main"), RefreshOptions{})
			whole.must(err)
			whole.must(s.Close())
			snapshot, err := os.ReadFile(filepath.Join(whole.root, "catalog", "test.main.json"))
			whole.must(err)
			want := whole.run(nil)
			wantCalls := whole.calls()

			at := func(n int) *crashWorld {
				return newCrashWorld(t, filepath.Join(root, fmt.Sprint(n)), server, workflow)
			}
			process := func(w *crashWorld) *exec.Cmd {
				cmd := exec.Command(os.Args[0], "-test.run=^TestCrashedProcess$")
				cmd.Env = append(os.Environ(), "WFC_TEST_CRASH_PROJECT="+w.root, "WFC_TEST_CRASH_SERVER="+server, "WFC_TEST_CRASH_WORKFLOW="+workflow)
				return cmd
			}
			start := func(n int) *exec.Cmd {
				w := at(n)
				w.lay(snapshot)
				return process(w)
			}
			doubts := 0
			starts := crashpoint.Each(t, step, start, func(run crashpoint.Run) {
				w := at(run.N)
				if run.Died && run.N%3 == 0 { // the process that resumes it dies, too
					again := process(w)
					again.Env = append(again.Env, crashpoint.At(1+run.N%7))
					_ = again.Run()
				}
				doubts += w.goOn(run, want, wantCalls)
				w.must(os.RemoveAll(w.root))
			})
			t.Logf("killed %d times, %d steps in doubt", starts-1, doubts)
			if step == 1 && doubts == 0 {
				t.Error("no step was ever in doubt: the points are not where effects are")
			}
		})
	}
}

// goOn resumes the run that was killed until it has ended, and compares.
func (w *crashWorld) goOn(run crashpoint.Run, want *engine.Outcome, wantCalls map[string]int) (doubts int) {
	t := w.t
	t.Helper()
	before := w.calls()
	_, s := w.open(nil)
	store, err := s.journal()
	w.must(err)
	runs, err := store.Runs(t.Context(), journal.Filter{})
	w.must(err)
	if len(runs) == 0 {
		if len(before) > 0 {
			t.Errorf("there is no run, and the server was called: %v", before)
		}
		w.must(s.Close())
		return 0
	}
	id := runs[0].Run
	done := w.completed(store, id, before)
	var outcome *engine.Outcome
	for {
		outcome, err = s.Resume(t.Context(), string(id), w.watch)
		if errors.Is(err, journal.ErrFinished) && !(outcome != nil) {
			break
		}
		w.must(err)
		if outcome.Status != engine.StatusWaiting {
			break
		}
		doubts += len(outcome.Doubts)
		seen := w.seen()
		for _, in := range outcome.Doubts {
			w.must(s.Resolve(t.Context(), string(id), wordOn(in, seen)))
		}
	}
	rec, err := store.Run(t.Context(), string(id))
	w.must(err)
	if string(rec.Status) != string(want.Status) {
		t.Errorf("it is %s, want %s: %+v", rec.Status, want.Status, rec.Error)
	}
	if outcome != nil && outcome.Outputs.JSON() != want.Outputs.JSON() {
		t.Errorf("its outputs are %s, want %s", outcome.Outputs.JSON(), want.Outputs.JSON())
	}
	w.must(s.Close())

	after := w.calls()
	for what, n := range done {
		if after[what] != n {
			t.Errorf("%q was completed and called again: %d times, then %d", what, n, after[what])
		}
	}
	for what, n := range wantCalls {
		isEffect := !slices.Contains([]string{"find", "big", "image", "flaky", "breaks"}, what)
		if after[what] < n || isEffect && after[what] != n {
			t.Errorf("%q was called %d times, want %d", what, after[what], n)
		}
	}
	for what := range after {
		if wantCalls[what] == 0 {
			t.Errorf("the server was called for %q, which is no part of it", what)
		}
	}
	return doubts
}

// seen is calls without waiting for the server of a service that is open, which has
// answered all that it was called for.
func (w *crashWorld) seen() map[string]int {
	starts := w.starts
	w.starts = os.DevNull
	defer func() { w.starts = starts }()
	return w.calls()
}

// argsOf is what the step's call is for, as its arguments say.
func argsOf(in engine.Instance) string {
	switch in.Path() {
	case "each":
		return "each " // the rest is found by its beginning
	case "child/in_child":
		return "in_child child"
	}
	return in.Step
}

// wordOn is what somebody says of a step in doubt who has read the server's log.
func wordOn(in engine.Instance, seen map[string]int) engine.Word {
	prefix := argsOf(in)
	if in.Path() == "each" {
		i, _ := in.Key.AsNumber().Int64()
		prefix += []string{"x", "y", "z"}[i]
	}
	if in.Undo > 0 {
		prefix = "undo " + prefix
	}
	for what := range seen {
		if strings.HasPrefix(what, prefix) {
			out := value.NewObject(1)
			out.Set("value", value.OfString(what))
			v := value.OfObject(out)
			return engine.Word{Step: in.String(), As: journal.ResolvedOK, Output: &v, By: "the log"}
		}
	}
	return engine.Word{Step: in.String(), As: journal.ResolvedRetry, By: "the log"}
}

// completed returns what the server was called for by steps that have a result in
// the journal, and how often, and checks that every call has its intent there.
func (w *crashWorld) completed(store *journal.Store, id journal.RunID, calls map[string]int) map[string]int {
	w.t.Helper()
	done, intents := map[string]int{}, map[string]bool{}
	for ev, err := range store.Events(w.t.Context(), id) {
		w.must(err)
		key := ev.Node + " " + ev.Instance
		switch ev.Data.(type) {
		case journal.NodeStarted:
			intents[key] = true
		case journal.NodeCompleted:
			if ev.Node != "each" && ev.Node != "child" && ev.Instance == "" {
				what := strings.TrimPrefix(ev.Node, "child/")
				for called, n := range calls {
					if strings.HasPrefix(called, what) {
						done[called] = n
					}
				}
			}
		}
	}
	for what := range calls {
		first, _, _ := strings.Cut(what, " ")
		if !slices.Contains([]string{"find", "big", "flaky", "breaks", "undo"}, first) && first != "each" && first != "in_child" && !intents[first+" "] {
			w.t.Errorf("the effect %q has no intent in the journal: %v", what, intents)
		}
	}
	return done
}
