package main

import (
	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lsp"
)

func newLSP(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors over the Language Server Protocol",
		Long: `Speak the Language Server Protocol on standard input and output, for editors:
what wfc check finds, while one types, and what may be written where.

Nothing is started, connected to, or written. How editors are set up is in
docs/editors.md.`,
		Example: "  wfc lsp",
		RunE: func(*cobra.Command, []string) error {
			// The process ends with the session: nobody waits for what is in hand.
			s := lsp.New(std.out, lsp.Options{Version: version, Log: std.err})
			if code := s.Serve(std.in); code != exitOK {
				return &exit{code: code}
			}
			return nil
		},
	}
	// Some clients say how they are connected, which is how they are.
	cmd.Flags().Bool("stdio", true, "use standard input and output, which is all there is")
	return cmd
}
