package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

func newPrompt(std streams, g *globals) *cobra.Command {
	var f directFlags
	var text string
	cmd := &cobra.Command{
		Use:   "prompt CONNECTION.PROMPT",
		Short: "Get one prompt",
		Long: `Get one prompt of a connection and print the result as a JSON object: outcome,
output (its messages), text, content, error. The prompt's name is sent as it is
given, and the connection needs no snapshot.`,
		Example: `  wfc prompt docs.main.summarise --args '{"topic": "tides"}'`,
		Args:    capabilityArgument("prompt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, name, err := capability(args[0], "prompt", "docs.main.summarise")
			if err != nil {
				return err
			}
			v, _, err := object(std, "args", text)
			if err != nil {
				return err
			}
			values := make(map[string]string, v.AsObject().Len())
			for k, a := range v.AsObject().All() {
				if a.Kind() != value.String {
					return usage("--args: the argument %q is a %s; a prompt takes text only, in double quotes", k, a.Kind())
				}
				values[k] = a.AsString()
			}
			if done, err := directlyAt(cmd, std, f, func(ctx context.Context, c *client.Client, o protocol.Operation) (protocol.Result, error) {
				return client.Call(ctx, c, protocol.PromptsRender, protocol.PromptParams{Prompt: args[0], Arguments: v, Operation: o})
			}); done {
				return err
			}
			return directly(cmd.Context(), std, g, id, f, func(ctx context.Context, svc *service.Service, c *compiler.Reach, d service.Direct) (*service.Reply, error) {
				return svc.GetPrompt(ctx, c, name, values, d)
			})
		},
	}
	argsFlag(cmd, "args", "the arguments, which are text", &text)
	f.add(cmd)
	serverFlag(cmd)
	return cmd
}
