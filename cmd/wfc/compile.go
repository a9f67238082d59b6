package main

import (
	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

func newCompile(std streams, g *globals) *cobra.Command {
	var into string
	var binds []string
	cmd := &cobra.Command{
		Use:     "compile WORKFLOW|DEPLOYMENT|PATH",
		Short:   "Print the plan as JSON, offline",
		Example: "  wfc compile triage -o triage.plan.json",
		Args:    arguments(1, "name a workflow or a deployment, or give a path"),
		RunE: func(_ *cobra.Command, args []string) error {
			_, p, err := compile(std, g, args[0], binds)
			if err != nil {
				return err
			}
			if into == "" {
				_, err = std.out.Write(p.Encode())
				return failed(err)
			}
			return failed(writeFile(into, p.Encode()))
		},
	}
	cmd.Flags().StringVarP(&into, "output", "o", "", "write the plan into `FILE`")
	bindFlag(cmd, &binds)
	return cmd
}

func bindFlag(cmd *cobra.Command, binds *[]string) {
	cmd.Flags().StringArrayVar(binds, "bind", nil, "bind a source to another connection: `SOURCE=CONNECTION` (repeatable)")
}

// compile compiles what an argument names. Findings that are errors have been
// shown on stderr when it returns an error for them.
func compile(std streams, g *globals, arg string, binds []string) (*project.Project, *plan.Plan, error) {
	return compileBy(compiler.Compile, std, g, arg, binds)
}

// compileBy is compile with another way to compile.
func compileBy(how func(*project.Project, compiler.Target) (*plan.Plan, diag.List), std streams, g *globals, arg string, binds []string) (*project.Project, *plan.Plan, error) {
	bind, err := parseBinds(binds)
	if err != nil {
		return nil, nil, err
	}
	proj, target, err := project.Open(arg, g.options())
	if err != nil {
		// What was named may stand in a file that could not be read.
		if proj != nil && proj.Diagnostics.HasErrors() {
			if err := writeDiagnostics(std.err, proj, errorsOf(proj.Diagnostics)); err != nil {
				return nil, nil, failed(err)
			}
		}
		return nil, nil, failed(err)
	}
	p, found := how(proj, compiler.Target{Target: target, Bind: bind})
	if found.HasErrors() || p == nil {
		if err := writeDiagnostics(std.err, proj, errorsOf(found)); err != nil {
			return nil, nil, failed(err)
		}
		return nil, nil, &exit{code: exitFailed}
	}
	return proj, p, nil
}

func parseBinds(pairs []string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range pairs {
		source, connection, ok := cut(pair)
		if !ok {
			return nil, usage("--bind %q: write SOURCE=CONNECTION, such as tracker=github.work", pair)
		}
		if _, twice := out[source]; twice {
			return nil, usage("--bind: the source %q is bound twice", source)
		}
		out[source] = connection
	}
	return out, nil
}
