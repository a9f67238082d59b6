package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by release builds; others are known by their commit.
var version = "0.1.0"

func newVersion(std streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print wfc's version",
		Example: "  wfc version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			commit := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" && len(s.Value) >= 12 {
						commit = " (" + s.Value[:12] + ")"
					}
				}
			}
			fmt.Fprintf(std.out, "wfc %s%s\n", version, commit)
			return nil
		},
	}
}
