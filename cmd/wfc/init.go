package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/foreign"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/format"
)

// importedFile has the connections that wfc init --import writes.
const importedFile = "connections.wf.hcl"

func newInit(std streams, g *globals) *cobra.Command {
	var imports []string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a project of a folder",
		Long: `Make a project of the working directory, or of --project: wfc.hcl, and .wfc/, where
runs are kept, ignored by git. Without --import there is a first workflow in it.

With --import the servers of configuration files of MCP clients become connections:
of Claude, VS Code, Cursor, Windsurf, Cline, Kiro, Gemini CLI, Codex, OpenCode,
mcporter, goose, gh-aw, docker and mcphost, and server.json of the MCP registry.
Secrets are not written down: each becomes a secret block that names a variable, and
the command says which. No file that is there is changed, except that .gitignore may
get a line.`,
		Example: "  wfc init --import .vscode/mcp.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			return failed(initProject(std, g.project, imports))
		},
	}
	cmd.Flags().StringArrayVar(&imports, "import", nil, "take the servers of a client's configuration `FILE` (repeatable)")
	return cmd
}

// initProject makes a project, or adds imported connections to one.
func initProject(std streams, dir string, imports []string) error {
	if dir == "" {
		dir = "."
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is no folder: make it first", dir)
	}
	fresh := !exists(filepath.Join(root, "wfc.hcl"))
	if !fresh && len(imports) == 0 {
		return errors.New("this is a project already: there is a wfc.hcl. Write --import FILE to take connections over")
	}
	var files []newFile
	if fresh {
		files = append(files, newFile{"wfc.hcl", fmt.Sprintf(settingsText, projectName(root))})
	}
	var got *foreign.Import
	if len(imports) > 0 {
		if got, err = importFiles(std, root, imports); err != nil {
			return err
		}
		if err := clashes(root, fresh, got); err != nil {
			return err
		}
		if len(got.Servers) > 0 {
			src := importedHead + string(got.HCL())
			if formatted, found := format.Source(importedFile, []byte(src)); !found.HasErrors() {
				src = string(formatted)
			}
			files = append(files, newFile{importedFile, src})
		}
	} else {
		files = append(files, newFile{"hello.wf.hcl", helloText})
	}
	for _, f := range files {
		if exists(filepath.Join(root, f.name)) {
			return fmt.Errorf("there is a file %s already, and nothing is written over: move it away first", f.name)
		}
	}
	for _, f := range files {
		if err := f.write(root); err != nil {
			return err
		}
		fmt.Fprintf(std.out, "wrote %s\n", f.name)
	}
	if fresh {
		if err := ignoreState(std, root); err != nil {
			return err
		}
	}
	tellNext(std, got)
	return nil
}

// importFiles reads the configuration files and says what is to be said of them.
func importFiles(std streams, root string, names []string) (*foreign.Import, error) {
	var files []foreign.File
	home, _ := os.UserHomeDir()
	for _, name := range names {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
				err = pe.Err
			}
			return nil, fmt.Errorf("the file %s cannot be read: %w", name, err)
		}
		files = append(files, foreign.File{Name: name, Path: path, Bytes: src, User: below(path, home) && !below(path, root)})
	}
	got := foreign.Read(files, foreign.World{Root: root, Windows: runtime.GOOS == "windows", Exists: exists, Read: os.ReadFile})
	for _, n := range got.Notes {
		fmt.Fprintf(std.err, "note: %s\n", printable(n.String()))
	}
	if len(got.Problems) == 0 {
		return got, nil
	}
	lines := make([]string, len(got.Problems))
	for i, n := range got.Problems {
		lines[i] = "\n  " + printable(n.String())
	}
	return nil, fmt.Errorf("nothing was imported, and nothing written:%s", strings.Join(lines, ""))
}

// clashes reports connections and secrets that the project has already.
func clashes(root string, fresh bool, got *foreign.Import) error {
	if fresh {
		return nil
	}
	p, err := project.Load(root, project.Options{Root: root, Version: version})
	if err != nil {
		return err
	}
	for _, s := range got.Servers {
		if id := s.Provider + ".main"; p.Connections[id] != nil {
			return fmt.Errorf("the project has a connection %s already, which the server %q of %s would be, too. Nothing was written", id, s.Name, s.File)
		}
	}
	for _, s := range got.Secrets {
		if p.Secrets[s.Name] != nil {
			return fmt.Errorf("the project has a secret %s already, which the server %q of %s would have, too. Nothing was written", s.Name, s.Server, s.From)
		}
	}
	return nil
}

// newFile is a file to be written where there is none.
type newFile struct{ name, text string }

func (f newFile) write(root string) error {
	out, err := os.OpenFile(filepath.Join(root, f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = out.WriteString(f.text)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		return fmt.Errorf("the file %s cannot be written: %w", f.name, err)
	}
	return nil
}

// ignoreState has git ignore what runs leave, in the .gitignore that there is.
func ignoreState(std streams, root string) error {
	const entry = ".wfc/"
	path := filepath.Join(root, ".gitignore")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the file .gitignore cannot be read: %w", err)
	}
	for l := range strings.Lines(string(old)) {
		if t := strings.Trim(strings.TrimSpace(l), "/"); t == ".wfc" {
			return nil
		}
	}
	text := entry + "\n"
	if n := len(old); n > 0 && old[n-1] != '\n' {
		text = "\n" + text
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = out.WriteString(text)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		return fmt.Errorf("the file .gitignore cannot be written: %w", err)
	}
	if len(old) == 0 {
		fmt.Fprintf(std.out, "wrote .gitignore\n")
	} else {
		fmt.Fprintf(std.out, "added %s to .gitignore\n", entry)
	}
	return nil
}

// tellNext says what to do with the project.
func tellNext(std streams, got *foreign.Import) {
	if got == nil {
		fmt.Fprint(std.out, "\nSee what the demo server offers, and run the first workflow:\n\n    wfc catalog refresh\n    wfc run hello\n")
		return
	}
	if len(got.Servers) == 0 {
		return
	}
	moved := 0
	if len(got.Secrets) > 0 {
		fmt.Fprint(std.out, "\nSecrets, and where they are read from:\n\n")
	}
	t := table{}
	for _, s := range got.Secrets {
		from := "variable " + s.Env
		if s.Path != "" {
			from = "file " + s.Path
		}
		remark := ""
		if s.InFile {
			moved++
			remark = "its value stands in " + s.From
		}
		t.add("    "+s.Name, from, remark)
	}
	if len(t.rows) > 0 {
		_ = t.write(std.out)
	}
	if moved > 0 {
		fmt.Fprintf(std.out, "\n%s not written down: set the variables to what these files have.\n", plural(moved, "value was", "values were"))
	}
	fmt.Fprint(std.out, "\nSee what the servers offer, which starts them:\n\n    wfc catalog refresh\n")
}

// plural is a number with the right one of two words.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// below reports whether a path is in a folder.
func below(path, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// projectName is a name made of a folder's.
func projectName(root string) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '-'
	}, filepath.Base(root))
	if name = strings.Trim(name, "-_"); name == "" {
		return "project"
	}
	return name
}

const settingsText = `project {
  name     = %q
  language = 1
}
`

const importedHead = "# Connections that wfc init --import made. Change them as you like.\n\n"

// helloText is the first workflow of a project. It runs over the demo server, which is
// part of wfc.
const helloText = `# A first workflow. The demo server, which it calls, is part of wfc.
#
#   wfc catalog refresh      what the server offers, into catalog/
#   wfc check
#   wfc run hello --input name=Ada

connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
}

workflow "hello" {
  description = "Greets everybody who has an open task."

  source "demo" {
    bind = connection.demo.main
  }

  input "name" {
    type        = string
    default     = "world"
    description = "Who is greeted for tasks that nobody has."
  }

  step "tasks" {
    call = demo.list_tasks
    args = { state = "open" }
  }

  step "greet" {
    for_each = distinct([for task in step.tasks.output.tasks : coalesce(task.assignee, input.name)])
    call     = demo.greet
    args     = { name = each.value }
  }

  output "greetings" {
    value = [for g in step.greet : g.output.greeting]
  }
}
`
