package main

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/cmd/wfc/demoserver"
)

func newDemoServer(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "demo-server",
		Short: "An MCP server over stdio to try wfc with",
		Long: `An MCP server over stdio that the examples and the tests use. A connection
reaches it as

  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }`,
		Example: "  wfc demo-server",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
			defer stop()
			return failed(demoserver.Run(ctx, std.in, std.out))
		},
	}
}
