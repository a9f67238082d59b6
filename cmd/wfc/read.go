package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

func newRead(std streams, g *globals) *cobra.Command {
	var f directFlags
	cmd := &cobra.Command{
		Use:   "read CONNECTION URI",
		Short: "Read one resource",
		Long: `Read one resource of a connection and print the result as a JSON object: outcome,
output (all its text), text, content, error. The connection needs no snapshot.`,
		Example: "  wfc read docs.main file:///srv/docs/guide.md",
		Args:    arguments(2, "give a connection and the URI of a resource"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if done, err := directlyAt(cmd, std, f, func(ctx context.Context, c *client.Client, o protocol.Operation) (protocol.Result, error) {
				return client.Call(ctx, c, protocol.ResourcesRead, protocol.ReadParams{Connection: args[0], URI: args[1], Operation: o})
			}); done {
				return err
			}
			return directly(cmd.Context(), std, g, args[0], f, func(ctx context.Context, svc *service.Service, c *compiler.Reach, d service.Direct) (*service.Reply, error) {
				return svc.ReadResource(ctx, c, args[1], d)
			})
		},
	}
	f.add(cmd)
	serverFlag(cmd)
	return cmd
}
