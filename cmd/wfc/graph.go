package main

import (
	"context"
	"os"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/graph"
	"github.com/lda-wf/wfc/runner/service"
)

func newGraph(std streams, g *globals) *cobra.Command {
	var format, into string
	var binds []string
	cmd := &cobra.Command{
		Use:   "graph WORKFLOW|DEPLOYMENT|PATH|RUN",
		Short: "Draw a workflow, or what a run made of it, offline",
		Long: `Draw a workflow: its steps, what leads from one to another and why, the order of
effects on a source included. Of a run it is the workflow as it was then, with what
became of each step, and how long it took. RUN is a run's id, or a part of it.`,
		Example: "  wfc graph triage --format svg -o triage.svg",
		Args:    arguments(1, "name a workflow, a deployment or a run, or give a path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", format, "mermaid", "dot", "svg", "json"); err != nil {
				return err
			}
			picture, err := pictureOf(cmd.Context(), std, g, args[0], binds)
			if err != nil {
				return err
			}
			var drawn []byte
			switch format {
			case "mermaid":
				drawn = picture.Mermaid()
			case "dot":
				drawn = picture.DOT()
			case "svg":
				drawn = picture.SVG()
			default:
				drawn = picture.JSON()
			}
			if into != "" {
				return failed(writeFile(into, drawn))
			}
			_, err = std.out.Write(drawn)
			return failed(err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "mermaid", "`mermaid|dot|svg|json`")
	cmd.Flags().StringVarP(&into, "output", "o", "", "write the picture into `FILE`")
	bindFlag(cmd, &binds)
	return cmd
}

// Runs' ids have lower-case letters, digits and one dash; mayBeRun is a part of one,
// and isRun what nothing else is called.
var (
	mayBeRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-zA-Z]+(-[0-9a-zA-Z]*)?$`) })
	isRun    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]`) })
)

// pictureOf returns the picture of what an argument names. Names of workflows and
// deployments win over runs, and so do files and folders.
func pictureOf(ctx context.Context, std streams, g *globals, arg string, binds []string) (*graph.Graph, error) {
	if mayBeRun().MatchString(arg) {
		picture, err := pictureOfRun(ctx, g, arg)
		switch {
		case picture != nil && len(binds) > 0:
			return nil, usage("--bind is for workflows; the run %s is drawn as it was", arg)
		case picture != nil, isRun().MatchString(arg) && err != nil:
			return picture, failed(err)
		}
	}
	_, p, err := compileBy(compiler.Sketch, std, g, arg, binds)
	if err != nil {
		return nil, err
	}
	return graph.Of(p), nil
}

// pictureOfRun returns the picture of a run; nil without an error: the argument names
// something else.
func pictureOfRun(ctx context.Context, g *globals, arg string) (*graph.Graph, error) {
	proj, err := g.load()
	if err != nil {
		return nil, err
	}
	if _, err := proj.Select(arg); err == nil {
		return nil, nil
	}
	if _, err := os.Stat(arg); err == nil {
		return nil, nil
	}
	store, err := journalOf(ctx, proj)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return service.Picture(ctx, store, arg)
}
