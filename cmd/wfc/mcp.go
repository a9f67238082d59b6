package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/mcpserver"
	"github.com/lda-wf/wfc/runner/service"
)

func newMCP(std streams, g *globals) *cobra.Command {
	var data string
	var manage bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the project's deployments as MCP tools",
		Long: `Serve the deployments of the project as tools of an MCP server, over stdio: who calls
one runs it. Where a run asks a person, the client's person is asked. When the client
goes away, the runs of its calls are cancelled. Several may serve one project, beside
"wfc serve", which offers the same tools over HTTP at /mcp.`,
		Example: `  wfc mcp
  wfc mcp --manage`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveMCP(cmd.Context(), std, g, data, manage)
		},
	}
	cmd.Flags().BoolVar(&manage, "manage", false, "offer tools that list, describe and run deployments and look at runs, too")
	dataFlag(cmd.Flags(), &data)
	return cmd
}

func serveMCP(ctx context.Context, std streams, g *globals, data string, manage bool) (err error) {
	p, err := g.load()
	if err != nil {
		return failed(err)
	}
	env, err := environment(p)
	if err != nil {
		return failed(err)
	}
	folder := ""
	if data != "" {
		if folder, err = filepath.Abs(data); err != nil {
			return failed(err)
		}
	}
	log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	logMistakes(log, p)
	host, err := service.OpenHost(ctx, p, service.HostOptions{
		Options: service.Options{Environment: env, Version: version, Folder: folder, ProcessEnds: true},
		Load:    g.load,
		Shared:  true,
		Log:     log,
	})
	if err != nil {
		return failed(err)
	}
	defer func() { err = failed(errors.Join(err, host.Close(context.WithoutCancel(ctx)))) }()
	server, err := mcpserver.New(ctx, host, mcpserver.Options{Version: version, Manage: manage, User: userName(), Log: log})
	if err != nil {
		return err
	}
	defer server.Close()
	defer surviveBrokenPipes()()
	ctx, stop := interruptible(ctx)
	defer stop()
	following := follower{host: host, load: g.load, log: log, then: refreshing(server, log), data: dataFolder(p, folder)}
	defer following.start(ctx, p)()
	if err := server.ServeStdio(ctx, io.NopCloser(std.in), unclosed{std.out}); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &exit{code: exitInterrupted}
	}
	return nil
}

// refreshing has the tools of a server follow the deployments.
func refreshing(server *mcpserver.Server, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		if err := server.Refresh(ctx); err != nil {
			log.Warn("the tools for agents are as they were", "error", err.Error())
		}
	}
}

// dataFolder is the data folder of a project; folder is what was asked for, "" nothing.
func dataFolder(p *project.Project, folder string) string {
	return cmp.Or(folder, filepath.Join(p.Root, service.StateFolder))
}

// maxMistakes bounds the findings of a project that a log has.
const maxMistakes = 5

// logMistakes logs what is wrong with the files of a project: what is in them is not
// served, and clients would not know why.
func logMistakes(log *slog.Logger, p *project.Project) {
	more := 0
	for _, d := range p.Diagnostics {
		switch {
		case d.Severity != diag.Error:
		case more < maxMistakes:
			more++
			log.Warn("a mistake in the project", "at", fmt.Sprintf("%s:%d", d.Range.File, d.Range.Start.Line), "code", string(d.Code), "why", d.Detail)
		case more == maxMistakes:
			more++
			log.Warn("more mistakes in the project: see wfc check")
		}
	}
}

// unclosed is a writer that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
