package main

import (
	"context"
	"errors"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/graph"
	"github.com/lda-wf/wfc/runner/journal"
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

// isRun is what a run's id looks like, or a part of it that could be no name of a
// workflow.
var isRun = regexp.MustCompile(`^[0-9][0-9a-zA-Z]*(-[0-9a-zA-Z]*)?$|^[0-9a-zA-Z]+-[0-9a-zA-Z]{4}$`)

// pictureOf returns the picture of what an argument names. Names of workflows and
// deployments win over runs.
func pictureOf(ctx context.Context, std streams, g *globals, arg string, binds []string) (*graph.Graph, error) {
	if isRun.MatchString(arg) {
		if proj, err := g.load(); err == nil {
			_, err := proj.Select(arg)
			if err != nil && len(binds) > 0 {
				return nil, usage("--bind is for workflows; %s looks like a run, which is drawn as it was", arg)
			}
			if err != nil {
				return pictureOfRun(ctx, g, arg)
			}
		}
	}
	_, p, err := compile(std, g, arg, binds)
	if err != nil {
		return nil, err
	}
	return graph.Of(p), nil
}

func pictureOfRun(ctx context.Context, g *globals, run string) (*graph.Graph, error) {
	proj, err := g.load()
	if err != nil {
		return nil, failed(err)
	}
	store, err := journalOf(ctx, proj)
	if err != nil {
		return nil, failed(err)
	}
	defer store.Close()
	picture, err := service.Picture(ctx, store, run)
	if errors.Is(err, journal.ErrNotFound) {
		if _, ofProject := proj.Select(run); ofProject != nil {
			return nil, failed(errors.Join(err, ofProject))
		}
	}
	return picture, failed(err)
}
