package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/testdata/npm"
)

// What README.md and the pages of docs show is run. Comments before a block, one
// a line, say how:
//
//	<!-- project: testdata/examples/hello -->  from here on, work in a copy of that folder
//	<!-- project: empty -->                    … in an empty folder
//	<!-- project: clone -->                    … in a folder that has the examples where a clone has them
//	<!-- needs: npm -->                        … with the real npm servers on the PATH
//	<!-- needs: npm, sqlite -->                … and the native part of the one for SQLite
//	<!-- file: triage.wf.hcl -->               the block is written to this file first
//	<!-- shows: testdata/… -->                 the block is a part of this file of the repository
//	<!-- fails: WFC2103 -->                    checking finds exactly this (several: with commas)
//	<!-- fragment -->                          the block is a part of a file: it is only parsed
//	<!-- any order -->                         the lines that are printed may come in any order
//	<!-- exit: 1 -->                           the last command of the block gives this exit code
//	<!-- killed after: ✓ tag -->               the last command of the block is killed once it has printed this
//	<!-- goes on after: listening on -->       the last command of the block goes on after a line with this, until the page's end
//	<!-- needs: curl -->                       the block is left out where the machine has no such program
//	<!-- jobs: github -->                      the block is a pipeline, whose commands are run (gitlab, pre-commit)
//	<!-- not run: because … -->                the commands are not run
//	<!-- problem matcher -->                   a task of VS Code; see TestProblemMatcher
//	<!-- configures: emacs -->                 an editor is tried with it; see TestEditors
//
// A console block has commands after "$ " and what they print. An sh block has
// commands only. An hcl block is a whole file: it must pass `wfc check`, as a file
// of the project where it has a name, else beside the connection demo.main. A wfi block
// is a formatted interface file. A json block is JSON, or a JSON object a line, a yaml block is YAML. A server that goes on listens at a
// port that is free, whatever the page says. With -update, what commands print is written anew.
func TestDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the documents' commands are written for a POSIX shell")
	}
	for _, file := range documents(t) {
		name, err := filepath.Rel("../../docs", file)
		if err != nil {
			t.Fatal(err)
		}
		switch name = filepath.ToSlash(name); name {
		case "functions.md", "diagnostics.md", "reference/blocks.md", "reference/cli.md":
			continue // written from tables, whose own tests run their examples
		}
		t.Run(strings.TrimLeft(name, "./"), func(t *testing.T) {
			t.Parallel()
			p := readPage(t, file)
			s := &session{t: t, ids: map[string]string{}, addrs: map[string]string{}}
			written := map[*block]string{}
			for _, b := range p.blocks {
				s.at = fmt.Sprintf("%s:%d", filepath.Base(file), b.line)
				if text := s.block(b); text != b.text {
					written[b] = text
				}
			}
			if *update && len(written) > 0 {
				if err := p.replace(written); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// session follows one page from its beginning to its end.
type session struct {
	t     *testing.T
	at    string            // the block, for messages
	root  string            // of the folder that it works in; "": none yet
	dir   string            // the shell's working directory
	path  string            // put before PATH
	ids   map[string]string // run ids: the page's → the real ones
	addrs map[string]string // where servers listen: the page's → the real ones
	last  string            // the last run id that the page shows
}

func (s *session) errorf(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("%s: %s", s.at, fmt.Sprintf(format, args...))
}

// block runs a block and returns what it should be.
func (s *session) block(b *block) string {
	if from, ok := b.marks["project"]; ok {
		s.begin(from)
	}
	switch b.marks["needs"] {
	case "npm":
		s.path = npm.Bin(s.t) + string(filepath.ListSeparator)
	case "npm, sqlite":
		s.path = npm.Sqlite(s.t) + string(filepath.ListSeparator)
	}
	for _, program := range []string{"curl", "git"} {
		if _, err := exec.LookPath(program); b.marks["needs"] == program && err != nil {
			if os.Getenv("WFC_REQUIRE_REAL") == "1" {
				s.errorf("%v", err)
			}
			return b.text
		}
	}
	if name, ok := b.marks["file"]; ok {
		s.write(name, b.text)
	}
	if name, ok := b.marks["shows"]; ok {
		src, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(src), b.text) {
			s.errorf("this is no part of %s (%v)", name, err)
		}
	}
	switch b.lang {
	case "console":
		return s.console(b)
	case "sh":
		if _, not := b.marks["not run"]; !not {
			for line := range strings.Lines(b.text) {
				s.command(strings.TrimSuffix(line, "\n"), 0)
			}
		}
	case "hcl":
		s.hcl(b)
	case "json":
		for d := json.NewDecoder(strings.NewReader(b.text)); ; {
			var v any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				s.errorf("this is no JSON: %v", err)
				break
			}
		}
	case "wfi": // checked with the project, by the block that names it
		if formatted, diags := format.Source("shown.wfi", []byte(b.text)); diags.HasErrors() || string(formatted) != b.text {
			s.errorf("this is not formatted; wfc fmt makes of it\n%s%v", formatted, diags)
		}
	case "yaml":
		if err := yaml.Unmarshal([]byte(b.text), new(any)); err != nil {
			s.errorf("this is no YAML: %v", err)
		}
		if kind, ok := b.marks["jobs"]; ok {
			s.jobs(kind, b.text)
		}
	case "", "mermaid": // a picture, or a notation without a program of its own
	default:
		_, not := b.marks["not run"]
		if _, tried := b.marks["configures"]; !not && !tried {
			s.errorf("nobody knows how to run %q", b.lang)
		}
	}
	return b.text
}

// begin begins to work in a new folder.
func (s *session) begin(from string) {
	s.root = s.t.TempDir()
	s.dir = s.root
	switch from {
	case "empty":
	case "clone":
		s.copy("testdata/examples", filepath.Join(s.root, "testdata", "examples"))
	default:
		s.copy(from, s.root)
	}
}

func (s *session) copy(from, to string) {
	src := filepath.Join("../..", filepath.FromSlash(from))
	if err := os.CopyFS(to, os.DirFS(src)); err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
	if err := os.RemoveAll(filepath.Join(to, ".wfc")); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) write(name, text string) {
	if s.root == "" {
		s.t.Fatalf("%s: there is no project to write %s to", s.at, name)
	}
	to := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

// hcl checks a block of HCL.
func (s *session) hcl(b *block) {
	if formatted, diags := format.Source("shown.wf.hcl", []byte(b.text)); !diags.HasErrors() && string(formatted) != b.text {
		s.errorf("this is not formatted; wfc fmt makes of it\n%s", formatted)
	}
	if _, ok := b.marks["fragment"]; ok {
		if _, diags := hclsyntax.ParseConfig([]byte(b.text), s.at, hcl.InitialPos); diags.HasErrors() {
			s.errorf("%v", diags)
		}
		return
	}
	root := s.dir
	if _, named := b.marks["file"]; !named {
		whole := &session{t: s.t, at: s.at}
		whole.begin("testdata/projects/demo")
		whole.write("shown.wf.hcl", b.text)
		root = whole.root
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		s.errorf("%v", err)
		return
	}
	var want, got []string
	if codes := b.marks["fails"]; codes != "" {
		want = strings.Split(codes, ", ")
	}
	found := check.Project(p)
	for _, d := range found {
		got = append(got, string(d.Code))
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		s.errorf("checking finds %v, wanted is %v:\n%v", got, want, found)
	}
}

// console runs the commands of a console block and returns it with what they
// print: as the page has it where only ids and times differ.
func (s *session) console(b *block) string {
	var out strings.Builder
	parts := strings.Split("\n"+b.text, "\n$ ")
	if strings.TrimSpace(parts[0]) != "" {
		s.errorf("the block begins with what no command printed: %q", parts[0])
	}
	for i, part := range parts[1:] {
		command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
		code := 0
		if at, ok := b.marks["exit"]; ok && i == len(parts)-2 {
			if _, err := fmt.Sscan(at, &code); err != nil {
				s.errorf("exit: %v", err)
			}
		}
		if *update && s.last != "" {
			// A run that an earlier command does not show any more is the last one now.
			command = runID.ReplaceAllStringFunc(command, func(id string) string {
				if _, known := s.ids[id]; known {
					return id
				}
				return s.last
			})
		}
		got := ""
		if after, ok := b.marks["killed after"]; ok && i == len(parts)-2 {
			got = s.killed(command, after)
		} else if after, ok := b.marks["goes on after"]; ok && i == len(parts)-2 {
			got = s.goesOn(command, after)
		} else {
			got = s.command(command, code)
		}
		s.learn(want, got)
		_, any := b.marks["any order"]
		if s.normal(got, any) != s.normal(want, any) {
			if !*update {
				s.errorf("$ %s\nprints\n%s\nthe page says\n%s", command, got, want)
			}
			want = s.original(got)
			s.learn(want, got)
		}
		if shown := runID.FindAllString(want, -1); len(shown) > 0 {
			s.last = shown[len(shown)-1]
		}
		fmt.Fprintf(&out, "$ %s\n%s", command, want)
	}
	return out.String()
}

// command runs one command line in the shell and returns what it prints, errors
// included. It follows changes of the working directory.
func (s *session) command(line string, code int) string {
	if line == "go test ./..." {
		return "" // this is it
	}
	if s.root == "" {
		s.t.Fatalf("%s: there is no project to run %s in", s.at, line)
	}
	for _, names := range []map[string]string{s.ids, s.addrs} {
		for shown, real := range names {
			line = strings.ReplaceAll(line, shown, real)
		}
	}
	// The binary that `go run` would build is the one that is tested.
	line = strings.Replace(line, "go run ./cmd/wfc ", "wfc ", 1)
	dir := s.dir
	env := s.environ()
	if strings.HasPrefix(line, "go install ") {
		dir = "../.."
		env = append(env, "GOBIN="+s.t.TempDir())
	}
	pwd := filepath.Join(s.t.TempDir(), "pwd")
	cmd := exec.Command("sh", "-c", line+"\nstatus=$?\npwd -P >'"+pwd+"'\nexit $status\n")
	cmd.Dir = dir
	cmd.Env = env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		s.t.Fatalf("%s: %s: %v", s.at, line, err)
	}
	if got != code {
		s.errorf("$ %s\nexit code %d, wanted is %d:\n%s", line, got, code, out.Bytes())
	}
	if dir == s.dir {
		if now, err := os.ReadFile(pwd); err == nil {
			s.dir = strings.TrimSuffix(string(now), "\n")
		}
	}
	text := out.String()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func (s *session) environ() []string {
	return append(os.Environ(), "NO_COLOR=1", "TZ=UTC", "PATH="+s.path+os.Getenv("PATH"))
}

var runID = regexp.MustCompile(`\b0[0-9a-z]{7}-[0-9a-z]{4}\b`)

// learn pairs the run ids that the page shows with those that a command printed.
func (s *session) learn(want, got string) {
	shown, real := runID.FindAllString(want, -1), runID.FindAllString(got, -1)
	for i := range min(len(shown), len(real)) {
		if _, known := s.ids[shown[i]]; !known {
			s.ids[shown[i]] = real[i]
		}
	}
}

// original is a command's output with the run ids that the page has for them.
func (s *session) original(got string) string {
	for _, names := range []map[string]string{s.ids, s.addrs} {
		for shown, real := range names {
			got = strings.ReplaceAll(got, real, shown)
		}
	}
	return strings.ReplaceAll(got, s.realRoot(), home)
}

// home is what the pages show where a command printed the folder it works in.
const home = "/home/ada"

var (
	digestHex = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	columns   = regexp.MustCompile(`(\S) {2,}`)
	slower    = regexp.MustCompile(`\n\nTime\n(?:  ~ .*\n)+`) // of runs diff, on a machine with much else to do
	goBuild   = regexp.MustCompile(`wfc 0\.1\.0-dev( \([0-9a-f]{12}\))?`)
)

// normal replaces what differs from run to run, widths of columns included, and
// maybe the order of lines.
func (s *session) normal(text string, anyOrder bool) string {
	for shown, real := range s.addrs {
		text = strings.ReplaceAll(text, real, shown)
	}
	text = normal(strings.ReplaceAll(text, s.realRoot(), home), "")
	text = digestHex.ReplaceAllString(text, "DIGEST")
	text = goBuild.ReplaceAllString(text, "wfc VERSION")
	text = slower.ReplaceAllString(text, "\n")
	text = columns.ReplaceAllString(text, "$1  ")
	if anyOrder {
		lines := strings.Split(text, "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	return text
}

func (s *session) realRoot() string {
	if root, err := filepath.EvalSymlinks(s.root); err == nil {
		return root
	}
	return s.root
}

// TestReadmeBeginsWithItsTwoCommands: a newcomer gets to a running workflow with
// the first block, to passing tests with the second.
func TestReadmeBeginsWithItsTwoCommands(t *testing.T) {
	var got []string
	for _, b := range readPage(t, "../../README.md").blocks {
		if b.lang == "sh" {
			got = append(got, b.text)
		}
	}
	want := []string{"go run ./cmd/wfc run testdata/examples/hello\n", "go test ./...\n"}
	if len(got) < 2 || !slices.Equal(got[:2], want) {
		t.Errorf("the first sh blocks are %q", got)
	}
}

// TestProblemMatcher: the task of VS Code in docs/editors.md reads what README.md
// shows that wfc check prints.
func TestProblemMatcher(t *testing.T) {
	var task struct {
		Tasks []struct {
			ProblemMatcher struct {
				Pattern []struct {
					Regexp string
				}
			}
		}
	}
	var printed string
	for _, b := range append(readPage(t, "../../README.md").blocks, readPage(t, editorsPage).blocks...) {
		if _, ok := b.marks["problem matcher"]; ok {
			if err := json.Unmarshal([]byte(b.text), &task); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasPrefix(b.text, "$ wfc check\n") {
			printed = b.text
		}
	}
	if len(task.Tasks) != 1 || len(task.Tasks[0].ProblemMatcher.Pattern) != 2 {
		t.Fatalf("the matcher has not two patterns: %+v", task)
	}
	// VS Code wants the lines of a finding one after the other.
	first, second := task.Tasks[0].ProblemMatcher.Pattern[0].Regexp, task.Tasks[0].ProblemMatcher.Pattern[1].Regexp
	both := regexp.MustCompile("(?m)" + strings.TrimSuffix(first, "$") + "\n" + strings.TrimPrefix(second, "^"))
	var got [][]string
	for _, m := range both.FindAllStringSubmatch(printed, -1) {
		got = append(got, m[1:])
	}
	want := [][]string{
		{"error", "WFC2103", "Unknown argument", "greet.wf.hcl", "8", "14"},
		{"error", "WFC2301", "Value that may be null", "greet.wf.hcl", "14", "25"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the patterns find\n%q\nwanted are\n%q", got, want)
	}
}

// TestDocumentsNameTheServersThatAreTested: an install command names the version
// that the tests run against.
func TestDocumentsNameTheServersThatAreTested(t *testing.T) {
	src, err := os.ReadFile("../../testdata/npm/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(src, &manifest); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(@modelcontextprotocol/[a-z-]+|@cyanheads/[a-z-]+|mcp-sqlite)@([0-9][0-9.]*[0-9])`)
	examples, err := filepath.Glob("../../testdata/examples/*/*.wf.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(documents(t), examples...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(src), -1) {
			if manifest.Dependencies[m[1]] != m[2] {
				t.Errorf("%s names %s, the tests run %q", file, m[0], manifest.Dependencies[m[1]])
			}
		}
	}
}
