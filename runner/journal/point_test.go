package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/testdata/crashpoint"
)

// The run of these tests has effectSteps steps, each with one effect: a line in
// a file. The engine keeps the same rules (DURABILITY): the intent is durable
// before the effect, a result need not be before the next intent; what has a
// result is not done again, and what has an intent and no result is in doubt.
const effectSteps = 6

// effects is one process's work on the run: args are the folder of the journal
// and the file of the effects. It makes the run, or adopts it where it is there.
func effects(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{At: crashpoint.Hook[Point](), Keys: KeyFile(args[0] + ".key")})
	if err != nil {
		return err
	}
	r, done, err := beginOrGoOn(ctx, s)
	if err != nil || r == nil {
		return errors.Join(err, s.Close())
	}
	for i := range effectSteps {
		step := fmt.Sprintf("s%d", i)
		switch done[step] {
		case StateOK, StateError:
			continue
		case StateRunning: // in doubt: it is not done again
			if err := r.Append(Event{Node: step, Attempt: 1, Data: NodeFailed{Kind: "transport", InDoubt: true}}); err != nil {
				return err
			}
			continue
		}
		if err := r.Commit(ctx, Event{Node: step, Attempt: 1, Data: NodeStarted{}}); err != nil {
			return err
		}
		if err := appendLine(args[1], step); err != nil {
			return err
		}
		sum, err := s.PutBlob(ctx, []byte("what "+step+" gave"))
		if err != nil {
			return err
		}
		result := Event{Node: step, Attempt: 1, Sensitive: i%2 == 1, Data: NodeCompleted{Result: json.RawMessage(`{"$blob":{"mime_type":"text/plain","size":12,"sha256":"` + sum + `"}}`)}}
		if i%3 == 2 {
			result.Data = NodeCompleted{Result: json.RawMessage(`"` + step + strings.Repeat("x", MaxInline) + `"`)}
		}
		if err := r.Append(result); err != nil {
			return err
		}
	}
	if err := r.Commit(ctx, Event{Data: RunFinished{Status: Completed}}); err != nil {
		return err
	}
	fmt.Println("finished")
	return errors.Join(r.Close(), s.Close())
}

// beginOrGoOn returns the run and the states of its steps; nil where it is finished.
func beginOrGoOn(ctx context.Context, s *Store) (*Run, map[string]State, error) {
	runs, err := s.Runs(ctx, Filter{})
	if err != nil {
		return nil, nil, err
	}
	if len(runs) == 0 {
		r, err := s.CreateRun(ctx, NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage", Key: "the one", Inputs: json.RawMessage(`{"a":"` + strings.Repeat("y", MaxInline) + `"}`)})
		if err == nil {
			fmt.Println(r.ID())
		}
		return r, nil, err
	}
	r, err := s.Adopt(ctx, runs[0].Run)
	if errors.Is(err, ErrFinished) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	done := map[string]State{}
	for ev, err := range s.Events(ctx, r.ID()) {
		if err != nil {
			return nil, nil, err
		}
		switch ev.Data.(type) {
		case NodeStarted:
			done[ev.Node] = StateRunning
		case NodeCompleted:
			done[ev.Node] = StateOK
		case NodeFailed:
			done[ev.Node] = StateError
		}
	}
	return r, done, nil
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// Killed at every point of every write, and once more while it goes on: the log is
// a clean prefix, no effect is without its intent, what was said to be done is done,
// and no effect happens twice, though nobody looks at anything but the journal.
func TestKilledAtEveryPoint(t *testing.T) {
	step := 1
	if testing.Short() || raceEnabled {
		step = 7
	}
	root := t.TempDir()
	paths := func(n int) (dir, file string) {
		project := filepath.Join(root, fmt.Sprint(n))
		must(t, os.MkdirAll(project, 0o700))
		return filepath.Join(project, ".wfc"), filepath.Join(project, "effects")
	}
	process := func(n int) *exec.Cmd {
		dir, file := paths(n)
		cmd := exec.Command(os.Args[0], dir, file)
		cmd.Env = append(os.Environ(), childEnv+"=effects")
		return cmd
	}
	points := map[string]bool{}
	starts := crashpoint.Each(t, step, process, func(run crashpoint.Run) {
		points[run.Point] = true
		dir, file := paths(run.N)
		checkAfterDeath(t, dir, file, run)
		// The next process goes on; every third one dies, too.
		if run.N%3 == 0 {
			again := process(run.N)
			again.Env = append(again.Env, crashpoint.At(1+run.N%11))
			_ = again.Run()
			checkAfterDeath(t, dir, file, crashpoint.Run{})
		}
		if out, err := process(run.N).CombinedOutput(); err != nil {
			t.Fatalf("the next process: %v\n%s", err, out)
		}
		checkAfterDeath(t, dir, file, crashpoint.Run{})
		done, err := os.ReadFile(file)
		must(t, err)
		lines := strings.Fields(string(done))
		if got := slices.Compact(slices.Sorted(slices.Values(lines))); len(got) != len(lines) {
			t.Errorf("an effect happened twice: %v", lines)
		}
	})
	if step == 1 && len(points) < 10 { // all, and the end
		t.Errorf("only these points were met: %v", points)
	}
	t.Logf("%d points", starts-1)
}

// checkAfterDeath checks what is always true of the journal in dir, whoever died over it.
func checkAfterDeath(t *testing.T, dir, file string, run crashpoint.Run) {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Keys: KeyFile(dir + ".key")})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	checkIntegrity(t, s)
	checkProjection(t, s)
	runs, err := s.Runs(t.Context(), Filter{})
	must(t, err)
	effects, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if len(runs) == 0 {
		if len(effects) > 0 || run.Out != "" {
			t.Errorf("there is no run, and it did %q and said %q", effects, run.Out)
		}
		return
	}
	intents, next := map[string]bool{}, 0
	for ev, err := range s.Events(t.Context(), runs[0].Run) { // every body with it: inline, blob, sealed
		must(t, err)
		switch p := ev.Data.(type) {
		case NodeStarted:
			if want := fmt.Sprintf("s%d", next); ev.Node != want {
				t.Errorf("%s began where %s was next", ev.Node, want)
			}
			intents[ev.Node] = true
			next++
		case NodeCompleted:
			for _, sum := range handlesIn(p.Result) {
				data, err := s.Blob(t.Context(), sum)
				if err != nil || !bytes.Equal(data, []byte("what "+ev.Node+" gave")) {
					t.Errorf("the blob of %s is %q, %v", ev.Node, data, err)
				}
			}
		}
	}
	for effect := range strings.FieldsSeq(string(effects)) {
		if !intents[effect] {
			t.Errorf("the effect of %s has no intent", effect)
		}
	}
	if strings.Contains(run.Out, "finished") && runs[0].Status != Completed {
		t.Errorf("it said that it was finished, and is %s", runs[0].Status)
	}
	if !strings.Contains(run.Out, "finished") && run.Died && runs[0].Status == Running {
		t.Error("a dead process's run is running")
	}
}
