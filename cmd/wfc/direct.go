package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lda-wf/wfc/cmd/wfc/live"
	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/service"
)

// directFlags are the flags of the commands that do one operation on a source.
type directFlags struct {
	timeout string
	oneShot bool
}

func (f *directFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.timeout, "timeout", "", "give the operation this `DURATION`, such as 30s, once the connection is up")
	cmd.Flags().BoolVar(&f.oneShot, "one-shot", false, "open a session for this alone, without the session pool")
}

func argsFlag(cmd *cobra.Command, name, what string, into *string) {
	cmd.Flags().StringVar(into, name, "", what+": a `JSON` object, or @FILE with one, or @- for standard input")
}

// operation is one operation on a source.
type operation func(context.Context, *service.Service, *compiler.Reach, service.Direct) (*service.Reply, error)

// directly has an operation done on a connection, prints its reply as JSON, and
// says on stderr what failed.
func directly(ctx context.Context, std streams, g *globals, id string, f directFlags, do operation) error {
	return connected(ctx, std, g, id, f, func(ctx context.Context, svc *service.Service, c *compiler.Reach, d service.Direct) error {
		r, err := do(ctx, svc, c, d)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return r.Failure
		}
		// A person wants no megabytes of base64 on the terminal.
		if err := printRawJSON(std.out, value.AppendJSON(nil, r.Result(!isTerminal(std.out)))); err != nil {
			return fmt.Errorf("the result could not be written: %w", err)
		}
		if r.Failure != nil {
			return r.Failure
		}
		return nil
	})
}

// connected makes a connection ready and has something done with it.
func connected(ctx context.Context, std streams, g *globals, id string, f directFlags,
	do func(context.Context, *service.Service, *compiler.Reach, service.Direct) error) (err error) {
	view := newProgress(std.err)
	d := service.Direct{OneShot: f.oneShot, Remark: view.remark, Progress: func(p engine.Progress) { view.aside(id, live.ProgressText(p)) }}
	if d.Timeout, err = f.duration(); err != nil {
		return err
	}
	p, err := g.load()
	if err != nil {
		return failed(err)
	}
	if _, err := connections(std, p, []string{id}); err != nil {
		return err
	}
	c, found := compiler.Connection(p, id)
	if found.HasErrors() {
		if err := writeDiagnostics(std.err, p, found); err != nil {
			return failed(err)
		}
		return &exit{code: exitFailed}
	}
	svc, err := newService(p, std, view)
	if err != nil {
		return failed(err)
	}
	defer closeAfter(svc, &err)
	defer surviveBrokenPipes()()
	ctx, stop := interruptible(ctx)
	defer stop()
	err = do(ctx, svc, c, d)
	code := exitFailed
	if ctx.Err() != nil {
		code = exitInterrupted
	}
	if err == nil {
		return nil
	}
	return &exit{code, explained(err, d)}
}

// explained says of a failed operation what else a person should know.
func explained(err error, d service.Direct) error {
	var f *service.Failure
	if !errors.As(err, &f) {
		return err
	}
	text := printable(f.Message)
	if f.Kind == engine.KindTimeout {
		text += fmt.Sprintf("\nGive it more time with --timeout, such as --timeout %s.", more(d.Timeout))
	}
	if f.InDoubt {
		text += inDoubt
	}
	return errors.New(text)
}

// more is a longer time than what was too short.
func more(d time.Duration) string {
	if d < service.DirectIdle {
		return "2m"
	}
	return fmt.Sprintf("%dm", int((2 * d).Minutes()))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// aside shows, on a terminal, what goes on while a person waits for an operation.
func (p *progress) aside(connection, text string) {
	if text != "" {
		p.serverStderr(connection, text)
	}
}

// capabilityArgument is the argument CONNECTION.WHAT of a command, which people
// write as two, too.
func capabilityArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 2:
			return usage("a connection and its %s are one argument: %s.%s", what, args[0], args[1])
		}
		return usage("name a connection and its %s: CONNECTION.%s\n\nUsage: %s", what, strings.ToUpper(what), cmd.UseLine())
	}
}

// capability splits CONNECTION.NAME, where CONNECTION has two parts and NAME may be
// anything.
func capability(arg, what, such string) (id, name string, err error) {
	provider, rest, ok := strings.Cut(arg, ".")
	account, name, found := strings.Cut(rest, ".")
	if !ok || !found || provider == "" || account == "" || name == "" {
		return "", "", usage("%q names no %s. Write CONNECTION.%s, such as %s", arg, what, strings.ToUpper(what), such)
	}
	return provider + "." + account, name, nil
}

// object reads the JSON object of a flag, as [jsonOf] does. No text is the empty object.
func object(std streams, flag, text string) (value.Value, []byte, error) {
	if text == "" {
		return value.OfObject(nil), nil, nil
	}
	v, src, from, err := jsonOf(std, flag, text)
	if err != nil {
		return v, nil, err
	}
	if v.Kind() != value.Object {
		return v, nil, usage("%s is a %s; write an object, such as '{\"name\": \"Ada\"}'", from, v.Kind())
	}
	return v, src, nil
}

// jsonOf reads the JSON of a flag: as it is written, or from the file that it
// names. from is where it was.
func jsonOf(std streams, flag, text string) (v value.Value, src []byte, from string, err error) {
	src, from = []byte(text), "--"+flag
	if name, ok := strings.CutPrefix(text, "@"); ok {
		if name == "-" {
			src, err = io.ReadAll(std.in)
			from = "the standard input"
		} else {
			src, err = os.ReadFile(name)
			from = "the file " + name
		}
		if err != nil {
			return v, nil, from, failed(fmt.Errorf("--%s: %s cannot be read: %w", flag, from, err))
		}
		src = bytes.TrimPrefix(src, []byte("\ufeff"))
	}
	v, err = value.ParseJSON(src)
	if err != nil {
		return v, nil, from, usage("%s %s%s", from, value.NotTaken(err), pointed(src, err))
	}
	return v, src, from, nil
}

// pointed shows the place that an error is about: in a short text, or by its number
// in one of several lines.
func pointed(src []byte, err error) string {
	const most = 100
	e := (*value.JSONError)(nil)
	if !errors.As(err, &e) || e.Offset > len(src) || !utf8.Valid(src) {
		return ""
	}
	if before := src[:e.Offset]; bytes.Contains(bytes.TrimSpace(src), []byte("\n")) {
		return fmt.Sprintf(" (line %d, column %d)", bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1)
	}
	if len(src) > most || bytes.ContainsAny(src, "\r\t") {
		return ""
	}
	return fmt.Sprintf("\n\n    %s\n    %s^", src, strings.Repeat(" ", utf8.RuneCount(src[:e.Offset])))
}
