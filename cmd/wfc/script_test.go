package main

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lda-wf/wfc/testdata/npm"
	"github.com/lda-wf/wfc/testdata/servers/testserver"
)

var update = flag.Bool("update", false, "rewrite the goldens of the scripts and the documents")

// The test binary is wfc itself, and the servers that scripts connect to, when
// it is started under one of their names.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"wfc":        main,
		"testserver": testserver.Main,
	})
}

// TestScripts runs testdata/script: every command, over real processes.
func TestScripts(t *testing.T) {
	runScripts(t, "../../testdata/script")
}

// TestRealServers runs testdata/script/real: workflows over npm servers.
func TestRealServers(t *testing.T) {
	npm.Bin(t)
	runScripts(t, "../../testdata/script/real")
}

func runScripts(t *testing.T, dir string) {
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
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"copydir": copyDir,
			"like":    like,
			"lines":   lines,
			"npm":     npmPath(t),
		},
	})
}

// copyDir is "copydir FROM TO": a copy of a folder, such as an example.
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

// like is "like FILE WANT": it compares as cmp does, after what differs from
// run to run was replaced in both: run ids by RUN, durations by TIME, moments by
// WHEN, the work folder by $WORK.
func like(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: like FILE WANT")
	}
	got := normal(ts.ReadFile(args[0]), ts.Getenv("WORK"))
	want := normal(ts.ReadFile(args[1]), ts.Getenv("WORK"))
	if (got == want) == neg {
		ts.Fatalf("%s is not as wanted. It is, normalised:\n%s\nwanted:\n%s", args[0], got, want)
	}
}

var volatile = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\b[0-9a-z]{8}-[0-9a-z]{4}\b`), "RUN"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`), "WHEN"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ns|µs|ms|s)\b`), "TIME"},
	{regexp.MustCompile(`\bpid \d+\b`), "pid N"},
	{regexp.MustCompile(`[ \t]+\n`), "\n"},
}

// normal replaces what differs from run to run.
func normal(s, work string) string {
	if work != "" {
		s = strings.ReplaceAll(s, work, "$WORK")
	}
	for _, v := range volatile {
		s = v.re.ReplaceAllString(s, v.to)
	}
	return s
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

// npmPath is "npm": it puts the real npm servers on the PATH.
func npmPath(t *testing.T) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, _ bool, _ []string) {
		ts.Setenv("PATH", npm.Bin(t)+string(filepath.ListSeparator)+ts.Getenv("PATH"))
	}
}
