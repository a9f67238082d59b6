package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lda-wf/wfc/lang/nearest"
)

// usage is wrong usage: exit code 2.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// arguments is how many arguments a command takes; what says what they are, for
// whoever gave others.
func arguments(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage("%s\n\nUsage: %s", what, cmd.UseLine())
	}
}

// noArguments is for commands that take none. Of those with subcommands, an
// argument is the misspelt name of one.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return usage("%s takes no arguments", cmd.CommandPath())
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near, ok := nearest.Name(args[0], names); ok {
		return usage("there is no command %q. Did you mean %q?", cmd.CommandPath()+" "+args[0], cmd.CommandPath()+" "+near)
	}
	slices.Sort(names)
	return usage("there is no command %q; there are: %s", cmd.CommandPath()+" "+args[0], strings.Join(names, ", "))
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	see := fmt.Sprintf("\n\nRun %q for the flags.", cmd.CommandPath()+" --help")
	switch {
	case cmd.HasAvailableSubCommands() && cmd.Flags().NArg() > 0:
		return noArguments(cmd, cmd.Flags().Args()) // the flag of a command that is not there
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, ok := nearest.Name(unknown.GetSpecifiedName(), names); ok {
			return usage("%s has no flag --%s. Did you mean --%s?", cmd.CommandPath(), unknown.GetSpecifiedName(), near)
		}
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return usage("%s has no flag %s%s%s", cmd.CommandPath(), dashes, unknown.GetSpecifiedName(), see)
	case errors.As(err, &bare):
		return usage("--%s needs a value%s", bare.GetSpecifiedName(), see)
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "int":
		return usage("--%s %q: it must be a whole number", invalid.GetFlag().Name, invalid.GetValue())
	}
	return usage("%w%s", err, see)
}
