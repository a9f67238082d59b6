package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// planned has, for each name in language.md's table of what cannot be run yet,
// text that uses it where the name's row says: in the workflow w, in its step,
// source, connection and so on.
var planned = map[string]string{
	"connection oauth": "http {\n url = \"https://example.com/mcp\"\n}\n auth \"oauth\" {\n}",
	"secret keyring":   `keyring = "wfc/token"`,
}

const stdio = "stdio {\n command = \"x\"\n}\n"

// plannedIn puts text where a row's names stand: the project's files.
func plannedIn(row, text string) map[string]string {
	at := func(which string) string {
		if which == row {
			return text
		}
		return ""
	}
	const other = "bind = connection.other.main"
	source, call, token, connection := "bind = connection.demo.main", "call = demo.counter", `env = "TOKEN"`, stdio
	switch row {
	case "source":
		source, call = text, `call = demo["a"].counter`
	case "step":
		call = text
	case "connection":
		source, connection = other, text+"\n"
	case "tool":
		source, connection = other, stdio+"tool \"counter\" {\n"+text+"\n}\n"
	case "secret":
		source, token = other, text
		connection = strings.Replace(stdio, "\n}", "\n env = { A = secret.token }\n}", 1)
	}
	settings := at("wfc.hcl")
	if row == "defaults" {
		settings = "defaults {\n" + text + "\n}\n"
	}
	return map[string]string{
		"wfc.hcl": settings,
		"a.wf.hcl": "workflow \"w\" {\n" + at("workflow") + "\n source \"demo\" {\n" + source + "\n}\n" +
			"input \"i\" {\n type = string\n" + at("input") + "\n}\n" +
			"step \"s\" {\n" + call + "\n}\n" +
			"output \"o\" {\n value = input.i\n" + at("output") + "\n}\n}\n" +
			"workflow \"other\" {\n step \"s\" {\n value = 1\n}\n}\n" +
			"secret \"token\" {\n" + token + "\n}\n" +
			"connection \"other\" \"main\" {\n" + connection + "}\n" +
			"deployment \"d\" {\n workflow = workflow.w\n" + at("deployment") + "\n}\n",
	}
}

// TestWhatTheLanguagePageCallsPlannedIsRefused: compiling each name in the table
// says that it cannot be run yet. A name that runs now is to be taken out.
func TestWhatTheLanguagePageCallsPlannedIsRefused(t *testing.T) {
	src, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(src), "| in | cannot be run yet |\n| --- | --- |\n")
	if !found {
		t.Fatal("the table is not there")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([^`]+)`")
	listed := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.SplitN(line, "|", 3)
		row := code.FindStringSubmatch(cells[1])[1]
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			name := row + " " + m[1]
			listed[name] = true
			text, known := planned[name]
			if !known {
				t.Errorf("there is no example of %s", name)
				continue
			}
			if found := compiled(t, plannedIn(row, text)); !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "WFC1091" }) {
				t.Errorf("language.md says that %s cannot be run yet; compiling finds %v", name, found)
			}
		}
	}
	for name := range planned {
		if !listed[name] {
			t.Errorf("language.md does not list %s", name)
		}
	}
}

// compiled compiles the deployment d of a project beside the connection demo.main.
func compiled(t *testing.T, files map[string]string) diag.List {
	s := &session{t: t}
	s.begin("testdata/projects/demo")
	for name, text := range files {
		s.write(name, text)
	}
	snapshot, err := os.ReadFile(filepath.Join(s.root, "catalog", "demo.main.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("catalog/other.main.json", strings.Replace(string(snapshot), "demo.main", "other.main", 1))
	p, err := project.Load(s.root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, found := compiler.Compile(p, compiler.Target{Target: project.Target{Workflow: p.Workflows["w"], Deployment: p.Deployments["d"]}})
	return found
}

// TestCommandsAreDocumented: cli.md lists every command with its flags, and
// nothing else.
func TestCommandsAreDocumented(t *testing.T) {
	src, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	usage := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
	flag := regexp.MustCompile(`--[a-z-]+`)
	name := regexp.MustCompile("^ `(wfc[ a-z-]*[a-z])")
	listed := map[string][]string{}
	for line := range strings.Lines(string(src)) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "/"), "|")
		if len(cells) == 5 {
			if m := name.FindStringSubmatch(cells[1]); m != nil {
				listed[m[1]] = sorted(flag.FindAllString(cells[3], -1))
			}
		}
	}
	built := map[string][]string{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			var flags []string
			for _, m := range usage.FindAllStringSubmatch(sub.LocalNonPersistentFlags().FlagUsages(), -1) {
				flags = append(flags, m[1])
			}
			built[sub.CommandPath()] = sorted(flags)
			walk(sub)
		}
	}
	walk(newRoot(streams{}))
	for path, flags := range built {
		if got, ok := listed[path]; !ok || !slices.Equal(got, flags) {
			t.Errorf("%s has the flags %q, cli.md lists %q", path, flags, got)
		}
		delete(listed, path)
	}
	for path := range listed {
		t.Errorf("there is no command %s", path)
	}
}

// TestPackagesAreListed: architecture.md lists every package, and nothing else.
func TestPackagesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, b := range readPage(t, "../../docs/architecture.md").blocks {
		if _, ok := b.marks["packages"]; !ok {
			continue
		}
		folder := ""
		for line := range strings.Lines(b.text) {
			name := strings.Fields(line)[0]
			if strings.HasPrefix(line, " ") {
				listed[folder+"/"+name] = true
				continue
			}
			folder = strings.TrimSuffix(name, "/")
			listed[folder] = !strings.HasSuffix(name, "/")
		}
	}
	for _, root := range []string{"lang", "compiler", "runtime", "runner", "lsp", "cmd"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			files, err := filepath.Glob(filepath.Join(path, "*.go"))
			name := filepath.ToSlash(path[len("../../"):])
			if err == nil && len(files) > 0 {
				if !listed[name] {
					t.Errorf("architecture.md does not list the package %s", name)
				}
				listed[name] = false
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	for name, missing := range listed {
		if missing {
			t.Errorf("architecture.md lists %s, which is no package", name)
		}
	}
}

// TestDependenciesAreListed: architecture.md names every module that go.mod requires
// directly, by the last part of its path.
func TestDependenciesAreListed(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Dependencies\n")
	section, _, _ = strings.Cut(section, "\n## ")
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^\t(\S+?)(?:/v\d+)? v\S+$`)
	modules := direct.FindAllStringSubmatch(string(mod), -1)
	if len(modules) == 0 {
		t.Fatal("go.mod requires nothing")
	}
	for _, m := range modules {
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(path.Base(m[1])) + `\b`).MatchString(section) {
			t.Errorf("architecture.md does not name the dependency %s", m[1])
		}
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
