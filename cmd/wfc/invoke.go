package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/runner/service"
)

func newInvoke(std streams, g *globals) *cobra.Command {
	var f directFlags
	var text string
	cmd := &cobra.Command{
		Use:   "invoke CONNECTION METHOD",
		Short: "Send one JSON-RPC request",
		Long: `Send one JSON-RPC request of any method over a session of its own, and print the
result as the server gave it, digit for digit. allow and deny of the connection hold
for tools/call.`,
		Example: `  wfc invoke github.work resources/templates/list --params '{"cursor": "2"}'`,
		Args:    arguments(2, "give a connection and the method of a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := service.Answerable(args[1]); err != nil {
				return usage("%w", err)
			}
			_, params, err := object(std, "params", text)
			if err != nil {
				return err
			}
			return connected(cmd.Context(), std, g, args[0], f, func(ctx context.Context, svc *service.Service, c *compiler.Reach, d service.Direct) error {
				raw, err := svc.Invoke(ctx, c, args[1], params, d)
				if err != nil {
					return err
				}
				if err := printRawJSON(std.out, raw); err != nil {
					return fmt.Errorf("the result could not be written: %w", err)
				}
				return nil
			})
		},
	}
	argsFlag(cmd, "params", "the parameters", &text)
	f.add(cmd)
	return cmd
}
