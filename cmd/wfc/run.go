package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/service"
)

// runFlags are the flags of wfc run.
type runFlags struct {
	inputs    []string
	inputFile string
	binds     []string
	json      bool
	repeat    int
	reuse     string
	plan      bool
}

func newRun(std streams, g *globals) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run WORKFLOW|DEPLOYMENT|PATH",
		Short: "Run a workflow",
		Long: `Run a workflow and print its outputs as JSON. What happens meanwhile is shown on
stderr. The argument is a deployment or a workflow of the project, in this order
(workflow.NAME means the workflow), or a file or folder with exactly one workflow.

With --reuse the results of an earlier run are kept, effects included, of steps that
say the same and are given the same; "wfc runs why" says of each why it was done.

With --plan nothing runs: it says what a run with these inputs will do, as far as
they tell, and what only the run tells. It starts no server and reads no secret.`,
		Example: "  wfc run triage --input repo=acme/app --input limit=5\n  wfc run triage --input repo=acme/app --plan",
		Args:    arguments(1, "name a workflow or a deployment, or give a path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWorkflow(cmd, std, g, args[0], f)
		},
	}
	cmd.Flags().StringArrayVar(&f.inputs, "input", nil, "an input: `NAME=VALUE`, text for a string, else JSON (repeatable)")
	cmd.Flags().StringVar(&f.inputFile, "input-file", "", "a JSON `FILE` with an object of inputs; --input wins")
	bindFlag(cmd, &f.binds)
	serverFlag(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print events, one JSON object a line")
	cmd.Flags().IntVar(&f.repeat, "repeat", 1, "run `N` times in a row, on the same sessions")
	cmd.Flags().BoolVar(&f.plan, "plan", false, "say what a run will do, and run nothing")
	cmd.Flags().StringVar(&f.reuse, "reuse", "", "keep the results of an earlier `RUN` whose steps and inputs are the same")
	return cmd
}

func runWorkflow(cmd *cobra.Command, std streams, g *globals, arg string, f runFlags) error {
	ctx := cmd.Context()
	if f.repeat < 1 {
		return usage("--repeat %d: it must be at least 1", f.repeat)
	}
	for _, pair := range f.inputs {
		if name, _, ok := cutInput(pair); !ok || name == "" {
			return usage("--input %q: write NAME=VALUE, such as limit=5", pair)
		}
	}
	if f.plan && (f.repeat > 1 || f.reuse != "") {
		return usage("--plan says what a first run will do; leave out --repeat and --reuse")
	}
	if at, err := server(cmd); at != nil || err != nil {
		if err != nil {
			return err
		}
		return runAt(ctx, std, at, arg, f)
	}
	if f.plan {
		return previewRun(std, g, arg, f)
	}
	proj, plan, err := compile(std, g, arg, f.binds)
	if err != nil {
		return err
	}
	if f.reuse != "" {
		if _, err := recordOf(ctx, proj, f.reuse); err != nil {
			return err
		}
	}
	inputs, err := service.Inputs(plan, f.inputFile, f.inputs)
	if err != nil {
		return failed(err)
	}
	return performing(ctx, std, proj, f.json, func(ctx context.Context, svc *service.Service, p *performance) error {
		prepared, err := svc.PrepareRun(ctx, plan, inputs)
		if ctx.Err() != nil {
			return &exit{code: exitInterrupted}
		}
		if err != nil {
			return err
		}
		var past *engine.Past
		if f.reuse != "" {
			if past, err = svc.Past(ctx, f.reuse, plan.Workflow); err != nil {
				return err
			}
		}
		var worst error
		for i := range f.repeat {
			if i == f.repeat-1 {
				prepared = prepared.Last()
			}
			outcome, err := prepared.RunReusing(ctx, past, inputs, p.watch)
			if err != nil {
				return err
			}
			err = p.ended(ctx, outcome)
			if e := (*exit)(nil); errors.As(err, &e) && e.code != exitFailed {
				return err
			}
			if err != nil {
				worst = err
			}
		}
		return worst
	})
}

// cutInput splits NAME=VALUE, whose value may be empty.
func cutInput(pair string) (name, text string, ok bool) { return strings.Cut(pair, "=") }

// errInterrupted is why a run is cancelled by Ctrl-C.
var errInterrupted = errors.New("interrupted")

// interrupts are the signals that end a command in good order: Ctrl-C, a request of
// the system, and the end of the terminal unless the command was started to
// outlive it, as nohup(1) does.
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// interruptible returns a context that the first of the [interrupts] cancels. After
// it the signals have their usual effect again, so that a second one ends the
// process at once; children are told by the system then. Where Ctrl-C had no effect
// when the process began, as in the background of a script, a second signal ends it too.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	deaf := signal.Ignored(os.Interrupt)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, interrupts()...)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-signals:
		case <-over:
			return
		}
		if !deaf {
			signal.Stop(signals)
			cancel(errInterrupted)
			return
		}
		cancel(errInterrupted)
		select {
		case <-signals:
			os.Exit(exitInterrupted)
		case <-over:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
		close(over)
		<-done
	}
}

// surviveBrokenPipes makes a reader of our output that has gone, as head(1) does, an
// error of the write. By default it is the end of the process, which would be in
// the middle of a run. It returns a function that restores that.
func surviveBrokenPipes() func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}

// cut splits NAME=VALUE; both must be there.
func cut(pair string) (name, val string, ok bool) {
	name, val, ok = strings.Cut(pair, "=")
	return name, val, ok && name != "" && val != ""
}
