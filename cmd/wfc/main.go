// Command wfc checks, compiles and runs workflows over MCP servers.
//
// Each command is a file: it parses flags, calls the toolchain, and renders.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	_ "github.com/lda-wf/wfc/cmd/wfc/memory"
)

func main() {
	reserveStack(0)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes (docs/cli.md).
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInternal    = 3
	exitWaiting     = 4
	exitInterrupted = 130
)

// exit ends a command with a code. A nil err has been shown already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// failed is an error that the user has to mend: exit code 1.
func failed(err error) error {
	if err == nil {
		return nil
	}
	var e *exit
	if errors.As(err, &e) {
		return err
	}
	return &exit{exitFailed, err}
}

// streams are a command's standard streams.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// run runs one command and returns its exit code.
func run(args []string, in io.Reader, out, errw io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(errw, "wfc: internal fault: %v\n\nThis is a bug in wfc. Please report it with the command that you ran and what follows.\n\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	root := newRoot(streams{in, out, errw})
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return exitOK
	}
	var e *exit
	if !errors.As(err, &e) {
		// Whatever cobra finds wrong with a command line.
		e = &exit{exitUsage, fmt.Errorf("%w\n\nRun \"wfc --help\" for the commands, and \"wfc COMMAND --help\" for one", err)}
	}
	if e.err != nil {
		fmt.Fprintf(errw, "wfc: %s\n", shortened(e.err.Error()))
	}
	return e.code
}

// shortened returns a message without the rest of words that nobody reads: a name or a
// value that was typed, or pasted by mistake, is told again in what is said of it.
func shortened(message string) string {
	const most, begin = 1000, 100
	var b strings.Builder
	for rest := message; rest != ""; {
		word := rest
		if end := strings.IndexAny(rest, " \t\r\n"); end >= 0 {
			word = rest[:end+1]
		}
		rest = rest[len(word):]
		if len(word) > most {
			end := begin
			for !utf8.RuneStart(word[end]) {
				end--
			}
			word = word[:end] + "… "
		}
		b.WriteString(word)
	}
	return b.String()
}

// newRoot returns the command tree.
func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "wfc",
		Short: "Check, compile and run workflows over MCP servers",
		Long: `wfc checks workflows against pinned snapshots of MCP servers' schemas, compiles
them, and runs them durably.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(flagError)
	var g globals
	root.PersistentFlags().StringVar(&g.project, "project", "", "project `DIR` (default: the nearest folder upwards with a wfc.hcl)")
	root.AddCommand(
		newInit(std, &g),
		newCheck(std, &g),
		newFmt(std, &g),
		newCompile(std, &g),
		newGraph(std, &g),
		newExplain(std),
		newCatalog(std, &g),
		newRun(std, &g),
		newTest(std, &g),
		newRuns(std, &g),
		newCall(std, &g),
		newRead(std, &g),
		newPrompt(std, &g),
		newInvoke(std, &g),
		newDeployments(std, &g),
		newDoctor(std, &g),
		newMCP(std, &g),
		newProxy(std, &g),
		newServe(std, &g),
		newToken(std, &g),
		newDemoServer(std),
		newLSP(std),
		newVersion(std),
	)
	return root
}

// globals are the flags of every command.
type globals struct {
	project string // --project; empty: found from the arguments or the working directory
}
