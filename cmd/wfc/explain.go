package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lang/diag"
)

func newExplain(std streams) *cobra.Command {
	return &cobra.Command{
		Use:     "explain CODE",
		Short:   "Say what a diagnostic means, with a failing and a mended example",
		Example: "  wfc explain WFC2103",
		Args:    arguments(1, "give a code, such as WFC2103"),
		RunE: func(_ *cobra.Command, args []string) error {
			e, ok := diag.Lookup(args[0])
			if !ok {
				return usage("there is no diagnostic %q; codes look like WFC2103", args[0])
			}
			_, err := io.WriteString(std.out, diag.Explain(e))
			return failed(err)
		},
	}
}
