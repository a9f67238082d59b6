package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/testdata/npm"
	"github.com/lda-wf/wfc/testdata/servers/httpserver"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
	"github.com/lda-wf/wfc/testdata/servers/testserver"
)

var update = flag.Bool("update", false, "rewrite the goldens of the scripts and the documents")

// The test binary is wfc itself, and the servers that scripts connect to, when
// it is started under one of their names.
func TestMain(m *testing.M) {
	testscript.Main(m, programs)
}

// programs are what the test binary is, by the names that it is started under.
var programs = map[string]func(){
	"wfc":        wfcMain,
	"testserver": func() { testserver.Main(); syscall.Exit(0) },
	"toolserver": func() { testserver.Declare(); testserver.Main(); syscall.Exit(0) },
	"httpserver": httpserver.Main,
	"dying":      dyingServer,
}

// wfcMain is main. Servers end without the race detector's sleep at the exit,
// which takes a second and is turned off for the others by GORACE.
func wfcMain() {
	if len(os.Args) > 1 && os.Args[1] == "demo-server" {
		syscall.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	main()
}

// TestScripts runs testdata/script: every command, over real processes.
func TestScripts(t *testing.T) {
	runScripts(t, "../../testdata/script")
}

// TestChecks runs testdata/script/check: mistakes that people make, and what
// `wfc check` says of each.
func TestChecks(t *testing.T) {
	runScripts(t, "../../testdata/script/check")
}

// TestRealServers runs testdata/script/real: workflows over npm servers.
func TestRealServers(t *testing.T) {
	npm.Bin(t)
	runScripts(t, "../../testdata/script/real")
}

// runScripts runs the scripts of a folder, set up as the functions say beyond what all are.
func runScripts(t *testing.T, dir string, setups ...func(*testscript.Env) error) {
	data, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", data)
			env.Setenv("NO_COLOR", "1")
			env.Setenv("TZ", "UTC")
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Values[signalled{}] = &signalled{}
			env.Values[startedServers{}] = &started{list: map[string]*startedServer{}}
			env.Values[agentsOf{}] = &agents{list: map[string]*agent{}}
			for _, set := range setups {
				if err := set(env); err != nil {
					return err
				}
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "mount": // whether file systems may be mounted
				return mounts(), nil
			case "hangup": // whether programs end with their terminal, which nohup(1) prevents
				return slices.Contains(interrupts(), os.Signal(syscall.SIGHUP)), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: with(agentCommands(), map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"await":       await,
			"calls":       calls,
			"up":          up,
			"down":        down,
			"request":     request,
			"certificate": certificate,
			"runid":       rememberRun,
			"same":        same,
			"code":        code,
			"copydir":     copyDir,
			"digest":      digest,
			"disk":        disk,
			"each":        each,
			"edit":        edit,
			"ended":       ended,
			"fifo":        fifo,
			"files":       files,
			"holds":       holds,
			"gone":        gone,
			"large":       large,
			"lines":       lines,
			"model":       model,
			"snapshots":   snapshots,
			"serve":       serve,
			"sqlite":      sqlite,
			"servers":     servers,
			"npm":         npmPath(t),
			"interrupt":   interrupt,
			"ok":          ok,
			"token":       showToken,
			"write":       write,
		}),
	})
}

// with returns a with all of b.
func with[V any](a, b map[string]V) map[string]V {
	maps.Copy(a, b)
	return a
}

// ok is "ok PROGRAM ARGS": the program with exit code 0; negated, with exit code
// 1. What differs from run to run is replaced in its output: see [volatile].
// "exec" has the output as it is.
func ok(ts *testscript.TestScript, neg bool, args []string) {
	want := exitOK
	if neg {
		want = exitFailed
	}
	exits(ts, want, args)
}

// code is "code N PROGRAM ARGS": the program with that exit code, its output as of "ok".
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	exits(ts, n, args[1:])
}

func exits(ts *testscript.TestScript, want int, args []string) {
	err := ts.Exec(args[0], args[1:]...)
	got := 0
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	normalise(ts)
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// normalise replaces the output of the last command.
func normalise(ts *testscript.TestScript) {
	work := ts.Getenv("WORK")
	out, errw := normal(ts.ReadFile("stdout"), work), normal(ts.ReadFile("stderr"), work)
	_, err := io.WriteString(ts.Stdout(), out)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), errw)
	ts.Check(err)
}

// volatile is what differs from run to run, and what it is replaced by.
var volatile = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\b0[0-9a-z]{7}-[0-9a-z]{4}\b`), "RUN"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`), "WHEN"},
	{regexp.MustCompile(`\b(\d+m)?\d+(\.\d+)?(ns|µs|ms|s)\b`), "TIME"},
	{regexp.MustCompile(`"plan_digest": ?"[0-9a-f]{64}"`), `"plan_digest": "DIGEST"`},
	{regexp.MustCompile(`\b(127\.0\.0\.1|localhost):\d+`), "${1}:PORT"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
	{regexp.MustCompile(`\nTime\n(?:  ~ .+: .+ → .+\n)+`), ""}, // of two runs on a machine that was busy during one
}

// normal replaces what differs from run to run, and the folder work by $WORK.
func normal(s, work string) string {
	if work != "" {
		s = strings.ReplaceAll(s, work, "$WORK")
	}
	for _, v := range volatile {
		s = v.re.ReplaceAllString(s, v.to)
	}
	return s
}

// signalled is the value of a script that has the program it interrupted.
type signalled struct{ cmd *exec.Cmd }

// each is "each GLOB PROGRAM ARGS": the program with exit code 0 for each file,
// which is its last argument. {} in an argument is the file's name without its
// extension. The output is that of all.
func each(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: each GLOB PROGRAM ARGS")
	}
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("there is no file %s", args[0])
	}
	var out, errw strings.Builder
	for _, name := range names {
		argv := make([]string, 0, len(args))
		for _, a := range args[2:] {
			argv = append(argv, strings.ReplaceAll(a, "{}", strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))))
		}
		err := ts.Exec(args[1], append(argv, name)...)
		out.WriteString(ts.ReadFile("stdout"))
		errw.WriteString(ts.ReadFile("stderr"))
		if err != nil {
			ts.Fatalf("%s: %v", filepath.Base(name), err)
		}
	}
	_, _ = io.WriteString(ts.Stdout(), normal(out.String(), ts.Getenv("WORK")))
	_, _ = io.WriteString(ts.Stderr(), normal(errw.String(), ts.Getenv("WORK")))
}

// interrupt is "interrupt [hangup|terminate]": it stops the program in the
// background as Ctrl-C, the end of its terminal or the system does.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	cmds := ts.BackgroundCmds()
	signals := map[string]os.Signal{"": os.Interrupt, "hangup": syscall.SIGHUP, "terminate": syscall.SIGTERM}
	signal := signals[strings.Join(args, " ")]
	if neg || signal == nil || len(cmds) != 1 {
		ts.Fatalf("usage: interrupt [hangup|terminate], with one program in the background")
	}
	ts.Check(cmds[0].Process.Signal(signal))
	ts.Value(signalled{}).(*signalled).cmd = cmds[0]
}

// ended is "ended N", after interrupt and wait: whether the program had that exit
// code, its output as of "ok".
func ended(ts *testscript.TestScript, neg bool, args []string) {
	cmd := ts.Value(signalled{}).(*signalled).cmd
	if neg || len(args) != 1 || cmd == nil || len(ts.BackgroundCmds()) != 0 {
		ts.Fatalf("usage: ended N, after interrupt and wait")
	}
	normalise(ts)
	got := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		got = 128 + int(status.Signal()) // as shells count
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// gone is "gone FILE [N]": whether the test server was started N times, as it
// recorded in FILE, and none of the processes lives on.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: gone FILE [N]")
	}
	pids := strings.Fields(ts.ReadFile(args[0]))
	if len(args) == 2 && strconv.Itoa(len(pids)) != args[1] {
		ts.Fatalf("%d processes were started, want %s", len(pids), args[1])
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		ts.Check(err)
		ts.Check(servertest.Gone(pid))
	}
}

// copyDir is "copydir FROM TO": a copy of a folder, such as an example, without
// what its runs left.
func copyDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copydir FROM TO")
	}
	from, to := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	ts.Check(filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".wfc" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), src, 0o644)
	}))
}

// snapshots is "snapshots CONNECTION…": what the test server offers as the
// snapshots of these connections of the project in the current folder.
func snapshots(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: snapshots CONNECTION…")
	}
	tools, err := os.ReadFile(filepath.Join(ts.Getenv("TESTDATA"), "servers", "testserver", "tools.json"))
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs("catalog"), 0o755))
	for _, id := range args {
		snap, err := catalog.Import(id, tools)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(filepath.Join("catalog", id+".json")), snap.Encode(), 0o644))
	}
}

// servers is "servers": the connections of the corpus, to real servers, with their
// snapshots, as the project in the current folder.
func servers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: servers")
	}
	corpus := filepath.Join(ts.Getenv("TESTDATA"), "projects", "corpus")
	for _, name := range []string{"wfc.hcl", "connections.wf.hcl"} {
		src, err := os.ReadFile(filepath.Join(corpus, name))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), src, 0o644))
	}
	copyDir(ts, false, []string{filepath.Join(corpus, "catalog"), "catalog"})
}

// files is "files DIR": it prints the names of all files below a folder.
func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: files DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil {
			_, err = io.WriteString(ts.Stdout(), filepath.ToSlash(rel)+"\n")
		}
		return err
	}))
}

// rememberRun is "runid": it sets $RUN to the id in the last command's output,
// $RUN_END to its end, and $RUN_UPPER to it in capitals.
func rememberRun(ts *testscript.TestScript, neg bool, args []string) {
	id := volatile[0].re.FindString(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
	if neg || len(args) != 0 || id == "" {
		ts.Fatalf("usage: runid, after a command that says which run")
	}
	ts.Setenv("RUN", id)
	ts.Setenv("RUN_END", id[len(id)-4:])
	ts.Setenv("RUN_UPPER", strings.ToUpper(id))
}

// calls is "calls FILE": it prints what the test server logged of tool calls.
func calls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: calls FILE")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if strings.HasPrefix(line, "call ") {
			_, err := io.WriteString(ts.Stdout(), line)
			ts.Check(err)
		}
	}
}

// same is "same FILE POINTER FILE POINTER": whether two places in JSON files, by
// JSON pointer, have the same bytes but for white space. last:stdout is the last
// line of the output.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: same FILE POINTER FILE POINTER")
	}
	a, b := jsonAt(ts, args[0], args[1]), jsonAt(ts, args[2], args[3])
	if a != b {
		ts.Fatalf("%s%s is\n%s\nand %s%s is\n%s", args[0], args[1], a, args[2], args[3], b)
	}
}

func jsonAt(ts *testscript.TestScript, file, pointer string) string {
	name, last := strings.CutPrefix(file, "last:")
	text := ts.ReadFile(name)
	if last {
		text = strings.TrimSpace(text)
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	raw := json.RawMessage(text)
	for _, step := range strings.Split(pointer, "/")[1:] {
		var object map[string]json.RawMessage
		ts.Check(json.Unmarshal(raw, &object))
		raw = object[step]
	}
	var b bytes.Buffer
	ts.Check(json.Compact(&b, raw))
	return b.String()
}

// digest is "digest FILE": it prints the digest of a plan.
func digest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: digest FILE")
	}
	var plan struct{ Digest string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &plan))
	_, err := io.WriteString(ts.Stdout(), plan.Digest+"\n")
	ts.Check(err)
}

// holds is "holds DIR TEXT": whether some file below the folder has the text.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: holds DIR TEXT")
	}
	found := false
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		src, err := os.ReadFile(path)
		found = found || bytes.Contains(src, []byte(args[1]))
		return err
	}))
	if found == neg {
		ts.Fatalf("a file below %s has %q: %t", args[0], args[1], found)
	}
}

// edit is "edit FILE OLD NEW": it replaces a text that is in the file once. Both
// are written as Go writes them between quotes.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	src, old := ts.ReadFile(args[0]), unquote(ts, args[1])
	if n := strings.Count(src, old); n != 1 {
		ts.Fatalf("%q is %d times in %s", old, n, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(src, old, unquote(ts, args[2]), 1)), 0o644))
}

// write is "write FILE TEXT": a file of bytes that cannot be seen in a script,
// written as Go writes them between quotes.
func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write FILE TEXT")
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(unquote(ts, args[1])), 0o644))
}

func unquote(ts *testscript.TestScript, text string) string {
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	ts.Check(err)
	return out
}

// lines is "lines FILE N": whether the file has N lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	n := strings.Count(ts.ReadFile(args[0]), "\n")
	if (args[1] == strconv.Itoa(n)) == neg {
		ts.Fatalf("%s has %d lines", args[0], n)
	}
}

// npmPath is "npm [sqlite|chromium]": it puts the real npm servers on the PATH. What
// only some scripts need is named: the native part of mcp-sqlite-server, and a
// browser, which is $CHROMIUM then. $NPM is the folder that they are installed in.
func npmPath(t *testing.T) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		bin := npm.Bin(t)
		switch need := strings.Join(args, " "); {
		case neg:
			ts.Fatalf("usage: npm [sqlite|chromium]")
		case need == "sqlite":
			npm.Sqlite(t)
		case need == "chromium":
			ts.Setenv("CHROMIUM", npm.Chromium(t))
		case need != "":
			ts.Fatalf("usage: npm [sqlite|chromium]")
		}
		ts.Setenv("NPM", filepath.Dir(filepath.Dir(bin)))
		ts.Setenv("PATH", bin+string(filepath.ListSeparator)+ts.Getenv("PATH"))
	}
}
