package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/wftest"
)

func newTest(std streams, g *globals) *cobra.Command {
	k := testRun{std: std}
	var run string
	var record, watch bool
	cmd := &cobra.Command{
		Use:   "test [PATH…]",
		Short: "Run the tests of workflows, against mocks",
		Long: `Run the test blocks of the *.wftest.hcl files below the paths, or below the working
directory. A test runs its workflow on the engine of wfc run against mocks: nothing is
started or connected to, nothing is journalled, and waiting takes no time.

With --record, calls that no mock answers are made for real first, and what they gave is
written into the tests as mocks, without the values of secrets. Mocks that were recorded
before are recorded anew; others stay, and answer.

What of the workflows never ran is shown, too.`,
		Example: "  wfc test\n  wfc test flows --run 'label.*'\n  wfc test --format junit > report.xml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", k.format, "text", "json", "junit"); err != nil {
				return err
			}
			if watch && k.format != "text" {
				return usage("--watch shows text, and not %s", k.format)
			}
			if run != "" {
				names, err := regexp.Compile(run)
				if err != nil {
					return usage("--run %q is no regular expression: %v", run, err)
				}
				k.names = names
			}
			if len(args) == 0 {
				args = []string{"."}
				if g.project != "" {
					args = []string{g.project}
				}
			}
			k.paths, k.options = args, g.options()
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			if record {
				if err := k.record(ctx); err != nil {
					return err
				}
			}
			if watch {
				return k.watch(ctx)
			}
			return k.once(ctx)
		},
	}
	cmd.Flags().StringVar(&k.format, "format", "text", "`text`, json or junit (XML)")
	cmd.Flags().StringVar(&run, "run", "", "only tests whose names match this `REGEXP`")
	cmd.Flags().BoolVar(&watch, "watch", false, "run the tests again that a change of a file affects, until Ctrl-C")
	cmd.Flags().BoolVar(&record, "record", false, "first make the calls that no mock answers for real, effects included, and write their answers into the tests as mocks")
	return cmd
}

// testRun is one call of wfc test.
type testRun struct {
	std     streams
	options project.Options
	paths   []string
	names   *regexp.Regexp // nil: any
	format  string
}

// tested is one project with what is meant of it.
type tested struct {
	project *project.Project
	wftest.Selection
}

// once runs the tests once and shows what came of them.
func (k *testRun) once(ctx context.Context) error {
	projects, err := k.load()
	if err != nil {
		return failed(err)
	}
	report, source := &wftest.Report{}, sources{}
	for _, p := range projects {
		r := wftest.RunProject(ctx, p.project, &p.Selection)
		report.Add(k.named(len(projects), p.project, r, source))
	}
	if ctx.Err() != nil {
		return &exit{code: exitInterrupted}
	}
	if len(report.Results) == 0 && len(report.Unreadable) == 0 {
		return failed(k.none())
	}
	if err := k.show(source.of, report); err != nil {
		return failed(err)
	}
	if !report.OK() {
		return &exit{code: exitFailed}
	}
	return nil
}

// load loads the projects that the paths are of.
func (k *testRun) load() (out []*tested, err error) {
	for _, path := range k.paths {
		p, err := project.Load(path, k.options)
		if err != nil {
			return nil, err
		}
		below, err := relative(p, path)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(out, func(t *tested) bool { return t.project.Root == p.Root }); i >= 0 {
			out[i].Paths = append(out[i].Paths, below)
		} else {
			out = append(out, &tested{p, wftest.Selection{Paths: []string{below}, Names: k.names}})
		}
	}
	return out, nil
}

// none says that there is nothing to run.
func (k *testRun) none() error {
	if k.names != nil {
		return fmt.Errorf("no test has a name that matches %q", k.names)
	}
	return fmt.Errorf("there are no tests in %s: they are test blocks in files whose names end in .wftest.hcl", k.paths[0])
}

// show writes a report.
func (k *testRun) show(source func(string) []byte, r *wftest.Report) error {
	switch k.format {
	case "json":
		return r.WriteJSON(k.std.out, source)
	case "junit":
		return r.WriteJUnit(k.std.out)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, textOptions(k.std.out, source)); err != nil {
		return err
	}
	_, err := k.std.out.Write(b.Bytes())
	return err
}

// sources are the projects' files, by the names that a report has for them.
type sources map[string][]byte

func (s sources) of(file string) []byte { return s[file] }

// named gives the files of a report the names that are shown, and notes the files. One
// project's files are named from its root for machines, and from the working directory for
// people; those of several are from there for both.
func (k *testRun) named(projects int, p *project.Project, r *wftest.Report, s sources) *wftest.Report {
	here := projects > 1 || k.format == "text"
	name, list := namesFromHere(p)
	for _, f := range append(p.FileNames(), syntax.SettingsName) {
		if src := p.Source(f); here {
			s[name(f)] = src
		} else {
			s[f] = src
		}
	}
	if !here {
		return r
	}
	return r.Renamed(name, list)
}

// namesFromHere name files of a project from the working directory.
func namesFromHere(p *project.Project) (name func(string) string, list func(diag.List) diag.List) {
	list = func(l diag.List) diag.List {
		if len(l) == 0 {
			return nil
		}
		out, _ := fromHere(p, l)
		return out
	}
	known := map[string]string{}
	name = func(file string) string {
		if _, ok := known[file]; !ok {
			known[file] = list(diag.List{{Range: diag.Range{File: file}}})[0].Range.File
		}
		return known[file]
	}
	return name, list
}
