package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/fix"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/wholefile"
)

func newCheck(std streams, g *globals) *cobra.Command {
	k := checking{std: std}
	cmd := &cobra.Command{
		Use:   "check [PATH…]",
		Short: "Find what is wrong, offline",
		Long: `Check the files below the paths, or below the working directory, as part of the
projects that they belong to. Nothing is started, connected to, or read but the
projects' files.

Where no schema says what a value is, it is taken for what is wanted and checked
when the run gets there; with --strict, every such place is a warning.

With --fix, what can be mended for certain is, and what is left is shown.`,
		Example: "  wfc check\n  wfc check flows/triage.wf.hcl --format json\n  wfc check --fix",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", k.format, "text", "json", "sarif", "github"); err != nil {
				return err
			}
			if err := oneOf("--fail-on", k.failOn, "error", "warning"); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
				if g.project != "" {
					args = []string{g.project}
				}
			}
			k.options = g.options()
			if err := k.check(args); err != nil {
				return failed(err)
			}
			return failed(k.report())
		},
	}
	cmd.Flags().StringVar(&k.format, "format", "text", "`text`, json, sarif (for code scanning) or github (annotations of GitHub Actions)")
	cmd.Flags().StringVar(&k.into, "json-into", "", "write the findings as JSON into `FILE` too")
	cmd.Flags().StringVar(&k.failOn, "fail-on", "error", "the least `SEVERITY` that gives exit code 1: error or warning")
	cmd.Flags().BoolVar(&k.strict, "strict", false, "report every value of unknown type that is taken for something, too")
	cmd.Flags().BoolVar(&k.fix, "fix", false, "apply the fixes that are certain")
	return cmd
}

// checking is one call of wfc check.
type checking struct {
	std                  streams
	options              project.Options
	format, into, failOn string
	fix, strict          bool
	projects             []*checked
}

// checked is one project with what was found in the paths that were asked for.
type checked struct {
	project *project.Project
	below   []string // the paths relative to the root; "" is the root
	list    diag.List
	fixed   []fix.Applied
}

// wants reports whether a file is one that was asked for.
func (c *checked) wants(file string) bool {
	return slices.ContainsFunc(c.below, func(path string) bool { return within(file, path) })
}

// within reports whether a file is path or below it; both are relative to the root.
func within(file, path string) bool {
	return path == "" || file == path || strings.HasPrefix(file, path+"/")
}

// check finds what there is to report.
func (k *checking) check(paths []string) error {
	at := map[string]string{} // the paths relative to the root, as they were given
	for _, path := range paths {
		p, err := project.Load(path, k.options)
		if err != nil {
			return err
		}
		below, err := relative(p, path)
		if err != nil {
			return err
		}
		at[below] = path
		if i := slices.IndexFunc(k.projects, func(c *checked) bool { return c.project.Root == p.Root }); i >= 0 {
			k.projects[i].below = append(k.projects[i].below, below)
		} else {
			k.projects = append(k.projects, &checked{project: p, below: []string{below}})
		}
	}
	for _, c := range k.projects {
		found, err := k.find(c)
		if err != nil {
			return err
		}
		for _, path := range c.below {
			something := path == syntax.SettingsName ||
				slices.ContainsFunc(c.project.FileNames(), func(name string) bool { return within(name, path) }) ||
				slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return within(d.Range.File, path) })
			if !something {
				return nothingToCheck(at[path])
			}
		}
		for _, d := range found {
			if d.Range.File == "" || c.wants(d.Range.File) {
				c.list = append(c.list, d)
			}
		}
	}
	return nil
}

// find returns the findings of a project, those that are left where fixes are asked for.
func (k *checking) find(c *checked) (diag.List, error) {
	find := check.Project
	if k.strict {
		find = check.Strict
	}
	if !k.fix {
		return find(c.project), nil
	}
	r, err := fix.Project(c.project, k.options, c.wants)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if err := replace(c.project, name, r.Files[name]); err != nil {
			return nil, err
		}
	}
	c.project, c.fixed = r.Project, r.Applied
	if k.strict {
		return find(c.project), nil
	}
	return r.Left, nil
}

// replace writes a file that was mended, unless somebody else has changed it
// since it was read.
func replace(p *project.Project, name string, text []byte) error {
	path := filepath.Join(p.Root, filepath.FromSlash(name))
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch {
	case bytes.Equal(now, text): // by another name
		return nil
	case !bytes.Equal(now, p.Source(name)):
		return fmt.Errorf("%s has changed while it was checked, so that it was not mended; check again", path)
	}
	return wholefile.Write(path, text, 0o644)
}

// nothingToCheck says that a path leads to no file of a project.
func nothingToCheck(path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no workflow file: their names end in .wf.hcl", path)
	}
	return fmt.Errorf("there are no workflow files in %s: their names end in .wf.hcl", path)
}

// relative returns the path of a file or folder relative to the project's root;
// "" is the root.
func relative(p *project.Project, path string) (string, error) {
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

// oneOf is a usage error unless got is one of want.
func oneOf(flag, got string, want ...string) error {
	if slices.Contains(want, got) {
		return nil
	}
	return usage("%s %s: it must be one of %s", flag, got, strings.Join(want, ", "))
}
