package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
)

// hosts are where a name of language.md's table of what is not built stands, by
// the first name of its row.
var hosts = map[string]string{
	"*.wf.hcl":   "%s",
	"wfc.hcl":    "%s",
	"workflow":   "workflow \"w\" {\n%s\n}",
	"source":     "workflow \"w\" {\n source \"s\" {\n%s\n}\n}",
	"input":      "workflow \"w\" {\n input \"i\" {\n type = string\n%s\n}\n}",
	"output":     "workflow \"w\" {\n output \"o\" {\n value = 1\n%s\n}\n}",
	"step":       "workflow \"w\" {\n step \"s\" {\n%s\n}\n}",
	"connection": "connection \"a\" \"b\" {\n stdio {\n command = \"x\"\n}\n%s\n}",
	"tool":       "connection \"a\" \"b\" {\n stdio {\n command = \"x\"\n}\n tool \"t\" {\n%s\n}\n}",
	"secret":     "secret \"s\" {\n%s\n}",
	"deployment": "workflow \"w\" {\n}\ndeployment \"d\" {\n workflow = workflow.w\n%s\n}",
}

// TestWhatTheLanguagePageCallsPlannedIsRefused: each name in the table gets the
// diagnostic "Not built yet". A name that does not has been built: take it out.
func TestWhatTheLanguagePageCallsPlannedIsRefused(t *testing.T) {
	src, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(src), "| in | attributes and blocks that are not built yet |\n| --- | --- |\n")
	if !found {
		t.Fatal("the table is not there")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([^`]+)`")
	for row := range strings.Lines(table) {
		cells := strings.SplitN(row, "|", 3)
		in := code.FindAllStringSubmatch(cells[1], -1)[0][1]
		host, known := hosts[in]
		if !known {
			t.Errorf("nobody knows where the names of %s stand", in)
			continue
		}
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			name := m[1]
			refused := false
			for _, form := range []string{"%s = \"x\"", "%s {\n}", "%s \"x\" {\n}"} {
				refused = refused || notBuilt(t, in, fmt.Sprintf(host, fmt.Sprintf(form, name)))
			}
			if !refused {
				t.Errorf("language.md says that %s of %s is not built yet, and it is", name, in)
			}
		}
	}
}

// notBuilt reports whether checking or compiling a project with this text finds
// something that is not built.
func notBuilt(t *testing.T, in, text string) bool {
	root := t.TempDir()
	file := "a.wf.hcl"
	if in == "wfc.hcl" {
		file = "wfc.hcl"
	}
	if err := os.WriteFile(filepath.Join(root, file), []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(root, project.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	found := check.Project(p)
	if w := p.Workflows["w"]; w != nil {
		_, more := compiler.Compile(p, compiler.Target{Target: project.Target{Workflow: w}})
		found = append(found, more...)
	}
	for _, d := range found {
		if d.Code == "WFC1090" {
			return true
		}
	}
	return false
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

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
