package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/callback"
)

// terminal answers the questions of servers by asking the person at the terminal,
// one at a time.
type terminal struct {
	view *progress
	turn chan struct{} // holds one while nobody is asked

	tty     *os.File // nil: not opened yet
	out     io.Writer
	in      *bufio.Reader
	pending chan typed // a line that is being read; nil: none
}

// typed is a line without its end, or why there is none.
type typed struct {
	text string
	err  error
}

// newTerminal returns who answers servers and runs: nobody unless a person sits at the
// terminal that is the standard input.
func newTerminal(std streams, view *progress) *terminal {
	f, ok := std.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	t := &terminal{view: view, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// Answer implements [callback.Answerer].
func (t *terminal) Answer(ctx context.Context, q callback.Question) (callback.Answer, error) {
	done, err := t.begin(ctx)
	if err != nil {
		return callback.Answer{}, err
	}
	defer done()
	answer, err := t.ask(ctx, q)
	if errors.Is(err, io.EOF) {
		t.say("\n  Declined.\n")
		return callback.Answer{Action: callback.Decline}, nil
	}
	return answer, err
}

// begin waits until nobody else is asked and returns what ends the asking.
func (t *terminal) begin(ctx context.Context) (done func(), err error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if t.tty == nil {
		if err := t.open(); err != nil {
			t.turn <- struct{}{}
			return nil, fmt.Errorf("the terminal cannot be opened: %w", err)
		}
	}
	release := t.view.hold()
	return func() {
		release()
		t.turn <- struct{}{}
	}, nil
}

// open opens the terminal itself: whatever the standard streams are connected to,
// there is the person.
func (t *terminal) open() error {
	in, out := "/dev/tty", ""
	if runtime.GOOS == "windows" {
		in, out = "CONIN$", "CONOUT$"
	}
	tty, err := os.OpenFile(in, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	t.out = tty
	if out != "" {
		if t.out, err = os.OpenFile(out, os.O_RDWR, 0); err != nil {
			tty.Close()
			return err
		}
	}
	t.tty, t.in = tty, bufio.NewReader(tty)
	return nil
}

func (t *terminal) ask(ctx context.Context, q callback.Question) (callback.Answer, error) {
	s := t.view.style
	t.say("\n  %s The server of %s asks, in %s (Ctrl-D declines):\n", s.yellow("?"), s.bold(q.Connection), printable(q.Operation))
	t.say("    %s\n", indentAfter(printable(q.Message), "    "))
	if q.Form == nil {
		return t.visit(ctx, q)
	}
	content := value.NewObject(len(q.Form.Fields))
	for _, f := range q.Form.Fields {
		v, given, err := t.field(ctx, f)
		if errors.Is(err, errDeclined) {
			return callback.Answer{Action: callback.Decline}, nil
		}
		if err != nil {
			return callback.Answer{}, err
		}
		if given {
			content.Set(f.Name, v)
		}
	}
	question := "Send this answer?"
	if len(q.Form.Fields) == 0 {
		question = "Go on?"
	}
	yes, err := t.agree(ctx, question)
	if err != nil || !yes {
		return callback.Answer{Action: callback.Decline}, err
	}
	return callback.Answer{Action: callback.Accept, Content: value.OfObject(content)}, nil
}

// visit asks the person to go to a URL. It shows where that is, and opens nothing:
// the server may want them to be where they do not mean to be.
func (t *terminal) visit(ctx context.Context, q callback.Question) (callback.Answer, error) {
	t.say("    Open this in a browser:\n\n    %s\n\n", printable(q.URL))
	if u, err := url.Parse(q.URL); err == nil && u.Host != "" {
		t.say("    It belongs to %s.\n", t.view.style.bold(printable(u.Hostname())))
	}
	yes, err := t.agree(ctx, "Have you done what it asks?")
	if err != nil || !yes {
		return callback.Answer{Action: callback.Decline}, err
	}
	return callback.Answer{Action: callback.Accept}, nil
}

// errDeclined is the error of a field in whose place a person wrote that they decline.
var errDeclined = errors.New("declined")

// field asks for one field until what is typed is a value of it. An empty line
// leaves out what need not be given, or takes the default. The error is errDeclined
// where "decline" is typed and no value of it.
func (t *terminal) field(ctx context.Context, f callback.Field) (v value.Value, given bool, err error) {
	if f.Description != "" {
		t.say("    %s\n", t.view.style.dim(indentAfter(printable(f.Description), "    ")))
	}
	for i, c := range f.Choices {
		t.say("      %d  %s\n", i+1, printable(shown(f, c.Value)))
	}
	hint := f.Wants()
	switch {
	case f.Default != nil:
		hint += ", else " + shown(f, *f.Default)
	case !f.Required:
		hint += ", or nothing"
	}
	for {
		t.say("    %s (%s): ", printable(f.Label()), printable(hint))
		text, err := t.line(ctx)
		if err != nil {
			return v, false, err
		}
		if strings.TrimSpace(text) == "" && f.Default != nil {
			return *f.Default, true, nil
		}
		if strings.TrimSpace(text) == "" && !f.Required {
			return v, false, nil
		}
		if v, err = f.Read(text); err == nil {
			return v, true, nil
		}
		if strings.TrimSpace(text) == "decline" {
			return v, false, errDeclined
		}
		t.say("    %s\n", printable(err.Error()))
	}
}

// shown returns a value of a field as a person would type it, or knows it by.
func shown(f callback.Field, v value.Value) string {
	for _, c := range f.Choices {
		if c.Title != "" && value.Equal(c.Value, v) {
			return c.Title
		}
	}
	switch v.Kind() {
	case value.String:
		return v.AsString()
	case value.Bool:
		return map[bool]string{true: "yes", false: "no"}[v.AsBool()]
	case value.List:
		parts := make([]string, len(v.AsList()))
		for i, item := range v.AsList() {
			parts[i] = shown(f, item)
		}
		return strings.Join(parts, ", ")
	}
	return v.JSON()
}

// agree asks for yes or no.
func (t *terminal) agree(ctx context.Context, question string) (bool, error) {
	for {
		t.say("    %s (yes or no): ", question)
		text, err := t.line(ctx)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}

func (t *terminal) say(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// line reads a line. Where the system cannot interrupt the reading of a terminal,
// a line that comes after ctx is done is that of the next question, and the
// goroutine that waits for it ends with the process.
func (t *terminal) line(ctx context.Context) (string, error) {
	if t.pending == nil {
		pending := make(chan typed, 1)
		t.pending = pending
		go func() {
			text, err := t.in.ReadString('\n')
			pending <- typed{strings.TrimRight(text, "\r\n"), err}
		}()
	}
	select {
	case got := <-t.pending:
		t.pending = nil
		return got.text, got.err
	case <-ctx.Done():
	}
	if t.tty.SetReadDeadline(time.Unix(1, 0)) == nil {
		<-t.pending
		t.pending = nil
		_ = t.tty.SetReadDeadline(time.Time{})
	}
	t.say("\n")
	return "", ctx.Err()
}
