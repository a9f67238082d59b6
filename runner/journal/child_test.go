package journal

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// TestMain is also the other process of those tests that need one: childEnv
// names what it does.
func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const childEnv = "WFC_JOURNAL_CHILD"

// children are the other processes. Each says on stdout, line by line, what it has done.
var children = map[string]func(args []string) error{
	"write":   writeForever,
	"hold":    holdRun,
	"open":    openOnly,
	"leave":   writeAndLeave,
	"list":    listAsNobody,
	"effects": effects,
	"leaks":   leakLock,
	"stay":    stayWithLock,
}

// child is a running other process.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	stdin io.Closer
}

func startChild(t testing.TB, name string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	c := &child{cmd: cmd, lines: bufio.NewScanner(out), stdin: in}
	t.Cleanup(c.kill)
	return c
}

// line returns the next line; "" is the end.
func (c *child) line() string {
	c.lines.Scan()
	return c.lines.Text()
}

// kill ends the process as a loss of power would, and waits for its end.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended
	_ = c.cmd.Wait()
}

// wait waits for the process's own end.
func (c *child) wait(t testing.TB) {
	t.Helper()
	for c.lines.Scan() {
	}
	must(t, c.cmd.Wait())
}

// numbered is the n-th event of a run that counts its events.
func numbered(n int) Event {
	return Event{Node: "a", Instance: strconv.Itoa(n % 7), Attempt: 1, Data: NodeCompleted{
		Result: json.RawMessage(fmt.Sprintf(`{"n":%d,"of":%d}`, n, groupOf(n))),
	}}
}

// groupOf returns the last number of the transaction that n is in: the groups
// of the counting run have 1, 2, 3, 4, 1, 2, … events.
func groupOf(n int) int {
	end, size := 0, 0
	for end < n {
		size = size%4 + 1
		end += size
	}
	return end
}

// writeForever writes numbered events, transaction after transaction, and says
// the number of the last one after each: args are the folder and how many to
// write, 0 for no end; with a third one it stays alive afterwards.
func writeForever(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	r, err := s.CreateRun(ctx, NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage"})
	if err != nil {
		return err
	}
	fmt.Println(r.ID())
	limit, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for n := 0; limit == 0 || n < limit; {
		var group []Event
		for end := groupOf(n + 1); n < end; {
			n++
			group = append(group, numbered(n))
		}
		if err := r.Commit(ctx, group...); err != nil {
			return err
		}
		fmt.Println(n)
	}
	if len(args) > 2 {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	return s.Close()
}

// writeAndLeave writes the first numbered events, finishes the run and leaves:
// args are the folder and how many to write.
func writeAndLeave(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	r, err := s.CreateRun(ctx, NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage"})
	if err != nil {
		return err
	}
	limit, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for n := range limit {
		if err := r.Append(numbered(n + 1)); err != nil {
			return err
		}
	}
	if err := r.Commit(ctx, Event{Data: RunFinished{Status: Completed}}); err != nil {
		return err
	}
	fmt.Println(r.ID())
	return s.Leave()
}

// holdRun owns a run until its stdin ends.
func holdRun(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	r, err := s.CreateRun(ctx, NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage"})
	if err != nil {
		return err
	}
	started := Event{Node: "a", Attempt: 1, Data: NodeStarted{Generation: 3}}
	repeatable := Event{Node: "b", Attempt: 1, Data: NodeStarted{Repeatable: true}}
	if err := r.Commit(ctx, started, repeatable); err != nil {
		return err
	}
	fmt.Println(r.ID())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

// openOnly opens the journal in args[0] and says what came of it.
func openOnly(args []string) error {
	if len(args) > 1 {
		if err := becomeNobody(); err != nil {
			return err
		}
	}
	s, err := Open(context.Background(), args[0], Options{})
	if err != nil {
		fmt.Println(err)
		return nil
	}
	fmt.Println("opened")
	return s.Close()
}

// listAsNobody says the runs of the journal in args[0] and their statuses.
func listAsNobody(args []string) error {
	if err := becomeNobody(); err != nil {
		return err
	}
	s, err := Open(context.Background(), args[0], Options{ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return nil
	}
	runs, err := s.Runs(context.Background(), Filter{})
	if err != nil {
		fmt.Println(err)
		return nil
	}
	for _, r := range runs {
		fmt.Println(r.Status)
	}
	return s.Close()
}

// leakLock owns a run, and so does a process that it has started, until its stdin ends.
func leakLock(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	r, err := s.CreateRun(ctx, NewRun{Plan: testPlan, PlanDigest: "digest of the plan", Workflow: "triage"})
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=stay")
	cmd.Stdin, cmd.ExtraFiles = os.Stdin, []*os.File{r.lock.file}
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Println(r.ID())
	return cmd.Wait()
}

// stayWithLock has the file of a lock open until its stdin ends.
func stayWithLock([]string) error {
	_, _ = io.Copy(io.Discard, os.Stdin)
	return os.NewFile(3, "lock").Close()
}
