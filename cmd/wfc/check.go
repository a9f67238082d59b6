package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

func newCheck(std streams, g *globals) *cobra.Command {
	var format, into, failOn string
	cmd := &cobra.Command{
		Use:   "check [PATH…]",
		Short: "Find what is wrong, offline",
		Long: `Check whole projects: those that the paths belong to, or the one of the working
directory. Findings outside of the paths are not shown. Nothing is started,
connected to, or read but the projects' files.`,
		Example: "  wfc check\n  wfc check flows/triage.wf.hcl --format json",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", format, "text", "json"); err != nil {
				return err
			}
			if err := oneOf("--fail-on", failOn, "error", "warning"); err != nil {
				return err
			}
			return checkPaths(std, g, args, format, into, failOn)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text` or json")
	cmd.Flags().StringVar(&into, "json-into", "", "write the findings as JSON into `FILE` too")
	cmd.Flags().StringVar(&failOn, "fail-on", "error", "the least severity that gives exit code 1: `error` or warning")
	return cmd
}

// checked is one project with what was found in the paths that were asked for.
type checked struct {
	project *project.Project
	list    diag.List
}

func checkPaths(std streams, g *globals, paths []string, format, into, failOn string) error {
	if len(paths) == 0 {
		paths = []string{"."}
		if g.project != "" {
			paths = []string{g.project}
		}
	}
	var all []*checked
	for _, path := range paths {
		p, err := project.Load(path, g.options())
		if err != nil {
			return failed(err)
		}
		c := &checked{project: p}
		if i := slices.IndexFunc(all, func(c *checked) bool { return c.project.Root == p.Root }); i >= 0 {
			c = all[i]
		} else {
			all = append(all, c)
		}
		below, err := within(c.project, path)
		if err != nil {
			return failed(err)
		}
		inPath := func(file string) bool {
			return below == "" || file == below || strings.HasPrefix(file, below+"/")
		}
		something := slices.ContainsFunc(c.project.Files, func(f *syntax.File) bool { return inPath(f.Name) }) ||
			below == syntax.SettingsName
		for _, d := range check.Project(c.project) {
			if d.Range.File == "" || inPath(d.Range.File) {
				c.list = append(c.list, d)
				something = true
			}
		}
		if !something {
			return failed(nothingToCheck(path))
		}
		c.list.Sort()
	}
	return report(std, all, format, into, failOn)
}

// nothingToCheck says that a path leads to no file of a project.
func nothingToCheck(path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no workflow file: their names end in .wf.hcl", path)
	}
	return fmt.Errorf("there are no workflow files in %s: their names end in .wf.hcl", path)
}

// within returns the path of a file or folder relative to the project's root;
// "" is the root.
func within(p *project.Project, path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(p.Root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s is outside of the project %s", path, p.Root)
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

func report(std streams, all []*checked, format, into, failOn string) error {
	// One project's files are named from its root. Of several projects the names
	// would not tell which: theirs are named from the working directory.
	var list diag.List
	files := 0
	sources := map[string][]byte{}
	for _, c := range all {
		files += len(c.project.Files)
		found, source := c.list, c.project.Source
		if len(all) > 1 {
			found, source = fromHere(c.project, found)
		}
		list = append(list, found...)
		for _, d := range found {
			sources[d.Range.File] = source(d.Range.File)
		}
	}
	source := func(file string) []byte { return sources[file] }
	if into != "" {
		var b bytes.Buffer
		if err := diag.WriteJSON(&b, list, files, source); err != nil {
			return failed(err)
		}
		if err := writeFile(into, b.Bytes()); err != nil {
			return failed(err)
		}
	}
	switch format {
	case "json":
		if err := diag.WriteJSON(std.out, list, files, source); err != nil {
			return failed(err)
		}
	case "text":
		for _, c := range all {
			if err := writeDiagnostics(std.out, c.project, c.list); err != nil {
				return failed(err)
			}
		}
		fmt.Fprintln(std.out, list.Summary(files))
	}
	errors, warnings := list.Count()
	if errors > 0 || failOn == "warning" && warnings > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

// oneOf is a usage error unless got is one of want.
func oneOf(flag, got string, want ...string) error {
	if slices.Contains(want, got) {
		return nil
	}
	return usage("%s %s: it must be one of %s", flag, got, strings.Join(want, ", "))
}
