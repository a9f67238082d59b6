package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

func newCall(std streams, g *globals) *cobra.Command {
	var f directFlags
	var text string
	cmd := &cobra.Command{
		Use:   "call CONNECTION.TOOL",
		Short: "Call one tool",
		Long: `Call one tool of a connection and print the result as a JSON object: outcome,
output, text, content, error. The tool's name is sent as it is given, and the
connection needs no snapshot.`,
		Example: `  wfc call github.work.search_issues --args '{"q": "is:open"}'`,
		Args:    capabilityArgument("tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, tool, err := capability(args[0], "tool", "github.work.search_issues")
			if err != nil {
				return err
			}
			v, _, err := object(std, "args", text)
			if err != nil {
				return err
			}
			if done, err := directlyAt(cmd, std, f, func(ctx context.Context, c *client.Client, o protocol.Operation) (protocol.Result, error) {
				return client.Call(ctx, c, protocol.CapabilitiesCall, protocol.CallParams{Capability: args[0], Arguments: v, Operation: o})
			}); done {
				return err
			}
			return directly(cmd.Context(), std, g, id, f, func(ctx context.Context, svc *service.Service, c *compiler.Reach, d service.Direct) (*service.Reply, error) {
				return svc.CallTool(ctx, c, tool, v, d)
			})
		},
	}
	argsFlag(cmd, "args", "the arguments", &text)
	f.add(cmd)
	serverFlag(cmd)
	return cmd
}
